// Tells the server that somebody looks: it ends when nobody did for an hour. A hidden page does not count.
import { ask } from "./api.js";

const ALIVE_MS = 4 * 60 * 1000;

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
