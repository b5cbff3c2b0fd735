#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark print --follow with running programs: follow.py WAYMARK PACED API [TEST...]"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

from followed import API, Followed, PACED, PATIENCE, STEP, WAYMARK


class Follow(Followed):
    def test_shows_each_event_once_in_order_and_ends_with_the_program(self):
        p = self.follow()
        self.wait_for(lambda: "waiting until it exists" in self.notes(p))
        count = self.recorded(self.paced(2, 200, 5000))
        shown = self.shown(p)
        self.assert_all(shown, count)
        self.assertTrue(shown.order)
        self.assertIn("the traced program has ended", self.notes(p))

    def test_shows_what_comes_within_200_ms(self):
        program = self.paced(1, 20, 100000, "stay")
        self.wait_for(self.trace.exists)
        p = subprocess.Popen([WAYMARK, "print", "--follow", self.trace], stdout=subprocess.PIPE,
                             env=self.env, text=True, stderr=subprocess.DEVNULL)
        late = []
        for _ in range(20):
            m = STEP.match(p.stdout.readline())
            late.append(time.monotonic() - int(m[1]) - int(m[2]) / 1e9)
        self.assertLess(sorted(late)[3], 0.2, late)  # a busy machine shows some later
        program.kill()
        p.wait(PATIENCE)
        p.stdout.close()

    def test_needs_hardly_any_time_while_nothing_comes(self):
        self.paced(4, 10, 0, "stay")
        self.wait_for(self.trace.exists)
        p = self.follow()
        self.wait_for(lambda: self.text(p).count("\n") == 40)
        time.sleep(2)
        p.send_signal(signal.SIGINT)
        used = os.wait4(p.pid, 0)[2]
        p.returncode = 0
        self.assertLess(used.ru_utime + used.ru_stime, 0.3)

    def test_loses_nothing_of_two_threads_at_full_speed(self):
        program = self.paced(2, 1000000, 0, options=",full=block,buffer=16M")
        self.wait_for(self.trace.exists)
        p = self.follow()
        count = self.recorded(program)
        shown = self.shown(p, disorder_ns=10**9)
        self.assert_all(shown, count)

    def test_shows_what_a_kill_leaves(self):
        for delay in (0.05, 0.2, 0.35):
            self.trace = self.work / f"killed-{delay}.ctf"
            program = self.paced(2, 10**9, -200, options=",full=block,buffer=8M")
            self.wait_for(self.trace.exists)
            p = self.follow()
            time.sleep(delay)
            program.kill()
            program.wait()
            shown = self.shown(p, disorder_ns=10**9)
            self.assertEqual((shown.twice[:5], shown.lost, shown.packets), ([], 0, 0))
            self.assertTrue(shown.has_no_holes())
            self.assertEqual(shown.last, self.plain().last)

    def test_shows_all_of_a_slow_program_that_is_killed(self):
        program = self.paced(3, 10**9, 1000)
        self.wait_for(self.trace.exists)
        p = self.follow()
        time.sleep(0.7)
        program.kill()
        program.wait()
        shown = self.shown(p)
        plain = self.plain()
        self.assertTrue(shown.order)
        self.assertTrue(shown.has_no_holes())
        self.assertEqual((shown.last, shown.count), (plain.last, plain.count))

    def test_several_at_once_see_the_same(self):
        program = self.paced(2, 200000, 0, options=",full=block,buffer=16M")
        self.wait_for(self.trace.exists)
        followers = [self.follow() for _ in range(3)]
        count = self.recorded(program)
        for p in followers:
            self.assert_all(self.shown(p, disorder_ns=10**9), count)

    def test_goes_on_in_the_pieces_of_a_rotated_trace(self):
        program = self.paced(2, 500000, 0, options=",full=block,buffer=16M,rotate=1M")
        self.wait_for(self.trace.exists)
        p = self.follow()
        count = self.recorded(program)
        self.assert_all(self.shown(p, disorder_ns=10**9), count)
        self.assertGreater(len(list(self.trace.glob("stream-1-*"))), 3)

    def test_tells_what_was_rotated_away(self):
        program = self.paced(2, 200000, -500, options=",rotate=1M,keep=2,flush=1")
        self.wait_for(self.trace.exists)
        p = self.follow()
        count = self.recorded(program)
        shown = self.shown(p, disorder_ns=10**9)
        self.assertEqual(shown.twice[:5], [])
        self.assertLessEqual(shown.count, count)
        # Events overwritten before the follower started are no gap: the trace then begins later.
        self.assertTrue(shown.packets > 0 or shown.has_no_holes())

    def test_tells_what_is_overwritten_between_snapshots(self):
        """A snapshot writes packets that were read in memory, and others are discarded."""
        for _ in range(3):
            program = self.paced(2, 400000, -1000, options=",full=overwrite,buffer=1M,snapshot=USR2")
            self.wait_for(self.trace.exists)
            p = self.follow()
            while program.poll() is None:
                program.send_signal(signal.SIGUSR2)
                time.sleep(0.004)
            count = int(program.stdout.readline().split()[1])
            shown = self.shown(p, disorder_ns=10**9)
            self.assertEqual(shown.twice[:5], [])
            self.assertEqual((shown.count + shown.lost, shown.packets), (count, 0))
            shutil.rmtree(self.trace)

    def test_tells_what_was_rotated_away_from_one_who_is_late(self):
        for _ in range(4):
            program = self.paced(2, 300000, -500, options=",rotate=1M,keep=2,flush=20")
            self.wait_for(self.trace.exists)
            p = self.follow()
            while program.poll() is None: # it stops anywhere, in the middle of a packet too
                p.send_signal(signal.SIGSTOP)
                time.sleep(0.12)
                p.send_signal(signal.SIGCONT)
                time.sleep(0.03)
            shown = self.shown(p, disorder_ns=10**9)
            self.assertEqual(shown.twice[:5], [])
            self.assertTrue(shown.packets > 0 or shown.has_no_holes())
            shutil.rmtree(self.trace)

    def test_counts_what_found_no_memory(self):
        program = self.paced(2, 1000000, 0, options=",buffer=1M")
        self.wait_for(self.trace.exists)
        p = self.follow()
        count = self.recorded(program)
        shown = self.shown(p, disorder_ns=10**9)
        self.assertEqual(shown.twice[:5], [])
        self.assertEqual(shown.count + shown.lost, count)
        self.assertEqual(shown.packets, 0)

    def overwritten(self, events, pause, buffer, what="stay"):
        """Returns the output for two threads that overwrite their memory and are killed."""
        program = self.paced(2, events, pause, what,
                             options=f",full=overwrite,buffer={buffer}")
        self.wait_for(self.trace.exists)
        p = self.follow()
        count = int(program.stdout.readline().split()[1])
        time.sleep(0.5)
        program.kill()
        program.wait()
        shown = self.shown(p, disorder_ns=10**9)
        self.assertEqual(shown.twice[:5], [])
        self.assertEqual(shown.count + shown.lost, count)
        return shown

    def test_reads_memory_that_is_overwritten(self):
        self.overwritten(1000000, 0, "2M")

    def test_overwritten_memory_read_in_time_is_no_loss(self):
        for _ in range(20):  # as fast as the machine allows, which others use as well
            shown = self.overwritten(40000, 20, "1M")
            if os.environ.get("WAYMARK_SANITIZER") or shown.lost < shown.count / 9:
                return
            shutil.rmtree(self.trace)
        self.fail(f"{shown.lost} lost of {shown.count}")

    def test_what_was_read_before_a_rest_is_no_loss_when_it_is_overwritten_after_it(self):
        """During the rest the follower has read all events: it must remember that."""
        self.overwritten(40000, -50, "1M", "rest")

    def info(self):
        done = subprocess.run([WAYMARK, "info", "--json", self.trace], capture_output=True,
                              text=True, env=self.env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def assert_missing(self, count, state, most):
        """Each event is recorded or reported missing, in total and per thread; most of the missing
        ones are of the kind `most`.
        """
        info = self.info()
        kinds = ["events", "lost", "overwritten"]
        self.assertEqual(info["traces"][0]["state"], state)
        self.assertEqual(sum(info[kind] for kind in kinds), count, info)
        self.assertEqual((info["rotated_packets"], info["missing_packets"]), (0, 0))
        self.assertGreater(info[most], 100 * (info["lost"] + info["overwritten"] - info[most]))
        for kind in kinds:
            self.assertEqual(sum(thread[kind] for thread in info["threads"]), info[kind])
        return info

    def test_overwritten_events_are_reported_before_and_after_the_end(self):
        program = self.paced(2, 1000000, 0, "stay", options=",full=overwrite,buffer=2M")
        count = int(program.stdout.readline().split()[1])
        self.assert_missing(count, "running", "overwritten")
        program.kill()
        program.wait()
        killed = self.assert_missing(count, "killed", "overwritten")
        subprocess.run([WAYMARK, "recover", self.trace], check=True, env=self.env,
                       stdout=subprocess.DEVNULL)
        ended = self.info()
        self.assertEqual(ended["events"], killed["events"])
        self.assertEqual(ended["lost"] + ended["overwritten"], count - ended["events"])

    def test_events_without_room_are_reported_as_lost(self):
        program = self.paced(2, 1000000, 0, options=",buffer=1M")
        info = self.assert_missing(self.recorded(program), "ended", "lost")
        self.assertEqual(info["overwritten"], 0)

    def test_removed_tracefiles_are_reported_as_rotated_away(self):
        program = self.paced(1, 1000000, 0, options=",rotate=1M,keep=2,full=block")
        count = self.recorded(program)
        info = self.info()
        self.assertLess(info["events"], count)
        self.assertGreater(info["rotated_packets"], 0)
        self.assertEqual([info[kind] for kind in ("lost", "overwritten", "missing_packets")], [0] * 3)

    def test_a_fork_has_a_trace_of_its_own(self):
        program = self.paced(2, 200, 2000, "fork")
        self.wait_for(self.trace.exists)
        p = self.follow()
        self.assertEqual(program.wait(PATIENCE), 0)
        self.assert_all(self.shown(p), 400)
        traces = [t for t in self.work.glob("t.ctf*") if t.is_dir()]
        self.assertEqual(len(traces), 2)

    def test_several_traces_are_merged(self):
        program = self.paced(2, 300, 2000, "fork")
        self.wait_for(lambda: len([t for t in self.work.glob("t.ctf*") if t.is_dir()]) == 2)
        traces = sorted(t for t in self.work.glob("t.ctf*") if t.is_dir())
        p = self.follow(traces[0], trace=traces[1])
        self.assertEqual(program.wait(PATIENCE), 0)
        shown = self.shown(p)
        self.assert_all(shown, 1200)
        self.assertTrue(shown.order)

    def test_a_thousand_threads(self):
        program = self.paced(1000, 20, 20000, options=",buffer=128M")
        self.wait_for(self.trace.exists)
        p = self.follow()
        count = self.recorded(program)
        self.assert_all(self.shown(p, disorder_ns=10**9), count)

    def test_an_event_that_is_switched_on_later(self):
        program = self.paced(1, 100, 2000, "late")
        self.wait_for(self.trace.exists)
        p = self.follow()
        self.recorded(program)
        shown = self.shown(p)
        self.assertEqual(len(shown.others), 1)
        self.assertIn("late late 'on'", shown.others[0])

    def test_an_interrupt_shows_what_there_is_and_ends_well(self):
        program = self.paced(1, 10**6, 1000)
        self.wait_for(self.trace.exists)
        p = self.follow()
        self.wait_for(lambda: self.text(p).count("\n") > 100)
        p.send_signal(signal.SIGINT)
        shown = self.shown(p)
        self.assertTrue(shown.has_no_holes())
        self.assertIsNone(program.poll())

    def test_ends_when_it_has_no_reader(self):
        self.paced(1, 1, 0, "stay")
        self.wait_for(self.trace.exists)
        p = subprocess.Popen([WAYMARK, "print", "--follow", self.trace], stdout=subprocess.PIPE,
                             env=self.env, stderr=subprocess.PIPE)
        p.stdout.readline()
        p.stdout.close()
        self.assertEqual(p.wait(PATIENCE), 0)
        self.assertEqual(p.stderr.read(), b"")
        p.stderr.close()

    def test_an_interrupt_ends_the_wait_for_a_trace(self):
        p = self.follow()
        self.wait_for(lambda: "waiting until it exists" in self.notes(p))
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(PATIENCE), 0)

    def test_only_what_is_new(self):
        program = self.paced(1, 500, 5000)
        self.wait_for(self.trace.exists)
        self.wait_for(lambda: self.plain().count > 30)
        p = self.follow("--new")
        count = self.recorded(program)
        shown = self.shown(p)
        (first,) = shown.first.values()
        self.assertGreater(first, 20)
        self.assertEqual(shown.count, count - first)
        self.assertEqual(shown.lost, 0)

    def test_a_trace_whose_program_is_dead(self):
        program = self.paced(1, 100, 0, "stay")
        program.stdout.readline()
        program.kill()
        program.wait()
        p = self.follow()
        self.assert_all(self.shown(p), 100)
        p = self.follow("--new")
        self.assertEqual(self.shown(p).count, 0)
        self.assertIn("has ended", self.notes(p))

    def test_a_file_cannot_be_followed(self):
        self.trace.write_bytes(b"x" * 100)
        p = self.follow()
        self.assertEqual(p.wait(PATIENCE), 1)
        self.assertIn("only a native trace", self.notes(p))

    def test_a_plain_print_of_a_program_at_full_speed(self):
        for options in (",full=block,buffer=4M", ",full=block,buffer=4M,rotate=2M",
                        ",full=overwrite,buffer=2M", ",buffer=2M,rotate=1M,keep=3"):
            self.trace = self.work / f"plain{len(options)}.ctf"
            program = self.paced(2, 10**9, -300, options=options)
            self.wait_for(self.trace.exists)
            for _ in range(3):
                time.sleep(0.1)
                shown = self.plain()
                self.assertEqual(shown.twice[:5], [], options)
                self.assertTrue(shown.order, options)
                self.assertEqual(shown.others, [], options)
                if "block" in options:
                    self.assertEqual((shown.lost, shown.packets), (0, 0), options)
                    self.assertTrue(shown.has_no_holes(), options)
            program.kill()
            program.wait()
            shutil.rmtree(self.trace)
            for left in self.shm.glob("*"):
                left.unlink()

    def test_a_plain_print_ends_where_the_program_was_when_it_began(self):
        """However slowly it prints, it must not continue with events recorded later."""
        self.paced(2, 10**9, -300, options=",full=block,buffer=1M")
        self.wait_for(lambda: sum(f.stat().st_size for f in self.trace.glob("stream*")) > 1 << 21)
        with subprocess.Popen([WAYMARK, "print", self.trace], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=self.env) as p:
            self.addCleanup(p.kill)
            end = time.monotonic() + PATIENCE
            while p.stdout.read(1 << 18):  # less than is recorded at the same time
                self.assertLess(time.monotonic(), end, "it never ends")
                time.sleep(0.05)
        self.assertEqual(p.returncode, 0)

    def test_programs_follow_programs_through_the_c_interface(self):
        for end in ("kill", "stop"):
            self.trace = self.work / f"{end}.ctf"
            done = subprocess.run(
                [API, self.trace, "300", end, PACED, "1", "300", "2000", "stay"],
                capture_output=True, text=True, timeout=PATIENCE,
                env={**self.env, "WAYMARK_TRACE": f"step,file={self.trace}"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), end)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
