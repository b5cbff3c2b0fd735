#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how many shippers a ClickHouse server bears: fleet.py WAYMARK PROGRAM [--seconds=N] [--connections=N]

Many hosts differ from one by their batches: more and smaller ones. So batches of real rows, of several sizes, are sent
as fast as the server answers, each under a number of its own, and nothing is read meanwhile. The hosts that a server
bears follow from that: a host sends one batch in each interval.
"""

import argparse
import http.client
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True  # the sources' folder may belong to another user
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(1, str(ROOT / "tests/ship"))
from clickhouse import Server, is_installed  # noqa: E402

EVENT = "two_u64"
SIZES = (100, 1000, 10000, 100000)  # events in a batch


def body_of(options, work, events):
    """The rows of a trace with a number of events, as they are sent."""
    trace = work / f"{events}.ctf"
    subprocess.run([options.program, str(events), "1", "0"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "WAYMARK_TRACE": f"{EVENT},file={trace},full=block"})
    return subprocess.run([options.waymark, "export", "--to=clickhouse", trace], check=True, capture_output=True).stdout


def columns_of(server):
    return server.ask("SELECT name FROM system.columns WHERE database = 'waymark' AND table = 'events'").replace("\n", ", ")


class Load:
    """Sends a body by some connections until the time is over."""

    def __init__(self, server, body, columns):
        query = f"INSERT INTO waymark.events ({columns}) FORMAT Native"
        self.port, self.body = server.http, body
        self.path = "/?" + urllib.parse.urlencode({"query": query, "allow_experimental_low_cardinality_type": 1})
        self.sent, self.slowest, self.error = 0, 0.0, None
        self.lock = threading.Lock()

    def send(self, end):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        while time.monotonic() < end and not self.error:
            begin = time.monotonic()
            connection.request("POST", self.path, self.body)
            answer = connection.getresponse()
            text = answer.read().decode()
            with self.lock:
                self.error = self.error or (text if answer.status != 200 else None)
                self.sent += answer.status == 200
                self.slowest = max(self.slowest, time.monotonic() - begin)

    def run(self, seconds, connections):
        begin = time.monotonic()
        threads = [threading.Thread(target=self.send, args=(begin + seconds,)) for _ in range(connections)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return self.sent / (time.monotonic() - begin)


def measure(options, work, server):
    columns = columns_of(server)
    print("| events a batch | batches/s | events/s | slowest answer | parts at the end | error |\n|---|---|---|---|---|---|")
    for size in SIZES:
        server.ask("TRUNCATE TABLE events")
        load = Load(server, body_of(options, work, size), columns)
        rate = load.run(options.seconds, options.connections)
        stored = server.number("SELECT count() FROM events")
        assert stored == load.sent * size, (stored, load.sent, size)
        parts = server.number("SELECT count() FROM system.parts WHERE active AND table = 'events'")
        print(f"| {size} | {rate:.0f} | {rate * size / 1e3:.0f} k | {load.slowest:.1f} s | {parts} | {(load.error or 'none')[:60].strip()} |",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("waymark", type=os.path.abspath)
    parser.add_argument("program", type=os.path.abspath, help="shipped")
    parser.add_argument("--seconds", type=float, default=20, help="for each size")
    parser.add_argument("--connections", type=int, default=8)
    options = parser.parse_args()
    if not is_installed():
        sys.exit("clickhouse-server and clickhouse-client are not installed")
    work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-fleet-"))
    server = Server(work / "server")
    try:
        server.run(subprocess.run([options.waymark, "schema", "clickhouse", "--old"], check=True, capture_output=True, text=True).stdout)
        measure(options, work, server)
    finally:
        server.kill()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
