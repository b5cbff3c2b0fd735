#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the kernel's own trace of a program with scopes: kernel.py WAYMARK SCOPES.

System calls and idle times of the processor are captured in a separate buffer, on the clock mono,
and are drawn inside the program's scopes. Damaged captures, and captures of another clock, are
errors.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402
from kernel_trace import Buffer, mount, write  # noqa: E402

WAYMARK, SCOPES = map(os.path.realpath, sys.argv[1:3])
NANOSLEEP = {"x86_64": 230, "aarch64": 115}[os.uname().machine]
EVENTS = ("raw_syscalls", "sched/sched_switch")


def capture(buffer, clock, trace, text):
    """Records the program together with the kernel; returns the program's thread."""
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,file={trace}")
    done = buffer.record(clock, lambda: subprocess.run([SCOPES, "calls"], env=environment, check=True, text=True,
                                                       stdout=subprocess.PIPE, timeout=60))
    write(text, buffer.text())
    return int(done.stdout)


def flamegraph(trace, capture, *arguments, status=0, path=None):
    environment = dict(os.environ, PATH=path or os.environ["PATH"])
    done = subprocess.run([WAYMARK, "flamegraph", "--json", f"--kernel={capture}", *arguments, trace],
                          capture_output=True, text=True, errors="replace", timeout=60,
                          env=environment)
    check(f"{arguments}: {done.stderr[:200]}", done.returncode, status)
    return json.loads(done.stdout) if done.stdout else None, done.stderr


def child(frame, name):
    found = [c for c in frame["children"] if c["name"] == name]
    check(f"{name} in {frame['name']}", len(found), 1)
    return found[0] if found else {"name": name, "children": [], "value": 0, "count": 0, "self": 0}


def count_waits(text, tid):
    """Counts how often the thread left the processor and returned during a rest."""
    rests = is_off = False
    waits = 0
    for line in text.splitlines():
        if f"-{tid} " in line and f"NR {NANOSLEEP} " in line:
            rests = "sys_enter" in line
            is_off = False  # the kernel has omitted one of the two switches
        elif rests and f"prev_pid={tid} " in line:
            is_off = True
        elif is_off and f"next_pid={tid} " in line:
            is_off = False
            waits += 1
    return waits


def check_frames(root, tid, waits):
    """Checks ten writes in each of fifty outer scopes, and one rest in each inner scope."""
    outer = child(child(child(root, f"flame_scopes {tid}"), f"thread {tid}"), "Odd:outer")
    inner = child(outer, "Odd:inner")
    rests = child(inner, "sys_clock_nanosleep")
    check("writes", child(outer, "sys_write")["count"], 500)
    check("no other writes", [c for c in inner["children"] if c["name"] == "sys_write"], [])
    check("no other rests", [c for c in outer["children"] if "sleep" in c["name"]], [])
    check("rests", rests["count"], 50)
    # At least a millisecond each, less the rounding of the capture.
    check("rests have their time", rests["value"] >= 50 * (1000000 - 1000), True)
    # If others trace on this kernel, it may omit some switches, so the capture's own number
    # counts.
    off = [c["count"] for c in rests["children"] if c["name"].startswith("off-CPU")]
    check("off the processor", sum(off), waits)
    return root["value"]


def check_total(root, trace):
    """The kernel's time is subtracted from the scopes' own times; the sum stays the same."""
    told = subprocess.run([WAYMARK, "scopes", "--json", trace], check=True, capture_output=True,
                          text=True)
    rows = json.loads(told.stdout)["scopes"]
    check("all", root["value"], sum(r["self_ns"] for r in rows))


def shifted(text, us):
    def later(match):
        total = int(match[1]) * 1000000 + int(match[2]) + us
        return f" {total // 1000000}.{total % 1000000:06}: "
    return re.sub(r" (\d+)\.(\d{6}): ", later, text)


def refused(trace, capture, words, **others):
    root, said = flamegraph(trace, capture, status=1, **others)
    check(f"what is drawn of {capture}", root, None)
    check(f"{words!r} in {said[:300]!r}", words in said, True)


def check_other_clocks(work, trace, text, tid):
    """Times are only moved forward: on a machine that has just started, earlier times would be negative."""
    for us, words in ((300, "its clock is not that of the trace"),
                      (3600 * 1000000, "another clock, or is of another time")):
        write(f"{work}/shifted", shifted(text, us))
        refused(trace, f"{work}/shifted", words)
    root, _ = flamegraph(trace, f"{work}/shifted", "--kernel-offset=-3600")
    check_frames(root, tid, count_waits(text, tid))
    write(f"{work}/ticks", re.sub(r"(\d+)\.(\d{6}): ", r"\1\2: ", text))
    refused(trace, f"{work}/ticks", "ticks of a counter, not seconds")


def check_bad_captures(work, trace, text):
    for name, content in (("empty", ""), ("head", "# tracer: nop\n#\n"), ("garbage", "\x7f\x00\xff" * 9999),
                          ("long", "x" * 10000000), ("dat", "\x17\x08"), ("script", "#!/bin/sh\n")):
        with open(f"{work}/{name}", "w", encoding="latin-1") as f:
            f.write(content)
        refused(trace, f"{work}/{name}", "is not text" if name == "dat" else "holds no event")
    refused(trace, f"{work}/none", "cannot open")
    refused(trace, work, "Is a directory")
    write(f"{work}/cut", text[:text.rindex("[")])
    root, said = flamegraph(trace, f"{work}/cut", status=1)
    line = text[:text.rindex("[")].count("\n") + 1
    check(f"a bad line is reported: {said}", f"line {line} is not of the kernel's trace" in said, True)
    check("the rest is drawn", root["value"] > 0, True)


def check_trace_cmd(work, trace, text, tid):
    """waymark reads a file of trace-cmd through that program; here a stand-in prints the same text."""
    dat = f"{work}/trace.dat"
    with open(dat, "wb") as f:
        f.write(b"\x17\x08\x44tracing6\0")
    os.mkdir(f"{work}/bin")
    write(f"{work}/text", text)
    write(f"{work}/bin/trace-cmd", f'#!/bin/sh\n[ "$1 $2 $3" = "report -t -i" ] && cmp "$4" {dat} && echo cpus=2 && '
          f"cat {work}/text\n")
    os.chmod(f"{work}/bin/trace-cmd", 0o755)
    root, _ = flamegraph(trace, dat, path=f"{work}/bin:{os.environ['PATH']}")
    check_frames(root, tid, count_waits(text, tid))
    refused(trace, dat, "trace-cmd is not installed", path=work)
    write(f"{work}/bin/trace-cmd", "#!/bin/sh\nexit 1\n")
    refused(trace, dat, "trace-cmd report could not read it", path=f"{work}/bin")


def main(work):
    mount(f"{work}/tracefs")
    with Buffer(f"{work}/tracefs", "flame", EVENTS) as buffer:
        tid = capture(buffer, "mono", f"{work}/trace", f"{work}/capture")
    subprocess.run(["umount", f"{work}/tracefs"], check=True)
    with open(f"{work}/capture", errors="surrogateescape") as f:
        text = f.read()
    root, said = flamegraph(f"{work}/trace", f"{work}/capture")
    check_frames(root, tid, count_waits(text, tid))
    check_total(root, f"{work}/trace")
    check(f"nothing is at odds: {said}", "record in them" in said, False)
    check_other_clocks(work, f"{work}/trace", text, tid)
    check_bad_captures(work, f"{work}/trace", text)
    check_trace_cmd(work, f"{work}/trace", text, tid)


with tempfile.TemporaryDirectory() as directory:
    main(directory)
finish()
