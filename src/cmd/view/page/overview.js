// The whole trace above the timeline: how much there is, losses, hits; the box is what is shown, and can be dragged.
import { askLatest } from "./api.js";
import { LEFT } from "./draw.js";
import { duration } from "./format.js";
import { hits, onHits } from "./hits.js";
import { app, drawing, keep, on, show } from "./view.js";

const canvas = document.getElementById("overview");
const context = canvas.getContext("2d");
const COLUMN = 2; // pixels
const EDGE = 8; // pixels beside the box that count as its edge
const STRIP = 5;

let known = { columns: [], lost: [] };
let isDirty = false;

const room = () => Math.max(1, canvas.clientWidth - LEFT);
const length = () => Math.max(1, app.trace?.length ?? 1);
const xOf = (ns) => LEFT + ns / length() * room();
const nsOf = (x) => (x - LEFT) / room() * length();

function bars(counts, most, colour, [low, high]) {
	const wide = room() / counts.length;

	context.fillStyle = colour;
	counts.forEach((n, i) => {
		if (n > 0) {
			const tall = Math.max(1.5, (low - high) * Math.sqrt(n / most));

			context.fillRect(LEFT + i * wide, low - tall, Math.max(1, wide - 0.3), tall);
		}
	});
}

function drawBox(height) {
	const left = Math.max(LEFT, xOf(app.view.from));
	const right = Math.min(canvas.clientWidth, xOf(app.view.to));

	context.globalAlpha = 0.55;
	context.fillStyle = drawing.band;
	context.fillRect(LEFT, 0, left - LEFT, height);
	context.fillRect(right, 0, canvas.clientWidth - right, height);
	context.globalAlpha = 1;
	context.strokeStyle = drawing.chosen;
	context.lineWidth = 1.5;
	context.strokeRect(left + 0.75, 0.75, Math.max(2, right - left - 1.5), height - 1.5);
}

function draw() {
	const height = canvas.clientHeight;

	isDirty = false;
	drawing.style();
	context.fillStyle = drawing.back;
	context.fillRect(0, 0, canvas.clientWidth, height);
	if (!app.trace) {
		return;
	}
	bars(known.columns, Math.max(1, ...known.columns), drawing.faint, [height - STRIP - 1, 4]);
	context.fillStyle = drawing.loss;
	for (const [column] of known.lost) {
		context.fillRect(LEFT + column * room() / known.columns.length, 2, 2, height - STRIP - 3);
	}
	if (hits.whole) {
		bars(hits.whole.counts.map((n) => Math.min(n, 1)), 1, drawing.hit, [height - 1, height - STRIP]);
	}
	drawBox(height);
	context.fillStyle = drawing.faint;
	context.fillText(`whole trace: ${duration(app.trace.length)}`, 6, height / 2, LEFT - 12);
}

function redraw() {
	if (!isDirty) {
		isDirty = true;
		requestAnimationFrame(draw);
	}
}

function fit() {
	const ratio = devicePixelRatio || 1;

	canvas.width = Math.round(canvas.clientWidth * ratio);
	canvas.height = Math.round(canvas.clientHeight * ratio);
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.font = "12px system-ui, sans-serif";
	context.textBaseline = "middle";
	redraw();
}

async function load() {
	const columns = Math.max(1, Math.min(4000, Math.floor(room() / COLUMN)));

	known = await askLatest("/api/overview", { columns }).catch(() => null) ?? known;
	redraw();
}

// ---- The box ----

let drag = null;

// Which edge of the box is at a place: -1, 1, or 0 for its inside and for elsewhere.
function edgeAt(x) {
	const [left, right] = [xOf(app.view.from), xOf(app.view.to)];

	if (right - left < 3 * EDGE) {
		return 0;
	}
	return Math.abs(x - left) < EDGE ? -1 : Number(Math.abs(x - right) < EDGE);
}

function onDown(event) {
	const ns = nsOf(event.offsetX);
	const wide = app.view.to - app.view.from;

	if (event.button !== 0 || !app.trace) {
		return;
	}
	canvas.setPointerCapture(event.pointerId);
	keep();
	drag = { edge: edgeAt(event.offsetX), by: ns - app.view.from, wide };
	if (drag.edge === 0 && (ns < app.view.from || ns > app.view.to)) {
		drag.by = wide / 2;
		show({ from: ns - wide / 2, to: ns + wide / 2 }, false);
	}
}

function onMove(event) {
	const ns = nsOf(event.offsetX);

	canvas.style.cursor = edgeAt(event.offsetX) ? "ew-resize" : "";
	if (drag?.edge) {
		const other = drag.edge < 0 ? app.view.to : app.view.from;

		show(drag.edge < 0 ? { from: Math.min(ns, other - 10), to: other } : { from: other, to: Math.max(ns, other + 10) }, false);
	} else if (drag) {
		show({ from: ns - drag.by, to: ns - drag.by + drag.wide }, false);
	}
}

export function beginOverview() {
	canvas.addEventListener("pointerdown", onDown);
	canvas.addEventListener("pointermove", onMove);
	for (const end of ["pointerup", "pointercancel"]) {
		canvas.addEventListener(end, () => {
			drag = null;
		});
	}
	on("trace", load);
	on("view", redraw);
	onHits(redraw);
	drawing.dark.addEventListener("change", redraw);
	new ResizeObserver(fit).observe(canvas);
}
