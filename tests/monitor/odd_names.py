#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests a program and a folder whose names are no UTF-8: odd_names.py TALKER"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from qmp import connect

TALKER = os.path.abspath(sys.argv.pop(1))
NAME = b"t\xe9lker"
SHOWN = r"t\xe9lker"


class OddNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="waymark-test-")
        self.addCleanup(folder.cleanup)
        work = os.path.join(os.fsencode(folder.name), NAME)
        os.mkdir(work)
        program = os.path.join(work, NAME)
        os.symlink(TALKER, program)
        where = os.path.join(folder.name, "s")
        self.process = subprocess.Popen(
            [program], cwd=work, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "WAYMARK_TRACE": f"control={where}"})
        self.addCleanup(self.process.communicate)
        s = connect(where)
        self.addCleanup(s.close)
        self.stream = s.makefile("rw")
        self.addCleanup(self.stream.close)
        self.stream.readline()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        self.stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.stream.flush()
        return json.loads(self.stream.readline())["return"]

    def test_files_are_reported(self):
        self.assertIn(f"/{SHOWN}/trace-", self.ask("trace-file")["path"])
        self.assertIn(f"/{SHOWN}/trace-", self.ask("trace-attach", name="disk_read")["path"])
        text = self.ask("human-monitor-command", **{"command-line": "trace-file"})
        self.assertIn(f"/{SHOWN}/trace-", text)

    def test_programs_and_threads_are_counted(self):
        self.ask("trace-attach", name="disk_read")
        self.process.stdin.write(b"3\n")
        self.process.stdin.flush()
        self.assertEqual(self.process.stdout.readline(), b"fired 3\n")
        stats = self.ask("trace-stats", threads=True)
        self.assertEqual(stats["program"], SHOWN)
        self.assertEqual([(t["name"], t["recorded"]) for t in stats["per-thread"]], [(SHOWN, 3)])


unittest.main()
