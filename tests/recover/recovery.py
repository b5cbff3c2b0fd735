# SPDX-License-Identifier: MIT
"""For scripts that recover traces: makes a folder with a killed process's leftovers, runs the
command, and reads the trace. The first two arguments of these scripts are WAYMARK WRITE_TRACE."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import left  # also sets the path for tests/common
from memory import make_memory

WAYMARK, WRITE_TRACE = (os.path.abspath(a) for a in sys.argv[1:3])
NAME = "waymark-" + left.UUID.hex()


def contents(folder):
    return {str(f.relative_to(folder)): f.read_bytes()
            for f in sorted(folder.rglob("*")) if f.is_file()}


class Recovery(unittest.TestCase):
    def setUp(self):
        self.work = make_memory()
        self.addCleanup(shutil.rmtree, self.work)
        self.shm = self.work / "shm"
        self.shm.mkdir()

    def run_recover(self, *args, status=0, env=None):
        return self.waymark("recover", *args, status=status, env=env)

    def waymark(self, *args, status=0, env=None):
        done = subprocess.run([WAYMARK, *map(str, args)], capture_output=True, text=True,
                              env={**os.environ, "WAYMARK_SHM": str(self.shm), **(env or {})})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def make(self, name="trace", in_trace=False):
        """Makes leftovers: stream 1 half written, stream 2 not written, stream 3 with only losses."""
        trace = left.make_trace(WRITE_TRACE, self.work / name, {
            "stream-1": [left.written(1, 1, 5), left.written(1, 2, 300)]})
        left.set_ended(trace, 0)
        path = trace / ".arena" if in_trace else self.shm / NAME
        left.make_buffer(path, trace, {
            0: left.packet(1, 4, 7, lost=5),
            1: left.packet(1, 2, 300, end=left.end_of(2, 300)),
            2: left.packet(1, 3, 1000, end=left.end_of(3, 1000)),
            5: left.packet(2, 1, 0),
            6: left.packet(1, 1, 5, end=left.end_of(1, 5)),
        }, lost={1: 9, 3: 4})
        return trace

    def read(self, trace):
        """Returns the output of babeltrace2, which may warn of discarded events only."""
        if not shutil.which("babeltrace2"):
            self.skipTest("babeltrace2 is not installed")
        done = subprocess.run(["babeltrace2", trace], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        troubles = [line for line in done.stderr.splitlines()
                    if line and "discarded" not in line]
        self.assertEqual(troubles, [])
        return done.stdout.replace("\\slash\n:", "\\slash:").splitlines()  # the process's name

    def sequences(self, trace, name):
        return [f[8] for f, _ in left.read_packets((trace / name).read_bytes())]
