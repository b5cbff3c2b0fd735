// Draws boxes and a tile on a canvas. Items are [begin, end, name, count, covered, offset, trace]; an
// end that is null goes on.
import { SLICE, EVENTS, HEAD, trackName } from "/layout.js";
import { colour, duration, time } from "/format.js";

export const LEFT = 170;
export const TOP = 26;
const LABEL = 24;

// True if the item is the chosen one, which may be of an older tile.
function isChosen(app, row, item) {
	const { row: own, item: chosen } = app.chosen ?? {};

	return chosen !== undefined && own.track === row.track && own.kind === row.kind && own.depth === row.depth &&
		chosen[0] === item[0] && chosen[2] === item[2];
}

export class Drawing {
	constructor(canvas) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d", { alpha: false });
		this.colours = new Map();
		this.dark = matchMedia("(prefers-color-scheme: dark)");
		this.dark.addEventListener("change", () => this.colours.clear());
	}

	get width() {
		return this.canvas.clientWidth;
	}

	get height() {
		return this.canvas.clientHeight;
	}

	x(view, ns) {
		return LEFT + (ns - view.from) / (view.to - view.from) * (this.width - LEFT);
	}

	ns(view, x) {
		return view.from + (x - LEFT) / (this.width - LEFT) * (view.to - view.from);
	}

	fit() {
		const ratio = devicePixelRatio || 1;

		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
	}

	style(name) {
		return getComputedStyle(document.documentElement).getPropertyValue(name);
	}

	colourOf(name) {
		if (!this.colours.has(name)) {
			this.colours.set(name, colour(name, this.dark.matches));
		}
		return this.colours.get(name);
	}

	draw(app) {
		const c = this.context;

		this.text = this.style("--text");
		this.faint = this.style("--faint");
		this.line = this.style("--line");
		this.loss = this.style("--loss");
		this.chosen = this.style("--chosen");
		c.fillStyle = this.style("--back");
		c.fillRect(0, 0, this.width, this.height);
		c.font = "12px system-ui, sans-serif";
		c.textBaseline = "middle";
		c.save();
		c.beginPath();
		c.rect(LEFT, TOP, this.width - LEFT, this.height - TOP);
		c.clip();
		this.tile(app);
		this.found(app);
		this.selection(app);
		c.restore();
		this.names(app);
		this.scale(app);
	}

	// The scale of times, in steps of 1, 2 or 5.
	scale(app) {
		const c = this.context;
		const most = (app.view.to - app.view.from) / (this.width - LEFT) * 110;
		const power = 10 ** Math.floor(Math.log10(most));
		const step = [1, 2, 5, 10].find((n) => n * power >= most) * power;

		c.fillStyle = this.faint;
		c.strokeStyle = this.line;
		c.beginPath();
		for (let ns = Math.ceil(app.view.from / step) * step; ns <= app.view.to; ns += step) {
			const x = Math.round(this.x(app.view, ns)) + 0.5;

			c.moveTo(x, TOP - 6);
			c.lineTo(x, TOP);
			c.fillText(time(ns, step), x + 3, TOP / 2 - 2);
		}
		c.moveTo(0, TOP + 0.5);
		c.lineTo(this.width, TOP + 0.5);
		c.stroke();
	}

	names(app) {
		const c = this.context;

		c.save();
		c.beginPath();
		c.rect(0, TOP, LEFT, this.height - TOP);
		c.clip();
		for (const box of app.boxes) {
			const y = TOP + box.top - app.scroll;

			if (y > this.height || y + box.height < TOP) {
				continue;
			}
			if (box.kind === "process") {
				const process = app.trace.processes[box.process];

				c.fillStyle = this.text;
				c.fillText(`${process.name} ${process.pid}`, 6, y + HEAD / 2, LEFT - 12);
			} else {
				c.fillStyle = this.faint;
				c.fillText(trackName(app.trace, box.track), 16, y + EVENTS + SLICE / 2, LEFT - 22);
			}
		}
		c.restore();
	}

	// What was not read yet: how many events there may be, paler than all that is known.
	estimates(app, tops) {
		const c = this.context;

		c.fillStyle = this.faint;
		c.globalAlpha = 0.3;
		for (const row of app.tile?.estimates ?? []) {
			const box = tops.get(row.track);
			const top = box && TOP + box.top - app.scroll;

			for (const [begin, end, , n] of box && top < this.height ? row.items : []) {
				const left = this.x(app.view, begin);
				const high = (box.height - 2) * Math.min(1, 0.2 + Math.log10(n) / 8);

				c.fillRect(left, top + box.height - 2 - high, Math.max(1, this.x(app.view, end) - left), high);
			}
		}
		c.globalAlpha = 1;
	}

	tile(app) {
		const tops = new Map(app.boxes.filter((b) => b.kind === "track").map((b) => [b.track, b]));

		this.estimates(app, tops);
		for (const row of app.tile?.rows ?? []) {
			const box = tops.get(row.track);
			const top = box && TOP + box.top - app.scroll;

			if (!box || top > this.height || top + box.height < TOP) {
				continue;
			}
			if (row.kind === "slice") {
				this.slices(app, row, top + EVENTS + row.depth * SLICE);
			} else {
				this.marks(app, row, row.kind === "loss" ? [top, box.height] : [top, EVENTS - 2]);
			}
		}
	}

	slices(app, row, top) {
		const c = this.context;

		for (const item of row.items) {
			const left = this.x(app.view, item[0]);
			const right = Math.max(left + 1, item[1] === null ? this.width : this.x(app.view, item[1]));

			if (right < LEFT || left > this.width) {
				continue;
			}
			const name = app.trace.names[item[2]] ?? "";
			const full = item[3] <= 1 ? 1 : Math.max(0.25, item[4] / (item[1] - item[0]));

			c.globalAlpha = Math.min(1, full);
			c.fillStyle = this.colourOf(name);
			c.fillRect(left, top, Math.max(1, right - left - 0.5), SLICE - 1);
			c.globalAlpha = 1;
			if (isChosen(app, row, item)) {
				c.strokeStyle = this.chosen;
				c.lineWidth = 2;
				c.strokeRect(left, top, right - left, SLICE - 1);
				c.lineWidth = 1;
			}
			this.label(item[3] > 1 ? `${name} × ${item[3]}` : name, left, right, top);
		}
	}

	label(name, left, right, top) {
		const c = this.context;
		const from = Math.max(left, LEFT) + 3;
		const room = Math.min(right, this.width) - from - 3;

		if (room < LABEL) {
			return;
		}
		c.fillStyle = this.text;
		c.save();
		c.beginPath();
		c.rect(from, top, room, SLICE);
		c.clip();
		c.fillText(name, from, top + SLICE / 2);
		c.restore();
	}

	// Events: the more there are in an item, the higher it is. Losses reach over the whole track.
	marks(app, row, [top, height]) {
		const c = this.context;

		for (const item of row.items) {
			const left = this.x(app.view, item[0]);
			const right = this.x(app.view, item[1]);
			const share = row.kind === "loss" ? 1 : Math.min(1, 0.4 + Math.log10(item[3] || 1) / 5);

			c.fillStyle = row.kind === "loss" ? this.loss : this.colourOf(app.trace.names[item[2]] ?? "");
			c.fillRect(left, top + height * (1 - share), Math.max(row.kind === "loss" ? 2 : 1.5, right - left),
				height * share);
			if (isChosen(app, row, item)) {
				c.strokeStyle = this.chosen;
				c.strokeRect(left - 2, top, Math.max(4, right - left + 4), height);
			}
		}
	}

	// The found event, as a line through all tracks: it may be in an item with others.
	found(app) {
		if (app.found) {
			this.context.fillStyle = this.chosen;
			this.context.fillRect(this.x(app.view, app.found.ns) - 0.5, TOP, 1, this.height);
		}
	}

	selection(app) {
		const c = this.context;

		if (!app.selection) {
			return;
		}
		const left = this.x(app.view, app.selection.from);
		const right = this.x(app.view, app.selection.to);

		c.globalAlpha = 0.15;
		c.fillStyle = this.chosen;
		c.fillRect(left, TOP, right - left, this.height - TOP);
		c.globalAlpha = 1;
		c.fillStyle = this.text;
		c.fillText(duration(app.selection.to - app.selection.from), left + 4, TOP + 10);
	}
}
