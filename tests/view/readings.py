#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Readings for tiles take bounded memory, and say rightly why one is not exact: readings.py WAYMARK PROGRAM TEST_NEAR"""

import concurrent.futures
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from served import Served, check, finish

WAYMARK, PROGRAM, TEST_NEAR = map(os.path.realpath, sys.argv[1:4])
CLIENTS = 40
ROUNDS = 16000 # of 15 events: not yet too many for an answer


def peak(process):
    """The most memory of a process so far, in MiB."""
    lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) >> 10


def check_memory(trace):
    """Many clients ask at one time for as many items as an answer may read."""
    with Served(WAYMARK, trace) as served:
        known = served.trace()
        ask = {"from": 0, "to": known["length"] + 1, "columns": 500, "tracks": "0,1"}
        check("an exact tile", served.ask("/api/tile", **ask)["near"], True)
        before = peak(served.process)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
            tiles = list(clients.map(lambda _: served.ask("/api/tile", **ask), range(CLIENTS)))
        check("all are exact", {tile["near"] for tile in tiles}, {True})
        if "WAYMARK_SANITIZER" not in os.environ:
            check(f"memory of {CLIENTS} tiles: {before} MiB, then {peak(served.process)} MiB", peak(served.process) < 256, True)
        check("the end", served.end(), (0, ""))


def check_unopened(trace):
    """A tile that cannot be read for want of files is no changed trace."""
    with Served(WAYMARK, trace) as served:
        length = served.trace()["length"]
        open_files = len(os.listdir(f"/proc/{served.process.pid}/fd"))
        limits = resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (open_files + 2, open_files + 200))
        tile = served.tile(0, length // 100 + 1, tracks=(0,))
        check(f"without files: {tile.get('far')}", (tile["near"], tile.get("bad"), "Too many open files" in tile["far"]),
              (False, True, True))
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (open_files + 200, open_files + 200))
        check("with files", served.tile(0, length // 100 + 1, tracks=(0,))["near"], True)
        check("limits", limits[0] > open_files, True)


def check_removed(trace):
    with Served(WAYMARK, trace) as served:
        length = served.trace()["length"]
        trace.rename(trace.with_name("moved"))
        tile = served.tile(0, length // 100 + 1, tracks=(0,))
        check(f"removed: {tile.get('far')}", (tile["near"], tile.get("bad"), "No such file" in tile["far"]), (False, True, True))
        trace.with_name("moved").rename(trace)


def check_truncated(trace):
    """A trace with a problem that is cut while it is shown: half a tile is not exact."""
    with open(trace / "stream-1", "r+b") as f:
        f.seek(f.seek(0, os.SEEK_END) // 4 // 8 * 8)
        f.write(b"\xff" * 64)
    with Served(WAYMARK, trace) as served:
        known = served.trace()
        check("it has a problem", known["problems"] > 0, True)
        whole = served.tile(0, known["length"] + 1)
        check("known problems", (whole["near"], "far" in whole), (True, False))
        for path in trace.glob("stream-*"):
            os.truncate(path, path.stat().st_size // 3)
        tile = served.tile(0, known["length"] + 1)
        check(f"cut: {tile.get('far')}", (tile["near"], tile.get("bad")), (False, True))


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        for rounds, label in (ROUNDS, "long.ctf"), (2000, "short.ctf"):
            subprocess.run([PROGRAM, str(rounds)], check=True,
                           env={**os.environ, "WAYMARK_TRACE": f"*,full=block,file={work / label}"})
        subprocess.run([TEST_NEAR, work / "short.ctf"], check=True)
        check_memory(work / "long.ctf")
        check_unopened(work / "short.ctf")
        check_removed(work / "short.ctf")
        shutil.copytree(work / "short.ctf", work / "damaged.ctf")
        check_truncated(work / "damaged.ctf")
    finish()


if __name__ == "__main__":
    main()
