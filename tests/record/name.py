#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that a trace's name follows the program: name.py WAYMARK PROGRAM STATIC_PROGRAM BLOCKCACHE LOGGED"""

import os
import shutil
import signal
import subprocess
import sys
import unittest

from recorded import FORKS, NOBODY, PROGRAM, Recorded, WAYMARK


class Name(Recorded):
    """Runs with one name, one after the other and at the same time."""

    def start_waiting(self, *args, **more):
        run = self.start(*args, PROGRAM, "5", "catch", "wait", **more)
        self.assertEqual(run.stdout.readline(), "ready\n")
        return run

    @FORKS
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
        """Otherwise the second run would count the first one's events as its own."""
        for first in ("catch", "5"):  # before it records anything, and after its events
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

    def test_a_name_that_no_trace_can_have_is_an_error_before(self):
        for name in ("n" * 256, "x" * 200 + "/" + "n" * 10, "/proc/t", "n/" * 2500, "./" * 2018 + "t"):
            out, said = self.record("-o", name, PROGRAM, "count", status=125)
            self.assertEqual(out, "")
            self.assertRegex(said, r"record: (cannot make the trace|-o: File name too long)")
        self.assertIn(": 2 events", self.record("-o", "n" * 255, PROGRAM, "1")[1])

    def test_a_second_program_replaces_no_trace_of_the_first(self):
        for before in ("replace=on", "tock,replace=on", "*,keep=1;replace=on;", "x,,,replace=on\n"):
            self.environment["WAYMARK_TRACE"] = before
            said = self.record("-o", "t", "sh", "-c", f"{PROGRAM} 2; {PROGRAM} 3")[1]
            self.assertIn("t: 7 events, 0 lost, 2 processes; also t.", said)
            for name in self.names():
                shutil.rmtree(self.work / name)

    def test_a_jail_is_for_drain(self):
        for before in ("*,jail=2", "jail=1", "x;jail=1", "x\njail=3,full=block", "x,,,jail=2"):
            self.environment["WAYMARK_TRACE"] = before
            out, said = self.record("-o", "t", PROGRAM, "count", status=125)
            self.assertEqual(out, "")
            self.assertIn("jail= in WAYMARK_TRACE: events of a jail are written by 'waymark drain'", said)
        for before in ("x,,jail=1", "x;;jail=1", "jail,control-mode=hmp"):
            self.environment["WAYMARK_TRACE"] = before
            self.assertIn("t: 2 events", self.record("-o", "t", "--replace", PROGRAM, "1")[1])

    # Existing traces with that name.

    def make_old(self, *args):
        """Makes a trace of 51 events, or the leftover of a program killed after them."""
        environment = {**self.environment, "WAYMARK_TRACE": "*,backend=ctf,file=t"}
        subprocess.run([PROGRAM, "50", *args], cwd=self.work, env=environment)
        self.check_old("t")

    def check_old(self, name):
        self.assertEqual(len(self.events(name)), 51)

    def left_in_memory(self):
        said = subprocess.run([WAYMARK, "recover", "--list"], text=True, capture_output=True).stdout
        return [line for line in said.splitlines() if str(self.work) in line]

    def aside(self):
        return [n for n in self.names() if n.startswith("t.old-") and len(n) == 12]

    def test_the_old_trace_stays_until_there_is_a_new_one(self):
        (self.work / "bad").write_text("#!/nowhere/sh\n")
        (self.work / "bad").chmod(0o755)
        for crash in ((), ("kill=9",)):
            self.make_old(*crash)
            names = self.names()
            for args, status, why in (
                    (["-o", "t", "./bad"], 127, "cannot run ./bad"),
                    (["-o", "t", "--option=full=foo", PROGRAM, "3"], 0, "nothing, t was not replaced"),
                    (["-o", "t", "-e", "no", PROGRAM, "3"], 0, "nothing, t was not replaced"),
                    (["-o", "t/.", PROGRAM, "3"], 125, "-o: t/. is not a name for a trace"),
                    (["-o", "t/./", PROGRAM, "3"], 125, "-o: t/./ is not a name for a trace"),
                    (["-o", "t/..", PROGRAM, "3"], 125, "-o: t/.. is not a name for a trace"),
                    (["-o", ".", PROGRAM, "3"], 125, "-o: . is not a name for a trace")):
                self.assertIn(why, self.record("--replace", *args, status=status)[1])
                self.assertEqual(self.names(), names)
                self.check_old("t")
            self.assertEqual(len(self.left_in_memory()), len(crash))
            self.assertIn("t: 4 events", self.record("--replace", "-o", "t", PROGRAM, "3")[1])
            self.assertEqual((self.names(), self.left_in_memory()), (names, []))
            self.assertEqual(len(self.events("t")), 4)
            shutil.rmtree(self.work / "t")

    def test_a_kill_while_the_old_trace_is_aside(self):
        for crash in ((), ("kill=9",)):
            self.make_old(*crash)
            self.kill_both("catch", "wait")
            self.assertEqual(self.names(), self.aside())
            self.check_old(self.aside()[0])
            self.assertIn("t was not replaced", self.record(
                "--replace", "-o", "t", PROGRAM)[1])
            self.assertEqual(self.names(), ["t"])
            self.check_old("t")
            self.kill_both("catch", "wait")
            self.assertIn("t: 4 events", self.record("--replace", "-o", "t", PROGRAM, "3")[1])
            self.assertEqual((self.names(), self.left_in_memory()), (["t"], []))
            shutil.rmtree(self.work / "t")

    def test_a_kill_behind_the_first_event_leaves_both(self):
        self.make_old()
        self.kill_both("2", "catch", "wait")
        old = self.aside()
        self.assertEqual(self.names(), ["t", *old])
        self.assertEqual(len(self.events("t")), 3)
        self.assertIn("t: 4 events", self.record("--replace", "-o", "t", PROGRAM, "3")[1])
        self.assertEqual(self.names(), ["t", *old])
        self.check_old(*old)

    def kill_both(self, *words):
        """Kills a run of record, and its program when that waits."""
        run = self.start("--replace", "-o", "t", PROGRAM, *words)
        self.assertEqual(run.stdout.readline(), "ready\n")
        program = self.child_of(run.pid)
        run.kill()
        run.wait()
        self.kill_stray(program)
        self.finish(run)

    def test_what_the_program_puts_there_is_not_taken_for_its_trace(self):
        self.make_old()
        said = self.record("--replace", "-o", "t", "mkdir", "t")[1]
        self.assertRegex(said, r"t: cannot restore the earlier trace, which is .*/t\.old-\w{6} now: File exists\n")
        self.check_old(*self.aside())

    def test_what_cannot_be_removed_is_not_begun(self):
        self.make_old()
        (self.work / "t" / "index" / "mine").write_text("mine")
        self.assertIn("is a directory with more than a trace in it", self.record(
            "--replace", "-o", "t", PROGRAM, "count", status=125)[1])
        self.check_old("t")
        (self.work / "t" / "index" / "mine").unlink()
        if os.geteuid() != 0:
            self.skipTest("needs root to run as another user")
        self.work.chmod(0o777)
        files = sorted(self.work.rglob("*"))
        said = self.record("--replace", "-o", "t", PROGRAM, "count", status=125, user=NOBODY,
                           group=NOBODY)[1]
        self.assertEqual(said, "waymark record: t: cannot be removed: Permission denied\n")
        self.assertEqual(sorted(self.work.rglob("*")), files)
        self.check_old("t")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
