# SPDX-License-Identifier: MIT
"""Shared by the tests of waymark top: runs busy, the program whose rate is known."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../common"))
from compare import check, finish  # noqa: E402,F401
from memory import make_memory  # noqa: E402

WAYMARK, BUSY = (os.path.abspath(a) for a in sys.argv[1:3])
PATIENCE = 60
WORK = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
SHM = make_memory()
ENV = {**os.environ, "WAYMARK_SHM": str(SHM), "LC_ALL": "C.UTF-8"}
ENV.pop("WAYMARK_TRACE", None)


def clean():
    shutil.rmtree(WORK)
    shutil.rmtree(SHM)


class Busy:
    """A running program; `with` ends it."""

    def __init__(self, *args, options="", trace=None, program=BUSY):
        self.trace = WORK / (trace or f"{time.monotonic_ns()}.ctf")
        env = {**ENV, "WAYMARK_TRACE": f"*,backend=ctf,file={self.trace}{options}"}
        self.process = subprocess.Popen([program, *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=env, text=True, cwd=WORK)
        self.pid = self.process.pid
        if len(args) < 3:
            self.wait_for(lambda: self.count()[1] > 0)
        self.wait_for(lambda: (self.trace / "metadata").exists())

    def wait_for(self, what):
        end = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.01)

    def ask(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [int(n) for n in self.process.stdout.readline().split()]

    def count(self):
        """Returns the time in ns and the events so far."""
        return self.ask()[:2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def rate_of(before, after):
    return (after[1] - before[1]) / (after[0] - before[0]) * 1e9


def near(a, b, percent):
    return abs(a - b) <= b * percent / 100
