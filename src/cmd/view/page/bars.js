// Draws the rows of a tile: slices, marks of events, losses. Items are [begin, end, name, count, covered, offset,
// trace]; an end that is null goes on.
import { SLICE } from "./layout.js";
import { colour, rgb } from "./format.js";

const LABEL = 24; // pixels; text in less is not legible
const PALE = 4; // steps of how much of an item is covered
const STRONG = PALE + 1; // for marks, which are thin

const STRIP_ROWS = 256; // rows that are drawn at once: each image that is made takes a third of a millisecond

// The bytes of #rgb or #rrggbb.
function parseColour(text) {
	const digits = text.trim().slice(1);
	const parts = digits.length === 3 ? [...digits].map((d) => d + d) : digits.match(/../g);

	return parts.map((part) => parseInt(part, 16));
}

// A pixel of an image, whose bytes are red, green, blue and how opaque it is, on this little-endian machine or another.
const isLittle = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

function mix(colourOf, back, share) {
	const [r, g, b] = colourOf.map((part, i) => Math.round(part * share + back[i] * (1 - share)));

	return (isLittle ? 0xff << 24 | b << 16 | g << 8 | r : r << 24 | g << 16 | b << 8 | 0xff) >>> 0;
}

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
		this.pixels = new Map();
		this.textPixels = Array.from({ length: STRONG + 1 }, () => new Map());
		this.rows = [];
		this.frames = [];
		this.labels = [];
		this.late = [];
	}

	// Colours by name and paleness; forgotten when the page turns dark or light, or gets more names.
	begin(app, isDark, back, text) {
		if (this.names !== app.trace?.names || this.isDark !== isDark) {
			this.colours = [];
			this.texts.clear();
			this.pixels.clear();
			this.textPixels.forEach((cache) => cache.clear());
			this.names = app.trace?.names;
			this.isDark = isDark;
		}
		this.text = text;
		if (this.backText !== back) {
			this.backText = back;
			this.backRgb = parseColour(back);
			this.backPixel = mix(this.backRgb, this.backRgb, 1);
			this.pixels.clear();
			this.textPixels.forEach((cache) => cache.clear());
		}
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

	// A colour as a pixel, mixed with the background.
	pixelOf(name, pale) {
		const key = typeof name === "string" ? name : name * (STRONG + 1) + pale;
		const cache = typeof name === "string" ? this.textPixels[pale] : this.pixels;

		if (cache.size > 20000) {
			cache.clear();
		}
		let pixel = cache.get(key);

		if (pixel === undefined) {
			const text = typeof name === "string" ? name : this.names?.[name] ?? "";

			pixel = mix(rgb(text, this.isDark, 1), this.backRgb, pale / PALE);
			cache.set(key, pixel);
		}
		return pixel;
	}

	// A row of slices: a line of pixels, which flush() stretches to the height of the row. 100 000 rectangles take the
	// rasteriser ten times as long, see docs/why/025-canvas.md. Labels are drawn at last.
	slices(app, row, top, scale) {
		const at = this.rows.length;
		const wide = this.strip.canvas.width;
		const line = this.pixelsOfStrip.subarray(at * wide, (at + 1) * wide);
		const { ratio } = scale;
		const [from, by] = scale.line;

		line.fill(this.backPixel);
		this.rows.push(top);
		for (const item of row.items) {
			const first = Math.max(0, Math.round((item[0] - from) * by));
			const left = item[0] <= scale.to ? Math.min(first, wide - 1) : first; // the last moment has a pixel, too
			const end = item[1] === null ? wide : Math.min(wide, Math.round((item[1] - from) * by));

			if (end < 0 || left > wide || (item[1] !== null && item[1] < from)) {
				continue;
			}
			const full = item[3] <= 1 ? 1 : item[4] / (item[1] - item[0]);
			const right = Math.max(left + 1, end - (end - left > 3 * ratio ? Math.round(ratio) : 0));

			line.fill(this.pixelOf(item[2], full >= 1 ? PALE : Math.max(1, Math.round(full * PALE))), left, right);
			if (right - left >= LABEL * ratio) {
				this.labels.push([item, scale.left + left / ratio, scale.left + right / ratio, top]);
			}
			if (app.chosen && isChosen(app, row, item)) {
				this.frames.push([scale.left + left / ratio, top, Math.max(2, (right - left) / ratio), SLICE - 1]);
			}
		}
		if (this.rows.length === STRIP_ROWS) {
			this.flush(app, scale);
		}
	}

	// Draws the rows of slices() since the last time.
	flush(app, scale) {
		const c = this.context;
		const wide = this.strip.canvas.width;
		const count = this.rows.length;

		if (count > 0) {
			this.strip.putImageData(this.image, 0, 0, 0, 0, wide, count);
			c.imageSmoothingEnabled = false;
			this.rows.forEach((top, i) => {
				c.drawImage(this.strip.canvas, 0, i, wide, 1, scale.left, top, wide / scale.ratio, SLICE - 1);
			});
		}
		this.frames.forEach((frame) => this.frame(...frame));
		c.fillStyle = this.text;
		for (const [item, left, right, top] of this.labels) {
			const name = nameOf(app.trace, item);

			this.label(item[3] > 1 ? `${name} × ${item[3]}` : name, left + 4, top + SLICE / 2, right - 2);
		}
		this.late.forEach((act) => act());
		this.rows.length = this.frames.length = this.labels.length = this.late.length = 0;
	}

	// Draws something above the slices, after the next flush().
	later(act) {
		this.late.push(act);
	}

	// Makes the lines as wide as the tracks, in the canvas's own pixels.
	fitStrip(wide) {
		const canvas = document.createElement("canvas");

		canvas.width = Math.max(1, Math.round(wide));
		canvas.height = STRIP_ROWS;
		this.strip = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
		this.image = this.strip.createImageData(canvas.width, STRIP_ROWS);
		this.pixelsOfStrip = new Uint32Array(this.image.data.buffer);
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
			const begin = Math.round(scale.x(item[0]));
			const wide = Math.max(2, Math.round(scale.x(item[1])) - begin);
			const left = item[0] <= scale.to ? Math.min(begin, scale.right - 2) : begin; // as that of a slice

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
