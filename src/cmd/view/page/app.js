// The page: what is shown (the view, in the address, so that a link says what one sees), what keys and
// the mouse do, and which tile is drawn.
import { ask, askLatest } from "/api.js";
import { Drawing, LEFT, TOP } from "/draw.js";
import { boxAt, layout, EVENTS, SLICE } from "/layout.js";
import { count, duration } from "/format.js";
import { showItem, showSelection } from "/details.js";
import { beginFind, find, onFind } from "/find.js";

const canvas = document.getElementById("timeline");
const drawing = new Drawing(canvas);
const MORE_MS = 400;

const app = {
	trace: null, boxes: [], height: 0, hidden: new Set(), scroll: 0,
	view: { from: 0, to: 1 }, past: [], tile: null, chosen: null, selection: null,
};

// For tests: what is drawn.
globalThis.waymark = app;

// ---- What is shown ----

let isDirty = false;

function redraw() {
	if (!isDirty) {
		isDirty = true;
		requestAnimationFrame(() => {
			isDirty = false;
			drawing.draw(app);
		});
	}
}

function clamp(view) {
	const length = Math.max(app.trace.length, 1);
	const wide = Math.min(Math.max(view.to - view.from, 10), length * 1.1);
	const from = Math.min(Math.max(view.from, -0.05 * length), 1.05 * length - wide);

	return { from, to: from + wide };
}

function remember() {
	const { from, to } = app.view;

	history.replaceState(null, "", `#${Math.round(from)},${Math.round(to)}`);
}

function show(view, keeps = true) {
	if (keeps) {
		app.past.push(app.view);
	}
	app.view = clamp(view);
	remember();
	document.getElementById("range").textContent = duration(app.view.to - app.view.from);
	redraw();
	load();
}

function visibleTracks() {
	return app.boxes.filter((b) => b.kind === "track" && b.top - app.scroll < canvas.clientHeight &&
		b.top + b.height - app.scroll > 0).map((b) => b.track);
}

let isLoading = false;
let isOutdated = false;

// Asks for the tile of the view, one question at a time: the last view wins.
async function load() {
	if (isLoading) {
		isOutdated = true;
		return;
	}
	isLoading = true;
	do {
		isOutdated = false;
		const tracks = visibleTracks();

		if (tracks.length > 0) {
			const tile = await askLatest("/api/tile", {
				from: Math.max(0, Math.floor(app.view.from)), to: Math.max(1, Math.ceil(app.view.to)),
				columns: Math.max(1, Math.min(4000, canvas.clientWidth - LEFT)), tracks: tracks.join(","),
			}).catch(fail);

			app.tile = tile ?? app.tile;
			redraw();
		}
	} while (isOutdated);
	isLoading = false;
}

function fail(error) {
	const state = document.getElementById("state");

	state.textContent = `the server does not answer: ${error.message}`;
	state.classList.add("bad");
	return null;
}

function zoom(factor, at) {
	const { from, to } = app.view;

	show({ from: at - (at - from) * factor, to: at + (to - at) * factor }, false);
}

function move(share) {
	const by = (app.view.to - app.view.from) * share;

	show({ from: app.view.from + by, to: app.view.to + by }, false);
}

function scrollBy(pixels) {
	const most = Math.max(0, app.height - canvas.clientHeight + TOP);

	app.scroll = Math.min(Math.max(app.scroll + pixels, 0), most);
	redraw();
	load();
}

// ---- Items ----

function itemsAt(track, y) {
	const box = app.boxes.find((b) => b.track === track);
	const inside = y - box.top;
	const depth = Math.floor((inside - EVENTS) / SLICE);

	return (app.tile?.rows ?? []).filter((r) => r.track === track &&
		(inside < EVENTS ? r.kind !== "slice" : r.kind === "slice" && r.depth === depth));
}

function choose(row, item) {
	app.chosen = item ? { row, item } : null;
	app.selection = null;
	showItem(app, app.chosen);
	redraw();
}

function chooseAt(x, y) {
	const box = boxAt(app.boxes, y - TOP + app.scroll);
	const near = 4 * (app.view.to - app.view.from) / (canvas.clientWidth - LEFT);
	const ns = drawing.ns(app.view, x);

	for (const row of box?.kind === "track" ? itemsAt(box.track, y - TOP + app.scroll) : []) {
		const item = row.items.find((i) => ns >= i[0] - near && ns <= (i[1] ?? Infinity) + near);

		if (item) {
			choose(row, item);
			return;
		}
	}
	choose(null, null);
}

