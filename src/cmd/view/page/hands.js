// What keys and the mouse do.
import { LEFT } from "./draw.js";
import { beginFind } from "./find.js";
import { toggleFollowing } from "./live.js";
import { choose, chooseAt, step } from "./choose.js";
import { paneKeys } from "./panes.js";
import { selectShown } from "./select.js";
import { askCurve } from "./curves.js";
import { stepFlow } from "./flow.js";
import { clickHead, headKeys } from "./heads.js";
import { writeAddress } from "./address.js";
import { announce, app, canvas, drawing, fit, move, redraw, scrollBy, show, undo, whole, zoom } from "./view.js";

const middle = () => (app.view.from + app.view.to) / 2;
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
	[["z"], "undo the last zoom", undo],
	[["e"], "select what is shown", selectShown],
	...paneKeys,
	[["Escape"], "choose nothing", () => choose(null, null)],
	...headKeys,
	[["v"], "add a curve of a field", askCurve],
	[["?"], "show the keys", help],
];

function help() {
	document.getElementById("help").showModal();
}

function onKey(event) {
	const row = keys.find(([names]) => names.includes(event.key));

	if (row && !event.ctrlKey && !event.metaKey && !document.querySelector("dialog[open]")) {
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
	drag = { x: event.offsetX, y: event.offsetY, ns: drawing.ns(app.view, event.offsetX) };
	canvas.setPointerCapture(event.pointerId);
}

function onMove(event) {
	if (drag && Math.abs(event.offsetX - drag.x) > 4) {
		const ns = drawing.ns(app.view, event.offsetX);

		app.selection = { from: Math.min(ns, drag.ns), to: Math.max(ns, drag.ns) };
		redraw();
	}
}

function onUp(event) {
	if (drag && Math.abs(event.offsetX - drag.x) <= 4) {
		if (!clickHead(event.offsetX, event.offsetY)) {
			chooseAt(event.offsetX, event.offsetY);
		}
	} else if (drag && app.selection) {
		writeAddress();
		announce("selected");
	}
	drag = null;
}

export function beginHands() {
	for (const [names, what] of keys) {
		const row = document.getElementById("help-keys").insertRow();

		row.appendChild(document.createElement("th")).textContent = names.join(" ").replace(/^ $/, "Space");
		row.insertCell().textContent = what;
	}
	document.getElementById("whole").addEventListener("click", whole);
	document.getElementById("undo").addEventListener("click", undo);
	document.getElementById("keys").addEventListener("click", help);
	document.addEventListener("keydown", onKey);
	canvas.addEventListener("wheel", onWheel, { passive: false });
	canvas.addEventListener("pointerdown", onDown);
	canvas.addEventListener("pointermove", onMove);
	canvas.addEventListener("pointerup", onUp);
}
