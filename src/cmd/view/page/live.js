// A running process: the view moves with the end of its trace until the user moves away from it, and
// its events are switched through its monitor.
import { ask, change } from "./api.js";
import { app, on, show } from "./view.js";

const button = document.getElementById("live");
const dialog = document.getElementById("events");
const filter = document.getElementById("events-filter");
const said = document.getElementById("events-said");
let follows = true;
let isOwn = false;

// ---- The view ----

function tell() {
	button.hidden = !app.trace?.live;
	button.textContent = follows ? "pause" : "follow";
	button.title = follows ? "Stay at this time (Space)" : "Move with the process (Space)";
	document.getElementById("switch").hidden = button.hidden;
}

function moveToEnd() {
	const wide = app.view.to - app.view.from;
	const to = app.trace.length;

	if (app.trace.live && follows && app.view.from > 0) {
		isOwn = true;
		show({ from: Math.max(0, to - wide), to }, false);
		isOwn = false;
	}
	tell();
}

export function toggleFollowing() {
	follows = !follows;
	if (follows && app.trace.live && app.view.from <= 0) {
		isOwn = true;
		show({ from: 0, to: app.trace.length }, false);
		isOwn = false;
	}
	moveToEnd();
}

on("trace", moveToEnd);
on("view", () => {
	if (!isOwn && app.trace?.live) {
		follows = app.view.to >= app.trace.length;
		tell();
	}
});
button.addEventListener("click", toggleFollowing);

// ---- Events ----

function report(error) {
	said.textContent = error.message;
}

function row(event) {
	const line = document.createElement("label");
	const box = document.createElement("input");

	box.type = "checkbox";
	box.checked = event.state === "enabled";
	box.disabled = event.state === "unavailable";
	box.addEventListener("change", () => set(event.name, box.checked));
	line.append(box, ` ${event.name}`);
	return line;
}

async function list() {
	const events = await ask("/api/events").catch(report);
	const wanted = filter.value.toLowerCase();

	if (events) {
		said.textContent = `${events.filter((e) => e.state === "enabled").length} of ${events.length} events are on`;
		document.getElementById("events-list").replaceChildren(
			...events.filter((e) => e.name.toLowerCase().includes(wanted)).map(row));
	}
}

async function set(pattern, isOn) {
	const error = await change("/api/switch", { pattern, on: isOn ? 1 : 0 }).then(() => null, (e) => e);

	await list();
	if (error) {
		report(error);
	}
}

const all = () => filter.value ? `*${filter.value}*` : "*";

document.getElementById("switch").addEventListener("click", () => {
	dialog.showModal();
	list();
});
filter.addEventListener("input", list);
document.getElementById("events-on").addEventListener("click", () => set(all(), true));
document.getElementById("events-off").addEventListener("click", () => set(all(), false));
