#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests completion with the names of running programs: completion.py WAYMARK TICKER MONITOR
COMPLETIONS [TEST...]
"""

import os
import sys

import common

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "completion"))
import shells


class Shells(common.Case):
    """Tests that use all installed shells."""

    def setUp(self):
        super().setUp()
        self.env["PATH"] = f"{os.path.dirname(common.WAYMARK)}:{self.env['PATH']}"
        self.env["LC_ALL"] = "C.UTF-8"
        self.shells = shells.start(common.COMPLETIONS, self.env, self.work)
        for shell in self.shells.values():
            self.addCleanup(shell.close)

    def offered(self, *words):
        """Yields the offers of each shell."""
        line = " ".join(["waymark", *map(str, words)])
        for name, shell in self.shells.items():
            yield name, shell.offered(line)

    def prove(self, wanted, *words):
        for name, offered in self.offered(*words):
            with self.subTest(shell=name, words=words):
                self.assertEqual(offered, wanted)


class Completion(Shells):
    def setUp(self):
        super().setUp()
        self.program = self.start(1000, program=self.named("completed"))

    def test_events(self):
        pid = self.program.pid
        self.prove({"tick", "tock", "tack_text"}, "attach", pid, "t")
        self.prove({"tick", "tock", "tack_text", "never"}, "ctl", pid, "list", "")
        self.prove({"never"}, "ctl", "completed", "on", "tick", "n")
        self.prove({"tack_text"}, "ctl", "--timeout", "5", pid, "off", "ta")
        self.prove({"never"}, "attach", pid, "tick", "n")
        self.prove({"never"}, "attach", "--seconds=5", "-o", "file", pid, "tick", "n")
        self.prove(set(), "attach", pid, "x")
        self.prove(set(), "attach", "4194303", "t")

    def test_events_behind_an_open_quote(self):
        self.prove({"never"}, "ctl", self.program.pid, "on", "'n")

    def test_limits_and_conditions(self):
        pid, limits = self.program.pid, {"every=", "rate=", "first=", "sample=1/"}
        events = {"tick", "tock", "tack_text", "never"}
        for command in (["ctl", pid, "on"], ["attach", pid]):
            self.prove(events, *command, "")
            self.prove(events | limits | {"if"}, *command, "tick", "")
            self.prove({"every="}, *command, "tick", "e")
            self.prove(limits | {"if"}, *command, "tick", "every=3", "")
            self.prove({"by"}, *command, "tick", "sample=1/8", "")
            self.prove({"n", "text"}, *command, "tack_text", "sample=1/8", "by", "")
            self.prove({"n", "text"}, *command, "tick", "'tack*'", "rate=1/s", "if", "")
            self.prove({"text"}, *command, "'tack*'", "if", "te")
            self.prove(set(), *command, "nosuch", "if", "")
        self.prove(set(), "ctl", "4194303", "on", "tick", "if", "")

    def test_triggers(self):
        pid = self.program.pid
        for command in (["ctl", pid, "when"], ["ctl", pid, "off", "when"]):
            self.prove({"tick", "tock", "tack_text"}, *command, "t")
            self.prove({"every=", "rate=", "first=", "if", "then"}, *command, "tick", "")
            self.prove({"n", "then"}, *command, "tick", "if", "")
            self.prove({"snapshot", "stop", "signal"}, *command, "tick", "if", "'n > 5'", "then", "s")
            self.prove({"flush"}, *command, "tick", "first=1", "then", "f")
            self.prove({"never"}, *command, "tick", "then", "enable", "n")
            self.prove({"and", "after", "for"}, *command, "tick", "then", "snapshot", "")
            self.prove({"mark"}, *command, "tick", "then", "snapshot", "and", "m")
        self.prove({"when"}, "ctl", pid, "off", "w")

    def test_aggregations(self):
        pid = self.program.pid
        for command in (["ctl", pid, "aggregate"], ["ctl", pid, "off", "aggregate"]):
            self.prove({"tick", "tock", "tack_text"}, *command, "t")
            self.prove({"count"}, *command, "tick", "c")
            self.prove({"by"}, *command, "tick", "count", "b")
            self.prove({"n", "if"}, *command, "tick", "count", "by", "")
            self.prove({"n"}, *command, "tick", "count", "by", "n", "if", "")
        self.prove({"aggregate"}, "ctl", pid, "off", "ag")

    def test_an_option_with_a_value_is_not_quoted(self):
        """Otherwise bash would quote the option like a file name; the value follows it directly."""
        bash = self.shells["bash"]
        self.assertEqual(bash.offered("waymark attach --sec"), {"--seconds="})
        self.assertEqual(bash.press("5 comp\t"), {"completed"})
        self.assertEqual((self.work / ".home/line").read_text(), "waymark attach --seconds=5 comp\n")

    def test_processes(self):
        pid = str(self.program.pid)
        self.prove({pid}, "ctl", pid)
        self.prove({"completed"}, "attach", "comp")
        self.prove({"completed"}, "attach", "--seconds", "5", "comp")
        self.prove({pid}, "drain", pid)

    def test_files(self):
        (self.work / "some-file").touch()
        self.prove({"some-file"}, "ctl", self.program.pid, "snapshot", "some")
        self.prove({"some-file"}, "ctl", self.program.pid, "file", "set", "some")
        self.prove({"some-file"}, "ctl", "some")


if __name__ == "__main__":
    common.main()