// Chooses the next or previous item of the row with the same name.
function step(by) {
	const items = app.chosen?.row.items ?? [];
	let at = items.indexOf(app.chosen?.item) + by;

	while (items[at] && items[at][2] !== app.chosen.item[2]) {
		at += by;
	}
	if (!items[at]) {
		return;
	}
	choose(app.chosen.row, items[at]);
	const [from, to] = items[at];

	if (from > app.view.to || (to ?? from) < app.view.from) {
		const half = (app.view.to - app.view.from) / 2;

		show({ from: from - half, to: from + half });
	}
}

// ---- Hands ----

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
	[["Enter", "f"], "zoom to the chosen item or time", fit],
	[["/"], "find events by an expression", beginFind],
	[["0"], "show the whole trace", whole],
	[["z"], "undo the last zoom", undo],
	[["Escape"], "choose nothing", () => choose(null, null)],
	[["?"], "show the keys", help],
];

function fit() {
	const item = app.chosen?.item;
	const time = app.selection ?? (item && { from: item[0], to: item[1] ?? app.trace.length });

	if (time) {
		const margin = Math.max((time.to - time.from) * 0.1, 5);

		show({ from: time.from - margin, to: time.to + margin });
	}
}

// Goes to the event that the field's expression finds, and chooses it.
async function goTo(isBack) {
	const found = await find(app.found?.ns ?? (isBack ? app.view.to : app.view.from - 1), isBack);
	const half = (app.view.to - app.view.from) / 2;

	if (!found) {
		return;
	}
	app.found = found;
	if (found.ns < app.view.from || found.ns > app.view.to) {
		show({ from: found.ns - half, to: found.ns + half });
	}
	const item = [found.ns, found.ns, found.name, 1, 0, found.offset, found.trace];

	choose({ kind: "event", track: found.track, depth: 0, items: [item] }, item);
}

function whole() {
	show({ from: 0, to: Math.max(app.trace.length, 1) });
}

function undo() {
	const view = app.past.pop();

	if (view) {
		show(view, false);
	}
}

function help() {
	document.getElementById("help").showModal();
}

function onKey(event) {
	const row = keys.find(([names]) => names.includes(event.key));

	if (row && !event.ctrlKey && !event.metaKey && !document.getElementById("help").open) {
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
		chooseAt(event.offsetX, event.offsetY);
	} else if (drag && app.selection) {
		showSelection(app, app.selection);
	}
	drag = null;
}

// ---- The start ----

function tell() {
	const t = app.trace;
	const state = document.getElementById("state");
	const parts = [`${count(t.records)} records`, t.done ? "" : "reading…",
		t.lost > 0 ? `${count(t.lost)} events were lost` : "",
		t.problems > 0 ? `${count(t.problems)} problems: ${t.problem}` : ""];

	state.textContent = parts.filter((p) => p).join(" · ");
	state.classList.toggle("bad", t.lost > 0 || t.problems > 0);
	document.getElementById("title").textContent = t.paths.join(", ");
	document.title = `${t.paths[0].split("/").pop()} · Waymark`;
}

function isWhole() {
	return app.trace && app.view.from <= 0 && app.view.to >= app.trace.length;
}

// The view that the address names, or null.
function viewOfAddress() {
	const [from, to] = location.hash.slice(1).split(",").map(Number);

	return from < to ? { from, to } : null;
}

async function refresh() {
	const isFirst = !app.trace;
	const follows = isFirst || isWhole();
	const trace = await ask("/api/trace").catch(fail);

	if (!trace) {
		return;
	}
	app.trace = trace;
	({ boxes: app.boxes, height: app.height } = layout(trace, app.hidden));
	tell();
	if (follows) {
		show((isFirst && viewOfAddress()) || { from: 0, to: trace.length }, false);
	} else {
		load();
	}
	if (!trace.done) {
		setTimeout(refresh, MORE_MS);
	}
}

for (const [names, what] of keys) {
	const row = document.getElementById("help-keys").insertRow();

	row.appendChild(document.createElement("th")).textContent = names.join(" ");
	row.insertCell().textContent = what;
}
onFind(goTo);
document.getElementById("where").addEventListener("input", () => {
	app.found = null;
});
document.getElementById("whole").addEventListener("click", whole);
document.getElementById("undo").addEventListener("click", undo);
document.getElementById("keys").addEventListener("click", help);
document.addEventListener("keydown", onKey);
addEventListener("hashchange", () => app.trace && show(viewOfAddress() ?? app.view));
canvas.addEventListener("wheel", onWheel, { passive: false });
canvas.addEventListener("pointerdown", onDown);
canvas.addEventListener("pointermove", onMove);
canvas.addEventListener("pointerup", onUp);
new ResizeObserver(() => {
	drawing.fit();
	redraw();
	if (app.trace) {
		load();
	}
}).observe(canvas);
refresh();
