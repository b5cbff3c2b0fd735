// The events of the objects that the chosen event names: arrows between them, and the way from one to the next.
import { ask } from "./api.js";
import { TOP } from "./draw.js";
import { bringUp, choose } from "./choose.js";
import { say } from "./find.js";
import { topOf } from "./layout.js";
import { app, drawing, on, redraw, show } from "./view.js";

const QUIET_MS = 120;
const [BEGIN, END] = [1, 3]; // parts of a life

let flow = { chosen: null, events: [] };
let turn = 0;

// The place of the chosen event, or null.
function source() {
	const [ns, , , , , offset, trace] = app.chosen?.item ?? [];

	return offset === undefined ? null : { ns, offset, trace };
}

const askFlow = (place, from, to) => ask("/api/flow", { ...place, from: Math.max(0, Math.floor(from)),
	to: Math.max(1, Math.ceil(to)) }).catch(() => ({ objects: 0, events: [], cut: false }));

async function load() {
	const own = ++turn;
	const place = source();

	if (!place) {
		flow = { chosen: null, events: [] };
		return;
	}
	await new Promise((done) => {
		setTimeout(done, QUIET_MS);
	});
	const found = own === turn ? await askFlow(place, app.view.from, app.view.to) : null;

	if (found && own === turn) {
		flow = { chosen: app.chosen, ...found };
		redraw();
	}
}

// ---- Drawing ----

function arrow(c, [x, y], [toX, toY]) {
	const bend = Math.max(12, Math.min(60, Math.abs(toX - x) / 2));
	const side = toX >= x ? -1 : 1;

	c.beginPath();
	c.moveTo(x, y);
	if (y === toY) {
		c.quadraticCurveTo((x + toX) / 2, y - Math.min(10, bend / 2), toX, toY);
	} else {
		c.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
	}
	c.stroke();
	c.beginPath();
	c.moveTo(toX, toY);
	c.lineTo(toX + side * 6, toY - 3.5);
	c.lineTo(toX + side * 6, toY + 3.5);
	c.fill();
}

function draw(d) {
	if (!flow.chosen || flow.chosen !== app.chosen || flow.events.length < 2) {
		return;
	}
	const c = d.context;
	const boxes = new Map(app.boxes.map((box) => [box.track, box]));
	const points = flow.events.map(([ns, track, , , , part]) => {
		const box = boxes.get(track);

		return box ? [d.x(app.view, ns), TOP + topOf(app, box) + box.marks / 2 + 2, part] : null;
	}).filter((point) => point);

	c.strokeStyle = d.chosen;
	c.fillStyle = d.chosen;
	c.lineWidth = 1.25;
	points.slice(1).forEach((point, i) => {
		// The key may be used again, for another object.
		if (points[i][2] !== END && point[2] !== BEGIN) {
			arrow(c, points[i], point);
		}
	});
	for (const [x, y] of points) {
		c.beginPath();
		c.arc(x, y, 3, 0, 2 * Math.PI);
		c.fill();
	}
	c.lineWidth = 1;
}

// ---- The next event of the same object ----

function choosePlace([ns, track, name, offset, trace]) {
	const item = [ns, ns, name, 1, 0, offset, trace];

	bringUp(track);
	if (ns < app.view.from || ns > app.view.to) {
		const half = (app.view.to - app.view.from) / 2;

		show({ from: ns - half, to: ns + half });
	}
	choose({ kind: "event", track, depth: 0, items: [item] }, item);
}

// Looks in ever longer times; the server refuses those that are too long.
export async function stepFlow(by) {
	const { chosen } = app;
	const place = source();
	let wide = app.view.to - app.view.from;

	while (place) {
		const [from, to] = by > 0 ? [place.ns, place.ns + wide] : [place.ns - wide, place.ns];
		const found = await askFlow(place, from, to);

		if (app.chosen !== chosen) {
			return;
		}
		const events = found.events.filter(([ns, , , offset, trace]) => (ns - place.ns) * by > 0 ||
			(ns === place.ns && (trace !== place.trace || (offset - place.offset) * by > 0)));
		const next = by > 0 ? events[0] : events.at(-1);

		if (next) {
			choosePlace(next);
			return;
		}
		if (found.cut || found.objects === 0 || from <= 0 && by < 0 || to >= app.trace.length && by > 0) {
			say(found.objects === 0 ? "this event names no object"
				: `no ${by > 0 ? "later" : "earlier"} event of it${found.cut ? " nearby" : ""}`);
			return;
		}
		wide *= 4;
	}
}

export function beginFlow() {
	drawing.add(draw);
	on("chosen", load);
	on("view", () => app.chosen && load());
}
