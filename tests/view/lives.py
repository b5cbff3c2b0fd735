#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lives of objects as lanes, and events of one object: lives.py WAYMARK PROGRAM

Numbers and durations of lives are compared with SQL's table `lives`, which is that of `waymark track`; the events of an
object with those that have its key.
"""

import json
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
import make_across  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
OF_FIRST = "time - (SELECT min(time) FROM events)"


def lives_in(served, begin, end, columns=4000):
    for _ in range(600):
        answer = served.ask("/api/lives", **{"from": begin, "to": end, "columns": columns})
        if answer["done"]:
            return answer
        time.sleep(0.05)
    raise AssertionError("the lives are not done within 30 seconds")


def check_lives(trace, chance):
    known = ask_sql(WAYMARK, trace, f"SELECT {OF_FIRST} AS t, life, key, duration, events, outcome FROM lives")
    with Served(WAYMARK, trace) as served:
        length = served.trace()["length"]
        for columns in 4000, 10, 1:
            answer = lives_in(served, 0, length + 1, columns)
            drawn = sum(item[3] for row in answer["tile"]["rows"] for item in row["items"])
            check(f"all lives, {columns} columns", drawn, len(known))
        groups = {g["name"]: g for g in answer["groups"]}
        check("kinds", {name: g["count"] for name, g in groups.items()},
              {row["life"]: sum(k["life"] == row["life"] for k in known) for row in known})
        for life in chance.sample(known, 20):
            begin, end = life["t"], life["t"] + life["duration"]
            answer = lives_in(served, max(0, begin - 5), end + 5)
            found = [item for row in answer["tile"]["rows"] for item in row["items"]
                     if item[0] == begin and answer["names"][str(item[2])] == life["key"]]
            wanted = end if life["outcome"] == "ended" else None
            check(f"{life}", [item[1] for item in found], [wanted])
            track = next(row for row in answer["tile"]["rows"] if found[0] in row["items"])
            steps = [s for s in answer["steps"] if s[0] == track["track"] and s[1] == track["depth"] and begin <= s[2] <= end]
            check(f"events of {life}", len(steps), life["events"])
        check("the end", served.end(), (0, ""))


def check_flows(trace, chance):
    """The events of an object are those with its key."""
    with Served(WAYMARK, trace) as served:
        known = served.trace()
        length = known["length"]
        for key in chance.sample(range(300), 5):
            times = sorted(row["t"] for table in ("submit", "queued", "complete") for row in ask_sql(
                WAYMARK, trace, f"SELECT {OF_FIRST} AS t FROM {table} WHERE request = {key}"))
            found = served.ask("/api/find", where=f"request == {key}", ns=max(0, times[0] - 1))
            place = {"ns": found["ns"], "trace": found["trace"], "offset": found["offset"]}
            flow = served.ask("/api/flow", **{"from": 0, "to": length + 1}, **place)
            check(f"events of {key}", ([event[0] for event in flow["events"]], flow["objects"]), (times, 1))
            check("in a part", [event[0] for event in served.ask(
                "/api/flow", **{"from": times[1], "to": length + 1}, **place)["events"]], times[1:])
        found = served.ask("/api/find", where="@event == \"Net:queued\"", ns=0)
        place = {"ns": found["ns"], "trace": found["trace"], "offset": found["offset"]}
        flow = served.ask("/api/flow", **{"from": 0, "to": length + 1}, **place)
        check("a flow leads from thread to thread", len({event[1] for event in flow["events"]}), 2)


def check_across(folder, chance):
    """With --across, the events of an object are of all processes, and its life is that of waymark track."""
    for across in (), ("--across",):
        tracked = json.loads(subprocess.run([WAYMARK, "track", "--json", *across, "--slowest=20", folder], check=True,
                                            capture_output=True).stdout)["slowest"]
        with Served(WAYMARK, *across, folder) as served:
            known = served.trace()
            first, whole = int(known["first"]), {"from": 0, "to": known["length"] + 1}
            for key in chance.sample(range(100), 5):
                found = served.ask("/api/find", where=f"request == {key}", ns=max(0, key * 100000 - 1))
                flow = served.ask("/api/flow", **whole, **{k: found[k] for k in ("ns", "trace", "offset")})
                times = [row["t"] for table in ("sent", "served", "received") if across or table != "served" for row in ask_sql(
                    WAYMARK, folder, f"SELECT time - {first} AS t FROM {table} WHERE request = {key}")]
                check(f"{across}: events of {key}", [event[0] for event in flow["events"]], times)
            answer = served.ask("/api/select", **whole)
            check(f"{across}: slowest lives", [(life["ns"], life["duration"], life["key"], life["count"]) for life in answer["lives"]],
                  [(life["begin_ns"] - first, life["end_ns"] - life["begin_ns"], life["key"], life["count"]) for life in tracked])
            lives = lives_in(served, 0, 60000)
            check(f"{across}: traces whose events are in lives", {step[5] for step in lives["steps"]}, {0, 1} if across else {0})


def check_page(trace):
    with Served(WAYMARK, trace) as served, chromium.Page(served.address) as page:
        settle(page)
        wait_for(page, "waymark.boxes.filter((b) => b.kind === 'lives').map((b) => b.name)", ["request"])
        bounds = ask_sql(WAYMARK, trace, f"SELECT {OF_FIRST} AS t, duration, key FROM lives WHERE outcome = 'ended' LIMIT 1 OFFSET 7")[0]
        margin = bounds["duration"] // 2 + 10
        page.evaluate(f"location.hash = '#{bounds['t'] - margin},{bounds['t'] + bounds['duration'] + margin}'")
        settle(page)
        name = f"request {bounds['key']}"
        row = "waymark.boxes.find((b) => b.kind === 'lives').source.rows()"
        wait_for(page, f"{row}.some((r) => r.items.some((i) => i[2] === {name!r}))")
        settle(page)
        at = page.evaluate(f"""(() => {{ const r = {row}.find((r) => r.items.some((i) => i[2] === {name!r}));
            const i = r.items.find((i) => i[2] === {name!r}); const b = waymark.boxes.find((b) => b.kind === "lives");
            const c = document.getElementById("timeline"); const at = c.getBoundingClientRect();
            const part = (i[0] + (i[1] - i[0]) * 0.2 - waymark.view.from) / (waymark.view.to - waymark.view.from);
            return [at.left + 170 + part * (c.clientWidth - 170), at.top + 26 + b.top + b.bar + r.depth * 18 + 5]; }})()""")
        page.click(*at)
        wait_for(page, f"document.getElementById('details').textContent.includes({name!r})")
        address = page.evaluate("location.hash")
        with chromium.Page(served.address + address) as other:
            settle(other)
            check("a link has the life", other.evaluate("waymark.chosen.item[2]"), name)
        # From the first event of the object to the others, by keys.
        page.evaluate(f"location.hash = '#0,{bounds['t'] + 10}'")
        settle(page)
        page.press("/", 191)
        page.call("Input.insertText", text=f"request == {bounds['key']}")
        page.press("Enter", 13)
        wait_for(page, "waymark.chosen?.row.kind", "event")
        page.press("Escape", 27)
        times = sorted(r["t"] for table in ("submit", "queued", "complete") for r in ask_sql(
            WAYMARK, trace, f"SELECT {OF_FIRST} AS t FROM {table} WHERE request = {bounds['key']}"))
        wait_for(page, "waymark.chosen.item[0]", times[0])
        for key, code, wanted in ((".", 190, times[1]), (".", 190, times[2]), (",", 188, times[1])):
            page.press(key, code)
            wait_for(page, "waymark.chosen.item[0]", wanted)
        check("no faults", page.faults, [])


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        subprocess.run([PROGRAM, "300"], check=True, env={**os.environ, "WAYMARK_TRACE": f"*,full=block,file={work / 'a.ctf'}"})
        check_lives(work / "a.ctf", random.Random(33))
        check_flows(work / "a.ctf", random.Random(34))
        make_across.write(work / "both", 100)
        check_across(work / "both", random.Random(35))
        if chromium.is_installed():
            check_page(work / "a.ctf")
    finish()


if __name__ == "__main__":
    main()
