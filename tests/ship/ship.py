#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests what a server has of traces: ship.py WAYMARK PACED OTHER [TEST...]"""

import json
import shutil
import signal
import time

from clickhouse import Proxy
from shipped import OTHER, PATIENCE, Shipped, main


class Ship(Shipped):
    def sql(self, trace, question):
        return json.loads(self.waymark("sql", "--json", self.work / trace, question).stdout)

    def test_an_ended_program(self):
        count = self.recorded(3, 20000, 0)
        self.assertIn(f"{count} rows sent", self.ship_all(self.work / "t.ctf"))
        self.assert_steps([count])
        # Once more: everything is known.
        self.assertIn("0 rows sent", self.ship_all(self.work / "t.ctf"))
        self.assertEqual(self.count(), count)
        row = self.server.ask("SELECT host, program, pid, uuid, path, correction FROM processes").split("\t")
        info = json.loads(self.waymark("info", "--json", self.work / "t.ctf").stdout)
        self.assertEqual((row[1], row[4], row[5]), ("paced", str(self.work / "t.ctf"), "0"))
        self.assertIn(row[0], json.dumps(info))

    def test_a_server_that_collects_inserts_must_not(self):
        """As servers of today do: they may answer before rows are stored. This one is too old to know the setting."""
        count = self.recorded(2, 300, 0)
        proxy = Proxy(self.server.http)
        self.addCleanup(proxy.close)
        proxy.seen = b""
        # Of the same lengths, as the body's is in the head.
        other = {b"'async_insert'": b"'max_threads' ", b"&async_insert=0": b"&max_threads=02"}
        proxy.change = lambda piece: next((piece.replace(name, what) for name, what in other.items() if name in piece), piece)
        self.ship_all(self.work / "t.ctf", to=self.server.place(port=proxy.own))
        inserts = [line for line in proxy.seen.split(b"\r\n") if b"INSERT%20" in line]
        self.assertGreater(len(inserts), 1)
        self.assertTrue(all(b"&async_insert=0" in line for line in inserts), inserts)
        self.assert_steps([count])
        # A server without the setting gets none: it would refuse that.
        count += self.recorded(1, 10, 0, trace="u.ctf")
        self.ship_all(self.work / "u.ctf")
        self.assertEqual(self.count(), count)

    def test_times_are_those_of_the_trace(self):
        self.recorded(2, 50, 100)
        self.ship_all(self.work / "t.ctf")
        lines = self.waymark("export", "--to=csv", "--event=step", self.work / "t.ctf").stdout.splitlines()[1:]
        wanted = [(int(cells[0].replace(".", "")), cells[-2], cells[-1]) for cells in (line.split(",") for line in lines)]
        rows = self.server.ask("SELECT toUInt64(time) * 1000000000 + ns AS at, numbers[1], numbers[2] FROM events "
                               "ORDER BY at, numbers[1]").splitlines()
        seen = [(int(at), thread, step) for at, thread, step in (row.split("\t") for row in rows)]
        since_boot = seen[0][0] - wanted[0][0]
        self.assertEqual([(at - since_boot, *rest) for at, *rest in seen], sorted(wanted))
        self.assertAlmostEqual(seen[0][0] / 1e9, time.time(), delta=60)

    def test_processes_that_run_end_and_are_killed(self):
        shipper = self.ship("--interval=0.2")
        kept = self.program(2, 4000, 500, trace="kept.ctf")
        killed = self.program(2, 10**9, -100, trace="killed.ctf")
        self.wait_for(lambda: self.count() > 10000)
        killed.kill()
        killed.wait()
        late = self.recorded(1, 500, 1000, trace="late.ctf")
        kept.wait(PATIENCE)
        left = json.loads(self.waymark("sql", "--json", self.work / "killed.ctf", "SELECT count(*) AS n FROM step").stdout)
        wanted = [8000, late, left[0]["n"]]
        self.wait_for(lambda: self.count() >= sum(wanted))
        time.sleep(0.5)
        self.assert_steps(wanted)
        shipper.send_signal(signal.SIGTERM)
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))
        self.assertEqual(self.count(), sum(wanted))

    def test_an_event_is_there_within_3_seconds(self):
        self.ship()
        self.program(1, 6000, 10000)
        self.wait_for(lambda: self.count() > 50)
        lags = []
        for _ in range(10):
            newest = self.server.ask("SELECT max(toUInt64(time) * 1000000000 + ns) FROM events")
            lags.append(time.time() - int(newest) / 1e9)
            time.sleep(0.2)
        self.assertLess(sorted(lags)[2], 3, lags)  # a busy machine shows some later

    def test_a_folder_of_traces(self):
        (self.work / "folder").mkdir()
        counts = [self.recorded(2, 1000, 0, trace=f"folder/{n}.ctf") for n in range(3)]
        shipper = self.ship(f"--traces={self.work / 'folder'}", "--interval=0.1")
        counts.append(self.recorded(2, 500, 0, trace="folder/new.ctf"))
        self.wait_for(lambda: self.count() >= sum(counts))
        shipper.send_signal(signal.SIGINT)
        self.assertEqual(shipper.wait(PATIENCE), 0)
        self.assert_steps(counts)

    def test_a_trace_that_is_replaced_or_moved(self):
        counts = [self.recorded(2, 1000, 0)]
        shipper = self.ship(f"--traces={self.work}", "--interval=0.1")
        self.wait_for(lambda: self.count() == sum(counts))
        (self.work / "t.ctf").rename(self.work / "moved.ctf")
        counts.append(self.recorded(2, 700, 0))
        self.wait_for(lambda: self.count() >= sum(counts))
        time.sleep(0.5)
        self.assert_steps(counts)
        self.assertIsNone(shipper.poll())

    def test_a_new_trace_where_one_was_moved_away(self):
        counts = [self.recorded(2, 1000, 0)]
        self.ship(f"--traces={self.work}", "--interval=0.1")
        self.wait_for(lambda: self.count() == sum(counts))
        (self.work / "t.ctf").rename(self.work / "moved.ctf")
        self.wait_for(lambda: "moved.ctf" in (self.work / "state/positions").read_text())
        counts.append(self.recorded(2, 700, 0))
        self.wait_for(lambda: self.count() == sum(counts))
        self.assert_steps(counts)

    def test_a_trace_that_is_replaced_while_it_is_read(self):
        shipper = self.ship(f"--traces={self.work}", "--interval=0.1")
        program = self.program(1, 10**6, 2000)
        self.wait_for(lambda: self.count() > 0)
        shipper.send_signal(signal.SIGSTOP)
        program.kill()
        program.wait()
        shutil.rmtree(self.work / "t.ctf")
        self.recorded(1, 777, 0)
        shipper.send_signal(signal.SIGCONT)
        self.wait_for(lambda: self.number_of_last_process() == 777)

    def number_of_last_process(self):
        return self.server.number("SELECT count() FROM events GROUP BY process ORDER BY max(numbers[2]) DESC, count() DESC LIMIT 1")

    def test_many_programs_keep_their_names(self):
        for n in range(15):
            self.recorded(1, 20, 0, trace=f"paced-{n}.ctf")
            self.recorded(20, trace=f"other-{n}.ctf", what=OTHER)
        self.ship_all(f"--traces={self.work}")
        self.assertEqual(self.server.ask("SELECT program, event, count(), uniqExact(process) FROM events "
                                         "GROUP BY program, event ORDER BY program, event").splitlines(), [
            "other\tlogin\t300\t15", "other\tstep\t300\t15", "other\ttime\t300\t15", "paced\tstep\t300\t15"])
        self.assertEqual(self.server.ask("SELECT program, count() FROM processes GROUP BY program ORDER BY program"),
                         "other\t15\npaced\t15")

    def test_losses_are_rows(self):
        count = self.recorded(4, 300000, 0, options=",buffer=1M")
        self.ship_all(self.work / "t.ctf")
        lost = self.server.number("SELECT sum(lost) FROM gaps")
        self.assertGreater(lost, 0)
        self.assertEqual(self.count() + lost, count)

    def test_fields_of_all_kinds(self):
        self.recorded(3, what=OTHER)
        self.ship_all(self.work / "t.ctf")
        self.assertEqual(self.server.ask("SELECT numbers, texts FROM events WHERE event != 'login' ORDER BY event, ns").splitlines(), [
            "[0,7]\t['it\\'s \\\\ even']", "[18446744073709551615,7]\t['odd']", "[18446744073709551614,7]\t['it\\'s \\\\ even']",
            "[0]\t['']", "[1]\t['']", "[2]\t['']"])

    def test_secrets_stay_on_the_host(self):
        self.recorded(3, what=OTHER)
        self.assertIn("4711", self.waymark("print", self.work / "t.ctf").stdout)
        self.ship_all(self.work / "t.ctf")
        rows = self.server.ask("SELECT numbers, texts FROM events WHERE event = 'login'").splitlines()
        self.assertEqual(rows, ["[0]\t['user','']"] * 3)
        self.assertNotIn("password", self.server.ask("SELECT * FROM events"))

    def test_several_days(self):
        """A trace's times are moved to midnight by the correction: a part is of one day."""
        self.recorded(1, 200, 5000)
        ahead = 86400 - int(time.time()) % 86400
        proxy = Proxy(self.server.http, ahead_s=ahead)
        self.addCleanup(proxy.close)
        notes = self.ship_all(self.work / "t.ctf", to=self.server.place(port=proxy.own))
        self.assertIn("its times are corrected", notes)
        self.assert_steps([200])

    def test_a_slow_answer_is_no_clock_that_is_off(self):
        proxy = Proxy(self.server.http)
        self.addCleanup(proxy.close)
        proxy.late_s = 3
        self.recorded(1, 10, 0)
        self.assertNotIn("clock", self.ship_all(self.work / "t.ctf", to=self.server.place(port=proxy.own)))
        self.assertEqual(self.server.number("SELECT correction FROM processes"), 0)

    def test_a_clock_that_is_off_is_corrected(self):
        proxy = Proxy(self.server.http, ahead_s=3600)
        self.addCleanup(proxy.close)
        self.recorded(1, 10, 0)
        notes = self.ship_all(self.work / "t.ctf", to=self.server.place(port=proxy.own))
        self.assertRegex(notes, r"its clock was (3599|36\d\d) s behind the server's: its times are corrected")
        off = self.server.number("SELECT toInt64(min(time)) FROM events") - int(time.time())
        self.assertAlmostEqual(off, 3600, delta=60)
        self.assertAlmostEqual(self.server.number("SELECT correction FROM processes") / 1e9, 3600, delta=3)


if __name__ == "__main__":
    main()
