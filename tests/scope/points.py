#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests records of trace points without a declaration: points.py WAYMARK POINTS."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

WAYMARK, POINTS = map(os.path.realpath, sys.argv[1:3])

U64 = 2**64 - 1
LIMITS = {
    "u8": [0, 255], "i8": [-128, 127], "u16": [1, 0, 65535], "i16": [1, -32768, 32767],
    "u32": [1, 0, 2**32 - 1], "i32": [1, -(2**31), 2**31 - 1],
    "u64": [1, 0, U64], "i64": [1, -(2**63), 2**63 - 1],
    "f32": [1, -3.4028235e38, 0.5, 1.1754944e-38],
    "f64": [1, -1.7976931348623157e308, 0.5, 2.2250738585072014e-308],
    "bool": [False, True, 2], "char": ["a", "\xff", 3],
    "pointer": ["0x0", "0xffffffffffffffff", 4],
    "u128": [1, 1, 2**128 - 1], "i128": [1, -(2**127), 2**127 - 1],
    "none": [], "one": [200], "pair": [60000, -(2**63)],
    "counted": [-(2**31)], "wide": [U64], "flow": [7, U64], "step": [-7, 2**32 - 1],
}
MANY = {
    "sixteen": [1, 4, 2, 3, 1, 2, 3, 4, 1, 1, 2, 1, 3, 1, 4, 2],
    "mixed": [1, "one", 4, 2, "two", 3, 1, "three", 2, 3, 4, "four", 1, 1, 2, None],
}
TEXTS = {
    "null": [None], "bytes": ["\udcff\udcfe", "behind"], "object": ["Object { number: 42 }", 42],
    "value": [42, "ab"],
}
# Decoded records as the log's text.
LOGGED = [
    "Enter: i8 - ((int8_t)INT8_MIN: -128)((int8_t)INT8_MAX: 127)",
    "Enter: i64 - ((uint8_t)1: 1)(INT64_MIN: -9223372036854775808)"
    "(INT64_MAX: 9223372036854775807)",
    "Enter: f32 - ((uint8_t)1: 1)(-FLT_MAX: -3.4028235e38)(0.5f: 0.5)(FLT_MIN: 1.1754944e-38)",
    "Enter: char - ((char)'a': 'a')((char)'\\xff': '\xff')((uint8_t)3: 3)",
    "Enter: pointer - ((void *)0: 0x0)((void *)UINTPTR_MAX: 0xffffffffffffffff)((uint8_t)4: 4)",
    "Enter: i128 - ((uint8_t)1: 1)(waymark_i128_of(UINT64_C(1) << 63, 0): "
    "-170141183460469231731687303715884105728)(waymark_i128_of(INT64_MAX, UINT64_MAX): "
    "170141183460469231731687303715884105727)",
    "Instant: none", "Counter: counted - (value: -2147483648)",
    "Flow begin: flow - ((uint8_t)7: 7)(UINT64_MAX: 18446744073709551615)",
    'Flow step: step - ("text": "text")', "Flow end: flow", "Exit: u8",
]


def fire(options, *mode, code=0):
    """Runs the program, which records into `trace`; returns its standard error."""
    done = subprocess.run([POINTS, options, *mode], stderr=subprocess.PIPE, text=True,
                          timeout=60, check=False)
    assert done.returncode == code, (mode, done)
    return done.stderr


