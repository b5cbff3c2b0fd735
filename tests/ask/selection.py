#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""selection.py WAYMARK ASK: what the options of `waymark print` select is what is left of all records
after the same selection in Python, though the reader leaves out packets and events before.
"""
import fnmatch
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../common"))
from compare import check, finish

waymark, ask = sys.argv[1:]
ROUNDS = 20


def record(folder, name):
    trace = folder / name
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,full=block,file={trace}")
    subprocess.run([ask, "3", "1000"], check=True, env=environment, timeout=60)
    return trace


def printed(*arguments):
    told = subprocess.run([waymark, "print", "--json", *map(str, arguments)], check=True, timeout=60,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
    return [json.loads(line, parse_float=lambda text: int(text.replace(".", ""))) for line in told.splitlines()]


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


def choose(chance, records):
    """Returns options, and a function that is true for the records they select."""
    options, tests = [], []
    times = sorted(record["time"] for record in records)
    if chance.random() < 0.6:
        first, last = sorted((chance.choice(times), chance.choice(times)))
        options += ["--since", seconds(first), "--until", seconds(last)]
        tests.append(lambda record: first <= record["time"] <= last)
    if chance.random() < 0.4:
        threads = chance.sample(sorted({record["tid"] for record in records}), 2)
        options += [f"--thread={tid}" for tid in threads]
        tests.append(lambda record: record["tid"] in threads)
    if chance.random() < 0.6:
        pattern = chance.choice(["ask_rare", "ask_*t*", "ask_tick", "ask_complete", "*e"])
        options += ["--event", pattern]
        tests.append(lambda record: fnmatch.fnmatchcase(record["event"], pattern))
    if chance.random() < 0.4:
        options += ["--where", "a > 30 || bytes >= 4K"]
        tests.append(lambda record: record["args"].get("a", 0) > 30 or record["args"].get("bytes", 0) >= 4096)
    return options, lambda record: all(test(record) for test in tests)


def main():
    chance = random.Random(29)
    with tempfile.TemporaryDirectory() as folder:
        one = record(pathlib.Path(folder), "one.ctf")
        traces = [[one], [one, record(pathlib.Path(folder), "two.ctf")]]
        for paths in traces:
            records = printed(*paths)
            check("records", len(records) > 50000, True)
            for _ in range(ROUNDS):
                options, selects = choose(chance, records)
                wanted = [record for record in records if selects(record)]
                found = printed(*options, *paths)
                if found != wanted:
                    check(f"{options} of {len(paths)} traces", len(found), len(wanted))
                    check(f"{options}: the same records", False, True)
    finish()


main()
