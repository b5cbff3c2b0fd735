// The panes below the timeline, as tabs: one is open. Keys are in the table of hands.js.
import { app, on } from "./view.js";

const tabs = [...document.querySelectorAll("#tabs [role=tab]")];
const opened = new Map(); // by name: what to do when a pane is opened

export const paneKeys = tabs.map((tab, i) => [[String(i + 1)], `open ${tab.textContent}`, () => openPane(tab.dataset.pane)]);

// Calls a function whenever the pane is opened.
export function onOpen(name, act) {
	opened.set(name, act);
}

export function isOpen(name) {
	return !document.getElementById(name).hidden;
}

export function openPane(name, isFocused = true) {
	if (tabs.find((tab) => tab.dataset.pane === name).hidden) {
		return;
	}
	for (const tab of tabs) {
		const is = tab.dataset.pane === name;

		tab.setAttribute("aria-selected", String(is));
		tab.tabIndex = is ? 0 : -1;
		document.getElementById(tab.dataset.pane).hidden = !is;
		if (is && isFocused) {
			tab.focus();
		}
	}
	opened.get(name)?.();
}

// Hides the tab of a pane that this server cannot fill.
export function hidePane(name) {
	tabs.find((tab) => tab.dataset.pane === name).hidden = true;
}

function onKey(event) {
	const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
	const shown = tabs.filter((tab) => !tab.hidden);

	if (by) {
		event.stopPropagation();
		openPane(shown.at((shown.indexOf(event.target) + by) % shown.length).dataset.pane);
	}
}

// ---- Height ----

const panes = document.getElementById("panes");
const split = document.getElementById("split");

function setHeight(pixels) {
	panes.style.height = `${Math.round(Math.min(Math.max(pixels, 60), innerHeight * 0.8))}px`;
}

split.addEventListener("pointerdown", (event) => split.setPointerCapture(event.pointerId));
split.addEventListener("pointermove", (event) => {
	if (split.hasPointerCapture(event.pointerId)) {
		setHeight(innerHeight - event.clientY);
	}
});
split.addEventListener("keydown", (event) => {
	const by = { ArrowUp: 40, ArrowDown: -40 }[event.key];

	if (by) {
		event.stopPropagation();
		event.preventDefault();
		setHeight(panes.offsetHeight + by);
	}
});

// ---- The rest ----

for (const tab of tabs) {
	tab.addEventListener("click", () => openPane(tab.dataset.pane));
	tab.addEventListener("keydown", onKey);
}
openPane("details", false);
// What is chosen in a pane leaves it open; a click on the timeline shows its item.
on("chosen", () => {
	if (app.chosen && !panes.contains(document.activeElement)) {
		openPane("details", false);
	}
});
