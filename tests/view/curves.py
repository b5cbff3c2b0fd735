#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fields as curves: curves.py WAYMARK PROGRAM

Least, largest and last values of columns, and the value before the time, are compared with SQL, from far and near;
the page draws them with their unit.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402
from browser import ask_sql, settle, wait_for  # noqa: E402
from compared import value_differences  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])


def values_of(trace, event, field):
    return [(row["t"], row["v"]) for row in ask_sql(
        WAYMARK, trace, f"SELECT time - (SELECT min(time) FROM events) AS t, \"{field}\" AS v FROM {event} ORDER BY time")]


def curve(served, field, begin, end, columns):
    for _ in range(600):
        answer = served.ask("/api/curve", **{"field": field, "from": begin, "to": end, "columns": columns})
        if answer["done"]:
            return answer
        time.sleep(0.05)
    raise AssertionError("the curve is not done within 30 seconds")


def check_time(name, answer, values, begin, end):
    for difference in value_differences(name, answer["rows"][0], values, (begin, end), answer["near"]):
        check(*difference)


def check_near(trace, chance):
    with Served(WAYMARK, trace) as served:
        length = served.trace()["length"]
        for event, field in ("submit", "bytes"), ("level", "level"), ("numbers", "large"), ("queued", "depth"):
            values = values_of(trace, event, field)
            if field == "large":  # above the whole numbers that the page's numbers have
                values = [(t, float(f"{float(v % 2**64):.15g}")) for t, v in values]
            for _ in range(5):
                begin, end = sorted(chance.sample(range(length + 2), 2))
                columns = chance.choice([1, 10, 300, 4000])
                answer = curve(served, f"{event}.{field}", begin, end, columns)
                check("near", answer["near"], True)
                check("few", len(answer["rows"][0]["items"]) <= columns + 2, True)
                check_time(f"{event}.{field}, {begin} to {end}, {columns}", answer, values, begin, end)
        fields = {f["field"]: f for f in served.ask("/api/fields")}
        check("units", [fields[f]["unit"] for f in ("submit.bytes", "level.level", "queued.depth")], ["B", "ns", ""])
        check("no keys, no texts", {"submit.request", "text.text"} & set(fields), set())
        check("the end", served.end(), (0, ""))


def check_far(trace):
    values = values_of(trace, "submit", "bytes")
    with Served(WAYMARK, trace) as served:
        length = served.trace()["length"]
        for columns in 4000, 100, 1:
            answer = curve(served, "submit.bytes", 0, length + 1, columns)
            check("far", answer["near"], False)
            check_time(f"far, {columns}", answer, values, 0, length + 1)


def check_command(trace):
    for counter, words in (("nothing.x", "no event matches"), ("submit.x", "no event matches"), ("x", "EVENT.FIELD"),
                           (".x", "EVENT.FIELD"), ("x.", "EVENT.FIELD"), ("/(/.x", "regular expression")):
        done = subprocess.run([WAYMARK, "view", "--no-open", f"--counter={counter}", trace], capture_output=True,
                              text=True, timeout=20, check=False)
        check(f"{counter}: {done.stderr}", (done.returncode != 0, words in done.stderr), (True, True))


def check_page(trace):
    kinds = "waymark.boxes.filter((b) => b.kind === 'curve').map((b) => b.name)"
    with Served(WAYMARK, "--counter=sub*.bytes", trace) as served, chromium.Page(served.address) as page:
        settle(page)
        wait_for(page, kinds, ["submit.bytes"])
        page.press("v", 86)
        wait_for(page, "document.getElementById('curve').open")
        page.call("Input.insertText", text="level.level")
        page.press("Enter", 13)
        page.evaluate("document.querySelector('#curve button').click()")
        wait_for(page, kinds, ["submit.bytes", "level.level"])
        at = page.evaluate("""(() => { const at = document.getElementById("timeline").getBoundingClientRect();
            const b = waymark.boxes.find((b) => b.name === "level.level");
            return [at.right - 5, at.top + 26 + b.top + 20]; })()""")
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
        wait_for(page, "/level.level\\n-?[0-9.]+ (ns|µs)/.test(document.getElementById('tip').textContent)")
        page.press("w", 87)
        settle(page)
        address = page.evaluate("location.hash")
        with chromium.Page(served.address + address) as other:
            settle(other)
            wait_for(other, kinds, ["submit.bytes", "level.level"])
        page.evaluate("waymark.boxes.find((b) => b.name === 'level.level').source.remove()")
        check("removed", page.evaluate(kinds), ["submit.bytes"])
        check("no faults", page.faults, [])


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        for rounds, label in (300, "short.ctf"), (60000, "long.ctf"):
            subprocess.run([PROGRAM, str(rounds)], check=True,
                           env={**os.environ, "WAYMARK_TRACE": f"*,full=block,file={work / label}"})
        check_near(work / "short.ctf", random.Random(32))
        check_far(work / "long.ctf")
        check_command(work / "short.ctf")
        if chromium.is_installed():
            check_page(work / "short.ctf")
    finish()


if __name__ == "__main__":
    main()
