// Which tracks are shown, and in which order: collapsed processes, hidden and pinned tracks, the order, a filter.
// Tracks are named by what they are, not by number, so that a link still fits when the trace is read again.
import { addPiece, listText, textList, writeAddress } from "./address.js";

export const ORDERS = [["", "as recorded"], ["name", "by name"], ["events", "most events first"],
	["busy", "busiest first"], ["first", "first event first"]];

export const tracks = { folded: new Set(), hidden: new Set(), pinned: new Set(), order: "", match: "", cursor: null };

let changed = () => {};

// Calls a function after each change.
export function onTracks(act) {
	changed = act;
}

function change() {
	writeAddress();
	changed();
}

// ---- Names ----

export function processKey(process) {
	return `${process.trace}.${process.pid}`;
}

export function processName(process) {
	return `${process.name} ${process.pid}`.trim();
}

// Gives each track its key and name. Lanes of a name are numbered.
export function nameTracks(trace) {
	const lanes = new Map();

	trace.tracks.forEach((track, index) => {
		const process = processKey(trace.processes[track.process]);

		track.index = index;
		if (track.lane === null) {
			track.key = `${process}.${track.tid}`;
			track.name = track.tid ? `thread ${track.tid}` : "all threads";
			return;
		}
		const lane = `${process}~${track.lane}`;
		const number = (lanes.get(lane) ?? 0) + 1;

		lanes.set(lane, number);
		track.key = `${lane}~${number}`;
		track.name = number > 1 ? `${track.lane} #${number}${track.more ? " and more" : ""}` : track.lane;
	});
}

// Other parts of the page add tracks: { key, name, process, kind, lane, count, busy, first, height }.
const sources = [];

export function addSource(tracksOf) {
	sources.push(tracksOf);
}

// ---- Order ----

const compare = {
	"": () => 0,
	name: (a, b) => a.name.localeCompare(b.name, "en", { numeric: true }),
	events: (a, b) => b.count - a.count,
	busy: (a, b) => b.busy - a.busy,
	first: (a, b) => a.first - b.first,
};

// Curves are first, lanes last.
function rank(track) {
	return track.kind === "curve" ? 0 : 1 + (track.lane !== null);
}

// A process as what its tracks have together.
function together(process, own) {
	return { name: processName(process), count: own.reduce((n, t) => n + t.count, 0),
		busy: own.reduce((n, t) => n + t.busy, 0), first: Math.min(...own.map((t) => t.first)) };
}

function isMatch(process, track) {
	const text = `${processName(process)} ${track.name}`.toLowerCase();

	return tracks.match.toLowerCase().split(" ").every((word) => text.includes(word));
}

// A saved page may have only some tracks: those of these names.
function isKept(only, process, track) {
	return !only || [process.name, processName(process), track.lane || track.name].some((name) => only.has(name));
}

function allTracks(trace) {
	return [...sources.flatMap((tracksOf) => tracksOf(trace)), ...trace.tracks];
}

// The processes in their order, each with the tracks that are shown and the number of those that are not.
export function shownTracks(trace) {
	const order = compare[tracks.order] ?? compare[""];
	const groups = trace.processes.map((process, index) => ({ process, index, tracks: [] }));

	for (const track of allTracks(trace).filter((t) => isKept(trace.only, t.owner ?? trace.processes[t.process], t))) {
		const { owner } = track; // what has tracks and is no process of the traces

		if (owner && groups[0]?.process !== owner) {
			groups.unshift({ process: owner, index: null, tracks: [] });
		}
		(owner ? groups[0] : groups.find((group) => group.index === track.process)).tracks.push(track);
	}
	return groups.filter((group) => group.tracks.length > 0).map((group) => {
		const shown = group.tracks.filter((t) => !tracks.hidden.has(t.key) && isMatch(group.process, t));

		shown.sort((a, b) => rank(a) - rank(b) || order(a, b));
		return { ...group, shown, left: group.tracks.length - shown.length, all: together(group.process, group.tracks) };
	}).sort((a, b) => order(a.all, b.all));
}

// ---- Changes ----

function toggle(set, key) {
	if (!set.delete(key)) {
		set.add(key);
	}
	change();
}

export function fold(process) {
	toggle(tracks.folded, processKey(process));
}

export function pin(track) {
	toggle(tracks.pinned, track.key);
}

export function hide(track) {
	tracks.hidden.add(track.key);
	tracks.pinned.delete(track.key);
	change();
}

export function hideOthers(trace, track) {
	tracks.hidden = new Set(allTracks(trace).filter((t) => t.key !== track.key).map((t) => t.key));
	change();
}

export function showHidden() {
	tracks.hidden.clear();
	change();
}

// Shows a track by whatever hides it.
export function uncover(trace, track) {
	const process = trace.processes[track.process];
	const isHidden = tracks.hidden.delete(track.key);
	const isFolded = !tracks.pinned.has(track.key) && tracks.folded.delete(processKey(process));
	const isLeft = !isMatch(process, track);

	if (isLeft) {
		tracks.match = "";
	}
	if (isHidden || isFolded || isLeft) {
		change();
	}
}

export function sortBy(order) {
	tracks.order = order;
	change();
}

export function nextOrder() {
	const at = ORDERS.findIndex(([order]) => order === tracks.order);

	sortBy(ORDERS[(at + 1) % ORDERS.length][0]);
}

export function matchNames(text) {
	tracks.match = text.trim();
	change();
}

// ---- The address ----

for (const [name, set] of [["fold", "folded"], ["hide", "hidden"], ["pin", "pinned"]]) {
	addPiece(name, () => listText(tracks[set]), (text) => {
		tracks[set] = new Set(textList(text));
	});
}
addPiece("sort", () => tracks.order, (text) => {
	tracks.order = text in compare ? text : "";
});
addPiece("match", () => encodeURIComponent(tracks.match), (text) => {
	tracks.match = decodeURIComponent(text);
});
