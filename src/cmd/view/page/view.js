// What is shown, and the parts of the page that hear of changes: the view, in the address, so that a
// link says what one sees, and the tile that is drawn.
import { addPiece, writeAddress } from "./address.js";
import { ask, whenVisible } from "./api.js";
import { Drawing, LEFT, TOP } from "./draw.js";
import { duration } from "./format.js";
import { layout, topOf, visibleBoxes } from "./layout.js";

export const canvas = document.getElementById("timeline");
export const drawing = new Drawing(canvas);

export const app = {
	trace: null, boxes: [], height: 0, fixed: 0, scroll: 0, follows: true,
	view: { from: 0, to: 1 }, past: [], tile: null, chosen: null, selection: null,
	loading: 0, // questions about the view that have no answer yet
};

// For tests: what is drawn.
globalThis.waymark = app;

// ---- Changes ----

const listeners = { trace: [], view: [], tile: [], chosen: [], selected: [], failed: [] };

// Calls a function after each change: of app.trace, app.view, app.tile, app.chosen or app.selection; or when
// what failed may be asked again.
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

// A picture is drawn at once: Chromium may take it before the next frame.
export function redraw() {
	if (app.trace?.isPicture) {
		drawing.draw(app);
	} else if (!isDirty) {
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
	const { from: first, to: known } = all();
	// While the trace is being read, a link may name a time that is still to come.
	const last = app.trace.done ? known : Math.max(known, view.to);
	const margin = 0.05 * (last - first);
	const wide = Math.min(Math.max(view.to - view.from, 10), last - first + 2 * margin);
	const from = Math.min(Math.max(view.from, first - margin), last + margin - wide);

	return { from, to: from + wide };
}

const PAST_MAX = 200;
const QUIET_MS = 600; // moves that follow each other sooner are undone together
let moved = -Infinity;

// Keeps the view for undo(), at the begin of a row of small moves only once.
export function keep(isSmall = false) {
	const now = performance.now();

	if (!isSmall || now - moved > QUIET_MS) {
		app.past.push(app.view);
		app.past.splice(0, app.past.length - PAST_MAX);
	}
	moved = isSmall ? now : -Infinity;
}

export function show(view, keeps = true) {
	if (keeps) {
		keep();
	}
	app.view = clamp(view);
	writeAddress(app.view);
	document.getElementById("range").textContent = `${duration(app.view.to - app.view.from)} shown`;
	announce("view");
	redraw();
	load();
}

// Places the tracks anew. The server answers for a thousand tracks at a time.
export function place() {
	Object.assign(app, layout(app.trace, canvas.clientHeight - TOP));
	if (app.trace.isPicture) {
		// Chromium asks how high a window shows all.
		document.documentElement.dataset.height = Math.ceil(innerHeight - canvas.clientHeight + TOP + app.height);
	}
	scrollTo(app.scroll);
}

function visibleTracks() {
	return visibleBoxes(app, canvas.clientHeight).filter((b) => b.kind === "track").map((b) => b.track).slice(0, 1000);
}

const MORE_MS = 400;

// Returns a function that asks about the view, one question at a time: the last view wins. `once` returns true when all
// is known, or false to be asked again after a while; it gets a function that says if there is a later view. What
// fails is asked again with all the rest, unless this server or saved page has no such answer.
export function loader(once) {
	let isLoading = false;
	let isOutdated = false;
	let timer = 0;

	const load = async () => {
		clearTimeout(timer);
		isOutdated = isLoading;
		if (isLoading || !app.trace) {
			return;
		}
		isLoading = true;
		app.loading++;
		let isDone = true;

		do {
			isOutdated = false;
			isDone = await once(() => isOutdated).catch((error) => {
				if (error.status !== 404) {
					fail(error);
				}
				return true;
			});
		} while (isOutdated);
		isLoading = false;
		app.loading--;
		if (!isDone) {
			timer = setTimeout(() => whenVisible(load), MORE_MS);
		}
	};

	on("failed", () => whenVisible(load));
	return load;
}

function setTile(tile) {
	app.tile = tile;
	announce("tile");
	redraw();
}

// A tile of many tracks has fewer columns than the screen. Asks again for some tracks at a time.
async function refine(given, tracks, isOutdated) {
	const size = Math.max(1, Math.floor(tracks.length * app.tile.columns / given.columns));

	for (let i = 0; i < tracks.length && app.tile.columns < given.columns && !isOutdated(); i += size) {
		const some = tracks.slice(i, i + size);
		const finer = await ask("/api/tile", { ...given, tracks: some.join(",") });

		if (isOutdated()) {
			return;
		}
		const put = (name) => app.tile[name].filter((row) => !some.includes(row.track)).concat(finer[name]);

		setTile({ ...app.tile, rows: put("rows"), estimates: put("estimates") });
	}
}

// The shown time, in whole numbers, with a column for each pixel.
export function shownColumns() {
	const from = Math.max(0, Math.floor(app.view.from));

	return { from, to: Math.max(from + 1, Math.ceil(app.view.to)),
		columns: Math.max(1, Math.min(4000, canvas.clientWidth - LEFT)) };
}

// Asks for the tile of the view.
export const load = loader(async (isOutdated) => {
	const tracks = visibleTracks();

	if (tracks.length > 0) {
		const given = shownColumns();

		setTile(await ask("/api/tile", { ...given, tracks: tracks.join(",") }));
		await refine(given, tracks, isOutdated);
	}
	return true;
});

const RETRY_MS = 2000;

let retry = 0;

// Says that a question failed; the page asks again after a while.
export function fail(error) {
	const state = document.getElementById("state");

	retry ||= setTimeout(() => {
		retry = 0;
		announce("failed");
	}, RETRY_MS);
	state.textContent = `the server does not answer: ${error.message}`;
	state.classList.add("bad");
	return null;
}

// ---- Moves ----

export function zoom(factor, at) {
	const { from, to } = app.view;

	keep(true);
	show({ from: at - (at - from) * factor, to: at + (to - at) * factor }, false);
}

export function move(share) {
	const by = (app.view.to - app.view.from) * share;

	keep(true);
	show({ from: app.view.from + by, to: app.view.to + by }, false);
}

function scrollTo(pixels) {
	const most = Math.max(app.trace?.done ? 0 : app.scroll, app.height - canvas.clientHeight + TOP);

	app.scroll = Math.round(Math.min(Math.max(pixels, 0), most));
	writeAddress();
	redraw();
	load();
}

export function scrollBy(pixels) {
	scrollTo(app.scroll + pixels);
}

// Scrolls as little as possible to show a box.
export function reveal(box) {
	const room = canvas.clientHeight - TOP;
	const top = topOf(app, box);

	if (!box.isFixed && top < app.fixed) {
		scrollTo(box.top - app.fixed);
	} else if (!box.isFixed && top + box.height > room) {
		scrollTo(box.top + box.height - room);
	}
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
	app.follows = true;
	show(all());
}

export function undo() {
	const { from, to } = app.view;
	let view = app.past.pop();

	while (view && view.from === from && view.to === to) {
		view = app.past.pop();
	}
	if (view) {
		moved = -Infinity;
		show(view, false);
	}
}

// Makes a time the selected one.
export function select({ from, to }) {
	app.selection = { from: Math.max(0, from), to };
	writeAddress();
	announce("selected");
	redraw();
}

// ---- The address ----

addPiece("scroll", () => (app.scroll > 0 ? String(app.scroll) : ""), (text) => {
	app.scroll = Number(text) || 0;
});
addPiece("time", () => (app.selection ? [app.selection.from, app.selection.to].map(Math.round).join("-") : ""), (text) => {
	const [from, to] = text.split("-").map(Number);

	app.selection = from < to ? { from, to } : null;
});
