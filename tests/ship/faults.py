#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests shippers, servers and networks that fail: faults.py WAYMARK PACED OTHER [TEST...]"""

import os
import pathlib
import random
import re
import subprocess
import time

from clickhouse import PATIENCE, Proxy, Server, free_port
from shipped import Shipped, WAYMARK, main


class Faults(Shipped):
    def programs(self, count, steps):
        return [self.program(2, steps, -30, trace=f"{n}.ctf") for n in range(count)]

    def finish(self, programs, to=None):
        """Waits for the programs, ships what is left, and compares."""
        counts = [int(re.search(r"recorded (\d+)", p.stdout.read())[1]) for p in programs]
        self.ship_all(f"--traces={self.work}", to=to)
        self.assert_steps(counts)

    def test_shippers_that_are_killed(self):
        chance = random.Random(7)
        programs = self.programs(3, 40000)
        kills = 0
        while any(p.poll() is None for p in programs):
            shipper = self.ship("--interval=0.05", f"--traces={self.work}")
            time.sleep(chance.uniform(0.01, 0.6))
            shipper.kill()
            shipper.wait()
            kills += 1
        self.assertGreater(kills, 3)
        self.finish(programs)

    def test_connections_that_are_cut(self):
        proxy = Proxy(self.server.http, odds=0.0)
        self.addCleanup(proxy.close)
        programs = self.programs(2, 30000)
        place = self.server.place(port=proxy.own)
        shipper = self.ship("--interval=0.05", to=place)
        self.wait_for(lambda: self.count() > 0)
        proxy.odds = 0.5
        for p in programs:
            p.wait(PATIENCE)
        self.wait_for(lambda: proxy.cuts > 3)
        proxy.odds = 0
        shipper.terminate()
        shipper.wait(PATIENCE)
        self.finish(programs, to=place)

    def test_a_server_that_is_killed(self):
        programs = self.programs(2, 60000)
        shipper = self.ship("--interval=0.05", f"--traces={self.work}")
        for _ in range(2):
            before = self.count()
            self.wait_for(lambda: self.count() > before or all(p.poll() is not None for p in programs))
            self.server.kill()
            self.server.start()
        for p in programs:
            p.wait(PATIENCE)
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0)
        self.finish(programs)

    def test_a_full_spool_leaves_events_in_their_traces(self):
        """The server is down from the begin, and comes back."""
        programs = self.programs(2, 30000)
        proxy = Proxy(free_port())  # nobody answers there
        self.addCleanup(proxy.close)
        shipper = self.ship("--interval=0.05", "--spool=1K", to=self.server.place(port=proxy.own))
        self.wait_for(lambda: "the spool is full" in self.notes(shipper))
        for p in programs:
            p.wait(PATIENCE)
        state = self.work / "state"
        self.assertLess(sum(f.stat().st_size for f in state.glob("*.batch")), 2 << 20)
        self.assertEqual(self.count(), 0)
        proxy.port = self.server.http
        self.wait_for(lambda: "the spool has room again" in self.notes(shipper))
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0)
        self.finish(programs)

    def test_a_full_disk(self):
        if os.geteuid() != 0:
            self.skipTest("mounting needs root")
        small = self.work / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64K", "tmpfs", small], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", small])
        count = self.recorded(3, 50000, 0)
        notes = self.ship_all(self.work / "t.ctf", state="small/state", status=1)
        self.assertIn("No space left on device", notes)
        subprocess.run(["mount", "-o", "remount,size=64M", small], check=True)
        self.ship_all(self.work / "t.ctf", state="small/state")
        self.assert_steps([count])

    def test_two_servers_have_a_part_each(self):
        tcp = free_port()
        other = Server(self.work / "other", tcp=tcp)
        self.addCleanup(other.kill)
        self.make_tables(other)
        programs = self.programs(6, 1000)
        for p in programs:
            p.wait(PATIENCE)
        place = f"clickhouse://127.0.0.1:{self.server.http},127.0.0.1:{other.http}/waymark"
        self.ship_all(f"--traces={self.work}", to=place)
        self.assertEqual(self.count() + self.count(server=other), 12000)
        for server in (self.server, other):
            self.assertEqual(server.number("SELECT uniqExact(process) FROM events"), self.count("processes", server))

    def test_batches_that_were_sent_and_come_back(self):
        """As after a power cut: the server has them, but their removal was not yet on the disk."""
        proxy = Proxy(free_port())
        self.addCleanup(proxy.close)
        program = self.program(1, 300, 5000)
        shipper = self.ship("--interval=0.1", to=self.server.place(port=proxy.own))
        batches = self.work / "state"
        self.wait_for(lambda: len(list(batches.glob("*.batch"))) >= 4)
        program.wait(PATIENCE)
        shipper.kill()
        shipper.wait()
        kept = {path: path.read_bytes() for path in batches.glob("*.batch")}
        proxy.port = self.server.http
        self.ship_all(f"--traces={self.work}", to=self.server.place(port=proxy.own))
        for path, content in kept.items():
            path.write_bytes(content)
        self.ship_all(f"--traces={self.work}", to=self.server.place(port=proxy.own))
        self.assert_steps([300])

    def test_batches_for_a_server_that_is_named_no_more(self):
        port = free_port()
        self.program(1, 100, 0).wait(PATIENCE)
        shipper = self.ship("--interval=0.1", f"--traces={self.work}", to=self.server.place(port=port))
        self.wait_for(lambda: list((self.work / "state").glob("*.batch")))
        shipper.kill()
        shipper.wait()
        notes = self.ship_all(f"--traces={self.work}", status=1)
        self.assertIn("batches are for a server that --to does not name now", notes)
        proxy = Proxy(self.server.http, own=port)
        self.addCleanup(proxy.close)
        self.ship_all(f"--traces={self.work}", to=self.server.place(port=port))
        self.assert_steps([100])

    # ---- Bad input ----

    def refused(self, *args, to=None, env=None, status=1):
        p = self.ship(*args, to=to, env=env)
        self.assertEqual(p.wait(PATIENCE), status, self.notes(p))
        return self.notes(p)

    def test_wrong_places(self):
        for to in "clickhouse:", "http://x/y", "clickhouse://", "clickhouse://:80/x", "clickhouse://a,/x", "clickhouse://a/b/c":
            self.assertIn("is no destination", self.refused(to=to), to)
        self.assertRegex(self.refused("--once", to=f"clickhouse://127.0.0.1:{free_port()}/waymark"), "(?i)connect")
        self.assertIn("nothing", self.refused(to=self.server.place("nothing")))
        self.assertIn("there is no database nothing", self.refused(to=self.server.place("nothing")))

    def test_a_password(self):
        place = self.server.place(user="shipper@")
        self.assertIn("assword", self.refused(to=place, env={"CLICKHOUSE_PASSWORD": "wrong"}))
        count = self.recorded(1, 10, 0)
        self.ship_all(self.work / "t.ctf", to=place, env={"CLICKHOUSE_PASSWORD": "s3cret@/x"})
        self.assert_steps([count])

    def test_altered_tables(self):
        self.server.ask("ALTER TABLE events ADD COLUMN mine String")  # a column more is fine
        count = self.recorded(1, 10, 0)
        self.ship_all(self.work / "t.ctf")
        self.assert_steps([count])
        self.server.ask("ALTER TABLE gaps MODIFY COLUMN lost String")
        self.assertIn("column lost of table waymark.gaps is String, not UInt64", self.refused())
        self.make_tables(self.server)
        self.server.ask("INSERT INTO schema_version VALUES (99, now())")
        self.assertIn("have version 99, this waymark needs 1", self.refused())

    def test_a_table_that_disappears_meanwhile(self):
        program = self.program(1, 400, 10000)
        shipper = self.ship("--interval=0.05")
        self.wait_for(lambda: self.count() > 0)
        self.server.ask("RENAME TABLE events TO elsewhere")
        self.wait_for(lambda: "events are kept until it works" in self.notes(shipper))
        self.server.ask("RENAME TABLE elsewhere TO events")
        self.wait_for(lambda: "sending goes on" in self.notes(shipper))
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0)
        self.finish([program])

    def test_answers_of_something_else(self):
        """The server stores the rows, but a proxy answers in its place: neither missing nor twice."""
        proxy = Proxy(self.server.http)
        self.addCleanup(proxy.close)
        program = self.program(1, 400, 5000)
        shipper = self.ship("--interval=0.1", to=self.server.place(port=proxy.own))
        self.wait_for(lambda: self.count() > 0)
        for body in b"", b"<html>log in</html>":
            before = self.count()
            proxy.instead = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            self.wait_for(lambda: self.count() > before)
            if body:
                self.wait_for(lambda: "events are kept until it works" in self.notes(shipper))
            proxy.instead = None
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0)
        program.wait(PATIENCE)
        self.finish([program], to=self.server.place(port=proxy.own))

    def test_a_trace_that_cannot_be_opened_is_reported_once(self):
        """It is tried again after ten seconds, and at once when its metadata has changed."""
        count = self.recorded(2, 1000, 0)
        metadata = self.work / "t.ctf/metadata"
        good = metadata.read_bytes()
        metadata.write_bytes(good[:40])
        shipper = self.ship("--interval=0.1", self.work / "t.ctf")
        self.wait_for(lambda: "t.ctf" in self.notes(shipper))
        time.sleep(12)
        self.assertEqual(self.notes(shipper).count("t.ctf"), 1, self.notes(shipper))
        metadata.write_bytes(good)
        self.wait_for(lambda: self.count() == count)

    def test_two_shippers_at_once(self):
        shipper = self.ship()
        self.wait_for(lambda: (self.work / "state" / "lock").exists())
        time.sleep(0.2)
        self.assertIn("another waymark ship uses it", self.refused())
        self.assertIsNone(shipper.poll())

    def test_damaged_state(self):
        count = self.recorded(1, 10, 0)
        self.ship_all(self.work / "t.ctf")
        positions = self.work / "state" / "positions"
        good = positions.read_text()
        for bad in "", "{", "[]", good[:-5]:
            positions.write_text(bad)
            self.assertIn("is damaged", self.refused("--once", self.work / "t.ctf"))
        positions.write_text(good)
        self.ship_all(self.work / "t.ctf")
        self.assertEqual(self.count(), count)

    def test_what_is_no_trace(self):
        (self.work / "file").write_text("nothing\n")
        (self.work / "folder").mkdir()
        for name in "file", "folder", "missing":
            notes = self.ship_all(self.work / name, status=1, state=f"state-{name}")
            self.assertIn(name, notes)
        count = self.recorded(1, 1000, 0)
        stream = next((self.work / "t.ctf").glob("stream-*"))
        stream.write_bytes(stream.read_bytes()[:-5000])
        notes = self.ship_all(self.work / "t.ctf", status=1)
        self.assertIn("cut", notes)
        self.assertLess(self.count(), count)

    def test_options(self):
        for args, text in ((["--spool=x"], "'x' is no size"), (["--spool=0"], "is no size"), (["--spool=1Q"], "is no size"),
                           (["--interval=-1"], "'-1' is not a number of seconds"), (["--what"], "what")):
            self.assertIn(text, self.refused(*args, status=2))
        none = subprocess.run([WAYMARK, "ship"], capture_output=True, text=True)
        self.assertEqual((none.returncode, "--to=PLACE is missing" in none.stderr), (2, True))


if __name__ == "__main__":
    main()
