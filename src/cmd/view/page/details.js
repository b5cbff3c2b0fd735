// What is known of the chosen item or time. Texts of a trace become text nodes, never markup.
import { ask } from "./api.js";
import { nameOf } from "./bars.js";
import { count, duration, time } from "./format.js";
import { trackName } from "./layout.js";
import { isSaved } from "./saved.js";
import { make } from "./table.js";
import { app, on } from "./view.js";

const place = document.getElementById("details");

function fill(rows) {
	const table = document.createElement("table");

	for (const [name, value] of rows) {
		const row = table.insertRow();

		row.appendChild(document.createElement("th")).textContent = name;
		row.insertCell().textContent = value;
	}
	place.replaceChildren(table);
}

function facts({ row, item }) {
	const [begin, end, , n, covered] = item;
	const rows = [[row.kind === "loss" ? "lost" : "name",
		row.kind === "loss" ? `${count(n)} events` : nameOf(app.trace, item)],
	["where", trackName(app.trace, row.track)], ["begin", time(begin, 1)]];

	if (end === null) {
		rows.push(["end", "not in this time"]);
	} else if (end > begin) {
		rows.push(["duration", duration(end - begin)]);
	}
	if (n > 1 && row.kind !== "loss") {
		rows.push(["count", count(n)], ["open", duration(covered)]);
	}
	return rows;
}

function text(value) {
	return typeof value === "object" ? JSON.stringify(value) : String(value);
}

async function showItem() {
	const { chosen } = app;

	if (!chosen) {
		place.replaceChildren(make("p", "Click a slice or event to see its fields. Drag over a time to see what is in it. " +
			"The wheel zooms, ? lists all keys."));
		place.firstChild.className = "note";
		return;
	}
	const rows = facts(chosen);
	const [begin, , , , , offset, trace] = chosen.item;

	fill(rows);
	if (offset === undefined) {
		return;
	}
	const event = await ask("/api/event", { ns: begin, offset, trace, name: chosen.item[2] }).catch(() => null);

	if (event && app.chosen === chosen) {
		fill([...rows, ...Object.entries(event.args ?? event.fields ?? event).map(([k, v]) => [k, text(v)])]);
	}
}

// What a saved page says of a selection: a server says more, see select.js.
function showSelection() {
	const { from, to } = app.selection;
	const counts = new Map();

	for (const row of app.tile?.rows ?? []) {
		for (const [begin, , name, n] of row.kind === "loss" ? [] : row.items) {
			if (begin >= from && begin <= to && n > 0) {
				const text = app.trace.names[name] ?? "";

				counts.set(text, (counts.get(text) ?? 0) + n);
			}
		}
	}
	const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12);

	fill([["from", time(from, 1)], ["to", time(to, 1)], ["duration", duration(to - from)],
		...most.map(([name, n]) => [name, count(n)])]);
}

on("chosen", showItem);
if (isSaved) {
	on("selected", showSelection);
}
