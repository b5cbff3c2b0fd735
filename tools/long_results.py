# SPDX-License-Identifier: MIT
"""The results of long runs: a line each, and the table of docs/reliability.md made of them.

A line: date | commit | machine | run | seconds | counts | verdict. The table has the last
line of each run; runs of a fuzzer with the same sources are added up to one line.
"""

import pathlib
import re
import sys

import results

FILE = results.ROOT / "tests/long/results"
SHOWN = results.ROOT / "docs/reliability.md"
BLOCK = "long runs"
FIELDS = ("date", "commit", "machine", "run", "seconds", "counts", "verdict")
# The table's rows, whether they have run or not; fuzzers that have run follow.
RUNS = {"kills": "random kills", "threads": "threads that come and go",
        "large": "a large trace, printed and filtered"}


def text_of(line):
    return " | ".join(str(line[field]).replace("|", "/") for field in FIELDS)


def read(path):
    path = pathlib.Path(path)
    lines = []
    for number, text in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if text and not text.startswith("#"):
            cells = [cell.strip() for cell in text.split(" | ")]
            if len(cells) != len(FIELDS):
                sys.exit(f"{path}:{number}: error: {len(FIELDS)} cells with | in between")
            lines.append(dict(zip(FIELDS, cells)) | {"seconds": int(cells[4])})
    return lines


def is_fuzzer(run):
    return run.startswith("fuzz ")


def is_same(one, other):
    """Machines are ignored: times of one commit are added up, and the last verdict counts."""
    return all(one[key] == other[key] for key in ("run", "commit"))


def inputs_of(line):
    found = re.search(r"inputs (\d+)", line["counts"])
    return int(found[1]) if found else 0


def add(path, line):
    """Appends the line; a fuzzer's times are added to its line with the same sources."""
    path = pathlib.Path(path)
    line = dict(line)
    text = path.read_text() if path.exists() else ""
    former = [row for row in read(path) if is_fuzzer(line["run"]) and is_same(row, line)]
    for row in former:
        line["seconds"] += row["seconds"]
        line["counts"] = re.sub(r"inputs \d+", f"inputs {inputs_of(line) + inputs_of(row)}",
                                line["counts"])
        if row["verdict"] != "passed":
            line["verdict"] = row["verdict"]
    gone = {text_of(row) for row in former}
    kept = "".join(row for row in text.splitlines(True) if row.strip() not in gone)
    path.write_text(f"{kept}{text_of(line)}\n")


def seconds_of(path, run, commit):
    return sum(row["seconds"] for row in read(path) if (row["run"], row["commit"]) == (run, commit))


def how_long(seconds):
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size or seconds == size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds} s"


def table(lines):
    last = {line["run"]: line for line in lines}
    rows = ["| run | date | commit | machine | how long | what was done | verdict |",
            "|---|---|---|---|---|---|---|"]
    for run in (*RUNS, *sorted(run for run in last if is_fuzzer(run))):
        label = f"{run}: {RUNS[run]}" if run in RUNS else run
        if run in last:
            line = last[run]
            cells = (label, line["date"], line["commit"], line["machine"],
                     how_long(line["seconds"]), line["counts"], line["verdict"])
        else:
            cells = (label, "", "", "", "", "", "not run yet")
        rows.append("| " + " | ".join(cells) + " |")
    if not any(map(is_fuzzer, last)):
        rows.append("| fuzz: every fuzzer | | | | | | not run yet |")
    return "\n".join(rows)


def write_table():
    results.write_block(SHOWN, BLOCK, table(read(FILE)))
