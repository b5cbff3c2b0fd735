// What is in the selected time: events, how long things took, and which were slowest.
import { addressOf, ask } from "./api.js";
import { count, duration, many, time } from "./format.js";
import { jump, tracksOf } from "./jump.js";
import { trackName } from "./layout.js";
import { hidePane, isOpen, onOpen, openPane } from "./panes.js";
import { isSaved } from "./saved.js";
import { button, histogram, make, table } from "./table.js";
import { app, on, select, show } from "./view.js";

const place = document.getElementById("selection");
const flame = document.getElementById("flame");
let range = null; // that was selected last
let only = null; // the track of the only thread that counts
let asking = null; // AbortController of the running question
let answered = null; // the range of the answer

// The selected time, or what is shown, as whole numbers; with the only thread.
export function currentRange() {
	const { from, to } = range ?? app.view;
	const begin = Math.max(0, Math.floor(from));

	return { from: begin, to: Math.max(begin + 1, Math.ceil(to)), ...(only === null ? {} : { tracks: only }) };
}

// Makes one thread count, or all.
function limit(track) {
	only = track;
	answered = null;
	openPane(isOpen("flame") ? "flame" : "selection", false);
}

// What to press for another choice of threads.
function threads() {
	const chosen = app.chosen?.row.track;

	if (only !== null) {
		return [` of ${trackName(app.trace, only)}`, button("all threads", () => limit(null))];
	}
	return app.trace.tracks[chosen]?.lane === null
		? [button(`only ${trackName(app.trace, chosen)}`, () => limit(chosen))] : [];
}

function link(text, path, title) {
	const element = make("a", text);

	element.href = addressOf(path, currentRange());
	element.title = title;
	return element;
}

function head(...more) {
	const { from, to } = currentRange();
	const element = make("p", "");
	element.className = "head";
	element.append(make("b", duration(to - from)), ` from ${time(from, (to - from) / 1000)} to ${time(to, (to - from) / 1000)}`, ...more,
		...threads(), button("zoom to it", () => show({ from, to })));
	if (!isSaved) {
		const csv = link("CSV", "/api/csv", "Save the events of this time as a file");

		csv.download = "";
		element.append(csv);
	}
	return element;
}

// ---- Tables ----

function limits(rows) {
	const buckets = rows.flatMap((row) => row.histogram);

	return [Math.min(...buckets.map((b) => b.from_ns)), Math.max(...buckets.map((b) => b.to_ns))];
}

// Names, numbers and histograms of the rows of a report, which have those of `waymark scopes`. `crossing`: of
// each name, how many of them cross an edge of the time.
function lengths(title, names, rows, textsOf, crossing = new Map()) {
	const some = rows.filter((row) => row.count > 0);
	const [first, last] = limits(some);
	const numbers = ["count", ...(crossing.size > 0 ? ["crossing"] : []), "total", "min", "p50", "p99", "max"];
	const columns = [...names.map((name) => [name, false]), ...numbers.map((n) => [n, true]),
		[some.length > 0 ? `${duration(first)} … ${duration(last)}` : "", false]];

	return table(title, columns, some.map((row) => [...textsOf(row), count(row.count),
		...(crossing.size > 0 ? [crossing.has(row.name) ? count(crossing.get(row.name)) : ""] : []),
		...["total_ns", "min_ns", "p50_ns", "p99_ns", "max_ns"].map((key) => duration(row[key])),
		histogram(row.histogram, first, last)]));
}

const LOST = [["begun_twice", "begun twice"], ["end_lost", "with a lost end"], ["begin_lost", "with a lost begin"],
	["events_lost", "during which events were lost"]];

// Says of a report what became no pair.
function unpaired(report, kinds) {
	return kinds.filter(([key]) => report[key] > 0).map(([key, text]) => `${count(report[key])} ${text}`).join(", ");
}

// Says which scopes have an unknown end, and which cross an edge.
function scopesNote({ report, crossing, edges, unknown }) {
	const cross = crossing.reduce((sum, c) => sum + c.count, 0);
	const begin = edges ? "begun before the trace" : "begun before this time";
	const known = { ...report, unfinished: Math.max(0, report.unfinished - unknown) };
	const texts = [cross > 0 ? `${count(cross)} with a part outside of the time, which count with all of their length` : "",
		unpaired(known, [["unfinished", "not ended in the trace"], ["unbegun", begin], ...LOST]),
		unknown > 0 ? `${count(unknown)} whose ends are not known yet` : "",
		edges ? "" : "those that began before this time are not known until the trace was read up to it"];

	return listed("scopes", texts, ", ");
}

// The texts that are not empty, after a title; "" if there are none.
function listed(title, texts, between) {
	const some = texts.filter((text) => text);

	return some.length > 0 ? `${title}: ${some.join(between)}` : "";
}

// Says which pairs cross an edge; where their other event is was not read.
function pairsNote(pairs) {
	const texts = pairs.map(({ from, to, report }) => [`${from} to ${to}`,
		unpaired(report, [["unfinished", "not ended in this time"], ["unbegun", "begun before it"], ...LOST])]);

	return listed("pairs that do not count", texts.map(([pair, left]) => (left ? `${pair} ${left}` : "")), "; ");
}

// The part of a scope that is in the time, if it is not all of it.
function partOf(slice) {
	const { from, to } = currentRange();

	return slice.crossing ? duration(Math.min(slice.ns + slice.duration, to) - Math.max(slice.ns, from)) : "";
}

