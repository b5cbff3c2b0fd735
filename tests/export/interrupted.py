#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that a signal ends an export or conversion and leaves nothing of its output:
interrupted.py WAYMARK PROGRAM DECLARATIONS
"""

import os
import signal
import subprocess
import time

from common import HERE, WAYMARK, Work, check, finish

EVENTS = HERE.parent / "reader/golden/trace-events"
COMMANDS = [("export", "--to=csv"), ("export", "--to=perfetto"), ("export", "--to=sqlite"),
            ("convert", "--to=ctf", "--pid=77")]
DEADLINE = 30


def begun(work, *command, ignored=()):
    """Begins a command that reads a trace from a pipe; returns it when it has begun its output."""
    def ignore():
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
    process = subprocess.Popen([WAYMARK, *command, "--replace", "-e", EVENTS, "-o", work.path / "out/it", "-"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=ignore)
    process.stdin.write((work.path / "v4").read_bytes())
    process.stdin.flush()
    end = time.monotonic() + DEADLINE
    while not new_names(work) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    check(f"{command} begins its output", len(new_names(work)), 1)
    return process


def new_names(work):
    return [name for name in os.listdir(work.path / "out") if ".new-" in name]


def names(work):
    return sorted(os.listdir(work.path / "out"))


def ended(process):
    """Returns the status of a process, whose input ends."""
    process.communicate(timeout=DEADLINE)
    return process.returncode


def check_signals(work):
    for command in COMMANDS:
        for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
            process = begun(work, *command)
            if command[0] == "convert":  # files of a trace that grows
                folder = work.path / "out" / new_names(work)[0]
                (folder / "stream-7").write_bytes(b"x")
                (folder / "index").mkdir(exist_ok=True)
                (folder / "index/stream-7.idx").write_bytes(b"x")
            process.send_signal(number)
            check(f"{command} ends by the signal", ended(process), -number)
            check(f"what {number.name} leaves of {command}", names(work), [])


def check_ignored(work):
    process = begun(work, "export", "--to=csv", ignored=[signal.SIGHUP, signal.SIGINT])
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGINT)
    check("ignored signals end nothing", ended(process), 0)
    check("the output is complete", names(work), ["it"])


def check_earlier(work):
    """The output that was to be replaced stays."""
    (work.path / "out/it").write_text("before")
    process = begun(work, "export", "--to=csv")
    process.send_signal(signal.SIGTERM)
    check("status", ended(process), -signal.SIGTERM)
    check("the earlier output", (work.path / "out/it").read_text(), "before")
    check("names", names(work), ["it"])


def main():
    work = Work()
    (work.path / "out").mkdir()
    check_signals(work)
    check_ignored(work)
    check_earlier(work)
    finish()


if __name__ == "__main__":
    main()
