// Questions in SQL. A row with a time leads to its place.
import { ask, question } from "./api.js";
import { count } from "./format.js";
import { jump, tracksOf } from "./jump.js";
import { onOpen, hidePane } from "./panes.js";
import { isSaved } from "./saved.js";
import { currentRange } from "./select.js";
import { button, make, table } from "./table.js";
import { app, on } from "./view.js";

const place = document.getElementById("sql");
const text = document.getElementById("query");
const said = document.getElementById("said");
const rows = document.getElementById("rows");
const ready = document.getElementById("ready");
const run = document.getElementById("run");
let asking = null; // AbortController of the running question

function say(words, isBad = false) {
	said.textContent = words;
	said.classList.toggle("bad", isBad);
}

// ---- Places ----

// The values of a row by the names of its columns.
function valuesOf(answer, row) {
	return Object.fromEntries(answer.columns.map((column, i) => [column.name, row[i]]));
}

// A row's place: null without a time. Times are exact, and may be larger than JavaScript's numbers.
function placeOf(answer, row) {
	const values = valuesOf(answer, row);
	const column = answer.columns.find((c) => c.name === "time");

	if (column?.type !== "integer" || values.time === null) {
		return null;
	}
	const thread = { tid: values.tid ?? undefined, pid: values.pid ?? undefined,
		trace: values.trace === undefined ? undefined : app.trace.paths.indexOf(values.trace) };
	const isScope = values.name !== undefined && typeof values.duration === "number";
	const lanes = isScope ? tracksOf({ ...thread, lane: values.name }) : [];

	return { ns: Number(BigInt(values.time) - BigInt(app.trace.first)), kind: isScope ? "slice" : "event",
		duration: typeof values.duration === "number" ? values.duration : 0,
		name: values.name ?? values.event ?? values.first,
		tracks: thread.tid === undefined ? [] : [...tracksOf(thread), ...lanes] };
}

// ---- Answers ----

function showRows(answer) {
	const columns = answer.columns.map((c) => [c.name, c.type === "integer" || c.type === "real"]);
	const n = answer.rows.length;

	say(`${answer.more ? "the first " : ""}${count(n)} ${n === 1 ? "row" : "rows"}${
		answer.more ? "; add LIMIT or a condition, or ask waymark sql" : ""}`);
	rows.replaceChildren(table("", columns, answer.rows.map((row) => row.map((cell) => cell === null ? "" : String(cell))),
		(i) => {
			const to = placeOf(answer, answer.rows[i]);

			return to && (() => jump(to));
		}));
}

// The error offset counts bytes, the field's selection UTF-16.
function showError({ error, near, at, wanted }) {
	say(`${error}${near ? `: did you mean '${near}'?` : ""}${wanted ? `: ${wanted}` : ""}`, true);
	rows.replaceChildren();
	if (at >= 0) {
		const bytes = new TextEncoder().encode(text.value).slice(0, at);
		const begin = new TextDecoder().decode(bytes).length;
		const word = /^\w+|^./u.exec(text.value.slice(begin))?.[0] ?? "";

		text.focus();
		text.setSelectionRange(begin, begin + word.length);
	}
}

async function answer() {
	asking?.abort();
	const own = asking = new AbortController();

	say("reading… ");
	said.append(button("stop", () => own.abort()));
	text.removeAttribute("aria-invalid");
	const came = await question("/api/sql", { query: text.value, ...currentRange() }, { signal: own.signal })
		.catch((error) => ({ ok: false, body: own.signal.aborted ? "stopped" : error.message }));

	if (own !== asking) {
		return;
	}
	text.setAttribute("aria-invalid", String(!came.ok && !own.signal.aborted));
	if (came.ok) {
		showRows(came.body);
	} else if (typeof came.body === "string") {
		say(came.body, !own.signal.aborted);
	} else {
		showError(came.body);
	}
}

// ---- Ready queries ----

let isFilled = false;

// Lists the queries that fit these traces.
async function fill() {
	const groups = new Map();

	if (isFilled) {
		return;
	}
	isFilled = true;
	const queries = await ask("/api/queries").catch(() => []);

	queries.forEach((query, index) => {
		const option = make("option", query.title);

		if (!groups.has(query.group)) {
			groups.set(query.group, make("optgroup", ""));
			groups.get(query.group).label = query.group;
			ready.append(groups.get(query.group));
		}
		option.value = index;
		groups.get(query.group).append(option);
	});
	ready.addEventListener("change", () => {
		if (ready.value !== "") {
			text.value = queries[ready.value].query;
			answer();
		}
	});
}

place.addEventListener("keydown", (event) => {
	if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
		event.preventDefault();
		answer();
	} else if (event.key === "Escape" && event.target === text) {
		document.getElementById("timeline").focus();
	}
});
run.addEventListener("click", answer);
onOpen("sql", fill);
on("trace", () => (app.trace.sql && !isSaved) || hidePane("sql"));
