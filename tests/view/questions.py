#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Questions in SQL to `waymark view`: what they may do, and how they end: questions.py WAYMARK BLOCKCACHE DOCUMENT"""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from served import Served, check, finish

WAYMARK, BLOCKCACHE, DOCUMENT = map(os.path.realpath, sys.argv[1:4])
ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"
LONG = "SELECT count(*) FROM events a, events b WHERE a.message || b.message = ''"
# Statements that change something, or reach something else than the traces.
REFUSED = ["ATTACH '{file}' AS x", "ATTACH ':memory:' AS x", "DETACH main", "VACUUM INTO '{file}'", "VACUUM",
           "SELECT load_extension('{file}')", "SELECT LOAD_EXTENSION('{file}', 'x')", "PRAGMA temp_store_directory = '{work}'",
           "PRAGMA writable_schema = 1", "PRAGMA journal_mode = WAL", "PRAGMA database_list", "SELECT * FROM pragma_database_list",
           "CREATE TABLE x(a)", "CREATE TEMP TABLE x AS SELECT * FROM events", "CREATE VIEW x AS SELECT 1",
           "CREATE VIRTUAL TABLE x USING fts5(a)", "CREATE VIRTUAL TABLE temp.x USING csv(filename='/etc/passwd')",
           "INSERT INTO events VALUES (1)", "DELETE FROM events", "UPDATE events SET time = 1", "DROP TABLE events",
           "INSERT INTO sqlite_master VALUES (1, 2, 3, 4, 5)", "UPDATE sqlite_master SET sql = ''", "DELETE FROM sqlite_master",
           "BEGIN", "COMMIT", "SAVEPOINT x", "ANALYZE", "ALTER TABLE events RENAME TO x",
           "SELECT readfile('/etc/passwd')", "SELECT writefile('{file}', 'x')", "SELECT edit('x')",
           "SELECT * FROM fsdir('/')", "SELECT fts3_tokenizer('simple')", "SELECT zeroblob(1000000000)",
           "SELECT 1; DROP TABLE events", "SELECT 1; SELECT 2", "", "-- nothing",
           "SELECT", "SELECT 'x", "SELECT * FROM nothing", "\0", "SELECT 1 FROM events WHERE"]


def ask(served, query, **more):
    status, _, body = served.get("/api/sql?" + urllib.parse.urlencode({"query": query, **more}))
    return status, json.loads(body)


def check_refused(served, work):
    before = sorted(work.iterdir())
    for statement in REFUSED:
        query = statement.format(file=work / "written", work=work)
        status, answer = ask(served, query)
        check(f"{query[:60]!r}: {answer}", (status, "rows" in answer, bool(answer.get("error") or answer.get("wanted"))),
              (400, False, True))
    check("nothing was written", sorted(work.iterdir()), before)
    check("no question", served.get("/api/sql")[0], 400)
    check("a long question", served.get("/api/sql?query=" + "x" * 100000)[0] >= 400, True)
    for query, at, near in (("SELECT tme FROM events", 7, "time"), ("SELECT * FROM evnts", -1, "events"),
                            ("SELECT 'ä', FROM events", 12, "")):
        status, answer = ask(served, query)
        check(f"{query}: {answer}", (status, answer["near"]), (400, near))
        check(f"{query}: place", answer["at"] in (at, query.encode().find(b"FROM")), True)


