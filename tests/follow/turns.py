#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests following programs that change to other traces: turns.py WAYMARK PACED API"""
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from followed import PATIENCE, WAYMARK, Followed, Shown


class Turns(Followed):
    def begin(self, *args, options="", names=("second.ctf",)):
        """Starts a program that changes to these traces, and a command that follows it."""
        self.others = [self.work / name for name in names]
        program = self.paced(*args, "turn=" + ":".join(map(str, self.others)), options=options)
        self.wait_for(self.trace.exists)
        # On a busy machine it would finish before the command has started.
        program.send_signal(signal.SIGSTOP)
        p = self.follow()
        self.wait_for(lambda: self.has_mapped(p, self.shm) or p.poll() is not None)
        program.send_signal(signal.SIGCONT)
        return program, p

    def has_mapped(self, p, folder):
        """Returns whether a process has mapped a file of the folder."""
        return f" {folder}/" in pathlib.Path(f"/proc/{p.pid}/maps").read_text()

    def alone(self, trace):
        """Returns the output for a single trace."""
        out = self.work / "alone"
        with open(out, "w") as file:
            subprocess.run([WAYMARK, "print", trace], stdout=file, env=self.env, check=True)
        return Shown(out)

    def at_full_speed(self, policy, number):
        """Returns the output and the number of events; None if the program finished its first trace
        before it was followed, or lost nothing in the second."""
        program, p = self.begin(4, 500000, 0, options=f",buffer=1M,full={policy}",
                                names=(f"{policy}-{number}.ctf",))
        count = self.recorded(program)
        shown = self.shown(p)
        second = self.alone(self.others[0]) if self.others[0].exists() else None
        first = self.alone(self.trace)
        self.trace.rename(self.work / f"{policy}-{number}-first.ctf")
        is_late = shown.count + shown.lost == first.count + first.lost
        has_lost = second and min(first.lost, second.lost) > 0
        return (shown, count) if has_lost and not is_late else None

    def test_goes_on_where_the_program_goes_on(self):
        program = self.paced(2, 300, 6000, f"turn={self.work / 'second.ctf'}",
                             options=",flush=1")
        self.wait_for(self.trace.exists)
        p = self.follow()
        count = self.recorded(program)
        self.assert_all(self.shown(p), count)
        self.assertTrue((self.work / "second.ctf").is_dir())

    def test_losses_of_both_traces_are_reported(self):
        """The next trace counts only losses that the former one has not reported."""
        for policy in ("discard", "overwrite"):
            with self.subTest(policy=policy):
                tries = (self.at_full_speed(policy, number) for number in range(20))
                shown, count = next(filter(None, tries))
                self.assertEqual(shown.twice[:5], [])
                self.assertEqual(shown.count + shown.lost, count)

    def test_a_trace_between_two_looks_is_read(self):
        program, p = self.begin(2, 300, 6000, names=("second.ctf", "third.ctf"))
        self.wait_for(lambda: self.text(p).count("\n") > 10)
        p.send_signal(signal.SIGSTOP)
        count = self.recorded(program)
        p.send_signal(signal.SIGCONT)
        self.assert_all(self.shown(p), count)

    def test_a_trace_that_cannot_be_followed_is_reported(self):
        """Reported at the latest after some searches, even if the program keeps running."""
        for number, steps in ((0, 8000), (signal.SIGINT, 4000)):
            with self.subTest(signal=number):
                program, p = self.begin(1, steps, 1000, names=(f"{number}.ctf",))
                self.wait_for(lambda p=p: self.text(p).count("\n") > 10)
                p.send_signal(signal.SIGSTOP)
                self.assertEqual(program.stdout.readline(), "turned\n")
                self.others[0].rename(self.work / f"{number}-moved.ctf")
                p.send_signal(signal.SIGCONT)
                if number:
                    p.send_signal(number)
                self.assertEqual(p.wait(PATIENCE), 1, self.notes(p))
                self.assertRegex(self.notes(p), rf"continues in {self.others[0]}, which cannot be "
                                                "followed: (No such file|that is another trace)")
                self.assertIsNone(program.poll())
                program.kill()
                self.trace.rename(self.work / f"{number}-first.ctf")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
