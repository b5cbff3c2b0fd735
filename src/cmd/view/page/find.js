// Finds events by an expression, as that of `waymark print --where`.
import { addPiece, writeAddress } from "./address.js";
import { question } from "./api.js";
import { duration } from "./format.js";
import { isSaved } from "./saved.js";

const input = document.getElementById("where");
const said = document.getElementById("found");

let turn = 0;

// Says what came of a search or step.
export function say(text) {
	said.textContent = text;
}

// Puts the cursor into the field.
export function beginFind() {
	input.focus();
	input.select();
}

// Returns the next event after a time, or the one before it; null, having said why, if there is none, or if another
// one is sought meanwhile.
export async function find(ns, isBack) {
	const own = ++turn;
	const { ok, body: found } = await question("/api/find", {
		where: input.value, ns: Math.max(0, Math.round(ns)), back: isBack ? 1 : 0,
	});

	if (own !== turn) {
		return null;
	}
	input.setAttribute("aria-invalid", String(!ok));
	if (!ok) {
		say(`${found.error}${found.help ? `: ${found.help}` : ""}`);
		return null;
	}
	say(found ? `at ${duration(found.ns)}` : `no event ${isBack ? "before" : "after"} this one`);
	return found;
}

// The expression of the field: the page and a link show where it is true.
export function expression() {
	return input.value.trim();
}

addPiece("find", () => encodeURIComponent(expression()), (text) => {
	input.value = decodeURIComponent(text);
});

export function onFind(act) {
	if (isSaved) {
		input.placeholder = "find: text of an event (/)";
	}
	document.getElementById("find").addEventListener("submit", (event) => event.preventDefault());
	input.addEventListener("keydown", (event) => {
		if (event.key === "Enter") {
			writeAddress();
			act(event.shiftKey);
		} else if (event.key === "Escape") {
			document.getElementById("timeline").focus();
		}
	});
}
