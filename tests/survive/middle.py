#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests forks, exits and jumps inside of an event, at any instruction: middle.py WAYMARK VICTIM CHECK"""

import platform
import re
import unittest

import survive
from survive import LONG, SANITIZER, amount

STEPS = 70  # more than the instructions of an event in a thread that has recorded before
ENDS = {"exit": 0, "quick_exit": 0, "_exit": 0, "execve": 0, "abort": -6, "segv": -11, "kill": -9}
EVENT = re.compile(r"thread (\d+) step (\d+)")
STEPPED = platform.machine() == "x86_64" and not SANITIZER


def steps(stride):
    return range(0, STEPS, 1 if LONG else stride)


class Middle(survive.Survive):
    def shown(self, trace=None):
        """Returns the printed steps of each thread, and the number of events reported as lost."""
        steps, lost = {}, 0
        for line in self.waymark("print", trace or self.trace).splitlines():
            if line.startswith("#"):
                lost += int(re.search(r"lost (\d+)", line)[1])
            else:
                thread, step = map(int, EVENT.search(line).groups())
                steps.setdefault(thread, []).append(step)
        return steps, lost

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_a_process_that_ends_in_the_middle_of_an_event(self):
        ended = 0
        for how, status in ENDS.items():
            for step in steps(17):
                with self.case(how=how, step=step):
                    victim = self.start("middle-end", how, step)
                    said = victim.communicate(timeout=30)[1]
                    self.assertIn(victim.returncode, (status, 9), said)
                    self.assertEqual(said, "")
                    ended += victim.returncode == status
                    self.assertGreaterEqual(self.check_everything(), 1000)
        self.assertGreaterEqual(ended, 2 * len(ENDS))

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_a_fork_in_the_middle_of_an_event(self):
        forks = 0
        for step in steps(5):
            with self.case(step=step):
                out = self.fork("fork", step)
                children = [t for t in self.traces() if t != self.trace]
                self.assertIn(out, ("", "0\n"))
                self.assertEqual(len(children), 1 if out else 0)
                for child in children:
                    shown, lost = self.shown(child)
                    # The event belongs to the parent, unless it had not begun.
                    self.assertIn(shown.pop(1, []), ([], [0], [1]))
                    self.assertEqual((shown, lost), ({2: list(range(100))}, 0))
                self.assert_clean()
                forks += len(children)
        self.assertGreater(forks, 8)

    def fork(self, form, step):
        out, _ = self.live("middle-fork", form, step, 1000, silent=False, kind="step")
        shown, lost = self.shown()
        # The next number, if the child has already counted an event of its own.
        self.assertIn(shown.pop(1), ([0], [1]))
        self.assertEqual((shown, lost), ({0: list(range(1100))}, 0))
        return out

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_a_raw_clone_in_the_middle_of_an_event_hurts_the_child_alone(self):
        ends = set()
        for step in steps(5):
            with self.case(step=step):
                ends.add(self.fork("clone", step))
                self.waymark("recover", "--all")
                self.assert_clean()
        self.assertLessEqual(ends, {"", "0\n", "-11\n"})
        self.assertIn("-11\n", ends)

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_a_thread_that_stops_in_the_middle_of_an_event_holds_up_nobody(self):
        for how, status in ENDS.items():
            for step in steps(35):
                with self.case(how=how, step=step):
                    self.live("middle-stop", how, step, status=status, silent=False)
                    self.assertGreaterEqual(self.check_everything(), 60001)

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_a_thread_that_is_in_an_event_at_exit_and_goes_on_loses_nothing(self):
        for step in steps(5):
            with self.case(step=step):
                self.live("middle-late", step, silent=False, env=self.env(",buffer=1G"))
                self.check_everything()

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_three_handlers_that_jump_out_of_an_event_lose_nothing(self):
        for step in range(120, 420, 1 if LONG else 20):
            with self.case(step=step):
                self.live("middle-jump", 3, 40, step, kind="step")
                shown, lost = self.shown()
                self.assertEqual((shown[0], lost), (list(range(3001)), 0))
                self.assert_clean()

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_more_handlers_that_jump_out_of_an_event_cost_counted_events(self):
        lost_ever = 0
        for step in range(120, 420, 1 if LONG else 20):
            with self.case(step=step):
                self.live("middle-jump", 6, 40, step, kind="step", silent=False)
                shown, lost = self.shown()
                self.assertEqual(shown[0], list(range(len(shown[0]))))
                interrupted = len(shown[0]) + lost - 6001
                self.assertIn(interrupted, range(0, 7 if lost else 1))
                lost_ever += lost
        self.assertGreater(lost_ever, 0)

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_handlers_that_interrupt_each_other_more_than_four_deep_are_counted(self):
        most = 0
        for step in range(160, 480, 1 if LONG else 20):
            with self.case(step=step):
                out, said = self.live("middle-nest", 40, step, silent=False, kind="step")
                shown, lost = self.shown()
                events = sum(map(len, shown.values())) - 1
                self.assertEqual((events + lost, lost), (int(out), max(0, min(lost, int(out) - 4))))
                self.assertEqual(f"{lost} events lost" in said, lost > 0, said)
                most = max(most, lost)
        self.assertEqual(most, 2)

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_threads_that_end_in_the_middle_of_an_event_leave_nothing_behind(self):
        out, _ = self.live("middle-leave", amount(400, 10000))
        self.check_everything()
        self.assertLess(int(out), 128 << 10)

    @unittest.skipUnless(STEPPED, "only x86-64 steps, and not a sanitizer's checks")
    def test_who_ends_in_the_middle_of_an_event_takes_nothing_from_the_next_thread(self):
        """
        The first event makes the buffer's packet; the next packet begins after `before` events.
        After `ms` milliseconds the writer has seen the open event.
        """
        for before, last, ms in ((0, 950, 0), (2726, 820, 0), (2726, 820, 40)):
            for step in range(0, last, 1 if LONG else 6):
                with self.case(before=before, step=step, ms=ms):
                    self.live("middle-next", before, step, ms, kind="step")
                    shown, lost = self.shown()
                    self.assertEqual(shown.pop(2, []), list(range(3000)))
                    self.assertEqual((shown.pop(1, [])[:before], lost), (list(range(before)), 0))
                    self.assert_clean()

    @unittest.skipIf(SANITIZER, "sanitizers know no asynchronous cancellation")
    def test_cancelled_threads_lose_nothing(self):
        for how in ("deferred", "asynchronous"):
            with self.case(how=how):
                out, _ = self.live("cancel", how, amount(300, 10000))
                self.check_everything()
                self.assertLess(int(out), 128 << 10)


survive.main()
