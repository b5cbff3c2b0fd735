#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what it takes to have events in ClickHouse: ship.py WAYMARK PROGRAM [--events=N] [--pairs=N] [--zstd]

The server, the shipper and the traced program share this machine.
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
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(1, str(ROOT / "tests/ship"))
from clickhouse import Proxy, Server, is_installed  # noqa: E402

EVENT = "two_u64"
ZSTD = """<compression><case><min_part_size>0</min_part_size><min_part_size_ratio>0</min_part_size_ratio>
<method>zstd</method></case></compression>"""


class Bench:
    def __init__(self, options, work):
        self.waymark, self.program, self.work = options.waymark, options.program, pathlib.Path(work)
        self.env = {**os.environ, "WAYMARK_SHM": str(self.work / "shm")}
        (self.work / "shm").mkdir()
        self.server = Server(self.work / "server", more=ZSTD if options.zstd else "")
        self.server.run(self.run("schema", "clickhouse", "--old"))

    def run(self, *args):
        return subprocess.run([self.waymark, *map(str, args)], check=True, capture_output=True, text=True, env=self.env).stdout

    def record(self, name, *args):
        """Starts the program."""
        trace = {"WAYMARK_TRACE": f"{EVENT},file={self.work / name},full=block,buffer=64M"}
        return subprocess.Popen([self.program, *map(str, args)], stdout=subprocess.PIPE, text=True, env={**self.env, **trace})

    def ship(self, *args, port=None):
        return subprocess.Popen([self.waymark, "ship", f"--to={self.server.place(port=port)}", f"--state={self.work / 'state'}",
                                 *map(str, args)], env=self.env, stderr=subprocess.DEVNULL)

    def rows(self):
        return self.server.number("SELECT count() FROM events")


def put(what, value):
    print(f"| {what} | {value} |", flush=True)


def measure_speed(b, events):
    b.record("speed.ctf", events // 2, 2, 0).communicate()
    proxy = Proxy(b.server.http)
    begin = time.monotonic()
    shipper = b.ship("--once", b.work / "speed.ctf", port=proxy.own)
    used = os.wait4(shipper.pid, 0)[2]
    took = time.monotonic() - begin
    assert b.rows() == events, (b.rows(), events)
    processor = used.ru_utime + used.ru_stime
    raw = subprocess.run(f"{b.waymark} export --to=clickhouse {b.work / 'speed.ctf'} | wc -c", shell=True, check=True,
                         capture_output=True, text=True, env=b.env).stdout
    b.server.ask("OPTIMIZE TABLE events FINAL")
    stored = b.server.number("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'events'")
    put("M rows/s, the server and the shipper on this machine", f"{events / took / 1e6:.2f}")
    put("M rows/s of the shipper by its processor time", f"{events / processor / 1e6:.2f}")
    put("bytes an event, before compression", f"{int(raw) / events:.1f}")
    put("bytes an event on the wire", f"{proxy.passed / events:.1f}")
    put("bytes an event stored", f"{stored / events:.1f}")
    put("MiB of the shipper's memory", f"{used.ru_maxrss / 1024:.0f}")


def measure_lag(b):
    """100 000 events a second, of four threads."""
    b.server.ask("TRUNCATE TABLE events")
    shipper = b.ship()
    program = b.record("lag.ctf", 500000, 4, 25000)
    lags, end = [], time.monotonic() + 15
    time.sleep(3)
    while time.monotonic() < end:
        newest = int(b.server.ask("SELECT max(toUInt64(time) * 1000000000 + ns) FROM events"))
        lags.append(time.time() - newest / 1e9)
        time.sleep(0.1)
    program.kill()
    program.communicate()
    shipper.terminate()
    shipper.wait()
    put("s from an event to a query, 100 000 events/s: p50, p95", f"{statistics.median(lags):.2f}, {sorted(lags)[len(lags) * 95 // 100]:.2f}")


def measure_cost(b, pairs):
    """Processor time of an event, with a shipper and without one, in turns."""
    costs = {False: [], True: []}
    for pair in range(pairs):
        for is_shipped in (True, False) if pair % 2 else (False, True):
            shipper = b.ship() if is_shipped else None
            text = b.record(f"cost-{pair}-{is_shipped}.ctf", 100000, 1, 50000).communicate()[0]
            costs[is_shipped].append(float(text))
            if shipper:
                shipper.terminate()
                shipper.wait()
    quotients = [a / c for a, c in zip(costs[True], costs[False])]
    put(f"processor time of an event while it is shipped, x without: median of {pairs} pairs, middle half",
        f"{statistics.median(quotients):.3f}, {sorted(quotients)[pairs // 4]:.3f} to {sorted(quotients)[3 * pairs // 4]:.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waymark", type=os.path.abspath)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--events", type=int, default=20000000)
    parser.add_argument("--zstd", action="store_true", help="the server compresses by ZSTD")
    parser.add_argument("--pairs", type=int, default=20)
    options = parser.parse_args()
    if not is_installed():
        print("there is no clickhouse-server (Debian's clickhouse-server)")
        sys.exit(77)
    work = tempfile.mkdtemp(prefix="waymark-ship-")
    bench = Bench(options, work)
    try:
        print("| | |\n|---|---|")
        measure_speed(bench, options.events)
        measure_lag(bench)
        measure_cost(bench, options.pairs)
    finally:
        bench.server.kill()
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
