// What keys and the mouse do.
import { LEFT } from "./draw.js";
import { beginFind } from "./find.js";
import { toggleFollowing } from "./live.js";
import { chooseAt, chooseNothing, step } from "./choose.js";
import { paneKeys } from "./panes.js";
import { selectShown } from "./select.js";
import { askCurve } from "./curves.js";
import { stepFlow } from "./flow.js";
import { clickHead, headKeys } from "./heads.js";
import { app, canvas, drawing, fit, move, redraw, scrollBy, select, undo, whole, zoom } from "./view.js";

const middle = () => (app.view.from + app.view.to) / 2;
const MOUSE = [["wheel", "zoom in and out; over the names: scroll"], ["Shift+wheel", "move left and right"],
	["click", "choose a slice or event; a head: its menu"], ["drag", "select a time"]];
const NAMES = { " ": "Space", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
const keys = [
	[["w", "+"], "zoom in", () => zoom(0.7, middle())],
	[["s", "-"], "zoom out", () => zoom(1 / 0.7, middle())],
	[["a"], "move left", () => move(-0.2)],
	[["d"], "move right", () => move(0.2)],
	[["ArrowUp"], "scroll up", () => scrollBy(-60)],
	[["ArrowDown"], "scroll down", () => scrollBy(60)],
	[["ArrowLeft", "p"], "the item before of the same name", () => step(-1)],
	[["ArrowRight", "n"], "the next item of the same name", () => step(1)],
	[["."], "the next event of the same object", () => stepFlow(1)],
	[[","], "the event before of the same object", () => stepFlow(-1)],
	[["Enter", "f"], "zoom to the chosen item or time", fit],
	[["/"], "find events by an expression", beginFind],
	[["0"], "show the whole trace", whole],
	[[" "], "stay at this time of a running process, or move with it", toggleFollowing],
	[["z"], "undo the last zooms and moves", undo],
	[["e"], "select what is shown", selectShown],
	...paneKeys,
	[["Escape"], "choose nothing", chooseNothing],
	...headKeys,
	[["v"], "add a curve of a field", askCurve],
	[["?"], "show the keys", help],
];

// What is printed on a key.
function nameOf(key) {
	return NAMES[key] ?? (/^[A-Z]$/.test(key) ? `Shift+${key}` : key.length === 1 ? key.toUpperCase() : key);
}

function help() {
	document.getElementById("help").showModal();
}

// True if a key is that of the field, or of the button or link, that has the focus. A tab is open when it has it.
function isTaken({ key, target }) {
	return Boolean(target.closest("input, textarea, select") ||
		((key === "Enter" || key === " ") && target.closest("button:not([role=tab]), a")));
}

function onKey(event) {
	const row = keys.find(([names]) => names.includes(event.key));

	if (row && !event.ctrlKey && !event.metaKey && !event.altKey && !isTaken(event) && !document.querySelector("dialog[open]")) {
		event.preventDefault();
		row[2]();
	}
}

function onWheel(event) {
	event.preventDefault();
	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
		move((event.deltaX || event.deltaY) / 1000);
	} else if (event.offsetX < LEFT || event.altKey) {
		scrollBy(event.deltaY);
	} else {
		zoom(1.0015 ** event.deltaY, drawing.ns(app.view, event.offsetX));
	}
}

let drag = null;

function onDown(event) {
	if (event.button !== 0) {
		return;
	}
	drag = { isTime: event.offsetX >= LEFT, x: event.offsetX, y: event.offsetY, ns: drawing.ns(app.view, event.offsetX) };
	canvas.setPointerCapture(event.pointerId);
}

function onMove(event) {
	if (drag?.isTime && Math.abs(event.offsetX - drag.x) > 4) {
		const ns = drawing.ns(app.view, Math.max(LEFT, event.offsetX));

		app.selection = { from: Math.min(ns, drag.ns), to: Math.max(ns, drag.ns) };
		redraw();
	}
}

function onUp(event) {
	if (drag && Math.abs(event.offsetX - drag.x) <= 4) {
		if (!clickHead(event.offsetX, event.offsetY)) {
			chooseAt(event.offsetX, event.offsetY);
		}
	} else if (drag?.isTime) {
		select(app.selection);
	}
	drag = null;
}

export function beginHands() {
	for (const [names, what] of [...MOUSE, ...keys.map(([own, text]) => [own.map(nameOf).join(" "), text])]) {
		const row = document.getElementById("help-keys").insertRow();

		row.appendChild(document.createElement("th")).textContent = names;
		row.insertCell().textContent = what;
	}
	document.getElementById("whole").addEventListener("click", whole);
	document.getElementById("undo").addEventListener("click", undo);
	document.getElementById("keys").addEventListener("click", help);
	document.addEventListener("keydown", onKey);
	// After a click of the mouse, Enter and Space are keys of the timeline again.
	document.querySelector("header").addEventListener("click", (event) => {
		if (event.detail > 0 && event.target.closest("button") && !document.querySelector("dialog[open]")) {
			canvas.focus();
		}
	});
	canvas.addEventListener("wheel", onWheel, { passive: false });
	canvas.addEventListener("pointerdown", onDown);
	canvas.addEventListener("pointermove", onMove);
	canvas.addEventListener("pointerup", onUp);
	canvas.addEventListener("pointercancel", () => {
		drag = null;
	});
}
