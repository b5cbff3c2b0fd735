# SPDX-License-Identifier: MIT
"""Shared by the tests of this folder: a server, programs that record, and shippers."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from clickhouse import PATIENCE, Server, is_installed  # noqa: E402
from memory import make_memory  # noqa: E402

WAYMARK, PACED, OTHER = (os.path.abspath(a) for a in sys.argv[1:4])


class Shipped(unittest.TestCase):
    """Each test has a database of its own: the tables are made anew."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="waymark-ship-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.server = Server(cls.folder / "server")
        cls.addClassCleanup(lambda: cls.server.kill())

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.shm = make_memory()
        self.addCleanup(shutil.rmtree, self.shm)
        self.env = {**os.environ, "WAYMARK_SHM": str(self.shm)}
        self.make_tables(self.server)

    def make_tables(self, server, *options):
        server.ask("DROP DATABASE IF EXISTS waymark", database="default")
        server.run(self.waymark("schema", "clickhouse", "--old", *options).stdout)

    def waymark(self, *args, status=0, env=None):
        done = subprocess.run([WAYMARK, *map(str, args)], capture_output=True, text=True, timeout=PATIENCE,
                              env={**self.env, **(env or {})})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def program(self, *args, trace="t.ctf", options=",full=block,buffer=8M", what=PACED):
        """Starts a program that records."""
        p = subprocess.Popen([what, *map(str, args)], stdout=subprocess.PIPE, text=True,
                             env={**self.env, "WAYMARK_TRACE": f"*,file={self.work / trace}{options}"})
        for cleanup in (p.stdout.close, p.wait, p.kill):
            self.addCleanup(cleanup)
        return p

    def recorded(self, *args, **more):
        """Runs a program to its end; returns the number of its events."""
        p = self.program(*args, **more)
        text = p.stdout.read()
        self.assertEqual(p.wait(PATIENCE), 0)
        found = re.search(r"recorded (\d+)", text)
        return int(found[1]) if found else None

    def ship(self, *args, to=None, state="state", env=None):
        """Starts a shipper; `to` is a place or a list of them."""
        places = [to or self.server.place()] if to is None or isinstance(to, str) else to
        errors = open(self.work / f"errors-{time.monotonic_ns()}", "w+")
        p = subprocess.Popen([WAYMARK, "ship", *[f"--to={place}" for place in places], f"--state={self.work / state}",
                              *map(str, args)], stderr=errors, env={**self.env, **(env or {})})
        p.errors = errors.name
        for cleanup in (errors.close, p.wait, p.kill):
            self.addCleanup(cleanup)
        return p

    def notes(self, p):
        return pathlib.Path(p.errors).read_text()

    def ship_all(self, *args, status=0, **more):
        """Ships what is there; returns what the shipper says."""
        p = self.ship("--once", *args, **more)
        self.assertEqual(p.wait(PATIENCE), status, self.notes(p))
        return self.notes(p)

    def wait_for(self, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.05)

    def count(self, table="events", server=None):
        return (server or self.server).number(f"SELECT count() FROM {table}")

    def assert_steps(self, counts, server=None):
        """The steps of each process are there, each once: `counts` of steps, one a process."""
        rows = (server or self.server).ask(
            "SELECT sum(n), sum(different), sum(last + 1) FROM (SELECT process, numbers[1] AS t, count() AS n, "
            "uniqExact(numbers[2]) AS different, max(numbers[2]) AS last FROM events WHERE event = 'step' GROUP BY process, t) "
            "GROUP BY process ORDER BY 1") if counts else ""
        seen = sorted([int(n) for n in row.split("\t")] for row in rows.splitlines())
        self.assertEqual(seen, sorted([n, n, n] for n in counts))


def main():
    if not is_installed():
        print("there is no clickhouse-server (Debian's clickhouse-server)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
