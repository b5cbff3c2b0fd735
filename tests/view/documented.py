#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds the slow request by the steps of docs/viewing.md, with its keys and clicks, in Chromium:
documented.py WAYMARK BLOCKCACHE DOCUMENT
"""

import decimal
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402
from browser import ask_sql, need_chromium, settle, wait_for  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, BLOCKCACHE = map(os.path.realpath, sys.argv[1:3])
DOCUMENT = pathlib.Path(sys.argv[3]).read_text(encoding="utf-8")
FIRST_ROW = """(() => { const table = [...document.querySelectorAll("#selection table")]
    .find((t) => t.caption.textContent === "Slowest scopes"), at = table.tBodies[0].rows[0];
    at.scrollIntoView({ block: "center" });
    const box = at.getBoundingClientRect();
    return [box.left + 5, box.top + box.height / 2]; })()"""


def documented_steps():
    """The column `do` of the document's table."""
    section = DOCUMENT.split("## The slow request", 1)[1].split("\n## ", 1)[0]
    return [row.split("|")[2].strip() for row in section.splitlines() if re.match(r"\| \d", row)]


def press(page, key):
    page.press(key, {"Enter": 13, "/": 191}.get(key, ord(key.upper()) if len(key) == 1 else 0))


class Walk:
    """The steps, each with what the document says that one sees."""

    def __init__(self, page, trace):
        self.page, self.trace = page, trace
        self.first = ask_sql(WAYMARK, trace, "SELECT min(time) AS n FROM events")[0]["n"]
        self.slow = ask_sql(WAYMARK, trace, "SELECT name, time, duration, tid FROM scopes ORDER BY duration DESC LIMIT 1")[0]
        self.request = ask_sql(WAYMARK, trace, f"SELECT request FROM request_begin WHERE tid = {self.slow['tid']} AND "
                               f"time <= {self.slow['time']} ORDER BY time DESC LIMIT 1")[0]["request"]

    def select(self):
        press(self.page, "e")
        wait_for(self.page, "[...document.querySelectorAll('#selection caption')].some((c) => c.textContent === 'Slowest scopes')")

    def click(self):
        self.page.click(*self.page.evaluate(FIRST_ROW))
        wait_for(self.page, "waymark.chosen?.item[0]", self.slow["time"] - self.first)
        check("the slowest is a request", (self.slow["name"], self.page.evaluate("waymark.trace.names[waymark.chosen.item[2]]")),
              ("Work:request",) * 2)
        check("it is shown", self.page.evaluate("waymark.view.from <= waymark.chosen.item[0] && "
                                                "waymark.chosen.item[1] <= waymark.view.to"), True)

    def fields(self):
        press(self.page, "1")
        wait_for(self.page, """[...document.querySelectorAll("#details tr")].find((r) =>
            r.cells[0].textContent === "request")?.cells[1].textContent""", str(self.request))

    def fit(self):
        press(self.page, "Enter")
        settle(self.page)
        wide = self.page.evaluate("waymark.view.to - waymark.view.from")
        check("it fills the screen", 0.5 < self.slow["duration"] / wide <= 1, True)
        names = self.page.evaluate("""[...new Set(waymark.tile.rows.filter((r) => r.kind === "slice" &&
            r.track === waymark.chosen.row.track && r.depth > 0).flatMap((r) => r.items.map((i) => waymark.trace.names[i[2]])))]""")
        check(f"under it is more: {names}", "Work:get from the cache" in names, True)

    def flame(self):
        press(self.page, "e")
        press(self.page, "3")
        wait_for(self.page, "document.querySelector('#flame iframe') !== null && !document.getElementById('flame').hidden")
        begin, end = self.page.evaluate("[waymark.view.from, waymark.view.to]")
        source = self.page.evaluate("document.querySelector('#flame iframe').src")
        seen = [int(n) for n in re.search(r"from=(\d+)&to=(\d+)", source).groups()]
        check("of just this time", (abs(seen[0] - begin) < 2, abs(seen[1] - end) < 2), (True, True))

    def find(self):
        where = f"request == {self.request}"
        told = subprocess.run([WAYMARK, "print", f"--where={where}", "--json", self.trace], check=True, capture_output=True, text=True)
        times = [int(json.loads(line, parse_float=decimal.Decimal)["time"] * 10**9) - self.first
                 for line in told.stdout.splitlines()]
        press(self.page, "/")
        wait_for(self.page, "document.activeElement.id", "where")
        self.page.call("Input.insertText", text=where)
        press(self.page, "Enter")
        wait_for(self.page, f"document.getElementById('hits').textContent.startsWith('{len(times):,} hits')")
        wait_for(self.page, "waymark.found !== null && waymark.found !== undefined")
        seen = [self.page.evaluate("waymark.found.ns")]
        later = sorted(set(t for t in times if t > seen[0]))
        check("there are several", len(later) > 2, True)
        for time in later:
            press(self.page, "Enter")
            wait_for(self.page, "waymark.found.ns", time)


def main():
    need_chromium()
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        trace = work / "my.ctf"
        (work / "data").write_bytes(bytes(range(256)) * 4096)
        subprocess.run([BLOCKCACHE, "--trace", "*,file=my.ctf", "data"], check=True, stdout=subprocess.DEVNULL, cwd=work,
                       timeout=60)
        with Served(WAYMARK, trace) as served, chromium.Page(served.address) as page:
            settle(page)
            walk = Walk(page, trace)
            steps = {"`E`": walk.select, "click it": walk.click, "`1`": walk.fields, "`Enter`": walk.fit,
                     "`E`, `3`": walk.flame, "`/`, `request == 785`, `Enter`": walk.find}
            check("the steps of the document", documented_steps(), list(steps))
            for step in documented_steps():
                steps[step]()
            check("nothing failed", (page.faults, page.prompts), ([], 0))
    finish()


if __name__ == "__main__":
    main()
