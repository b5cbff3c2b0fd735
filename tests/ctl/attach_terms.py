#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark attach under limits and conditions: attach_terms.py WAYMARK TICKER MONITOR
COMPLETIONS [TEST...]
"""

import json
import signal

import attach
import common
from common import PATIENCE, answers


class Terms(attach.Attaching):
    def states(self, program):
        """Returns the events that are on, as rules."""
        return [" ".join(filter(None, [e["name"], e.get("limits"), "condition" in e and f"if {e['condition']}"]))
                for e in json.loads(self.ctl(program, "list", "--json")) if e["state"] == "enabled"]

    def recorded_numbers(self, program, name="tick"):
        """Ends the program; returns the numbers in its trace."""
        program.stdin.close()
        self.assertEqual(program.wait(PATIENCE), 0)
        printed = self.waymark("print", f"--event={name}", f"trace-{program.pid}.ctf")
        return [int(attach.LINE.match(line)[2]) for line in printed.splitlines()]

    def end(self, p):
        p.send_signal(signal.SIGINT)
        return self.ended(p)

    def wait_until(self, program, *states):
        self.wait_for(lambda: self.states(program) == list(states))

    def assert_every_tenth(self, numbers, rest):
        self.assertGreater(len(numbers), 1)
        self.assertEqual(numbers, list(range(numbers[0], numbers[-1] + 1, 10)))
        self.assertEqual(numbers[0] % 10, rest)

    def test_records_what_the_condition_selects_and_leaves_all_as_it_was(self):
        program = self.start(1000)
        for words in (["t?ck", "if", "n % 10 == 3"], ["t?ck if n % 10 == 3"]):
            p = self.attach(program, *words)
            self.wait_for_lines(p, 6)
            self.assertEqual(self.states(program), ["tick if n % 10 == 3", "tock if n % 10 == 3"])
            events = self.end(p)
            self.assert_every_tenth([n for name, n in events if name == "tick"], 3)
            self.wait_until(program)
        self.assertTrue(all(n % 10 == 3 for n in self.recorded_numbers(program)))

    def test_limits(self):
        program = self.start(1000)
        p = self.attach(program, "tick", "every=10", "first=3", "if", "n > 0", "--seconds=1")
        self.wait_until(program, "tick every=10 first=3 if n > 0")
        events = self.ended(p)
        self.assertEqual(len(events), 3)
        self.assertEqual(events[2][1] - events[0][1], 20)
        self.assertEqual(self.states(program), [])

    def test_pairs_of_calls_while_it_is_attached(self):
        program = self.start(1000)
        p = self.attach(program, "tock", "if", "elapsed(tick by n) < 60s", "--count=20")
        self.assert_no_holes(self.ended(p), "tock")
        for _ in range(33):  # a process has 32 tables of pairs
            p = self.attach(program, "tock if elapsed(tick by n) > 60s", "--seconds=0.01")
            self.assertEqual(self.ended(p), [])
            self.wait_until(program)

    def test_what_is_recorded_already_is_not_taken_away(self):
        """The trace keeps all its events; the command shows those that its condition selects."""
        program = self.start(1000, trace="tick,control=on")
        p = self.attach(program, "tick if n % 10 == 3", "--count=5")
        self.assert_every_tenth([n for _, n in self.ended(p)], 3)
        self.wait_until(program, "tick")
        p = self.attach(program, "tick", "rate=1/h", "--count=20")
        self.assert_no_holes(self.ended(p))
        self.assertIn("tick: no limits: it is recorded for others, too\n", self.notes(p))
        numbers = self.recorded_numbers(program)
        self.assertEqual(numbers, list(range(numbers[-1] + 1)))

    def test_a_condition_and_limits_return(self):
        former = "tick first=3 if n % 2 == 1"
        program = self.start(1000, trace=f"{former},control=on")
        for words in (["tick"], ["tick if n % 10 == 3"], ["tick", "every=3"]):
            p = self.attach(program, *words)
            self.wait_for_lines(p, 3)
            self.assertEqual(self.states(program), ["tick"])
            self.end(p)
            self.wait_until(program, former)
        p = self.attach(program, former, "--seconds=0.1")
        self.wait_until(program, former)
        self.ended(p)
        self.assertEqual(self.states(program), [former])
        first, *_, last = (n for _, n in self.ended(self.attach(program, "tock", "--count=30")))
        ticks = [n for n in self.recorded_numbers(program) if first <= n <= last]
        self.assertEqual(ticks, [], "the limit goes on, it does not begin anew")

    def test_leaves_all_as_it_was_when_it_is_killed(self):
        for former in ([], ["tick if n % 2 == 1"]):
            program = self.start(1000, trace=",".join([*former, "control=on"]))
            p = self.attach(program, "tick if n % 10 == 3")
            self.wait_for_lines(p, 2)
            p.kill()
            p.wait()
            self.wait_until(program, *former)

    def test_two_that_overlap_each_show_what_they_select(self):
        program = self.start(1000)
        first = self.attach(program, "tick if n % 10 == 3")
        self.wait_for_lines(first, 2)
        second = self.attach(program, "tick if n % 10 == 4")
        self.wait_for_lines(second, 2)
        self.assertEqual(self.states(program), ["tick"])
        self.wait_for_lines(first, self.text(first).count("\n") + 2)
        self.assert_every_tenth([n for _, n in self.end(first)], 3)
        self.wait_for_lines(second, self.text(second).count("\n") + 2)
        third = self.attach(program, "tick", "--count=20")
        self.assert_no_holes(self.ended(third))
        self.assert_every_tenth([n for _, n in self.end(second)], 4)
        self.wait_until(program)

    def test_two_under_the_same_condition(self):
        program = self.start(1000)
        first, second = (self.attach(program, "tick if n % 10 == 3") for _ in range(2))
        self.wait_for_lines(first, 2)
        self.wait_for_lines(second, 2)
        self.assertEqual(self.states(program), ["tick if n % 10 == 3"])
        first.kill()
        first.wait()
        self.wait_for_lines(second, self.text(second).count("\n") + 2)
        self.assertEqual(self.states(program), ["tick if n % 10 == 3"])
        self.end(second)
        self.wait_until(program)

    def test_a_command_meanwhile_decides(self):
        program = self.start(1000)
        for command, left in ((["on", "tick"], ["tick"]), (["on", "tick", "if", "n > 5"], ["tick if n > 5"]),
                              (["off", "tick"], []), (["on", "t*", 'if text == "a text"'],
                                                      ['tack_text if text == "a text"'])):
            p = self.attach(program, "tick if n % 10 == 3")
            self.wait_for_lines(p, 2)
            done = common.subprocess.run([common.WAYMARK, "ctl", str(program.pid), *command], env=self.env,
                                         capture_output=True, check=False)
            self.assertEqual(done.returncode, 0)
            p.send_signal(signal.SIGINT)
            p.wait(PATIENCE)
            self.wait_until(program, *left)
            self.ctl(program, "off", "*")

    def test_the_end_of_the_program(self):
        program = self.start(1000)
        p = self.attach(program, "tick if n % 10 == 3")
        self.wait_for_lines(p, 2)
        program.kill()
        program.wait()
        self.assert_every_tenth([n for _, n in self.ended(p)], 3)
        self.assertIn("the traced program has ended", self.notes(p))

    def test_events_that_a_condition_does_not_fit(self):
        program = self.start(1000, trace="tick,control=on")
        p = self.attach(program, "t*", 'if text == "a text"', "--count=3")
        self.assertEqual({name for name, _ in self.ended(p)}, {"tack_text"})
        self.assertIn("waymark attach: 't*': the condition does not fit tick, tock\n", self.notes(p))
        self.wait_until(program, "tick")

    def test_errors_show_the_place_and_switch_nothing(self):
        program = self.start(1000)
        for words, error in (
                (["tick if m > 1"], "condition 'm > 1': column 1: event 'tick' has no field or value 'm'"),
                (["tick", "if", "n >"], "condition 'n >': column 4: "),
                (["tick", "if", 'n == "x"'], "condition 'n == \"x\"': column "),
                (["tick", "every=0"], "'every=0' is wrong; write every=N"),
                (["never", "sample=1/8", "by", "n"], "event 'never' has no field or value 'n'"),
                (["tick", "x*", "if", "n > 1"], "no event matches 'x*'"),
                (["tock if elapsed(tick by m) > 1s"], "'m'")):
            self.waymark("attach", program.pid, *words, status=1, error=error)
            if words[0].startswith("tick if"):
                self.ctl(program, "on", *words, status=1, error=error)
        for words in (["when", "tick", "then", "stop"], ["when tick then stop"]):
            self.waymark("attach", program.pid, *words, status=2,
                         error=f"add it by 'waymark ctl {program.pid} when ...'")
        self.waymark("attach", program.pid, "if", "n > 1", status=2, error="the pattern is missing")
        self.assertEqual(self.states(program), [])

    def test_a_process_whose_library_knows_no_conditions(self):
        def refuse(connection, request):
            self.assertEqual(request["arguments"]["condition"].strip(), "n > 1")
            common.say(connection, {"error": {"class": "GenericError",
                                              "desc": "Parameter 'condition' is unexpected"}})
        path = self.fake(answers({
            "trace-file": {"path": f"{self.work}/t.ctf", "begun": False, "on": True, "backend": "ctf"},
            "trace-event-get-state": [{"name": "tick", "state": "disabled"}],
            "trace-attach": refuse}), "s.sock")
        self.waymark("attach", path, "tick if n > 1", status=1, error="its libwaymark is too old for")

    def test_the_process_lists_the_fields_of_its_events(self):
        program = self.start(1000)
        request = {"execute": "trace-event-get-state", "arguments": {"name": "t*k*", "fields": True}}
        states = json.loads(self.ctl(program, "qmp", json.dumps(request)))
        self.assertEqual({e["name"]: e["fields"] for e in states},
                         {"tick": "n", "tock": "n", "tack_text": "n text"})


if __name__ == "__main__":
    common.main()
