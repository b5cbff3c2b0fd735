#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times the ready queries over many rows in ClickHouse: queries.py WAYMARK [--rows=N] [--runs=N]

The rows are a day of a hundred hosts: disk requests, whose keys are addresses that are used again, calls, whose keys are
numbers that are not, and two other events. The server makes the newest hour and copies it to the hours before. A billion
rows need 14 GB of disk and 20 minutes.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the sources' folder may belong to another user
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "tests/ship"))
import clickhouse  # noqa: E402

HOURS, HOUR_S, PIECE = 24, 3600, 2000000
COLUMNS = "event, time, ns, host, program, process, thread, declaration, batch, numbers"
# Five events of request f: two of a disk request, two of a call, and a fifth one.
HOUR = """INSERT INTO events ({columns})
SELECT ['io_submit', 'io_complete', 'rpc_begin', 'rpc_end', if(f % 2, 'receive', 'timer')][kind + 1],
    toDateTime(intDiv(at, 1000000000)), toUInt32(at % 1000000000), concat('host-', toString(f % 100)), 'daemon',
    toUInt64(1000 + f % 100), toUInt32(100 + r % 8), toUInt32(kind), toUInt64(intDiv(f, 2000)),
    multiIf(kind = 0, [address, toUInt64(r % 100000000) * 8], kind = 1, [address, toUInt64(0)],
        kind = 2, [toUInt64(f), toUInt64(r % 16)], kind = 3, [toUInt64(f), toUInt64(r % 3000)], [toUInt64(r % 1500), toUInt64(r % 8)])
FROM
(
    SELECT n % 5 AS kind, intDiv(n, 5) AS f, intHash64(f) AS r, toUInt64(139637976727552 + intDiv(f, 100) % 256 * 320) AS address,
        toUInt64({begin_ns}) + f * {step_ns} + if(kind = 1 OR kind = 3, 20000 + r % 100000 + if(r % 100003 = 0, 50000000, 0), 0) AS at
    FROM (SELECT number + {first} AS n FROM system.numbers LIMIT {count})
)"""
VIEWS = {"io_submit": ("request", "sector"), "io_complete": ("request", "error"), "rpc_begin": ("call", "method"), "rpc_end": ("call", "bytes")}
# The names of the queries, and their parameters; what else they take is their default.
QUERIES = (("rates",), ("percentiles", "event=rpc_end", "field=bytes"), ("losses",), ("request", "key={key}"),
           ("slowest", "begin=rpc_begin", "end=rpc_end", "by=call"), ("slowest", "begin=io_submit", "end=io_complete", "by=request"))


def fill(server, rows):
    """Makes the hour that ends now, and those before."""
    hour, now = rows // HOURS, int(time.time())
    step_ns = HOUR_S * 10**9 // (hour // 5)
    for first in range(0, hour, PIECE):
        server.ask(HOUR.format(columns=COLUMNS, begin_ns=(now - HOUR_S) * 10**9, step_ns=step_ns, first=first, count=min(PIECE, hour - first)))
    for event, fields in VIEWS.items():
        server.ask(f"CREATE VIEW event_{event} AS SELECT time, ns, host, program, process, thread, numbers[1] AS {fields[0]}, "
                   f"numbers[2] AS {fields[1]} FROM events PREWHERE event = '{event}'")
    server.ask("INSERT INTO processes (process, host, program) SELECT DISTINCT process, host, program FROM events WHERE event = 'rpc_end'")
    for n in range(1, HOURS):
        server.ask(f"INSERT INTO events ({COLUMNS}) SELECT event, time - {HOUR_S * n}, ns, host, program, process, thread, declaration, batch, "
                   f"numbers FROM events WHERE toStartOfMinute(time) >= toStartOfMinute(toDateTime({now - HOUR_S})) AND time >= toDateTime({now - HOUR_S})")
    while server.number("SELECT count() FROM system.merges"):
        time.sleep(1)
    return now, hour // 10


def measure(waymark, server, filled, key, runs):
    """The minutes of each query are its default and those since the newest row."""
    for name, *parameters in QUERIES:
        parameters = [p.format(key=key) for p in parameters]
        times = []
        for _ in range(runs):
            minutes = (10 if name == "slowest" else 60) + (int(time.time()) - filled) // 60
            sql = subprocess.run([waymark, "schema", "clickhouse", f"--query={name}", *parameters, f"minutes={minutes}"], check=True,
                                 capture_output=True, text=True).stdout
            begin = time.monotonic()
            answer = server.ask(sql)
            times.append(time.monotonic() - begin)
            assert answer or name == "losses", sql
        times.sort()
        print(f"| `{' '.join([name, *parameters])}` | {statistics.median(times):.2f} | {times[len(times) * 95 // 100]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waymark", type=os.path.abspath)
    parser.add_argument("--rows", type=int, default=24000000)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    if not clickhouse.is_installed():
        print("there is no clickhouse-server (Debian's clickhouse-server)")
        sys.exit(77)
    clickhouse.PATIENCE = 3600  # a copy of an hour is one request
    work = tempfile.mkdtemp(prefix="waymark-queries-")
    server = clickhouse.Server(pathlib.Path(work) / "server")
    try:
        server.run(subprocess.run([options.waymark, "schema", "clickhouse", "--old"], check=True, capture_output=True, text=True).stdout)
        filled, key = fill(server, options.rows)
        print(f"| seconds, among {server.number('SELECT count() FROM events') / 1e6:.0f} M rows | p50 | p95 |\n|---|---|---|")
        measure(options.waymark, server, filled, key, options.runs)
    finally:
        server.kill()
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
