// Which threads ran when, by the kernel's trace: a track for each processor, and a thin line above the slices of each
// thread that says if it runs, could run, or waits.
import { ask } from "./api.js";
import { TOP } from "./draw.js";
import { say } from "./find.js";
import { duration } from "./format.js";
import { SLICE, topOf } from "./layout.js";
import { addTip } from "./tip.js";
import { addSource } from "./tracks.js";
import { app, drawing, loader, on, place, redraw, shownColumns } from "./view.js";

const PAD = 3;
const LINE = 3; // pixels of a thread's state
const STATES = ["", "running", "runnable", "waiting"];
const COLOURS = ["", "--running", "--runnable", "--waiting"];
const OWNER = { trace: "kernel", pid: "", name: "kernel" };

let hasCapture = true; // until the server says that there is none
let cpus = []; // numbers, in order
let rows = new Map(); // of a processor, by its number
let states = new Map(); // items of a thread, by its number
let host = ""; // whose threads these are; "": there is only one

function processOf(track) {
	return app.trace.processes[track.process];
}

// True if the track is of a thread of the capture's host: others may have threads of the same numbers.
function isOwn(track) {
	return track.lane === null && (host === "" || processOf(track)?.host === host);
}

// The number of a thread and the name of its process; a capture does not know it.
function threadName(tid) {
	const track = app.trace.tracks.find((t) => t.tid === tid && isOwn(t) && processOf(t).pid > 0);

	return track ? `${tid} ${processOf(track).name}` : `${tid}`;
}

function take(answer) {
	const before = cpus.join();
	const own = Object.values(answer.rows).filter(([isCpu]) => isCpu).map(([, id]) => id);

	cpus = own.sort((a, b) => a - b);
	rows = new Map();
	states = new Map();
	host = answer.host;
	for (const row of answer.tile.rows) {
		const [isCpu, id] = answer.rows[row.track];

		if (isCpu) {
			rows.set(id, [{ ...row, track: `kernel*CPU ${id}`, items: row.items.map((item) =>
				item.toSpliced(2, 1, threadName(item[2]))) }]);
		} else {
			states.set(id, row.items);
		}
	}
	if (answer.problem) {
		say(`kernel's trace: ${answer.problem}`);
	}
	if (cpus.join() !== before) {
		place();
	}
	redraw();
}

const load = loader(async () => {
	const answer = hasCapture ? await ask("/api/sched", shownColumns()) : null;

	hasCapture = answer !== null;
	if (hasCapture) {
		take(answer);
	}
	return !hasCapture || answer.done;
});

// ---- Tracks ----

function tracksOf() {
	return cpus.map((cpu) => ({ key: `kernel*CPU ${cpu}`, name: `CPU ${cpu}`, owner: OWNER, kind: "cpu", lane: null,
		count: 0, busy: 0, first: 0, bar: PAD, height: SLICE + 2 * PAD, rows: () => rows.get(cpu) ?? [] }));
}

function draw(d, { view }, box, scale) {
	for (const row of box.source.rows()) {
		d.bars.slices(app, row, TOP + topOf(app, box) + box.bar, scale);
	}
}

// The states of a track's thread; undefined: not known.
export function statesOf(track) {
	return isOwn(track) ? states.get(track.tid) : undefined;
}

function drawState(d, box, scale) {
	const items = statesOf(box.source);
	const styles = items && getComputedStyle(document.documentElement);

	for (const [begin, end, state] of items ?? []) {
		const left = Math.max(scale.left, Math.round(scale.x(begin)));
		const right = end === null ? scale.right : Math.min(scale.right, Math.round(scale.x(end)));

		if (right >= scale.left && left <= scale.right) {
			d.context.fillStyle = styles.getPropertyValue(COLOURS[state]);
			d.context.fillRect(left, TOP + topOf(app, box) + box.height - LINE - 1, Math.max(1, right - left), LINE);
		}
	}
}

function textAt(box, x, y) {
	const inside = y - TOP - topOf(app, box);
	const items = box.kind === "track" && inside >= box.height - 2 * LINE ? statesOf(box.source) : null;
	const ns = drawing.ns(app.view, x);
	const item = items?.find(([begin, end]) => ns >= begin && ns <= (end ?? Infinity));

	return item ? `${box.name}: ${STATES[item[2]]}\n${item[1] === null ? "" : duration(item[1] - item[0])}` : null;
}

export function beginSched() {
	addSource(tracksOf);
	addTip(textAt);
	drawing.addKind("cpu", draw);
	drawing.addKind("state", drawState);
	on("view", load);
}
