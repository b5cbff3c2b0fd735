#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that WAYMARK_BEGIN() and WAYMARK_END() are paired in all cases: begin.py WAYMARK BEGIN."""
import glob
import json
import os
import subprocess
import sys
import tempfile

WAYMARK, BEGIN = map(os.path.realpath, sys.argv[1:3])

# Records in order; `+` begins, `-` ends.
EXPECTED = {
    "toggled": "+A:outer +A:inner -A:inner -A:outer",
    "crossed": "+A:a1 +B:b1 +A:a2 -B:b1 -A:a2 +B:b2 -A:a1 -B:b2",
    "deep": "+B:below" + " +A:deep" * 31 + " -B:below" + " -A:deep" * 31,
    # Discarded twice, each time with one more scope of both; the scopes that began last end.
    "mixed": "+A:mixed +B:mixed_too " * 38 + "-A:mixed " * 6 + "-B:mixed_too " * 6
             + "+A:behind -A:behind",
    "threads": "+B:here +A:left_open +B:ended -B:ended -B:here",
}


def run(mode):
    """Runs a mode; returns its output and the records of each process, the parent's first."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([BEGIN, f"*,backend=ctf,file={folder}/trace,full=block", mode],
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        assert done.returncode == 0, (mode, done)
        texts = [subprocess.run([WAYMARK, "print", "--json", trace], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
                 for trace in sorted(glob.glob(folder + "/trace*"), key=len)]
    return done.stderr, [[r for r in map(json.loads, t.splitlines()) if "event" in r]
                         for t in texts]


def shown(records):
    """Returns records in the form of EXPECTED. Every end must belong to an open scope, and have its name."""
    names = {}
    found = []
    for r in records:
        name = r["event"].replace(" ", "_")
        if "scope_tid" in r["args"]:
            name = name[:-len("_end")]
            assert names.pop(r["args"]["scope"]) == (name, r["args"]["scope_tid"]), r
            found.append("-" + name)
        elif "scope" in r["args"]:
            names[r["args"]["scope"]] = name, r["tid"]
            found.append("+" + name)
    return found, names


def main():
    for mode, expected in EXPECTED.items():
        said, traces = run(mode)
        found, _ = shown(traces[0])
        assert found == expected.split(), f"{mode}: {found}"
        lost = {"deep": "18 events lost", "mixed": "events lost"}.get(mode, "")
        assert lost in said and ("the deeper ones are lost" in said) == bool(lost), said
    found, left = shown(run("hammered")[1][0])
    assert not left and found, left
    if os.environ.get("WAYMARK_SANITIZER") == "address":
        print("skipped: ASan leaves its allocator locked in a child forked beside a running thread")
        sys.exit(77)
    _, (parent, child) = run("forked")
    assert shown(parent)[0] == ["+A:forked", "+B:of_another_thread", "-A:forked"], parent
    begun = next(r for r in parent if r["event"] == "A:forked")
    assert [r["args"]["scope"] for r in child] == [begun["args"]["scope"]], child
    _, (parent, child) = run("deep_forked")
    begun = [r["args"]["scope"] for r in parent[:32]]
    for who in (parent[32:], child):
        assert [r["args"]["scope"] for r in who] == begun[::-1], who
    print(f"{len(EXPECTED) + 3} tests")


main()
