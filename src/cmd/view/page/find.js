// Finds events by an expression, as that of `waymark print --where`.
import { addPiece, writeAddress } from "./address.js";
import { question } from "./api.js";
import { duration } from "./format.js";
import { isSaved } from "./saved.js";

const input = document.getElementById("where");
const said = document.getElementById("found");

// Puts the cursor into the field.
export function beginFind() {
	input.focus();
	input.select();
}

// Returns the next event after a time, or the one before it; null, having said why, if there is none.
export async function find(ns, isBack) {
	const { ok, body: found } = await question("/api/find", {
		where: input.value, ns: Math.max(0, Math.round(ns)), back: isBack ? 1 : 0,
	});

	input.setAttribute("aria-invalid", String(!ok));
	if (!ok) {
		said.textContent = `${found.error}${found.help ? `: ${found.help}` : ""}`;
		return null;
	}
	said.textContent = found ? `at ${duration(found.ns)}` : `no event ${isBack ? "before" : "after"} this one`;
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
		event.stopPropagation();
		if (event.key === "Enter") {
			writeAddress();
			act(event.shiftKey);
		} else if (event.key === "Escape") {
			document.getElementById("timeline").focus();
		}
	});
}
