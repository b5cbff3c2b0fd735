#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All that is in the trace is drawn, and counted right: tiles.py WAYMARK PROGRAM

Counts of slices, events and losses, and the time that slices cover, from far and near, are compared
with answers in SQL for the same time.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from served import Served, check, finish

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
MADE = ("small", "small-big-endian", "pieces", "flight", "lost-and-rotated", "many-packets")


def ask_sql(traces, question):
    told = subprocess.run([WAYMARK, "sql", "--json", *traces, question], check=False, capture_output=True, text=True)
    return next(iter(json.loads(told.stdout)[0].values())) or 0


def wanted(traces, begin, end):
    """Counts by SQL of what begins in a time, ends included."""
    inside = f"time BETWEEN {begin} AND {end}"
    slices = ask_sql(traces, f"SELECT count(*) AS n FROM scopes WHERE {inside}")
    ends = ask_sql(traces, "SELECT count(*) AS n FROM scopes WHERE unfinished = 0 AND "
                           f"time + duration BETWEEN {begin} AND {end}")
    events = ask_sql(traces, f"SELECT count(*) AS n FROM events WHERE {inside}")
    losses = ask_sql(traces, "SELECT sum(CASE lost WHEN 0 THEN 1 ELSE lost END) AS n FROM gaps "
                             f"WHERE {inside}")
    return {"slice": slices, "event": events - slices - ends, "loss": losses}


def drawn(tile):
    counts = {"slice": 0, "event": 0, "loss": 0}
    for row in tile["rows"]:
        counts[row["kind"]] += sum(item[3] for item in row["items"])
    return counts


def check_order(name, tile):
    """Items of a row do not overlap, but for one that goes on."""
    for row in tile["rows"]:
        for one, two in zip(row["items"], row["items"][1:]):
            if row["kind"] == "slice" and one[1] is not None and one[1] > two[0]:
                check(f"{name}: {one} and {two} in a row", "overlap", "follow each other")


def check_trace(name, traces, chance):
    with Served(WAYMARK, *traces) as served:
        trace = served.trace()
        first, length = int(trace["first"]), trace["length"]
        for columns in 4000, 100, 1:
            tile = served.tile(0, length + 1, columns)
            check(f"{name}, whole, {columns} columns", drawn(tile), wanted(traces, first, first + length + 1))
            check_order(name, tile)
        for _ in range(6):
            begin, end = sorted(chance.randrange(length + 2) for _ in range(2))
            tile = served.tile(begin, end + 1, chance.choice([10, 300, 4000]))
            check(f"{name}, {begin} to {end + 1}", (tile["near"], drawn(tile)),
                  (True, wanted(traces, first + begin, first + end + 1)))
            check_order(name, tile)
        check(f"{name}: records", trace["records"],
              ask_sql(traces, "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM gaps) AS n"))
        check(f"{name}: the end", served.end(), (0, ""))


def check_far(trace):
    """More records than are read for an answer: the levels alone must have them all."""
    with Served(WAYMARK, trace) as served:
        known = served.trace()
        tile = served.tile(0, known["length"] + 1)
        first = int(known["first"])
        check("from far", (tile["near"], drawn(tile)),
              (False, wanted([trace], first, first + known["length"])))
        check_order("far", tile)
        covered = sum(item[4] for row in tile["rows"] if row["kind"] == "slice" for item in row["items"])
        check("covered", covered, ask_sql([trace], "SELECT sum(CASE unfinished WHEN 0 THEN duration ELSE "
                                  f"{first + known['length']} - time END) AS n FROM scopes"))
        check("size", len(json.dumps(tile, separators=(",", ":"))) < 150000, True)


def check_parts(trace, chance):
    """Parts far into a trace are found by its index, and are the same without one."""
    answers = []
    for _ in range(2):
        with Served(WAYMARK, trace) as served:
            known = served.trace()
            first, length = int(known["first"]), known["length"]
            parts = random.Random(7)
            for _ in range(12):
                begin = parts.randrange(length)
                end = begin + parts.randrange(length // 50)
                tile = served.tile(begin, end + 1, tracks=range(len(known["tracks"])))
                answers.append((begin, end, tile))
                if len(answers) <= 12:
                    check(f"{begin} to {end}", (tile["near"], drawn(tile)),
                          (True, wanted([trace], first + begin, first + end + 1)))
        (trace / "index").rename(trace.parent / f"index-{chance.randrange(1 << 60)}")
        (trace / "index").mkdir()
    check("parts without an index", answers[12:] == answers[:12], True)


def check_damage(trace, place):
    """A trace that is damaged far behind its start: what was read before counts once, and the rest, too."""
    with open(trace / "stream-1", "r+b") as f:
        f.seek(int(f.seek(0, os.SEEK_END) * place) // 8 * 8)
        f.write(b"\xff" * 64)
    with Served(WAYMARK, trace) as served:
        known = served.trace()
        first = int(known["first"])
        tile = served.tile(0, known["length"] + 1)
        check(f"damaged at {place}: problems", known["problems"] > 0, True)
        check(f"damaged at {place}: records", known["records"],
              ask_sql([trace], "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM gaps) AS n"))
        check(f"damaged at {place}: drawn", drawn(tile), wanted([trace], first, first + known["length"]))


def check_selection(trace):
    """A selected thread is all that is there, from far and near."""
    tid = ask_sql([trace], "SELECT max(tid) AS n FROM threads")
    with Served(WAYMARK, f"--thread={tid}", trace) as served:
        known = served.trace()
        check("one thread", {track["tid"] for track in known["tracks"]} - {0}, {tid})
        check("its records", known["records"], ask_sql([trace], f"SELECT count(*) AS n FROM events WHERE tid = {tid}"))
        inside = served.tile(0, known["length"] + 1)
        slices = ask_sql([trace], f"SELECT count(*) AS n FROM scopes WHERE tid = {tid}")
        check("its slices", (inside["near"], drawn(inside)["slice"]), (True, slices))


def check_simple(trace, declarations):
    """A trace that does not declare its events: each reader meets them anew."""
    with Served(WAYMARK, "-e", declarations, trace) as served:
        known = served.trace()
        tile = served.tile(0, known["length"] + 1)
        check("simple", (tile["near"], drawn(tile)), (True, {"slice": 0, "event": 7, "loss": 18}))
        check("names", {known["names"][item[2]] for row in tile["rows"] if row["kind"] == "event"
                        for item in row["items"]} <= set(known["names"][1:]), True)


def main():
    chance = random.Random(30)
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        subprocess.run([sys.executable, HERE.parent / "reader/make_ctf.py", work], check=True)
        for rounds, label in (50, "short.ctf"), (60000, "long.ctf"):
            subprocess.run([PROGRAM, str(rounds)], check=True,
                           env={**os.environ, "WAYMARK_TRACE": f"*,full=block,file={work / label}"})
        check_trace("short", [work / "short.ctf"], chance)
        check_selection(work / "short.ctf")
        check_trace("short and small", [work / "short.ctf", work / "small"], chance)
        for made in MADE:
            check_trace(made, [work / made], chance)
        check_far(work / "long.ctf")
        for place in 0.9, 0.6, 0.05:
            shutil.copytree(work / "long.ctf", work / "damaged.ctf", dirs_exist_ok=True)
            check_damage(work / "damaged.ctf", place)
        check_parts(work / "long.ctf", chance)
        subprocess.run([sys.executable, HERE.parent / "reader/make_traces.py", work], check=True)
        check_simple(work / "v4", HERE.parent / "reader/golden/trace-events")
    finish()


if __name__ == "__main__":
    main()
