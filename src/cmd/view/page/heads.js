// The heads of processes and tracks: what a click on them does, the menu, and the keys for the track under the cursor.
import { LEFT, TOP } from "./draw.js";
import { many } from "./format.js";
import { boxAt, topOf } from "./layout.js";
import { fold, hide, hideOthers, matchNames, nextOrder, onTracks, ORDERS, pin, showHidden, sortBy, tracks } from "./tracks.js";
import { app, canvas, place, redraw, reveal } from "./view.js";

const menu = document.getElementById("menu");
const match = document.getElementById("match");
const left = document.getElementById("left");

function boxOf(key) {
	return app.boxes.find((box) => box.key === key);
}

// The process of a box, or what stands for one.
function ownerOf(box) {
	return box.owner ?? box.source.owner ?? app.trace.processes[box.source.process];
}

// The track or process of the keys: the one under the cursor, else that of the chosen item.
function current() {
	return boxOf(app.cursor) ?? app.boxes.find((box) => box.kind === "track" && box.track === app.chosen?.row.track);
}

function cursorAt(box) {
	app.cursor = box?.key ?? null;
	if (box) {
		reveal(box);
	}
	redraw();
}

// Moves the cursor to the next or previous head.
function step(by) {
	const at = app.boxes.indexOf(current());

	cursorAt(app.boxes[Math.min(Math.max(at + by, 0), app.boxes.length - 1)]);
}

// Does something with the current track, and leaves the cursor at the one that takes its place.
function withTrack(act) {
	const box = current();

	if (box?.source) {
		const at = app.boxes.indexOf(box);

		act(box.source);
		app.cursor = (boxOf(box.key) ?? app.boxes[Math.min(at, app.boxes.length - 1)])?.key ?? null;
		redraw();
	}
}

function foldCurrent() {
	const box = current();

	if (box) {
		const owner = ownerOf(box);

		fold(owner);
		cursorAt(app.boxes.find((b) => b.owner === owner));
	}
}

// ---- The menu ----

function rowsOf(box) {
	const track = box.source ?? null;
	const process = ownerOf(box);
	const rows = track ? [[box.isPinned ? "take from the top (T)" : "pin to the top (T)", () => pin(track)],
		["hide (H)", () => hide(track)], ["hide all others", () => hideOthers(app.trace, track)]] : [];

	if (track?.remove) {
		rows.push(["remove the curve", track.remove]);
	}
	rows.push([box.isFolded ? "show the tracks (C)" : "collapse the process (C)", () => fold(process)]);
	if (tracks.hidden.size > 0) {
		rows.push([`show ${tracks.hidden.size} hidden (Shift+H)`, showHidden]);
	}
	for (const [order, name] of ORDERS) {
		rows.push([`${tracks.order === order ? "●" : "○"} sort: ${name}`, () => sortBy(order)]);
	}
	return rows;
}

function closeMenu() {
	menu.hidden = true;
	canvas.focus();
}

function openMenu(box) {
	cursorAt(box);
	menu.replaceChildren(...rowsOf(box).map(([text, act]) => {
		const button = document.createElement("button");

		button.textContent = text;
		button.setAttribute("role", "menuitem");
		button.addEventListener("click", () => {
			closeMenu();
			act();
		});
		return button;
	}));
	menu.hidden = false;
	const top = TOP + topOf(app, box) + box.height;

	menu.style.left = "16px";
	menu.style.top = `${Math.max(0, Math.min(top, canvas.clientHeight - menu.offsetHeight - 4))}px`;
	menu.firstChild.focus();
}

function onMenuKey(event) {
	const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
	const items = [...menu.children];

	event.stopPropagation();
	if (by) {
		event.preventDefault();
		items[(items.indexOf(document.activeElement) + by + items.length) % items.length].focus();
	} else if (event.key === "Escape" || event.key === "Tab") {
		event.preventDefault();
		closeMenu();
	}
}

function menuOfCurrent() {
	const box = current() ?? app.boxes[0];

	if (box) {
		openMenu(box);
	}
}

// ---- All ----

// True if a click was on a head.
export function clickHead(x, y) {
	const box = x < LEFT || boxAt(app, y - TOP)?.kind === "process" ? boxAt(app, y - TOP) : null;

	if (!box || y < TOP) {
		return false;
	}
	if (box.kind === "process") {
		fold(box.owner);
		cursorAt(boxOf(box.key));
	} else {
		openMenu(box);
	}
	return true;
}

export const headKeys = [
	[["j"], "the next track", () => step(1)],
	[["k"], "the track before", () => step(-1)],
	[["m"], "the menu of the track", menuOfCurrent],
	[["t"], "pin the track to the top, or take it from there", () => withTrack(pin)],
	[["h"], "hide the track", () => withTrack(hide)],
	[["H"], "show hidden tracks again", showHidden],
	[["c"], "collapse or show the tracks of the process", foldCurrent],
	[["o"], "sort the tracks in another way", nextOrder],
	[["l"], "filter the tracks by name", () => match.select()],
];

// Says what is not shown.
function sayLeft() {
	const seen = app.boxes.filter((box) => box.kind === "track").length;
	const all = app.trace.tracks.length;
	const order = ORDERS.find(([name]) => name === tracks.order)[1];

	left.textContent = [seen < all ? `${seen} of ${many(all, "track")}` : many(all, "track"), tracks.order ? order : ""]
		.filter((text) => text).join(", ");
	left.title = tracks.hidden.size > 0 ? `Show ${tracks.hidden.size} hidden (Shift+H)` : "Sort in another way (O)";
}

export function beginHeads() {
	onTracks(() => {
		match.value = tracks.match;
		place();
		sayLeft();
	});
	match.addEventListener("input", () => matchNames(match.value));
	match.addEventListener("keydown", (event) => {
		if (event.key === "Escape" || event.key === "Enter") {
			canvas.focus();
		}
	});
	left.addEventListener("click", () => (tracks.hidden.size > 0 ? showHidden() : nextOrder()));
	menu.addEventListener("keydown", onMenuKey);
	canvas.addEventListener("contextmenu", (event) => {
		const box = boxAt(app, event.offsetY - TOP);

		if (box && event.offsetY >= TOP) {
			event.preventDefault();
			openMenu(box);
		}
	});
	document.addEventListener("pointerdown", (event) => {
		if (!menu.hidden && !menu.contains(event.target)) {
			menu.hidden = true;
		}
	});
}

export { sayLeft };
