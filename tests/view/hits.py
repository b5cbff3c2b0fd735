#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where an expression is true, and the whole trace above the timeline: hits.py WAYMARK PROGRAM

Counts by column are compared with SQL, of traces that are answered in one piece and in several; the page shows them.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402
from browser import ask_sql, settle, wait_for  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
WHERE = "request % 3 == 1"
OF_SQL = "request % 3 = 1"


def counted(served, begin, end, columns):
    """Counts by column, as the page adds them up, and the number of pieces."""
    counts, sum_of, at, pieces = [0] * columns, 0, begin, 0
    while at is not None:
        piece = served.ask("/api/hits", **{"where": WHERE, "from": begin, "to": end, "columns": columns, "begin": at})
        for column, n in piece["columns"]:
            counts[column] += n
        sum_of, at, pieces = sum_of + piece["count"], piece["next"], pieces + 1
    check("the sum", sum(counts), sum_of)
    return counts, pieces


def wanted(times, begin, end, columns):
    counts = [0] * columns
    for time in times:
        if begin <= time <= end:
            counts[min(columns - 1, int((time - begin) * (columns / (end - begin + 1))))] += 1
    return counts


def times_of(trace, table):
    rows = ask_sql(WAYMARK, trace, f"SELECT time - (SELECT min(time) FROM events) AS t FROM {table} WHERE {OF_SQL}")
    return [row["t"] for row in rows]


def check_counts(trace, chance, rounds):
    times = [t for table in ("submit", "queued", "complete") for t in times_of(trace, table)]
    with Served(WAYMARK, trace) as served:
        length = served.trace()["length"]
        for _ in range(rounds):
            begin, end = sorted(chance.sample(range(length + 2), 2))
            columns = chance.choice([1, 7, 300, 4000])
            check(f"{begin} to {end}, {columns}", counted(served, begin, end, columns)[0],
                  wanted(times, begin, end, columns))
        counts, pieces = counted(served, 0, length + 1, 1000)
        check("all", counts, wanted(times, 0, length + 1, 1000))
        overview = served.ask("/api/overview", columns=500)
        known = served.trace()
        check("the overview has all", sum(overview["columns"]), sum(t["count"] for t in known["tracks"]))
        check("no losses", overview["lost"], [])
    return pieces


def check_selection(trace):
    """Only selected records are hits."""
    tid = ask_sql(WAYMARK, trace, "SELECT max(tid) AS n FROM threads")[0]["n"]
    first = ask_sql(WAYMARK, trace, "SELECT min(time) AS n FROM events")[0]["n"]
    times = times_of(trace, "submit")
    with Served(WAYMARK, f"--thread={tid}", trace) as served:
        check("of another thread", sum(counted(served, 0, served.trace()["length"] + 1, 9)[0]), 0)
    middle = sorted(times)[len(times) // 2]
    with Served(WAYMARK, f"--since=+{middle / 1e9:.9f}", trace) as served:
        own = int(served.trace()["first"]) - first
        check("from a time on", sum(counted(served, 0, served.trace()["length"] + 1, 9)[0]),
              sum(t >= own for table in ("submit", "queued", "complete") for t in times_of(trace, table)))


def check_page(trace):
    every = len(times_of(trace, "submit"))
    with Served(WAYMARK, trace) as served, chromium.Page(served.address) as page:
        settle(page)
        page.press("/", 191)
        wait_for(page, "document.activeElement.id", "where")
        page.call("Input.insertText", text=f"{WHERE} && bytes > 0")
        page.press("Enter", 13)
        wait_for(page, f"document.getElementById('hits').textContent.startsWith('{every:,} hits')")
        page.press("Escape", 27)
        page.press("w", 87)
        page.press("w", 87)
        wait_for(page, "document.getElementById('hits').textContent.includes('shown')")
        # The box is dragged, and moves what is shown; a click beside it moves it there.
        before = page.evaluate("waymark.view.from")
        at = page.evaluate("(() => { const c = document.getElementById('overview'); const b = c.getBoundingClientRect();"
                           "const x = (ns) => b.left + 170 + ns / waymark.trace.length * (c.clientWidth - 170);"
                           "return [x((waymark.view.from + waymark.view.to) / 2), b.top + 18, x(waymark.trace.length * 0.9)]; })()")
        page.drag(at[:2], (at[0] + 100, at[1]))
        check("dragged", page.evaluate("waymark.view.from") > before, True)
        page.click(at[2], at[1])
        check("moved there", page.evaluate("waymark.view.from < waymark.trace.length * 0.9 && "
                                           "waymark.view.to > waymark.trace.length * 0.9"), True)
        check("in the address", "find=request" in page.evaluate("location.hash"), True)
        address = page.evaluate("location.hash")
        with chromium.Page(served.address + address) as other:
            wait_for(other, f"document.getElementById('hits')?.textContent.startsWith('{every:,} hits')")
        page.evaluate("document.getElementById('where').value = ''; "
                      "document.getElementById('where').dispatchEvent(new Event('input'))")
        wait_for(page, "document.getElementById('hits').textContent", "")
        check("no faults", page.faults, [])


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        for rounds, label in (100, "short.ctf"), (150000, "long.ctf"):
            subprocess.run([PROGRAM, str(rounds)], check=True,
                           env={**os.environ, "WAYMARK_TRACE": f"*,full=block,file={work / label}"})
        chance = random.Random(31)
        check("one piece", check_counts(work / "short.ctf", chance, 8), 1)
        check("several pieces", check_counts(work / "long.ctf", chance, 1) > 1, True)
        check_selection(work / "short.ctf")
        if chromium.is_installed():
            check_page(work / "short.ctf")
    finish()


if __name__ == "__main__":
    main()
