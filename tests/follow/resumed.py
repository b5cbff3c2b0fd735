#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests readers that go on where others ended: resumed.py WAYMARK PACED API RESUMED [TEST...]"""
import subprocess
import sys
import time
import unittest

from followed import PATIENCE, RESUMED, Followed, Shown

NS = 10**9


class Resumed(Followed):
    def resume(self, seed):
        """Returns all that many readers print, one after the other, until the program has ended."""
        with open(self.work / f"resumed-{seed}", "w") as out:
            done = subprocess.run([RESUMED, self.trace, str(seed)], stdout=out, stderr=subprocess.PIPE, text=True,
                                  env=self.env, timeout=2 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return Shown(out.name, disorder_ns=NS)

    def begin(self, *args, options=""):
        program = self.paced(*args, options=options)
        self.wait_for(self.trace.exists)
        return program

    def test_a_running_program(self):
        for seed in range(5):
            self.trace = self.work / f"running-{seed}.ctf"
            program = self.begin(3, 30000, -300, options=",full=block,buffer=8M,flush=1")
            shown = self.resume(seed)
            self.assert_all(shown, self.recorded(program))

    def test_an_ended_program(self):
        count = self.recorded(self.begin(3, 60000, 0, options=",full=block,buffer=8M"))
        for seed in range(5):
            self.assert_all(self.resume(seed), count)

    def test_the_files_of_a_rotated_trace(self):
        for seed in range(3):
            self.trace = self.work / f"rotated-{seed}.ctf"
            program = self.begin(2, 150000, -500, options=",full=block,buffer=16M,rotate=1M")
            shown = self.resume(seed)
            self.assert_all(shown, self.recorded(program))
            self.assertGreater(len(list(self.trace.glob("stream-1-*"))), 1)

    def test_a_killed_program(self):
        for seed in range(3):
            self.trace = self.work / f"killed-{seed}.ctf"
            program = self.begin(2, 10**9, -200, options=",full=block,buffer=8M")
            time.sleep(0.2 + 0.1 * seed)
            program.kill()
            program.wait()
            shown, plain = self.resume(seed), self.plain()
            self.assertTrue(shown.has_no_holes())
            self.assertEqual((shown.twice[:5], shown.lost, shown.last), ([], 0, plain.last))

    def test_losses_are_reported_once(self):
        lost = 0
        for seed in range(4):
            self.trace = self.work / f"lost-{seed}.ctf"
            program = self.begin(4, 400000, 0, options=",buffer=1M")
            shown = self.resume(seed)
            self.assertEqual((shown.twice[:5], shown.packets), ([], 0))
            self.assertEqual(shown.count + shown.lost, self.recorded(program))
            lost += shown.lost
        self.assertGreater(lost, 0)

    def test_what_was_read_is_not_reported_as_overwritten(self):
        for seed in range(3):
            self.trace = self.work / f"overwritten-{seed}.ctf"
            program = self.begin(2, 100000, -500, options=",full=overwrite,buffer=1M,snapshot=USR2")
            reader = subprocess.Popen([RESUMED, self.trace, str(seed)], env=self.env, stdout=subprocess.PIPE, text=True)
            text = reader.communicate(timeout=2 * PATIENCE)[0]
            (self.work / "text").write_text(text)
            shown = Shown(self.work / "text", disorder_ns=NS)
            self.assertEqual((reader.returncode, shown.twice[:5], shown.packets), (0, [], 0))
            self.assertEqual(shown.count + shown.lost, self.recorded(program))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
