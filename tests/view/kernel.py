#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Captures of this machine's kernel on the timeline: kernel.py WAYMARK BLOCKCACHE [long]

The kernel records who runs, wakes and waits while a program records its events. As text of tracefs and as a file of
trace-cmd, beside the program's trace and alone, the spans of processors and threads that the page draws are those that
this test makes of the capture's lines, and all else is what SQL says.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

for folder in "flame", "common":
    sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", folder))
import chromium  # noqa: E402
from browser import need_chromium  # noqa: E402
from compared import compare_all  # noqa: E402
from kernel_trace import Buffer, make_trace_dat, mount, skip  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, BLOCKCACHE = map(os.path.realpath, sys.argv[1:3])
EVENTS = ("sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup", "sched/sched_wakeup_new")
RUNNING, RUNNABLE, WAITING = 1, 2, 3
LINE = re.compile(r"^\s*.*-\d+\s+\[(?P<cpu>\d+)\]\s+(?:\S+\s+)?(?P<s>\d+)\.(?P<part>\d+):\s+(?P<event>\w+):\s+(?P<text>.*)$")
# As tracefs and as trace-cmd print them.
SWITCHES = (re.compile(r"prev_comm=.* prev_pid=(\d+) prev_prio=\d+ prev_state=(\S+) ==> next_comm=.* next_pid=(\d+) next_prio="),
            re.compile(r".*:(\d+) \[\d+\] (\S+) ==> .*:(\d+) \[\d+\]"))
WAKES = (re.compile(r"comm=.* pid=(\d+) prio=\d+"), re.compile(r".*:(\d+) \[\d+\]"))


def match(patterns, text):
    return next(found.groups() for found in (pattern.match(text) for pattern in patterns) if found)


def events_of(text):
    """The capture's events in their order: ns, processor, and (thread, state, next thread) or the thread that is woken."""
    for line in text.splitlines():
        found = LINE.match(line)
        if found:
            ns = int(found["s"]) * 10**9 + int(found["part"].ljust(9, "0"))
            what = match(SWITCHES if found["event"] == "sched_switch" else WAKES, found["text"])
            yield ns, int(found["cpu"]), tuple(int(word) if word.isdigit() else word for word in what)


class Row:
    """The spans of a processor or thread."""

    def __init__(self):
        self.spans, self.begin, self.what = [], None, None

    def turn(self, ns, what):
        if self.what is not None:
            self.spans.append((self.begin, ns, self.what))
        self.begin, self.what = ns, what


def spans_of(text, first):
    rows, last = collections.defaultdict(Row), 0
    for ns, cpu, what in events_of(text):
        last = ns - first
        if len(what) == 1:
            thread = rows[what[0]]
            if thread.what in (None, WAITING):
                thread.turn(last, RUNNABLE)
            continue
        before, state, after = what
        rows[f"CPU {cpu}"].turn(last, after or None)
        if after:
            rows[after].turn(last, RUNNING)
        if before:
            thread = rows[before]
            if thread.what == RUNNABLE and (not thread.spans or thread.spans[-1][1] != thread.begin):
                thread.what = None  # it was running when it was woken
            thread.turn(last, RUNNABLE if state.startswith("R") else WAITING)
    for row in rows.values():
        row.turn(last, None)
    return {name: row.spans for name, row in rows.items()}


def record(work):
    """Records; returns the capture as tracefs prints it. trace.dat is made of the same pages."""
    mount(work / "tracefs")
    (work / "data").write_bytes(bytes(range(256)) * 4096)
    words = [BLOCKCACHE, "--trace", "*,file=my.ctf", "data"]
    with Buffer(work / "tracefs", "view", EVENTS) as buffer:
        buffer.record("mono", lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=work, timeout=60))
        (work / "kernel.txt").write_text(buffer.text(), errors="surrogateescape")
        make_trace_dat(work / "tracefs", buffer.folder, work / "trace.dat")
    subprocess.run(["umount", work / "tracefs"], check=True)


def check_capture(name, text, options, traces):
    with Served(WAYMARK, *options, *traces) as served, chromium.Page(served.address) as page:
        spans = spans_of(text, int(served.trace()["first"]))
        boxes, _ = compare_all(page, WAYMARK, list(map(str, traces)), spans)
        cpus = sorted((box["name"] for box in boxes if box["kind"] == "cpu"), key=lambda cpu: int(cpu[4:]))
        check(f"{name}: processors", cpus, sorted((row for row in spans if isinstance(row, str)), key=lambda cpu: int(cpu[4:])))
        ran = {item[2].partition(" ")[2] for box in boxes if box["kind"] == "cpu" for row in box["rows"] for item in row["items"]}
        check(f"{name}: names of processes", ran, {"", "blockcache"} if "my.ctf" in {trace.name for trace in traces} else {""})
        states = collections.Counter(item[2] for box in boxes for item in box["states"])
        check(f"{name}: states of threads {states}", states.keys() >= {RUNNING, RUNNABLE, WAITING}, True)
        print(f"{name}: {len(boxes)} tracks, {sum(map(len, spans.values()))} spans")


def main():
    need_chromium()
    if not shutil.which("trace-cmd"):
        skip("trace-cmd is not installed")
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as folder:
        work = pathlib.Path(folder)
        record(work)
        text = (work / "kernel.txt").read_text(errors="surrogateescape")
        check_capture("text beside a trace", text, [f"--kernel={work}/kernel.txt"], [work / "my.ctf"])
        report = subprocess.run(["trace-cmd", "report", "-t", "-i", work / "trace.dat"], capture_output=True, text=True,
                                errors="surrogateescape", timeout=60, check=True).stdout
        check("the same events", len(list(events_of(report))), len(list(events_of(text))))
        check_capture("trace.dat alone", report, [], [work / "trace.dat"])
        if "long" in sys.argv:
            check_capture("text alone", text, [], [work / "kernel.txt"])
            check_capture("trace.dat and a trace", report, [], [work / "my.ctf", work / "trace.dat"])
    finish()


if __name__ == "__main__":
    main()
