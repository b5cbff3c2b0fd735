#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that no two scopes of a forked family have the same id: family.py WAYMARK FAMILY."""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

WAYMARK, FAMILY = sys.argv[1:3]
PROCESSES = 1 + 2 + 4 + 8
# Rounds per form: 100 at the begin of each process, on each of its four threads, and after each
# fork of the first 7.
ROUNDS = 100 * (PROCESSES * 5 + 7 * 2)


def main():
    ids = collections.Counter()
    pids = set()
    if os.environ.get("WAYMARK_SANITIZER") == "address":
        print("skipped: ASan leaves its allocator locked in a child forked beside a running thread")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([FAMILY, folder], check=True, timeout=60)
        for trace in glob.glob(folder + "/trace*"):
            text = subprocess.run([WAYMARK, "print", "--json", trace], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout
            for record in map(json.loads, text.splitlines()):
                if "scope_tid" not in record["args"]:
                    ids[record["args"]["scope"]] += 1
                    pids.add(record["pid"])
    assert len(pids) == PROCESSES, pids
    twice = [i for i, n in ids.items() if n > 1]
    assert not twice, f"{len(twice)} of {len(ids)} ids are there more than once: {twice[:5]}"
    assert len(ids) == 4 * ROUNDS, (len(ids), ROUNDS)
    assert sum(i >= 1 << 32 for i in ids) == 2 * ROUNDS, "of scopes"
    assert sum(i < 0 for i in ids) == 2 * ROUNDS, "of flows"
    print(f"{len(ids)} ids of {len(pids)} processes")


main()
