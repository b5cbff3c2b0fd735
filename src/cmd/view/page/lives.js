// The lives of objects, by their declared keys: a group of lanes for each kind of a process, with the events of a life
// as marks in it.
import { ask } from "./api.js";
import { TOP } from "./draw.js";
import { count, duration } from "./format.js";
import { SLICE, topOf } from "./layout.js";
import { addSource, processKey } from "./tracks.js";
import { app, drawing, loader, on, place, redraw, shownColumns } from "./view.js";

const PAD = 4;

let answer = { done: false, groups: [] };
let rows = new Map(); // of the groups, by key

const keyOf = (group) => `${processKey(app.trace.processes[group.process])}*${group.name}`;

// The rows of a group, as those of a tile, with the names of their items as texts.
function toRows(given) {
	const all = new Map(given.groups.map((group) => [keyOf(group), []]));
	const keys = [...all.keys()];
	const steps = new Map();

	for (const row of given.tile.rows) {
		const { name } = given.groups[row.track];

		all.get(keys[row.track]).push({ ...row, track: keys[row.track],
			items: row.items.map((item) => item.toSpliced(2, 1, `${name} ${given.names[item[2]]}`)) });
	}
	for (const [group, depth, ns, name, offset, trace] of given.steps) {
		const at = `${group} ${depth}`;

		if (!steps.has(at)) {
			steps.set(at, { track: keys[group], kind: "step", depth, items: [] });
			all.get(keys[group]).push(steps.get(at));
		}
		steps.get(at).items.push([ns, ns, name, 1, 0, offset, trace]);
	}
	return all;
}

const load = loader(async () => {
	if (answer.done && answer.groups.length === 0 && app.trace.done) {
		return true;
	}
	const given = await ask("/api/lives", shownColumns());
	const isSame = JSON.stringify(given.groups) === JSON.stringify(answer.groups);

	answer = given;
	rows = given.tile ? toRows(given) : new Map();
	if (!isSame) {
		place();
	}
	redraw();
	return answer.done;
});

function tracksOf() {
	return answer.groups.map((group) => {
		const key = keyOf(group);

		return { key, name: group.name, process: group.process, kind: "lives", lane: "", count: group.count, busy: 0,
			first: 0, bar: PAD, height: 2 * PAD + group.lanes * SLICE, left: group.left,
			rows: () => rows.get(key) ?? [],
			more: [`${count(group.count)} lives`, ...group.left > 0
				? [`${count(group.left)} below ${duration(answer.shortest)} left out`] : []] };
	});
}

// The events of lives, as marks in them.
function drawSteps(d, view, box, { top, scale }) {
	d.context.fillStyle = d.text;
	for (const row of box.source.rows()) {
		for (const item of row.kind === "step" ? row.items : []) {
			if (item[0] >= view.from && item[0] <= view.to) {
				d.context.fillRect(Math.round(scale.x(item[0])), top + row.depth * SLICE + SLICE - 6, 2, 5);
			}
		}
	}
}

// Says that there are more lives than are kept.
function drawLeft(d, box) {
	const { left } = box.source;
	const c = d.context;

	if (left > 0) {
		const text = `${count(left)} lives below ${duration(answer.shortest)} are left out`;
		const at = d.width - d.bars.width(text) - 8;

		c.fillStyle = d.back;
		c.fillRect(at - 4, TOP + topOf(app, box) + 2, d.width - at, 16);
		c.fillStyle = d.loss;
		c.fillText(text, at, TOP + topOf(app, box) + 10);
	}
}

function draw(d, { view }, box, scale) {
	const top = TOP + topOf(app, box) + box.bar;

	for (const row of box.source.rows()) {
		if (row.kind === "slice") {
			d.bars.slices(app, row, top + row.depth * SLICE, scale);
		}
	}
	d.bars.later(() => {
		drawSteps(d, view, box, { top, scale });
		drawLeft(d, box);
	});
}

export function beginLives() {
	addSource(tracksOf);
	drawing.addKind("lives", draw);
	on("view", load);
}
