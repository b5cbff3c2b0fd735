# SPDX-License-Identifier: MIT
"""Shared by the tests of this folder: a folder, and programs that are recorded in it."""
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

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from processes import is_alive  # noqa: E402
from reachable import reachable  # noqa: E402

WAYMARK, PROGRAM, ALONE, BLOCKCACHE, LOGGED = (os.path.abspath(a) for a in sys.argv[1:6])
NOBODY = 65534
PATIENCE = 30

# nohup and scripts start programs with some signals ignored, which programs here would inherit.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)


# Decorates a test whose program forks beside its writer thread.
FORKS = unittest.skipIf(os.environ.get("WAYMARK_SANITIZER") == "address",
                        "ASan leaves its allocator locked in such a child")


class Recorded(unittest.TestCase):
    """Runs programs in a new folder."""

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.environment = {k: v for k, v in os.environ.items() if k != "WAYMARK_TRACE"}
        # The signal itself must end the program; a sanitizer would catch it to print a stack.
        for options in "ASAN_OPTIONS", "TSAN_OPTIONS":
            self.environment[options] = os.environ.get(options, "") + ":handle_segv=0"

    def start(self, *args, **more):
        """Starts `waymark record`; with user=, as another user with copies of the programs."""
        words = [WAYMARK, "record", *map(str, args)]
        if "user" in more:
            words = [reachable(word) if word in (WAYMARK, PROGRAM) else word for word in words]
        return subprocess.Popen(words, cwd=self.work, text=True,
                                env=self.environment, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def finish(self, run, text=None):
        out, said = run.communicate(text, timeout=60)
        return run.returncode, out, said

    def record(self, *args, status=0, text=None, **more):
        code, out, said = self.finish(self.start(*args, **more), text)
        self.assertEqual(code, status, said)
        return out, said

    def names(self):
        return sorted(os.listdir(self.work))

    def events(self, *traces):
        done = subprocess.run([WAYMARK, "print", *traces], cwd=self.work, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def babeltrace(self, trace):
        if not shutil.which("babeltrace2"):
            self.skipTest("babeltrace2 is not installed")
        done = subprocess.run(["babeltrace2", self.work / trace], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def check_pid_name(self, said, events):
        name = re.search(r"record: (record-program-(\d+)\.ctf): ", said)[1]
        self.assertEqual(said, f"waymark record: {name}: {events} events, 0 lost, 1 process\n")
        self.assertEqual(self.names(), [name])
        pid = re.search(r"-(\d+)\.ctf", name)[1]
        self.assertIn(f"process   {pid} record-program", subprocess.run(
            [WAYMARK, "info", name], cwd=self.work, text=True, capture_output=True).stdout)
        return name

    def child_of(self, pid):
        return int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text())

    def wait_for(self, what):
        end = time.monotonic() + PATIENCE
        while not what():
            self.assertLess(time.monotonic(), end, "it did not happen")
            time.sleep(0.01)

    def kill_stray(self, pid):
        """Ends a program whose `waymark record` has ended, so that it has no parent to wait for it."""
        os.kill(pid, signal.SIGKILL)
        self.wait_for(lambda: not is_alive(pid))
