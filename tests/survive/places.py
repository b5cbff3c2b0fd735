#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where there is no room, no right or no place: places.py WAYMARK VICTIM CHECK"""

import os
import re
import resource
import shutil
import subprocess
import time
import unittest

import survive
from survive import SANITIZER

ROOT = os.geteuid() == 0


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


class Places(survive.Survive):
    def mount(self, name, size):
        place = self.work / name
        place.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place],
                              capture_output=True)
        if done.returncode:
            self.skipTest("it needs the right to mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", place], check=True)
        return place

    def talk(self, victim, line):
        victim.stdin.write(line + "\n")
        victim.stdin.flush()

    def accounted(self):
        """Events that are printed, and those that a line says are lost."""
        lines = self.waymark("print", self.trace).splitlines()
        gaps = [line.split(" lost ")[1] for line in lines if line.startswith("#")]
        return len(lines) - len(gaps) + sum(int(gap.split()[0]) for gap in gaps)

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
        self.assertIn("waymark recover brings them in", said)
        self.assertEqual(len(self.arenas()), 1)
        self.assertEqual(self.check(), 100000)
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

    @unittest.skipUnless(ROOT and not SANITIZER, "it needs another user")
    def test_no_writer_thread_is_survived(self):
        def become_limited():
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
            os.setgid(65534)
            os.setuid(65534)
        for place in (self.work, self.shm):
            place.chmod(0o777)
        _, said = self.live("end", "exit", 20000, silent=False, preexec_fn=become_limited)
        self.assertIn("cannot start a thread", said)
        self.assert_clean()
        self.assertEqual(self.check(), 20000)

    @unittest.skipUnless(ROOT, "it needs another user")
    def test_a_directory_that_is_not_ours_is_an_error(self):
        self.work.chmod(0o755)
        self.counts.touch()
        self.counts.chmod(0o666)
        _, said = self.live("end", "exit", 100, silent=False, preexec_fn=lambda: os.setuid(65534))
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
        with open(shm / "filler", "wb") as filler:
            try:
                while True:
                    filler.write(b"x" * 65536)
                    filler.flush()
            except OSError:
                pass
        self.talk(victim, "go on")
        victim.stdout.readline()
        self.talk(victim, "end")
        victim.communicate(timeout=60)
        self.assertEqual(victim.returncode, 0)
        self.assertEqual(self.accounted(), 2000)

    def test_a_trace_that_is_removed_is_no_fault_of_the_program(self):
        victim = self.start("wait", 1000, stdin=subprocess.PIPE)
        victim.stdout.readline()
        shutil.rmtree(self.trace)
        self.talk(victim, "go on")
        victim.stdout.readline()
        self.talk(victim, "end")
        _, said = victim.communicate(timeout=60)
        self.assertEqual(victim.returncode, 0)
        self.assertIn("No such file or directory", said)

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
