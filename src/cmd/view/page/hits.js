// Where the expression of the find field is true: counted in columns of the whole trace, for the overview, and of the
// shown time, for the strip at the scale. The server counts a long time in pieces, see answer_hits.c.
import { ask } from "./api.js";
import { LEFT, TOP } from "./draw.js";
import { expression } from "./find.js";
import { count } from "./format.js";
import { app, canvas, drawing, on, redraw } from "./view.js";

const said = document.getElementById("hits");
const WHOLE = 2000; // columns
const QUIET_MS = 150; // without a move of the view, before its time is counted
const MORE_MS = 400;
const STRIP = 6;

// Each has `where`, `from`, `to`, the counts of the columns, their sum, and if it is complete.
export const hits = { whole: null, view: null };

const listeners = [];

export function onHits(act) {
	listeners.push(act);
}

function changed() {
	const { whole, view } = hits;
	const shown = view && !covers(whole) ? `, ${count(view.count)} shown` : "";

	said.textContent = whole ? `${count(whole.count)}${whole.isDone ? "" : "…"} hits${shown}` : "";
	listeners.forEach((act) => act());
	redraw();
}

const wait = (ms) => new Promise((done) => {
	setTimeout(done, ms);
});

// Counts piece by piece into `into` while it is wanted.
async function fill(into, isWanted) {
	let begin = into.from;

	while (begin !== null && isWanted()) {
		const piece = await ask("/api/hits", { where: into.where, from: into.from, to: into.to,
			columns: into.counts.length, begin }).catch(() => null);

		if (!piece || !isWanted()) {
			return;
		}
		for (const [column, n] of piece.columns) {
			into.counts[column] += n;
		}
		into.count += piece.count;
		into.isDone = piece.next === null;
		changed();
		if (piece.next === begin) {
			await wait(MORE_MS); // the server has not read that far yet
		}
		begin = piece.next;
	}
}

function empty(where, from, to, columns) {
	return { where, from, to, counts: new Float64Array(columns), count: 0, isDone: false };
}

// True if the shown time is all of the trace.
function covers(whole) {
	return whole && app.view.from <= whole.from && app.view.to >= whole.to;
}

let turn = 0;

async function countView() {
	const own = ++turn;
	const isWanted = () => own === turn && hits.whole !== null;

	await wait(QUIET_MS);
	if (isWanted() && !covers(hits.whole)) {
		const from = Math.max(0, Math.floor(app.view.from));
		const view = empty(hits.whole.where, from, Math.max(from + 1, Math.ceil(app.view.to)),
			Math.max(1, Math.min(4000, Math.floor((canvas.clientWidth - LEFT) / 2))));

		await fill(view, () => {
			if (isWanted()) {
				hits.view = view;
			}
			return isWanted();
		});
	}
}

let counting = null; // of the whole trace, until it is complete

// Begins to count for the expression of the field, unless that is done already; an empty one ends it.
export async function countHits() {
	const where = expression();

	const isSame = where === (hits.whole?.where ?? "");

	if (isSame && (counting || (hits.whole?.to ?? 0) >= (app.trace?.length ?? 0))) {
		return;
	}
	const whole = where ? empty(where, 0, Math.max(1, app.trace.length), WHOLE) : null;

	counting = whole;
	// The counts of a trace that grew since stay until those of all of it are known.
	if (!isSame) {
		Object.assign(hits, { whole, view: null });
		changed();
	}
	if (whole) {
		countView();
		await fill(whole, () => counting === whole);
	}
	if (counting === whole) {
		counting = null;
		hits.whole = whole;
		changed();
	}
}

// ---- The strip ----

function drawStrip(d, part, top) {
	const c = d.context;
	const wide = (part.to - part.from) / part.counts.length;

	c.fillStyle = d.hit;
	part.counts.forEach((n, column) => {
		const left = d.x(app.view, part.from + column * wide);
		const right = d.x(app.view, part.from + (column + 1) * wide);

		if (n > 0 && right >= LEFT && left <= d.width) {
			c.fillRect(Math.max(LEFT, left), top, Math.max(2, right - left), STRIP);
		}
	});
}

export function beginHits() {
	on("view", () => {
		if (hits.whole) {
			countView();
		}
	});
	// A link has an expression; while the trace is read, there is more to count.
	on("trace", countHits);
	drawing.addAbove((d) => {
		const { whole, view } = hits;
		const fits = view && view.from <= Math.max(0, app.view.from) + 1 && view.to >= app.view.to - 1;

		if (whole) {
			drawStrip(d, fits ? view : whole, TOP - STRIP);
		}
	});
}
