#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that all readers read traces of trace points: read.py WAYMARK API PROGRAM CXX

Names with any characters, identical points and points with one name, NULL, expressions with
braces.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import expected

WAYMARK, API, PROGRAM, CXX = map(os.path.abspath, sys.argv[1:5])
PLAIN = ["VirtioFs:" + (n if isinstance(n, str) else n[0]) for n in expected.NAMES]
ESCAPED = ["VirtioFs:" + (n if isinstance(n, str) else n[1]) for n in expected.NAMES]


def check(condition, *words):
    if not condition:
        print("FAILED:", *words)
        sys.exit(1)


def run(*command, status=0, **environment):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, env={**os.environ, **environment})
    check(done.returncode == status, command, done.returncode, done.stderr)
    return done.stdout


def record(folder, *actions, program=PROGRAM, status=0, **environment):
    trace = tempfile.mkdtemp(dir=folder) + "/trace"
    run(program, *actions, status=status,
        WAYMARK_TRACE=f"*,backend=ctf,flush=60,ctf.file={trace}", **environment)
    return trace


def records(trace, *options):
    return [json.loads(s) for s in run(WAYMARK, "print", "--json", *options, trace).splitlines()]


def test_names(folder):
    trace = record(folder, "names=5")
    names = [r["event"] for r in records(trace)]
    check(names[2:-3] == PLAIN, names)
    check(names[:2] == ["VirtioFs:read (zero-message)", "VirtioFs:READ(10) [x]"], names)
    check(names[-2:] == ["VirtioFs:READ(10) [x]_end", "VirtioFs:read (zero-message)_end"], names)
    lines = [s.split(" ", 2)[2] for s in run(WAYMARK, "print", trace).splitlines()]
    shown = [n.replace("\\t", "\t") + " (number: 5)" for n in ESCAPED]
    check(lines[2:-3] == shown, lines, shown)
    check(lines[-3] == 'VirtioFs:same ("other": "other")(number: 5)', lines[-3])
    api = run(API, trace)
    for name in PLAIN:
        check(name + " 11:(number: 5) number=5\n" in api, name, api)
    if shutil.which("babeltrace2"):
        bt = run("babeltrace2", trace)
        for name in PLAIN:
            check(") " + name + ": { cpu_id" in bt, name, bt)
    rows = json.loads(run(WAYMARK, "scopes", "--json", trace))
    text = json.dumps(rows)
    check("VirtioFs:READ(10) [x]" in text and "VirtioFs:read (zero-message)" in text, text)


def test_values(folder):
    trace = record(folder, "values=-3")
    args = {r["event"]: r["args"] for r in records(trace)}
    check(args["VirtioFs:texts"]["null"] is None, args)
    check(args["VirtioFs:texts"]["self_tag"] == 'a "b"\n\t\\', args)
    check(args["VirtioFs:alike"].keys() == {"scope", "self_sector", "self_sector_",
                                            "self_sector_self"}, args)
    text = run(WAYMARK, "print", trace)
    for line in expected.VALUES:
        name, values = line.split(" - ")
        wanted = "VirtioFs:" + name + " " + values.replace(": NULL)", ": (null))") + " scope="
        check(wanted in text, wanted, text)
    api = run(API, trace)
    check(" null= - " in api and " letter= 3:'x'" in api, api)


def test_same_point_twice(folder):
    """A point in a header is one event; two points with one name are two events with different fields."""
    found = records(record(folder, "both=4"))
    check([(r["event"], sorted(r["args"])) for r in found] == [
        ("VirtioFs:twice", ["number", "scope"]), ("VirtioFs:twice_end", ["scope", "scope_tid"]),
        ("VirtioFs:twice", ["number", "scope"]),
        ("VirtioFs:twice_end", ["scope", "scope_tid"]),
        ("VirtioNet:same name", ["of_this_file"]), ("VirtioNet:same name", ["number"])], found)
    metadata = open(record(folder, "both=4") + "/metadata").read()
    check(metadata.count('name = "VirtioFs:twice";') == 1, metadata)
    check(metadata.count('name = "VirtioNet:same name";') == 2, metadata)


def test_filters_know_categories(folder):
    trace = record(folder, "document=1", "flows=2")
    for pattern, count in (("VirtioNet", 7), ("VirtioNet:handle RxTap event", 1), ("Virtio*", 11),
                           ("VirtioNet:handle*", 2)):
        found = records(trace, "--event=" + pattern)
        check(len(found) == count, pattern, len(found), found)
    said = subprocess.run([WAYMARK, "print", "--event=VirtoNet", trace], text=True,
                          stderr=subprocess.PIPE, stdout=subprocess.PIPE, timeout=60)
    check("did you mean 'VirtioNet'?" in said.stderr, said)


def test_killed_and_converted(folder):
    shm = tempfile.mkdtemp(dir=folder)
    trace = record(folder, "names=5", "values=-3", "die", status=-9, WAYMARK_SHM=shm)
    run(WAYMARK, "recover", trace, WAYMARK_SHM=shm)
    whole = record(folder, "names=5", "values=-3")

    def bare(name, *options):
        return [(r["event"], {k: v for k, v in r["args"].items() if k != "scope_tid"})
                for r in records(name, *options)]

    check(bare(trace) == bare(whole), bare(trace))
    simple = folder + "/simple"
    run(WAYMARK, "convert", "--to=simple", "-o", simple, whole)
    names = [r["event"] for r in records(simple)]
    check(names == [n for n, _ in bare(whole)], names)


def test_cxx(folder):
    trace = record(folder, program=CXX)
    lines = [s.split(" ", 2)[2].split(" scope=")[0]
             for s in run(WAYMARK, "print", trace).splitlines()]
    check([s for s in lines if not s.endswith("_end")] == [
        'VirtioFs:release (::) (tag.c_str(): "a \\"b\\"")(inode: 42)(inode > 1: true)',
        "VirtioFs:show<T> (value: 7)((std::pair<int, T>(1, value).first): 1)",
        "VirtioFs:show<T> (value: 0.5)((std::pair<int, T>(1, value).first): 1)",
        'VirtioFs:"in flight" (value: 3)',
        "VirtioFs:null (null: (null))('x': 'x')(L'\\0' == 0: true)", "print printed"], lines)
    rows = run(WAYMARK, "scopes", trace)
    check("VirtioFs:show<T> " in rows and "VirtioFs:release (::) " in rows, rows)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test(folder)


if __name__ == "__main__":
    main()
