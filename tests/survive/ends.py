#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that events survive every way to exit, fork and run threads: ends.py WAYMARK VICTIM CHECK
ALL EVENTS
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ALL, EVENTS = (os.path.abspath(sys.argv.pop(4)) for _ in range(2))

import survive
from survive import NO_LEAK_CHECK, SANITIZER, VICTIM, amount

ENDS = {"exit": 0, "quick_exit": 0, "_exit": 0, "waymark_end": 0, "execve": 0,
        "abort": -signal.SIGABRT, "segv": -signal.SIGSEGV, "term": -signal.SIGTERM,
        "kill": -signal.SIGKILL}
# These leave nothing for `waymark recover`.
CLOSED_BY_ITSELF = ("exit", "quick_exit", "waymark_end", "abort", "segv")


class Ends(survive.Survive):
    def test_each_end_of_one_thread_loses_nothing(self):
        for how, status in ENDS.items():
            for _ in range(amount(4, 40)):
                with self.case(how=how):
                    if SANITIZER and how == "segv":
                        continue
                    self.live("end", how, 20000, status=status)
                    if how in CLOSED_BY_ITSELF and not (SANITIZER and how == "abort"):
                        self.assert_clean()
                    self.assertEqual(self.check_everything(), 20000)

    def test_a_trace_says_how_it_ended(self):
        for how, status in ENDS.items():
            if SANITIZER and how in ("segv", "abort"):
                continue
            with self.case(how=how):
                self.live("end", how, 1000, status=status)
                itself = how in CLOSED_BY_ITSELF
                self.assertEqual(self.state(), "ended" if itself else "killed")
                away = self.shm.rename(f"{self.shm}-away")
                self.shm.mkdir()  # as after the next boot
                self.assertEqual(self.state(), "ended" if itself else "unfinished")
                away.rename(self.shm)
                self.waymark("recover", self.trace)
                self.assertEqual(self.state(), "ended" if itself else "recovered")

    def state(self):
        return re.search("^state +([a-z]+)", self.waymark("info", self.trace), re.M)[1]

    def test_each_end_with_threads_in_full_flight_loses_nothing(self):
        for how, status in ENDS.items():
            for _ in range(amount(2, 40)):
                with self.case(how=how):
                    if SANITIZER and how == "segv":
                        continue
                    self.live("end", how, 1000, 2, 5, status=status, silent=False,
                              env=self.env(",buffer=1G"))
                    if how in ("exit", "quick_exit", "waymark_end"):
                        self.assert_clean()
                    self.check_everything()

    def test_an_end_is_complete_however_many_threads_record(self):
        for options in (",buffer=1G", ",full=block,buffer=1M", ",full=overwrite,buffer=1M"):
            for threads in (1, 4):
                for how in ("exit", "waymark_end"):
                    for _ in range(amount(2, 20)):
                        with self.case(options=options, threads=threads, how=how):
                            self.live("end", how, 1000, threads, 5, env=self.env(options))
                            self.assert_clean()
                            if "overwrite" not in options:
                                self.check_everything()

    def test_what_a_thread_records_behind_the_end_of_exit_is_not_lost(self):
        """Even if only that thread has recorded."""
        for events in (1000, 0):
            for _ in range(amount(4, 40)):
                with self.case(events=events):
                    self.live("late", events, env=self.env(",buffer=1G"))
                    self.assert_clean()
                    self.check_everything()

    def test_signals_that_end_it_wait_for_the_last_events_if_asked_for(self):
        for sig in ("term", "int", "hup"):
            status = -getattr(signal, "SIG" + sig.upper())
            self.live("end", sig, 20000, status=status)
            self.assertEqual(len(self.buffers()), 1)
            self.forget()
            self.live("end", sig, 20000, status=status, env=self.env(",crash=all"))
            self.assert_clean()
            self.assertEqual(self.check(), 20000)
            self.forget()

    def test_strings_are_as_long_as_it_was_asked_for(self):
        for most in (8, 20, 61):
            self.live("end", "exit", 200, kind="text", env=self.env(f",string={most}"))
            said = re.findall(r" step (\d+) text (.*)", self.waymark("print", self.trace))
            self.assertEqual(len(said), 200)
            for step, text in said:
                length = int(step) * 7 % 60 + 1
                whole = chr(ord("a") + int(step) % 26) * length
                self.assertEqual(text, whole if length <= most else whole[:most - 4] + "...")
            self.forget()

    def test_an_exit_leaves_no_file_half_made(self):
        for _ in range(amount(30, 300)):
            self.live("end", "exit", 20000, env=self.env(",rotate=1M"))
            self.assertEqual(list(self.trace.glob(".*")), [])
            self.forget()

    def test_an_event_in_a_handler_survives_too(self):
        for how in ("exit", "_exit", "kill"):
            self.live_with_a_handler(how)
            self.check_everything()
            self.forget()

    def live_with_a_handler(self, how):
        """Runs again if the victim says that its timer came after the trace was complete."""
        # If handlers fill the first packet, one of them starts the writer: a known limit.
        tsan = os.environ.get("TSAN_OPTIONS", "") + ":report_signal_unsafe=0"
        for _ in range(20):
            self.live("handler", how, status=ENDS[how], silent=False,
                      env=self.env(TSAN_OPTIONS=tsan))
            if "after the trace was complete" not in self.said:
                return
            self.forget()
        self.fail(f"never in time: {self.said}")

    def test_events_that_a_handler_records_after_the_end_are_reported_as_missing(self):
        for _ in range(amount(5, 100)):
            self.live("behind", silent=False)
            self.assertRegex(self.said, r"^waymark: .*/x\.ctf: events were recorded after the trace was "
                                        r"complete: the last of them may be missing\n$")
            self.assertEqual(self.waymark("print", self.trace).count(" thread 0 "), 20000)
            self.assert_clean()
            self.forget()

    def test_a_program_that_executes_itself_has_a_second_trace(self):
        said = self.live("exec", 1000, silent=False)[1]
        self.assertRegex(said, r"^waymark: the trace is .*/x\.ctf\.\d+: the requested name is taken\n$")
        second = pathlib_one(t for t in self.traces() if t != self.trace)
        self.assertEqual(second.name, f"x.ctf.{self.pid}")
        self.assertEqual(self.check(0, 0), 1000)
        self.assertEqual(self.check(1, 1, trace=second), 1000)
        self.check_everything(0, 0)

    def test_forks(self):
        for form in ("fork", "clone"):
            for how in ("exit", "_exit", "kill"):
                for events in (0, 1000):
                    with self.case(form=form, how=how, events=events):
                        if SANITIZER and form == "clone":
                            continue
                        self.fork(form, how, events)

    def fork(self, form, how, events):
        status = 4 if how == "kill" else 0
        self.live("forks", form, how, events, status=status, silent=False,
                  env=self.env(",buffer=1G", **NO_LEAK_CHECK))
        children = [t for t in self.traces() if t != self.trace]
        self.check(0, 1)
        self.assertEqual(len(children), 1 if events else 0)
        for child in children:
            self.assertEqual(self.check(2, 2, trace=child), events)
            self.waymark("recover", child)
            self.assertEqual(self.check(2, 2, trace=child), events)
        self.check_everything(0, 1)

    @unittest.skipIf(SANITIZER == "thread", "ThreadSanitizer makes vfork() a fork()")
    def test_vfork_and_spawn_record_in_the_parents_trace(self):
        self.live("vforks")
        self.assertEqual(self.check_everything(), 9)
        self.assertEqual(self.traces(), [self.trace])

    @unittest.skipIf(SANITIZER, "the sanitizer handles the crash")
    def test_a_vforked_child_that_crashes_ends_nothing(self):
        self.live("vfork-crash", status=-6)
        self.assertEqual(self.check_everything(), 2000)

    def test_a_child_that_lives_on_does_not_hold_its_parents_events(self):
        for events in (0, 100):
            victim = self.start("orphan", events)
            child = int(victim.stdout.readline())
            victim.wait()
            try:
                os.kill(child, 0)
                self.waymark("recover", self.trace)
                self.assertEqual(self.check(0, 0), 1000)
                self.assertEqual(len(self.buffers()), 1 if events else 0)
            finally:
                os.kill(child, signal.SIGKILL)
                victim.stdout.close()
                victim.stderr.close()
            self.forget()

    def test_a_daemon_has_the_name_that_was_asked_for(self):
        victim = self.start("daemon")
        victim.communicate()  # ends when the daemon has closed its streams
        self.assertEqual(self.check_everything(), 1000)
        self.assertEqual(self.traces(), [self.trace])

    @unittest.skipIf(SANITIZER, "sanitizers have descriptors of their own")
    def test_closefrom_hurts_neither_trace_nor_program(self):
        self.live("closefrom", env=self.env(",buffer=1G"))
        self.assertEqual(self.check_everything(), 2100000)
        self.assertEqual({f.stat().st_size for f in self.work.glob("own.*")}, {0})

    def test_short_threads_share_streams_and_memory(self):
        threads, at_once = amount(6000, 16000), 10
        threads -= threads % at_once
        folder = tempfile.mkdtemp(prefix="waymark-test-", dir=self.shm.parent)
        self.addCleanup(shutil.rmtree, folder)
        self.trace = pathlib.Path(folder) / "x.ctf"  # on a file system where files are made quickly
        out, _ = self.live("short", threads, at_once, 2)
        streams = list(self.trace.glob("stream-*"))
        self.assertEqual(self.check_everything(), threads * 13)
        print(f"{threads} threads: {len(streams)} streams, {out.strip()} KiB at most")
        if not SANITIZER:
            self.assertLess(int(out), 128 << 10)
            self.assertLess(len(streams), 2 * at_once)

    def test_a_thousand_threads_at_once(self):
        self.live("many", amount(1000, 1000))
        self.assertEqual(self.check_everything(), 2 * amount(1000, 1000))

    def test_a_program_that_runs_another_one_shares_nothing_but_the_name(self):
        other = self.work / "other"
        said = self.live("run", 500, VICTIM, other, "step", "end", "exit", 700, silent=False)[1]
        self.assertIn("the requested name is taken", said)
        second = pathlib_one(t for t in self.traces() if t != self.trace)
        self.assertRegex(second.name, r"^x\.ctf\.\d+$")
        self.assertEqual(self.check_everything(), 1000)
        self.counts = other
        self.assertEqual(self.check_everything(trace=second), 700)

    @unittest.skipIf(SANITIZER, "the sanitizer handles the crash")
    def test_the_programs_own_handler_stays_in_charge(self):
        self.live("own-handler", status=9)
        self.assertEqual(self.check_everything(), 20000)

    @unittest.skipIf(SANITIZER, "the sanitizer handles the crash")
    def test_without_crash_handlers_recover_brings_the_events_in(self):
        for how, status in (("abort", -6), ("segv", -11)):
            with self.case(how=how):
                self.live("end", how, 20000, status=status, env=self.env(",crash=off"))
                self.assertEqual(len(self.buffers()), 1)
                self.assertEqual(self.check_everything(), 20000)

    @unittest.skipIf(SANITIZER, "the sanitizer handles the crash")
    def test_a_stack_overflow_loses_nothing(self):
        for own_stack in ((), ("own-stack",)):
            with self.case(own_stack=own_stack):
                self.live("overflow", *own_stack, status=-signal.SIGSEGV)
                self.assertEqual(len(self.buffers()), 1 if not own_stack else 0)
                self.assertGreater(self.check_everything(), 100)

    def test_threads_that_exit_together_lose_nothing(self):
        for _ in range(amount(4, 40)):
            with self.case():
                self.live("exits", 8, silent=False, env=self.env(",buffer=1G"))
                self.check_everything()

    def test_another_thread_may_exit(self):
        self.live("thread-exit")
        self.assert_clean()
        self.assertEqual(self.check_everything(), 21000)

    @unittest.skipIf(SANITIZER == "thread", "ThreadSanitizer makes vfork() a fork()")
    def test_a_first_event_between_vfork_and_exec_is_the_parents(self):
        self.live("first-vfork")
        self.assertEqual(self.check_everything(), 20001)
        self.assertEqual(self.traces(), [self.trace])

    @unittest.skipIf(SANITIZER, "sanitizers do not know clone()")
    def test_a_child_with_the_parents_memory_records_as_the_parent(self):
        self.live("clone-vm", 100000)
        self.assertEqual(self.check_everything(), 1011000)
        self.assertEqual(self.traces(), [self.trace])

    @unittest.skipIf(SANITIZER, "sanitizers have descriptors of their own")
    def test_a_daemon_that_has_recorded_before_has_a_second_trace(self):
        self.start("daemonize", env=self.env(",buffer=1G")).communicate()
        self.wait_for_the_end()
        second = pathlib_one(t for t in self.traces() if t != self.trace)
        self.assertEqual(self.check(2, 2, trace=second), 200000)
        self.waymark("recover", second)
        self.assertEqual(self.check_everything(0, 0), 1000)

    def wait_for_the_end(self):
        """A daemon is not our child: but it counts events, and its buffer is locked while it runs."""
        for _ in range(2000):
            if (self.counts.read_bytes()[16:24] == (200000).to_bytes(8, sys.byteorder) and
                    "alive" not in self.waymark("recover", "--list")):
                return
            time.sleep(0.01)

    def test_the_reader_of_the_programs_output_sees_its_end(self):
        victim = self.start("eof", stdin=subprocess.PIPE)
        self.assertEqual(victim.stdout.read(), "")
        self.assertIsNone(victim.poll())
        victim.communicate("go\n")
        self.assertEqual(self.check_everything(), 202000)

    def test_a_program_that_blocks_its_signals_is_written(self):
        self.live("blocked", status=-9)
        self.assertEqual(self.check_everything(), 40000)

    @unittest.skipIf(SANITIZER == "thread", "ThreadSanitizer has a thread of its own")
    def test_a_pinned_thread_does_not_pin_the_writer(self):
        if os.cpu_count() < 2:
            self.skipTest("it needs two processors")
        victim = self.start("pinned")
        victim.stdout.readline()
        tasks = pathlib.Path(f"/proc/{victim.pid}/task")
        tids = [int(t.name) for t in tasks.iterdir() if t.name != str(victim.pid)]
        states = [(os.sched_getscheduler(t), len(os.sched_getaffinity(t))) for t in tids]
        victim.kill()
        victim.communicate()
        self.assertEqual(len(states), 1)
        self.assertEqual(states[0][0], os.SCHED_OTHER)
        self.assertEqual(self.check_everything(), 20000)

    def test_coroutines_that_move_between_threads_lose_nothing(self):
        self.live("coroutines", amount(2000, 50000))
        self.assertEqual(self.check_everything(), 16 * 3 * amount(2000, 50000))

    def test_all_backends_at_once(self):
        log, simple = self.work / "log", self.work / "simple"
        options = f",simple.file={simple},log.file={log},log.prefix=none"
        for how, status in (("exit", 0), ("kill", -9)):
            with self.case(how=how):
                self.live("end", how, 20000, program=ALL, status=status, env=self.env(options))
                self.assertEqual(self.check_everything(), 20000)
                self.assertEqual(len(log.read_text().splitlines()), 20000)
                # Events of the other file that a kill loses do not matter here.
                self.counts.touch()
                if how == "exit":
                    said = self.checked([survive.WAYMARK, "print", "-e", EVENTS, simple], ())
                    self.assertEqual(said, 20000)


def pathlib_one(paths):
    found = list(paths)
    assert len(found) == 1, found
    return found[0]


survive.main()
