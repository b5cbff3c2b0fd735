#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the time of tracetool for one file and for all of QEMU 5.0: tracetool.py TRACETOOL ROOT"""

import os
import pathlib
import statistics
import sys
import tempfile
import time

ROUNDS = 5
# Warnings about the inputs are discarded here.
QUIET = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]


def inputs_of(root):
    shared = pathlib.Path(os.environ.get("WAYMARK_SHARED", root.parent / "shared"))
    files = sorted((shared / "data/qemu-5.0").rglob("trace-events"))
    if not files:
        print("QEMU's declarations are absent: the example's are taken")
        files = sorted((root / "examples").rglob("trace-events"))
    return files


def timed(command):
    begin = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=QUIET)
    status = os.waitpid(pid, 0)[1]
    elapsed = time.perf_counter() - begin
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return elapsed


def round_of(tracetool, files, directory):
    """Returns the times of one run per format and file, each output written anew."""
    times = []
    for number, path in enumerate(files):
        for letter in "hc":
            output = f"{directory}/{number}.{letter}"
            pathlib.Path(output).unlink(missing_ok=True)
            times.append(timed([tracetool, f"--format={letter}", "--backends=log,simple",
                                "--group=bench", str(path), output]))
    return times


def main():
    tracetool, root = sys.argv[1], pathlib.Path(sys.argv[2])
    files = inputs_of(root)
    with tempfile.TemporaryDirectory() as directory:
        rounds = [round_of(tracetool, files, directory) for _ in range(ROUNDS)]
    runs = [value for times in rounds for value in times]
    nothing = statistics.median(timed(["/bin/true"]) for _ in range(len(runs) // ROUNDS))
    one, whole = statistics.median(runs), statistics.median(map(sum, rounds))
    print(f"one run            median {one * 1e3:7.2f} ms  worst {max(runs) * 1e3:.2f} ms"
          f"  (/bin/true: {nothing * 1e3:.2f} ms)")
    print(f"{len(files)} files, h and c  median {whole * 1e3:7.2f} ms in {len(files) * 2} runs")


if __name__ == "__main__":
    sys.exit(main())
