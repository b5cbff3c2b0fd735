#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests permissions of `waymark drain`, and jailed processes that write anything to their memory:

hostile.py WAYMARK DEVICE KILL_AT
"""

import mmap
import os
import pathlib
import re
import signal
import threading
import time
import unittest

from harness import ROOT, WAYMARK, Harness, reachable


class Hostile(Harness):
    def test_other_users_have_no_right(self):
        if not ROOT:
            self.skipTest("another user is needed")
        device = self.device("hang", 1, 10)
        self.children(device)
        _, err = self.waymark("drain", "--once", self.trace, status=1, user=65534, group=65534)
        self.assertIn("that you may read", err)
        drain = self.start([reachable(WAYMARK), "drain", str(self.trace)], user=65534, group=65534)
        self.assertIn("the memory of other users", drain.stderr.readline())

    def test_a_place_of_its_own(self):
        self.finish(self.device("exit", 1, 100, option="jail=1"))
        place = self.folder / "place"
        place.mkdir()
        self.waymark("drain", "-o", place, self.trace)
        drained = next(place.iterdir())
        self.assert_all(drained, 100)
        self.finish(self.device("exit", 1, 200, option="jail=1"))
        self.waymark("recover", "--all", "-o", place)
        self.assert_all(next(trace for trace in place.iterdir() if trace != drained), 200)
        self.assertEqual(self.traces(), [])

    def test_the_recording_process_does_not_choose_where_the_drain_writes(self):
        """The producer has its memory mapped, and may write any name and uuid there at any time."""
        self.run_drained("plain", 1, 100)
        victim = self.folder / "victim"
        pathlib.Path(self.traces()[0]).rename(victim)
        before = {path: path.read_bytes() for path in victim.rglob("*") if path.is_file()}
        place = self.folder / "place"
        place.mkdir()
        device = self.device("hang", 1, 10000000)  # it waits for the consumer
        done = threading.Event()
        recorded = self.full_buffer()
        liar = threading.Thread(target=self.lie, args=(recorded, bytes(victim), done))
        liar.start()
        for _ in range(20):
            self.waymark("drain", "--once", "-o", place, str(device.pid), status=None)
        done.set()
        liar.join()
        self.assertEqual(before, {path: path.read_bytes() for path in before})
        self.assertRegex(self.waymark("info", victim)[0], "events +100 of")

    def test_memory_that_is_cut_ends_one_process_and_not_the_drain(self):
        device = self.device("hang", 2, 10000000)  # they wait for the consumer
        drain = self.drain(self.trace)
        while len(self.traces()) < 2:
            time.sleep(0.02)
        pids = [int(trace.rpartition(".")[2]) for trace in self.traces() if trace[-1].isdigit()]
        buffer = next(buffer for buffer in self.shm.iterdir() if self.owner(buffer) == pids[0])
        os.truncate(buffer, 0)
        os.killpg(device.pid, signal.SIGKILL)
        out, err = self.finish(drain, 1)
        self.assertIn(f"waymark recover --discard {buffer} discards the rest", err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertEqual(len(re.findall(r"events?, \d+ lost$", out, re.M)), 1, out)
        _, err = self.waymark("recover", "--all", "-o", self.folder, status=1)
        self.assertIn(f"{buffer}: is damaged: waymark recover --discard {buffer} discards it", err)
        self.waymark("recover", "--discard", buffer)
        self.assert_nothing_left()

    def test_truncated_memory_is_reported_after_another_error(self):
        self.trace = self.small_disk() / "t.ctf"
        self.finish(self.device("exit", 1, 20000, option="jail=1,buffer=4M"))
        drain = self.drain(self.trace)
        self.assertIn("No space left on device; retrying", drain.stderr.readline())
        buffer, = (buffer for buffer in self.shm.iterdir() if self.owner(buffer))
        os.truncate(buffer, 0)
        _, err = self.finish(drain, 1)
        self.assertIn(f"waymark recover --discard {buffer} discards the rest", err)
        self.waymark("recover", "--discard", buffer)
        self.assert_nothing_left()

    def owner(self, buffer):
        """Returns the process that records into the buffer."""
        listed, _ = self.waymark("recover", "--list")
        return next((int(line.split("\t")[3]) for line in listed.splitlines() if str(buffer) in line), 0)

    def full_buffer(self):
        """Waits until a buffer of 1 MiB is nearly full; returns its path."""
        while True:
            for buffer in self.shm.iterdir():
                if buffer.stat().st_blocks * 512 > 900000:
                    return buffer
            time.sleep(0.01)

    def lie(self, buffer, name, done):
        with buffer.open("r+b") as file, mmap.mmap(file.fileno(), 65536) as memory:
            where = [match.start() for match in re.finditer(re.escape(bytes(self.trace)), memory)]
            while not done.is_set():
                for at in where:
                    memory[at:at + len(name) + 1] = name + b"\0"


if __name__ == "__main__":
    unittest.main()
