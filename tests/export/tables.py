#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests exports as csv, jsonl and sqlite: tables.py WAYMARK PROGRAM DECLARATIONS TYPED..."""

import collections
import csv
import io
import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import time

from common import Work, check, export, finish, named, ns, records, run

# The tables and columns of events and fields whose names are taken.
TABLES = {"events": "events_2", "Gaps": "Gaps_2", "sqlite_master": "_sqlite_master"}
CLASH = ("_time", "_pid", "_tid")


def rows_of(*arguments):
    data = export("csv", *arguments).decode()
    check("lines end without a carriage return", "\r" in data, False)
    return list(csv.DictReader(io.StringIO(data), strict=True))


def printed(text):
    """Returns a text as print shows it: control characters and what is not UTF-8 are escaped."""
    data = text.encode(errors="surrogateescape").decode(errors="backslashreplace")
    return data.replace("\n", "\\n")


def in_cell(value):
    """Returns a value of print --json as a cell of a column."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else printed(str(value))


def origin(record):
    return (record["time"], str(record.get("pid", "")), str(record.get("tid", "")), record["event"])


def check_csv(path):
    events = [r for r in records(path) if "event" in r]
    rows = rows_of(path)
    check("titles", list(rows[0]), ["time", "process", "pid", "tid", "event", "fields"])
    check("rows", [(ns(r["time"]), r["pid"], r["tid"], r["event"]) for r in rows], [origin(e) for e in events])
    check("fields", [json.loads(r["fields"]) for r in rows], [named(e["event"], e["args"]) for e in events])
    check("processes", {r["process"] for r in rows}, {"export-program"})
    rows = rows_of("--event=text", path)
    texts = [e for e in events if e["event"] == "text"]
    check("titles of one event", list(rows[0])[5:], ["text", "at"])
    check("texts", [r["text"] for r in rows], [in_cell(e["args"]["text"]) for e in texts])
    rows = rows_of("--event=numbers", path)
    check("numbers", [list(r.values())[5:] for r in rows],
          [[in_cell(v) for v in e["args"].values()] for e in events if e["event"] == "numbers"])
    rows = rows_of("--event=submit", "--event=complete", "--fields=ret,op,request", path)
    check("chosen titles", list(rows[0])[5:], ["ret", "op", "request"])
    check("chosen fields", [[r["ret"], r["op"], r["request"]] for r in rows],
          [[in_cell(named(e["event"], e["args"]).get(f)) for f in ("ret", "op", "request")]
           for e in events if e["event"] in ("submit", "complete")])
    rows = rows_of("--event=numbers", '--where=letter == "x"', path)
    check("a character of C", [r["letter"] for r in rows], ["120"])
    check("no events", export("csv", "--event=submit", "--where=request == 77", path),
          b"time,process,pid,tid,event,request,op,mode,bytes\n")


def check_jsonl(path):
    check("jsonl", export("jsonl", path), run("print", "--json", path, text=False)[0])
    check("jsonl of fields", export("jsonl", "--fields=op,bytes", "--event=submit", path),
          run("print", "--json", "--fields=op,bytes", "--event=submit", path, text=False)[0])


def shell(database, query):
    return subprocess.run(["sqlite3", database, query], check=True, capture_output=True, text=True).stdout.strip()


def exported(work, *paths):
    """Returns an open database of the traces."""
    database = work.path / "export.db"
    run("export", "--to=sqlite", "--replace", "-o", database, *paths)
    check("integrity", shell(database, "PRAGMA integrity_check"), "ok")
    db = sqlite3.connect(database)
    db.text_factory = lambda data: data.decode(errors="surrogateescape")
    return db


def check_database(work):
    db = exported(work, work.trace)
    events = [r for r in records(work.trace) if "event" in r]
    check("events", db.execute("SELECT time, pid, tid, event FROM events ORDER BY rowid").fetchall(),
          [(e["time"], e["pid"], e["tid"], e["event"]) for e in events])
    by_name = collections.defaultdict(list)
    for number, e in enumerate(events, 1):
        by_name[e["event"]].append((number, e["time"], e["pid"], e["tid"], e["args"]))
    for name, rows in by_name.items():
        table = TABLES.get(name, name)
        own = CLASH if name == "clash" else ("time", "pid", "tid")
        got = db.execute(f'SELECT rowid, {", ".join(own)} FROM "{table}" ORDER BY rowid').fetchall()
        check(f"rows of {name}", got, [r[:4] for r in rows])
        fields = ["process"] + [f for f in rows[0][4]]
        got = db.execute(f'SELECT {", ".join(map(quoted, fields))} FROM "{table}" ORDER BY rowid').fetchall()
        for row, (*_, args) in zip(got, rows, strict=True):
            check(f"fields of {name}", row, ("export-program", *map(in_column, args.values())))
    check("names", db.execute("SELECT op_name, mode_name FROM submit ORDER BY rowid").fetchall(),
          [tuple(str(named("submit", e["args"])[f]) for f in ("op", "mode"))
           for e in events if e["event"] == "submit"])
    check("types", dict(db.execute("SELECT typeof(text), count(*) FROM text GROUP BY 1").fetchall()),
          {"text": 5, "null": 1})


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def in_column(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value.startswith("0x"):
        value = int(value, 16)
    if isinstance(value, int):
        return value - 2**64 if value >= 2**63 else value
    return value


def check_sql(work, paths):
    """Each table has the rows that waymark sql gives for it, in any order."""
    db = exported(work, *paths)
    said = json.loads(run("info", "--json", *paths)[0])
    tables = [t for t, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    check("tables that are no events'", {"gaps", "scopes", "lives", "threads", "processes", "declarations"} -
          set(tables), set())
    check(f"events of {paths}", db.execute("SELECT count(*) FROM events").fetchone()[0], said["events"])
    for table in tables:
        columns = [c for c in columns_of(db, table) if c not in ("message", "raw")]
        if table.startswith("_") or not columns:
            continue
        query = f'SELECT {", ".join(map(quoted, columns))} FROM {quoted(table)}'
        asked = run("sql", "--json", *paths, query, errors="surrogateescape")[0]
        wanted = [[in_sql(c, v) for c, v in row.items()] for row in json.loads(asked)]
        got = [[in_sql(c, v) for c, v in zip(columns, row)] for row in db.execute(query)]
        check(f"{table} of {paths}", sorted(got, key=repr), sorted(wanted, key=repr))


def columns_of(db, table):
    return [row[1] for row in db.execute(f"PRAGMA table_xinfo({quoted(table)})")]


def in_sql(column, value):
    """Returns a value as both show it: waymark sql has 0 for what is not known, and JSON no NaN."""
    if column in ("pid", "tid", "end_tid", "_pid", "_tid") and value is None:
        return 0
    if isinstance(value, float) and math.isinf(value):
        return None
    return value.hex() if isinstance(value, bytes) else value


def typed(work, program):
    """Returns a trace with types of Rust, objects, and texts that are cut."""
    trace = work.path / os.path.basename(program)
    subprocess.run([program], check=True, timeout=60,
                   env={**os.environ, "WAYMARK_TRACE": f"*,backend=ctf,file={trace}"})
    return trace


def check_types(work, trace):
    db = exported(work, trace)
    check("types of debug values", sorted(set(db.execute("SELECT typeof(a) FROM t_debug"))),
          [("integer",), ("real",), ("text",)])
    check("a char", db.execute("SELECT a FROM t_debug WHERE b = 0xdeadbeefcafe").fetchall(), [("A",)])
    check_sql(work, [trace])


def check_lives(work):
    db = exported(work, work.trace)
    check("lives", db.execute("SELECT life, key, events, first, last, outcome FROM lives ORDER BY rowid").fetchall(),
          [("request", str(key), 3, "submit", "complete", "ended") for key in range(5)])
    run("export", "--to=sqlite", "--event=-submit", "--replace", "-o", work.path / "export.db", work.trace)
    check("lives without their begin", sqlite3.connect(work.path / "export.db").execute(
        "SELECT DISTINCT first, last FROM lives").fetchall(), [("queued", "complete")])


def check_wrong_lives(work):
    """Keys that cannot be compared cost the table of lives only."""
    meanings = work.path / "meanings"
    meanings.write_text('# @key text\n# @begin thing\ntext(const char *text, void *at) "%s at %p"\n'
                        '# @key id\n# @end thing\nevents(int id) "%d"\n')
    database = work.path / "wrong.db"
    error = run("export", "--to=sqlite", "-e", meanings, "-o", database, work.trace, status=1)[1]
    check("why", "the table lives is empty: 'text' of event 'events' (int) cannot be compared" in error, True)
    counts = "(SELECT count(*) FROM lives), (SELECT count(*) FROM events)"
    check("rows", sqlite3.connect(database).execute(f"SELECT {counts}").fetchall(),
          [(0, len([r for r in records(work.trace) if "event" in r]))])


def check_names(work):
    """Names of tables and columns are those of the trace, whatever they contain."""
    trace = work.path / "renamed-events"
    shutil.copytree(work.trace, trace)
    metadata = trace / "metadata"
    text = metadata.read_bytes()
    check("metadata has the name", text.count(b'name = "level"'), 1)
    metadata.write_bytes(text.replace(b'name = "level"', b'name = "two\\nlines"'))
    check_sql(work, [trace])
    check("its table", exported(work, trace).execute('SELECT count(*) FROM "two\nlines"').fetchall(), [(5,)])


def check_mixed(work):
    """Traces that declare an event in different ways share its table."""
    trace = work.path / "other-types"
    shutil.copytree(work.trace, trace)
    text = (trace / "metadata").read_bytes()
    for before, after in (b'name = "text"', b'name = "elsewhere"'), (b'name = "level"', b'name = "text"'), \
            (b"int64_t _level;", b"int64_t _text;"):
        check(f"metadata has {before}", text.count(before), 1)
        text = text.replace(before, after)
    (trace / "metadata").write_bytes(text)
    check_sql(work, [work.trace, trace])
    kinds = exported(work, work.trace, trace).execute("SELECT typeof(text), count(*) FROM text GROUP BY 1").fetchall()
    check("types of one column", dict(kinds), {"text": 5, "null": 1, "integer": 5})
    undeclared = work.record("program.simple", backend="simple")
    check_sql(work, [work.trace, undeclared])
    check_sql(work, [undeclared, work.trace])
    kinds = exported(work, work.trace, undeclared).execute("SELECT typeof(level), typeof(raw), count(*) FROM level"
                                                           " GROUP BY 1, 2 ORDER BY 1").fetchall()
    check("bytes of events without a declaration", kinds, [("integer", "null", 5), ("null", "blob", 5)])


JOINS = [
    "SELECT count(*), sum(a.duration), sum(b.time) FROM scopes a JOIN scopes b ON a.name = b.name AND a.time < b.time",
    "SELECT DISTINCT a.name, b.name AS other, a.unfinished, b.self FROM scopes a LEFT JOIN scopes b"
    " ON b.time BETWEEN a.time + 1 AND a.time + 200",
    "SELECT l.key, count(s.time), min(s.name) FROM lives l LEFT JOIN scopes s ON s.time > l.time GROUP BY l.key",
    "SELECT key, (SELECT group_concat(name) FROM scopes s WHERE s.time < l.time) FROM lives l",
    "SELECT time, (SELECT u.events FROM threads u WHERE u.tid = e.tid) FROM submit e",
    "SELECT count(*), sum(q.depth) FROM submit s JOIN queued q USING (request) JOIN complete c USING (request)",
    "SELECT t.text, (SELECT count(*) FROM text u WHERE u.text = t.text) FROM text t",
    "SELECT d.event, d.field, e.field AS other FROM declarations d JOIN declarations e ON d.event = e.event AND d.position < e.position",
]


def asked(trace, query, *options):
    rows = json.loads(run("sql", "--json", *options, trace, query, errors="surrogateescape")[0])
    return sorted([list(row.values()) for row in rows], key=repr)


def check_joins(work):
    """Rows are the same if they are kept, read again for each other row, or read by SQLite itself."""
    trace = work.record("joins.ctf", "60")
    db = exported(work, trace)
    for query in JOINS:
        wanted = sorted([list(row) for row in db.execute(query)], key=repr)
        for memory in "--memory=1024", "--memory=1", "--memory=0":
            check(f"{memory}: {query}", asked(trace, query, memory), wanted)
    took = {}
    for memory in "--memory=1024", "--memory=0":
        begin = time.monotonic()
        asked(trace, "SELECT count(*) FROM scopes a JOIN scopes b ON a.time < b.time", memory)
        took[memory] = time.monotonic() - begin
    if "WAYMARK_SANITIZER" not in os.environ:
        check(f"kept rows are not read again: {took}", took["--memory=1024"] < took["--memory=0"], True)
    error = run("sql", "--memory=some", trace, "SELECT 1", status=2)[1]
    check("a wrong size", "--memory takes MiB, not 'some'" in error, True)


def check_babeltrace(work):
    """The times and numbers of an event are those in the text of babeltrace2."""
    text = subprocess.run(["babeltrace2", "--clock-seconds", work.trace], check=True, capture_output=True,
                          text=True, errors="replace").stdout
    queued = [line for line in text.splitlines() if " queued:" in line]
    db = exported(work, work.trace)
    got = db.execute("SELECT queued.time + realtime, request, depth FROM queued JOIN processes USING (trace)")
    for line, (at, request, depth) in zip(queued, got.fetchall(), strict=True):
        check("babeltrace2", line.endswith(f"{{ request = {request}, depth = {depth} }}"), True)
        check("its time", abs(at - ns(line.partition("]")[0].strip("["))) <= 2, True)


def main():
    work = Work()
    check_csv(work.trace)
    check_jsonl(work.trace)
    check_database(work)
    check_babeltrace(work)
    check_lives(work)
    check_wrong_lives(work)
    check_names(work)
    check_mixed(work)
    check_joins(work)
    for program in sys.argv[4:]:
        check_types(work, typed(work, program))
    for paths in work.all():
        check_sql(work, paths)
        rows_of(*paths)
    error = run("export", "--to=csv", work.path / "flight")[1]
    check("a loss without a place", "--to=csv has no place for that" in error, True)
    finish()


if __name__ == "__main__":
    main()
