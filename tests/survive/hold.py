#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that events before trace_init_file() are in the trace that file= names: hold.py WAYMARK
VICTIM CHECK SIMPLE EVENTS KILL_AT
"""

import contextlib
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest

SIMPLE, EVENTS, KILL_AT = (os.path.abspath(a) if a else a for a in sys.argv[4:7])
del sys.argv[4:7]

import survive
from survive import SANITIZER, amount

# The ends of a daemon's first processes: immediately, or when the daemon is ready.
PARENTS = [(first, second) for first in ("exit", "_exit", "late-exit", "late-_exit")
           for second in ("exit", "_exit")]


class Both:
    """Tests that hold for both backends."""

    def option(self, more=""):
        return f"option=live_*,file={self.trace}{more}"

    def steps(self, *steps, status=0, env=None, **how):
        env = {**(env or self.env()), "WAYMARK_TRACE": ""}
        return self.live("steps", *steps, env=env, status=status, **how)

    def counted(self):
        data = self.counts.read_bytes()
        return sum(struct.unpack(f"{len(data) // 8}Q", data))

    def run_daemon(self, *steps):
        """Runs a daemon until its end, when it closes our pipe."""
        victim = self.start("steps", *steps, env={**self.env(), "WAYMARK_TRACE": ""})
        said = victim.communicate(timeout=120)[1]
        if not SANITIZER:
            self.assertEqual(said, "")

    def names(self):
        """Returns the files that the victims made, without those of the tests."""
        return sorted(p.name for p in self.work.iterdir() if p != self.counts)

    def assert_one_trace(self, events):
        self.assertEqual(self.names(), ["x.ctf"])
        self.assertEqual(self.check(), events)
        self.check_clean(events)

    def test_one_process(self):
        for before in (1, 1000, 200000):
            with self.case(before=before):
                self.steps(self.option(), f"live={before}", "file", "live=1000")
                self.assert_one_trace(before + 1000)

    def test_no_event_comes_before_the_name(self):
        self.steps(self.option(), "file", "live=1000")
        self.assert_one_trace(1000)

    def test_the_last_name_counts(self):
        for steps in (("option=live_*", "live=10", self.option()),
                      (f"option=live_*,file={self.work}/other", "live=10", self.option()),
                      (f"option=live_*,file={self.work}/other", self.option(), "live=10")):
            with self.case(steps=steps):
                self.steps(*steps, "live=10", "file", "live=10")
                self.assert_one_trace(20 + steps.count("live=10") * 10)

    def test_a_directory_that_changes_keeps_the_place(self):
        self.steps("option=live_*,file=x.ctf", "live=10", "leave=/", "live=10", "file", "live=10")
        self.assert_one_trace(30)

    def test_no_name_comes(self):
        for end in ("exit", "_exit", "abort"):
            if SANITIZER and end == "abort":
                continue
            with self.case(end=end):
                self.steps(self.option(), "live=1000", "ms=300", f"end={end}",
                           status=-6 if end == "abort" else 0)
                self.assertEqual(self.names(), ["x.ctf"])
                self.assertEqual(self.check(), 1000)

    def test_a_name_that_is_taken_and_never_final_is_reported(self):
        self.trace.write_text("mine")
        said = self.steps(self.option(), "live=10", silent=False)[1]
        beside, = (self.work / n for n in self.names() if n != "x.ctf")
        self.assertIn("was not opened", said)
        self.assertIn(f"its events are in {beside}\n", said)
        self.assertEqual(self.check(trace=beside), 10)
        self.assertEqual(self.trace.read_text(), "mine")

    def test_no_file_was_asked_for(self):
        for steps in (("live=10",), ("live=10", "file", "live=10")):
            with self.case(steps=steps):
                self.steps("option=live_*", *steps)
                trace = self.one_default()
                self.assertEqual(self.check(trace=trace), 10 * sum(s == "live=10" for s in steps))

    def one_default(self):
        self.assertEqual(len(self.names()), 1, self.names())
        name, = self.names()
        self.assertRegex(name, r"^trace-\d+(\.ctf)?$")
        return self.work / name

    def test_a_daemon(self):
        for first, second in PARENTS:
            for early in (0, 1000):
                with self.case(first=first, second=second, early=early):
                    self.run_daemon(self.option(), "live=1000", f"fork={first}", f"live={early}",
                                    f"fork={second}", f"live={early}", "file", "live=500",
                                    "leave=/", "live=500", f"alone={self.shm}")
                    self.assert_clean()
                    self.assert_one_trace(2000 + 2 * early)

    def test_a_daemon_without_early_events_has_the_plain_trace(self):
        self.run_daemon(self.option(), "fork=_exit", "fork=exit", "file", "live=1000", "leave=/")
        self.assert_one_trace(1000)
        self.assertFalse([p for p in self.trace.glob("*/metadata")])

    def test_helpers_take_nothing(self):
        for end in ("exit", "_exit", "execve", "kill"):
            for records in (0, 100):
                with self.case(end=end, records=records):
                    helper = f"helper={records}:{end}"
                    self.steps(self.option(), "live=10", helper, "live=10", "program=/bin/true",
                               helper, "live=10", "file", "live=10", helper, "live=10")
                    self.check_helpers(50, records, end)

    def test_threads_record_while_the_name_comes(self):
        for _ in range(amount(3, 30)):
            with self.case():
                self.steps(self.option(), "workers=3", "live=1000", "helper=0:_exit", "file", "live=1000",
                           "join=3")
                self.assert_one_trace(62000)


class Native(Both, survive.Survive):
    def check_clean(self, events):
        self.assert_clean()
        self.check_everything()

    def check_helpers(self, mine, records, end):
        self.assertEqual(self.names(), ["x.ctf"])
        self.assertEqual(self.check_everything(), mine + 3 * records)

    def test_two_threads_that_fork_at_once(self):
        for _ in range(amount(10, 300)):
            with self.case():
                self.steps(self.option(), "live=10", "helpers=0:exit", "helper=100:exit", "file", "live=10")
                self.assertEqual(self.names(), ["x.ctf"])
                self.assertEqual(self.check_everything(), 120)

    def test_a_daemon_where_no_folder_can_be_made_records_beside_it(self):
        for early in (0, 10):
            with self.case(early=early):
                victim = self.start("steps", "nolinks", self.option(), "live=10", "fork=exit",
                                    f"live={early}", "fork=exit", f"live={early}", "file", "live=10",
                                    env={**self.env(), "WAYMARK_TRACE": ""})
                said = victim.communicate(timeout=120)[1]
                self.assertRegex(said, r"the trace is .*/x.ctf.\d+: the requested name is taken")
                self.assertEqual(self.counted(), 20 + 2 * early)
                self.assertEqual(sum(self.waymark("print", t).count(" live_") for t in self.traces()),
                                 self.counted())

    def test_threads_in_full_flight_while_the_name_comes(self):
        for _ in range(amount(3, 30)):
            with self.case():
                self.steps(self.option(",buffer=1G,full=block"), "threads=3", "live=1000", "helper=0:_exit", "file",
                           "live=1000", "end=exit", silent=False)
                self.assertEqual(self.names(), ["x.ctf"])
                self.check_everything()

    def test_a_trace_of_that_name_stays_until_it_is_named(self):
        self.steps(self.option(), "file", "live=10")
        self.counts.unlink()
        said = self.steps(self.option(), "live=10", "file", status=1, silent=False)[1]
        self.assertIn("exists already; remove it", said)
        second, = (self.work / n for n in self.names() if n != "x.ctf")
        self.assertEqual(self.check(trace=second), 10)

    def test_replace_takes_the_old_trace_away(self):
        for fork in ((), ("fork=_exit",)):
            with self.case(fork=fork):
                for _ in range(3):
                    self.counts.unlink(missing_ok=True)
                    self.run_daemon(self.option(",replace=on"), "live=10", *fork, "live=10", "file",
                                    "live=10", "leave=/", f"alone={self.shm}")
                    self.assert_clean()
                    self.assert_one_trace(30)

    def test_a_program_replaces_no_folder_that_has_more_in_it(self):
        self.run_daemon(self.option(), "live=10", "fork=exit", "file", "live=10", "leave=/")
        (self.trace / "mine").write_text("mine")
        said = self.steps(self.option(",replace=on"), "file", status=1, silent=False)[1]
        self.assertIn("other files", said)
        self.assertEqual(self.check(), 20)

    def test_a_kill_at_any_moment_loses_nothing(self):
        events = 0
        for i in range(amount(16, 1000)):
            ms = random.uniform(0, 30)
            with self.case(i=i, ms=ms):
                victim = self.start("steps", self.option(), "live=1000", "helper=0:_exit", "live=1000",
                                    "helper=500:kill", "file", "live=100000", "ms=60000",
                                    env={**self.env(), "WAYMARK_TRACE": ""})
                time.sleep(ms / 1000)
                victim.kill()
                victim.communicate()
                events += self.check_killed()
        print(f"{self.id()}: {events} events")

    def test_a_kill_of_a_daemon_and_its_parents_loses_nothing(self):
        for i in range(amount(16, 1000)):
            ms = random.uniform(0, 30)
            with self.case(i=i, ms=ms):
                victim = self.start("steps", self.option(), "live=1000", "fork=late-exit", "live=100",
                                    "fork=late-_exit", "live=100", "file", "live=100000", "ms=60000",
                                    env={**self.env(), "WAYMARK_TRACE": ""}, start_new_session=True)
                time.sleep(ms / 1000)
                os.killpg(victim.pid, signal.SIGKILL)
                victim.communicate()
                self.check_killed()

    @unittest.skipUnless(KILL_AT, "a sanitizer comes first")
    def test_a_kill_at_each_change_of_a_file_loses_nothing(self):
        for steps in (("option=live_*", "live=10", self.option(), "live=10", "file", "live=10"),
                      (self.option(), "live=10", "helper=0:_exit", "live=10", "file", "live=10")):
            status, step = -9, 0
            while status and step < 300:
                step += 1
                with self.case(steps=steps, step=step):
                    env = {**self.env(), "WAYMARK_TRACE": "", "LD_PRELOAD": KILL_AT,
                           "VICTIM_KILL_AT": str(step)}
                    victim = self.start("steps", *steps, "end=_exit", env=env)
                    victim.communicate()
                    status = victim.returncode
                    self.assertIn(status, (0, -9))
                    self.check_killed()
            self.assertLess(step, 300)
            print(f"{self.id()}: {step} kills")

    def check_killed(self):
        traces = [self.work / n for n in self.names() if not n.startswith(".")]
        if not traces:
            self.assertEqual(self.counted() if self.counts.exists() else 0, 0)
            self.waymark("recover", "--all")
            return 0
        self.assertEqual(len(traces), 1)
        events = self.check(trace=traces[0])
        self.waymark("recover", traces[0])
        self.assertEqual(self.check(trace=traces[0]), events)
        return events


class Simple(Both, survive.Survive):
    def start(self, *args, **how):
        return super().start(*args, program=SIMPLE, **how)

    def check(self, *who, trace=None):
        return self.checked([survive.WAYMARK, "print", "-e", EVENTS, trace or self.trace], who)

    def check_clean(self, events):
        self.assertEqual(self.trace.read_bytes().count(struct.pack("QQ", 2**64 - 1, 0xf2b177cb0aa429b4)), 1)

    def check_helpers(self, mine, records, end):
        """A helper that is killed, or exits by _exit(), loses the events that simple loses in that case."""
        if end == "exit" or not records:
            events = sum(int(line.split()[0]) for line in self.printed() if "live_" in line)
            self.assertEqual(events, mine + 3 * records)

    def printed(self):
        paths = [self.work / n for n in self.names()]
        out = self.waymark("info", "-e", EVENTS, *paths)
        return out[out.index("kinds"):].splitlines()

    def test_an_existing_file_is_whole_until_then(self):
        self.trace.write_text("mine")
        self.steps(self.option(), "live=10", "end=_exit")
        self.assertEqual(self.trace.read_text(), "mine")
        self.counts.unlink()
        for name in self.names():
            if name != "x.ctf":
                (self.work / name).unlink()
        self.steps(self.option(), "live=10", "file", "live=10")
        self.assert_one_trace(20)

    def test_a_link_stays_a_link(self):
        real = self.work / "real"
        real.write_text("old")
        self.trace.symlink_to(real)
        self.steps(self.option(), "live=10", "file", "live=10")
        self.assertTrue(self.trace.is_symlink())
        self.assertEqual(self.names(), ["real", "x.ctf"])
        self.assertEqual(self.check(), 20)

    def test_a_file_of_several_that_is_full_ends_in_a_whole_record(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (999999, 999999))
        said = self.steps(self.option(), "live=10", "helper=0:_exit", "file", "live=100000",
                          preexec_fn=limit, silent=False)[1]
        lost = int(re.search(r"x.ctf: (\d+) events lost", said)[1])
        printed = self.waymark("print", "-e", EVENTS, self.trace)
        self.assertEqual(printed.count(" live_") + lost, 100010)

    @contextlib.contextmanager
    def pipe(self):
        """Makes a pipe with the trace's name; its bytes are in `copy` afterwards."""
        os.mkfifo(self.trace)
        # Open the reader first, because a writer without a reader would fail.
        with open(os.open(self.trace, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
            yield
            (self.work / "copy").write_bytes(reader.read())

    def test_the_new_file_has_the_mode_of_the_old_one(self):
        self.trace.write_text("old")
        self.trace.chmod(0o600)
        self.steps(self.option(), "live=10", "file", "live=10")
        self.assertEqual(self.trace.stat().st_mode & 0o777, 0o600)
        self.assert_one_trace(20)

    def test_a_pipe_that_is_the_final_name_stays_one(self):
        with self.pipe():
            self.steps(f"option=live_*,file={self.work}/early", "live=10", self.option(), "live=10",
                       "file", "live=10")
            self.assertTrue(self.trace.is_fifo())
        events = [self.waymark("print", "-e", EVENTS, self.work / n).count(" live_") for n in ("early", "copy")]
        self.assertEqual(events, [20, 10])

    def test_a_pipe_gets_one_trace(self):
        with self.pipe():
            self.steps(self.option(), "live=10", "file", "live=10")
        self.assertEqual(self.check(trace=self.work / "copy"), 20)


survive.main()
