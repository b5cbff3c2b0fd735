# SPDX-License-Identifier: MIT
"""Shared by the cases of jail.py: a folder, and programs in jails."""
import contextlib
import glob
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
from memory import make_memory  # noqa: E402
from reachable import reachable  # noqa: E402

WAYMARK, DEVICE = (os.path.abspath(path) for path in sys.argv[1:3])
KILL_AT = sys.argv[3]  # empty under sanitizers
del sys.argv[1:4]
LIMIT = 60
ROOT = os.geteuid() == 0
TSAN = os.environ.get("WAYMARK_SANITIZER") == "thread"


def handles(pid, number):
    """Returns True if a process has a handler of that signal, proc(5)."""
    with contextlib.suppress(OSError):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return bool(int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> number - 1 & 1)
    return False


class Harness(unittest.TestCase):
    """A folder, and programs that run in it."""

    def setUp(self):
        self.folder = make_memory()
        self.shm = self.folder / "shm"
        self.shm.mkdir()
        self.folder.chmod(0o755)
        self.trace = self.folder / "t.ctf"
        self.env = dict(os.environ, WAYMARK_SHM=str(self.shm))
        self.running = []

    def tearDown(self):
        for process in self.running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # a broker's devices outlive the broker
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()
        shutil.rmtree(self.folder)

    def start(self, argv, **more):
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, text=True, env=self.env,
                                   start_new_session=True, **more)
        self.running.append(process)
        return process

    def device(self, what, children, events, *steps, option="jail=4,buffer=1M,full=block"):
        self.env["WAYMARK_TRACE"] = f"*,enable=-late,backend=ctf,ctf.file={self.trace},{option}"
        return self.start([DEVICE, what, str(children), str(events), *steps])

    def finish(self, process, status=0):
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, status, out + err)
        return out, err

    def children(self, process):
        """Returns the children's pids when all have recorded."""
        pids = []
        for line in process.stdout:
            if line == "ready\n":
                return pids
            pids.append(int(line))
        self.fail("the program ended: " + process.stderr.read())

    def waymark(self, *argv, status=0, **more):
        program = reachable(WAYMARK) if "user" in more else WAYMARK
        done = subprocess.run([program, *map(str, argv)], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.PIPE, env=self.env, timeout=LIMIT, **more)
        self.assertIn(status, (done.returncode, None), done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout, done.stderr

    def drain(self, *argv):
        """Starts a drain; returns when it works, which its signal handlers show."""
        drain = self.start([WAYMARK, "drain", *map(str, argv)])
        while drain.poll() is None and not handles(drain.pid, signal.SIGTERM):
            time.sleep(0.002)
        return drain

    def ticks(self, trace):
        out, err = self.waymark("print", trace)
        if "its process still runs" not in err:
            self.assertEqual(err, "", trace)
        return [int(n) for n in re.findall(r"tick n (\d+)", out)]

    def traces(self):
        return sorted(glob.glob(str(self.trace) + "*"))

    def assert_all(self, trace, events):
        self.assertEqual(self.ticks(trace), list(range(events)), trace)

    def assert_nothing_left(self):
        self.assertEqual(os.listdir(self.shm), [])

    def small_disk(self):
        """Mounts a file system of 300 KiB."""
        small = pathlib.Path(tempfile.mkdtemp(prefix="waymark-jail-"))
        self.addCleanup(small.rmdir)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", small],
                          capture_output=True).returncode:
            self.skipTest("it needs the right to mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", small], check=True)
        return small

    def run_drained(self, what, children, events, *steps, **more):
        drain = self.drain(self.trace)
        device = self.device(what, children, events, *steps, **more)
        self.finish(device)
        self.finish(drain)
        self.assert_nothing_left()
        return self.traces()

    def ticks_of(self, trace):
        out, _ = self.waymark("print", trace, status=0)
        return re.findall(r"tick n (\d+)", out)
