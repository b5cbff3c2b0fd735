#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests traces without memory, permission or a directory: places.py WAYMARK VICTIM CHECK"""

import json
import os
import re
import resource
import shutil
import subprocess
import time
import unittest

import survive
from survive import NO_LEAK_CHECK, SANITIZER, VICTIM, reachable

ROOT = os.geteuid() == 0
ALONE = 64321  # a user without processes, because limits count a user's processes


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


def fill(path):
    with open(path, "wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 4096)
        except OSError:
            pass


class Places(survive.Survive):
    def mount(self, name, size, *options):
        place = self.work / name
        place.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join((f"size={size}", *options)), "none",
                               place],
                              capture_output=True)
        if done.returncode:
            self.skipTest("it needs the right to mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", place], check=True)
        return place

    def count(self, trace):
        return self.waymark("print", trace).count("live_")

    def talk(self, victim, line):
        victim.stdin.write(line + "\n")
        victim.stdin.flush()

    def accounted(self):
        """Returns the number of events that are printed or reported as lost."""
        said = self.waymark("print", self.trace).splitlines()
        lines = [line for line in said if not line.startswith("waymark ")]  # notes
        gaps = [line.split(" lost ")[1] for line in lines if line.startswith("#")]
        return len(lines) - len(gaps) + sum(int(gap.split()[0]) for gap in gaps)

    def test_a_trace_that_cannot_be_made_changes_nothing(self):
        """The directory looks usable, but has no room for a trace, or only for part of it."""
        for number, inodes in enumerate((1, 2, 3)):
            with self.subTest(inodes=inodes):
                disk = self.mount(f"disk{number}", "1m", f"nr_inodes={inodes}")
                self.trace = self.work / f"{number}.ctf"
                out = self.live("refuse", 1000, disk / "next.ctf")[0]
                self.assertEqual(out, f"{disk}/next.ctf: cannot make the trace: "
                                      "No space left on device\n")
                self.assertEqual(list(disk.iterdir()), [])
                traces = sorted(self.work.glob(f"{number}.ctf*"))
                self.assertEqual(list(map(self.count, traces)), [2000, 1000])
                self.assertIn("state     ended", self.waymark("info", self.trace))
                self.assert_clean()

    def test_a_full_disk_loses_nothing_once_there_is_room(self):
        disk = self.mount("disk", "256k")
        filler = disk / "filler"
        self.trace = disk / "x.ctf"
        victim = self.start("wait", 100000, stdin=subprocess.PIPE)
        victim.stdout.readline()
        filler.touch()
        time.sleep(0.5)
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        self.talk(victim, "go on")
        victim.stdout.readline()
        self.talk(victim, "end")
        out, said = victim.communicate(timeout=60)
        self.assertIn("No space left on device", said)
        self.assertEqual(said.count("\n"), 1, said)
        self.assert_clean()
        self.assertEqual(self.check_everything(), 200000)

    def test_a_disk_that_stays_full_keeps_the_rest_for_recover(self):
        disk = self.mount("disk", "256k")
        self.trace = disk / "x.ctf"
        out, said = self.live("end", "exit", 100000, silent=False)
        self.assertIn("waymark recover writes them", said)
        self.assertEqual(len(self.buffers()), 1)
        self.assertEqual(self.check(), 100000)
        self.assertIn("state     unwritten: No space left on device: its process ended",
                      self.waymark("info", self.trace))
        [told] = json.loads(self.waymark("info", "--json", self.trace))["traces"]
        self.assertEqual((told["state"], told["why"]), ("unwritten", "No space left on device"))
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        self.assertEqual(self.check_everything(), 100000)

    def test_a_limit_of_file_sizes_is_survived(self):
        _, said = self.live("end", "exit", 100000, silent=False,
                            preexec_fn=limit(resource.RLIMIT_FSIZE, 1 << 20))
        self.assertIn("File too large", said)
        lost = int(re.search(r"(\d+) events lost .*not written", said)[1])
        self.assertEqual(self.accounted() + lost, 100000)

    @unittest.skipIf(SANITIZER, "sanitizers need address space")
    def test_little_address_space_is_survived(self):
        self.live("end", "exit", 20000, preexec_fn=limit(resource.RLIMIT_AS, 96 << 20))
        self.assertEqual(self.check_everything(), 20000)

    def test_no_descriptors_are_survived(self):
        self.live("end", "exit", 20000, silent=False,
                  preexec_fn=limit(resource.RLIMIT_NOFILE, 8))
        self.assertEqual(self.check_everything(), 20000)

    def test_a_program_without_a_free_descriptor_is_survived(self):
        """A directory that could not be filled is removed, so its name is free for the next try."""
        said = self.live("crowded", 1000, silent=False, env=self.env(**NO_LEAK_CHECK))[1]
        self.assertNotIn("is gone", said)
        self.assertEqual(self.count(self.trace), 1000)
        self.assertEqual(self.traces(), [self.trace])
        self.assert_clean()

    @unittest.skipUnless(ROOT and not SANITIZER, "it needs another user")
    def test_no_writer_thread_is_survived(self):
        def become_limited():
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
            os.setgid(ALONE)
            os.setuid(ALONE)
        for place in (self.work, self.shm):
            place.chmod(0o777)
        _, said = self.live("end", "exit", 20000, silent=False, program=reachable(VICTIM),
                            preexec_fn=become_limited)
        self.assertIn("cannot start a thread", said)
        self.assert_clean()
        self.assertEqual(self.check(), 20000)

    @unittest.skipUnless(ROOT, "it needs another user")
    def test_a_directory_that_is_not_ours_is_an_error(self):
        self.work.chmod(0o755)
        self.counts.touch()
        self.counts.chmod(0o666)
        _, said = self.live("end", "exit", 100, silent=False, program=reachable(VICTIM),
                            preexec_fn=lambda: os.setuid(65534))
        self.assertRegex(said, "x.ctf: Permission denied")
        self.assertEqual(self.traces(), [])

    def test_without_dev_shm_the_memory_is_in_the_trace(self):
        for name, make in {"missing": lambda p: None, "a file": lambda p: p.touch()}.items():
            with self.subTest(name=name):
                place = self.work / name
                make(place)
                victim = self.start("end", "kill", 20000, env=self.env(WAYMARK_SHM=str(place)))
                self.assertEqual(victim.communicate()[1], "")
                self.assertTrue((self.trace / ".arena").exists())
                self.assertEqual(self.check_everything(), 20000)
                self.assertFalse((self.trace / ".arena").exists())
                self.forget()

    def test_a_tiny_dev_shm_is_passed_over(self):
        tiny = self.mount("shm", "1m")
        victim = self.start("end", "kill", 20000, env=self.env(WAYMARK_SHM=str(tiny)))
        self.assertEqual(victim.communicate()[1], "")
        self.assertTrue((self.trace / ".arena").exists())
        self.assertEqual(self.check_everything(), 20000)

    def test_a_dev_shm_that_fills_up_raises_no_signal(self):
        shm = self.mount("shm", "64m")
        victim = self.start("wait", 1000, env=self.env(",buffer=48M", WAYMARK_SHM=str(shm)),
                            stdin=subprocess.PIPE)
        victim.stdout.readline()
        fill(shm / "filler")
        self.talk(victim, "go on")
        victim.stdout.readline()
        self.talk(victim, "end")
        victim.communicate(timeout=60)
        self.assertEqual(victim.returncode, 0)
        self.assertEqual(self.accounted(), 2000)

    def fill_up(self, events, policy, *more):
        """Runs a victim whose /dev/shm is full at its last event; returns the number of events printed."""
        shm = self.mount(f"shm{len(list(self.work.iterdir()))}", "64m")
        victim = self.start("full", events, shm / "filler", *more, kind="step",
                            env=self.env(f",buffer=16M,full={policy}", WAYMARK_SHM=str(shm)))
        _, self.said = victim.communicate(timeout=60)
        self.assertEqual(victim.returncode, 0, self.said)
        lines = self.waymark("print", self.trace).splitlines()
        shutil.rmtree(self.trace)
        self.counts.unlink()
        return sum(" live_" in line for line in lines), sum("x" * 12288 in line for line in lines)

    def test_a_dev_shm_that_fills_up_costs_no_event_while_memory_is_free(self):
        self.assertEqual(self.fill_up(200000, "discard", "long"), (204003, 1), self.said)
        self.assertEqual(self.said, "")

    def test_a_dev_shm_that_fills_up_costs_little_of_the_past(self):
        usual, _ = self.fill_up(1500000, "overwrite")
        kept, long = self.fill_up(1500000, "overwrite", "long")
        self.assertLess(usual, 1500000)
        self.assertEqual(long, 1)
        self.assertGreater(kept, usual * 3 / 4)

    def test_an_event_that_no_memory_can_hold_does_not_wait_for_ever(self):
        self.assertEqual(self.fill_up(1, "block", "long"), (4, 0))
        self.assertIn("1 events lost (1 for lack of memory", self.said)

    def steps(self, trace):
        return [int(n) for n in re.findall(r" step (\d+)", self.waymark("print", trace))]

    def test_what_a_removed_trace_did_not_hold_yet_is_in_a_new_one_at_the_end(self):
        victim = self.start("wait", 1000, stdin=subprocess.PIPE)
        victim.stdout.readline()
        while self.trace.exists(): # it may be renaming a file there
            shutil.rmtree(self.trace, ignore_errors=True)
        self.talk(victim, "go on")
        victim.stdout.readline()
        self.talk(victim, "end")
        _, said = victim.communicate(timeout=60)
        self.assertEqual(victim.returncode, 0)
        self.assertRegex(said, "^(waymark: .*: the trace's directory is gone: .*\n)?$")
        self.assertEqual(self.steps(self.trace), list(range(2000)))
        self.assert_clean()

    def test_a_removed_trace_is_reported_once_and_another_one_can_be_named(self):
        goes_on = self.work / "next.ctf"
        _, said = self.live("removed", 1000, self.trace, goes_on, silent=False)
        self.assertEqual(said.count("the trace's directory is gone"), 1)
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertEqual(self.steps(goes_on), list(range(1000, 3000)))
        self.assertEqual(list(self.trace.iterdir()), [])
        self.assert_clean()

    def finish_after(self, what, undo=lambda: None):
        """Events are written until `what` prevents it; then the process ends."""
        victim = self.start("wait", 1000, stdin=subprocess.PIPE, env=self.env(",flush=1"))
        victim.stdout.readline()
        for _ in range(500):
            if sum(f.stat().st_size for f in self.trace.glob("stream-*")):
                break
            time.sleep(0.01)
        before = (self.trace / "metadata").read_bytes()
        what(victim)
        _, said = victim.communicate("", timeout=60)
        self.assertEqual(victim.returncode, 0)
        self.assertRegex(said, "^waymark: .*: its metadata could not be finished; .*\n$")
        self.assertEqual((self.trace / "metadata").read_bytes(), before)
        self.assertEqual(len(self.buffers()), 1)
        undo()
        self.assertEqual(self.check_everything(), 1000)
        self.assertNotEqual((self.trace / "metadata").read_bytes(), before)

    def test_metadata_that_a_full_disk_does_not_take_is_recovered(self):
        disk = self.mount("disk", "256k")
        self.trace = disk / "x.ctf"
        filler = disk / "filler"
        self.finish_after(lambda _: fill(filler), undo=filler.unlink)

    def test_metadata_that_a_limit_of_file_sizes_does_not_take_is_recovered(self):
        self.finish_after(lambda victim: resource.prlimit(victim.pid, resource.RLIMIT_FSIZE, (99, 99)))

    def test_two_processes_with_one_name_have_a_trace_each(self):
        victims = [self.start("wait", 1000, stdin=subprocess.PIPE,
                              env=self.env(VICTIM=str(i))) for i in range(4)]
        for victim in victims:
            victim.stdout.readline()
        for victim in victims:
            victim.communicate("go\nend\n")
        self.assertEqual(len(self.traces()), 4)
        self.assert_clean()

    def test_links_are_not_followed(self):
        elsewhere = self.work / "elsewhere"
        elsewhere.mkdir()
        self.trace.symlink_to(elsewhere)
        self.live("end", "exit", 100, silent=False)
        self.assertEqual(list(elsewhere.iterdir()), [])
        self.assertEqual(len([t for t in self.traces() if t != self.trace]), 1)

    def test_a_trace_in_use_is_not_replaced(self):
        victim = self.start("wait", 1000, stdin=subprocess.PIPE)
        victim.stdout.readline()
        counts, self.counts = self.counts, self.work / "other"
        _, said = self.live("end", "exit", 100, silent=False, env=self.env(",replace=on"))
        self.assertIn("not replaced", said)
        victim.communicate("go\nend\n")
        self.counts = counts
        self.assertEqual(self.check_everything(), 2000)


survive.main()
