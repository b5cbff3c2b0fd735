#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Triggers: what fires them, what they do, and what the trace says of it.

triggers.py PROGRAM WAYMARK BACKENDS [TEST...]
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, WAYMARK = map(os.path.abspath, sys.argv[1:3])
BACKENDS = sys.argv[3].split(",")
REQUESTS, ERROR_AT = 20000, 10000
# A child of a process with threads starts its own.
UNDER_TSAN = {"TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "") + ":die_after_fork=0"}
ERROR = "when complete if error != 0 then "


class Run:
    """One run of the program, in a directory of its own."""

    def __init__(self, case, option, *what, requests=REQUESTS):
        self.place = tempfile.mkdtemp()
        case.addCleanup(shutil.rmtree, self.place)
        self.trace = os.path.join(self.place, "t.ctf")
        program = subprocess.run(
            [PROGRAM, str(requests), str(ERROR_AT), *what], text=True, check=False,
            capture_output=True, timeout=120, cwd=self.place,
            env={**os.environ, **UNDER_TSAN, "WAYMARK_TRACE": option if option.startswith("backend=") else
                 f"backend=ctf,enable={option},file={self.trace}", "HOME": self.place})
        self.messages = program.stderr
        case.assertEqual(program.returncode, 0, self.messages)
        self.signals = int(program.stdout)

    def path(self, name=None):
        return os.path.join(self.place, name) if name else self.trace

    def info(self, name=None):
        shown = subprocess.run([WAYMARK, "info", "--json", self.path(name)], check=True,
                               capture_output=True, text=True).stdout
        return json.loads(shown)


class Triggers(unittest.TestCase):
    def ios(self, run, event, name=None):
        shown = subprocess.run([WAYMARK, "print", f'--where=@event == "{event}"', run.path(name)],
                               check=True, capture_output=True, text=True).stdout
        return [int(io) for io in re.findall(rf"{event} io (\d+)", shown)]

    def test_a_snapshot_has_the_call_that_fired(self):
        run = Run(self, f"complete,enable={ERROR}snapshot shot,full=overwrite,buffer=8M")
        ios = self.ios(run, "complete", "shot")
        self.assertIn(ERROR_AT, ios)
        self.assertLess(len(ios), REQUESTS)
        self.assertEqual(ios, list(range(ios[0], ios[-1] + 1)), "without a hole")

    def test_a_snapshot_later_has_what_follows(self):
        run = Run(self, f"complete,enable={ERROR}snapshot shot after 100ms,full=overwrite,buffer=8M")
        ios = self.ios(run, "complete", "shot")
        self.assertIn(ERROR_AT, ios)
        self.assertGreater(ios[-1] - ERROR_AT, 1000, "requests of 20 us in 100 ms")
        self.assertLess(ios[-1], REQUESTS - 1)

    def test_snapshots_have_directories(self):
        option = "when complete if io % 5000 == 1 then snapshot shot"
        run = Run(self, f"complete,enable={option},full=overwrite,buffer=8M")
        for name, io in ("shot", 1), ("shot.1", 5001), ("shot.2", 10001), ("shot.3", 15001):
            self.assertIn(io, self.ios(run, "complete", name))

    def test_the_cause_is_the_first_thing_that_info_shows(self):
        run = Run(self, f"complete,enable={ERROR}snapshot,full=overwrite,buffer=8M")
        shown = subprocess.run([WAYMARK, "info", run.trace], check=True, capture_output=True,
                               text=True).stdout.splitlines()
        self.assertEqual(shown[0], f"trigger   {ERROR}snapshot")
        self.assertRegex(shown[1], r"^fired     by complete, process \d+ thread \d+, at \d+\.\d+$")
        trigger, = run.info()["triggers"]
        self.assertEqual((trigger["trigger"], trigger["event"], trigger["times"]),
                         (f"{ERROR}snapshot", "complete", 1))

    def test_the_trigger_is_recorded_before_its_event(self):
        run = Run(self, f"complete,enable={ERROR}mark here")
        shown = subprocess.run([WAYMARK, "print", run.trace], check=True, capture_output=True,
                               text=True).stdout.splitlines()
        at = next(i for i, line in enumerate(shown) if "waymark:trigger" in line)
        self.assertIn(f"complete: {ERROR}mark here", shown[at])
        self.assertIn("waymark:mark", shown[at + 1])
        self.assertTrue(shown[at + 1].endswith("here"))
        self.assertIn(f"io {ERROR_AT} error 5", shown[at + 2])

    def test_stop_ends_recording(self):
        run = Run(self, f"complete,enable={ERROR}stop")
        ios = self.ios(run, "complete")
        self.assertIn(ERROR_AT, ios)
        self.assertLess(ios[-1], ERROR_AT + 5000)

    def test_events_are_switched_on_for_a_time(self):
        run = Run(self, f"complete,enable={ERROR}enable detail for 50ms")
        ios = self.ios(run, "detail")
        self.assertGreater(len(ios), 100)
        self.assertGreater(ios[0], ERROR_AT - 1)
        self.assertLess(ios[-1], REQUESTS - 1)
        self.assertEqual(len(self.ios(run, "complete")), REQUESTS)

    def test_events_are_switched(self):
        run = Run(self, f"complete,enable=submit,enable={ERROR}enable detail and disable sub*")
        self.assertGreater(self.ios(run, "detail")[0], ERROR_AT - 1)
        self.assertLess(self.ios(run, "submit")[-1], REQUESTS - 1)

    def test_an_event_that_is_off_fires(self):
        run = Run(self, f"submit,enable={ERROR}mark late")
        self.assertEqual(self.ios(run, "complete"), [])
        self.assertEqual(run.info()["triggers"][0]["times"], 1)

    def test_signals(self):
        run = Run(self, "submit,enable=when complete if io % 5000 == 3 then signal 10")
        self.assertEqual(run.signals, REQUESTS // 5000)

    def test_limits_are_those_of_the_process(self):
        for limit, times in ("first=2", 2), ("every=5000", 4), ("rate=3/h", 3):
            run = Run(self, f"submit,enable=when complete {limit} if io >= 0 then mark m")
            self.assertEqual(run.info()["triggers"][0]["times"], times, limit)

    def test_a_child_reacts(self):
        run = Run(self, f"complete,enable={ERROR}stop", "fork")
        folder = [t for t in os.listdir(run.place) if t.startswith("t.ctf")]
        ios = [io for name in folder for io in self.ios(run, "complete", name)]
        self.assertIn(ERROR_AT, ios)
        self.assertLess(ios[-1], ERROR_AT + 5000)

    def test_triggers_change_while_events_are_called(self):
        run = Run(self, "complete,enable=submit", "change", requests=50000)
        self.assertEqual(len(self.ios(run, "complete")), 50000)
        self.assertGreater(sum(t["times"] for t in run.info()["triggers"]), 100)

    def test_many_triggers(self):
        many = "".join(f",enable=when complete if io == {io} then mark m{io}" for io in range(1000))
        run = Run(self, f"complete{many}", requests=1000)
        self.assertEqual(len(run.info()["triggers"]), 1000)

    @unittest.skipUnless("log" in BACKENDS, "no backend prints lines")
    def test_lines_of_text(self):
        run = Run(self, f"backend=log,enable=complete,enable={ERROR}stop")
        self.assertIn(f"waymark:trigger complete: {ERROR}stop", run.messages)

    def test_the_time_of_a_pair(self):
        slow = "elapsed(submit by io) > 2ms"
        run = Run(self, f"submit,enable=complete if {slow},enable=when complete if {slow} then mark m",
                  "slow")
        ios = self.ios(run, "complete")
        self.assertIn(ERROR_AT, ios)
        self.assertLess(len(ios), REQUESTS / 100, "but those that waited for a processor")
        self.assertIn(run.info()["triggers"][0]["times"], range(1, REQUESTS // 100))

    def test_a_call_without_its_partner_has_no_time(self):
        run = Run(self, "submit,enable=complete if elapsed(detail by io) < 1s || io == 7")
        self.assertEqual(len(self.ios(run, "complete")), REQUESTS)
        run = Run(self, "submit,enable=complete if elapsed(complete by io) >= 0 || io == 7")
        self.assertEqual(self.ios(run, "complete"), [7])

    def test_a_pair_begins_although_a_newer_rule_fits_other_events(self):
        run = Run(self, "submit,enable=complete if elapsed(submit by io) < 1h,"
                        'enable=* if who == "nobody"')
        self.assertEqual(len(self.ios(run, "complete")), REQUESTS)

    def test_a_pair_ends_whatever_else_decides(self):
        run = Run(self, "submit,enable=complete if error == 5 && elapsed(submit by io) < 10s",
                  requests=REQUESTS)
        self.assertEqual(self.ios(run, "complete"), [ERROR_AT])

    def test_calls_without_an_end_do_not_fill_the_table(self):
        # The second table gets 300 000 calls of `complete` that none ends.
        run = Run(self, "submit,enable=complete if elapsed(submit by io) < 10s,"
                        "enable=when submit if elapsed(complete by io) < 10s then stop",
                  requests=300000)
        self.assertEqual(len(self.ios(run, "complete")), 300000)

    def test_forgotten_begins_are_counted(self):
        # No call ends a pair: all begins stay in the table.
        run = Run(self, "submit,enable=when submit if elapsed(complete by io) > 1h then mark m",
                  "forgotten", requests=60000)
        of_trigger, of_process = map(int, run.messages.split())
        self.assertIn(of_trigger, range(1, 30000))
        self.assertEqual(of_trigger, of_process)

    def test_an_event_alone_begins_the_trace(self):
        run = Run(self, f"{ERROR}mark alone")
        self.assertEqual(run.info()["triggers"][0]["times"], 1)

    def test_actions_are_done_in_order(self):
        run = Run(self, f"complete,enable={ERROR}snapshot shot and signal 10,"
                        "full=overwrite,buffer=8M")
        self.assertIn(ERROR_AT, self.ios(run, "complete", "shot"))
        self.assertEqual(run.signals, 1)

    def test_the_end_does_what_is_left(self):
        last = f"when complete if io == {REQUESTS - 1} then "
        for action in "snapshot shot", "snapshot shot after 1s":
            run = Run(self, f"complete,enable={last}{action},full=overwrite,buffer=8M")
            self.assertIn(REQUESTS - 1, self.ios(run, "complete", "shot"), action)

    def test_a_busy_trigger_leaves_others_their_time(self):
        run = Run(self, "complete,enable=when detail then flush,"
                        f"enable={ERROR}enable submit for 50ms")
        ios = self.ios(run, "submit")
        self.assertGreater(len(ios), 100)
        self.assertLess(ios[-1], REQUESTS - 1)

    def test_a_later_firing_prolongs(self):
        for _ in range(3): # a busy machine may keep the program from running for 300 ms
            run = Run(self, "complete,enable=when complete if io % 1000 == 500 then "
                            "enable detail for 300ms")
            ios = self.ios(run, "detail")
            if ios == list(range(ios[0], REQUESTS)):
                break
        self.assertEqual(ios, list(range(ios[0], REQUESTS)))

    def test_wrong_triggers_are_refused(self):
        many = ";".join(f"when complete if io == {io} then mark m{io}" for io in range(1025))
        for rule, reason in {
                "when complete": "a trigger needs an action",
                "when complete if error": "a trigger needs an action",
                "when complete then": "a trigger needs an action",
                "when complete then jump": "'jump' is no action; actions are snapshot, stop",
                "when complete then stop now": "action 'stop now' is wrong; write stop",
                "when complete then signal 0": "action 'signal 0' is wrong; write signal NUMBER",
                "when complete then signal 99999999999": "write signal NUMBER",
                "when complete then enable": "write enable PATTERN [for TIME]",
                "when complete then enable x for 5": "write enable PATTERN [for TIME]",
                "when complete then snapshot after 99999999999s": "write snapshot",
                "when complete then mark": "write mark TEXT",
                "when complete if err then stop": "event 'complete' has no field or value 'err'; "
                                                  "did you mean 'error'?",
                "when complete if error > then stop": "condition 'error >'",
                "complete if elapsed(nosuch by io) > 1s": "there is no trace event 'nosuch' so far",
                "when complete sample=1/2 by io then stop": "triggers have no sample=",
                "when complete then mark a and mark b and mark c and mark d and mark e":
                    "more than 4 actions",
                "when  then stop": "the name or pattern of an event is missing",
                "complete if elapsed(submit) > 1ms": "write elapsed(EVENT by FIELD)",
                "complete if elapsed(submit by x) > 1ms": "has no field or value 'x'",
                "complete if elapsed(submit by error) > 1ms": "event 'submit' has no field 'error'",
                "complete if elapsed(submit by io) < elapsed(detail by io)":
                    "two different elapsed()",
                many: "more than 1024 triggers",
        }.items():
            program = subprocess.run([PROGRAM, "1", "0"], text=True, check=False,
                                     capture_output=True,
                                     env={**os.environ, "WAYMARK_TRACE": rule})
            self.assertIn(reason, program.stderr, rule)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
