// Fields as curves: one for each process that has the event, with the least and largest value of each column.
import { addPiece, listText, textList, writeAddress } from "./address.js";
import { ask } from "./api.js";
import { LEFT, TOP } from "./draw.js";
import { say } from "./find.js";
import { count, time, withUnit } from "./format.js";
import { topOf } from "./layout.js";
import { addTip } from "./tip.js";
import { addSource, processKey } from "./tracks.js";
import { app, canvas, drawing, loader, on, place, redraw, shownColumns } from "./view.js";

const HEIGHT = 54;
const PAD = 5;
const dialog = document.getElementById("curve");
const input = document.getElementById("field");

let fields = new Map(); // by name: { field, unit, scale, time, wanted }
const curves = new Map(); // by field: the last answer, or null
let isGiven = false; // an address says which there are

// ---- Questions ----

async function loadOne(field) {
	const answer = await ask("/api/curve", { field, ...shownColumns() }).catch((error) => {
		if (error.status !== 400) {
			throw error;
		}
		say(`${field}: ${error.message}`);
	});

	if (!answer || !curves.has(field)) {
		return true;
	}
	const before = curves.get(field)?.rows.length ?? 0;

	answer.rows.forEach((row) => {
		row.step = scaleOf(row);
	});
	curves.set(field, answer);
	if (answer.rows.length !== before) {
		place();
	}
	return answer.done;
}

// Asks for all curves, one at a time.
const load = loader(async () => {
	let isDone = true;

	for (const field of [...curves.keys()]) {
		isDone = await loadOne(field) && isDone;
		redraw();
	}
	return isDone;
});

async function loadFields() {
	const all = await ask("/api/fields").catch(() => []);

	fields = new Map(all.map((field) => [field.field, field]));
	document.getElementById("fields").replaceChildren(...all.map(({ field, unit }) => {
		const option = document.createElement("option");

		option.value = field;
		option.label = unit;
		return option;
	}));
	document.getElementById("curves").disabled = all.length === 0;
	if (!isGiven) {
		all.filter(({ wanted }) => wanted).forEach(({ field }) => add(field));
	}
}

export function add(field) {
	if (!curves.has(field)) {
		curves.set(field, null);
		writeAddress();
		load();
	}
}

function remove(field) {
	curves.delete(field);
	isGiven = true;
	writeAddress();
	place();
}

// ---- Tracks ----

function tracksOf(trace) {
	return [...curves].flatMap(([field, answer]) => (answer?.rows ?? []).map((row) => ({
		key: `${processKey(trace.processes[row.process])}^${field}`, name: field, process: row.process, kind: "curve",
		lane: null, count: row.items.reduce((n, item) => n + item[4], 0), busy: 0, first: row.items[0]?.[0] ?? Infinity,
		height: HEIGHT, field, remove: () => remove(field),
	})));
}

export function rowOf({ field, process }) {
	return curves.get(field)?.rows.find((row) => row.process === process);
}

// The values at the bottom and the top: 0 is at the bottom unless that hides the changes.
function scaleOf(row) {
	let low = row.before ?? Infinity;
	let high = row.before ?? -Infinity;

	for (const [, min, max] of row.items) {
		low = Math.min(low, min);
		high = Math.max(high, max);
	}
	if (low > high) {
		return { low: 0, high: 1 };
	}
	if (low > 0 && low < high * 0.75) {
		low = 0;
	}
	return low === high ? { low: Math.min(0, low), high: Math.max(high, low + 1, 1) } : { low, high };
}

// ---- Drawing ----

function draw(d, { view }, box, scale) {
	const row = rowOf(box.source);
	const c = d.context;
	const top = TOP + topOf(app, box) + PAD;
	const tall = HEIGHT - 2 * PAD - 2;

	if (!row) {
		return;
	}
	const { low, high } = row.step;
	const y = (value) => Math.round(top + tall - (value - low) / (high - low) * tall) + 0.5;
	const colour = d.bars.plain(box.source.field);
	let last = row.before;
	let x = scale.left;

	c.fillStyle = colour;
	c.strokeStyle = colour;
	c.beginPath();
	const lineTo = (right) => {
		if (last !== null) {
			const zero = y(Math.max(low, Math.min(high, 0)));

			c.globalAlpha = 0.25;
			c.fillRect(Math.floor(x), Math.min(zero, y(last)), Math.floor(right) - Math.floor(x), Math.abs(zero - y(last)));
			c.globalAlpha = 1;
			c.moveTo(x, y(last));
			c.lineTo(right, y(last));
		}
	};

	for (const [ns, min, max, own, n] of row.items) {
		const at = Math.round(scale.x(ns)) + 0.5;

		lineTo(Math.max(x, at));
		const ends = [y(own), y(last ?? own), ...n > 1 ? [y(min), y(max)] : []];

		c.moveTo(at, Math.min(...ends));
		c.lineTo(at, Math.max(...ends) + 0.5);
		last = own;
		x = at;
	}
	lineTo(Math.min(scale.right, scale.x(Math.min(view.to, app.trace.length))));
	c.stroke();
	c.fillStyle = d.faint;
	const unit = fields.get(box.source.field) ?? { unit: "", scale: 0 };

	for (const [value, middle] of [[high, top + 4], [low, top + tall - 4]]) {
		const text = withUnit(value, unit);

		c.fillStyle = d.back;
		c.globalAlpha = 0.7;
		c.fillRect(LEFT + 2, middle - 6, d.bars.width(text) + 4, 13);
		c.globalAlpha = 1;
		c.fillStyle = d.faint;
		c.fillText(text, LEFT + 4, middle);
	}
}

function textAt(box, x) {
	const row = box.kind === "curve" ? rowOf(box.source) : null;

	if (!row) {
		return null;
	}
	const unit = fields.get(box.source.field) ?? { unit: "", scale: 0 };
	const ns = drawing.ns(app.view, x);
	const wide = (app.view.to - app.view.from) / (canvas.clientWidth - LEFT);
	const item = row.items.findLast(([at]) => at <= ns + wide);
	const value = item ? item[3] : row.before;
	const lines = [box.source.field, value === null ? "no value yet" : withUnit(value, unit)];

	if (item && item[4] > 1) {
		lines.push(`${withUnit(item[1], unit)} to ${withUnit(item[2], unit)}, ${count(item[4])} values`);
	}
	if (item) {
		lines.push(`since ${time(item[0], wide)}`);
	}
	return lines.join("\n");
}

// ---- All ----

// Asks which field is to be drawn.
export function askCurve() {
	input.value = "";
	dialog.returnValue = "";
	dialog.showModal();
}

addPiece("curve", () => listText(curves.keys()), (text) => {
	isGiven = isGiven || text !== "";
	if (isGiven || app.tile) {
		curves.clear();
		textList(text).forEach((field) => curves.set(field, null));
	}
});

export function beginCurves() {
	let known = -1;

	addSource(tracksOf);
	addTip(textAt);
	drawing.addKind("curve", draw);
	on("trace", () => {
		if (known !== app.trace.names.length) {
			known = app.trace.names.length;
			loadFields();
		}
	});
	on("view", load);
	document.getElementById("curves").addEventListener("click", askCurve);
	dialog.addEventListener("close", () => {
		if (dialog.returnValue === "add" && fields.has(input.value)) {
			isGiven = true;
			add(input.value);
		}
		canvas.focus();
	});
	input.addEventListener("input", () => {
		input.setCustomValidity(fields.has(input.value) ? "" : "no event has such a field with numbers");
	});
}
