// Numbers as text.
const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

// A length of time in ns.
export function duration(ns) {
	for (const [size, unit] of UNITS) {
		if (Math.abs(ns) >= size || size === 1) {
			return `${Number((ns / size).toPrecision(4))} ${unit}`;
		}
	}
	return "";
}

// A time since the trace's first record, as exact as the step between two marks of a scale is.
export function time(ns, step) {
	const digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(Math.max(step, 1)))));

	return `${(ns / 1e9).toFixed(digits)} s`;
}

// A number of bytes, in the largest unit that it has at least one of.
function bytes(n) {
	const power = Math.min(4, Math.max(0, Math.floor(Math.log2(Math.abs(n) || 1) / 10)));

	return `${Number((n / 1024 ** power).toPrecision(4))} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

// A number with the unit that a field declares: { unit, scale, time }, with the scale 0 if it cannot be converted.
export function withUnit(n, { unit, scale, time: isTime }) {
	if (scale > 0) {
		return isTime ? duration(n * scale) : bytes(n * scale);
	}
	return `${Math.abs(n) < 1e15 ? Number(n.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 }) : n}${unit ? ` ${unit}` : ""}`;
}

export function count(n) {
	return n.toLocaleString("en");
}

// A number of things: 1 event, 2 events.
export function many(n, thing) {
	return `${count(n)} ${thing}${n === 1 ? "" : "s"}`;
}

const encoder = new TextEncoder();

// The colour of a name, the same in every view, and of the same hue in flame graphs (view/flamegraph/svg.c): its hue,
// saturation and lightness. `full` below 1 is paler, above 1 stronger.
function hsl(name, dark, full) {
	let hash = 2166136261;

	for (const byte of encoder.encode(name)) {
		hash = Math.imul(hash ^ byte, 16777619);
	}
	hash ^= hash >>> 15;
	return [(hash >>> 0) % 360, 45 + (hash >>> 9) % 25, (dark ? 38 : 74) + (full > 1 ? (dark ? 20 : -24) : 0)];
}

export function colour(name, dark, full = 1) {
	const [hue, saturation, light] = hsl(name, dark, full);

	return `hsl(${hue} ${saturation}% ${light}% / ${Math.min(full, 1)})`;
}

// The same as bytes of red, green and blue.
export function rgb(name, dark, full) {
	const [hue, saturation, light] = hsl(name, dark, full);
	const span = saturation / 100 * Math.min(light, 100 - light) / 100;
	const part = (n) => {
		const k = (n + hue / 30) % 12;

		return Math.round(255 * (light / 100 - span * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};

	return [part(0), part(8), part(4)];
}

// JSON.parse(), but integers that a number of JavaScript does not hold exactly become texts.
export function parseExactly(text) {
	return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g,
		(part) => part.startsWith("\"") || Number.isSafeInteger(Number(part)) ? part : `"${part}"`));
}
