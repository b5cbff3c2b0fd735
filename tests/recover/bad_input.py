#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests errors of waymark recover for bad input and failed writes: bad_input.py WAYMARK WRITE_TRACE"""

import os
import subprocess
import sys
import unittest

import left
from recovery import NAME, WAYMARK, Recovery, contents


class BadInput(Recovery):
    def test_what_is_no_trace_is_refused(self):
        (self.work / "file").write_text("x")
        (self.work / "empty").mkdir()
        for name, why in (("file", "is not a directory"), ("none", "No such file"),
                          ("empty", "without the file 'metadata'")):
            said = self.run_recover(self.work / name, status=1)
            self.assertIn(why, said)
        trace = self.make()
        for name in ("stream-1", "metadata"):
            self.assertEqual(self.run_recover(trace / name, status=1),
                             self.waymark("print", trace / name, status=1)
                             .replace("waymark print", "waymark recover"))
            self.assertIn(f"directory, '{trace}'", self.run_recover(trace / name, status=1))
        (self.shm / NAME).write_bytes(bytes(100000))
        self.assertIn("is damaged", self.run_recover(trace, status=1))
        (trace / "metadata").write_bytes((trace / "metadata").read_bytes()[:900])
        self.assertIn("is cut before the first event", self.run_recover(trace, status=1))

    def test_memory_that_cannot_be_looked_at_is_an_error(self):
        trace = self.make()
        before = contents(trace)
        (self.work / "file").write_text("x")
        for shm, why in (("none", "No such file or directory"), ("file", "Not a directory")):
            env = {"WAYMARK_SHM": str(self.work / shm)}
            said = f"cannot open WAYMARK_SHM={self.work / shm}: {why}\n"
            for args in ((), ("--list",), ("--all",), ("--discard-gone",), ("--discard", trace), (trace,)):
                self.assertEqual(self.run_recover(*args, status=1, env=env), f"waymark recover: {said}")
            for command in ("print", "info"):
                self.assertIn(f"waymark {command}: {said}",
                              self.waymark(command, trace, status=1, env=env))
        self.assertEqual(contents(trace), before)
        self.assertIn("1007 events recovered", self.run_recover(trace))

    def test_output_that_cannot_be_written_is_an_error(self):
        trace = self.make()
        left.make_buffer(self.shm / ("waymark-" + 32 * "a"), self.work / "nowhere", {},
                        uuid=bytes.fromhex(32 * "a"))
        env = {**os.environ, "WAYMARK_SHM": str(self.shm)}
        for args in (["recover"], ["recover", "--list"], ["recover", "--discard-gone", "--dry-run"],
                     ["recover", "--all", "--dry-run"], ["recover", "--help"], ["--help"], ["help"],
                     ["help", "print"], ["--version"], ["print", "--version"], ["recover", trace]):
            with self.subTest(args=args), open("/dev/full", "w") as full:
                done = subprocess.run([WAYMARK, *args], stdout=full, stderr=subprocess.PIPE, text=True,
                                      env=env)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, "waymark: cannot write to standard output: "
                                 "No space left on device\n")
        self.assertEqual(self.run_recover(trace), f"{trace}: nothing to do\n")

    def test_names_with_control_characters_are_one_line(self):
        bad, said = self.work / "a\n\033[31m\t", f"{self.work}/a\\n\\x1b[31m\\x09"
        for command in ("print", "info", "recover"):
            self.assertEqual(self.waymark(command, bad, status=1).count("\n"), 1)
            self.assertIn(f"waymark {command}: {said}: ", self.waymark(command, bad, status=1))
        self.assertIn(f"{said}: ", self.waymark("print", "-e", bad, bad, status=2))
        trace = self.make("trace")
        self.assertIn(f"waymark print: {said}/x: cannot open for writing",
                      self.waymark("print", "-o", f"{bad}/x", trace, status=1))
        self.assertIn(f"waymark convert: {said}/x: ",
                      self.waymark("convert", "-o", f"{bad}/x", trace, status=1))
        trace.rename(bad)
        self.assertIn(f"{said}: 3 streams, 1007", self.run_recover(bad))
        self.assertEqual(self.run_recover(bad), f"{said}: nothing to do\n")
        left.make_buffer(self.shm / NAME, bad, {})
        self.assertIn(f"trace {said}\n", self.run_recover("--all", "--dry-run"))
        self.assertEqual(self.run_recover("--discard", bad), f"{said}: discarded\n")

    def test_a_command_line_without_sense_is_refused(self):
        self.assertIn("usage:", self.run_recover("--list", "--all", status=2))
        self.assertIn("usage:", self.run_recover("--discard", status=2))
        self.assertIn("usage:", self.run_recover("--list", "x", status=2))
        self.assertIn("usage:", self.run_recover("--discard-gone", "x", status=2))
        self.assertIn("usage:", self.run_recover("--dry-run", status=2))
        self.assertIn("usage:", self.run_recover("--dry-run", "x", status=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
