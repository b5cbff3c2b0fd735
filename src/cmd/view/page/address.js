// The address, which says what one sees: `#from,to&sort=busy&hide=...`. Each part of the page adds its own piece.
const pieces = new Map();
let range = "";
let isReading = false;

// Adds a piece: `write` returns its text, "" if there is nothing to say; `read` gets the text, or "".
export function addPiece(name, write, read) {
	pieces.set(name, { write, read });
}

// Lists have any text in them.
export function listText(items) {
	return [...items].map((item) => encodeURIComponent(item)).join(",");
}

export function textList(text) {
	return text ? text.split(",").map((item) => decodeURIComponent(item)) : [];
}

export function writeAddress(view = null) {
	range = view ? `${Math.round(view.from)},${Math.round(view.to)}` : range;
	if (isReading) {
		return;
	}
	const said = [...pieces].map(([name, piece]) => [name, piece.write()]).filter(([, text]) => text);
	const text = [range, ...said.map(([name, value]) => `${name}=${value}`)].join("&");

	history.replaceState(null, "", `#${text}`);
}

// Reads all pieces; returns the time, or null. An address that somebody has cut is read as far as it goes.
export function readAddress() {
	const [time, ...rest] = location.hash.slice(1).split("&");
	const [from, to] = time.split(",").map(Number);
	const given = new Map(rest.map((part) => [part.split("=")[0], part.slice(part.indexOf("=") + 1)]));

	isReading = true;
	for (const [name, piece] of pieces) {
		try {
			piece.read(given.get(name) ?? "");
		} catch (error) {
			if (!(error instanceof URIError)) {
				throw error;
			}
		}
	}
	isReading = false;
	return from < to ? { from, to } : null;
}
