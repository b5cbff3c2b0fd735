#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Declarations in TOML, compiled for all backends, with each backend's real consumer:

    live.py PROGRAM TEST ROOT TRACETOOL WAYMARK BACKENDS HITRACE-LIBRARY

A test starts the backend's consumer, runs the program, and compares the received events
with those that were fired.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from fired import FIRST_ASYNC, LINES, REQUEST, check, check_records, same, split_scope

TEST, BACKENDS = sys.argv[2], sys.argv[6].split(",")
PROGRAM, ROOT, TRACETOOL, WAYMARK, HITRACE = (os.path.abspath(sys.argv[i]) for i in (1, 3, 4, 5, 7))
TOML = ROOT + "/tests/live/live.toml"
for folder in "bench", "tests/ftrace":
    sys.path.insert(0, f"{ROOT}/{folder}")

# Fields of LTTng's trace as babeltrace2 prints them, without those of scopes.
OF_LTTNG = {
    "integers": "a = 255, b = -128, c = 0xFFFF, d = -32768, e = 0xBE, f = -2147483648, "
                "g = 18446744073709551615, h = -9223372036854775808, size = 4711, on = 1",
    "floats": "narrow = 0.25, broad = -1.5",
    "wide": "a_low = 0x3456789ABCDEF001, a_high = 0x12, "
            "b_low = 0xFFFFFFFFFFFFFFF9, b_high = 0xFFFFFFFFFFFFFFFF",
    "texts": 'a = "plain", b = "two words", _c_length = 3, c = "cut"',
    "bytes": "_a_length = 3, a = [ [0] = 0x0, [1] = 0xA, [2] = 0xFF ], "
             "_b_length = 1, b = [ [0] = 0xA ]",
    "values": r'number = "-42", object = "Sector { number: 4096, disk: \"vda\" }", fd = 3',
    "copy": 'size = 0x1000, name = "outer"',
    "request": r'id = 7, what = "\"read\""',
}

# Fields of a native trace. An object there is a tree that only Waymark renders as text.
OF_CTF = {
    "integers": OF_LTTNG["integers"].replace("0xFFFF", "65535").replace("0xBE", "190"),
    "floats": OF_LTTNG["floats"],
    "wide": "a = [ [0] = 3771334343958392833, [1] = 18 ], b = [ [0] = -7, [1] = -1 ]",
    "texts": 'a_length = 5, a = "plain", b_length = 9, b = "two words", '
             'c_size = 3, c_length = 3, c = "cut"',
    "bytes": "a_size = 3, a_length = 3, a = [ [0] = 0, [1] = 10, [2] = 255 ], "
             "b_size = 1, b_length = 1, b = [ [0] = 10 ]",
    "values": 'number_kind = ( "i32" : container = 6 ), number = { -42 }, '
              'object_kind = ( "tree" : container = 17 ), object = {}, fd = 3',
    "copy": 'size = 4096, name_length = 5, name = "outer"',
    "request": 'id = 7, what_kind = ( "text" : container = 15 ), '
               'what = { { size = 4, length = 4, data = "read" } }',
}

# The output of the generated bpftrace script: six arguments, with ? for unreadable values.
OF_BPFTRACE = {
    "integers": "255 -128 0xffff -32768 00be -2147483648 ? ? ? ?", "floats": "? ?", "wide": "? ?",
    "texts": 'plain "two words" cut', "bytes": "? ?", "values": "? ? 3", "copy": "0x1000 of outer",
    "request": "7 ?",
}

# Arguments in memory and registers at a probe, which a script must decode itself.
RAW = r"""
usdt:PROGRAM:live:wide { printf("wide %lx %lx %ld\n", *(uint64 *)(arg0 + 8), *(uint64 *)arg0,
	*(int64 *)arg1); }
usdt:PROGRAM:live:floats { printf("floats %lx %lx\n", arg0, arg1); }
usdt:PROGRAM:live:texts { printf("texts %s|%s|%s\n", str(arg0), str(arg1), str(arg2, arg3)); }
usdt:PROGRAM:live:bytes { printf("bytes %ld %d %ld %d\n", arg1, *(uint8 *)(arg0 + 2), arg3,
	*(uint8 *)arg2); }
usdt:PROGRAM:live:copy { printf("copy %lx %s\n", arg1, str(arg2)); }
"""
OF_RAW = ["bytes 3 255 1 10", "copy 1000 outer", "floats 3e800000 bff8000000000000",
          "texts plain|two words|cut", "wide 12 3456789abcdef001 -7"]


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def need(backend, *commands):
    if backend not in BACKENDS:
        skip(f"the program was built without the backend {backend}")
    for command in commands:
        if not shutil.which(command):
            skip(f"{command} is not installed")


def run(command, **environment):
    """Runs a command, which must succeed; returns its output."""
    done = subprocess.run(command, text=True, capture_output=True, timeout=60,
                          env={**os.environ, **environment})
    check(done.returncode == 0, command, done.returncode, done.stdout, done.stderr)
    return done.stdout


