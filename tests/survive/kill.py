#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that kill -9 at any moment loses, cuts and repeats no event: kill.py WAYMARK VICTIM CHECK KILL_AT"""

import itertools
import os
import random
import sys
import unittest

KILL_AT = sys.argv.pop(4)
KILL_AT = KILL_AT and os.path.abspath(KILL_AT)

import killed
import survive
from survive import amount


class Kill(killed.Killed):
    def kill_many(self, times, span, *args, options=",buffer=1G"):
        total = 0
        for i in range(times):
            ms = random.uniform(0, span)
            kind = random.choice(("step", "text", "both"))
            with self.subTest(i=i, ms=ms, kind=kind, args=args):
                command = [a() if callable(a) else a for a in args]
                try:
                    self.kill_after(ms, *command, kind=kind, options=options)
                    total += self.check_what_is_left()
                finally:
                    self.forget()
        print(f"{self.id()}: {times} kills, {total} events")

    def test_at_full_speed(self):
        self.kill_many(amount(12, 200), 50, "storm", lambda: random.randint(1, 4))

    def test_during_the_start(self):
        self.kill_many(amount(12, 200), 6, "storm", lambda: random.randint(1, 4))

    def test_with_packets_that_close_all_the_time(self):
        self.kill_many(amount(10, 200), 60, "flush", lambda: random.randint(1, 3))

    def test_while_short_threads_share_streams(self):
        self.kill_many(amount(12, 200), 60, "short", 16000, 4, 0)
        self.kill_many(amount(6, 100), 60, "short", 16000, 4, 0, options=",rotate=1M")

    @unittest.skipUnless(KILL_AT, "a sanitizer comes first")
    def test_in_the_middle_of_a_write_of_small_packets(self):
        """The last packet may end at any place: in a header, in events, between packets."""
        kills = 0
        for i in range(amount(25, 500)):
            step, torn = random.randint(1, 120), random.choice((1, 40, 87, 88, 89, random.randint(1, 4000)))
            with self.case(i=i, step=step, torn=torn):
                env = self.env(LD_PRELOAD=KILL_AT, VICTIM_KILL_AT=str(step), VICTIM_TEAR=str(torn))
                victim = self.start("short", 400, 4, 0, env=env)
                said = victim.communicate(timeout=60)[1]
                self.assertIn(victim.returncode, (0, -9), said)
                kills += victim.returncode == -9
                self.check_what_is_left()
        self.assertGreater(kills, 0)
        print(f"{self.id()}: {kills} kills")

    def test_between_pieces(self):
        self.kill_many(amount(10, 100), 60, "storm", 2, options=",rotate=1M,buffer=1G")

    def test_while_the_trace_changes(self):
        turns = 0
        for shm in (self.shm, self.work / "none"):
            for i in range(amount(12, 300)):
                ms = random.uniform(0, 80)
                with self.subTest(i=i, ms=ms, shm=shm):
                    try:
                        self.kill_after(ms, "turns", random.choice((0, 0, 1, 3)), shm=shm)
                        turns += self.check_turns()
                    finally:
                        self.forget()
        print(f"{self.id()}: {turns} traces")

    @unittest.skipUnless(KILL_AT, "a sanitizer comes first")
    def test_at_each_change_of_a_file_while_the_trace_changes(self):
        """Whole or torn: the first packet of a trace, too, whose number is not 1 after another trace."""
        for shm, tear in itertools.product((self.shm, self.work / "none"), ({}, {"VICTIM_TEAR": "1000"})):
            turns = step = 0
            while turns < amount(4, 8) and step < 400:
                step += 1
                with self.case(step=step, shm=shm, tear=tear):
                    env = self.env(WAYMARK_SHM=str(shm), LD_PRELOAD=KILL_AT, VICTIM_KILL_AT=str(step), **tear)
                    self.live("turns", 0, status=-9, env=env)
                    turns = self.check_turns()
            self.assertLess(step, 400)
            print(f"{self.id()}: {step} kills")

    def test_during_the_exit(self):
        for how in ("exit", "quick_exit", "abort", "segv"):
            self.kill_many(amount(6, 100), 25, "end", how, 200000, 1, 3)

    def test_during_the_exit_of_a_quiet_program(self):
        for how in ("exit", "abort"):
            self.kill_many(amount(10, 100), 8, "end", how, 20000)

    def test_during_a_snapshot(self):
        self.kill_many(amount(6, 60), 40, "snapshots", 20000, options=",full=overwrite,snapshot=USR2,buffer=1G")

    def test_what_a_snapshot_overwrites_is_counted_once(self):
        for _ in range(amount(12, 100)):
            ms = random.uniform(20, 80)
            with self.subTest(ms=ms):
                try:
                    self.kill_after(ms, "snapshots", 300000, kind="step",
                                    options=",full=overwrite,snapshot=USR2,buffer=2M")
                    if self.counts.exists():  # on a busy machine it may not exist yet
                        self.assertIn(self.counted_too_much(), range(3))
                finally:
                    self.forget()

    def test_memory_that_is_damaged_or_closed_is_reported(self):
        """The events in the files are printed, and the missing ones are an error."""
        self.live("end", "kill", 100, status=-9)
        buffer = self.shm / self.buffers()[0]
        whole = buffer.read_bytes()
        buffer.write_bytes(bytes(len(whole)))
        self.assertIn(f"({buffer}) is damaged: the last events", self.waymark("print", self.trace, status=1))
        self.assertIn("state     unreadable", self.waymark("info", self.trace, status=1))
        buffer.unlink()
        buffer.symlink_to(self.work / "elsewhere")
        self.assertIn(f"({buffer}) cannot be read: Too many", self.waymark("print", self.trace, status=1))
        buffer.unlink()
        self.assertIn("its memory is not here", self.waymark("print", self.trace))
        buffer.write_bytes(whole)
        self.assertEqual(self.check(), 100)


survive.main()
