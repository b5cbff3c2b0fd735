#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that waymark print of a running program ends with the events recorded before it started:
bounded.py WAYMARK PACED API
"""
import subprocess
import sys
import time
import unittest

from followed import Followed, PACED, Shown, WAYMARK

FEW = 0.3  # seconds after which the writer has written


class Bounded(Followed):
    def record(self, thread, steps):
        self.program.stdin.write(f"{thread} {steps}\n")
        self.program.stdin.flush()
        self.assertEqual(self.program.stdout.readline(), "recorded\n")

    def pieces(self):
        return sorted(path.name for path in self.trace.glob("stream-1*"))

    def start(self):
        options = f"step,file={self.trace},buffer=1M,full=block,rotate=1M"
        p = subprocess.Popen([PACED, "2", "10000000", "0", "asked"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True,
                             env={**self.env, "WAYMARK_TRACE": options})
        for what in (p.stdin.close, p.stdout.close, p.wait, p.kill):
            self.addCleanup(what)
        return p

    def read_until(self, out, step):
        """Like a pager: leaves output in the pipe, so that `waymark` waits."""
        text = b""
        while f"step thread 1 step {step}\n".encode() not in text:
            text += out.read(8192)
        return text

    def test_pieces_that_come_meanwhile_are_no_gap(self):
        """The other thread's packet leaves memory, and the list of files is read again."""
        self.program = self.start()
        self.record(1, 48000)
        while self.pieces() != ["stream-1", "stream-1-1"]:
            self.record(1, 3000)
            time.sleep(FEW)
        self.record(1, 18000)
        self.record(0, 1)
        self.record(1, 500)
        time.sleep(FEW)
        p = subprocess.Popen([WAYMARK, "print", self.trace], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, env=self.env, bufsize=0)
        time.sleep(FEW)
        self.record(1, 9000)
        time.sleep(FEW)
        text = self.read_until(p.stdout, 45000)
        for thread, steps in ((1, 60000), (0, 6000), (1, 40000), (0, 6000)):
            self.record(thread, steps)
        time.sleep(FEW)
        text += p.communicate()[0]
        (self.work / "out").write_bytes(text)
        shown = Shown(self.work / "out")
        self.assertEqual(p.returncode, 0)
        self.assertEqual((shown.lost, shown.packets, shown.twice, shown.others), (0, 0, [], []))
        self.assertTrue(shown.has_no_holes())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
