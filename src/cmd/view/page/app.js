// The start of the page, and the state of the traces, asked again while they are being read.
import { readAddress } from "./address.js";
import { ask, whenVisible } from "./api.js";
import { many } from "./format.js";
import { goTo } from "./choose.js";
import { onFind } from "./find.js";
import { beginHands } from "./hands.js";
import { beginHeads, sayLeft } from "./heads.js";
import { beginTip } from "./tip.js";
import { nameTracks } from "./tracks.js";
import "./details.js";
import "./sql.js";
import { beginCurves } from "./curves.js";
import { beginFlow } from "./flow.js";
import { beginLives } from "./lives.js";
import { beginSched } from "./sched.js";
import { beginHits, countHits } from "./hits.js";
import { beginOverview } from "./overview.js";
import { all, announce, app, canvas, drawing, fail, on, place, redraw, show } from "./view.js";

const MORE_MS = 400; // between two questions while the traces are being read
const FIRST_MS = 30; // the same, until a thread is known

function showState() {
	const t = app.trace;
	const state = document.getElementById("state");
	const title = document.getElementById("title");
	const parts = [many(t.records, "record"), t.live ? "recording" : t.done ? "" : `reading… ${t.read > 0 ? `${Math.floor(t.read * 100)} %` : ""}`,
		t.lost > 0 ? `${many(t.lost, "event")} ${t.lost === 1 ? "was" : "were"} lost` : "",
		t.problems > 0 ? `${many(t.problems, "problem")}: ${t.problem}` : "", app.tile?.far ?? ""];

	state.textContent = state.title = parts.filter((p) => p).join(" · ");
	state.classList.toggle("bad", t.lost > 0 || t.problems > 0 || Boolean(app.tile?.bad));
	sayLeft();
	title.textContent = title.title = t.paths.join(", ");
	document.body.classList.toggle("picture", Boolean(t.isPicture));
	document.title = `${t.paths[0].split("/").pop()} · Waymark`;
}

function isWhole() {
	return app.follows && app.view.from <= all().from && app.view.to >= all().to;
}

// Takes over what the address says; returns its time, or null.
function followAddress() {
	const given = readAddress();

	app.follows = app.follows && !given;
	app.view = given ?? (app.tile ? app.view : all());
	place();
	announce(app.selection ? "selected" : "chosen");
	return given;
}

let next = 0; // timer of the next question

async function refresh() {
	const trace = await ask("/api/trace").catch(fail);

	if (!trace) {
		return;
	}
	// Asked after the wait, in which the user may have moved.
	const isFirst = !app.trace;
	const follows = isFirst || isWhole();

	app.trace = trace;
	nameTracks(trace);
	const given = isFirst ? followAddress() : place();

	showState();
	announce("trace");
	if (isFirst || follows) {
		show(given ?? all(), false);
	}
	if (!trace.done) {
		clearTimeout(next);
		next = setTimeout(() => whenVisible(refresh), trace.tracks.length > 0 ? MORE_MS : FIRST_MS);
	}
}

beginHands();
on("failed", () => whenVisible(refresh));
on("tile", showState);
beginHeads();
beginTip();
beginCurves();
beginLives();
beginSched();
beginFlow();
beginHits();
beginOverview();
onFind((isBack) => {
	countHits();
	goTo(isBack);
});
document.getElementById("where").addEventListener("input", (event) => {
	app.found = null;
	if (!event.target.value.trim()) {
		countHits();
	}
});
addEventListener("hashchange", () => {
	if (app.trace) {
		show(followAddress() ?? app.view);
	}
});
new ResizeObserver(() => {
	drawing.fit();
	redraw();
	if (app.trace) {
		place();
	}
}).observe(canvas);
refresh();
