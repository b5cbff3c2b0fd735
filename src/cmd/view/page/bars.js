// Draws the rows of a tile: slices, marks of events, losses. Items are [begin, end, name, count, covered, offset,
// trace]; an end that is null goes on.
import { SLICE } from "/layout.js";
import { colour } from "/format.js";

const LABEL = 24; // pixels; text in less is not legible
const PALE = 4; // steps of how much of an item is covered
const STRONG = PALE + 1; // for marks, which are thin

// The rows of a tile by track, made once for each tile.
const byTrack = new WeakMap();

export function rowsOf(tile, track) {
	if (!tile) {
		return [];
	}
	if (!byTrack.has(tile)) {
		const rows = new Map();

		for (const row of tile.rows) {
			if (!rows.has(row.track)) {
				rows.set(row.track, []);
			}
			rows.get(row.track).push(row);
		}
		byTrack.set(tile, rows);
	}
	return byTrack.get(tile).get(track) ?? [];
}

// True if the item is the chosen one, which may be of an older tile.
function isChosen(app, row, item) {
	const { row: own, item: chosen } = app.chosen ?? {};

	return chosen !== undefined && own.track === row.track && own.kind === row.kind && own.depth === row.depth &&
		chosen[0] === item[0] && chosen[2] === item[2];
}

// The name of an item: by its number, or a text of its own.
export function nameOf(trace, item) {
	return typeof item[2] === "string" ? item[2] : trace?.names[item[2]] ?? "";
}

export class Bars {
	constructor(context) {
		this.context = context;
		this.colours = [];
		this.texts = new Map();
		this.widths = new Map();
	}

	// Colours by name and paleness; forgotten when the page turns dark or light, or gets more names.
	begin(app, isDark, back, text) {
		if (this.names !== app.trace?.names || this.isDark !== isDark) {
			this.colours = [];
			this.texts.clear();
			this.names = app.trace?.names;
			this.isDark = isDark;
		}
		this.back = back;
		this.text = text;
	}

	colourOf(name, pale = PALE) {
		if (typeof name === "string") {
			return this.colourOfText(name, pale);
		}
		const at = name * (STRONG + 1) + pale;

		if (!this.colours[at]) {
			this.colours[at] = colour(this.names?.[name] ?? "", this.isDark, pale / PALE);
		}
		return this.colours[at];
	}

	colourOfText(text, pale) {
		const key = `${pale}${text}`;

		if (this.texts.size > 20000) {
			this.texts.clear();
		}
		if (!this.texts.has(key)) {
			this.texts.set(key, colour(text, this.isDark, pale / PALE));
		}
		return this.texts.get(key);
	}

	// The strong colour of a text that is no name of the trace.
	plain(text) {
		return colour(text, this.isDark, STRONG);
	}

	// A row of slices. Labels are drawn at last, so that the colour changes less often.
	slices(app, row, top, scale) {
		const c = this.context;
		const labels = [];
		let last = "";

		for (const item of row.items) {
			const left = Math.round(Math.max(scale.left - 2, scale.x(item[0])));
			const end = Math.round(item[1] === null ? scale.right : Math.min(scale.right + 2, scale.x(item[1])));

			if (end < scale.left || left > scale.right) {
				continue;
			}
			const wide = Math.max(1, end - left - (end - left > 3));
			const full = item[3] <= 1 ? 1 : item[4] / (item[1] - item[0]);
			const fill = this.colourOf(item[2], full >= 1 ? PALE : Math.max(1, Math.round(full * PALE)));

			if (fill !== last) {
				c.fillStyle = last = fill;
			}
			c.fillRect(left, top, wide, SLICE - 1);
			if (wide >= LABEL) {
				labels.push([item, left, end]);
			}
			if (app.chosen && isChosen(app, row, item)) {
				this.frame(left, top, Math.max(2, wide), SLICE - 1);
			}
		}
		c.fillStyle = this.text;
		for (const [item, left, end] of labels) {
			const name = nameOf(app.trace, item);

			this.label(item[3] > 1 ? `${name} × ${item[3]}` : name, Math.max(left, scale.left) + 4, top + SLICE / 2,
				Math.min(end, scale.right) - 3);
		}
	}

	frame(left, top, wide, height) {
		const c = this.context;

		c.strokeStyle = this.chosen;
		c.lineWidth = 2;
		c.strokeRect(left, top, wide, height);
		c.lineWidth = 1;
	}

	width(text) {
		if (this.widths.size > 20000) {
			this.widths.clear();
		}
		if (!this.widths.has(text)) {
			this.widths.set(text, this.context.measureText(text).width);
		}
		return this.widths.get(text);
	}

	// The text, or as much of it as fits.
	fit(text, room) {
		const wide = this.width(text);

		if (wide <= room) {
			return text;
		}
		const kept = Math.floor(text.length * (room - 8) / wide);

		return kept > 1 ? `${text.slice(0, kept)}…` : "";
	}

	label(text, left, middle, right) {
		const kept = this.fit(text, right - left);

		if (kept) {
			this.context.fillText(kept, left, middle, Math.max(1, right - left));
		}
	}

	// Events: the more there are in an item, the higher it is. Losses reach over the whole track.
	marks(app, row, { top, height, marks }, scale) {
		const c = this.context;
		const isLoss = row.kind === "loss";
		const room = isLoss ? height - 1 : marks;

		for (const item of row.items) {
			const left = Math.round(scale.x(item[0]));
			const wide = Math.max(2, Math.round(scale.x(item[1])) - left);

			if (left + wide < scale.left || left > scale.right) {
				continue;
			}
			const high = isLoss ? room : room * Math.min(1, 0.4 + Math.log10(item[3] || 1) / 5);

			c.fillStyle = isLoss ? this.loss : this.colourOf(item[2], STRONG);
			c.fillRect(left, top + room - high, wide, high);
			if (app.chosen && isChosen(app, row, item)) {
				this.frame(left - 2, top, Math.max(4, wide + 4), room);
			}
		}
	}
}
