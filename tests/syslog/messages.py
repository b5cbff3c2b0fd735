#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that every event is a message with the right fields: messages.py PROGRAM"""

import re
import time
import unittest

import daemon

MANY = 20000 if not daemon.SANITIZER else 2000


class Fields(daemon.Syslog):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def fields(self, messages, **what):
        expected = {"facility": "daemon", "severity": "info", "ident": daemon.IDENT,
                    "pid": str(self.program.pid), **what}
        for name, value in expected.items():
            self.assertEqual({getattr(m, name) for m in messages}, {value})


class Messages(Fields):
    def test_20000_of_20000_arrive_in_order_with_their_fields(self):
        self.start()
        self.ask("fire", MANY)
        self.finish()
        got = self.messages()
        self.assertEqual([m.text for m in got],
                         [f" sys_count thread 0 number {i}" for i in range(MANY)])
        self.fields(got)

    def test_four_threads_lose_nothing(self):
        self.start()
        self.assertEqual(self.ask("threads", MANY // 4), MANY)
        self.finish()
        got = self.messages()
        self.assertEqual(len(got), MANY)
        for thread in range(4):
            self.assertEqual(self.counts(thread, got), list(range(MANY // 4)))
        self.fields(got)

    @unittest.skipIf(daemon.SANITIZER == "thread", "TSan lets no signal interrupt syslog()")
    def test_an_event_interrupts_the_syslog_of_the_program(self):
        self.start()
        handled = self.ask("host", 2000)
        self.finish()
        got = self.messages()
        self.assertEqual(self.counts(9, got), list(range(handled)))
        own = [m.text for m in got if m.severity == "notice"]
        self.assertEqual(own, [f" own {i}" for i in range(len(own))])

    def test_an_event_interrupts_an_event(self):
        self.start()
        handled, outer = self.ask("events", 2000)
        self.finish()
        got = self.messages()
        self.assertEqual(self.counts(9, got), list(range(handled)))
        self.assertEqual(self.counts(0, got), list(range(outer)))

    def test_a_forked_child_has_its_own_pid(self):
        self.start()
        self.ask("fire", 1)
        child = self.ask("fork", 500)
        self.finish()
        got = self.messages()
        of_child = [m for m in got if m.pid == str(child)]
        self.assertEqual(self.counts(0, of_child), list(range(500)))
        of_parent = [m for m in got if m not in of_child]
        self.assertEqual(self.counts(0, of_parent), [0, *range(500)])
        self.fields(of_parent)
        self.fields(of_child, pid=str(child))

    def test_what_the_program_told_openlog_stays_its_own(self):
        self.start()
        self.ask("own", 7)
        self.finish()
        pid = str(self.program.pid)
        self.assertEqual(self.messages(), [
            ("local3", "notice", "other", pid, " own 7"),
            ("daemon", "info", daemon.IDENT, pid, " sys_count thread 0 number 7"),
            ("local3", "warning", "other", pid, " own 8"),
        ])

    def test_long_and_odd_texts(self):
        self.start()
        self.ask("texts", 3000)
        self.ask("texts", 9000)
        self.finish()
        got = [m.text for m in self.messages()]
        odd = [" sys_text line\\nbreak %s \\x1b", " sys_text (null)", " sys_plain"]
        self.assertEqual(got[:4], [" sys_text " + "x" * 3000, *odd])
        self.assertRegex(got[4], "^ sys_text x{7000,8000}\\.\\.\\.$")
        self.assertEqual(got[5:], odd)


class Rate(Fields):
    WITHHELD = re.compile(r" waymark: (\d+) messages were withheld: syslog\.rate=\d+")

    def sums(self, messages):
        """Returns the number of events that arrived, and the numbers of withheld ones in each report."""
        told = [self.WITHHELD.fullmatch(m.text) for m in messages]
        numbers = [int(match[1]) for match in told if match]
        return len(messages) - len(numbers), numbers

    def test_what_is_sent_and_what_is_withheld_is_what_was_recorded(self):
        self.start(",syslog.rate=200")
        begin = time.monotonic()
        fired = self.ask("flood", 2500)
        took = time.monotonic() - begin
        withheld = self.ask("withheld")
        self.finish(f"waymark: syslog: {withheld} messages were withheld by syslog.rate=\n")
        sent, told = self.sums(self.messages())
        self.assertEqual(sent + withheld, fired)
        self.assertEqual(sum(told), withheld)
        self.assertLessEqual(len(told), took + 3)
        self.assertLessEqual(sent, 200 * (took + 1) + 1)
        self.assertGreaterEqual(sent, 200 * 3)

    def test_threads_share_one_rate(self):
        self.start(",syslog.rate=100")
        begin = time.monotonic()
        fired = self.ask("threads", 20000)
        took = time.monotonic() - begin
        withheld = self.ask("withheld")
        self.finish(f"waymark: syslog: {withheld} messages were withheld by syslog.rate=\n")
        sent, told = self.sums(self.messages())
        self.assertEqual((sent + withheld, sum(told)), (fired, withheld))
        self.assertLessEqual(sent, 100 * (took + 1) + 1)
        self.assertGreaterEqual(sent, 100)

    def test_a_program_below_the_rate_withholds_nothing(self):
        self.start(",syslog.rate=1000000")
        self.ask("fire", 100)
        self.finish()
        self.assertEqual(len(self.messages()), 100)

    def child_tells_its_own(self, form):
        self.start(",syslog.rate=10")
        self.ask("fire", 100)
        child = self.ask(form, 50)
        withheld = self.ask("withheld")
        _, error = self.program.communicate(timeout=60)
        told = sorted(int(n) for n in re.findall(r"(\d+) messages were withheld", error))
        got = self.messages()
        of_child, sums = self.sums([m for m in got if m.pid == str(child)])
        self.assertEqual(of_child + sum(sums), 50)
        of_parent, sums = self.sums([m for m in got if m.pid != str(child)])
        self.assertEqual(of_parent + sum(sums), 150)
        self.assertEqual(told, [50 - of_child, withheld])

    def test_a_child_does_not_tell_what_its_parent_withheld(self):
        self.child_tells_its_own("fork")

    @unittest.skipIf(daemon.SANITIZER, "sanitizers do not know clone()")
    def test_nor_does_one_that_the_c_library_did_not_make(self):
        self.child_tells_its_own("clone")


class OtherParser(Fields):
    """Uses the daemon's general parser, which uses a message's own time if it has one."""

    more = 'SysSock.UseSpecialParser="off" SysSock.IgnoreTimestamp="off"'

    def test_it_finds_the_same_fields(self):
        self.start()
        self.ask("fire", 100)
        self.finish()
        got = self.messages()
        self.assertEqual(self.counts(0, got), list(range(100)))
        self.fields(got)


if __name__ == "__main__":
    daemon.main()
