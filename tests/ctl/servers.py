#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests servers that are no monitor, or misbehave: servers.py WAYMARK TICKER MONITOR COMPLETIONS [TEST...]"""

import json
import os
import socket
import time

import common
from common import answers, say

STATS = {"pid": 1, "program": "fake", "events": 9, "events-on": 3, "recorded": 1234567, "lost": 8,
         "bytes": 123456789}


def slow(connection, _):
    time.sleep(0.6)
    say(connection, {"return": [{"name": "trace-stats"}]})


def hang(connection):
    connection.recv(1 << 20)
    time.sleep(60)


class Servers(common.Case):
    def refused(self, talk, error, *words):
        path = self.fake(talk, "s.sock")
        timeout = 1 if "within 1 s" in error else 10
        self.ctl(path, *(words or ["stats"]), f"--timeout={timeout}", status=1, error=error)

    def test_one_that_accepts_and_says_nothing(self):
        begin = time.monotonic()
        self.refused(lambda c: time.sleep(60), "does not answer within 1 s")
        self.assertLess(time.monotonic() - begin, 9)

    def test_one_that_greets_and_says_nothing(self):
        def talk(connection):
            say(connection, common.GREETING)
            time.sleep(60)
        self.refused(talk, "does not answer within 1 s")

    def test_one_that_sends_a_byte_now_and_then(self):
        def talk(connection):
            for byte in b'{"QMP": ' + b" " * 100:
                connection.sendall(bytes([byte]))
                time.sleep(0.1)
        begin = time.monotonic()
        self.refused(talk, "does not answer within 1 s")
        self.assertLess(time.monotonic() - begin, 9)

    def test_one_that_reads_nothing(self):
        def talk(connection):
            say(connection, common.GREETING)
            for answer in {}, [{"name": "trace-stats"}]:
                connection.recv(1 << 16)
                say(connection, {"return": answer})
            time.sleep(60)
        path = self.fake(talk, "s.sock")
        big = ["x" * 100000] * 10
        self.ctl(path, "monitor", *big, "--timeout=1", status=1, error="does not answer")

    def test_a_monitor_for_people(self):
        self.refused(lambda c: (c.sendall(b"(waymark) "), hang(c)), "control-mode=qmp")

    def test_one_that_speaks_stratovirt(self):
        self.refused(answers({}, ["trace-get-state", "quit"]), "dialect of StratoVirt")

    def test_a_virtual_machine(self):
        self.refused(answers({}, ["trace-event-get-state", "stop"]), "is not a monitor of Waymark")

    def test_garbage(self):
        for garbage in (b"\x00\xff\x1b[31m", b"{]\n", b"{\"a\": \n", b"[1]\n", b"\n\n"):
            path = self.fake(lambda c, g=garbage: (c.sendall(g), hang(c)), f"g{garbage[0]}{garbage[1]}{len(garbage)}.sock")
            self.ctl(path, "stats", status=1, error="does not speak QMP")

    def test_what_it_says_cannot_command_a_terminal(self):
        path = self.fake(lambda c: (c.sendall(b"\x1b[2J\n"), hang(c)), "s.sock")
        self.ctl(path, "stats", status=1, error="\\x1b[2J")

    def test_an_object_that_is_no_greeting(self):
        self.refused(lambda c: (say(c, {"hello": 1}), hang(c)), "not a greeting")

    def test_an_answer_that_is_none(self):
        self.refused(answers({"trace-stats": lambda c, r: say(c, {"id": 1})}), "neither a return")

    def test_a_refusal_in_its_own_words(self):
        refusal = {"error": {"class": "GenericError", "desc": "too many clients: try again"}}
        self.refused(lambda c: say(c, refusal), "s.sock: too many clients: try again\n")
        path = self.fake(lambda c: say(c, refusal), "t.sock")
        self.waymark("attach", path, "x", status=1, error="too many clients: try again\n")

    def test_what_it_says_before_it_closes_the_connection(self):
        def refuse(connection, request):
            say(connection, {"error": {"class": "GenericError", "desc": "no more"}})
            connection.close()
        self.refused(answers({"trace-stats": refuse}), "s.sock: no more\n")
        p = self.start(1000)
        self.ctl(p, "monitor", *["x" * 100000] * 12, status=1, error="more than 1048576 bytes")

    def test_one_that_closes(self):
        self.refused(lambda c: None, "the process closed the connection")
        path = self.fake(answers({"trace-stats": lambda c, r: c.shutdown(socket.SHUT_RDWR)}), "t.sock")
        self.ctl(path, "stats", status=1, error="the process closed the connection")

    def test_one_that_closes_in_the_middle_of_an_answer(self):
        def cut(connection, _):
            connection.sendall(b'{"return": {"pid"')
            connection.shutdown(socket.SHUT_RDWR)
        self.refused(answers({"trace-stats": cut}), "the process closed the connection")

    def test_an_answer_of_10_mb(self):
        events = [{"name": f"event_{n:060}", "state": "enabled"} for n in range(100000)]
        path = self.fake(answers({"trace-event-get-state": events}), "s.sock")
        self.assertEqual(len(self.ctl(path, "list", "--names").splitlines()), 100000)

    def test_an_answer_without_end(self):
        def flood(connection, _):
            connection.sendall(b'{"return": "')
            while True:
                connection.sendall(b"x" * 1000000)
        path = self.fake(answers({"trace-stats": flood}), "s.sock")
        self.ctl(path, "stats", status=1, error="more than 64 MiB")

    def test_events_that_were_not_requested_are_skipped(self):
        def chat(connection, _):
            say(connection, {"event": "SHUTDOWN", "data": {}})
            say(connection, {"return": STATS})
        path = self.fake(answers({"trace-stats": chat}), "s.sock")
        self.assertIn("\nrecorded  1234567 events, 123456789 bytes\n", self.ctl(path, "stats"))

    def test_answers_of_other_types(self):
        for wrong in ([], 1, "x", {"pid": "x", "program": 3, "per-event": 7}, True):
            path = self.fake(answers({"trace-stats": wrong, "trace-event-get-state": wrong,
                                      "trace-file": wrong, "trace-attach": wrong}),
                             f"w{len(json.dumps(wrong))}.sock")
            for words in (["stats"], ["file"], ["monitor", "x"], ["snapshot"]):
                self.ctl(path, *words)
            self.waymark("attach", path, "x", status=1, error="")

    def test_events_that_only_others_switch(self):
        states = [{"name": "probe", "state": "unavailable"}]
        path = self.fake(answers({"trace-event-get-state": states}), "s.sock")
        self.assertEqual(self.ctl(path, "list"), "outside probe\n")
        self.ctl(path, "on", "p*", status=1, error="tracers outside")

    def test_a_program_without_events(self):
        path = self.fake(answers({"trace-event-get-state": []}), "s.sock")
        self.ctl(path, "list", status=0, error="the process has no events")
        self.ctl(path, "list", "--on", error="no event that matches is on")
        self.ctl(path, "on", "*", status=1, error="no event matches '*'")

    def test_ls_says_what_is_the_matter(self):
        kinds = [
            (lambda c: time.sleep(60), "does not answer"),
            (lambda c: (c.sendall(b"(waymark) "), hang(c)), "does not speak QMP"),
            (lambda c: None, "closes the connection"),
            (lambda c: say(c, {"error": {"desc": "too many\x1b clients"}}), "too many\\x1b clients"),
            (answers({"trace-stats": lambda c, r: say(c, {"error": {"desc": "no"}})}), "no"),
            (answers({"trace-stats": 3}), "does not speak QMP"),
            (answers({"qmp_capabilities": slow, "query-commands": slow}), "does not answer"),
            (answers({"trace-stats": STATS}), "")]
        talk_now = [None]
        self.fake(lambda c: talk_now[0](c))
        for talk_now[0], note in kinds:
            begin = time.monotonic()
            (line,) = [l for l in self.waymark("ls").splitlines()
                       if l.split()[0] == str(os.getpid())]
            self.assertTrue(line.endswith(note or " 8"), line)
            self.assertLess(time.monotonic() - begin, common.PATIENCE)
            (process,) = [p for p in map(json.loads, self.waymark("ls", "--json").splitlines())
                          if p["pid"] == os.getpid()]
            self.assertEqual(process["problem"], note.replace("\\x1b", "\x1b") or None)

    def test_a_path_that_is_no_socket(self):
        (self.work / "file").write_text("x")
        self.ctl(self.work / "file", "stats", status=1, error="not a socket")
        self.ctl(self.work / "none", "stats", status=1, error="No such file")
        self.ctl("x" * 5000, "stats", status=1, error="no process with a monitor is called")
        self.ctl("/" + "x" * 5000, "stats", status=1, error="too long")

    def test_a_stale_socket(self):
        path = self.work / "s.sock"
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(str(path))
        self.ctl(path, "stats", status=1, error="s.sock")

    def test_a_socket_of_this_folder_by_its_name(self):
        self.fake(answers({"trace-stats": STATS}), "here.sock")
        self.assertIn("fake", self.ctl("here.sock", "stats"))


