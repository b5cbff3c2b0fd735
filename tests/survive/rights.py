#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests programs that give up their rights or their root: rights.py WAYMARK VICTIM CHECK"""

import os
import re
import signal
import unittest

import survive
from survive import NOBODY, ROOT, SANITIZER

DENIED = ["Permission denied"]


class Rights(survive.Survive):
    @unittest.skipUnless(ROOT, "it needs another user")
    def test_a_program_that_gives_up_its_rights_loses_nothing(self):
        """Events whose stream file cannot be made stay in memory for recover, and a message reports that."""
        self.work.chmod(0o755)
        for trace_mode, why in ((0o777, None), (0o755, "Permission denied")):
            with self.case(why=why):
                victim = self.start("move", "user", NOBODY, 1000, 100000, env=self.env(",buffer=1G"),
                                    preexec_fn=lambda: os.umask(0o777 & ~trace_mode))
                said = self.lived(victim)
                if why:
                    self.assertIn(why, said)
                    self.assertIn("waymark recover writes them", said)
                else:
                    self.assertEqual(said, "")
                self.assertEqual(self.check_everything(), 201000)

    @unittest.skipUnless(ROOT, "it needs another user")
    def test_a_trace_that_is_named_behind_the_rights_is_found(self):
        """The buffer keeps the name of the former trace, and has the events that have no file there."""
        self.work.chmod(0o777)
        then = self.work / "then.ctf"
        left = [self.trace / ".metadata"]  # as if the program had lost its rights while rewriting it
        for umask, more, why, state, moved in (
                (0, [], [], "ended", 1000), (0o22, [], DENIED, "unfin", 2000),
                (0o22, left, DENIED, "unfin", 2000), (0o77, [], DENIED, "unfin", 2000)):
            with self.case(umask=oct(umask), left=bool(more)):
                victim = self.start("name", "user", NOBODY, 1000, then, *more,
                                    preexec_fn=lambda: os.umask(umask))
                said = self.lived(victim, status=-signal.SIGKILL)
                self.assertEqual(re.findall(r"clock's rate: ([\w ]+);", said), why, said)
                self.assertIn(f"state     {state}", self.waymark("info", self.trace))
                self.assertIn("state     killed", self.waymark("info", then))
                self.assertEqual(self.waymark("print", then).count("live_"), moved)
                self.waymark("recover", then)
                self.assertEqual(self.waymark("print", self.trace).count("live_"), 2000 - moved)
                self.assertEqual(self.waymark("print", then).count("live_"), moved)
                self.assert_clean()

    @unittest.skipUnless(ROOT, "it needs another user")
    def test_an_end_behind_the_rights_is_an_end(self):
        """The memory's file cannot be removed, but records that it has no events any more."""
        self.work.chmod(0o755)
        self.lived(self.start("move", "user", NOBODY, 1000, 1000, preexec_fn=lambda: os.umask(0)))
        self.assertEqual(len(list(self.shm.iterdir())), 1)
        self.assertIn("state     ended", self.waymark("info", self.trace))
        self.assertEqual(self.waymark("print", "-f", self.trace).count("live_"), 3000)
        self.waymark("recover", "--all")
        self.assert_clean()

    @unittest.skipUnless(ROOT, "it needs the right to")
    @unittest.skipIf(SANITIZER, "sanitizers need /proc")
    def test_another_root_loses_nothing(self):
        (self.work / "root").mkdir()
        said = self.live("move", "chroot", self.work / "root", 1000, 100000, silent=False,
                         env=self.env(",buffer=1G"))[1]
        self.assertIn("No such file or directory", said)
        self.assertIn("waymark recover writes them", said)
        self.assertEqual(self.check_everything(), 201000)


survive.main()
