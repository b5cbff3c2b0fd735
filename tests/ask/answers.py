#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""answers.py WAYMARK ASK [QUERIES]: `waymark sql` gives the rows that SQLite gives of tables made of
babeltrace2's text of the same trace; with some written queries, and with random ones.
"""
import collections
import json
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../common"))
from compare import check, finish

waymark, ask = sys.argv[1:3]
QUERIES = int(sys.argv[3]) if len(sys.argv) > 3 else 60

LINE = re.compile(r"\[\d+\] \S+:(\S+):\((\d+)\) (\w+): \{ cpu_id = \d+, tid = (\d+) \}, \{ ?(.*) \}$")
FIELD = re.compile(r'(\w+) = (?:\( ?(?:"([^"]*)"|<unknown>|[^:]*) : container = (-?\d+) ?\)|'
                   r'"((?:[^"\\]|\\.)*)"|(0x[0-9A-F]+|-?\d+))(?:, |$)')
ESCAPES = {"t": "\t", '"': '"', "\\": "\\"}


def record(folder):
    trace = folder / "ask.ctf"
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,full=block,file={trace}")
    subprocess.run([ask, "3", "400"], check=True, env=environment, timeout=60)
    return trace


def fields_of(text):
    """Yields name, value and the value's name of each field in a line of babeltrace2."""
    for name, label, number, quoted, plain in FIELD.findall(text):
        if number:
            yield name, int(number), label or None
        elif plain:
            yield name, int(plain, 0), None
        else:
            yield name, re.sub(r"\\(.)", lambda match: ESCAPES[match[1]], quoted), None


