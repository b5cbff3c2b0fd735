#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests tables, views, queries and exports in today's ClickHouse: today.py WAYMARK PACED OTHER CACHE [TEST...]

Today's engine is npm's package chdb, which runs in a process of node. It is installed into the folder CACHE, unless
$WAYMARK_CHDB is a folder that has it. The answers must be those of the server of other tests.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

FOLDER = os.path.abspath(sys.argv.pop(4))
CACHE = pathlib.Path(os.environ.get("WAYMARK_CHDB") or FOLDER)
from clickhouse import PATIENCE  # noqa: E402
from shipped import OTHER, Shipped, main  # noqa: E402

INSTALL_S = 300
# Takes statements as JSON; answers each.
SCRIPT = """
const { Session } = require("chdb");
const session = new Session(process.argv[1]);
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(asked.map((text) => {
    try { return session.query(text, "TabSeparated"); } catch (e) { return "ERROR " + e.message; }
})));
"""


def why_not():
    """Installs the package; returns why it cannot be."""
    if not (shutil.which("node") and (shutil.which("npm") or (CACHE / "node_modules/chdb").exists())):
        return "there is no node or npm (Debian's nodejs and npm)"
    if not (CACHE / "node_modules/chdb").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(["npm", "install", "--prefix", CACHE, "--no-audit", "--no-fund", "chdb@3"], cwd=CACHE,
                                  capture_output=True, text=True, timeout=INSTALL_S, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return "npm does not answer"
        if done.returncode != 0:
            shutil.rmtree(CACHE / "node_modules", ignore_errors=True)
            return f"npm cannot install chdb: {done.stderr.strip()[-300:]}"
    return None


class Today(Shipped):
    def today(self, *statements):
        """Returns the answers of today's engine, whose tables last as long as the test."""
        done = subprocess.run(["node", "-e", SCRIPT, str(self.work / "chdb")], input=json.dumps(statements), capture_output=True,
                              text=True, timeout=PATIENCE, cwd=CACHE)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = [answer.removesuffix("\n") for answer in json.loads(done.stdout.splitlines()[-1])]
        for statement, answer in zip(statements, answers):
            self.assertFalse(answer.startswith("ERROR"), f"{statement}: {answer}")
        return answers

    def schema(self, *args):
        return self.waymark("schema", "clickhouse", *args).stdout

    def copy(self, table):
        """Returns the statement that takes over a table of the server."""
        path = self.work / f"{table}.native"
        path.write_bytes(subprocess.run(["clickhouse-client", f"--port={self.server.tcp}", f"--query=SELECT * FROM waymark.{table} FORMAT Native"],
                                        capture_output=True, check=True, timeout=PATIENCE).stdout)
        return f"INSERT INTO waymark.{table} SELECT * FROM file('{path}', Native)"

    def insert(self, trace):
        """Returns the statement that inserts the export of a trace."""
        path = self.work / f"{trace}.native"
        self.waymark("export", "--to=clickhouse", "-o", path, self.work / trace)
        return f"INSERT INTO waymark.events SELECT * FROM file('{path}', Native)"

    def test_the_answers_are_those_of_the_server(self):
        self.recorded(2, 500, 200, trace="a.ctf")
        self.recorded(4, what=OTHER, trace="b.ctf")
        self.recorded(4, 200000, 0, trace="lost.ctf", options=",buffer=1M")
        traces = [self.work / name for name in ("a.ctf", "b.ctf")]
        self.ship_all(*traces, self.work / "lost.ctf")
        self.server.run(self.schema("--old", *traces))
        minute = "minutes=100"
        queries = [self.schema(*args) for args in (
            ["--query=slowest", "begin=submit", "end=done", "by=io", minute],
            ["--query=percentiles", "event=step", "field=more", minute],
            ["--query=rates", minute], ["--query=losses", minute], ["--query=request", "key=3", minute])]
        queries += ["SELECT program, field_thread, step, more, ns FROM waymark.event_step WHERE program = 'other' ORDER BY ns",
                    "SELECT field_time, field_host, host FROM waymark.event_time ORDER BY field_time",
                    "SELECT pin, user, password FROM waymark.event_login ORDER BY ns",
                    "SELECT count(), max(step), uniqExact(thread) FROM waymark.event_step",
                    "SELECT table, name, type FROM system.columns WHERE database = 'waymark' AND table NOT LIKE 'event\\\\_%' "
                    "ORDER BY table, name"]
        # Requests, of which the second took longest.
        rows = ", ".join(f"('{event}', toDateTime({int(time.time())}), {1000 * io + us * 1000}, 'h', 'p', 1, 1, 5, 1, [{io}], [])"
                         for io, late in ((1, 100), (2, 3000), (3, 50)) for event, us in (("submit", 0), ("done", late)))
        requests = ["INSERT INTO waymark.events (event, time, ns, host, program, process, thread, declaration, batch, numbers, "
                    f"texts) VALUES {rows}"]
        requests += [f"CREATE VIEW waymark.event_{event} AS SELECT time, ns, host, program, process, thread, numbers[1] AS io "
                     f"FROM waymark.events WHERE event = '{event}'" for event in ("submit", "done")]
        for statement in requests:
            self.server.ask(statement)
        made = self.today(self.schema("--keep=30"), *[self.insert(name) for name in ("a.ctf", "b.ctf", "lost.ctf")],
                          *[self.copy(name) for name in ("gaps", "processes", "declarations")], self.schema(*traces),
                          *requests, "SELECT version()", *queries)
        print("today's engine is", made[-len(queries) - 1], "the server", self.server.ask("SELECT version()"))
        for query, answer in zip(queries, made[-len(queries):]):
            self.assertEqual(answer, self.server.ask(query), query)
        self.assertGreater(sum(map(bool, made[-len(queries):])), 8)

    def test_what_the_shipper_asks_for(self):
        """Its settings and system tables."""
        self.recorded(2, 500, 0)
        answers = self.today(
            self.schema(), self.insert("t.ctf"),
            "SELECT count() FROM system.settings WHERE name = 'http_native_compression_disable_checksumming_on_decompress'",
            "SELECT count() FROM system.settings WHERE name = 'async_insert'",
            "SELECT count() FROM system.processes WHERE query_id = 'waymark-0'", "SELECT max(version) FROM waymark.schema_version",
            "SELECT count() FROM waymark.events WHERE batch = 0 AND time >= toDateTime(0) AND time < toDateTime(4000000000)")
        self.assertEqual(answers[-5:], ["1", "1", "0", "1", "1000"])

    def test_a_number_is_found_by_its_index(self):
        """It reads few of the rows, also in a table that was made without the index."""
        answers = self.today(
            self.schema(), "ALTER TABLE waymark.events DROP INDEX by_number", self.schema(),
            "INSERT INTO waymark.events (event, time, process, numbers) SELECT 'io', now() - 3600 + intDiv(number, 1000), number % 50, "
            "[number, number % 7] FROM numbers(3000000)",
            "OPTIMIZE TABLE waymark.events FINAL", self.schema("--query=request", "key=1500000", "minutes=100"),
            *["EXPLAIN ESTIMATE " + self.schema("--query=request", "key=1500000", "minutes=100") + f" SETTINGS use_skip_indexes = {on}"
              for on in (0, 1)])
        self.assertIn("[1500000,5]", answers[-3])
        without, read = [int(answer.split("\t")[3]) for answer in answers[-2:]]
        self.assertGreater(without, 2900000)
        self.assertLess(read, 600000)

    def test_columns_have_codecs(self):
        """Numbers that are alike, and nanoseconds that grow."""
        answers = self.today(
            self.schema(), "INSERT INTO waymark.events (event, time, ns, numbers) SELECT 'io', now(), number * 900, [number % 1000 * 77777] FROM numbers(1000000)",
            "OPTIMIZE TABLE waymark.events FINAL", "SELECT name, compression_codec FROM system.columns "
            "WHERE database = 'waymark' AND table = 'events' AND compression_codec != '' ORDER BY name",
            "SELECT sum(column_data_compressed_bytes) FROM system.parts_columns WHERE active AND table = 'events' AND column = 'ns'")
        self.assertEqual(answers[-2].splitlines(), ["ns\tCODEC(Delta(4), ZSTD(1))", "numbers\tCODEC(ZSTD(1))", "texts\tCODEC(ZSTD(1))"])
        self.assertLess(int(answers[-1]), 1000000)

    def test_old_rows_are_removed(self):
        answers = self.today(
            self.schema("--keep=30"),
            "INSERT INTO waymark.events (event, time, ns) SELECT 'old', now() - 86400 * 31, number FROM numbers(10)",
            "INSERT INTO waymark.events (event, time, ns) SELECT 'new', now() - 86400 * 29, number FROM numbers(10)",
            "OPTIMIZE TABLE waymark.events FINAL", "SELECT event, count() FROM waymark.events GROUP BY event")
        self.assertEqual(answers[-1], "new\t10")

    def test_a_block_that_comes_again_is_ignored(self):
        """As when a proxy passes a request on late. A server that is old has no such setting."""
        def rows(table, batch):
            return f"INSERT INTO waymark.{table} (time, ns, process, batch) VALUES (1700000000, 1, 7, {batch}), (1700000000, 2, 7, {batch})"
        tables = "events", "gaps"
        answers = self.today(
            self.schema("--old").replace("SET allow_experimental_low_cardinality_type = 1;", ""), self.schema(),  # of an upgraded server
            *[rows(table, batch) for table in tables for batch in (1, 1, 2, 1)],
            *[f"SELECT batch, count() FROM waymark.{table} GROUP BY batch ORDER BY batch" for table in tables])
        self.assertEqual(answers[-2:], ["1\t2\n2\t2"] * 2)
        self.assertNotIn("SETTINGS", self.schema("--old"))

    def test_replicas_are_accepted_as_statements(self):
        """It has no keeper, so only their grammar is seen."""
        for statement in self.schema("--replicated", "--cluster=all").split(";\n"):
            if statement.strip():
                self.today("EXPLAIN AST " + "\n".join(line.split(" -- ")[0] for line in statement.splitlines() if not line.startswith("--")))


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    main()
