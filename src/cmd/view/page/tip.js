// The tooltip: name, duration and text of what is under the pointer.
import { nameOf } from "./bars.js";
import { LEFT, TOP } from "./draw.js";
import { count, duration } from "./format.js";
import { itemAt } from "./choose.js";
import { boxAt } from "./layout.js";
import { app, canvas } from "./view.js";

const tip = document.getElementById("tip");
const extra = [];

// Adds a function that returns the text for a place of a box, or null.
export function addTip(text) {
	extra.push(text);
}

function itemText({ row, item }) {
	const [begin, end, , n, covered] = item;
	const lines = [row.kind === "loss" ? `${count(n)} events were lost` : nameOf(app.trace, item)];

	if (n > 1 && row.kind !== "loss") {
		lines[0] += ` × ${count(n)}`;
		lines.push(row.kind === "slice" ? `open for ${duration(covered)} of ${duration(end - begin)}` : "");
	} else if (row.kind === "slice") {
		lines.push(end === null ? "goes on" : duration(end - begin));
	}
	return lines.filter((line) => line).join("\n");
}

function textAt(x, y) {
	const box = boxAt(app, y - TOP);

	if (!app.trace || !box || y < TOP) {
		return "";
	}
	if (x < LEFT) {
		return [box.name, ...box.of ? [box.of] : [], ...box.source?.more ?? []].join("\n");
	}
	for (const text of extra) {
		const said = text(box, x, y);

		if (said) {
			return said;
		}
	}
	const found = itemAt(x, y);

	return found ? itemText(found) : "";
}

function hide() {
	tip.hidden = true;
}

function place(event) {
	const text = event.buttons === 0 ? textAt(event.offsetX, event.offsetY) : "";

	tip.hidden = !text;
	tip.textContent = text;
	if (text) {
		const room = canvas.clientWidth - tip.offsetWidth - 4;
		const isLow = event.offsetY + 20 + tip.offsetHeight > canvas.clientHeight;

		tip.style.left = `${Math.max(0, Math.min(event.offsetX + 14, room))}px`;
		tip.style.top = `${isLow ? Math.max(0, event.offsetY - tip.offsetHeight - 8) : event.offsetY + 18}px`;
	}
}

export function beginTip() {
	canvas.addEventListener("pointermove", place);
	canvas.addEventListener("pointerdown", hide);
	canvas.addEventListener("pointerleave", hide);
	canvas.addEventListener("wheel", hide, { passive: true });
}
