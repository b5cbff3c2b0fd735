#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that leftovers of killed processes are recovered, and do not fill memory: leftovers.py
WAYMARK VICTIM CHECK KILL_AT
"""

import fcntl
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time
import unittest

KILL_AT = sys.argv.pop(4)
KILL_AT = KILL_AT and os.path.abspath(KILL_AT)

import survive
from survive import NOBODY, ROOT, VICTIM, amount, reachable

KIB = 1024
UNIT = 64 * KIB
TABLES = 40 * KIB  # the largest header and counters of a leftover


class Leftovers(survive.Survive):
    def choose(self, name):
        """Sets the name of the next victim's trace and counts."""
        self.trace, self.counts = self.work / f"{name}.ctf", self.work / f"{name}.counts"

    def leave(self, name, events=1000, options=",leftovers=off", **how):
        """Runs a victim that is killed after its events; returns the name of its memory."""
        before = set(self.buffers())
        self.choose(name)
        self.live("end", "kill", events, status=-9, env=self.env(options), program=reachable(VICTIM), **how)
        [left] = set(self.buffers()) - before
        return left

    def keep(self, name, options, **more):
        """Starts a victim that begins to record, and keeps running."""
        self.choose(name)
        keeper = self.start("wait", 1, env=self.env(options, **more), stdin=subprocess.PIPE)
        keeper.stdout.readline()
        return keeper

    def end(self, keeper):
        out, said = keeper.communicate(timeout=60)
        self.assertEqual(keeper.returncode, 0, said)
        return said

    def wait_until(self, condition, keeper=None):
        deadline = time.monotonic() + 60
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"{self.buffers()} {list(self.work.glob('*/.arena*'))}")
            time.sleep(0.005)

    def sweep(self, options, condition, **more):
        """Starts a process that records with these options, so that it recovers; returns its messages."""
        former = self.trace, self.counts
        keeper = self.keep("keeper", options, **more)
        try:
            self.wait_until(condition)
        finally:
            said = self.end(keeper)
            shutil.rmtree(self.trace)
            self.trace, self.counts = former
        return said

    def said_by_one(self, options, what):
        """Each new process tries again; only one that runs long enough reports it."""
        deadline = time.monotonic() + 60
        while what not in (said := self.sweep(options, lambda: True)):
            self.assertLess(time.monotonic(), deadline, said)
        self.assertEqual(said.count("\n"), 1, said)
        return said

    def mount(self, place, size):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place], capture_output=True)
        if done.returncode:
            self.skipTest("it needs the right to mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", place], check=True)

    def size(self, name):
        try:
            return (self.shm / name).stat().st_blocks * 512
        except FileNotFoundError:
            return 0

    def packets(self, name):
        """Returns the content bytes of each packet in memory, rounded up to pages."""
        found = []
        with open(self.shm / name, "rb", buffering=0) as buffer:
            first, uuid = struct.unpack_from("=I8x16s", buffer.read(40), 12)
            at = first << 16
            while True:
                try:
                    at = (os.lseek(buffer.fileno(), at, os.SEEK_DATA) + UNIT - 1) // UNIT * UNIT
                except OSError:
                    return found
                header = os.pread(buffer.fileno(), 56, at)
                if header[:20] == b"\xc1\x1f\xfc\xc1" + uuid:
                    found.append((struct.unpack_from("Q", header, 48)[0] // 8 + 4095) // 4096 * 4096)
                at += UNIT

    def total(self):
        return sum(map(self.size, self.buffers()))

    def is_moved(self, name):
        return (self.work / f"{name}.ctf" / ".arena").exists()

    def check_one(self, name, events=None):
        """Checks that all events are present, before and after `waymark recover`, and that nothing
        is left then.
        """
        self.choose(name)
        found = self.check()
        if events:
            self.assertEqual(found, events)
        self.waymark("recover", self.trace)
        self.assertEqual(self.check(), found)
        if survive.BABELTRACE and found < 300000:
            self.assertEqual(self.checked([survive.BABELTRACE, self.trace], ()), found)
        self.assertEqual(list(self.trace.glob(".*")), [])

    def test_memory_that_holds_no_packet_is_given_back(self):
        self.choose("burst")
        victim = self.start("wait", 1000000, kind="step", env=self.env(",leftovers=off"), stdin=subprocess.PIPE)
        victim.stdout.readline()
        [left] = self.buffers()
        self.wait_until(lambda: len(self.packets(left)) <= 1)  # the rest is written
        victim.kill()
        victim.communicate()
        content = sum(self.packets(left))
        self.assertGreater(self.size(left), content + TABLES)
        self.sweep("", lambda: self.size(left) <= content + TABLES)
        self.assertFalse(self.is_moved("burst"))
        self.check_one("burst")
        self.assert_clean()

    def test_ten_kills_of_a_small_program(self):
        for i in range(10):
            self.leave(f"small{i}", 10, options="")
        self.sweep("", lambda: self.total() <= 10 * TABLES)
        for i in range(10):
            self.check_one(f"small{i}", 10)
        self.assert_clean()

    def test_beyond_the_budget_the_oldest_are_moved(self):
        left = [self.leave(f"old{i}") for i in range(4)]
        self.sweep("", lambda: max(map(self.size, left)) < 64 * KIB)
        budget = (self.size(left[2]) + self.size(left[3]) + 4 * KIB) // KIB
        self.sweep(f",leftovers={budget}K", lambda: self.is_moved("old1") and left[1] not in self.buffers())
        self.assertEqual([self.is_moved(f"old{i}") for i in range(4)], [True, True, False, False])
        self.assertEqual(self.buffers(), sorted(left[2:]))
        for i in range(4):
            self.choose(f"old{i}")
            self.assertIn("state     killed: a part is still in memory", self.waymark("info", self.trace))
            self.check_one(f"old{i}", 1000)
        self.assert_clean()

    def test_a_loop_of_kills_stays_within_the_budget(self):
        budget, events = 8 << 20, 0
        for i in range(amount(10, 200)):
            self.choose(f"loop{i}")
            victim = self.start("storm", 1 + i % 3, kind="step", env=self.env(f",leftovers={budget >> 20}M"))
            time.sleep(random.uniform(0, 0.1))
            victim.kill()
            victim.communicate()
        self.sweep(f",leftovers={budget >> 20}M", lambda: self.total() <= budget + (1 << 20))
        for trace in self.traces():
            self.choose(trace.stem)
            events += self.check()
            self.waymark("recover", trace)
            self.check()
        print(f"{self.id()}: {events} events")

    def test_kills_that_leave_no_time_to_move_anything(self):
        """Simulated by removing the trace's old place: beyond the limit, memory is in the trace from
        the beginning. It may be in /dev/shm again once a later process has trimmed what is there.
        """
        self.mount(self.shm, "64m")
        limit = (64 << 20) // 16 + (1 << 20)
        for i in range(40):
            self.choose(f"x{i}")
            self.live("end", "kill", 20000, status=-9, env=self.env(",leftovers=1M"), silent=False)
            self.trace.rename(self.work / f"away{i}.ctf")
            self.counts.rename(self.work / f"away{i}.counts")
        self.assertLess(self.total(), limit + (4 << 20))
        self.assertFalse(self.is_moved("away0"))
        self.assertEqual(sum(self.is_moved(f"away{i}") for i in range(40)), 40 - len(self.buffers()))
        for i in range(0, 40, 13):
            self.check_one(f"away{i}", 20000)
        self.waymark("recover", *self.traces())
        self.assert_clean()

    @unittest.skipUnless(KILL_AT, "a sanitizer comes first")
    def test_a_mover_is_killed_at_each_step(self):
        for again in (True, False):
            step, killed = 0, True
            while killed:
                step += 1
                with self.case(step=step, again=again):
                    left = self.leave("left", 5000)
                    self.choose("mover")
                    env = self.env(",leftovers=0", LD_PRELOAD=KILL_AT, VICTIM_KILL_AT=str(step),
                                   VICTIM_KILL_THREAD="waymark-left")
                    mover = self.start("wait", 1, env=env, stdin=subprocess.PIPE)
                    self.wait_until(lambda: mover.poll() is not None or left not in self.buffers())
                    mover.communicate()
                    killed = mover.returncode == -9
                    self.choose("left")
                    self.assertEqual(self.check(), 5000)
                    if again:
                        self.sweep(",leftovers=0", lambda: left not in self.buffers())
                        self.assertEqual(os.listdir(self.work / "left.ctf").count(".arena.new"), 0)
                    self.check_one("left", 5000)
                    self.assertNotIn(left, self.buffers())
            self.assertGreater(step, 8)
            print(f"{self.id()}: {step} steps")

    def test_two_movers_at_once(self):
        left = [self.leave(f"left{i}", 100 * i + 1) for i in range(12)]
        keepers = [self.keep(f"keeper{i}", ",leftovers=0") for i in range(4)]
        self.wait_until(lambda: not set(left) & set(self.buffers()))
        for keeper in keepers:
            self.end(keeper)
        for i in range(12):
            self.check_one(f"left{i}", 100 * i + 1)
        self.assert_clean()

    def test_a_program_that_executes_itself_leaves_one_memory(self):
        self.choose("x")
        program = self.start("again", 40, env=self.env(), stdin=subprocess.PIPE)
        program.stdout.readline()
        self.wait_until(lambda: len(self.buffers()) == 1)
        said = self.lived(program).splitlines()
        self.assertEqual([line for line in said if "the requested name is taken" not in line], [])
        traces = self.traces()
        self.assertEqual(len(traces), 41)
        reads = f'for t; do "{survive.WAYMARK}" print "$t" || exit; done'
        for _ in range(2):
            self.assertEqual(self.checked(["sh", "-c", reads, "sh", *traces], ()), 4200)
            self.waymark("recover", *traces)
        self.assert_clean()

    def test_off_looks_at_nothing(self):
        left = self.leave("burst", 300000)
        before = self.size(left)
        for _ in range(3):
            self.sweep(",leftovers=off", lambda: True)
        self.assertEqual(self.size(left), before)

    def test_a_full_disk_keeps_it_in_memory(self):
        disk = self.work / "disk"
        disk.mkdir()
        self.mount(disk, "512k")
        self.choose("left")
        self.trace = disk / "left.ctf"
        self.live("end", "kill", 5000, status=-9, env=self.env(",leftovers=off"))
        [left] = self.buffers()
        filler, room = disk / "filler", os.statvfs(disk)
        filler.write_bytes(b"x" * room.f_bavail * room.f_bsize)
        said = self.said_by_one(",leftovers=0", "No space left on device")
        self.assertRegex(said, r"^waymark: \d+ KiB of memory of killed processes stay")
        self.assertEqual(list((disk / "left.ctf").glob(".arena*")), [])  # the kill may leave .metadata
        # One copy fits, but not two: the rest is reserved for living processes.
        os.truncate(filler, filler.stat().st_size - self.size(left) * 3 // 2)
        self.said_by_one(",leftovers=0", "No space left on device")
        self.assertEqual(self.buffers(), [left])
        filler.unlink()
        self.sweep(",leftovers=0", (disk / "left.ctf/.arena").exists)
        self.assertEqual(self.check(), 5000)
        self.waymark("recover", self.trace)
        self.assertEqual(self.check(), 5000)
        self.assert_clean()

    def test_a_trace_that_is_gone_keeps_it_in_memory(self):
        left = self.leave("gone")
        (self.work / "gone.ctf").rename(self.work / "elsewhere.ctf")
        self.said_by_one(",leftovers=0", "No such file or directory")
        os.symlink(self.work / "elsewhere.ctf", self.work / "gone.ctf")
        self.said_by_one(",leftovers=0", "Not a directory")
        os.unlink(self.work / "gone.ctf")
        self.leave("other")
        (self.work / "other.ctf").rename(self.work / "gone.ctf")
        self.said_by_one(",leftovers=0", "No such file or directory")
        self.assertIn(left, self.buffers())
        (self.work / "gone.ctf").rename(self.work / "other.ctf")
        self.check_one("other", 1000)
        (self.work / "elsewhere.ctf").rename(self.work / "gone.ctf")
        self.sweep(",leftovers=0", lambda: self.is_moved("gone"))
        self.check_one("gone", 1000)
        self.assert_clean()

    def test_memory_in_the_trace_goes_where_that_goes(self):
        left = self.leave("left")
        self.sweep(",leftovers=0", lambda: self.is_moved("left") and left not in self.buffers())
        shutil.copytree(self.work / "left.ctf", self.work / "copy.ctf")
        for name in ("copy", "left"):
            self.trace = self.work / f"{name}.ctf"
            self.assertEqual(self.check(), 1000)
            self.waymark("recover", self.trace)
            self.assertEqual(self.check(), 1000)
            self.assertFalse(self.is_moved(name))

    def test_links_are_not_followed(self):
        left = self.leave("left")
        victim = self.work / "victim"
        victim.write_text("mine")
        (self.work / "left.ctf/.arena").symlink_to(victim)
        (self.work / "left.ctf/.arena.new").symlink_to(victim)
        (self.shm / ("waymark-" + "0" * 32)).symlink_to(self.shm / left)
        self.said_by_one(",leftovers=0", "Too many levels of symbolic links")
        self.assertEqual(victim.read_text(), "mine")
        self.assertIn(left, self.buffers())
        (self.work / "left.ctf/.arena").unlink()
        self.sweep(",leftovers=0", lambda: self.is_moved("left") and left not in self.buffers())
        self.assertEqual(victim.read_text(), "mine")
        (self.shm / ("waymark-" + "0" * 32)).unlink()
        self.check_one("left", 1000)

    @unittest.skipUnless(ROOT, "it needs root")
    def test_another_users_is_not_touched(self):
        for path in (self.work, self.shm):
            path.chmod(0o777)
        theirs = self.leave("theirs", 300000, user=NOBODY, group=NOBODY)
        before = (self.size(theirs), (self.shm / theirs).stat().st_size)
        mine = self.leave("mine")
        self.sweep(",leftovers=0", lambda: mine not in self.buffers())
        for _ in range(3):
            self.sweep(",leftovers=0", lambda: True)
        self.assertEqual((self.size(theirs), (self.shm / theirs).stat().st_size), before)
        self.assertFalse(self.is_moved("theirs"))
        self.choose("nobody")
        keeper = self.start("wait", 1, env=self.env(",leftovers=0"), stdin=subprocess.PIPE,
                            program=reachable(VICTIM), user=NOBODY, group=NOBODY)
        self.wait_until(lambda: theirs not in self.buffers())
        self.end(keeper)
        self.check_one("theirs", 300000)
        self.check_one("mine", 1000)

    @unittest.skipUnless(ROOT, "it needs root")
    def test_recover_for_all_users(self):
        """With each user's rights: root's trace is unchanged although user nobody's buffer names it."""
        for path in (self.work, self.shm):
            path.chmod(0o777)
        theirs = self.leave("theirs", user=NOBODY, group=NOBODY)
        mine = self.leave("mine")
        shutil.copyfile(self.shm / mine, self.work / "planted")
        self.waymark("recover", self.trace)
        planted = self.shm / ("waymark-" + "0" * 32)
        shutil.copyfile(self.work / "planted", planted)
        os.chown(planted, NOBODY, NOBODY)
        self.leave("other")
        before = [(p, p.stat().st_mtime_ns) for p in sorted((self.work / "mine.ctf").rglob("*"))]
        said = self.waymark("recover", "--all-users", "--dry-run")
        self.assertEqual((len(self.buffers()), said.count("would be recovered")), (3, 3))
        self.waymark("recover", "--all-users")
        self.assertEqual(before, [(p, p.stat().st_mtime_ns) for p in sorted((self.work / "mine.ctf").rglob("*"))])
        self.assertNotIn(theirs, self.buffers())
        self.assertEqual({p.stat().st_uid for p in (self.work / "theirs.ctf").rglob("*")}, {NOBODY})
        planted.unlink(missing_ok=True)
        self.assert_clean()
        for name in ("theirs", "mine", "other"):
            self.check_one(name, 1000)
        refused = subprocess.run([reachable(survive.WAYMARK), "recover", "--all-users"], env=self.env(),
                                 user=NOBODY, capture_output=True, text=True)
        self.assertEqual((refused.returncode, "--all-users is for root" in refused.stderr), (1, True))

    def test_who_moves_it_is_not_taken_for_its_process(self):
        left = self.leave("left")
        with open(self.shm / left, "rb") as mover:
            fcntl.flock(mover, fcntl.LOCK_EX)
            self.assertRegex(self.waymark("recover", "--list"), rf"\tdead\t.*{left}")
            self.live("end", "exit", 10, env=self.env(",replace=on,leftovers=off"))
        self.assert_clean()

    def test_recover_waits_for_a_mover(self):
        """Recover looks for the memory where the mover has put it."""
        left = self.shm / self.leave("left")
        with open(left, "rb") as mover:
            fcntl.flock(mover, fcntl.LOCK_EX)
            recover = subprocess.Popen([survive.WAYMARK, "recover", self.trace], env=self.env(),
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            time.sleep(1)  # longer than recover waits for a living process
            shutil.copyfile(left, self.trace / ".arena")
            left.unlink()
        said, _ = recover.communicate(timeout=60)
        self.assertEqual((recover.returncode, "1000 events recovered" in said), (0, True), said)
        self.check_one("left", 1000)

    def test_the_value_of_the_key(self):
        for value in ("0", "off", "1", "10M", "1G"):
            self.choose(f"x{value}")
            self.live("end", "exit", 10, env=self.env(f",leftovers={value}"))
        for value in ("", "on", "-1", "10X"):
            self.choose(f"bad{value}")
            _, said = self.live("end", "exit", 10, env=self.env(f",leftovers={value}"), silent=False)
            self.assertRegex(said, f"leftovers=: '{value}' is not a size")


survive.main()
