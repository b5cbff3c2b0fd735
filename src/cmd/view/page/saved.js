// Answers of a page that was saved with its data, in place of a server: the items of a time, and a line
// for each event, `TIME TRACE OFFSET NAME TRACK FLOWS OBJECT`, in the order of time. FLOWS is `-`, or the part of a
// life and numbers of flows: `1:17:18`. Both are compressed, in
// elements of the page.
import { parseExactly } from "./format.js";

const shown = document.getElementById("saved-shown");
const events = document.getElementById("saved-events");

export const isSaved = shown !== null;

async function unpack(element) {
	const packed = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));

	return new Response(stream).text();
}

const data = isSaved ? unpack(shown).then(JSON.parse) : null;
let lines = null;

function allLines() {
	lines ??= events ? unpack(events).then((text) => text.split("\n").slice(0, -1)) : [];
	return lines;
}

// ---- A tile ----

// The index of the first element for which `test` holds, if it holds for all after one.
function firstOf(all, test) {
	let [low, high] = [0, all.length];

	while (low < high) {
		const middle = (low + high) >> 1;

		[low, high] = test(all[middle]) ? [low, middle] : [middle + 1, high];
	}
	return low;
}

// Joins items that fit into one column, as the server does (timeline/tile.c). Of threads it does not know the ends
// after the time `known`.
function joined(items, known, width) {
	const all = [];
	const isOpen = (item) => item[1] === null || item[1] > known;

	for (const item of items) {
		const last = all.at(-1);

		if (!last || isOpen(item) || isOpen(last) || item[1] - last[0] >= width) {
			all.push(item.slice());
			continue;
		}
		last[2] = last[4] < item[4] ? item[2] : last[2];
		last[1] = Math.max(last[1], item[1]);
		last[3] += item[3];
		last[4] += item[4];
		last.length = 5;
	}
	return all;
}

function itemsIn(row, from, to) {
	const first = firstOf(row.items, (item) => item[1] === null || item[1] >= from);
	const end = firstOf(row.items, (item) => item[0] > to);

	return row.items.slice(first, end).map((item) => item[0] < from ? [...item.slice(0, 3), 0, ...item.slice(4)] : item);
}

// The part of a tile in a time.
function part({ near }, rows, { from, to, columns, known }) {
	const some = rows.map((row) => (
		{ ...row, items: joined(itemsIn(row, from, to), known, Math.floor((to - from) / columns)) }));

	return { near, columns, rows: some.filter((row) => row.items.length > 0), estimates: [] };
}

async function tile({ from, to, columns, tracks }) {
	const saved = (await data).tile;
	const wanted = new Set(String(tracks).split(",").map(Number));

	return part(saved, saved.rows.filter((row) => wanted.has(row.track)), { from, to, columns, known: to });
}

// ---- Events ----

const timeOf = (line) => Number(line.slice(0, line.indexOf(" ")));

function parse(line) {
	const [ns, trace, offset, name, track] = line.split(" ", 5).map(Number);

	return { ns, trace, offset, name, track };
}

const textOf = (line) => line.slice(line.indexOf("{"));

async function event({ ns, trace, offset }) {
	const all = await allLines();

	for (let i = firstOf(all, (line) => timeOf(line) >= ns); i < all.length && timeOf(all[i]) === ns; i++) {
		const found = parse(all[i]);

		if (found.trace === trace && found.offset === offset) {
			return parseExactly(textOf(all[i]));
		}
	}
	return null;
}

// Without the server there are no expressions: events are found by a part of their text.
async function find({ where, ns, back }) {
	const all = await allLines();
	const by = Number(back) ? -1 : 1;
	const sought = where.toLowerCase();
	let at = by < 0 ? firstOf(all, (line) => timeOf(line) >= ns) - 1 : firstOf(all, (line) => timeOf(line) > ns);

	while (all[at] !== undefined && !textOf(all[at]).toLowerCase().includes(sought)) {
		at += by;
	}
	return all[at] === undefined ? null : parse(all[at]);
}

// All that was saved is counted at once.
async function hits({ where, from, to, columns }) {
	const counts = new Map();
	const sought = where.toLowerCase();
	const lines = (await allLines()).filter((line) => timeOf(line) >= from && timeOf(line) <= to &&
		textOf(line).toLowerCase().includes(sought));

	for (const line of lines) {
		const column = Math.min(columns - 1, Math.floor((timeOf(line) - from) * columns / (to - from + 1)));

		counts.set(column, (counts.get(column) ?? 0) + 1);
	}
	return { count: lines.length, next: null, columns: [...counts] };
}

// What is in a time: events by kind, and where some were lost. How long something took needs the server.
async function selected({ from, to, tracks }) {
	const all = await allLines();
	const { trace: { names }, tile: { rows } } = await data;
	const isWanted = (track) => tracks === undefined || track === Number(tracks);
	const counts = new Map();
	let places = 0;

	for (let i = firstOf(all, (line) => timeOf(line) >= from); i < all.length && timeOf(all[i]) <= to; i++) {
		const { name, track } = parse(all[i]);

		if (isWanted(track)) {
			counts.set(names[name], (counts.get(names[name]) ?? 0) + 1);
		}
	}
	for (const row of rows.filter(({ kind, track }) => kind === "loss" && isWanted(track))) {
		places += itemsIn(row, from, to).length;
	}
	const events = [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);

	return { records: events.reduce((sum, e) => sum + e.count, 0), events, lost: { places } };
}

