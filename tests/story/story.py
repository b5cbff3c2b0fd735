#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A daemon at full load under a flight recorder: each slow request has its snapshot, and no other.

story.py DAEMON WAYMARK [--seconds=N] [--pairs=N] [--pair-ms=MS] [--most=PERCENT]

Then runs the daemon in pairs without and with the recorder, and prints what that costs; fails if the
median of the pairs is more than PERCENT of the requests in a second.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
MS = 1_000_000
BUFFER_MIB = 64
BEFORE_NS = AFTER_NS = 50 * MS
# Threads of a busy machine wait for a processor: their last events are so much earlier, or the
# snapshot is so much later.
EARLY_NS, LATE_NS = 30 * MS, 10_000 * MS
QUICK_NS = 1000 * MS  # a snapshot that a quiet machine writes ends sooner after its trigger
# While a snapshot is written, memory can run out: threads then wait up to 20 ms, which makes requests
# slow, or lose events (src/rt/record/room.c). So a slow request that comes so soon after another one
# is not looked for, and a snapshot may lack as many events of its requests as it reports lost.
FOLLOWS_NS = 5000 * MS
SNAPSHOTS_MAX = 32  # that wait for being checked: a busy machine makes many requests slow
RUNS_MAX = 3  # until a slow request came long after others: a busy machine makes others slow, too
EVERY = 10_000_000  # requests for each slow one
NEVER = 1 << 40
WORKERS = 2  # daemon.h
EVENTS = ("io_submit", "io_read", "io_check", "io_complete")
TRIGGER = "when io_complete if elapsed(io_submit by io) > 10ms then snapshot {} after 50ms"


class Daemon:
    """A run of the daemon; with a folder it has a flight recorder, which writes there."""

    def __init__(self, program, ms, slow_ms=NEVER, folder=None):
        environment = dict(os.environ)
        if folder:
            environment["WAYMARK_TRACE"] = (
                f"*,full=overwrite,buffer={BUFFER_MIB}M,ctf.file={folder}/usual,replace=on;"
                + TRIGGER.format(folder / "slow"))
        self.output = tempfile.TemporaryFile("w+")  # a pipe could fill up
        self.process = subprocess.Popen([program, *map(str, (ms, slow_ms, EVERY))],
                                        env=environment, stdout=self.output)

    def runs(self):
        return self.process.poll() is None

    def alone(self):
        """Returns the slow requests that surely fired, and came long after any other one."""
        found, before = [], 0
        for io, (begin, ns) in sorted(self.slow.items(), key=lambda item: item[1]):
            if ns > 10 * MS and begin > before + FOLLOWS_NS:
                found.append(io)
            before = begin
        return found

    def end(self):
        """Takes the counts that the daemon prints."""
        if self.process.wait():
            sys.exit(f"the daemon exits with {self.process.returncode}")
        with self.output as output:
            output.seek(0)
            lines = [line.split() for line in output]
        # Of requests above 10 ms: when they began, and ns without their first and last event.
        self.slow = {int(io): (int(begin), int(ns)) for what, io, begin, ns in lines
                     if what == "slow"}
        self.served, ns, cpu_ns = map(int, lines[-1][1:])
        self.per_second = self.served / ns * 1e9
        self.cpu_ns = cpu_ns / self.served
        return self


