# SPDX-License-Identifier: MIT
"""Shared by the tests of this folder: programs that record, relays, and babeltrace2 as their viewer."""

import ast
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from memory import make_memory  # noqa: E402
from ports import free_port  # noqa: E402

WAYMARK, PACED, OTHER, THREADS, CLOCK = (os.path.abspath(a) for a in sys.argv[1:6])
HOST = socket.gethostname()[:63]
PATIENCE = int(os.environ.get("PATIENCE", 60))
LINE = re.compile(r"\[(\d+)\.(\d{9})\] \S+:\((\d+)\) (\w+): \{ cpu_id = \d+, tid = (\d+) \}(?:, \{ (.*) \})?$")
SOURCE = "source.ctf.lttng-live"


def fields_of(text):
    """The fields that babeltrace2 prints, without the lengths of texts."""
    found = re.findall(r'(\w+) = ("(?:[^"\\]|\\.)*"|-?\d+)', text or "")
    return {name: ast.literal_eval(value) for name, value in found if not name.endswith("_length")}


class Viewed(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-relay-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.shm = make_memory()
        self.addCleanup(shutil.rmtree, self.shm)
        self.env = {**os.environ, "WAYMARK_SHM": str(self.shm)}

    def start(self, *command, **more):
        p = subprocess.Popen([*map(str, command)], text=True, **{"env": self.env, **more})
        for stream in filter(None, (p.stdin, p.stdout)):
            self.addCleanup(stream.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        return p

    def program(self, *args, trace="t.ctf", options=",full=block,buffer=8M", what=PACED, **more):
        """Starts a program that records."""
        more["env"] = {**self.env, "WAYMARK_TRACE": f"*,file={self.work / trace}{options}", **more.get("env", {})}
        p = self.start(what, *args, **{"stdout": subprocess.PIPE, **more})
        self.wait_for(lambda: (self.work / trace / "metadata").exists())
        return p

    def relay(self, *args, before=(), port=None, **more):
        """Starts a relay, by the words `before`; returns it, and its port."""
        port = port or free_port()
        errors = open(self.work / f"relay-{port}", "w+")
        self.addCleanup(errors.close)
        p = self.start(*before, WAYMARK, "relay", f"--listen={port}", *args, stderr=errors, **more)
        p.errors = errors.name
        self.wait_for(lambda: self.is_listening(port))
        p.tasks = lambda: len(os.listdir(f"/proc/{p.pid}/task"))
        p.idle_tasks = 2 if os.environ.get("WAYMARK_SANITIZER") == "thread" else 1
        return p, port

    @staticmethod
    def is_listening(port):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0

    def view(self, *urls):
        """Starts a viewer of sessions, which writes an event as soon as it has it."""
        parts = [a for i, url in enumerate(urls)
                 for a in (f"--component=live{i}:{SOURCE}", f'--params=inputs=["{url}"],session-not-found-action="end"')]
        name = self.work / f"view-{time.monotonic_ns()}"
        out, errors = open(name, "w"), open(f"{name}-errors", "w")
        self.addCleanup(out.close)
        self.addCleanup(errors.close)
        p = self.start("stdbuf", "-oL", "babeltrace2", *parts, "--clock-seconds", "--no-delta", stdout=out, stderr=errors)
        p.events = lambda: self.events(name)
        p.text = lambda: name.read_text()
        p.errors = lambda: pathlib.Path(f"{name}-errors").read_text()
        return p

    @staticmethod
    def url(port, session, host=HOST):
        return f"net://localhost:{port}/host/{host}/{session}"

    def sessions(self, port):
        done = subprocess.run(["babeltrace2", "--input-format=lttng-live", f"net://localhost:{port}"], text=True,
                              capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [re.match(rf"net://localhost:{port}/host/{HOST}/(\S+) ", s)[1] for s in done.stdout.splitlines()]

    def events(self, path):
        """What a viewer has shown: (ns, pid, tid, event, fields) of each event."""
        lines = [s for s in path.read_text().splitlines(keepends=True) if s.endswith("\n")]
        found = [LINE.match(s.rstrip("\n")) for s in lines if s.startswith("[")]
        self.assertTrue(all(found), lines)
        return [(int(m[1] + m[2]), int(m[3]), int(m[5]), m[4], fields_of(m[6])) for m in found]

    def printed(self, *traces):
        """The same of what `waymark print` prints of traces."""
        done = subprocess.run([WAYMARK, "print", "--json", "--tid", *(self.work / t for t in traces)], text=True,
                              capture_output=True, env=self.env, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('"lost"', done.stdout)
        rows = [json.loads(s) for s in done.stdout.splitlines()]
        return [(round(r["time"] * 1e9), r["pid"], r["tid"], r["event"], r["args"]) for r in rows]

    def wait_for(self, condition, what=""):
        until = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), until, what() if callable(what) else what)
            time.sleep(0.02)

    def wait_for_events(self, view, count):
        """Waits until a viewer has shown some number of events, or has ended."""
        self.wait_for(lambda: view.poll() is not None or len(view.events()) >= count, view.errors)

    def assert_same(self, shown, printed):
        """The same events in the same order, each thread's and all by time; times may differ as clocks are
        measured more than once."""
        self.assertEqual(shown, sorted(shown, key=lambda e: e[0]), "not in the order of time")
        by_thread = lambda events: sorted(events, key=lambda e: (e[1], e[2]))  # noqa: E731
        shown, printed = by_thread(shown), by_thread(printed)
        self.assertEqual([e[1:] for e in shown], [e[1:] for e in printed])
        apart = [s[0] - p[0] for s, p in zip(shown, printed)]
        self.assertLess(max(apart) - min(apart), 200_000, "ns apart")
