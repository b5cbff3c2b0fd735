#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Of a folder, one trace is odd or damaged: folders.py WAYMARK PROGRAM

All that can be read is shown as single events, as in SQL over the same time, and the page says what
cannot be read.
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
DECLARED = HERE.parent / "export/trace-events"

# Traces of tests/reader/make_ctf.py, and words of the problem that the page says of each.
MADE = (("bad-event", "the type 'nothing_t'"), ("cut-metadata", ""), ("holes", "not a packet"), ("late-host", ""),
        ("left-over", ""), ("lost-behind-damage", "packet 3"), ("no-clock", "without having declared a 'clock'"),
        ("no-packet", "not a packet"), ("no-signature", "no trace in the native format"), ("other-host", ""),
        ("other-tracer", "a trace of another tracer"), ("other-uuid", "packet 1"), ("out-of-order", "packet 3"),
        ("small-big-endian", ""), ("thread-ended", ""), ("torn", "cut inside"), ("torn-header", ""), ("two-boots", ""),
        ("unknown-event", "which no event of the metadata has"), ("wrap", ""))


def largest(trace):
    return max(trace.glob("stream-*"), key=lambda path: path.stat().st_size)


def cut(trace):
    path = largest(trace)
    os.truncate(path, path.stat().st_size // 2)


def overwrite(trace):
    with open(largest(trace), "r+b") as f:
        f.seek(f.seek(0, os.SEEK_END) // 16 * 8)
        f.write(b"\xff" * 64)


def empty_streams(trace):
    for path in trace.glob("stream-*"):
        os.truncate(path, 0)


def remove_streams(trace):
    for path in trace.glob("stream-*"):
        path.unlink()


def remove_metadata(trace):
    (trace / "metadata").unlink()


def empty_metadata(trace):
    os.truncate(trace / "metadata", 0)


# Those of traces that cannot be opened.
UNREADABLE = ("without having declared a 'clock'", "no trace in the native format", "a trace of another tracer")

# How a third trace is made odd, and words of the problem.
ODD = ((cut, "bytes are missing"), (overwrite, "the last"), (empty_streams, "is empty"), (remove_streams, "is missing"),
       (remove_metadata, ""), (empty_metadata, "no trace in the native format"))


def ask_sql(traces, question):
    told = subprocess.run([WAYMARK, "sql", "--json", "-e", DECLARED, *traces, question], check=False, capture_output=True, text=True)
    return next(iter(json.loads(told.stdout)[0].values())) or 0


def wanted(traces, begin, end):
    """Counts by SQL of what begins in a time, ends included."""
    inside = f"time BETWEEN {begin} AND {end}"
    slices = ask_sql(traces, f"SELECT count(*) FROM scopes WHERE {inside}")
    ends = ask_sql(traces, f"SELECT count(*) FROM scopes WHERE unfinished = 0 AND time + duration BETWEEN {begin} AND {end}")
    return {"slice": slices, "event": ask_sql(traces, f"SELECT count(*) FROM events WHERE {inside}") - slices - ends,
            "loss": ask_sql(traces, f"SELECT sum(CASE lost WHEN 0 THEN 1 ELSE lost END) FROM gaps WHERE {inside}")}


def drawn(tile):
    counts = {"slice": 0, "event": 0, "loss": 0}
    for row in tile["rows"]:
        counts[row["kind"]] += sum(item[3] for item in row["items"])
    return counts


def check_shown(name, traces, words):
    # SQL refuses a folder of which a trace cannot be opened.
    readable = [traces[0] / "a.ctf", traces[0] / "b.ctf"] if words in UNREADABLE else traces
    with Served(WAYMARK, "-e", DECLARED, *traces) as served:
        known = served.trace()
        first, length = int(known["first"]), known["length"]
        check(f"{name}: a problem is said: {known['problem']}", (known["problems"] > 0, words in known["problem"]),
              (bool(words), True))
        parts = [(0, length)] + [sorted(CHANCE.randrange(length + 1) for _ in range(2)) for _ in range(2)]
        for begin, end in parts:
            tile = served.tile(begin, end + 1)
            check(f"{name}: {begin} to {end + 1}", (tile["near"], "far" in tile, drawn(tile)),
                  (True, False, wanted(readable, first + begin, first + end + 1)))


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        folder = work / "folder"
        subprocess.run([sys.executable, HERE.parent / "reader/make_ctf.py", work / "made"], check=True)
        for label, options in (folder / "a.ctf", ""), (folder / "b.ctf", ""), (work / "c.simple", "backend=simple,"):
            folder.mkdir(exist_ok=True)
            subprocess.run([PROGRAM, "50"], check=True, env={**os.environ, "WAYMARK_TRACE": f"*,{options}file={label}"})
        check_shown("good", [folder], "")
        for make_odd, words in ODD:
            shutil.copytree(folder / "a.ctf", folder / "odd.ctf")
            make_odd(folder / "odd.ctf")
            check_shown(make_odd.__name__, [folder], words)
            shutil.rmtree(folder / "odd.ctf")
        for made, words in MADE:
            shutil.copytree(work / "made" / made, folder / made)
            check_shown(made, [folder], words)
            shutil.rmtree(folder / made)
        check_shown("a simple trace, too", [folder, work / "c.simple"], "")
        os.truncate(work / "c.simple", (work / "c.simple").stat().st_size * 3 // 4 | 1)
        check_shown("a cut simple trace, too", [folder, work / "c.simple"], "truncated")
        check_shown("only the cut simple trace", [work / "c.simple"], "truncated")
        (folder / "empty").write_bytes(b"")
        (folder / "core").write_bytes(CHANCE.randbytes(10000))
        (folder / "sub/empty").mkdir(parents=True)
        check_shown("foreign files", [folder], "")
    finish()


CHANCE = random.Random(30)

if __name__ == "__main__":
    main()
