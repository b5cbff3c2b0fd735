#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whose a trace's name is: name.py WAYMARK PROGRAM STATIC_PROGRAM BLOCKCACHE LOGGED"""

import signal
import subprocess
import sys
import unittest

from recorded import PROGRAM, Recorded


class Name(Recorded):
    """Runs of one name, one after the other and at once."""

    def start_waiting(self, *args, **more):
        run = self.start(*args, PROGRAM, "5", "catch", "wait", **more)
        self.assertEqual(run.stdout.readline(), "ready\n")
        return run

    def test_traces_of_other_runs_are_not_counted(self):
        self.record("-o", "t", PROGRAM, "3", "fork", "4")
        said = self.record("-o", "t", "--replace", PROGRAM, "1")[1]
        self.assertEqual(said, "waymark record: t: 2 events, 0 lost, 1 process\n")

    def test_a_trace_that_is_recorded_is_not_replaced(self):
        self.environment["WAYMARK_TRACE"] = "*,backend=ctf,file=t"
        with subprocess.Popen([PROGRAM, "5", "catch", "wait"], cwd=self.work, text=True,
                              env=self.environment, stdout=subprocess.PIPE) as run:
            self.assertEqual(run.stdout.readline(), "ready\n")
            del self.environment["WAYMARK_TRACE"]
            self.assertIn(f"is being recorded by process {run.pid}", self.record(
                "-o", "t", "--replace", PROGRAM, "1", status=125)[1])
            run.send_signal(signal.SIGTERM)
        self.assertEqual(len(self.events("t")), 6)

    def test_two_runs_at_once_have_not_one_name(self):
        """The second one would count the first one's events as its own."""
        for first in ("catch", "5"):  # before it records anything, and behind that
            run = self.start("-o", "t", "--replace", PROGRAM, first, "catch", "wait", "2")
            self.assertEqual(run.stdout.readline(), "ready\n")
            for more in ((), ("--replace",)):
                out, said = self.record("-o", "../" + self.work.name + "/t", *more, PROGRAM, "count",
                                        status=125)
                self.assertEqual(out, "")
                self.assertIn("another 'waymark record' is recording it: end that first", said)
            self.assertIn("u: 2 events, 0 lost, 1 process", self.record("-o", "u", "--replace",
                                                                        PROGRAM, "1")[1])
            run.send_signal(signal.SIGTERM)
            self.assertIn(f"t: {9 if first == '5' else 3} events, 0 lost, 1 process",
                          self.finish(run)[2])

    def test_a_run_that_is_killed_leaves_the_name_to_others(self):
        run = self.start_waiting("-o", "t")
        program = self.child_of(run.pid)
        run.kill()
        run.wait()
        self.assertIn(f"is being recorded by process {program}", self.record(
            "-o", "t", "--replace", PROGRAM, "1", status=125)[1])
        self.kill_stray(program)
        self.finish(run)
        self.assertIn("t: 2 events", self.record("-o", "t", "--replace", PROGRAM, "1")[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
