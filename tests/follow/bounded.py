#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that waymark print of a running program ends with the events recorded before it started, and
that waymark info counts them:
bounded.py WAYMARK PACED API
"""
import json
import os
import re
import shutil
import signal
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

    def command(self, *args):
        done = subprocess.run([WAYMARK, *args, self.trace], capture_output=True, text=True, env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def counted(self, state):
        """Returns the events and losses that `info` counts: those that `print` shows, one by one."""
        info = json.loads(self.command("info", "--json"))
        self.assertEqual(info["traces"][0]["state"], state)
        sums = [info[what] for what in ("events", "lost", "overwritten")]
        gaps = [line for line in self.command("print").splitlines() if line.startswith("#")]
        self.assertEqual(sums[0], int(self.command("print", "--count")))
        self.assertEqual(info["gaps"], len(gaps))
        for count, text in zip(sums[1:], (r"lost (\d+) event", r"(\d+) events? overwritten")):
            self.assertEqual(count, sum(map(int, re.findall(text, "\n".join(gaps)))))
        for what in ("events", "lost", "overwritten"):
            self.assertEqual(info[what], sum(thread[what] for thread in info["threads"]))
        return sums

    def test_info_counts_what_print_shows(self):
        """Of a process that was stopped in full flight, and of its memory when it was killed."""
        for options in (",buffer=1M", ",buffer=1M,full=overwrite", ",rotate=1M,keep=2"):
            with self.subTest(options=options):
                p = self.paced(3, 10**9, 0, options=options)
                self.wait_for(self.trace.exists)
                time.sleep(FEW / 10)
                p.send_signal(signal.SIGSTOP)
                os.waitpid(p.pid, os.WUNTRACED)
                sums = self.counted("running")
                self.assertGreater(sums[0], 0)
                self.assertEqual(sums[2] > 0, "overwrite" in options)
                p.kill()
                p.wait()
                self.assertEqual(self.counted("killed"), sums)
                shutil.rmtree(self.trace)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
