// Which item is chosen: by the mouse, by its name, or by an expression.
import { LEFT, TOP } from "/draw.js";
import { boxAt, EVENTS, SLICE } from "/layout.js";
import { find } from "/find.js";
import { announce, app, canvas, drawing, redraw, show } from "/view.js";

function itemsAt(track, y) {
	const box = app.boxes.find((b) => b.track === track);
	const inside = y - box.top;
	const depth = Math.floor((inside - EVENTS) / SLICE);

	return (app.tile?.rows ?? []).filter((r) => r.track === track &&
		(inside < EVENTS ? r.kind !== "slice" : r.kind === "slice" && r.depth === depth));
}

export function choose(row, item) {
	app.chosen = item ? { row, item } : null;
	app.selection = null;
	announce("chosen");
	redraw();
}

export function chooseAt(x, y) {
	const box = boxAt(app.boxes, y - TOP + app.scroll);
	const near = 4 * (app.view.to - app.view.from) / (canvas.clientWidth - LEFT);
	const ns = drawing.ns(app.view, x);

	for (const row of box?.kind === "track" ? itemsAt(box.track, y - TOP + app.scroll) : []) {
		const item = row.items.find((i) => ns >= i[0] - near && ns <= (i[1] ?? Infinity) + near);

		if (item) {
			choose(row, item);
			return;
		}
	}
	choose(null, null);
}

// Chooses the next or previous item of the row with the same name.
export function step(by) {
	const items = app.chosen?.row.items ?? [];
	let at = items.indexOf(app.chosen?.item) + by;

	while (items[at] && items[at][2] !== app.chosen.item[2]) {
		at += by;
	}
	if (!items[at]) {
		return;
	}
	choose(app.chosen.row, items[at]);
	const [from, to] = items[at];

	if (from > app.view.to || (to ?? from) < app.view.from) {
		const half = (app.view.to - app.view.from) / 2;

		show({ from: from - half, to: from + half });
	}
}

// Goes to the event that the field's expression finds, and chooses it.
export async function goTo(isBack) {
	const found = await find(app.found?.ns ?? (isBack ? app.view.to : app.view.from - 1), isBack);
	const half = (app.view.to - app.view.from) / 2;

	if (!found) {
		return;
	}
	app.found = found;
	if (found.ns < app.view.from || found.ns > app.view.to) {
		show({ from: found.ns - half, to: found.ns + half });
	}
	const item = [found.ns, found.ns, found.name, 1, 0, found.offset, found.trace];

	choose({ kind: "event", track: found.track, depth: 0, items: [item] }, item);
}