class Snapshot:
    """What a snapshot holds."""

    def __init__(self, waymark, path):
        self.waymark, self.path, self.name = waymark, path, path.name
        self.info = self.read("info", "--json", path)
        self.weight = sum(file.stat().st_size for file in path.iterdir()) / MIB
        self.rows = [row for event in EVENTS for row in self.rows_of(event)]
        submits = self.rows[:WORKERS]
        self.begin = max(row["first"] for row in submits)  # of the worker that begins last
        self.end = max(row["last"] for row in self.rows)
        firings = self.sql("SELECT time, tid FROM events WHERE event = 'waymark:trigger'")
        self.fired = {}  # {request: (time of firing, times of its events)}
        for firing in firings:
            request = self.request_of(firing)
            if request is not None:
                self.fired[request] = (firing["time"], self.times_of(request))
        # Events of requests that fired and are not there: the io_complete of a firing, or others.
        self.lacking = len(firings) - len(self.fired) + sum(
            abs(len(EVENTS) - len(times)) for _, times in self.fired.values())

    def read(self, *words):
        return json.loads(subprocess.run([self.waymark, *words], check=True, text=True,
                                         stdout=subprocess.PIPE).stdout)

    def sql(self, query):
        return self.read("sql", "--json", self.path, query)

    def rows_of(self, event):
        """Returns a row for each worker: how many events, which requests, when."""
        return self.sql(f"SELECT io % {WORKERS} AS worker, count(*) AS count, min(io) AS low, "
                        "max(io) AS high, min(time) AS first, max(time) AS last "
                        f"FROM {event} GROUP BY worker")

    def request_of(self, firing):
        """Returns the request whose io_complete fired, which is recorded next. If that was lost, it is
        another one or None.
        """
        rows = self.sql(f"SELECT io FROM io_complete WHERE tid = {firing['tid']} AND "
                        f"time >= {firing['time']} ORDER BY time LIMIT 1")
        return rows[0]["io"] if rows else None

    def times_of(self, io):
        return [row["time"] for event in EVENTS
                for row in self.sql(f"SELECT time FROM {event} WHERE io = {io}")]

    def first(self):
        """Returns the request that fired first: (request, time of firing, times of its events). If the
        snapshot before was still being written then, it has that request: None.
        """
        if not self.fired:
            return None
        io, (firing, times) = min(self.fired.items(), key=lambda item: item[1][0])
        return io, firing, times

    def __str__(self):
        text = (f"{self.name}: {self.info['events']} events, {self.info['lost']} lost, "
                f"{self.weight:.1f} MiB")
        if self.fired:
            io, _, times = self.first()
            text += (f"; request {io} took {(times[-1] - times[0]) / MS:.1f} ms, "
                     f"{(times[0] - self.begin) / MS:.0f} ms before it, "
                     f"{(self.end - times[-1]) / MS:.1f} ms after it")
        return text


