#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that the costs in documents equal those of bench/RESULTS.md, within a tenth: each full run
rewrites that file, but not the documents. numbers.py ROOT
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
results = (root / "bench/RESULTS.md").read_text()


def table(heading):
    """Returns {(first cell, second cell): third cell, a number} of the table below a heading."""
    part = re.split(r"^##+ ", results.split(f"# {heading}\n")[1], flags=re.M)[0]
    return {(first, second): float(number) for first, second, number in
            re.findall(r"^\| ([^|]*?) +\| ([^|]*?) +\| ([\d.]+) ", part, flags=re.M)}


memory, disk = table("Into memory"), table("To the disk")
commands = table("Reading")


def costs(recorder, *tables):
    """Returns the least and the greatest cost of our four usual events, in ns."""
    found = [ns for rows in tables for (event, who), ns in rows.items()
             if who == recorder and re.fullmatch(r"(two_u64|u64_str), \d threads?", event)]
    return [min(found), max(found)]


def in_us(values):
    return [value / 1000 for value in values]


ONE = "two_u64, 1 thread"
NUMBER = r"\s*([\d.]+)"
floor = float(re.search(rf"^\| {ONE} +\| ctf +\| [\d.]+ +\| ([\d.]+) ", results, flags=re.M)[1])
flame = re.search(r"^\| waymark flamegraph +\| ([\d.]+) +(?:\| [\d.]+ +){3}\| ([\d.]+) ", results, flags=re.M)
# Document, a pattern of its text, the measured numbers in it.
CLAIMS = (
    ("README.md", rf"into memory, ns \|{NUMBER} \|{NUMBER} \|{NUMBER} \|{NUMBER}",
     [memory[ONE, "ctf"], floor, memory[ONE, "lttng"], memory[ONE, "dpdk"]]),
    ("README.md", rf"on the disk, ns \|{NUMBER} \|{NUMBER} \|{NUMBER}", [disk[ONE, "ctf"], floor, disk[ONE, "lttng"]]),
    ("README.md", rf"event that is off, instructions \|{NUMBER}",
     [float(re.search(r"a disabled site executes ([\d.]+)", results)[1])]),
    ("README.md", rf"printed as text, M events/s \|{NUMBER} .*babeltrace2:{NUMBER}",
     [commands["waymark print > /dev/null", "ctf"], commands["babeltrace2 > /dev/null", "ctf"]]),
    ("README.md", rf"10 million scopes \|{NUMBER} s .* in{NUMBER} MiB", [float(flame[1]), float(flame[2])]),
    ("docs/backends.md", rf"^\| `ctf` .*:{NUMBER} ns in bursts,{NUMBER} to{NUMBER} ns flat out",
     [costs("ctf", memory)[1], *costs("ctf", disk)]),
    ("docs/backends.md", rf"^\| `simple` .*:{NUMBER} ns in bursts,{NUMBER} to{NUMBER} ns flat out",
     [costs("simple", memory)[1], *costs("simple", disk)]),
    ("docs/backends.md", rf"^\| `log` .*`write`:{NUMBER} to{NUMBER} µs", in_us(costs("log", memory))),
    ("docs/backends.md", rf"^\| `syslog` .*`syslog\(\)`, which takes{NUMBER} to{NUMBER} µs",
     in_us(costs("syslog", memory))),
    ("docs/backends.md", rf"^\| `ust` .*:{NUMBER} to{NUMBER} ns", costs("lttng", memory, disk)),
    ("docs/backends.md", rf"storing 24 bytes takes{NUMBER} ns", [floor]),
    ("docs/from/lttng.md", rf"\|{NUMBER} to{NUMBER} ns an event", costs("lttng", memory, disk)),
    ("docs/from/lttng.md", rf"\[{NUMBER} to{NUMBER} ns\]\(../backends.md\)",
     [costs("ctf", memory)[1], costs("ctf", disk)[1]]),
    ("docs/from/printf.md", rf"`log`:{NUMBER} µs; `ctf`:{NUMBER} ns",
     [in_us(costs("log", memory))[1], costs("ctf", memory)[1]]),
    ("docs/tutorial.md", rf"while your program waits:{NUMBER} µs", in_us(costs("log", memory))[1:]),
    ("docs/tutorial.md", rf"which a thread writes to files:{NUMBER} ns", costs("ctf", memory)[1:]),
)


def is_near(said, measured):
    """Within a tenth, or within the rounding of the document's digits."""
    digits = len(said.partition(".")[2])
    return abs(float(said) - measured) <= max(measured / 10, 0.5 * 10 ** -digits)


def main():
    faults = []
    for path, pattern, measured in CLAIMS:
        found = re.search(pattern, (root / path).read_text(), flags=re.M)
        if not found:
            faults.append(f"{path}: nothing there is as {pattern}")
        elif len(found.groups()) != len(measured) or not all(map(is_near, found.groups(), measured)):
            faults.append(f"{path}: {found[0]!r}: bench/RESULTS.md has {measured}")
    print("\n".join(faults) or f"{len(CLAIMS)} claims are as measured")
    return 1 if faults else 0


sys.exit(main())