def check_answers(served, trace):
    """Rows are those of the command, with their types; their number is limited, which is said."""
    for query in ("SELECT event, count(*) AS n FROM events GROUP BY event ORDER BY n DESC",
                  "SELECT time, tid, name, duration FROM scopes ORDER BY duration DESC LIMIT 10", "SELECT * FROM gaps",
                  "SELECT path, count(*) AS n FROM lives GROUP BY path ORDER BY n", "SELECT 1.5 AS r, NULL AS n, 'a' || char(10) AS t"):
        status, answer = ask(served, query)
        rows = json.loads(subprocess.run([WAYMARK, "sql", "--json", trace, query], check=True, capture_output=True).stdout)
        names = [column["name"] for column in answer["columns"]]
        check(query, (status, [dict(zip(names, row)) for row in answer["rows"]], answer["more"]), (200, rows, False))
    types = "SELECT 1 AS i, 1.5 AS r, 'x' AS t, x'00ff' AS b, NULL AS n, 9223372036854775807 AS large"
    answer = ask(served, types)[1]
    check("types", [column["type"] for column in answer["columns"]], ["integer", "real", "text", "blob", "null", "integer"])
    check("values", answer["rows"], [[1, 1.5, "x", "x'00ff'", None, "9223372036854775807"]])
    answer = ask(served, "SELECT time FROM events")[1]
    check("at most 1000 rows", (len(answer["rows"]), answer["more"]), (1000, True))
    answer = ask(served, "SELECT printf('%.*c', 1000000, 'x') FROM events")[1]
    check("at most some bytes", (len(answer["rows"]) < 10, answer["more"]), (True, True))
    known = served.trace()
    first, length = int(known["first"]), known["length"]
    time_range = {"from": length // 4, "to": length // 2}
    count = "SELECT count(*) FROM events WHERE time BETWEEN "
    check("the selected time", ask(served, count + ":from AND :to", **time_range)[1]["rows"],
          ask(served, f"{count}{first + length // 4} AND {first + length // 2}")[1]["rows"])


def check_queries(served):
    """The ready queries are those of the document, and each has an answer."""
    document = pathlib.Path(DOCUMENT).read_text()
    wanted = [block.rstrip("\n") for block in re.findall(r"```sql\n(.*?)```", document, re.S)]
    queries = served.ask("/api/queries")
    check("the document's queries", [q["query"] for q in queries], wanted)
    for query in queries:
        check(f"title of {query['query']}", f"{query['title']}:\n" in document, True)
        check(f"heading of {query['query']}", f"## {query['group']}\n" in document, True)
        status, answer = ask(served, query["query"])
        check(f"{query['query']}: {answer.get('error')}", status, 200)


# ---- Ends ----

def begin(served, query):
    """Asks without waiting for the answer."""
    connection = socket.create_connection(("127.0.0.1", served.port))
    connection.sendall(f"GET {served.folder}{query} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nCookie: waymark={served.token}\r\n\r\n".encode())
    return connection


def cpu(served):
    fields = pathlib.Path(f"/proc/{served.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def wait_for_work(served, works):
    """Waits until the server uses a processor, or does not."""
    before = cpu(served)
    for _ in range(300):
        time.sleep(0.1)
        now = cpu(served)
        if (now - before > 3) == works:
            return True
        before = now
    return False


def check_stops(trace):
    sql = "/api/sql?query=" + urllib.parse.quote(ENDLESS)
    with Served(WAYMARK, trace) as served:
        served.trace()
        for what, query in (("recursion", sql), ("reading", "/api/sql?query=" + urllib.parse.quote(LONG))):
            running = [begin(served, query) for _ in range(3)]
            check(f"{what}: it runs", wait_for_work(served, True), True)
            check(f"{what}: others are answered", served.get("/api/trace")[0], 200)
            for connection in running:
                connection.close()
            check(f"{what}: it ends with its connection", wait_for_work(served, False), True)
        csv = begin(served, "/api/csv?from=0&to=100000000000000")
        csv.recv(1000)
        csv.close()
        check("a download that is given up ends", wait_for_work(served, False), True)
        check("another question", ask(served, "SELECT 1")[0], 200)
        for _ in range(60):
            begin(served, sql).close()
        check("after many that were given up", (wait_for_work(served, False), ask(served, "SELECT 1")[0]), (True, 200))
    for number in signal.SIGINT, signal.SIGTERM:
        with Served(WAYMARK, trace) as served:
            served.trace()
            running = [begin(served, sql), begin(served, sql), begin(served, "/api/csv?from=0&to=100000000000000")]
            wait_for_work(served, True)
            before = time.monotonic()
            check("it ends while it answers", served.end(number), (0, ""))
            took = time.monotonic() - before
            print(f"ended within {1000 * took:.0f} ms")
            check(f"at once: {took}", took < 5, True)
            for connection in running:
                connection.close()


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        (work / "data").write_bytes(bytes(range(256)) * 4096)
        trace = work / "cache.ctf"
        subprocess.run([BLOCKCACHE, "-trace", f"*,backend=ctf,full=block,file={trace}", "-n", "500", work / "data"],
                       check=True, stdout=subprocess.DEVNULL, timeout=60)
        with Served(WAYMARK, trace) as served:
            served.trace()
            check_refused(served, work)
            check_answers(served, trace)
            check_queries(served)
            check("the end", served.end(), (0, ""))
        check_stops(trace)
    finish()


if __name__ == "__main__":
    main()
