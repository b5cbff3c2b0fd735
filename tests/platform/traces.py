#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the traces of platforms: traces.py WAYMARK FOLDER [PROGRAM]

Without PROGRAM, the traces in FOLDER/traces/PLATFORM, which the platforms wrote
(tools/check-platforms --store): waymark prints the same lines of each, except times and pids, and
babeltrace2 finds the same number of events. With PROGRAM, the same for traces that it records
here, kind by kind.

As a module: the checks of a program's traces for tools/check-platforms.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

THREADS, STEPS, SIGNALS, CHILDREN = 4, 300, 20, 3
HEAD = re.compile(r"^\d+\.\d{9} \d+ ")
NUMBER = re.compile(r"(scope|scope_tid)=\d+")
CXX_LINES = 4  # the last lines of values.expected
KINDS = ["values", "threads", "signals", "fork", "kill"]


def fail(message):
    sys.exit(f"traces.py: {message}")


def printed(waymark, trace):
    """Returns the whole output of `waymark print`, which must succeed."""
    run = subprocess.run([*waymark, "print", trace], capture_output=True, check=False)
    if run.returncode or run.stderr:
        fail(f"{trace}: status {run.returncode}: {run.stderr.decode()}")
    return run.stdout.decode()


def messages(text):
    """Returns the lines without times and pids."""
    lines = text.splitlines()
    for line in lines:
        if not HEAD.match(line):
            fail(f"no line of an event: {line}")
    return [HEAD.sub("", line) for line in lines]


def steps(lines, who):
    """Returns the numbers of that thread's steps, in order."""
    prefix = f"step {who} "
    return [int(line[len(prefix):]) for line in lines if line.startswith(prefix)]


def expect(what, found, wanted):
    if found != wanted:
        fail(f"{what}: {found!r:.400} instead of {wanted!r:.400}")


def check_values(lines, folder):
    wanted = (folder / "values.expected").read_text(encoding="utf-8").splitlines()
    if not any("C++" in line for line in lines):
        wanted = wanted[:-CXX_LINES]
    expect("values", [NUMBER.sub(r"\1=N", line) for line in lines], wanted)


def check_threads(lines, _folder):
    expect("events", len(lines), THREADS * STEPS)
    for who in range(THREADS):
        expect(f"thread {who}", steps(lines, who), list(range(STEPS)))


def check_signals(lines, _folder):
    expect("handlers", steps(lines, 1), list(range(SIGNALS)))
    expect("steps", steps(lines, 0), list(range(len(lines) - SIGNALS)))


def check_fork(lines, _folder):
    who = lines[0].split()[1]
    own = list(range(STEPS)) * (2 if who == "0" else 1)
    expect(f"process {who}", steps(lines, who), own)
    expect("events", len(lines), len(own))


CHECKS = {"values": check_values, "threads": check_threads, "signals": check_signals,
          "fork": check_fork, "kill": check_threads}


def traces_of(kind, place):
    """Returns the traces in a folder: one, or one per process."""
    found = sorted(path for path in place.iterdir() if (path / "metadata").is_file())
    expect(f"traces of {kind} in {place}", len(found), CHILDREN + 1 if kind == "fork" else 1)
    return found


def record(command, kind, place):
    """Runs the program in the folder until it ends. Returns its output."""
    environment = {"WAYMARK_TRACE": "enable=*,file=trace,full=block", "PATH": "/usr/bin:/bin",
                   **{k: v for k, v in os.environ.items() if k in ("TSAN_OPTIONS", "WAYMARK_SHM")}}
    run = subprocess.run([*command, kind], cwd=place, env=environment, check=False,
                         capture_output=True, timeout=300)
    status = -signal.SIGKILL if kind == "kill" else 0
    if run.returncode not in (status, 128 - status if status else 0):
        fail(f"{kind}: status {run.returncode}: {run.stderr.decode()}")
    return run.stderr.decode()


def recover(waymark, place):
    run = subprocess.run([*waymark, "recover", place / "trace"], capture_output=True, check=False)
    if run.returncode:
        fail(f"recover: {run.stderr.decode()}")


def check(waymark, kind, place, folder):
    """Checks all traces that a program of that kind left there. Returns their lines."""
    whole = ""
    for trace in traces_of(kind, place):
        text = printed(waymark, trace)
        CHECKS[kind](messages(text), folder)
        whole += text
    return whole


def babeltrace_count(trace):
    run = subprocess.run(["babeltrace2", trace], capture_output=True, check=False)
    if run.returncode:
        fail(f"babeltrace2 {trace}: {run.stderr.decode()}")
    return run.stdout.count(b"\n")


def check_stored(waymark, folder):
    places = sorted(path for path in (folder / "traces").iterdir() if path.is_dir())
    if len(places) < 7:
        fail(f"{len(places)} platforms stored")
    for place in places:
        text = check(waymark, "values", place, folder)
        expect(f"babeltrace2 of {place.name}", babeltrace_count(place / "trace"),
               text.count("\n"))


def check_program(waymark, folder, program):
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as temporary:
            place = pathlib.Path(temporary)
            record([str(program)], kind, place)
            if kind == "kill":
                recover(waymark, place)
            check(waymark, kind, place, folder)


def main():
    waymark, folder = [sys.argv[1]], pathlib.Path(sys.argv[2])
    if len(sys.argv) > 3:
        check_program(waymark, folder, pathlib.Path(sys.argv[3]).resolve())
    else:
        check_stored(waymark, folder)


if __name__ == "__main__":
    main()
