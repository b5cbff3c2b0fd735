# SPDX-License-Identifier: MIT
"""Shared by the tests of this folder: programs, commands that follow them, and their output."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from memory import make_memory  # noqa: E402

WAYMARK, PACED, API, RESUMED = (os.path.abspath(a) for a in sys.argv[1:5])
STEP = re.compile(r"^(\d+)\.(\d{9}) (\d+) step thread (\d+) step (\d+)$")
GAP = re.compile(r"^# (\d+)\.(\d{9}) (\d+) (.*)$")
PATIENCE = 60


class Shown:
    """A parsed output: the steps of each thread, in order; losses; times."""

    def __init__(self, path, disorder_ns=0):
        self.first = {}
        self.last = {}
        self.count = 0
        self.lost = self.packets = 0
        self.others = []
        self.twice = []
        self.order = True
        latest = 0
        with open(path) as lines:
            for line in lines:
                m = STEP.match(line) or GAP.match(line)
                if not m:
                    self.others.append(line)
                    continue
                ns = int(m[1]) * 10**9 + int(m[2])
                self.order = self.order and ns >= latest - disorder_ns
                latest = max(ns, latest)
                if line[0] == "#":
                    self.gap(m[4])
                else:
                    self.step((m[3], int(m[4])), int(m[5]))

    def gap(self, text):
        """Parses a gap, which may have two parts: lost 3 events, 5 events overwritten."""
        self.lost += sum(map(int, re.findall(r"(\d+) event", text)))
        self.packets += sum(map(int, re.findall(r"(\d+) packet", text)))

    def step(self, thread, step):
        self.count += 1
        if step <= self.last.get(thread, -1):
            self.twice.append((thread, step))
        self.first.setdefault(thread, step)
        self.last[thread] = step

    def has_no_holes(self):
        return self.count == sum(self.last[t] - self.first[t] + 1 for t in self.last)


class Followed(unittest.TestCase):
    """Programs in a new folder, and commands that follow their traces."""

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.shm = make_memory()
        self.addCleanup(shutil.rmtree, self.shm)
        self.env = {**os.environ, "WAYMARK_SHM": str(self.shm)}
        self.trace = self.work / "t.ctf"

    def paced(self, *args, options=""):
        """Starts a program that records."""
        p = subprocess.Popen([PACED, *map(str, args)], stdout=subprocess.PIPE, text=True,
                             env={**self.env, "WAYMARK_TRACE": f"step,file={self.trace}{options}"})
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        return p

    def follow(self, *args, trace=None):
        """Starts a print that follows the trace."""
        out = open(self.work / f"out{len(list(self.work.glob('out*')))}", "w+")
        err = open(out.name.replace("out", "err"), "w+")
        p = subprocess.Popen([WAYMARK, "print", "--follow", *map(str, args), trace or self.trace],
                             stdout=out, stderr=err, text=True, env=self.env,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        p.out, p.err = out, err
        for what in (out.close, err.close, p.wait, p.kill):
            self.addCleanup(what)
        return p

    def wait_for(self, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.005)

    def text(self, p):
        return pathlib.Path(p.out.name).read_text()

    def notes(self, p):
        return pathlib.Path(p.err.name).read_text()

    def shown(self, p, status=0, **more):
        """Waits for the end of the command; returns its output."""
        self.assertEqual(p.wait(PATIENCE), status, self.notes(p))
        return Shown(p.out.name, **more)

    def recorded(self, p):
        m = re.search(r"recorded (\d+)", p.stdout.read())
        self.assertEqual(p.wait(PATIENCE), 0)
        return int(m[1])

    def assert_all(self, shown, count):
        self.assertEqual(shown.twice[:5], [])
        self.assertEqual((shown.lost, shown.packets, shown.others), (0, 0, []))
        self.assertEqual(shown.count, count)

    def plain(self, status=0):
        with open(self.work / "plain", "w") as out:
            done = subprocess.run([WAYMARK, "print", self.trace], stdout=out, text=True,
                                  stderr=subprocess.PIPE, env=self.env)
        self.assertEqual(done.returncode, status, done.stderr)
        return Shown(out.name)
