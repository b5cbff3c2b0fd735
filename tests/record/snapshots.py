#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests a flight recorder's memory as separate traces: snapshots.py WAYMARK SNAPSHOTS"""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

WAYMARK, SNAPSHOTS = (os.path.abspath(a) for a in sys.argv[1:3])
OPTION = "step,backend=ctf,full=overwrite,buffer=1M,file=usual"


class Snapshots(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)

    def run_program(self, threads, *words, option=OPTION, status=0):
        done = subprocess.run([SNAPSHOTS, option, str(threads), *words], cwd=self.work, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        self.said = done.stderr
        return done.stdout.splitlines()

    def steps(self, trace):
        """Returns the events of each thread as babeltrace2 reads them; waymark must read the same."""
        if not shutil.which("babeltrace2"):
            self.skipTest("babeltrace2 is not installed")
        done = subprocess.run(["babeltrace2", self.work / trace], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in done.stderr.splitlines():
            self.assertIn("discarded", line or "discarded")
        found = collections.defaultdict(list)
        for thread, i in re.findall(r"thread = (\d+), i = (\d+)", done.stdout):
            found[int(thread)].append(int(i))
        self.assertEqual(self.info(trace)["events"], sum(map(len, found.values())))
        return found

    def info(self, trace):
        done = subprocess.run([WAYMARK, "info", "--json", self.work / trace], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def traces(self):
        return sorted(os.listdir(self.work))

    def check_newest(self, trace, before):
        """
        All of a thread's last events before the call are there, none is missing between,
        unless the machine was so busy that events found no room while files were written:
        of those behind a thread's last packet only the next trace can tell.
        """
        found = self.steps(trace)
        if f"{trace}: lost 0\n" not in self.said:
            return found
        missing = 0
        for thread, count in enumerate(before):
            steps = found[thread]
            if steps:
                older = [i for i in steps if i < count]
                self.assertEqual(older, list(range(count - len(older), count)))
                self.assertGreaterEqual(steps[-1], count - 1)
                missing += steps[-1] - steps[0] + 1 - len(steps)
        # Events after the call may be overwritten by later ones.
        self.assertLessEqual(missing, self.info(trace)["overwritten"])
        return found

    def check_none_twice(self, snapshots):
        for thread in range(16):
            last = -1
            for found in snapshots:
                if found[thread]:
                    self.assertGreater(found[thread][0], last)
                    last = found[thread][-1]

    def test_each_has_what_came_since_the_one_before(self):
        for threads in (1, 4):
            names = [f"s{threads}-{i}" for i in range(5)]
            words = [w for n in names for w in ("wait", "=" + n)]
            out = self.run_program(threads, *words, "wait", "fill", "stop",
                                   option=OPTION.replace("usual", f"usual{threads}"))
            self.assertEqual(out[1:-1:2], names)
            befores = [list(map(int, line.split()[1:])) for line in out[0:-1:2]]
            found = [self.check_newest(n, before) for n, before in zip(names, befores)]
            found.append(self.steps(f"usual{threads}"))
            self.check_none_twice(found)
            total = sum(map(int, out[-1].split()[1:]))
            infos = [self.info(n) for n in names + [f"usual{threads}"]]
            there = sum(i["events"] for i in infos)
            lost = sum(i["lost"] + i["overwritten"] for i in infos)
            self.assertEqual(there + lost, total)
            self.assertGreater(sum(i["overwritten"] for i in infos), 0)

    def test_the_usual_trace_is_there_with_nothing_beside_it(self):
        self.run_program(2, "=one", "wait", "=two", "stop")
        self.assertEqual(self.traces(), ["one", "two", "usual"])
        self.assertEqual({self.info(n)["traces"][0]["state"] for n in self.traces()}, {"ended"})

    def test_a_usual_trace_that_has_events_stays(self):
        self.run_program(2, ".", "=one", "wait", "=two", "stop")
        self.assertEqual(len(self.traces()), 4)
        self.assertRegex(" ".join(self.traces()), r"^one two usual usual\.\d+$")
        last = self.steps(self.traces()[-1])
        self.check_none_twice([self.steps("usual"), self.steps("one"), self.steps("two"), last])

    def test_the_output_can_change_between_them(self):
        self.run_program(2, "=one", "+other", "fill", ".", "=two", "wait", "stop")
        self.assertRegex(" ".join(self.traces()), r"^one other other\.\d+ two usual$")
        last = self.traces()[2]
        self.check_none_twice([self.steps(n) for n in ("one", "usual", "other", "two", last)])

    def test_a_kill_right_behind_it_leaves_it_whole(self):
        for i in range(5):
            out = self.run_program(2, "wait", f"=s{i}", "kill", status=-9,
                                   option=OPTION.replace("usual", f"usual{i}"))
            found = self.check_newest(f"s{i}", list(map(int, out[0].split()[1:])))
            self.assertEqual(self.info(f"s{i}")["traces"][0]["state"], "ended")
            recovered = subprocess.run([WAYMARK, "recover", self.work / f"s{i}",
                                        self.work / f"usual{i}"], text=True, capture_output=True)
            self.assertEqual(recovered.returncode, 0, recovered.stderr)
            self.assertIn(f"s{i}: nothing to do", recovered.stdout)
            self.check_none_twice([found, self.steps(f"usual{i}")])

    def test_several_threads_may_ask(self):
        out = self.run_program(2, "twice", "stop")
        names = [f"twice-{w}-{i}" for w in "ab" for i in range(4)]
        self.assertEqual(sorted(out[:-1]), names)
        found = sorted((self.steps(n) for n in names + ["usual"]),
                       key=lambda f: f[0][:1] or [sys.maxsize])
        for thread in range(2):
            steps = [i for f in found for i in f[thread]]
            self.assertEqual(len(steps), len(set(steps)))

    def test_nothing_new_is_an_empty_trace(self):
        out = self.run_program(1, "stop", "=one", "=two")
        self.assertGreater(len(self.steps("one")[0]), 0)
        self.assertEqual(self.info("two")["events"], 0)
        self.assertEqual(out[-1], "two")

    def test_a_child_has_its_own(self):
        self.run_program(1, "wait", "fork", "=child", "kill", status=1)
        self.assertEqual(self.steps("child")[0], [1000000])

    def test_what_cannot_be_made_is_said_and_memory_keeps_it(self):
        (self.work / "taken").mkdir()
        (self.work / "file").write_text("mine")
        out = self.run_program(1, "stop", "=taken", "=file", "=no/such", "=good")
        self.assertIn("taken: exists already; remove it, or set replace=on", out[2])
        self.assertIn("file: exists already; remove it", out[4])
        self.assertIn("no/such: cannot make the trace", out[6])
        self.assertEqual(out[8], "good")
        self.assertEqual(self.steps("good")[0][-1], int(out[0].split()[1]) - 1)

    def test_a_trace_is_replaced_on_demand(self):
        out = self.run_program(1, "=one", "wait", "=one", "stop",
                               option=OPTION + ",replace=on")
        self.assertEqual(out[1::2][:2], ["one", "one"])
        self.check_newest("one", list(map(int, out[2].split()[1:])))

    def test_a_snapshot_that_finds_no_room_says_so(self):
        out = self.run_program(2, "wait", "stop", "full", "=small", "roomy", "=rest")
        self.assertRegex(out[2], r"small: (the snapshot is not complete: File too large; memory "
                                 r"keeps the rest|cannot make the snapshot: File too large)")
        self.assertEqual(out[4], "rest")
        names = self.traces()
        found = [self.steps(n) for n in ("small", "rest") if n in names]
        self.check_none_twice(found)
        # All packets of a thread may have been overwritten by the other's: every missing event
        # must be reported.
        counts = list(map(int, out[0].split()[1:]))
        newest = [[i for f in found for i in f[thread]][-1:] for thread in range(len(counts))]
        self.assertTrue(any(newest))
        for steps, count in zip(newest, counts):
            self.assertIn(steps, ([], [count - 1]))
        infos = [self.info(n) for n in names]
        told = sum(i["events"] + i["lost"] + i["overwritten"] for i in infos)
        self.assertEqual(told, sum(counts))

    def test_without_a_flight_recorder_it_is_an_error(self):
        for full in ("discard", "block"):
            out = self.run_program(1, "=one", "stop",
                                   option=OPTION.replace("overwrite", full).replace("us", full))
            self.assertIn("one: a separate snapshot needs full=overwrite", out[1])
            self.assertFalse((self.work / "one").exists())

    def test_before_any_event_it_is_an_error(self):
        out = self.run_program(0, "=one", "=../no/matter")
        self.assertIn("one: nothing has been recorded yet", out[1])
        self.assertEqual(self.traces(), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
