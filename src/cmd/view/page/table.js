// Tables and small pictures of numbers, made of elements: texts of a trace become text nodes only.
import { count, duration } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const BAR = 7;
const HIGH = 20;
const TEXT_MAX = 300; // characters of a cell: a longer one hides the others

export function make(name, text, ...more) {
	const element = document.createElement(name);

	element.textContent = text ?? "";
	element.append(...more);
	return element;
}

export function button(text, act) {
	const element = make("button", text);

	element.addEventListener("click", act);
	return element;
}

// Makes a row act on a click or Enter.
function makeActive(row, act) {
	row.tabIndex = 0;
	row.className = "jump";
	row.addEventListener("click", act);
	row.addEventListener("keydown", (event) => {
		if (event.key === "Enter") {
			event.stopPropagation();
			act();
		} else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			event.stopPropagation();
			event.preventDefault();
			(event.key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling)?.focus();
		}
	});
}

// Shows the begin of a long text, and the rest under the pointer.
function cut(text) {
	const element = make("span", `${text.slice(0, TEXT_MAX)}…`);

	element.title = text;
	return element;
}

// A table. Columns are [title, isNumber]; a cell is a text or an element. `act` gets a row's index; it is
// null for rows that lead nowhere.
export function table(title, columns, rows, act = () => null) {
	const element = document.createElement("table");
	const head = element.createTHead().insertRow();
	const body = element.createTBody();

	element.createCaption().textContent = title;
	for (const [name, isNumber] of columns) {
		head.append(make("th", name));
		head.lastChild.className = isNumber ? "number" : "";
	}
	rows.forEach((cells, index) => {
		const row = body.insertRow();
		const go = act(index);

		cells.forEach((cell, i) => {
			const place = row.insertCell();

			place.append(typeof cell === "string" && cell.length > TEXT_MAX ? cut(cell) : cell ?? "");
			place.className = columns[i][1] ? "number" : "";
		});
		if (go) {
			makeActive(row, go);
		}
	});
	return element;
}

function rect(x, height, text) {
	const bar = document.createElementNS(SVG, "rect");
	const title = document.createElementNS(SVG, "title");

	for (const [name, value] of Object.entries({ x, y: HIGH - height, width: BAR - 1, height })) {
		bar.setAttribute(name, value);
	}
	title.textContent = text;
	bar.append(title);
	return bar;
}

// A histogram of buckets that are twice as wide as the one before: `first` and `last` are the limits of all
// histograms beside it, so that bars of one place mean the same time.
export function histogram(buckets, first, last) {
	const picture = document.createElementNS(SVG, "svg");
	const most = Math.max(...buckets.map((b) => b.count));
	const place = (ns) => Math.round(Math.log2(Math.max(ns, 0.5)));

	picture.setAttribute("width", (place(last) - place(first)) * BAR);
	picture.setAttribute("height", HIGH);
	picture.setAttribute("role", "img");
	picture.setAttribute("aria-label", "how many took how long");
	for (const bucket of buckets.filter((b) => b.count > 0)) {
		picture.append(rect((place(bucket.from_ns) - place(first)) * BAR,
			Math.max(1, bucket.count / most * HIGH),
			`${duration(bucket.from_ns)} to ${duration(bucket.to_ns)}: ${count(bucket.count)}`));
	}
	return picture;
}
