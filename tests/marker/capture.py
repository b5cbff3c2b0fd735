#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests captures that the kernel made of trace points: capture.py PROGRAM WITHOUT WAYMARK

The program records the same events into a native trace at the same time: waymark must print the
same records of both. tests/ftrace has the access to the kernel.
"""
import json
import os
import shutil
import subprocess
import sys

for folder in "ftrace", "common":
    sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", folder))
from ftrace import check, read, run_test, write
from kernel_trace import make_trace_dat

WAYMARK = os.path.abspath(sys.argv[3])
ACTIONS = ("document=512", "values=-3", "names=5", "flows=9", "counters=10")
BACKENDS = "*,backend=ctf,backend=ftrace;ctf.file=%s;ftrace.instance=%s;ftrace.style=%s"


def waymark(*arguments, **others):
    done = subprocess.run([WAYMARK, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60, **others)
    check(done.returncode == 0, arguments, done.stderr)
    return done.stdout


def events(trace, **others):
    return [json.loads(s) for s in waymark("print", "--json", trace, **others).splitlines()]


def fire(b, style="text"):
    """Returns the capture, and the native trace of the same events."""
    write(b.buffer + "/trace", "")
    write(b.buffer + "/trace_clock", "mono")
    write(b.buffer + "/tracing_on", "1")
    native, capture = b.directory + "/native", b.directory + "/capture"
    shutil.rmtree(native, ignore_errors=True)
    done = subprocess.run([b.program, *ACTIONS], timeout=60, check=True, env={
        **os.environ, "WAYMARK_TRACE": BACKENDS % (native, b.instance, style)},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    check(done.stderr == "", done.stderr)
    write(b.buffer + "/tracing_on", "0")  # reading it takes system calls, which would be recorded
    write(capture, read(b.buffer + "/trace"))
    return capture, native


def printed(event):
    """Returns an event as its line shows it: text has no category, newlines are escaped."""
    name, args = event["event"], event["args"]
    if name == "VirtioNet:print":
        name = "print"
    return name.replace("\n", "\\n"), event["tid"], args


def test_text(b):
    capture, native = fire(b)
    found, wanted = events(capture), events(native)
    check(len(found) == len(wanted) > 40, len(found), len(wanted))
    for one, other in zip(found, wanted):
        check(printed(one) == printed(other), one, other)
        check(abs(one["time"] - other["time"]) < 1, one, other)
    rows = [[(r["name"], r["count"]) for r in sorted(
        json.loads(waymark("scopes", "--json", t))["scopes"], key=lambda r: r["name"])]
        for t in (capture, native)]
    check(rows[0] == rows[1], rows)
    stacks = [sorted({s.rsplit(" ", 1)[0].split(";", 1)[1] for s in waymark(
        "flamegraph", "--folded", t).splitlines()}) for t in (capture, native)]
    check(stacks[0] == stacks[1], stacks)


def test_styles(b):
    for style in ("atrace", "hitrace"):
        capture, native = fire(b, style)
        # Facts that these formats lack: ids, bars, a text of one word, types of counters.
        found = [e["event"].replace("|", "/") for e in events(capture)]
        wanted = [printed(e)[0].replace("|", "/") for e in events(native)]
        blank = wanted.index("VirtioFs: ")
        check(found.pop(blank) == "print" and wanted.pop(blank), found)
        check(found == wanted, found, wanted)
        check({e["pid"] for e in events(capture)} == {e["pid"] for e in events(native)}, style)
        for trace in (capture, native):
            rows = json.loads(waymark("scopes", "--json", trace))["scopes"]
            check({(r["count"], r["unbegun"], r["unfinished"]) for r in rows} == {(1, 0, 0)}, rows)


def test_beside_kernel(b):
    """A single capture shows the thread's system calls in its scopes."""
    calls = b.buffer + "/events/raw_syscalls/enable"
    write(b.buffer + "/options/event-fork", "1")
    write(b.buffer + "/set_event_pid", str(os.getpid()))
    # A call that is shorter than the kernel's microsecond has no row.
    for _ in range(20):
        write(calls, "1")
        capture, _ = fire(b)
        write(calls, "0")
        folded = waymark("flamegraph", "--folded", "--kernel=" + capture, capture)
        if ";VirtioFs:process_fs_queue;sys_write" in folded:
            return
    check(False, folded)


def test_trace_cmd(b):
    """Uses the real trace-cmd; without it only the text is compared, elsewhere."""
    if not shutil.which("trace-cmd"):
        print("left out: trace-cmd is not installed")
        return
    capture, _ = fire(b)
    dat = b.directory + "/trace.dat"
    make_trace_dat(b.tracefs, b.buffer, dat)
    tid = events(capture)[0]["tid"]
    own = [printed(e) for e in events(dat) if e["tid"] == tid and "scope" in e["args"]]
    wanted = [printed(e) for e in events(capture) if e["tid"] == tid and "scope" in e["args"]]
    check(own == wanted and len(own) > 10, own, wanted)


def main():
    names = [name for name in globals() if name.startswith("test_")]

    def test(b):
        for name in names:
            globals()[name](b)
    run_test(sys.argv[1], test)


if __name__ == "__main__":
    main()
