# SPDX-License-Identifier: MIT
"""Shared by the tests of this folder: runs victims, and checks the traces they leave."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from memory import make_memory  # noqa: E402
from reachable import reachable  # noqa: E402

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and programs would inherit that
WAYMARK, VICTIM, CHECK = (os.path.abspath(a) for a in sys.argv[1:4])
STATE = re.compile("waymark print: .*: its process (still runs|was killed|ended)")
ROOT = os.geteuid() == 0
NOBODY = 65534
LONG = "WAYMARK_TEST_LONG" in os.environ
SANITIZER = os.environ.get("WAYMARK_SANITIZER", "")
BABELTRACE = shutil.which("babeltrace2")
# LeakSanitizer needs a descriptor at exit, and locks that a fork may have copied while they were held.
NO_LEAK_CHECK = {"LSAN_OPTIONS": "detect_leaks=0"}

# nohup and scripts start programs with some signals ignored, which victims would inherit.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)


def amount(quick, thorough):
    return thorough if LONG else max(1, quick // 4) if SANITIZER else quick


class Survive(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.shm = make_memory()
        self.addCleanup(shutil.rmtree, self.shm, ignore_errors=True)
        self.counts = self.work / "counts"
        self.trace = self.work / "x.ctf"
        self.said = ""  # messages of the last victim

    @contextlib.contextmanager
    def case(self, **what):
        """Runs one of many cases, and removes its files before the next."""
        with self.subTest(**what):
            try:
                yield
            finally:
                self.forget()

    def forget(self):
        for path in (*self.work.iterdir(), *self.shm.iterdir()):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def env(self, options="", file=True, **more):
        trace = "live_*" + (f",file={self.trace}" if file else "") + options
        return {**os.environ, "WAYMARK_TRACE": trace, "WAYMARK_SHM": str(self.shm),
                "VICTIM_COUNTS": str(self.counts), **more}

    def start(self, *args, kind="both", env=None, program=VICTIM, **how):
        return subprocess.Popen([program, self.counts, kind, *map(str, args)], cwd=self.work,
                                env=env or self.env(), text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **how)

    def live(self, *args, status=0, silent=True, **how):
        """Runs a victim to its end; returns its standard output and error."""
        victim = self.start(*args, **how)
        out, said = victim.communicate(timeout=120)
        self.said = said
        self.assertEqual(victim.returncode, status, said)
        if silent and not SANITIZER:
            self.assertEqual(said, "")
        self.pid = victim.pid
        return out, said

    def lived(self, victim, status=0):
        out, said = victim.communicate(timeout=60)
        self.assertEqual(victim.returncode, status, said)
        return said

    def waymark(self, *args, status=0):
        done = subprocess.run([WAYMARK, *map(str, args)], capture_output=True, text=True,
                              cwd=self.work, env=self.env())
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr)
        return done.stdout + done.stderr

    def checked(self, command, who):
        """Checks that the lines of a command have all events that the threads `who` counted."""
        with tempfile.TemporaryFile() as said:
            reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, env=self.env())
            check = subprocess.run([CHECK, self.counts, *map(str, who)], stdin=reader.stdout,
                                   capture_output=True, text=True)
            reader.stdout.close()
            status = reader.wait()
            said.seek(0)
            text = said.read().decode()
        self.assertEqual(check.returncode, 0,
                         f"{command}: {check.stdout}{text}the victim had said: {self.said}")
        notes = [line for line in text.splitlines() if not STATE.search(line)]
        self.assertEqual((status, notes), (0, []))
        return int(check.stdout)

    def check(self, *who, trace=None):
        return self.checked([WAYMARK, "print", trace or self.trace], who)

    def check_everything(self, *who, trace=None):
        """Checks before and after `recover`; then babeltrace2 must agree, and no leftover may exist."""
        trace = trace or self.trace
        events = self.check(*who, trace=trace)
        self.waymark("recover", trace)
        self.assertEqual(self.check(*who, trace=trace), events)
        self.assert_clean()
        if BABELTRACE and events < 300000:
            self.assertEqual(self.checked([BABELTRACE, trace], who), events)
        return events

    def buffers(self):
        return sorted(os.listdir(self.shm))

    def assert_clean(self):
        self.assertEqual(self.buffers(), [], self.waymark("recover", "--list"))

    def traces(self):
        return sorted(self.work.glob("*.ctf*"))


def main():
    if not BABELTRACE:
        print("babeltrace2 is not installed: only our own reader looks", file=sys.stderr)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
