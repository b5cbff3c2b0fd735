#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark recover next to another one, killed or on a full disk: interrupted.py WAYMARK
WRITE_TRACE KILLER

Whatever interrupts it, the next run ends with the same trace.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import unittest

import left
from recovery import NAME, WAYMARK, Recovery, contents

KILLER = os.path.abspath(sys.argv[3])


class Interrupted(Recovery):
    def reference(self):
        trace = self.make("reference")
        self.run_recover(trace)
        return contents(trace)

    def test_two_at_once_come_to_one_end(self):
        wanted = self.reference()
        for i in range(5):
            trace = self.make(f"two-{i}")
            env = {**os.environ, "WAYMARK_SHM": str(self.shm)}
            runs = [subprocess.Popen([WAYMARK, "recover", trace], env=env, text=True,
                                     stdout=subprocess.PIPE) for _ in range(2)]
            said = sorted(r.communicate()[0] for r in runs)
            self.assertEqual([r.returncode for r in runs], [0, 0])
            self.assertIn("1007 events recovered", said[0])
            self.assertIn("nothing to do", said[1])
            self.assertEqual(contents(trace), wanted)

    def test_it_waits_for_another_that_works_on_the_trace(self):
        trace = self.make()
        before = contents(trace)
        directory = os.open(trace, os.O_RDONLY)
        self.addCleanup(os.close, directory)
        fcntl.flock(directory, fcntl.LOCK_EX)
        run = subprocess.Popen([WAYMARK, "recover", trace], text=True, stdout=subprocess.PIPE,
                               env={**os.environ, "WAYMARK_SHM": str(self.shm)})
        with self.assertRaises(subprocess.TimeoutExpired):
            run.wait(0.3)
        self.assertEqual(contents(trace), before)
        fcntl.flock(directory, fcntl.LOCK_UN)
        self.assertIn("1007 events recovered", run.communicate(timeout=60)[0])

    def test_killed_at_any_call_it_goes_on_the_next_time(self):
        wanted = self.reference()
        for call in range(1, 200):
            trace = self.make("killed")
            done = subprocess.run(
                [WAYMARK, "recover", trace], capture_output=True,
                env={**os.environ, "WAYMARK_SHM": str(self.shm), "LD_PRELOAD": KILLER,
                     "KILL_AT": str(call)})
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, -signal.SIGKILL)
            self.run_recover(trace)
            self.assertEqual(contents(trace), wanted, f"killed at call {call}")
            self.assertEqual(list(self.shm.iterdir()), [])
            shutil.rmtree(trace)
        self.assertGreater(call, 15)

    def test_a_full_disk_leaves_the_buffer(self):
        wanted = self.reference()
        for call in range(1, 200):
            trace = self.make("full")
            done = subprocess.run(
                [WAYMARK, "recover", trace], capture_output=True, text=True,
                env={**os.environ, "WAYMARK_SHM": str(self.shm), "LD_PRELOAD": KILLER,
                     "FULL_AT": str(call)})
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, 1)
            self.assertIn("No space left on device", done.stderr)
            self.assertTrue((self.shm / NAME).exists())
            for file in trace.glob("stream-*"):
                list(left.read_packets(file.read_bytes()))
            self.run_recover(trace)
            self.assertEqual(contents(trace), wanted, f"full from call {call} on")
            shutil.rmtree(trace)
        self.assertGreater(call, 5)

    @unittest.skipIf(os.geteuid() == 0, "root may write anything")
    def test_a_read_only_trace(self):
        trace = self.make()
        with contextlib.ExitStack() as stack:
            for path in (trace, trace / "stream-1"):
                path.chmod(0o555)
                stack.callback(path.chmod, 0o755)
            self.assertIn("Permission denied", self.run_recover(trace, status=1))
            self.assertTrue((self.shm / NAME).exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
