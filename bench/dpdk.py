# SPDX-License-Identifier: MIT
"""Checks that DPDK's rte_trace can be measured, and counts the events of its traces."""

import pathlib
import re
import shutil
import subprocess


def why_absent(programs):
    """Returns the reason why DPDK cannot be measured, or None."""
    if not (programs / "bench-memory-dpdk").exists():
        return "libdpdk-dev was not there when the benchmarks were built"
    return None if shutil.which("babeltrace2") else "babeltrace2 is not installed"


def count_of(path):
    """Returns the number of events that babeltrace2 finds in a CTF trace."""
    command = ["babeltrace2", path, "--component=sink.utils.counter", "--params=step=+0"]
    said = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    found = re.search(r"([\d,]+) Event messages", said)
    return int(found[1].replace(",", "")) if found else 0


def count(path):
    """Returns the number of events in the only trace that a program has saved in a directory."""
    traces = list(pathlib.Path(path).glob("rte-*"))
    return count_of(traces[0]) if len(traces) == 1 else 0