class CommandLines(common.Case):
    def test_those_that_make_no_sense(self):
        for words, error in (
                (["ctl"], "the process is missing"),
                (["ctl", "1"], "the command is missing"),
                (["ctl", "1", "lsit"], "did you mean 'list'?"),
                (["ctl", "list", "1"], "did you mean 'waymark ctl 1 list'?"),
                (["ctl", "1", "on"], "an argument is missing"),
                (["ctl", "1", "on", ""], "an argument is empty"),
                (["ctl", "1", "stats", "x"], "too many arguments"),
                (["ctl", "1", "stats", "--on"], "--on goes with 'list' only"),
                (["ctl", "1", "list", "--timeout=x"], "not a number of seconds"),
                (["ctl", "1", "list", "--timeout=nan"], "not a number of seconds"),
                (["ctl", "1", "list", b"\xff"], "not UTF-8"),
                (["ls", "x"], "it takes no 'x'"),
                (["attach"], "the process is missing"),
                (["attach", "1"], "the pattern is missing"),
                (["attach", "1", ""], "a pattern is empty"),
                (["attach", "1", "a", b"\xff"], "a pattern is not UTF-8"),
                (["attach", "1", "a", "--timeout=x"], "not a number of seconds"),
                (["attach", "1", "a", "--seconds=0"], "not a number of seconds"),
                (["attach", "1", "a", "--seconds=."], "not a number of seconds"),
                (["attach", "0x1", "a", "--seconds=.5", "--timeout=."], "'.' is not a number of"),
                (["attach", "1", "a", "--count=0"], "not a number of events"),
                (["attach", "1", "a", "--count=-1"], "not a number of events"),
                (["attach", "1", "a", "--time=x"], "--time is")):
            words = [os.fsdecode(w) for w in words]
            self.waymark(*words, status=2, error=error)

    def test_targets_that_are_none(self):
        for command in (["ctl"], ["attach"]):
            for target, error in (("4194304999", "there is no process 4194304999"),
                                  ("4194303", "there is no process 4194303"),
                                  ("0", "there is no process 0"),
                                  ("", "no process with a monitor is called ''"),
                                  ("nobody-has-this", "waymark ls"),
                                  (str(os.getpid()), "has no monitor")):
                self.waymark(*command, target, "list", status=1, error=error)

    def test_qmp_that_is_none(self):
        path = self.fake(answers({}), "s.sock")
        for text in ("", "[]", "{", "x"):
            self.ctl(path, "qmp", text, status=1, error="an object of JSON")


if __name__ == "__main__":
    common.main()
