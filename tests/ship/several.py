#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests several destinations, and several servers of one: several.py WAYMARK PACED OTHER [TEST...]"""

import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

from clickhouse import PATIENCE, Proxy, Server, free_port
from shipped import Shipped, main


def children(pid):
    return [int(child) for child in subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()]


def is_running(pid):
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


class Several(Shipped):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.other = Server(cls.folder / "other")
        cls.addClassCleanup(lambda: cls.other.kill())

    def setUp(self):
        super().setUp()
        self.make_tables(self.other)
        self.both = [self.server.place(), self.other.place()]

    def counts(self, programs):
        return [int(re.search(r"recorded (\d+)", p.stdout.read())[1]) for p in programs]

    def assert_both(self, counts):
        for server in self.server, self.other:
            self.assert_steps(counts, server=server)

    def test_a_destination_that_is_down_holds_up_no_other(self):
        """Meanwhile the shipper is killed again and again."""
        chance = random.Random(3)
        programs = [self.program(2, 20000, -100, trace=f"{n}.ctf") for n in range(3)]
        self.other.kill()
        while any(p.poll() is None for p in programs):
            shipper = self.ship("--interval=0.05", f"--traces={self.work}", to=self.both)
            time.sleep(chance.uniform(0.1, 1))
            shipper.kill()
            shipper.wait()
        counts = self.counts(programs)
        shipper = self.ship("--interval=0.05", f"--traces={self.work}", to=self.both)
        self.wait_for(lambda: self.count() >= sum(counts))
        self.assert_steps(counts)
        self.other.start()
        self.wait_for(lambda: self.count(server=self.other) >= sum(counts))
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))
        self.assertIn(f"127.0.0.1:{self.other.http}+waymark: ", self.notes(shipper))
        self.assert_both(counts)
        notes = self.ship_all(f"--traces={self.work}", to=self.both)
        self.assertEqual(notes.count(" 0 rows sent"), 2, notes)

    def test_a_server_of_several_that_is_down_holds_up_no_other(self):
        """Of one destination. The spool of the other one is full, so its events wait in their traces."""
        proxy = Proxy(free_port())
        self.addCleanup(proxy.close)
        place = f"clickhouse://127.0.0.1:{self.server.http},127.0.0.1:{proxy.own}/waymark"
        shipper = self.ship("--interval=0.05", "--spool=1K", f"--traces={self.work}", to=place)
        counts = [self.recorded(1, 2000 + n, 0, trace=f"{n}.ctf") for n in range(8)]
        mine = [count for n, count in enumerate(counts) if self.process(f"{n}.ctf") % 2 == 0]
        self.wait_for(lambda: self.count() >= sum(mine))
        self.assert_steps(mine)
        shipper.kill()
        shipper.wait()
        # At its end, too: what is read is sent to the server that answers.
        shipper = self.ship("--interval=3600", f"--traces={self.work}", to=place)
        self.wait_for(lambda: "events are kept until it works" in self.notes(shipper))
        counts += [self.recorded(1, 2000 + n, 0, trace=f"{n}.ctf") for n in range(8, 16)]
        mine = [count for n, count in enumerate(counts) if self.process(f"{n}.ctf") % 2 == 0]
        time.sleep(1)
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))
        self.assert_steps(mine)
        shipper = self.ship("--interval=0.05", f"--traces={self.work}", to=place)
        proxy.port = self.other.http
        self.wait_for(lambda: self.count() + self.count(server=self.other) >= sum(counts))
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))
        self.assert_steps(mine)
        self.assert_steps([n for n in counts if n not in mine], server=self.other)

    def process(self, trace):
        """Returns the number of the trace's process: the first half of its uuid."""
        metadata = (self.work / trace / "metadata").read_bytes().decode(errors="replace")
        return int(re.search(r'uuid = "([0-9a-f-]+)"', metadata)[1].replace("-", "")[:16], 16)

    def test_destinations_that_come_and_go(self):
        """One that was alone keeps its place, and so does each of several."""
        counts = [self.recorded(2, 1000, 0, trace="0.ctf")]
        self.ship_all(f"--traces={self.work}")
        counts.append(self.recorded(2, 500, 0, trace="1.ctf"))
        self.ship_all(f"--traces={self.work}", to=self.both)
        self.assert_both(counts)
        counts.append(self.recorded(2, 300, 0, trace="2.ctf"))
        self.ship_all(f"--traces={self.work}", to=self.both[1])
        self.assert_steps(counts, server=self.other)
        self.assert_steps(counts[:2])
        self.ship_all(f"--traces={self.work}", to=self.both[::-1])
        self.assert_both(counts)

    def test_places_of_the_environment(self):
        count = self.recorded(2, 300, 0)
        self.ship_all(f"--traces={self.work}", to=[], env={"WAYMARK_SHIP_TO": " ".join(self.both)})
        self.assert_both([count])

    def test_a_damaged_place_is_refused(self):
        """Also by several, for which a new folder would make all rows anew."""
        self.recorded(2, 100, 0)
        self.ship_all(f"--traces={self.work}")
        (self.work / "state/positions").write_text("{")
        notes = self.ship_all(f"--traces={self.work}", to=self.both, status=1)
        self.assertIn("is damaged", notes)
        self.assertEqual(self.count(), 200)

    def test_children_end_with_their_parent(self):
        shipper = self.ship(to=self.both)
        self.wait_for(lambda: len(children(shipper.pid)) == 2)
        pids = children(shipper.pid)
        shipper.kill()
        shipper.wait()
        self.wait_for(lambda: not any(is_running(pid) for pid in pids))

    def test_a_child_that_dies_ends_the_run(self):
        shipper = self.ship(to=self.both)
        self.wait_for(lambda: len(children(shipper.pid)) == 2)
        os.kill(children(shipper.pid)[1], signal.SIGKILL)
        self.assertEqual(shipper.wait(PATIENCE), 1)
        self.assertIn("its process was killed by signal 9", self.notes(shipper))

    def test_one_of_several_that_refuses(self):
        count = self.recorded(2, 300, 0)
        notes = self.ship_all(self.work / "t.ctf", to=[self.server.place("nothing"), self.other.place()], status=1)
        self.assertIn("there is no database nothing", notes)
        self.assert_steps([count], server=self.other)

    def test_one_that_refuses_stops_no_other(self):
        """It is tried again."""
        count = self.recorded(2, 300, 0)
        self.other.ask("DROP DATABASE waymark", database="default")
        shipper = self.ship("--interval=0.1", f"--traces={self.work}", to=self.both)
        self.wait_for(lambda: self.count() == count and "there is no database waymark" in self.notes(shipper))
        self.make_tables(self.other)
        self.wait_for(lambda: self.count(server=self.other) == count)
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))
        self.assert_both([count])

    def test_a_server_that_never_answers_delays_no_end(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            shipper = self.ship(to=[self.server.place(), f"clickhouse://127.0.0.1:{silent.getsockname()[1]}/waymark"])
            silent.accept()
            shipper.terminate()
            self.assertEqual(shipper.wait(20), 0, self.notes(shipper))

    def test_a_server_of_two_destinations_is_refused(self):
        place = self.server.place()
        for to in [place, place], [place.replace("/waymark", ",other:8123/waymark"), "clickhouse://other/waymark"]:
            self.assertRegex(self.ship_all(to=to, status=1), "--to names .* twice")
        self.assertFalse((self.work / "state").exists())

    def test_metrics_of_several(self):
        port = free_port()
        count = self.recorded(2, 300, 0)
        shipper = self.ship(f"--metrics={port}", "--interval=0.1", f"--traces={self.work}", to=self.both)

        def scrape():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
                    return answer.read().decode()
            except OSError:
                return ""
        rows = [f'waymark_ship_rows_total{{server="127.0.0.1:{s.http}",database="waymark"}} {count}'
                for s in (self.server, self.other)]
        self.wait_for(lambda: all(row in scrape().splitlines() for row in rows))
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=scrape(), text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        else:
            print("not checked by promtool (Debian's prometheus)")
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0)


if __name__ == "__main__":
    main()
