#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests programs that call waymark_init() without jail=: the warning, and the effect of filters.

without.py WAYMARK DEVICE KILL_AT
"""

import shutil
import signal
import unittest

from harness import DEVICE, Harness


class Without(Harness):
    WITHOUT = "ctf without jail="

    def test_without_a_jail_the_kill_is_announced(self):
        """Warns once, in waymark_init() or when the first event is switched on."""
        killed = f"signal {signal.SIGSYS.value}"
        out, err = self.finish(self.device("plain", 2, 10, option="full=discard"), 1)
        self.assertEqual(out.count(killed), 2)
        self.assertEqual(err.count(self.WITHOUT), 1)
        self.assertIn("set jail=N for N processes, or jail=off", err)
        self.env["WAYMARK_TRACE"] = f"ctf.file={self.trace}.late"
        out, err = self.finish(self.start([DEVICE, "late", "1", "10"]), 1)
        self.assertIn(killed, out)
        self.assertEqual(err.count(self.WITHOUT), 1)

    def test_who_needs_no_jail_is_not_warned(self):
        for option in "jail=off", "jail=2", "jail=2,jail=off":
            _, err = self.finish(self.device("exit", 0, 0, option=option))
            self.assertNotIn(self.WITHOUT, err, option)
        self.env["WAYMARK_TRACE"] = f"tick,backend=log,log.file={self.folder}/log"
        _, err = self.finish(self.start([DEVICE, "exit", "1", "5"]))
        self.assertEqual(err, "")  # its file is already open

    def test_filters_that_kill_nobody(self):
        """Files that the filter allows are opened; else events are lost, and counted."""
        device = self.device("open", 1, 1000, "allow", option="jail=off")
        self.assertEqual(self.finish(device)[1], "")
        self.assert_all(self.trace, 1000)
        shutil.rmtree(self.trace)
        _, err = self.finish(self.device("open", 1, 1000, "eperm", option="jail=off"))
        self.assertIn("1000 events lost", err)
        self.assertEqual(self.traces(), [])


unittest.main()
