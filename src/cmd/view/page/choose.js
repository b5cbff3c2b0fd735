// Which item is chosen: by the mouse, by its name, or by an expression.
import { addPiece, writeAddress } from "./address.js";
import { rowsOf } from "./bars.js";
import { LEFT, TOP } from "./draw.js";
import { boxAt, SLICE, topOf } from "./layout.js";
import { find, say } from "./find.js";
import { uncover } from "./tracks.js";
import { announce, app, canvas, drawing, on, redraw, reveal, show } from "./view.js";

// The rows of a track at a y of its box: losses are seen everywhere in it.
function rowsAt(box, inside) {
	const depth = Math.floor((inside - box.bar) / SLICE);

	const isHere = (row) => row.kind === "loss" || (inside < box.bar ? row.kind === "event"
		: row.kind !== "event" && row.depth === depth);

	return (box.source.rows?.() ?? rowsOf(app.tile, box.track)).filter(isHere);
}

// The item at a place, with its row; or null. Of a slice that is there and a mark nearby, the slice.
export function itemAt(x, y) {
	const box = boxAt(app, y - TOP);
	const near = 4 * (app.view.to - app.view.from) / (canvas.clientWidth - LEFT);
	const ns = drawing.ns(app.view, x);

	if (!box?.source || x < LEFT) {
		return null;
	}
	for (const far of [0, near]) {
		for (const row of rowsAt(box, y - TOP - topOf(app, box)).reverse()) {
			const reach = row.kind === "step" ? near : far;
			const item = row.items.find((i) => ns >= i[0] - reach && ns <= (i[1] ?? Infinity) + reach);

			if (item) {
				return { row, item };
			}
		}
	}
	return null;
}

export function choose(row, item) {
	app.chosen = item ? { row, item } : null;
	app.selection = null;
	writeAddress();
	announce("chosen");
	redraw();
}

// Forgets the found event, too.
export function chooseNothing() {
	app.found = null;
	say("");
	choose(null, null);
}

export function chooseAt(x, y) {
	const found = itemAt(x, y);

	choose(found?.row ?? null, found?.item ?? null);
}

// Chooses the next or previous item of the row with the same name.
export function step(by) {
	const items = app.chosen?.row.items ?? [];
	let at = items.indexOf(app.chosen?.item) + by;

	while (items[at] && items[at][2] !== app.chosen.item[2]) {
		at += by;
	}
	if (!items[at]) {
		say(app.chosen ? `no ${by > 0 ? "later" : "earlier"} one in the shown time` : "");
		return;
	}
	choose(app.chosen.row, items[at]);
	const [from, to] = items[at];

	if (from > app.view.to || (to ?? from) < app.view.from) {
		const half = (app.view.to - app.view.from) / 2;

		show({ from: from - half, to: from + half });
	}
}

// Shows a track that is hidden, or out of sight.
export function bringUp(track) {
	if (app.trace.tracks[track]) {
		uncover(app.trace, app.trace.tracks[track]);
	}
	const box = app.boxes.find((b) => b.track === track);

	if (box) {
		reveal(box);
	}
}

// The chosen item is found again in the next tile, so that the way goes on from it in what is shown then.
on("tile", () => {
	const { row: own, item: old } = app.chosen ?? {};
	const row = own && rowsOf(app.tile, own.track).find((r) => r.kind === own.kind && r.depth === own.depth);
	const item = row?.items.find((i) => [0, 2, 3, 5].every((n) => i[n] === old[n]));

	if (item) {
		Object.assign(app.chosen, { row, item });
	}
});

// Goes to the event that the field's expression finds, and chooses it.
export async function goTo(isBack) {
	const found = await find(app.found?.ns ?? (isBack ? app.view.to : app.view.from - 1), isBack);
	const half = (app.view.to - app.view.from) / 2;

	if (!found) {
		return;
	}
	app.found = found;
	bringUp(found.track);
	if (found.ns < app.view.from || found.ns > app.view.to) {
		show({ from: found.ns - half, to: found.ns + half });
	}
	const item = [found.ns, found.ns, found.name, 1, 0, found.offset, found.trace];

	choose({ kind: "event", track: found.track, depth: 0, items: [item] }, item);
}

// ---- The address ----

addPiece("item", () => {
	const { row, item } = app.chosen ?? {};

	return row ? [row.kind, row.depth, ...item.map((n) => encodeURIComponent(n ?? ""))].concat(encodeURIComponent(
		app.trace.tracks[row.track]?.key ?? row.track)).join(",") : "";
}, (text) => {
	const [kind, depth, ...parts] = text.split(",");
	const key = decodeURIComponent(parts.pop() ?? "");
	const found = app.trace.tracks.find((t) => t.key === key);
	const track = found?.index ?? (key.includes("*") ? key : null);
	const item = parts.map((n) => (n === "" ? null : Number.isNaN(Number(n)) ? decodeURIComponent(n) : Number(n)));

	app.chosen = track !== null && item.length >= 5 ? { row: { kind, track, depth: Number(depth), items: [item] }, item } : null;
});

// The found event, as a line through all tracks: it may be in an item with others.
drawing.add((d) => {
	if (app.found) {
		d.context.fillStyle = d.chosen;
		d.context.fillRect(d.x(app.view, app.found.ns) - 0.5, 0, 1, d.height);
	}
});
