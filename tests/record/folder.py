#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that a folder of traces is one trace to all commands: folder.py WAYMARK PROGRAM
STATIC_PROGRAM BLOCKCACHE LOGGED
"""

import subprocess
import unittest

from recorded import PROGRAM, Recorded, WAYMARK


class Folder(Recorded):
    def setUp(self):
        super().setUp()
        self.folder = self.work / "x"
        self.folder.mkdir()

    def make(self, name, events, *ends, status=0):
        self.record("-o", f"x/{name}", PROGRAM, str(events), *ends, status=status)

    def waymark(self, *args, status=0):
        done = subprocess.run([WAYMARK, *args], cwd=self.work, text=True, capture_output=True,
                              env=self.environment)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def test_it_is_read_as_all_of_its_traces(self):
        self.make("9", 3)
        self.make("10", 4)
        self.assertEqual(self.events("x"), self.events("x/9", "x/10"))
        self.assertEqual(self.waymark("info", "x"), self.waymark("info", "x/9", "x/10"))
        self.assertEqual(len(self.babeltrace("x")), len(self.events("x")))
        (self.folder / "notes").write_text("no trace")
        (self.folder / "more").mkdir()
        self.assertEqual(len(self.events("x")), 9)
        self.make("other", 5)
        self.assertEqual(len(self.events("x", "x/other")), 21)

    def test_one_trace_in_it_is_enough(self):
        self.make("9", 3)
        self.assertEqual(self.events("x"), self.events("x/9"))

    def test_a_folder_without_a_trace_is_none(self):
        self.assertIn("no trace", self.waymark("print", "x", status=1))
        (self.folder / "more").mkdir()
        self.assertIn("no trace", self.waymark("print", "x", status=1))

    def test_a_trace_with_a_folder_in_it_is_one_trace(self):
        self.make("9", 3)
        self.record("-o", "t", PROGRAM, "1")
        (self.folder / "9").rename(self.work / "t" / "9")
        self.assertEqual(len(self.events("t")), 2)

    def test_links_do_not_lead_out_of_it(self):
        self.record("-o", "t", PROGRAM, "1")
        self.make("9", 3)
        (self.folder / "link").symlink_to("../t")
        self.assertEqual(len(self.events("x")), 4)

    def test_a_damaged_one_does_not_hide_the_others(self):
        self.make("9", 3)
        self.make("10", 4)
        (self.folder / "9" / "metadata").write_text("nothing")
        said = self.waymark("print", "x", status=1)
        self.assertIn("x/9: ", said)
        self.assertEqual(sum("tick" in line for line in said.splitlines()), 4)

    def test_recover_goes_through_all(self):
        for name in "9", "10":
            self.make(name, 3, "kill=9", status=128 + 9)
        said = self.waymark("recover", "x").splitlines()
        self.assertEqual([line.split(":")[0] for line in said], ["x/9", "x/10"])
        self.assertEqual(len(self.events("x")), 8)
        self.assertEqual(self.waymark("recover", "x"), "x/9: nothing to do\nx/10: nothing to do\n")

    def test_it_makes_room_for_a_trace(self):
        self.make("9", 3)
        self.make("10", 4, "kill=9", status=128 + 9)
        self.record("-o", "x", "--replace", PROGRAM, "1")
        self.assertEqual(len(self.events("x")), 2)
        self.assertTrue((self.folder / "metadata").exists())

    def test_a_program_replaces_it(self):
        self.make("9", 3)
        self.make("10", 4, "kill=9", status=128 + 9)
        self.environment["WAYMARK_TRACE"] = "*,backend=ctf,replace=on,file=x"
        subprocess.run([PROGRAM, "1"], cwd=self.work, env=self.environment, check=True)
        self.assertEqual(len(self.events("x")), 2)

    def test_with_more_in_it_it_stays(self):
        self.make("9", 3)
        (self.folder / "notes").write_text("mine")
        self.assertIn("more than traces in it", self.waymark(
            "record", "--replace", "-o", "x", PROGRAM, "1", status=125))
        self.environment["WAYMARK_TRACE"] = "*,backend=ctf,replace=on,file=x"
        done = subprocess.run([PROGRAM, "1"], cwd=self.work, env=self.environment, text=True,
                              check=True, capture_output=True)
        self.assertIn("holds other files", done.stderr)
        self.assertEqual(len(self.events("x")), 4)

    def test_while_one_is_recorded_it_stays(self):
        self.make("9", 3)
        run = self.start("-o", "x/10", PROGRAM, "5", "catch", "wait")
        self.assertEqual(run.stdout.readline(), "ready\n")
        self.assertIn("is being recorded by process", self.waymark(
            "record", "--replace", "-o", "x", PROGRAM, "1", status=125))
        run.terminate()
        self.finish(run)
        self.assertEqual(len(self.events("x")), 10)


if __name__ == "__main__":
    unittest.main(argv=["folder.py"])
