# SPDX-License-Identifier: MIT
"""Shared by the tests of control sockets: runs the tool that calls src/socket, and reads its output."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

BUILT = os.path.abspath(sys.argv.pop(1))
NOBODY = 65534
SOMEBODY = 65533


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def as_user(uid):
    """Returns Popen's arguments for a process of another user."""
    return {"user": uid, "group": uid, "extra_groups": []} if uid else {}


def mode_of(path):
    return os.stat(path, follow_symlinks=False).st_mode & 0o7777


class Sockets(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.tool = shutil.copy(BUILT, self.work / "tool")  # in a place where any user may run it
        self.work.chmod(0o755)
        self.place = self.directory("place")

    def directory(self, name, mode=0o700, uid=None):
        path = self.work / name
        path.mkdir()
        if uid is not None:
            os.chown(path, uid, uid)
        path.chmod(mode)
        return path

    def start(self, *command, uid=0, xdg=None, **how):
        env = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"}
        if xdg is not None:
            env["XDG_RUNTIME_DIR"] = str(xdg)
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}
        return subprocess.Popen([self.tool, *map(str, command)], env=env, **{**streams, **as_user(uid), **how})

    @contextlib.contextmanager
    def listening(self, *command, **how):
        """Runs a program that listens, by default until the block's end: yields (process, path)."""
        process = self.start(*command, **how)
        try:
            path = process.stdout.readline().rstrip("\n")
            self.assertTrue(path, None if path else process.stderr.read())
            yield process, pathlib.Path(path)
        finally:
            process.terminate()
            said = process.communicate(timeout=60)[1]
        self.assertEqual((process.returncode, said), (process.returncode, ""))

    def run_tool(self, *command, **how):
        """Returns the tool's status and its output."""
        process = self.start(*command, **how)
        try:
            out, said = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            out, said = process.communicate()
            return "hangs", out + said
        return process.returncode, (out + said).rstrip("\n")

    def assert_refused(self, why, *command, **how):
        """The tool fails with one line that contains `why`."""
        process = self.start(*command, **how)
        try:
            out, said = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.terminate()
            self.fail(f"not refused: {process.communicate()}")
        self.assertEqual((process.returncode, out), (1, ""), said)
        self.assertIn(why, said)
        self.assertEqual(said.count("\n"), 1, said)

    def assert_connects(self, path, says="connected", **how):
        self.assertEqual(self.run_tool("connect", path, 1000, **how), (0, says))

    def leave_stale(self, *command, **how):
        """Leaves a socket whose program was killed."""
        with self.listening(*command, **how) as (process, path):
            process.kill()
            process.wait()
        self.assertTrue(path.is_socket())
        return path

    def foreign(self, path, queue=1):
        """Makes a socket without src/socket."""
        s = socket.socket(socket.AF_UNIX)
        self.addCleanup(s.close)
        s.bind(str(path))
        s.listen(queue)
        return s
