#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests exports of traces without all the facts of a native trace: captures.py WAYMARK PROGRAM DECLARATIONS

Simpletrace files have no threads; captures of the kernel's trace have no processes, and can be read
from a pipe.
"""

import csv
import io
import json
import sqlite3
import sys

from common import Work, check, export, finish, records, run
from protobuf import fields, message

DECLARATIONS = sys.argv[3]
MARK = "tracing_mark_write: "
LINES = [
    (7, "503 VirtioFs Enter: release - (self.tag: \"mtdroot\")(inode: 42)"),
    (7, "504 VirtioFs Enter: read (zero-message)"),
    (8, "VirtioNet Instant: kick - (queue: 3)"),
    (8, "5 VirtioNet Flow begin: packet - (number: 0)"),
    (7, "504 VirtioFs Exit: read (zero-message)"),
    (7, "503 VirtioFs Exit: release"),
    (9, "5 VirtioNet Flow end: packet"),
    (9, "VirtioNet Counter: in flight - (value: -2)"),
    (9, "B|77|atrace"), (9, "E|77"),
]
NAMES = ["VirtioFs:release", "VirtioFs:read (zero-message)", "VirtioNet:kick", "VirtioNet:packet",
         "VirtioNet:in flight", "atrace"]


def capture():
    return "# tracer: nop\n#\n" + "".join(
        f"           crosvm-{tid}     [001] ..... 5.{i:06}: {MARK}{text}\n" for i, (tid, text) in enumerate(LINES))


def events_of(*arguments, **others):
    return json.loads(export("chrome", *arguments, **others))["traceEvents"]


def packets(data):
    return [message(p) for _, p in fields(data)]


def check_capture(work):
    path = work.path / "capture"
    path.write_text(capture())
    events = [e for e in events_of(path) if e["ph"] != "M"]
    check("a capture", [e["name"] for e in events if e["ph"] in "BbiX"], NAMES)
    check("phases", "".join(e["ph"] for e in events), "BBibEEeiBE")
    check("threads", [e["tid"] for e in events], [7, 7, 8, 8, 7, 7, 8, 9, 9, 9])
    check("from a pipe", [e for e in events_of("-", input=capture().encode()) if e["ph"] != "M"], events)
    counters = events_of("--counter=VirtioNet:in flight.value", path)
    check("a counter", [e["args"] for e in counters if e["ph"] == "C"], [{"value": -2}])
    rows = list(csv.DictReader(io.StringIO(export("csv", path).decode())))
    check("rows", [(r["event"], r["tid"]) for r in rows],
          [(r["event"], str(r["tid"])) for r in records(path)])
    kinds = [message(p[11][0])[9][0] for p in packets(export("perfetto", path)) if 11 in p]
    check("kinds", kinds, [1, 1, 3, 1, 2, 2, 2, 3, 1, 2])
    out = work.path / "capture.db"
    run("export", "--to=sqlite", "-o", out, path)
    check("inode", sqlite3.connect(out).execute('SELECT inode, self_tag, pid, tid FROM "VirtioFs:release"').fetchall(),
          [(42, "mtdroot", None, 7)])
    check("profile", len(export("pprof", path)) > 60, True)


def check_simple(work):
    trace = work.record("simple.trace", backend="simple")
    given = ("-e", DECLARATIONS, trace)
    found = records(*given)
    events = events_of(*given)
    check("events without threads", [(e["name"], e["tid"]) for e in events if e["ph"] in "iX"],
          [(r["event"], 0) for r in found])
    check("flows", sum(e["ph"] == "f" for e in events), 5)
    check("names", [e["args"]["op"] for e in events if e["name"] == "submit"], ["read", "write", 2, "read", "write"])
    rows = list(csv.DictReader(io.StringIO(export("csv", "--event=numbers", *given).decode())))
    check("numbers", [(r["small"], r["large"], r["low"]) for r in rows],
          [("-128", str(2**64 - 1), str(-2**63)), ("127", "0", str(2**63 - 1))])
    tracks = {message(p[11][0])[11][0] for p in packets(export("perfetto", *given)) if 11 in p}
    check("one track", len(tracks), 1)
    out = work.path / "simple.db"
    run("export", "--to=sqlite", "-o", out, *given)
    check("rows", sqlite3.connect(out).execute("SELECT count(*), count(tid) FROM events").fetchone(), (len(found), 0))


def main():
    work = Work()
    check_capture(work)
    check_simple(work)
    finish()


if __name__ == "__main__":
    main()