def copy_of(trace):
    """Returns a connection with tables of the trace, filled from babeltrace2's text. The times are those
    of `waymark print`, as babeltrace2 has none since boot.
    """
    text = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", trace], check=True, timeout=60,
                          text=True, stdout=subprocess.PIPE).stdout
    lines = subprocess.run([waymark, "print", "--json", trace], check=True, timeout=60, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    times = collections.defaultdict(collections.deque)
    for line in lines:
        told = json.loads(line, parse_float=lambda number: int(number.replace(".", "")))
        times[told["tid"], told["event"]].append(told["time"])
    copy = sqlite3.connect(":memory:")
    made = set()
    copy.execute("CREATE TABLE events(time INTEGER, pid INTEGER, tid INTEGER, process TEXT, event TEXT)")
    for line in text.splitlines():
        process, pid, event, tid, rest = LINE.match(line).groups()
        head = {"time": times[int(tid), event].popleft(), "pid": int(pid), "tid": int(tid), "process": process}
        fields = {}
        for name, value, label in fields_of(rest):
            fields[name] = value
            if label is not None or name in ("op", "mode"):
                fields[name + "_name"] = label
        # babeltrace2 prints the string before again for an empty one; its length is right.
        fields = {name: "" if fields.get(name + "_length") == 0 else value for name, value in fields.items()
                  if not name.endswith("_length")}
        copy.execute("INSERT INTO events VALUES(?, ?, ?, ?, ?)", (*head.values(), event))
        row = {("_" + name if name in fields else name): value for name, value in head.items()} | fields
        if event not in made:
            made.add(event)
            types = {name: "TEXT" if isinstance(value, str) or name.endswith("_name") else "INTEGER"
                     for name, value in row.items()}
            copy.execute(f"CREATE TABLE {event}({', '.join(map(' '.join, types.items()))})")
        copy.execute(f"INSERT INTO {event}({', '.join(row)}) VALUES({', '.join('?' * len(row))})",
                     list(row.values()))
    return copy


def answer(trace, query):
    told = subprocess.run([waymark, "sql", "--json", trace, query], timeout=60, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if told.returncode:
        return told.stderr
    return [tuple(row.values()) for row in json.loads(told.stdout)]


def sorted_rows(rows):
    return sorted(rows, key=repr) if isinstance(rows, list) else rows


WRITTEN = [
    "SELECT event, count(*) FROM events GROUP BY event",
    "SELECT op_name, count(*), sum(bytes), min(bytes), max(bytes), avg(bytes) FROM ask_submit GROUP BY op_name",
    "SELECT s.req AS a, s.disk AS b, c.error AS c, c.time - s.time AS d FROM ask_submit s "
    "JOIN ask_complete c ON s.req = c.req WHERE s.bytes > 4000",
    "SELECT s.req AS a FROM ask_submit s LEFT JOIN ask_complete c USING (req) WHERE c.req IS NULL",
    "SELECT count(*) FROM ask_submit WHERE req IN (SELECT req FROM ask_complete WHERE error != 0)",
    "SELECT count(*) FROM ask_note WHERE mode & 2 AND text = 'between' AND good",
    "SELECT disk, count(*) FROM ask_submit WHERE disk != '' AND disk NOT LIKE 'nvme%' GROUP BY disk",
    "SELECT a, b FROM ask_tick WHERE a = 5 OR b = 98 ORDER BY b DESC, a, time LIMIT 40",
    "SELECT tid, count(*), sum(a) FROM ask_tick GROUP BY tid HAVING count(*) > 10",
    "SELECT count(*) FROM events WHERE event LIKE 'ASK_%t%'",
    "SELECT count(*) FROM events WHERE event GLOB 'ask_[ct]*'",
    "SELECT spent, count(*) FROM ask_complete WHERE spent < 0 AND error = -5 GROUP BY spent",
    "SELECT x.tid AS a, x.time - y.time AS b FROM ask_submit x, ask_submit y WHERE x.req = y.req + 1 "
    "AND y.op = 2 AND x.tid = y.tid",
    "SELECT count(DISTINCT at) FROM ask_note",
    # Rows that two scans find are found again by their numbers.
    "SELECT s.req AS a, c.req AS b FROM (SELECT * FROM ask_submit WHERE req % 13 = 0) s "
    "JOIN ask_complete c ON c.req = s.req OR c.spent = s.op",
    "SELECT count(*) FROM ask_tick t, ask_submit s WHERE s.bytes = 512 AND (t.a = s.op OR t.b = s.bytes)",
    "SELECT count(*) FROM ask_submit s WHERE s.bytes < 2000 AND EXISTS (SELECT 1 FROM ask_complete c WHERE c.req = s.req)",
    "SELECT count(*) FROM ask_submit s JOIN events e USING (time) WHERE s.bytes = 1024",
    "SELECT t.events, s.bytes FROM (SELECT * FROM ask_submit WHERE req % 60 = 0) s LEFT JOIN (SELECT tid, count(*) AS events "
    "FROM events GROUP BY tid) t USING (tid)",
    "SELECT a.disk AS d, count(*) AS n FROM ask_submit a, ask_submit b WHERE a.disk = b.disk AND b.bytes = 512 "
    "AND a.req < 8589934692 GROUP BY d",
    "SELECT time FROM ask_tick WHERE a = 3 ORDER BY time",
    "SELECT 10 - op & 1 AS x, count(*) FROM ask_submit GROUP BY op & 1",
    "SELECT 2 * op % 3 AS x, count(*) FROM ask_submit GROUP BY op % 3",
    "SELECT op >> 1 + 1 AS x, count(*) FROM ask_submit GROUP BY op >> 1",
    "SELECT -op & 1 AS x, ~op & 1 AS y, count(*) FROM ask_submit GROUP BY op & 1",
    "SELECT (op & 1) + 1 AS x, count(*) FROM ask_submit GROUP BY op & 1 HAVING op & 1 = 0 ORDER BY op & 1",
    "SELECT op AS s0, count(*) FROM ask_submit GROUP BY op HAVING s0 > 1",
    "SELECT op AS k0, count(*) AS k1 FROM ask_submit GROUP BY op HAVING k0 > 1",
    "SELECT \"op\", count(*) FROM ask_submit GROUP BY \"op\"",
    "SELECT avg(time) AS x FROM ask_submit",
    "SELECT count(*), min(a), max(b) FROM ask_tick WHERE a > 10.5 AND a <= 70.2 AND b < 55.5 AND b >= 3.01",
    "SELECT count(*) FROM ask_tick WHERE a = 10.5 OR a < -0.5 OR b > 1e300 OR b >= 96.999",
    "SELECT s.req AS a FROM ask_submit s WHERE NOT EXISTS (SELECT 1 FROM ask_complete c WHERE c.req = s.req AND c.error = 0)",
    "SELECT s.req AS a, (SELECT max(c.spent) FROM ask_complete c WHERE c.req = s.req AND c.spent > 2) AS b, "
    "(SELECT max(c.spent) FROM ask_complete c WHERE c.req = s.req AND c.spent > -3) AS d FROM ask_submit s",
    "SELECT (SELECT count(*) FROM ask_tick t WHERE t.tid = s.tid AND t.time < s.time) AS n FROM ask_submit s "
    "WHERE s.bytes = 8192 AND s.op = 1",
]
if sqlite3.sqlite_version_info >= (3, 39):
    WRITTEN += [
        "SELECT count(*), count(s.req), count(c.req) FROM ask_submit s FULL JOIN ask_complete c USING (req)",
        "SELECT count(*), count(s.req), count(c.req) FROM ask_submit s RIGHT JOIN ask_complete c USING (req)",
        "SELECT s.req AS a, c.req AS b FROM ask_complete c FULL JOIN ask_submit s ON c.req = s.req AND s.bytes > 1000",
    ]


# Statements that are computed without SQLite for each event, and some that only look like it.
TOTALS = [
    "SELECT count(*) FROM events", "SELECT sum(a) AS s, count(b) FROM ask_tick WHERE a >= 5 AND b < 900",
    "SELECT event, tid, count(*) FROM events GROUP BY tid, event ORDER BY 3 DESC, 1, 2",
    "SELECT a % 7 AS k, a & 3, sum(b), max(time) - min(time) FROM ask_tick GROUP BY k, a & 3",
    "SELECT op_name, count(*) n, avg(bytes) FROM ask_submit GROUP BY op_name HAVING count(*) > 1 ORDER BY n, op_name",
    "SELECT count(*) FROM ask_tick WHERE a = -1", "SELECT min(spent), max(spent) FROM ask_complete WHERE spent < -9",
    "SELECT error, round(avg(spent), 3) FROM ask_complete GROUP BY error", "SELECT count(*) * 2 - 1 FROM ask_tick",
    "SELECT a >> 2, count(*) FROM ask_tick GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 3",
]
NO_TOTALS = [
    "SELECT a, count(*) FROM ask_tick", "SELECT count(DISTINCT a) FROM ask_tick", "SELECT max(disk) FROM ask_submit",
    "SELECT percentile(a, 50) FROM ask_tick GROUP BY a", "SELECT count(*) FROM ask_tick t",
    "SELECT a AS b, count(*) FROM ask_tick GROUP BY b", "SELECT count(*) FROM ask_note, ask_submit s WHERE s.req = 8589934600",
    "SELECT count(*) FROM ask_tick WHERE a = 5 OR b = 3", "SELECT disk, count(*) FROM ask_submit GROUP BY disk",
    "SELECT count(*) FROM ask_tick WHERE a > 1.5", "SELECT sum(a + b) FROM ask_tick",
    "SELECT a / 0, count(*) FROM ask_tick GROUP BY a / 0", "SELECT sum(a) FILTER (WHERE b > 4) FROM ask_tick",
    "SELECT 'it''s', count(*) FROM ask_tick", "SELECT count(*) -- all\nFROM ask_tick",
    "SELECT a, sum(count(*)) OVER () FROM ask_tick GROUP BY a",
]


def random_condition(chance):
    column, values = chance.choice([
        ("bytes", [0, 512, 4096, 8192, -1, 2**40, "'512'", "4096.5", "NULL"]), ("op", [0, 1, 2, 3]),
        ("tid", ["(SELECT min(tid) FROM events)", "(SELECT max(tid) FROM events)", 0]),
        ("req", [8589934600, 4294967300, "4294967300.0", "(SELECT max(req) FROM ask_complete)"]),
        ("time", ["(SELECT avg(time) FROM events)", "(SELECT time FROM ask_tick WHERE b = 98 LIMIT 1)"]),
        ("disk", ["'sda'", "''", "'zz'", 5])])
    return f"{column} {chance.choice(['=', '>', '<', '>=', '<=', '!=', 'IS'])} {chance.choice(values)}"


def random_query(chance):
    condition = random_condition(chance)
    for _ in range(chance.randrange(3)):
        condition = f"({condition}) {chance.choice(['AND', 'OR', 'AND NOT'])} ({random_condition(chance)})"
    if chance.random() < 0.3:
        key = chance.choice(["op", "op_name", "bytes / 512", "tid", "bytes % 1000", "req & 15", "req >> 33"])
        sums = ", ".join(chance.sample(["count(*)", "sum(bytes)", "min(time)", "max(req)", "avg(bytes)"], 3))
        if " OR " not in condition and "NOT" not in condition:
            condition = " AND ".join(f"{column} {op} {number}" for column, op, number in chance.sample(
                [("bytes", ">", 600), ("op", "<=", 1), ("req", ">=", 8589934600), ("bytes", "=", 4096)], 2))
        return f"SELECT {key} AS k, {sums} FROM ask_submit WHERE {condition} GROUP BY k HAVING count(*) > 1"
    form = chance.choice(["SELECT count(*), sum(bytes), min(time), max(req) FROM ask_submit WHERE {}",
                          "SELECT req, time FROM ask_submit WHERE {} ORDER BY time, req",
                          "SELECT op, disk, count(*) FROM ask_submit WHERE {} GROUP BY op, disk",
                          "SELECT count(*), sum(c.spent) FROM (SELECT * FROM ask_submit WHERE {}) s "
                          "JOIN ask_complete c USING (req)",
                          "SELECT count(*) FROM ask_complete WHERE req IN (SELECT req FROM ask_submit WHERE {})"])
    return form.format(condition)


def check_lives(trace):
    """The table of lives has what the command has that follows objects."""
    told = subprocess.run([waymark, "track", "--json", trace], check=True, timeout=60, text=True,
                          stdout=subprocess.PIPE).stdout
    wanted = sorted((path["path"], path["count"]) for path in json.loads(told)["paths"])
    found = answer(trace, "SELECT path, count(*) FROM lives WHERE outcome = 'ended' GROUP BY path")
    check("lives", sorted(found), wanted)
    check("the life of a request", answer(trace, "SELECT count(*) FROM lives l JOIN ask_submit s ON l.key = s.req "
                                          "WHERE l.time = s.time"),
          answer(trace, "SELECT count(*) FROM ask_submit"))


def check_spans(trace):
    """An expression selects pairs by either of their events."""
    pairs = "FROM ask_submit s JOIN ask_complete c USING (req) WHERE"
    for expression, condition in [("op == write", "op = 1"), ("error < 0", "error < 0"),
                                  ("bytes > 4K || spent == 3", "bytes > 4096 OR spent = 3")]:
        told = subprocess.run([waymark, "latency", "--json", "--from=ask_submit", "--to=ask_complete", "--by=req",
                               f"--where={expression}", trace], check=True, timeout=60, text=True,
                              stdout=subprocess.PIPE).stdout
        row = json.loads(told)["latencies"][0]
        wanted = answer(trace, f"SELECT count(*), sum(c.time - s.time) {pairs} ({condition})")[0]
        check(f"latency --where={expression}", (row["count"], row["total_ns"]), wanted)
    unfinished = answer(trace, "SELECT count(*) FROM ask_submit WHERE op = 1 AND req NOT IN (SELECT req FROM ask_complete)")
    told = subprocess.run([waymark, "latency", "--from=ask_submit", "--to=ask_complete", "--by=req",
                           "--where=op == write", trace], check=True, timeout=60, text=True, stdout=subprocess.PIPE).stdout
    check("unfinished pairs", f"{unfinished[0][0]} unfinished" in told, True)


def check_totals(trace, copy):
    """Totals leave their groups in a table, by which it shows that they were computed."""
    for query in TOTALS + NO_TOTALS:
        told = subprocess.run([waymark, "sql", "--csv", trace], timeout=60, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, input=f"{query};\nSELECT 'yes' FROM temp.[totals of waymark] LIMIT 1;")
        check(f"computed: {query}: {told.stderr}", "no such table: temp.totals of waymark" not in told.stderr, query in TOTALS)
        if query not in NO_TOTALS or "percentile" not in query:
            check(query, sorted_rows(answer(trace, query)), sorted_rows(copy.execute(query).fetchall()))
        names = subprocess.run([waymark, "sql", "--csv", trace, query], timeout=60, text=True,
                               stdout=subprocess.PIPE).stdout.splitlines()[0]
        wanted = ",".join(name if not set(name) & set(',"') else '"' + name.replace('"', '""') + '"'
                          for name, *_ in copy.execute(query).description) if "percentile" not in query else names
        check(f"names of {query}", names, wanted)


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = record(pathlib.Path(folder))
        copy = copy_of(trace)
        check_lives(trace)
        check_spans(trace)
        check_totals(trace, copy)
        seed = int(os.environ.get("SEED", random.randrange(2**32)))
        print(f"SEED={seed}")
        chance = random.Random(seed)
        for query in WRITTEN + [random_query(chance) for _ in range(QUERIES)]:
            wanted = copy.execute(query).fetchall()
            check(query, sorted_rows(answer(trace, query)), sorted_rows(wanted))
            if query in WRITTEN:
                check(f"{query}: has rows", len(wanted) > 0, True)
    finish()


main()