function slowestSlices(slices) {
	const isCrossing = slices.some((s) => s.crossing);

	return table("Slowest scopes", [["took", true], ...(isCrossing ? [["of it here", true]] : []), ["scope", false], ["on", false],
		["at", true]],
		slices.map((s) => [duration(s.duration), ...(isCrossing ? [partOf(s)] : []), s.name,
			s.track === null ? "" : trackName(app.trace, s.track), time(s.ns, 1)]),
		(i) => () => jump({ ...slices[i], kind: "slice",
			tracks: tracksOf(slices[i].async ? { ...slices[i], lane: slices[i].name } : slices[i]) }));
}

function slowestLives(lives) {
	return table("Slowest lives", [["took", true], ["of", false], ["key", false], ["events", true], ["path", false], ["at", true]],
		lives.map((l) => [duration(l.duration), l.kind, l.key, count(l.count), l.path, time(l.ns, 1)]),
		(i) => () => jump({ ...lives[i], kind: "event", tracks: tracksOf(lives[i]) }));
}

function stack(...tables) {
	return make("div", "", ...tables);
}

function eventsTable(events) {
	return table("Events", [["event", false], ["count", true]], events.map((e) => [e.name, count(e.count)]));
}

// The tables side by side: lengths, the slowest scopes and lives, events.
function tables(answer) {
	const pairs = answer.pairs.flatMap((p) => p.report.latencies.map((row) => ({ ...row, by: p.from_by })));
	const all = [];
	const slowest = [];

	if (answer.report.scopes.some((row) => row.count > 0)) {
		all.push(lengths("How long scopes took", ["scope"], answer.report.scopes, (row) => [row.name],
			new Map(answer.crossing.map((c) => [c.name, c.count]))));
	}
	if (pairs.some((row) => row.count > 0)) {
		all.push(lengths("From one event to another", ["from", "to", "by"], pairs,
			(row) => [row.from, row.to, row.by]));
	}
	if (answer.slices.length > 0) {
		slowest.push(slowestSlices(answer.slices));
	}
	if (answer.lives.length > 0) {
		slowest.push(slowestLives(answer.lives));
	}
	return [stack(...all), ...slowest, stack(eventsTable(answer.events))].filter((s) => s.children.length > 0);
}

function lostNote({ places, events, packets }) {
	const texts = isSaved ? "" : `: ${many(events, "event")}, ${many(packets, "packet")}`;

	return places > 0 ? `events were lost in ${many(places, "place")}${texts}` : "";
}

function notes(answer) {
	const lost = lostNote(answer.lost);
	const more = isSaved ? ["a saved page counts events; waymark view also says how long things took"] : [
		scopesNote(answer), answer.lives_error, ...answer.pairs.map((p) => p.error), pairsNote(answer.pairs),
		answer.names > answer.report.scopes.length ? `${count(answer.names - answer.report.scopes.length)} more names of scopes` : "",
		answer.pairs_left_out > 0 ? `${answer.pairs_left_out} more pairs of events` : "",
		answer.problems > 0 ? `${count(answer.problems)} records could not be read` : ""];

	return [lost, ...more].filter((text) => text).map((text) => {
		const note = make("p", text);

		note.className = text === lost ? "bad" : "note";
		return note;
	});
}

// ---- Asking ----

function fill(answer) {
	const grid = make("div", "");

	grid.className = "tables";
	grid.append(...isSaved ? [eventsTable(answer.events)] : tables(answer));
	place.replaceChildren(head(` · ${many(answer.records, "event")}`), ...notes(answer), grid);
}

async function load() {
	asking?.abort();
	const own = asking = new AbortController();
	const stop = button("stop", () => own.abort());

	place.replaceChildren(head(" · reading… ", stop));
	try {
		const answer = await ask("/api/select", currentRange(), { signal: own.signal });

		if (own === asking) {
			fill(answer);
		}
	} catch (error) {
		if (own === asking) {
			place.replaceChildren(head(own.signal.aborted ? " · stopped" : ` · ${error.message}`, button("again", load)));
		}
	}
}

function offer() {
	if (range === null) {
		place.replaceChildren(make("p", "Drag over a time of the timeline, or "),
			button("select what is shown (E)", selectShown));
	}
}

export function selectShown() {
	select(app.view);
}

// The flame graph of the range, in a frame that can reach nothing of the page.
function showFlame() {
	const frame = document.createElement("iframe");
	const alone = link("in a tab of its own", "/api/flame", "Open the picture alone");

	alone.target = "_blank";
	alone.rel = "noopener";
	frame.setAttribute("sandbox", "allow-scripts allow-modals");
	frame.title = "Flame graph";
	frame.src = alone.href;
	if (flame.dataset.src !== frame.src) {
		flame.dataset.src = frame.src;
		flame.replaceChildren(head(" ", alone), frame);
	}
}

// A question in SQL about the selected time stays where it is.
function selected() {
	range = { ...app.selection };
	if (isOpen("flame")) {
		showFlame();
	} else if (!isOpen("sql") || !/:(from|to)\b/.test(document.getElementById("query").value)) {
		openPane("selection", false);
	}
}

if (isSaved) {
	hidePane("flame");
}
onOpen("selection", () => {
	if (range !== null && answered !== range) {
		answered = range;
		load();
	}
	offer();
});
onOpen("flame", showFlame);
on("selected", selected);