def check_babeltrace(path, wanted):
    lines = [line for line in run(["babeltrace2", path]).splitlines() if "lttng_ust_" not in line]
    found = [re.search(r" (?:live:)?(\w+): \{ cpu_id = \d+(?:, tid| \}, \{ vtid) = (\d+) \}"
                       r"(?:, \{ (?:(.*) )?\})?$", line) for line in lines]
    check(all(found), "lines that are no events", lines)
    records = [(m[1], int(m[2]), m[3] or "") for m in found]
    check_records("babeltrace2", records, messages=False)
    for name, _, fields in records:
        fields = re.sub(r"object = \{ \{ size = (\d+), length = \1, data = .* \} \}",
                        "object = {}", split_scope(fields)[0])
        same(name, [fields], [wanted.get(name, "")])


def check_printed(*arguments, has_tid):
    """Checks the output of `waymark print`."""
    lines = run([WAYMARK, "print", "--tid", *arguments]).splitlines()
    found = [re.match(r" *\S+ +\d+(?:/(\d+))? (\S+) ?(.*)", line) for line in lines]
    check(all(found), lines)
    check_records("waymark print", [(m[2], int(m[1]) if has_tid else None, m[3]) for m in found])


def test_native():
    need("ctf", "babeltrace2")
    with tempfile.TemporaryDirectory() as home:
        run([PROGRAM], WAYMARK_TRACE=f"*,backend=ctf,ctf.file={home}/trace")
        check_babeltrace(home + "/trace", OF_CTF)
        check_printed(home + "/trace", has_tid=True)


def test_simple():
    with tempfile.TemporaryDirectory() as home:
        run([PROGRAM], WAYMARK_TRACE=f"*,backend=simple,simple.file={home}/trace")
        check_printed("-e", TOML, home + "/trace", has_tid=False)
        check_printed("-e", os.path.dirname(TOML), home + "/trace", has_tid=False)


def test_lttng():
    import lttng
    need("ust")
    lttng.move_apart()
    reason = lttng.why_no_daemon()
    if reason:
        skip(reason)
    with lttng.daemon_of_tests() as daemon:
        daemon.lttng("create", "live", f"--output={daemon.trace}")
        daemon.lttng("enable-event", "--userspace", "live:*")
        daemon.lttng("add-context", "--userspace", "--type=vtid")
        daemon.lttng("start")
        run([PROGRAM], **daemon.environment)
        daemon.lttng("destroy", "live")
        check_babeltrace(str(daemon.trace), OF_LTTNG)


def bpftrace(*arguments):
    return run(["bpftrace", "-c", PROGRAM, *arguments], WAYMARK_TRACE="").splitlines()


def test_bpftrace():
    need("dtrace", "bpftrace")
    # bpftrace prints each processor's buffer separately, so use only one processor.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    probe = subprocess.run(["bpftrace", "-e", "BEGIN { exit(); }"], text=True, capture_output=True)
    if probe.returncode:
        skip("bpftrace cannot run here: " + probe.stderr)
    script = run([TRACETOOL, "--format=bpftrace", "--backends=dtrace", "--group=live",
                  "--binary=" + PROGRAM, "-o", "-", TOML])
    found = [re.match(r"[0-9:.]+ +\d+ +(\d+) (\w+) ?(.*)", s) for s in bpftrace("-e", script)]
    records = [(m[2], int(m[1]), m[3]) for m in found if m]
    check_records("bpftrace", records, messages=False)
    for name, _, fields in records:
        same(name, [split_scope(fields)[0]], [OF_BPFTRACE.get(name, "")])
    found = bpftrace("-e", RAW.replace("PROGRAM", PROGRAM))
    same("raw", sorted(s for s in found if re.match("[a-z]", s)), OF_RAW)


def test_ftrace():
    import ftrace
    styles = {
        "text": lambda pid: LINES,
        "atrace": lambda pid: [f"I|{pid}|{s}" for s in LINES[:7]] + [
            f"B|{pid}|[copy] 0x1000 of outer", f"B|{pid}|[idle] ", f"E|{pid}",
            f"S|{pid}|{REQUEST}|{FIRST_ASYNC}", f"F|{pid}|{REQUEST}|{FIRST_ASYNC}", f"E|{pid}"],
    }
    with tempfile.TemporaryDirectory() as home:
        bench = ftrace.Bench(PROGRAM, home)
        try:
            for style, wanted in styles.items():
                ftrace.write(bench.buffer + "/trace", "")
                done = bench.run(option=f"backend=log+ftrace;ftrace.style={style};"
                                        f"ftrace.instance={bench.instance}")
                same("the log", done.log, LINES)
                same(style, bench.texts(), wanted(done.pid))
        finally:
            bench.close()
            run(["umount", bench.tracefs])


def test_hitrace():
    with tempfile.TemporaryDirectory() as home:
        os.symlink(HITRACE, home + "/libhitrace_meter.so")
        before = os.environ.get("LD_LIBRARY_PATH")
        run([PROGRAM], WAYMARK_TRACE="*,backend=hitrace", HITRACE_CALLS=home + "/calls",
            LD_LIBRARY_PATH=home + (":" + before if before else ""))
        with open(home + "/calls") as calls:
            same("calls", calls.read().splitlines(), [
                "loaded", "start 2048 [copy] 0x1000 of outer", "start 2048 [idle] ", "finish 2048",
                f"start async 2048 {FIRST_ASYNC} {REQUEST}",
                f"finish async 2048 {FIRST_ASYNC} {REQUEST}", "finish 2048"])


globals()["test_" + TEST]()
