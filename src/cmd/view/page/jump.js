// Goes to a time and a thread, and chooses what is drawn there.
import { bringUp, choose } from "./choose.js";
import { app, on, show } from "./view.js";

let sought = null; // what was jumped to, until the tile that has it is there

// The tracks of a thread, and the lanes of its process for a name.
export function tracksOf({ trace, pid, tid, lane }) {
	const found = [];

	app.trace.tracks.forEach((track, index) => {
		const process = app.trace.processes[track.process];
		const isThread = track.lane === null && (tid === undefined || track.tid === tid);

		if ((trace === undefined || process.trace === trace) && (pid === undefined || process.pid === pid) &&
			(lane !== undefined ? track.lane === lane : isThread)) {
			found.push(index);
		}
	});
	return found;
}

function move({ ns, duration }) {
	const { from, to } = app.view;
	const half = (to - from) / 2;

	if (duration > 0) {
		const margin = Math.max(duration * 0.15, 5);

		show({ from: ns - margin, to: ns + duration + margin });
	} else if (ns < from || ns > to) {
		show({ from: ns - half, to: ns + half });
	}
}

function findItem({ ns, kind, name, tracks }) {
	for (const row of app.tile?.rows ?? []) {
		const item = row.kind === kind && tracks.includes(row.track) && row.items.find((i) =>
			i[0] === ns && app.trace.names[i[2]] === name && i[3] <= 1);

		if (item) {
			return { row, item };
		}
	}
	return null;
}

// The item that a jump has chosen stands for the one of the tile as soon as that is there.
on("tile", () => {
	const found = sought && app.chosen?.item === sought.item ? findItem(sought) : null;

	if (found) {
		sought = null;
		choose(found.row, found.item);
	}
});

// Jumps to { ns, duration, kind, name, tracks }: `kind` is that of a row of a tile; without tracks only
// the time is marked.
export function jump(place) {
	const { ns, duration, kind, name, tracks } = place;
	const index = app.trace.names.indexOf(name);

	app.found = { ns };
	if (tracks.length > 0) {
		bringUp(tracks[0]);
	}
	move(place);
	const known = findItem(place);

	if (known) {
		choose(known.row, known.item);
	} else if (tracks.length > 0 && index > 0) {
		const item = [ns, ns + (duration ?? 0), index, 1, duration ?? 0];

		sought = { ...place, item };
		choose({ kind, track: tracks[0], depth: 0, items: [item] }, item);
	}
}
