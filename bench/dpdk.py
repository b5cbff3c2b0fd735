# SPDX-License-Identifier: MIT
"""DPDK's rte_trace: checks that it can be measured, and counts the events of its traces."""

import pathlib
import re
import shutil
import subprocess


def why_absent(programs):
    """The reason why it cannot be measured, or None."""
    if not (programs / "bench-memory-dpdk").exists():
        return "libdpdk-dev was not there when the benchmarks were built"
    return None if shutil.which("babeltrace2") else "babeltrace2 is not installed"


def count_of(path):
    """How many events babeltrace2 finds in a CTF trace."""
    command = ["babeltrace2", path, "--component=sink.utils.counter", "--params=step=+0"]
    said = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    found = re.search(r"([\d,]+) Event messages", said)
    return int(found[1].replace(",", "")) if found else 0


def count(path):
    """In the one trace that a program has saved in a directory."""
    traces = list(pathlib.Path(path).glob("rte-*"))
    return count_of(traces[0]) if len(traces) == 1 else 0
