#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark recover with many leftovers: leftovers.py WAYMARK WRITE_TRACE

One command lists, recovers or discards all of them. Leftovers of living processes stay unchanged;
a trace that was removed or copied is reported.
"""

import fcntl
import os
import pwd
import re
import shutil
import sys
import time
import unittest

import left
from recovery import NAME, Recovery, contents


class Leftovers(Recovery):
    def listed(self, *args):
        """Returns the only line of the list, with the caller's name as USER."""
        header, *lines = self.run_recover(*(args or ["--list"])).splitlines()
        self.assertEqual(header.split("\t"), ["SIZE", "AGE", "USER", "PID", "PROCESS", "TRACE",
                                              "COMMAND", "BUFFER", "DIRECTORY"])
        self.assertEqual(len(lines), 1)
        fields = lines[0].split("\t")
        self.assertEqual(fields[2], pwd.getpwuid(os.getuid()).pw_name)
        return fields[:2] + ["USER"] + fields[3:]

    def test_without_an_argument_it_only_lists(self):
        trace = self.make()
        before = contents(self.work)
        fields = self.listed("--list")
        self.assertEqual(fields[7:], [str(self.shm / NAME), str(trace)])
        self.assertRegex(fields[0], r"^\d+[KM]$")
        now = time.time() - 1_700_000_100
        self.assertIn(int(fields[1][:-1]), (int(now / 86400), int(now / 86400) + 1))
        self.assertEqual(contents(self.work), before)

    def test_without_an_argument_it_prints_a_table(self):
        trace = self.make()
        fields = self.listed("--list")
        header, line, empty, advice = self.run_recover().splitlines()
        self.assertEqual(header.split()[:2], ["SIZE", "AGE"])
        for title, field in zip(header.split(), fields):
            if title in ("SIZE", "AGE", "PID"):
                end = header.index(title) + len(title)
                self.assertEqual(line[:end].split()[-1], field)
            elif title != "USER":
                self.assertEqual(line[header.index(title):][:len(field)], field)
        self.assertEqual(line.split()[-1], str(trace))
        self.assertEqual((empty, advice), ("", f"1 dead process of yours left {fields[0]} in memory: 'waymark "
                                               "recover --all' writes it to the traces"))
        with open(self.shm / NAME, "rb") as buffer:
            fcntl.flock(buffer, fcntl.LOCK_SH)
            self.assertEqual(len(self.run_recover().splitlines()), 2)

    def test_a_living_process_keeps_its_buffer(self):
        trace = self.make()
        before = contents(trace)
        with open(self.shm / NAME, "rb") as buffer:
            fcntl.flock(buffer, fcntl.LOCK_SH)
            said = self.run_recover(trace, status=1)
            self.assertIn(f"{trace}: is still being recorded by process 4242", said)
            self.assertEqual(contents(trace), before)
            self.assertEqual(self.listed()[2:7], ["USER", "4242", "alive", "there", "back\\slash\\n"])
            self.run_recover("--discard", trace, status=1)
            self.run_recover("--all")
            self.run_recover("--discard-gone")
        self.assertEqual(contents(trace), before)
        self.assertEqual(self.listed()[4], "dead")

    def test_a_trace_without_its_memory_is_not_called_whole(self):
        trace = self.make()
        state = lambda: re.search("^state +([a-z]+)", self.waymark("info", trace), re.M)[1]
        self.assertEqual(state(), "killed")
        away = self.shm.rename(self.work / "away")
        self.shm.mkdir()  # as after the next boot
        for _ in range(2):
            self.assertIn(f"{trace}: cannot be repaired: its process did not end it, and its memory "
                          "is not here: the last events are missing\n", self.run_recover(trace, status=1))
            self.assertEqual(state(), "unfinished")
        self.shm.rmdir()
        away.rename(self.shm)
        self.assertIn("1007 events recovered", self.run_recover(trace))
        self.assertEqual(state(), "recovered")

    def test_memory_that_is_damaged_is_named(self):
        trace = self.make()
        os.truncate(self.shm / NAME, 100)
        for args in ((trace,), ("--discard", trace)):
            self.assertIn(f"{trace}: its process's memory ({self.shm / NAME}) is damaged: remove ",
                          self.run_recover(*args, status=1))

    def test_memory_without_a_trace_is_named(self):
        """The process could not make its trace, so no trace was moved."""
        never = self.shm / ("waymark-" + 16 * "cd")
        left.make_buffer(never, "", {})
        said = self.run_recover("--all", status=1)
        self.assertIn(f"{never}: its process could not make its trace", said)
        self.assertNotIn("moved", said)
        self.run_recover("--discard-gone")
        self.assertEqual(list(self.shm.iterdir()), [])

    def test_all_of_the_dead_are_recovered(self):
        trace = self.make()
        gone = self.shm / ("waymark-" + 16 * "cd")
        left.make_buffer(gone, "/nowhere/at/all", {})
        before = contents(self.work)
        self.assertEqual(self.run_recover("--list").count("\n"), 3)
        said = self.run_recover("--all", "--dry-run")
        self.assertIn(f"{self.shm / NAME}: would be recovered: process 4242", said)
        self.assertEqual(contents(self.work), before)
        said = self.run_recover("--all", status=1)
        self.assertIn(f"{trace}: 3 streams", said)
        self.assertIn(f"{gone}: its trace '/nowhere/at/all' is gone", said)
        self.assertEqual(list(self.shm.iterdir()), [gone])
        self.assertEqual(self.run_recover("--discard", gone), f"{gone}: discarded\n")
        self.assertIn("no process left memory", self.run_recover("--all"))

    def test_what_is_gone_is_thrown_away_at_once(self):
        self.make()
        buffers = [self.shm / ("waymark-" + 16 * f"{i:02x}") for i in range(4)]
        for buffer in buffers:
            left.make_buffer(buffer, self.work / "nowhere", {})
        before = contents(self.work)
        with open(buffers[3], "rb") as living:
            fcntl.flock(living, fcntl.LOCK_SH)
            said = self.run_recover("--discard-gone", "--dry-run")
            self.assertEqual(re.findall(r"^(.*): would be discarded: process 4242, trace (.*)$", said,
                                        re.M), [(str(a), f"{self.work}/nowhere") for a in buffers[:3]])
            self.assertEqual(contents(self.work), before)
            said = self.run_recover("--discard-gone")
            self.assertEqual(said, "".join(f"{a}: discarded\n" for a in buffers[:3]))
        self.assertEqual(sorted(self.shm.iterdir()), [buffers[3], self.shm / NAME])

    def test_a_trace_that_is_gone_is_explained(self):
        trace = self.make()
        moved = self.work / "moved"
        trace.rename(moved)
        for command in ("print", "info", "recover"):
            said = self.waymark(command, trace, status=1)
            self.assertIn("is gone, and the events that process 4242 left in memory cannot be read", said)
            self.assertIn(f"waymark recover --discard {self.shm / NAME}", said)
        with open(self.shm / NAME, "rb") as living:
            fcntl.flock(living, fcntl.LOCK_SH)
            for command in ("print", "recover"):
                said = self.waymark(command, trace, status=1)
                self.assertIn("is gone, but process 4242 still records into it", said)
                self.assertNotIn("--discard", said)
        self.assertIn("if it was moved, recover it where it is now", self.run_recover("--all", status=1))
        self.assertIn("1007 events recovered", self.run_recover(moved))

    def test_a_copy_leaves_the_original_what_is_its(self):
        trace = self.make()
        copy = shutil.copytree(trace, self.work / "copy")
        said = self.run_recover(copy)
        self.assertIn("1007 events recovered", said)
        self.assertIn(f"{copy}: is a copy of {trace}", said)
        self.assertIn("nothing to do", self.run_recover(copy))
        self.assertIn("1007 events recovered", self.run_recover(trace))
        self.assertEqual(contents(trace), contents(copy))
        self.assertEqual(list(self.shm.iterdir()), [])

    def test_leftovers_are_thrown_away_unread(self):
        trace = self.make()
        before = contents(trace)
        self.assertEqual(self.run_recover("--discard", trace), f"{trace}: discarded\n")
        self.assertEqual(self.run_recover("--discard", trace), f"{trace}: nothing to do\n")
        self.assertEqual(contents(trace), before)
        self.assertEqual(list(self.shm.iterdir()), [])

    def test_what_is_no_buffer_is_not_thrown_away(self):
        (self.work / "file").write_text("x" * 100000)
        self.assertEqual(self.run_recover("--discard", self.work / "file", status=1), "waymark recover: "
                         f"{self.work / 'file'}: is neither a trace nor a buffer file\n")
        self.assertIn(": No such file or directory\n",
                      self.run_recover("--discard", self.work / "none", status=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
