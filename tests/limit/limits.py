#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Limits of events: how many calls are recorded, and that all others are counted.

limits.py PROGRAM WAYMARK KILLS
"""

import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, WAYMARK, KILLS = sys.argv[1:4]
THREADS = 3
CALLS = 20000


class Run:
    """One run of the program, in a directory of its own."""

    def __init__(self, case, rule, threads=THREADS, calls=CALLS, what=(), kill_after=None):
        place = tempfile.mkdtemp()
        case.addCleanup(shutil.rmtree, place)
        self.trace = os.path.join(place, "t.ctf")
        self.threads = threads
        counts = os.path.join(place, "counts")
        option = (rule if rule.startswith("backend=")
                  else f"backend=ctf,enable=finished,enable={rule},file={self.trace}")
        program = subprocess.Popen(
            [PROGRAM, counts, str(threads), str(calls), *what], text=True, stderr=subprocess.PIPE,
            env={**os.environ, "WAYMARK_TRACE": option, "HOME": place})
        if kill_after is not None:
            time.sleep(kill_after)
            program.kill()
        self.messages = program.communicate(timeout=120)[1]
        case.assertEqual(program.returncode, -signal.SIGKILL if kill_after is not None else 0,
                         self.messages)
        if kill_after is not None:
            subprocess.run([WAYMARK, "recover", self.trace], check=True, capture_output=True)
        with open(counts, "rb") as file:
            numbers = struct.unpack("17Q", file.read())
        self.limited, self.finished = sum(numbers[:8]), sum(numbers[8:16])
        self.in_handlers = numbers[16]

    def info(self):
        shown = subprocess.run([WAYMARK, "info", "--json", self.trace], check=True,
                               capture_output=True, text=True).stdout
        return json.loads(shown)

    def recorded(self, event="limited"):
        return sum(k["events"] for k in self.info()["kinds"] if k["name"] == event)

    def left_out(self):
        return sum(row["calls"] for row in self.info().get("left_out", []))

    def objects(self, event):
        """Returns the object of each event."""
        shown = subprocess.run([WAYMARK, "print", self.trace], check=True, capture_output=True,
                               text=True).stdout
        return [int(io) for io in re.findall(rf" {event} io (\d+)", shown)]


class Limits(unittest.TestCase):
    def check_counts(self, run):
        self.assertEqual(run.recorded() + run.left_out(), run.limited + run.in_handlers)
        self.assertEqual(run.recorded("finished"), run.finished)
        self.assertEqual(run.info()["gaps"], 0, "what is left out is no loss")

    def test_every_nth_call_of_a_thread_is_recorded(self):
        run = Run(self, "limited every=100")
        self.check_counts(run)
        self.assertEqual(run.recorded(), THREADS * CALLS // 100)

    def test_the_first_calls_of_the_process_are_recorded(self):
        run = Run(self, "limited first=25")
        self.check_counts(run)
        self.assertEqual(run.recorded(), 25)

    def test_a_rate_bounds_each_thread(self):
        begin = time.monotonic()
        run = Run(self, "limited rate=50/s", calls=200000)
        seconds = time.monotonic() - begin
        self.check_counts(run)
        self.assertGreaterEqual(run.recorded(), THREADS * 50)
        self.assertLessEqual(run.recorded(), THREADS * (50 + 50 * seconds + 1))

    def test_a_rate_of_a_longer_time(self):
        run = Run(self, "limited rate=30/h")
        self.check_counts(run)
        self.assertEqual(run.recorded(), THREADS * 30)

    def test_a_sample_has_all_events_of_an_object(self):
        run = Run(self, "limited sample=1/8 by io,enable=finished sample=1/8 by io", threads=1)
        limited, finished = run.objects("limited"), run.objects("finished")
        objects = set(limited)
        self.assertEqual(objects, set(finished))
        self.assertGreater(len(objects), 1000 / 16)
        self.assertLess(len(objects), 1000 / 4)
        self.assertEqual(len(limited), 10 * len(finished))
        self.assertEqual(len(limited), len(objects) * CALLS // 1000)
        self.assertEqual(run.left_out() + len(limited) + len(finished),
                         run.limited + run.finished)

    def test_a_sample_by_text(self):
        run = Run(self, "limited,enable=finished sample=1/2 by who", threads=1)
        self.assertIn(run.recorded("finished"), (0, run.finished))

    def test_limits_follow_the_condition(self):
        run = Run(self, "limited every=10 first=30 if k & 1", threads=1)
        self.assertEqual(run.recorded(), 30)
        self.assertEqual(run.left_out(), run.limited // 2 - 30)

    def test_the_report_names_event_and_limits(self):
        run = Run(self, "limited   first=25   every=3", threads=1)
        self.assertEqual(run.info()["left_out"], [
            {"event": "limited", "limits": "first=25 every=3", "calls": CALLS - 25}])
        text = subprocess.run([WAYMARK, "info", run.trace], check=True, capture_output=True,
                              text=True).stdout
        self.assertIn(f"left out  {CALLS - 25} calls, by limits\n", text)
        self.assertRegex(text, rf"\n +{CALLS - 25} limited by first=25 every=3\n")

    def test_other_readers_show_the_report(self):
        run = Run(self, "limited first=25", threads=1)
        shown = subprocess.run(["babeltrace2", run.trace], check=True, capture_output=True,
                               text=True).stdout
        counts = re.findall(r'waymark:left_out:.*count = (\d+), .* event = "limited", '
                            r'.* limits = "first=25"', shown)
        self.assertEqual(sum(map(int, counts)), CALLS - 25)

    def test_handlers_are_counted(self):
        run = Run(self, "limited every=7", calls=3000000, what=["handlers"])
        self.assertGreater(run.in_handlers, 100)
        self.check_counts(run)

    def test_changes_lose_no_count(self):
        run = Run(self, "limited every=5", calls=3000000, what=["change"])
        self.check_counts(run)

    def test_a_kill_loses_no_count(self):
        for _ in range(int(KILLS)):
            rule = random.choice(["every=100", "first=1000", "rate=1000/s", "sample=1/50 by io",
                                  "every=2 rate=100/ms"])
            run = Run(self, f"limited {rule}", calls=0, kill_after=random.uniform(0.05, 0.6))
            counted = run.recorded() + run.left_out()
            self.assertGreater(run.left_out(), 0, rule)
            self.assertGreaterEqual(counted, run.limited, rule)
            self.assertLessEqual(counted, run.limited + run.threads, rule)

    def test_a_flight_recorder_counts_what_its_packets_have(self):
        run = Run(self, "limited every=10,buffer=2M,full=overwrite", calls=2000000)
        self.assertLess(run.recorded() + run.left_out(), run.limited)
        self.assertGreater(run.left_out(), 8 * run.recorded())
        self.assertLess(run.left_out(), 10 * run.recorded() + 10 * THREADS)

    def test_lines_of_text_say_what_is_left_out(self):
        run = Run(self, "backend=log,enable=limited every=1000")
        lines = run.messages.splitlines()
        shown = sum("limited io" in line for line in lines)
        counted = sum(int(n) for n in re.findall(r"waymark:left_out (\d+) of limited by every=1000",
                                                 run.messages))
        self.assertEqual(shown, THREADS * CALLS // 1000)
        self.assertEqual(shown + counted, run.limited)

    def test_wrong_limits_are_refused(self):
        for rule, reason in {
                "limited every=0": "'every=0' is wrong; write every=N",
                "limited every=x": "'every=x' is wrong",
                "limited every=99999999999": "'every=99999999999' is wrong",
                "limited every=3 every=4": "'every=4': every= is given twice",
                "limited rate=10": "'rate=10' is wrong; write rate=N/s",
                "limited rate=10/y": "'rate=10/y' is wrong",
                "limited rate=20000000/s": "at most 10000000/s",
                "limited first=": "'first=' is wrong",
                "limited sample=1/8": "'sample=1/8' is wrong; write sample=1/N by FIELD",
                "limited sample=8 by io": "'sample=8' is wrong",
                "limited sample=1/0 by io": "'sample=1/0' is wrong",
                "finished sample=1/8 by whoo": "event 'finished' has no field or value 'whoo'; "
                                              "did you mean 'who'?",
                "limited evry=3": "limits after a name are sample=, every=, rate= and first=",
                "limited every=3 evry=3": "'evry=3' is no limit",
                "-limited every=3": "what switches off has no condition or limit",
                "limited every=3" + " " * 300 + "first=4": "limits of more than 256 bytes",
        }.items():
            program = subprocess.run([PROGRAM, "/dev/null", "0", "1"], text=True, check=False,
                                     capture_output=True,
                                     env={**os.environ, "WAYMARK_TRACE": rule})
            self.assertIn(reason, program.stderr, rule)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
