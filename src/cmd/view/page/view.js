// What is shown, and the parts of the page that hear of changes: the view, in the address, so that a
// link says what one sees, and the tile that is drawn.
import { askLatest } from "/api.js";
import { Drawing, LEFT, TOP } from "/draw.js";
import { duration } from "/format.js";

export const canvas = document.getElementById("timeline");
export const drawing = new Drawing(canvas);

export const app = {
	trace: null, boxes: [], height: 0, hidden: new Set(), scroll: 0,
	view: { from: 0, to: 1 }, past: [], tile: null, chosen: null, selection: null,
};

// For tests: what is drawn.
globalThis.waymark = app;

// ---- Changes ----

const listeners = { trace: [], view: [], tile: [], chosen: [], selected: [] };

// Calls a function after each change: of app.trace, app.view, app.tile, app.chosen or app.selection.
export function on(change, act) {
	listeners[change].push(act);
}

export function announce(change) {
	for (const act of listeners[change]) {
		act();
	}
}

// ---- Drawing ----

let isDirty = false;

export function redraw() {
	if (!isDirty) {
		isDirty = true;
		requestAnimationFrame(() => {
			isDirty = false;
			drawing.draw(app);
		});
	}
}

drawing.dark.addEventListener("change", redraw);

// All that can be shown: the traces, or the part that was saved.
export function all() {
	const [from, to] = app.trace.part ?? [0, app.trace.length];

	return { from, to: Math.max(to, from + 1) };
}

function clamp(view) {
	const { from: first, to: last } = all();
	const margin = 0.05 * (last - first);
	const wide = Math.min(Math.max(view.to - view.from, 10), last - first + 2 * margin);
	const from = Math.min(Math.max(view.from, first - margin), last + margin - wide);

	return { from, to: from + wide };
}

function remember() {
	const { from, to } = app.view;

	history.replaceState(null, "", `#${Math.round(from)},${Math.round(to)}`);
}

export function show(view, keeps = true) {
	if (keeps) {
		app.past.push(app.view);
	}
	app.view = clamp(view);
	remember();
	document.getElementById("range").textContent = duration(app.view.to - app.view.from);
	announce("view");
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
export async function load() {
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
			announce("tile");
			redraw();
		}
	} while (isOutdated);
	isLoading = false;
}

export function fail(error) {
	const state = document.getElementById("state");

	state.textContent = `the server does not answer: ${error.message}`;
	state.classList.add("bad");
	return null;
}

// ---- Moves ----

export function zoom(factor, at) {
	const { from, to } = app.view;

	show({ from: at - (at - from) * factor, to: at + (to - at) * factor }, false);
}

export function move(share) {
	const by = (app.view.to - app.view.from) * share;

	show({ from: app.view.from + by, to: app.view.to + by }, false);
}

export function scrollBy(pixels) {
	const most = Math.max(0, app.height - canvas.clientHeight + TOP);

	app.scroll = Math.min(Math.max(app.scroll + pixels, 0), most);
	redraw();
	load();
}

export function fit() {
	const item = app.chosen?.item;
	const time = app.selection ?? (item && { from: item[0], to: item[1] ?? app.trace.length });

	if (time) {
		const margin = Math.max((time.to - time.from) * 0.1, 5);

		show({ from: time.from - margin, to: time.to + margin });
	}
}

export function whole() {
	show(all());
}

export function undo() {
	const view = app.past.pop();

	if (view) {
		show(view, false);
	}
}
