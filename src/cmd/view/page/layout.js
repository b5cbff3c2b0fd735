// Where each track is: rows from top to bottom, in pixels from the top of the first one.
export const SLICE = 18;
export const EVENTS = 12;
export const HEAD = 22;
const GAP = 6;

// Returns the boxes of processes and tracks, and their height together.
export function layout(trace, hidden) {
	const boxes = [];
	let top = 0;

	trace.processes.forEach((process, p) => {
		boxes.push({ kind: "process", process: p, top, height: HEAD });
		top += HEAD;
		for (const lanes of [false, true]) {
			trace.tracks.forEach((track, index) => {
				if (track.process !== p || hidden.has(index) || (track.lane !== null) !== lanes) {
					return;
				}
				const height = EVENTS + Math.max(1, track.depth) * SLICE + GAP;

				boxes.push({ kind: "track", track: index, top, height });
				top += height;
			});
		}
	});
	return { boxes, height: top };
}

export function trackName(trace, index) {
	const track = trace.tracks[index];

	if (track.lane !== null) {
		return track.lane;
	}
	return track.tid ? `thread ${track.tid}` : "all threads";
}

// The box of a place, or undefined.
export function boxAt(boxes, y) {
	return boxes.find((box) => y >= box.top && y < box.top + box.height);
}
