// SPDX-License-Identifier: MIT
// The script of a flame graph: a click zooms, a search marks frames. It is inside of the SVG file;
// the frames there are in the order of a walk from parent to child, so those within a frame
// follow it.
"use strict";
(function () {
const WIDTH = 1200, INSET = 3, COLUMN = 7.3, THINNEST = 0.1;
const byId = (id) => document.getElementById(id);
const frames = Array.from(document.querySelectorAll("#frames > .f"), (g) => ({
	g: g,
	rect: g.querySelector("rect"),
	text: g.querySelector("text"),
	name: g.querySelector("title").textContent.split("\n")[0],
	depth: Number(g.dataset.depth),
	start: Number(g.dataset.start),
	total: Number(g.dataset.total)
}));
let zoomed = 0;
let sought = "";

// The index behind the last frame within frame i.
function endOf(i) {
	let end = i + 1;
	while (end < frames.length && frames[end].depth > frames[i].depth) {
		end++;
	}
	return end;
}

function duration(ns) {
	for (const [unit, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "us"]]) {
		if (ns >= unit) {
			const n = Math.floor(ns / (unit / 1000));
			return Math.floor(n / 1000) + "." + String(n % 1000).padStart(3, "0") + " " + name;
		}
	}
	return ns + " ns";
}

// As in the still picture: characters of other scripts may take two columns.
function shorten(name, width) {
	const columns = Math.floor((width - 2 * INSET) / COLUMN);
	let used = 0;
	let end = 0;
	let cut = 0;
	for (const c of name) {
		used += c < "\x7f" ? 1 : 2;
		if (used > columns) {
			return cut ? name.slice(0, cut) + ".." : "";
		}
		end += c.length;
		if (used <= columns - 2) {
			cut = end;
		}
	}
	return name;
}

// The name, and the time where the whole name leaves room for it.
function label(f, width) {
	const both = f.name + " (" + duration(f.total) + ")";
	return shorten(both, width) === both ? both : shorten(f.name, width);
}

function place(f, x, width) {
	const shown = width >= THINNEST;
	f.g.style.display = shown ? "" : "none";
	if (shown) {
		f.rect.setAttribute("x", x.toFixed(3));
		f.rect.setAttribute("width", width.toFixed(3));
		f.text.setAttribute("x", (x + INSET).toFixed(3));
		f.text.textContent = label(f, width);
	}
}

// What the whole width is.
function say(z) {
	const all = frames[0].total;
	const share = (100 * z.total / all).toFixed(2);
	byId("total").textContent = "width: time, " + duration(z.total) +
		(z === frames[0] ? " in all" : " (" + share + " %) of " + duration(all));
}

function zoom(to) {
	const z = frames[to];
	const end = endOf(to);
	let above = z.depth;
	for (let i = frames.length - 1; i >= 0; i--) {
		const f = frames[i];
		const parent = i < to && f.depth < above;
		if (i >= to && i < end) {
			place(f, (f.start - z.start) / z.total * WIDTH, f.total / z.total * WIDTH);
		} else {
			place(f, 0, parent ? WIDTH : 0);
		}
		above = parent ? f.depth : above;
		f.g.classList.toggle("above", parent);
	}
	zoomed = to;
	say(z);
	byId("reset").setAttribute("visibility", to ? "visible" : "hidden");
	search(sought);
}

// How a name is compared with `text`: /x/ is a regular expression, all else stands for itself.
function matcher(text) {
	const bare = /^\/(.+)\/$/.exec(text);
	if (bare) {
		const expression = new RegExp(bare[1], "i");
		return (name) => expression.test(name);
	}
	return (name) => name.toLowerCase().includes(text.toLowerCase());
}

// Marks what matches; returns its time within the zoomed frame. A match within another counts once.
function mark(matches) {
	const end = endOf(zoomed);
	const found = { frames: 0, time: 0 };
	let within = Infinity;
	frames.forEach((f, i) => {
		const hit = matches(f.name);
		f.g.classList.toggle("match", hit);
		if (i < zoomed || i >= end) {
			return;
		}
		within = f.depth <= within ? Infinity : within;
		found.frames += hit ? 1 : 0;
		if (hit && within === Infinity) {
			found.time += f.total;
			within = f.depth;
		}
	});
	return found;
}

function search(text) {
	const said = byId("found");
	sought = text;
	if (!text) {
		mark(() => false);
		said.textContent = "";
		return;
	}
	try {
		const found = mark(matcher(text));
		const share = (100 * found.time / frames[zoomed].total).toFixed(2);
		said.textContent = found.frames + " frames match, " + share + " %";
	} catch (error) {
		mark(() => false);
		said.textContent = error.message;
	}
}

function ask() {
	const text = prompt("Search for a text, or a regular expression as /x/:", sought);
	if (text !== null) {
		search(text);
	}
}

document.addEventListener("click", (event) => {
	const g = event.target.closest(".f");
	if (g) {
		zoom(frames.findIndex((f) => f.g === g));
	}
});
document.addEventListener("keydown", (event) => {
	if ((event.ctrlKey || event.metaKey) && event.key === "f" && frames.length) {
		event.preventDefault();
		ask();
	} else if (event.key === "Escape" && frames.length) {
		zoom(0);
	}
});
if (byId("frames").dataset.root === "bottom") {
	scrollTo(0, document.documentElement.scrollHeight);
}
if (frames.length) {
	byId("reset").addEventListener("click", () => zoom(0));
	byId("search").addEventListener("click", ask);
	byId("search").setAttribute("visibility", "visible");
}
})();