def read(trace="trace", whole=True):
    """Returns the trace's records as waymark prints them; of a complete trace another reader must
    find the same number.
    """
    text = subprocess.run([WAYMARK, "print", "--json", trace], check=True, text=True,
                          stdout=subprocess.PIPE, errors="surrogateescape").stdout
    found = [r for r in map(json.loads, text.splitlines()) if "event" in r]
    if whole and os.path.isdir(trace) and shutil.which("babeltrace2"):
        other = subprocess.run(["babeltrace2", trace], check=True, errors="surrogateescape",
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        names = collections.Counter(re.findall(r"P:[^{]*?(?=: \{)", other))
        assert names == collections.Counter(r["event"] for r in found), names
    return found


def arguments(record):
    """Returns the program's arguments, without the number of a scope or flow."""
    return [v for k, v in record["args"].items() if k not in ("scope", "flow")]


def check_values(found, expected):
    """Checks that the first record of each name has these arguments."""
    first = {}
    for r in found:
        first.setdefault(r["event"], r)
    for name, values in expected.items():
        got = arguments(first["P:" + name])
        assert got == values, f"{name}: {got}, wanted {values}"


def check_pairs(found):
    """Checks that every scope has one end, with its name, from its thread. Returns the number of scopes."""
    begun = {}
    for r in found:
        name, number = r["event"], r["args"].get("scope")
        if number is None:
            continue
        if "scope_tid" in r["args"]:
            assert begun.pop(number, None) == (name[:-len("_end")], r["args"]["scope_tid"]), r
        else:
            assert number not in begun, r
            begun[number] = name, r["tid"]
    assert not begun, f"not ended: {begun}"
    return sum("scope_tid" in r["args"] for r in found)


def test_limits():
    """Every scalar at its limits, in records of every kind; then the same as text."""
    log = fire("*,backend=ctf,backend=log,ctf.file=trace", "limits")
    found = read()
    check_values(found, LIMITS)
    assert check_pairs(found) == 16, found
    steps = [r for r in found if r["event"] == "P:step"]
    flow, = (r for r in found if r["event"] == "P:flow")
    assert [r["args"]["flow"] for r in steps] == [flow["args"]["scope"]] * 2, steps
    assert not any("none" in r["event"] and "step" in r["event"] for r in found)
    for line in LOGGED:
        assert re.search(re.escape(line) + "$", log, re.M), f"{line!r} is not among {log}"


def test_simple():
    """A simpletrace file cannot record trace points: they are refused."""
    said = fire("*,backend=simple,simple.file=trace", "limits", code=2)
    assert "use a backend like ctf" in said, said


def test_many():
    """Sixteen arguments."""
    fire("*,backend=ctf,file=trace", "many")
    found = read()
    check_values(found, MANY)
    assert check_pairs(found) == 3


def text_lengths(options):
    """Returns the lengths of the recorded texts, and the records."""
    fire("*,backend=ctf,file=trace" + options, "texts")
    found = read()
    check_pairs(found)
    return [len(r["args"]["text"]) for r in found if r["event"] == "P:text"], found


def test_texts():
    """Text of any length, missing text, invalid UTF-8; objects."""
    lengths, found = text_lengths("")
    assert lengths[:3] == [0, 1, 300] and 16000 < lengths[3] == lengths[4] < 20000, lengths
    check_values(found, TEXTS)
    assert all(r["args"]["uint8_t_9"] == 9 for r in found if r["event"] == "P:text")
    lengths, found = text_lengths(",replace=on,string=64")
    assert lengths[:2] == [0, 1] and max(lengths[2:]) <= 64 and min(lengths[2:]) > 50, lengths


def test_signals():
    """Signal handlers interrupt trace points and fire others; errno is kept."""
    fire("*,backend=ctf,file=trace,full=block", "signals")
    found = read()
    check_pairs(found)
    counts = collections.Counter(r["event"] for r in found)
    assert counts["P:handler"] == counts["P:in handler"] == counts["P:handler_end"] >= 20, counts


def test_threads():
    """Eight threads; all of their scopes are paired."""
    fire("*,backend=ctf,file=trace,full=block", "threads", "2000")
    found = read()
    assert check_pairs(found) == 16000
    assert len({r["tid"] for r in found}) == 8


def test_gaps():
    """Events without memory are counted; recorded ones are complete."""
    fire("*,backend=ctf,file=trace,full=discard,buffer=1M", "threads", "15000")
    found = [r for r in read() if r["event"].startswith("P:threads")]
    begun = {r["args"]["scope"]: r["tid"] for r in found if r["event"] == "P:threads"}
    for r in found:
        tid = begun.get(r["args"]["scope"], r["tid"])
        assert tid == r["tid"] and r["args"].get("scope_tid", tid) == tid, r
    said = subprocess.run([WAYMARK, "info", "trace"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    lost = re.search(r"lost (\d+) events$", said, re.M)
    assert len(found) + int(lost[1] if lost else 0) == 8 * 15000 * 2, said


def test_killed():
    """The trace of a killed process has all events whose call has returned."""
    fire("*,backend=ctf,file=trace", "killed", code=-9)
    found = read(whole=False)
    ends = [r for r in found if r["event"] == "P:killed_end"]
    assert len(ends) == 5001 and check_pairs(found) == 5001, len(ends)


def main():
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            test()
            os.chdir("/")
    print(f"{len(tests)} tests")


main()
