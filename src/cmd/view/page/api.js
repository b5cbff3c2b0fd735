// Questions to the server. An answer that is older than a later question of its kind is dropped.
const last = new Map();

export async function ask(path, given = {}) {
	const query = new URLSearchParams(given).toString();
	const answer = await fetch(query ? `${path}?${query}` : path);

	if (!answer.ok) {
		throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
	}
	return answer.json();
}

// As ask(), but null if a later question of the same path came meanwhile.
export async function askLatest(path, given) {
	const number = (last.get(path) ?? 0) + 1;

	last.set(path, number);
	const answer = await ask(path, given);
	return last.get(path) === number ? answer : null;
}