class Story:
    def __init__(self, options, folder):
        self.options = options
        self.folder = pathlib.Path(folder)
        self.faults = []
        self.taken = []  # snapshots in the order of their numbers

    def check(self, holds, text):
        if not holds:
            print("FAULT:", text, flush=True)
            self.faults.append(text)

    # ---- The snapshots ----

    def paths(self):
        """Returns those that are not yet checked; the first of all has no number."""
        return sorted(self.folder.glob("slow*"), key=lambda path: int(path.suffix[1:] or 0))

    def check_alone(self, snapshot):
        """Checks one that was made long after others: its weight, its begin, and that no event is
        missing. Events that are recorded while a busy disk takes a snapshot are in it, too.
        """
        _, firing, times = snapshot.first()
        is_quick = snapshot.end < firing + QUICK_NS
        self.check(snapshot.weight < BUFFER_MIB or not is_quick, f"{snapshot}: too heavy")
        has_all = any(row["low"] < WORKERS for row in snapshot.rows)  # from the first request on
        self.check(has_all or snapshot.begin <= times[0] - BEFORE_NS, f"{snapshot}: too little before it")
        for row in snapshot.rows:
            expected = (row["high"] - row["low"]) // WORKERS + 1
            self.check(row["count"] == expected,
                       f"{snapshot.name}: {row['count']} events of {expected} requests")
        self.check(not snapshot.info["damaged"] and not snapshot.info["lost"],
                   f"{snapshot.name}: events were lost")

    def take(self, path):
        """Checks a snapshot, and removes it."""
        snapshot = Snapshot(self.options.waymark, path)
        before = self.taken[-1].end if self.taken else 0
        self.check(len(snapshot.rows) == WORKERS * len(EVENTS), f"{path.name}: {snapshot.rows}")
        self.check(snapshot.lacking <= snapshot.info["lost"],
                   f"{path.name}: requests lack {snapshot.lacking} events, and "
                   f"{snapshot.info['lost']} are reported lost: {snapshot.fired}")
        if before < snapshot.begin - FOLLOWS_NS:
            self.check_alone(snapshot)
        print(snapshot, flush=True)
        self.taken.append(snapshot)
        shutil.rmtree(path)

    def check_ends(self):
        """Checks what follows the requests. At the end of the daemon nothing does."""
        usual = json.loads(subprocess.run(
            [self.options.waymark, "info", "--json", self.folder / "usual"], check=True, text=True,
            stdout=subprocess.PIPE).stdout)
        last = max([usual["last_ns"] or 0, *(snapshot.end for snapshot in self.taken)])
        for snapshot in (snapshot for snapshot in self.taken if snapshot.fired):
            _, firing, _ = snapshot.first()
            wanted = min(firing + AFTER_NS - EARLY_NS, last)
            self.check(wanted <= snapshot.end <= firing + AFTER_NS + LATE_NS,
                       f"{snapshot}: it ends too early or late")

    def tell(self):
        """Runs the daemon for a long time, and checks that its slow requests have snapshots. Returns
        whether one of them came long after others.
        """
        self.taken = []
        ms = self.options.seconds * 1000
        slow_ms = random.randint(5000, min(ms - 1000, 60_000))  # the memory is full by then
        daemon = Daemon(self.options.daemon, ms, slow_ms, self.folder)
        while daemon.runs():
            time.sleep(0.2)
            waiting = self.paths()
            if len(waiting) > SNAPSHOTS_MAX:
                self.take(waiting[0])
        daemon.end()
        print(f"{daemon.served} requests in {self.options.seconds} s; {len(daemon.slow)} above 10 ms,"
              f" {len(daemon.alone())} of them long after others", flush=True)
        for path in self.paths():
            self.take(path)
        self.check_ends()
        self.check_fired(daemon)
        return bool(daemon.alone())

    def check_fired(self, daemon):
        fired = [io for snapshot in self.taken for io in snapshot.fired]
        missing = [io for io in daemon.alone() if io not in fired]
        self.check(not missing, f"the slow requests {missing} have no snapshot")
        for snapshot in self.taken:
            others = [io for io in snapshot.fired if io not in daemon.slow]
            self.check(len(others) <= snapshot.info["lost"],
                       f"{snapshot.name}: the requests {others} fired, and were not slow")

    # ---- Its cost ----

    def run_pair(self):
        """Compares successive runs, because two runs of a program differ by more than events cost."""
        return [Daemon(self.options.daemon, self.options.pair_ms, folder=folder).end()
                for folder in (None, self.folder)]

    def compare(self, what, off, on, sign):
        """Prints two lists of numbers. Returns by how many percent `on` is worse: the median."""
        more = sorted(sign * 100 * (b / a - 1) for a, b in zip(off, on))
        median = statistics.median(more)
        print(f"{what}: {statistics.median(off):.0f} without, {statistics.median(on):.0f} with the "
              f"flight recorder; it costs {median:.2f} % ({more[len(more) // 4]:.2f} to "
              f"{more[len(more) * 3 // 4]:.2f}); {len(more)} pairs", flush=True)
        return median

    def measure(self):
        off, on = zip(*(self.run_pair() for _ in range(self.options.pairs)))
        self.compare("CPU ns of a request", [run.cpu_ns for run in off],
                     [run.cpu_ns for run in on], 1)
        slower = self.compare("requests/s", [run.per_second for run in off],
                              [run.per_second for run in on], -1)
        self.check(slower < self.options.most, f"it costs more than {self.options.most} %")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("daemon", type=os.path.abspath)
    parser.add_argument("waymark", type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--pair-ms", type=int, default=1000)
    parser.add_argument("--most", type=float, default=60)
    return parser.parse_args()


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="waymark-story-") as folder:
        story = Story(options, folder)
        if options.seconds:
            story.check(any(story.tell() for _ in range(RUNS_MAX)),
                        "no slow request came long after others")
        if options.pairs:
            story.measure()
    return 1 if story.faults else 0


if __name__ == "__main__":
    sys.exit(main())
