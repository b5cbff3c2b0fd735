#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pages of others get nothing of `waymark view` from the user's browser: origins.py WAYMARK PROGRAM

In Chromium: a page of another site, and one of another user of this machine, whose server has the same
host and another port. Both know all but the token.
"""

import http.server
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402
from browser import need_chromium, wait_for  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])

# Each attempt ends with what it got.
ATTACK = """
(async () => {
	const target = %r, socket = target.replace("http", "ws");
	const loaded = (name, attributes) => new Promise((done) => {
		const element = document.createElement(name);

		Object.assign(element, attributes);
		element.onload = () => done(name === "iframe" ? frameText(element) : "loaded");
		element.onerror = () => done("refused");
		document.body.append(element);
	});
	const frameText = (frame) => {
		try {
			return frame.contentDocument ? "seen" : "refused";
		} catch {
			return "refused";
		}
	};
	const read = (options) => fetch(target + "/api/trace", options).then((a) => a.text(), () => "refused");
	const got = {
		fetch: await read({ credentials: "include" }),
		blind: await read({ credentials: "include", mode: "no-cors" }),
		change: await fetch(target + "/api/switch?pattern=*&on=1", { method: "POST", credentials: "include" })
			.then((a) => a.text(), () => "refused"),
		script: await loaded("script", { src: target + "/app.js" }),
		picture: await loaded("img", { src: target + "/api/flame?from=0&to=99999999999" }),
		frame: await loaded("iframe", { src: target + "/" }),
		socket: await new Promise((done) => {
			const s = new WebSocket(socket + "/api/trace");

			s.onopen = () => done("open");
			s.onerror = () => done("refused");
		}),
	};
	globalThis.got = got;
})(); 0
"""


class Other(http.server.ThreadingHTTPServer):
    """The server of somebody else, which keeps the headers of what it is asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.headers = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # pylint: disable=invalid-name
        self.server.headers.append(str(self.headers))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>other</title><body>other")

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def check_attack(page, served, other, host):
    page.evaluate(f"location.href = 'http://{host}:{other.server_address[1]}/'; 0")
    wait_for(page, "document.title === 'other'")
    check(f"{host} is not sent the token", [h for h in other.headers if served.token in h], [])
    page.evaluate(ATTACK % f"http://127.0.0.1:{served.port}{served.folder}")
    wait_for(page, "globalThis.got !== undefined")
    got = page.evaluate("got")
    # What was not for it has no text.
    check(f"what a page of {host} gets", {**got, "blind": got["blind"] or "refused"}, dict.fromkeys(got, "refused"))


def main():
    need_chromium()
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        trace = pathlib.Path(name) / "a.ctf"
        subprocess.run([PROGRAM, "50"], check=True, env={**os.environ, "WAYMARK_TRACE": f"*,file={trace}"})
        with Served(WAYMARK, trace) as served, Served(WAYMARK, trace) as second, \
                Other() as other, chromium.Page(served.address) as page:
            wait_for(page, "waymark.trace !== null")
            place = page.evaluate("location.href")
            check("the token is not in the address", served.token in place, False)
            for host in "127.0.0.1", "localhost":
                check_attack(page, served, other, host)
            page.call("Page.navigate", url=second.address)
            wait_for(page, f"location.port === '{second.port}' && globalThis.waymark && waymark.trace !== null")
            page.call("Page.navigate", url=place)
            wait_for(page, f"location.port === '{served.port}' && globalThis.waymark && waymark.trace !== null")
            other.shutdown()
    finish()


if __name__ == "__main__":
    main()
