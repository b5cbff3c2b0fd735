// Where each track is: rows from top to bottom, in pixels. Pinned tracks come first and do not scroll.
import { processKey, processName, shownTracks, tracks } from "./tracks.js";

export const SLICE = 18;
export const EVENTS = 12;
export const HEAD = 22;
const GAP = 6;
const FIXED = 0.6; // of the height, for pinned tracks; more of them scroll

// A lane has no events above its slices; a thread without slices has room for higher marks.
function trackBox(track, top) {
	const bar = track.lane === null ? EVENTS : GAP / 2;
	const inside = track.depth > 0 || track.lane !== null ? bar + Math.max(1, track.depth) * SLICE : SLICE + 2;

	if (track.height) {
		return { kind: track.kind, key: track.key, source: track, name: track.name, top, bar: track.bar ?? 0,
			height: track.height, label: track.bar ? track.bar + SLICE / 2 : track.height / 2 };
	}
	return { kind: "track", key: track.key, source: track, track: track.index, name: track.name, top, bar, height: inside + GAP,
		marks: track.depth > 0 ? EVENTS - 2 : SLICE, label: track.depth > 0 || track.lane !== null ? bar + SLICE / 2 : inside / 2 + 2 };
}

// Returns the boxes of processes and tracks, their height together, and that of those that do not scroll.
export function layout(trace, room) {
	const boxes = [];
	let top = 0;
	let fixed = 0;
	const groups = shownTracks(trace);
	const add = (box) => {
		boxes.push(box);
		top += box.height;
	};

	for (const { process, shown } of groups) {
		for (const track of shown.filter((t) => tracks.pinned.has(t.key))) {
			const box = trackBox(track, top);

			box.of = processName(process);
			box.isPinned = true;
			box.isFixed = top === fixed && top + box.height <= room * FIXED;
			add(box);
			fixed = box.isFixed ? top : fixed;
		}
	}
	for (const { process, index, shown, left } of groups) {
		const isFolded = tracks.folded.has(processKey(process));
		const rest = isFolded ? [] : shown.filter((t) => !tracks.pinned.has(t.key));

		if (shown.length === 0 && tracks.match) {
			continue;
		}
		add({ kind: "process", key: processKey(process), process: index, owner: process, name: processName(process), top,
			height: HEAD,
			isFolded, count: shown.length, left });
		rest.forEach((track) => add(trackBox(track, top)));
	}
	return { boxes, height: top, fixed };
}

export function trackName(trace, index) {
	return trace.tracks[index]?.name ?? String(index).split("*").at(-1);
}

// The y of a box, from the top of the first one as it is seen.
export function topOf(app, box) {
	return box.isFixed ? box.top : box.top - app.scroll;
}

// The box of a place below the top, or undefined.
export function boxAt(app, y) {
	const at = y < app.fixed ? y : y + app.scroll;

	return app.boxes.find((box) => Boolean(box.isFixed) === (y < app.fixed) && at >= box.top && at < box.top + box.height);
}

// The boxes that are seen in a height.
export function visibleBoxes(app, room) {
	return app.boxes.filter((box) => {
		const top = topOf(app, box);

		return top < room && top + box.height > (box.isFixed ? 0 : app.fixed);
	});
}
