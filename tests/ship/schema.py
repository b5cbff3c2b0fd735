#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the views and queries that waymark schema prints: schema.py WAYMARK PACED OTHER [TEST...]"""

import json
import time

from clickhouse import Server, free_port
from shipped import OTHER, Shipped, main


class Schema(Shipped):
    def query(self, name, *values, options=(), server=None):
        sql = self.waymark("schema", "clickhouse", f"--query={name}", *options, *values).stdout
        return [line.split("\t") for line in (server or self.server).ask(sql).splitlines()]

    def views(self, *traces):
        self.server.run(self.waymark("schema", "clickhouse", "--old", *[self.work / t for t in traces]).stdout)

    def test_fields_are_columns(self):
        count = self.recorded(2, 100, 0)
        self.ship_all(self.work / "t.ctf")
        self.views("t.ctf")
        self.assertEqual(self.server.ask("SELECT field_thread, count(), max(step), any(program) FROM event_step "
                                         "GROUP BY field_thread ORDER BY field_thread"), "0\t100\t99\tpaced\n1\t100\t99\tpaced")
        self.assertEqual(self.server.number("SELECT uniqExact(thread) FROM event_step"), 2)
        self.assertEqual(count, 200)

    def test_builds_whose_declarations_differ(self):
        self.recorded(2, 10, 0, trace="a.ctf")
        self.recorded(4, what=OTHER, trace="b.ctf")
        self.ship_all(self.work / "a.ctf", self.work / "b.ctf")
        self.views("a.ctf", "b.ctf")
        self.assertEqual(self.server.number("SELECT uniqExact(declaration) FROM events WHERE event = 'step'"), 2)
        rows = self.server.ask("SELECT program, field_thread, step, more FROM event_step ORDER BY program, ns, step").splitlines()
        self.assertEqual(rows[:4], ["other\tit\\'s \\\\ even\t0\t7", "other\todd\t-1\t7", "other\tit\\'s \\\\ even\t-2\t7",
                                    "other\todd\t-3\t7"])
        self.assertEqual(len(rows), 24)
        self.assertIn("paced\t1\t9\t0", rows)
        self.assertEqual(self.server.ask("SELECT count(), max(field_time), any(field_host) FROM event_time"), "4\t3\t")

    def test_queries(self):
        self.recorded(2, 500, 200)
        self.recorded(4, 300000, 0, trace="lost.ctf", options=",buffer=1M")
        self.ship_all(self.work / "t.ctf", self.work / "lost.ctf")
        self.views("t.ctf")
        host = self.server.ask("SELECT any(host) FROM events")
        percentiles = self.query("percentiles", "event=step", "field=step")
        self.assertEqual(sum(int(row[2]) for row in percentiles), self.count())
        self.assertEqual({row[1] for row in percentiles}, {host})
        rates = self.query("rates")
        self.assertAlmostEqual(sum(float(row[3]) for row in rates) * 60, self.count(), delta=2)
        losses = self.query("losses")
        self.assertEqual((losses[0][0], losses[0][1]), (host, "paced"))
        self.assertEqual(int(losses[0][2]), self.server.number("SELECT sum(lost) FROM gaps"))
        request = self.query("request", "key=499", "limit=1000")
        self.assertGreaterEqual(len(request), 2)
        self.assertTrue(all("499" in row[7] for row in request))

    def requests(self, *marks):
        """Stores events of process 1, each (event, key, us), and makes their views. Returns the second of all."""
        now = f"toDateTime({int(time.time())})"
        self.server.ask("INSERT INTO events (event, time, ns, host, program, process, thread, declaration, batch, numbers, texts) VALUES "
                        + ", ".join(f"('{event}', {now}, {1000 * us}, 'a', 'p', 1, 1, 5, 1, [{key}], [])" for event, key, us in marks))
        for event in "submit", "done":
            self.server.ask(f"CREATE VIEW event_{event} AS SELECT time, ns, host, program, process, thread, "
                            f"numbers[1] AS io FROM events PREWHERE event = '{event}'")
        return now

    def slowest(self, *values, end="done"):
        return [(row[0], row[3], row[5], row[6]) for row in self.query("slowest", "begin=submit", f"end={end}", "by=io", *values)]

    def test_slowest_over_two_events(self):
        """Request 2 took longest: its second event was 20 ms late."""
        self.requests(*[(event, io, io + late) for io, us in enumerate((100, 300, 20000, 50))
                        for event, late in (("submit", 0), ("done", us))])
        self.assertEqual(self.slowest("limit=2"), [("a", "2", "20000", "0"), ("a", "1", "300", "0")])

    def test_slowest_with_keys_that_are_used_again(self):
        """As the address of a request is: each end belongs to the begin before it."""
        self.requests(("submit", 7, 0), ("done", 7, 10), ("submit", 7, 100), ("done", 7, 400), ("submit", 7, 500), ("submit", 7, 600),
                      ("done", 7, 650), ("done", 7, 700), ("done", 8, 1), ("submit", 8, 900))
        self.assertEqual(self.slowest(), [("a", "7", us, "0") for us in ("300", "50", "10")])

    def test_slowest_counts_losses_meanwhile(self):
        now = self.requests(("submit", 1, 0), ("done", 1, 500), ("submit", 2, 0), ("done", 2, 90))
        self.server.ask(f"INSERT INTO gaps (time, ns, process, lost) VALUES ({now}, 100000, 1, 3), ({now}, 200000, 1, 1), ({now}, 1000, 2, 1)")
        self.assertEqual(self.slowest(), [("a", "1", "500", "2"), ("a", "2", "90", "0")])

    def test_slowest_from_an_event_to_the_next_of_its_name(self):
        self.requests(("submit", 7, 0), ("submit", 7, 100), ("submit", 7, 400), ("submit", 8, 900), ("done", 7, 10))
        self.assertEqual([row[1:3] for row in self.slowest(end="submit")], [("7", "300"), ("7", "100")])

    def test_slowest_with_a_key_that_is_used_again_at_once(self):
        self.requests(("submit", 7, 0), ("submit", 7, 100), ("done", 7, 100), ("done", 7, 150))
        self.assertEqual(self.slowest(), [("a", "7", us, "0") for us in ("100", "50")])

    def test_slowest_without_rows(self):
        self.requests(("submit", 7, 0))
        self.assertEqual(self.slowest(), [])

    def test_queries_read_their_minutes_only(self):
        """Whatever else a part has: the index needs a condition on the minute in old servers."""
        for day in range(1, 5):
            self.server.ask(f"INSERT INTO events (event, time, process, numbers) SELECT 'submit', now() - {day} * 86400, 1, [number] "
                            "FROM (SELECT number FROM system.numbers LIMIT 100000)")
        self.server.ask("INSERT INTO events (event, time, ns, process, numbers) SELECT 'submit', now() - intDiv(number, 200), 0, 1, [number] "
                        "FROM (SELECT number FROM system.numbers LIMIT 2000000)")
        self.server.ask("CREATE VIEW event_submit AS SELECT time, ns, host, program, process, thread, numbers[1] AS io FROM events "
                        "PREWHERE event = 'submit'")
        self.server.ask("OPTIMIZE TABLE events FINAL")
        for query in (["rates"], ["request", "key=5"], ["percentiles", "event=submit", "field=io"],
                      ["slowest", "begin=submit", "end=submit", "by=io"]):
            sql = self.waymark("schema", "clickhouse", f"--query={query[0]}", *query[1:], "minutes=5").stdout
            read = json.loads(self.server.ask(f"{sql} FORMAT JSON"))["statistics"]["rows_read"]
            self.assertLess(read, 300000 if query[0] != "slowest" else 900000, query)

    def test_a_cluster(self):
        tcps = free_port(), free_port()
        servers = [Server(self.work / f"server-{n}", tcp=tcps[n], tcps=tcps) for n in range(2)]
        for server in servers:
            self.addCleanup(server.kill)
            self.make_tables(server, "--cluster=pair")
        counts = [self.recorded(2, 300 + n, 0, trace=f"{n}.ctf") for n in range(6)]
        place = "clickhouse://" + ",".join(f"127.0.0.1:{s.http}" for s in servers) + "/waymark"
        self.ship_all(f"--traces={self.work}", to=place)
        for server in servers:
            server.run(self.waymark("schema", "clickhouse", "--old", "--cluster=pair", self.work / "0.ctf").stdout)
            self.assertEqual(self.count("all_events", server), sum(counts))
            self.assertEqual(self.count("event_step", server), sum(counts))
            rates = self.query("rates", options=["--cluster=pair"], server=server)
            self.assertAlmostEqual(sum(float(row[3]) for row in rates) * 60, sum(counts), delta=2)
        self.assertEqual(sum(self.count(server=s) for s in servers), sum(counts))

    def test_bad_input(self):
        for args, text in ((["schema"], "the engine is missing"), (["schema", "mysql"], "there is no engine 'mysql'"),
                           (["schema", "clickhouse", "--query=slow"], "there is no query 'slow'"),
                           (["schema", "clickhouse", "--query=request"], "needs key=..."),
                           (["schema", "clickhouse", "--query=rates", "x=1"], "unknown or given twice"),
                           (["schema", "clickhouse", "--keep=0"], "is no number of days")):
            self.assertIn(text, self.waymark(*args, status=2).stderr)
        self.assertIn("missing", self.waymark("schema", "clickhouse", self.work / "missing", status=1).stderr)
        evil = self.waymark("schema", "clickhouse", "--query=percentiles", "event=x`; DROP TABLE y; --", "field=a").stdout
        self.assertIn("`event_x\\`; DROP TABLE y; --`", evil)


if __name__ == "__main__":
    main()
