// Questions to the server, or to the data that the page was saved with. An answer that is older than a
// later question of its kind is dropped.
import { parseExactly } from "/format.js";
import { answerSaved, isSaved } from "/saved.js";

const last = new Map();

// Returns { ok, status, body }: the body of an error is an object, or a text.
export async function question(path, given = {}) {
	if (isSaved) {
		return answerSaved(path, given);
	}
	const query = new URLSearchParams(given).toString();
	const answer = await fetch(query ? `${path}?${query}` : path);
	const isObject = answer.headers.get("Content-Type") === "application/json";
	const text = await answer.text();

	return { ok: answer.ok, status: answer.status, body: isObject ? parseExactly(text) : text };
}

export async function ask(path, given) {
	const { ok, status, body } = await question(path, given);

	if (!ok) {
		throw new Error(`${path}: ${status} ${typeof body === "string" ? body : JSON.stringify(body)}`);
	}
	return body;
}

// As ask(), but null if a later question of the same path came meanwhile.
export async function askLatest(path, given) {
	const number = (last.get(path) ?? 0) + 1;

	last.set(path, number);
	const answer = await ask(path, given);
	return last.get(path) === number ? answer : null;
}
