// Answers of a page that was saved with its data, in place of a server: the items of a time, and a line
// for each event, `TIME TRACE OFFSET NAME TRACK OBJECT`, in the order of time. Both are compressed, in
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

// Joins items that fit into one column, as the server does (timeline/tile.c), which does not know the ends
// after the time.
function joined(items, to, width) {
	const all = [];
	const isOpen = (item) => item[1] === null || item[1] > to;

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

async function tile({ from, to, columns, tracks }) {
	const { near, rows } = (await data).tile;
	const wanted = new Set(String(tracks).split(",").map(Number));
	const shownRows = rows.filter((row) => wanted.has(row.track)).map((row) => (
		{ ...row, items: joined(itemsIn(row, from, to), to, Math.floor((to - from) / columns)) }));

	return { near, rows: shownRows.filter((row) => row.items.length > 0) };
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

	return { ...saved.trace, part: saved.part, isPicture: saved.isPicture };
}

const answers = { "/api/trace": trace, "/api/tile": tile, "/api/event": event, "/api/find": find,
	"/api/hits": hits, "/api/overview": overview };

export async function answerSaved(path, given) {
	const answer = answers[path];

	return answer ? { ok: true, status: 200, body: await answer(given) }
		: { ok: false, status: 404, body: "a saved page does not have this" };
}
