# SPDX-License-Identifier: MIT
"""Shared by the tests of the server: a program with monitors, its driver, and clients."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from processes import is_alive  # noqa: E402,F401

HOST, ECHO, STATIC, REAL = (os.path.abspath(sys.argv.pop(1)) for _ in range(4))
SANITIZER = os.environ.get("WAYMARK_SANITIZER")
PATIENCE = 30
NEVER_MS = 10 * PATIENCE * 1000  # longer than any wait

# TSan mistakes the threads of a fork's child for the parent's, which have the same addresses.
CHILDS_THREADS = unittest.skipIf(SANITIZER == "thread", "TSan knows no threads of a fork's child")
WAYS_OF_PARENTS = ("open",) if SANITIZER == "thread" else ("start", "open")


def until(condition, patience=PATIENCE):
    """Calls condition() until it is true or time is over; returns its last result."""
    end = time.monotonic() + patience
    while True:
        result = condition()
        if result or time.monotonic() > end:
            return result
        time.sleep(0.005)


class Client:
    """A client of a monitor; `to` is a path or a connected socket."""

    def __init__(self, to, greeted=True):
        if isinstance(to, socket.socket):
            self.socket = to
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(str(to))
        self.socket.settimeout(PATIENCE)
        self.rest = b""
        if greeted:
            assert self.line() == "ready"

    def send(self, text):
        self.socket.sendall(text.encode() if isinstance(text, str) else text)

    def line(self):
        """Returns the next line; None at the end."""
        while b"\n" not in self.rest:
            try:
                more = self.socket.recv(1 << 16)
            except ConnectionResetError:
                more = b""
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode().rstrip("\r")

    def ask(self, text):
        self.send(text + "\n")
        return self.line()

    def close(self):
        self.socket.close()


class Host:
    """The program, and sockets that control it and its children."""

    def __init__(self, work, program=HOST, library=ECHO, children=3, fds=(), **how):
        pairs = [socket.socketpair() for _ in range(1 + children)]
        self.steers = [ours for ours, _ in pairs]
        self.children = [theirs.fileno() for _, theirs in pairs[1:]]
        tsan = os.environ.get("TSAN_OPTIONS", "") + ":die_after_fork=0:report_thread_leaks=0"
        env = {**os.environ, "TSAN_OPTIONS": tsan, "XDG_RUNTIME_DIR": str(work / "run")}
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(
            [program, str(pairs[0][1].fileno()), library], cwd=work, env=env,
            pass_fds=[theirs.fileno() for _, theirs in pairs] + list(fds), **{**streams, **how})
        for ours, theirs in pairs:
            ours.settimeout(2 * PATIENCE)
            theirs.close()
        self.pid = self.process.pid

    def tell(self, what, child=0):
        self.steers[child].sendall(what.encode() + b"\n")

    def answer(self, child=0):
        line = b""
        while not line.endswith(b"\n"):
            byte = self.steers[child].recv(1)
            if not byte:
                return None
            line += byte
        return line.decode()[:-1]

    def do(self, what, child=0):
        """Sends a command and returns the answer."""
        self.tell(what, child)
        return self.answer(child)

    def fork(self, child=1, by=0):
        """Forks a child that is controlled by the socket with that number."""
        if SANITIZER:
            time.sleep(0.05)  # a starting thread holds locks of the sanitizer, which a fork would find taken
        return int(self.do(f"fork {self.children[child - 1]}", by))

    def threads(self, pid=None):
        """Returns the descriptors of each thread of the monitor."""
        tables = {}
        for task in pathlib.Path(f"/proc/{pid or self.pid}/task").iterdir():
            try:
                if (task / "comm").read_text() == "wm-monitor\n":
                    tables[int(task.name)] = sorted(int(fd.name) for fd in (task / "fd").iterdir())
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has just ended
        return tables

    def wait(self):
        said = self.process.communicate(timeout=2 * PATIENCE)[1] or b""
        return self.process.returncode, said.decode()


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Monitored(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        (self.work / "run").mkdir(mode=0o700)
        self.path = self.work / "socket"
        self.began = time.monotonic()

    def host(self, *commands, **how):
        """Returns a program that has executed these commands; each must answer "ok"."""
        host = Host(self.work, **how)
        self.addCleanup(self.end, host)
        for command in commands:
            self.assertEqual(host.do(command), "ok", command)
        return host

    def end(self, host):
        if host.process.poll() is None:
            host.process.kill()
        said = host.process.communicate()[1] or b""
        for steer in host.steers:
            steer.close()
        self.assertNotIn(b"ThreadSanitizer", said, said.decode())
        self.assertNotIn(b"AddressSanitizer", said, said.decode())

    def child(self, pid):
        """Registers a child, which is killed at the end of the test."""
        self.addCleanup(kill, pid)
        return pid

    def client(self, to=None, **how):
        client = Client(to or self.path, **how)
        self.addCleanup(client.close)
        return client

    def connects(self, path=None):
        """Connects as soon as there is a monitor."""
        def attempt():
            try:
                return self.client(path)
            except (ConnectionRefusedError, FileNotFoundError):
                return None
        client = until(attempt)
        self.assertIsNotNone(client, f"{path or self.path} cannot be reached")
        return client

    def assert_over(self, host, how):
        """Checks that the monitor has ended, and the program and its streams have not."""
        if how == "start":
            self.assertTrue(until(lambda: host.threads() == {}))
        else:
            self.assertTrue(until(lambda: host.do("ended") == "1"))

    def assert_answers(self, client):
        self.assertEqual(client.ask("hello"), "hello")

    def default_path(self, pid):
        return self.work / "run/waymark" / f"{pid}.sock"


def main():
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
