# SPDX-License-Identifier: MIT
"""Shared by the tests of the monitor's clients: programs, fake monitors, a new directory."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from memory import make_memory  # noqa: E402
from reachable import reachable  # noqa: E402

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and programs would inherit that
WAYMARK, TICKER, MONITOR, COMPLETIONS = (os.path.abspath(a) for a in sys.argv[1:5])
PATIENCE = 30
GREETING = {"QMP": {"version": {"qemu": {"micro": 0, "minor": 1, "major": 0},
                                "package": "Waymark-0.1.0"}, "capabilities": []}}


class Case(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.runtime = self.work / "run"
        self.runtime.mkdir(mode=0o700)
        self.shm = make_memory()
        self.addCleanup(shutil.rmtree, self.shm)
        self.env = {**os.environ, "WAYMARK_SHM": str(self.shm), "XDG_RUNTIME_DIR": str(self.runtime),
                    "LD_LIBRARY_PATH": os.path.dirname(MONITOR), "LC_ALL": "C"}
        self.env.pop("WAYMARK_TRACE", None)

    def start(self, *args, program=TICKER, trace="control=on", cwd=None):
        """Starts a program; returns when it has a monitor."""
        p = subprocess.Popen([program, *map(str, args)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True, cwd=cwd or self.work,
                             env={**self.env, "WAYMARK_TRACE": trace})
        for what in (p.stdout.close, p.wait, p.kill, p.stdin.close):
            self.addCleanup(what)
        self.assertEqual(p.stdout.readline(), "ready\n")
        return p

    def named(self, name):
        """Returns the program's path under another name."""
        path = self.work / name
        path.symlink_to(TICKER)
        return path

    def waymark(self, *args, status=0, error=None, timeout=PATIENCE):
        """Runs the command; returns its output."""
        done = subprocess.run([WAYMARK, *map(str, args)], capture_output=True, text=True,
                              timeout=timeout, env=self.env, cwd=self.work)
        self.assertEqual(done.returncode, status, done.stderr)
        if error is not None:
            self.assertIn(error, done.stderr)
            self.assertEqual(done.stdout, "")
        if status == 1:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        if status == 0 and error is None:
            self.assertEqual(done.stderr, "")
        return done.stdout

    def ctl(self, target, *args, **more):
        return self.waymark("ctl", getattr(target, "pid", target), *args, **more)

    def on(self, target):
        """Returns the names of the events that are on."""
        states = json.loads(self.ctl(target, "list", "--json"))
        return [e["name"] for e in states if e["state"] == "enabled"]

    def recorded(self, target):
        return json.loads(self.ctl(target, "stats", "--json"))["recorded"]

    def wait_for(self, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)

    def stop(self, program):
        """Stops the program; returns when all its threads have stopped, which they do one after the other."""
        program.send_signal(signal.SIGSTOP)
        tasks = pathlib.Path(f"/proc/{program.pid}/task")
        self.wait_for(lambda: all((t / "stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
                                  for t in tasks.iterdir()))

    def fake(self, talk, name=None):
        """Starts a server at a path, or as the monitor of this process; returns the path."""
        folder = self.runtime / "waymark"
        folder.mkdir(mode=0o700, exist_ok=True)
        path = str(self.work / name if name else folder / f"{os.getpid()}.sock")
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        os.chmod(path, 0o600)
        server.listen(8)
        self.addCleanup(os.unlink, path)

        def serve():
            while True:
                try:
                    connection = server.accept()[0]
                except OSError:
                    return
                threading.Thread(target=self.talk, args=(talk, connection), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        self.addCleanup(server.close)
        self.addCleanup(server.shutdown, socket.SHUT_RDWR)
        return path

    @staticmethod
    def talk(talk, connection):
        try:
            talk(connection)
        except OSError:  # the client has closed the connection
            pass
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()


def say(connection, value):
    connection.sendall(json.dumps(value).encode() + b"\r\n")


def answers(given, commands=("trace-stats",)):
    """Acts as a monitor; `given` has the returned value of each command, or a function to call."""
    def talk(connection):
        say(connection, GREETING)
        for line in connection.makefile():
            request = json.loads(line)
            name = request["execute"]
            answer = given.get(name, {})
            if name == "query-commands" and name not in given:
                answer = [{"name": n} for n in commands]
            if callable(answer):
                answer(connection, request)
            else:
                say(connection, {"return": answer})
    return talk


def main():
    # nohup and scripts start programs with these signals ignored, which our programs would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    done = unittest.main(argv=[sys.argv[0], *sys.argv[5:]], exit=False).result
    for test, reason in done.skipped:
        print("skipped:", test.id(), reason)
    sys.exit(not done.wasSuccessful() or (77 if done.skipped else 0))