// ---- Curves ----

const values = new Map(); // of a field: in the order of time

// The values of a field, { ns, process, value }, as where_value() of the server makes numbers of them.
async function valuesOf(field) {
	if (!values.has(field)) {
		const { trace: { names, tracks } } = await data;
		const point = field.lastIndexOf(".");
		const [event, name] = [field.slice(0, point), field.slice(point + 1)];
		const found = [];
		const member = `${JSON.stringify(name)}:`; // most lines do not have it, and need not be parsed

		for (const line of (await allLines()).filter((text) => text.includes(member))) {
			const { ns, name: index, track } = parse(line);

			if (names[index] === event) {
				const value = parseExactly(textOf(line)).args?.[name] ?? null;

				if (value !== null) {
					found.push({ ns, process: tracks[track]?.process ?? 0, value: Number(Number(value).toPrecision(15)) });
				}
			}
		}
		values.set(field, found);
	}
	return values.get(field);
}

function addValue(cells, at, { ns, value }) {
	const last = cells.at(-1);

	if (last?.at !== at) {
		cells.push({ at, item: [ns, value, value, value, 1] });
		return;
	}
	const [, min, max, , n] = last.item;

	last.item = [ns, Math.min(min, value), Math.max(max, value), value, n + 1];
}

// Steps are as wide as those of the server: a power of two.
async function curve({ field, from, to, columns }) {
	const { curves, isPicture } = await data;
	const known = curves[field]?.rows ?? [];
	const rows = new Map(known.map(({ process, before }) => [process, { process, before, cells: [] }]));

	if (isPicture) {
		return curves[field] ?? { done: true, near: true, left: 0, rows: [] };
	}
	let step = 1;

	while (Math.floor((to - from) / step) >= columns) {
		step *= 2;
	}
	for (const value of await valuesOf(field)) {
		if (!rows.has(value.process)) {
			rows.set(value.process, { process: value.process, before: null, cells: [] });
		}
		const row = rows.get(value.process);

		if (value.ns < from) {
			row.before = value.value;
		} else if (value.ns <= to) {
			addValue(row.cells, Math.floor((value.ns - from) / step), value);
		}
	}
	return { done: true, near: true, left: 0, rows: [...rows.values()].map(({ process, before, cells }) => (
		{ process, before, items: cells.map(({ item }) => item) })) };
}

// ---- Lives, flows, processors ----

const [NEAR_LIVES, STEPS_MAX, EVENTS_MAX] = [500, 2000, 1000]; // as of the server

async function lives({ from, to, columns }) {
	const { lives: all } = await data;

	if (all.groups.length === 0) {
		return all;
	}
	const count = all.tile.rows.reduce((n, row) => n + itemsIn(row, from, to).length, 0);

	return { ...all, tile: part(all.tile, all.tile.rows, { from, to, columns, known: Infinity }),
		steps: count > NEAR_LIVES ? [] : all.steps.filter(([, , ns]) => ns >= from && ns <= to).slice(0, STEPS_MAX) };
}

async function sched({ from, to, columns }) {
	const { sched: all } = await data;

	return all && { ...all, tile: part(all.tile, all.tile.rows, { from, to, columns, known: Infinity }) };
}

// The part of a life, and the flows, of an event.
function flowsOf(line) {
	const text = line.split(" ", 6)[5];
	const [lifePart, ...flows] = text === "-" ? [] : text.split(":").map(Number);

	return { part: lifePart, flows };
}

async function flow({ ns, trace, offset, from, to }) {
	const all = await allLines();
	const events = [];
	let own = [];

	for (let i = firstOf(all, (line) => timeOf(line) >= ns); i < all.length && timeOf(all[i]) === ns; i++) {
		const found = parse(all[i]);

		if (found.trace === trace && found.offset === offset) {
			own = flowsOf(all[i]).flows;
		}
	}
	for (let i = firstOf(all, (line) => timeOf(line) >= from); own.length > 0 && events.length < EVENTS_MAX &&
		i < all.length && timeOf(all[i]) <= to; i++) {
		const { part: lifePart, flows } = flowsOf(all[i]);

		if (flows.some((id) => own.includes(id))) {
			const found = parse(all[i]);

			events.push([found.ns, found.track, found.name, found.offset, found.trace, lifePart]);
		}
	}
	return { objects: own.length, events, cut: events.length === EVENTS_MAX };
}

async function fields() {
	return (await data).fields;
}

// ---- The traces ----

// That of the whole trace, of which the page may have a part.
async function overview({ columns }) {
	const { overview: known } = await data;
	const share = known.columns.length / columns;

	return {
		columns: Array.from({ length: columns }, (_, i) => known.columns[Math.floor(i * share)]),
		lost: known.lost.map(([column, n]) => [Math.floor(column / share), n]),
	};
}

async function trace() {
	const saved = await data;

	return { ...saved.trace, part: saved.part, isPicture: saved.isPicture, only: saved.only && new Set(saved.only) };
}

const answers = { "/api/trace": trace, "/api/tile": tile, "/api/event": event, "/api/find": find,
	"/api/hits": hits, "/api/overview": overview, "/api/curve": curve, "/api/fields": fields, "/api/lives": lives,
	"/api/flow": flow, "/api/sched": sched, "/api/select": selected };

export async function answerSaved(path, given) {
	const answer = answers[path];

	return answer ? { ok: true, status: 200, body: await answer(given) }
		: { ok: false, status: 404, body: "a saved page does not have this" };
}
