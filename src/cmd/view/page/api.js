// Questions to the server, or to the data that the page was saved with. An answer that is older than a
// later question of its kind is dropped. The paths of questions are below the page's own, which is secret.
import { parseExactly } from "./format.js";
import { answerSaved, isSaved } from "./saved.js";

const ALIVE_MS = 4 * 60 * 1000;

const last = new Map();

export function addressOf(path, given) {
	const query = new URLSearchParams(given).toString();

	return query ? `.${path}?${query}` : `.${path}`;
}

// Returns { ok, status, body }: the body of an error is an object, or a text. `options` are those of fetch();
// an aborted signal stops the question in the server, too.
export async function question(path, given = {}, options = {}) {
	if (isSaved) {
		return answerSaved(path, given);
	}
	const answer = await fetch(addressOf(path, given), options);
	const isObject = answer.headers.get("Content-Type") === "application/json";
	const text = await answer.text();

	return { ok: answer.ok, status: answer.status, body: isObject ? parseExactly(text) : text };
}

function bodyOf(path, { ok, status, body }) {
	if (!ok) {
		const text = body.error ? [body.error, body.wanted].filter((part) => part).join(": ")
			: `${path}: ${status} ${typeof body === "string" ? body : JSON.stringify(body)}`;

		throw Object.assign(new Error(text), { status });
	}
	return body;
}

export async function ask(path, given, options) {
	return bodyOf(path, await question(path, given, options));
}

// As ask(), for what changes something.
export async function change(path, given) {
	return bodyOf(path, await question(path, given, { method: "POST" }));
}

// As ask(), but null if a later question of the same path came meanwhile.
export async function askLatest(path, given) {
	const number = (last.get(path) ?? 0) + 1;

	last.set(path, number);
	const answer = await ask(path, given);
	return last.get(path) === number ? answer : null;
}

// Tells the server that somebody looks: it ends when nobody did for an hour. A hidden page does not count.
function tell() {
	if (!document.hidden) {
		ask("/api/alive").catch(() => null); // a later question says that the server has ended
	}
}

// Calls a function when the page is visible: now, or once it is.
export function whenVisible(act) {
	if (!document.hidden) {
		act();
		return;
	}
	document.addEventListener("visibilitychange", () => whenVisible(act), { once: true });
}

if (location.protocol === "http:") {
	setInterval(tell, ALIVE_MS);
	document.addEventListener("visibilitychange", tell);
}
