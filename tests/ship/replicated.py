#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests servers that are replicas, and a ZooKeeper that fails: replicated.py WAYMARK PACED OTHER [TEST...]"""

import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from clickhouse import PATIENCE, Proxy, free_port
from shipped import WAYMARK, Shipped, main
from zookeeper import Replicas, ZooKeeper, why_not

LIMIT_S = 120  # of a request
TABLES = "events", "gaps", "processes", "declarations"


class Pair(Shipped):
    """The tables stay; each test begins with empty ones."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="waymark-replicas-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.zookeeper = ZooKeeper(cls.folder / "zookeeper")
        cls.addClassCleanup(lambda: cls.zookeeper.kill())
        cls.replicas = Replicas(cls.folder, cls.zookeeper)
        cls.addClassCleanup(lambda: cls.replicas.kill())
        cls.server, cls.other = cls.replicas.all
        for replica in cls.replicas.all:
            cls.make_replica(replica)
        for replica in cls.replicas.all:  # the same row of two replicas is one, which one of them fetches
            while not replica.number("SELECT count() FROM schema_version"):
                time.sleep(0.05)

    @staticmethod
    def make_replica(replica):
        replica.run(subprocess.run([WAYMARK, "schema", "clickhouse", "--old", "--replicated", "--cluster=pair"], text=True,
                                   capture_output=True, check=True).stdout)

    def make_tables(self, server):
        for table in TABLES:
            self.wait_for(lambda: self.empties(server, table))
        self.wait_for(lambda: not any(self.count(table, replica) for table in TABLES for replica in self.replicas.all))

    def empties(self, server, table):
        try:
            server.ask(f"TRUNCATE TABLE {table}")
        except AssertionError:  # after a kill, there is no leader for a moment
            return False
        return True

    def place(self, *ports, database="waymark"):
        """Replicas of one server."""
        return "clickhouse://" + "|".join(f"127.0.0.1:{port}" for port in ports) + f"/{database}"

    def both(self):
        return self.place(self.server.http, self.other.http)

    def proxy(self, port):
        proxy = Proxy(port)
        self.addCleanup(proxy.close)
        return proxy

    def counts(self, programs):
        return [int(re.search(r"recorded (\d+)", p.stdout.read())[1]) for p in programs]

    def end(self, shipper):
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))

    def assert_both(self, counts):
        for replica in self.replicas.all:
            self.wait_for(lambda: self.count(server=replica) >= sum(counts))
        for replica in self.replicas.all:
            self.assert_steps(counts, server=replica)
            self.assertEqual(self.count("all_events", replica), sum(counts))


class Replicated(Pair):
    def test_a_batch_is_on_both_and_once(self):
        count = self.recorded(2, 20000, 0)
        self.ship_all(self.work / "t.ctf")
        self.assert_both([count])
        self.assertEqual(self.count("processes", self.other), 1)
        self.assertIn(" 0 rows sent", self.ship_all(self.work / "t.ctf", to=self.both()))
        # As after a power cut: it has lost its place, and makes the same batches anew.
        shutil.copytree(self.work / "state", self.work / "kept")
        more = self.recorded(1, 3000, 0, trace="u.ctf")
        self.ship_all(f"--traces={self.work}")
        self.ship_all(f"--traces={self.work}", state="kept", to=self.place(self.other.http))
        self.assert_both([count, more])

    def repeat(self, request, server):
        """Passes a request on once more, as a proxy may that has kept it."""
        with socket.create_connection(("127.0.0.1", server.http)) as s:
            s.sendall(request)
            self.assertIn(b" 200 OK", s.recv(1 << 16))

    def inserts_of(self, trace):
        """Ships a trace; returns the requests that inserted its events."""
        proxy = self.proxy(self.server.http)
        proxy.seen = b""
        self.ship_all(self.work / trace, to=self.place(proxy.own))
        return [b"POST " + r for r in proxy.seen.split(b"POST ") if b".events%20" in r.split(b"\r\n")[0]]

    def test_a_request_that_comes_late_and_again(self):
        count = self.recorded(2, 300, 0)
        requests = self.inserts_of("t.ctf")
        self.assertEqual(len(requests), 1)
        self.assert_both([count])
        for server in self.replicas.all:
            self.repeat(requests[0], server)
        self.assert_both([count])
        # Rows with another number of a batch are others.
        self.ship_all(self.work / "t.ctf", state="anew")
        self.wait_for(lambda: self.count(server=self.other) == 2 * count)

    def test_rows_that_zookeeper_does_not_know(self):
        """The connection to ZooKeeper ends just when a part is announced there: its server has it, no other one gets it."""
        counts = [self.recorded(1, 5000, 0, trace="0.ctf")]
        self.ship_all(f"--traces={self.work}")
        self.assert_both(counts)
        proxy = self.replicas.proxies[0]
        proxy.is_bad = lambda piece: b"/events/log/log-" in piece and b"/events/blocks/" in piece
        self.addCleanup(setattr, proxy, "is_bad", None)
        counts.append(self.recorded(1, 1000, 0, trace="1.ctf"))
        shipper = self.ship("--interval=0.05", f"--traces={self.work}")
        self.wait_for(lambda: "Unknown status" in self.notes(shipper))
        proxy.is_bad = None
        self.wait_for(lambda: "that ZooKeeper does not know: run 'SYSTEM RESTART REPLICA waymark.events'" in self.notes(shipper))
        self.assertEqual([self.count(server=s) for s in self.replicas.all], [6000, 5000])
        shipper.kill()
        shipper.wait()
        # Another replica takes them.
        self.ship_all(f"--traces={self.work}", to=self.both())
        self.wait_for(lambda: self.count(server=self.other) == 6000)
        self.assert_steps(counts, server=self.other)
        self.server.ask("SYSTEM RESTART REPLICA waymark.events")
        self.assert_both(counts)

    def test_batches_outlast_a_change_of_the_replicas(self):
        """Those that wait for a replica go to any that is named with it."""
        count = self.recorded(1, 500, 0)
        dead = free_port()
        shipper = self.ship("--interval=0.05", f"--traces={self.work}", to=self.place(dead))
        self.wait_for(lambda: list((self.work / "state").glob("*.batch")))
        shipper.kill()
        shipper.wait()
        shipper = self.ship("--interval=0.05", f"--traces={self.work}", to=self.place(self.other.http, dead))
        self.assert_both([count])
        self.end(shipper)
        self.assertNotIn("does not name now", self.notes(shipper))

    def test_servers_that_are_no_replicas_are_refused(self):
        for replica in self.replicas.all:
            replica.run(self.waymark("schema", "clickhouse", "--old", "--database=plain").stdout)
        place = self.place(self.server.http, self.other.http, database="plain")
        self.recorded(1, 10, 0)
        self.assertIn("tables of plain have none", self.ship_all(self.work / "t.ctf", to=place, status=1))
        self.assertEqual(self.server.number("SELECT count() FROM plain.events"), 0)
        for to in "clickhouse://a|/x", "clickhouse://|a/x", "clickhouse://a||b/x":
            self.assertIn("is no destination", self.ship_all(to=to, status=1), to)
        twice = self.ship_all(to=[self.both(), self.place(self.other.http)], status=1)
        self.assertRegex(twice, "--to names .* twice")

    def test_one_server_passes_the_tables_on(self):
        """All statements but those that servers of 18.16 do not know."""
        options = "schema", "clickhouse", "--replicated", "--cluster=pair", "--database=passed"
        self.server.run(";\n".join(s for s in self.waymark(*options).stdout.split(";\n") if "ALTER TABLE" not in s))
        count = self.recorded(2, 300, 0)
        self.server.run(self.waymark(*options, self.work / "t.ctf").stdout)
        self.ship_all(self.work / "t.ctf", to=self.place(self.server.http, self.other.http, database="passed"))
        self.wait_for(lambda: self.other.number("SELECT count() FROM passed.all_events") == count)
        self.assertEqual(self.other.number("SELECT max(step) FROM passed.event_step"), 299)


class Outages(Pair):
    """Servers of 18.16 try to fetch a part again after ten seconds only."""

    def test_a_replica_that_is_killed(self):
        """The shipper is, too."""
        programs = [self.program(2, 3000, 1000, trace=f"{n}.ctf") for n in range(3)]
        shipper = self.ship("--interval=0.05", f"--traces={self.work}", to=self.both())
        self.wait_for(lambda: self.count() > 0)
        self.server.kill()
        self.addCleanup(lambda: self.server.process.poll() is None or self.server.start())
        self.wait_for(lambda: f"127.0.0.1:{self.other.http}: sending goes on" in self.notes(shipper))
        before = self.count(server=self.other)
        self.wait_for(lambda: self.count(server=self.other) > before)
        self.assertIn(None, [p.poll() for p in programs])
        shipper.kill()
        shipper.wait()
        counts = self.counts(programs)
        self.ship_all(f"--traces={self.work}", to=self.both())
        self.server.start()  # it may have confirmed rows that the other one has not got yet
        self.assert_both(counts)

    def test_an_answer_is_lost_and_the_other_replica_lags(self):
        """The other replica lacks the rows that the first one has, and yet they are not there twice."""
        proxy = self.proxy(self.server.http)
        shipper = self.ship("--interval=0.05", f"--traces={self.work}", to=self.place(proxy.own, self.other.http))
        counts = [self.recorded(1, 100, 0, trace="0.ctf")]
        self.assert_both(counts)
        self.other.ask("SYSTEM STOP FETCHES")
        self.addCleanup(self.other.ask, "SYSTEM START FETCHES")
        proxy.is_lost = lambda piece: b"INTO%20%60waymark%60.events%20" in piece
        counts.append(self.recorded(2, 1000, 0, trace="1.ctf"))
        self.wait_for(lambda: "sending goes on" in self.notes(shipper))
        self.end(shipper)
        self.assertEqual(proxy.cuts, 1)
        self.assertEqual(list((self.work / "state").glob("*.batch")), [])
        self.wait_for(lambda: self.count() == sum(counts))
        self.assertLess(self.count(server=self.other), sum(counts))
        self.other.ask("SYSTEM START FETCHES")
        self.assert_both(counts)

    def test_zookeeper_is_down(self):
        programs = [self.program(2, 3000, 1000, trace=f"{n}.ctf") for n in range(2)]
        shipper = self.ship("--interval=0.05", f"--traces={self.work}", to=self.both())
        self.wait_for(lambda: self.count() > 0)
        self.zookeeper.kill()
        self.wait_for(lambda: "events are kept until it works" in self.notes(shipper))
        counts = self.counts(programs)
        self.wait_for(lambda: list((self.work / "state").glob("*.batch")))
        self.assertLess(self.count(), sum(counts))
        self.assertEqual(self.notes(shipper).count("events are kept until it works"), 1)
        self.zookeeper.start()
        self.assert_both(counts)
        self.end(shipper)

    def test_a_replica_that_accepts_and_is_silent(self):
        """Its batches go to the other one after the limit of a request."""
        count = self.recorded(1, 500, 0)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            shipper = self.ship(f"--traces={self.work}", to=self.place(silent.getsockname()[1], self.other.http))
            self.wait_for(lambda: self.count(server=self.other) == count, LIMIT_S + PATIENCE)
            self.end(shipper)
        self.assertRegex(self.notes(shipper), "(?i)timed out")
        self.assert_both([count])


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(reason)
        sys.exit(77)
    main()
