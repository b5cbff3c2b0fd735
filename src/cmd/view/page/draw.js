// Draws the tracks with a tile on a canvas. Other modules add layers above them.
import { Bars, rowsOf } from "./bars.js";
import { HEAD, SLICE, topOf, visibleBoxes } from "./layout.js";
import { duration, many, time } from "./format.js";

export const LEFT = 170;
export const TOP = 26;

const STYLES = ["back", "text", "faint", "line", "loss", "chosen", "band", "hit"];

export class Drawing {
	constructor(canvas) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d", { alpha: false });
		this.bars = new Bars(this.context);
		this.layers = [];
		this.above = [];
		this.kinds = new Map();
		this.dark = matchMedia("(prefers-color-scheme: dark)");
		this.dark.addEventListener("change", () => {
			this.isStyled = false;
		});
		this.fit();
	}

	// Adds a function that draws above the tracks, clipped to their part of the canvas.
	add(layer) {
		this.layers.push(layer);
	}

	// Adds a function that draws boxes of a kind.
	addKind(kind, draw) {
		this.kinds.set(kind, draw);
	}

	// Adds a function that draws at last, anywhere.
	addAbove(layer) {
		this.above.push(layer);
	}

	x(view, ns) {
		return LEFT + (ns - view.from) / (view.to - view.from) * (this.width - LEFT);
	}

	ns(view, x) {
		return view.from + (x - LEFT) / (this.width - LEFT) * (view.to - view.from);
	}

	// The times of a view as pixels.
	scaleOf(view) {
		const wide = (this.width - LEFT) / (view.to - view.from);

		return { to: view.to, left: LEFT, right: this.width, ratio: this.ratio, line: [view.from, wide * this.ratio],
			x: (ns) => LEFT + (ns - view.from) * wide };
	}

	fit() {
		const ratio = devicePixelRatio || 1;

		this.ratio = ratio;
		this.width = this.canvas.clientWidth;
		this.height = this.canvas.clientHeight;
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.context.font = "12px system-ui, sans-serif";
		this.context.textBaseline = "middle";
		this.bars.fitStrip((this.width - LEFT) * ratio);
	}

	style() {
		if (!this.isStyled) {
			const styles = getComputedStyle(document.documentElement);

			STYLES.forEach((name) => {
				this[name] = this.bars[name] = styles.getPropertyValue(`--${name}`);
			});
			this.isStyled = true;
		}
	}

	draw(app) {
		const c = this.context;

		this.style();
		c.fillStyle = this.back;
		c.fillRect(0, 0, this.width, this.height);
		if (!app.trace) {
			return;
		}
		const boxes = visibleBoxes(app, this.height - TOP);
		const isFixed = (box) => box.isFixed;

		this.bars.begin(app, this.dark.matches, this.back, this.text);
		this.part(app, boxes.filter((box) => !isFixed(box)), TOP + app.fixed);
		if (app.fixed > 0) {
			this.part(app, boxes.filter(isFixed), TOP);
			this.rule(TOP + app.fixed, this.faint);
		}
		this.clipped(LEFT, TOP, () => this.layers.forEach((layer) => layer(this, app)));
		this.clipped(LEFT, TOP, () => this.selection(app));
		this.scale(app);
		this.above.forEach((layer) => layer(this, app));
	}

	clipped(left, top, act) {
		const c = this.context;

		c.save();
		c.beginPath();
		c.rect(left, top, this.width - left, this.height - top);
		c.clip();
		act();
		c.restore();
	}

	rule(y, colour) {
		const c = this.context;

		c.strokeStyle = colour;
		c.beginPath();
		c.moveTo(0, y + 0.5);
		c.lineTo(this.width, y + 0.5);
		c.stroke();
	}

	// Boxes below a y: their names on the left, their rows on the right.
	part(app, boxes, top) {
		const scale = this.scaleOf(app.view);

		this.clipped(0, top, () => boxes.forEach((box) => this.head(app, box)));
		this.clipped(LEFT, top, () => {
			for (const box of boxes) {
				const draw = this.kinds.get(box.kind);

				if (box.kind === "track") {
					this.rows(app, box, scale);
				} else if (draw) {
					draw(this, app, box, scale);
				}
			}
			this.bars.flush(app, scale);
		});
	}

	rows(app, box, scale) {
		const place = { top: TOP + topOf(app, box) + 1, height: box.height, marks: box.marks };

		this.estimates(app, box, scale);
		for (const row of rowsOf(app.tile, box.track)) {
			if (row.kind === "slice") {
				this.bars.slices(app, row, place.top - 1 + box.bar + row.depth * SLICE, scale);
			} else {
				this.bars.marks(app, row, place, scale);
			}
		}
		this.kinds.get("state")?.(this, box, scale);
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
			if (x + 3 + this.bars.width(time(ns, step)) <= this.width) {
				c.fillText(time(ns, step), x + 3, TOP / 2 - 2);
			}
		}
		c.moveTo(0, TOP + 0.5);
		c.lineTo(this.width, TOP + 0.5);
		c.stroke();
	}

	// The head of a process or track. What is not shown is said.
	head(app, box) {
		const c = this.context;
		const y = TOP + topOf(app, box);

		if (box.kind === "process") {
			c.fillStyle = this.band;
			c.fillRect(0, y, this.width, HEAD - 1);
			c.fillStyle = this.text;
			c.font = "600 12px system-ui, sans-serif";
			c.fillText(this.bars.fit(`${box.isFolded ? "▸" : "▾"} ${box.name}`, this.width - 260), 6, y + HEAD / 2);
			c.font = "12px system-ui, sans-serif";
			const said = [box.isFolded ? many(box.count, "track") : "", box.left > 0 ? `${box.left} hidden` : ""];

			c.fillStyle = this.faint;
			c.textAlign = "right";
			c.fillText(said.filter((text) => text).join(" · "), this.width - 8, y + HEAD / 2);
			c.textAlign = "left";
		} else {
			this.trackHead(app, box, y);
		}
		if (box.key === app.cursor) {
			c.fillStyle = this.chosen;
			c.fillRect(0, y, 3, box.height - 1);
		}
	}

	// What was not read yet: how many events there may be, paler than all that is known.
	estimates(app, box, scale) {
		const c = this.context;
		const bottom = TOP + topOf(app, box) + box.height - 2;

		c.fillStyle = this.faint;
		c.globalAlpha = 0.3;
		for (const row of app.tile?.estimates ?? []) {
			for (const [begin, end, , n] of row.track === box.track ? row.items : []) {
				const left = scale.x(begin);
				const high = (box.height - 2) * Math.min(1, 0.2 + Math.log10(n) / 8);

				c.fillRect(left, bottom - high, Math.max(1, scale.x(end) - left), high);
			}
		}
		c.globalAlpha = 1;
	}

	trackHead(app, box, y) {
		const c = this.context;
		const middle = y + box.label;

		c.fillStyle = this.text;
		c.fillText(this.bars.fit(box.name, LEFT - 40), 16, middle);
		c.fillStyle = this.faint;
		if (box.isPinned && box.height > 30) {
			c.fillText(this.bars.fit(box.of, LEFT - 40), 16, middle - SLICE + 3);
		}
		c.fillText(box.isPinned ? "★" : app.trace.isPicture ? "" : "⋮", LEFT - 16, middle);
		this.rule(y + box.height - 1, this.band);
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
