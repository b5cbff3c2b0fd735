// The start of the page, and the state of the traces, asked again while they are being read.
import { whenVisible } from "/alive.js";
import { ask } from "/api.js";
import { count } from "/format.js";
import { layout } from "/layout.js";
import { goTo } from "/choose.js";
import { onFind } from "/find.js";
import { beginHands } from "/hands.js";
import "/details.js";
import "/sql.js";
import { all, announce, app, canvas, drawing, fail, load, redraw, show } from "/view.js";

const MORE_MS = 400; // between two questions while the traces are being read
const FIRST_MS = 30; // the same, until a thread is known

function showState() {
	const t = app.trace;
	const state = document.getElementById("state");
	const parts = [`${count(t.records)} records`, t.live ? "recording" : t.done ? "" : `reading… ${t.read > 0 ? `${Math.floor(t.read * 100)} %` : ""}`,
		t.lost > 0 ? `${count(t.lost)} events were lost` : "",
		t.problems > 0 ? `${count(t.problems)} problems: ${t.problem}` : ""];

	state.textContent = parts.filter((p) => p).join(" · ");
	state.classList.toggle("bad", t.lost > 0 || t.problems > 0);
	document.getElementById("title").textContent = t.paths.join(", ");
	document.body.classList.toggle("picture", Boolean(t.isPicture));
	document.title = `${t.paths[0].split("/").pop()} · Waymark`;
}

function isWhole() {
	return app.trace && app.view.from <= all().from && app.view.to >= all().to;
}

// The view that the address names, or null.
function viewOfAddress() {
	const [from, to] = location.hash.slice(1).split(",").map(Number);

	return from < to ? { from, to } : null;
}

async function refresh() {
	const trace = await ask("/api/trace").catch(fail);

	if (!trace) {
		return;
	}
	// Asked after the wait, in which the user may have moved.
	const isFirst = !app.trace;
	const follows = isFirst || isWhole();

	app.trace = trace;
	({ boxes: app.boxes, height: app.height } = layout(trace, app.hidden));
	showState();
	announce("trace");
	if (follows) {
		show((isFirst && viewOfAddress()) || all(), false);
	} else {
		load();
	}
	if (!trace.done) {
		setTimeout(() => whenVisible(refresh), trace.tracks.length > 0 ? MORE_MS : FIRST_MS);
	}
}

beginHands();
onFind(goTo);
document.getElementById("where").addEventListener("input", () => {
	app.found = null;
});
addEventListener("hashchange", () => app.trace && show(viewOfAddress() ?? app.view));
new ResizeObserver(() => {
	drawing.fit();
	redraw();
	if (app.trace) {
		load();
	}
}).observe(canvas);
refresh();
