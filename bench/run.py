#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the recorders and the readers in turn and prints a table for each topic.

Every round runs every job once; the tables show medians of the rounds. Fails if a
program fails, if Waymark lost an event, or if a reader's count differs from the
recorded events. QUICK=1 in the environment: few rounds, small sizes.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the sources' folder may belong to another user

import dpdk
from analyser import Analyser
from guests import Guests
from jobs import QUICK, FULL, TINY, jobs_of
from lttng import Lttng, move_apart, why_absent
from readers import Readers, parse_info
from report import Results
from tables import print_tables

SKIPPED = 77


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--commands", type=pathlib.Path, required=True)
    parser.add_argument("--backends", required=True, help="of Waymark, with commas in between")
    parser.add_argument("--directory", default=os.environ.get("BENCH_DIR"),
                        help="where traces are written; BENCH_DIR; default: beside the programs")
    parser.add_argument("--without", default="none",
                        help="recorders to leave out: lttng,dpdk,syslog,fprintf")
    parser.add_argument("--tiny", action="store_true", help="only to see that everything runs")
    return parser.parse_args()


class Bench:
    def __init__(self, options, directory, size):
        self.options = options
        self.directory = directory
        self.size = size
        self.results = Results({*options.backends.split(","), ""})
        self.absent = {}  # {recorder: reason}
        self.faults = []
        self.others = 0  # processors that other programs used during the run
        self.counted = 0  # traces in which a reader found all events
        self.lttng = self.start_lttng()
        self.look_for_dpdk()

    def start_lttng(self):
        if "lttng" in self.options.without.split(","):
            self.absent["lttng"] = "left out"
            return None
        reason = why_absent(self.options.programs)
        if not reason:
            home = os.path.join(self.directory, "lttng")
            os.mkdir(home)
            try:
                return Lttng(home, [self.options.programs / "bench-disk-lttng", "events=1"])
            except OSError as error:
                reason = str(error)
        self.absent["lttng"] = reason
        return None

    def look_for_dpdk(self):
        left_out = "dpdk" in self.options.without.split(",") and "left out"
        reason = left_out or dpdk.why_absent(self.options.programs)
        if reason:
            self.absent["dpdk"] = reason

    def fault(self, text):
        print(f"FAULT: {text}", flush=True)
        self.faults.append(text)

    def run_round(self, number):
        for job in jobs_of(self.options.backends.split(","), self.size):
            wanted = job.recorder not in self.options.without.split(",")
            if wanted and job.recorder not in self.absent:
                self.run_job(job, number)

    def run_job(self, job, number=0):
        """Returns the job's results; if it failed, prints a message and returns no results."""
        path = os.path.join(self.directory, "trace")
        command = [self.options.programs / job.program, f"path={path}", *job.arguments()]
        extra = {}
        if job.recorder == "lttng":
            result, extra = self.run_in_session(command)
        else:
            result = subprocess.run(command, check=False, capture_output=True, text=True)
        if result.returncode == SKIPPED:
            self.absent[job.recorder] = result.stderr.strip()
        elif result.returncode:
            self.fault(f"{job}: exit {result.returncode}: {result.stderr.strip()}")
        values = {} if result.returncode else {**parse(result.stdout), **extra}
        if values:
            self.take(job, values, number)
        remove(path)
        return values

    def run_in_session(self, command):
        result, seconds, cpu, lost = self.lttng.record(command)
        values = parse(result.stdout)
        extra = {"lost": lost}
        if "wall_ns" in values:
            events = values["events"]
            wall = values["wall_ns"] * events / 1e9 + seconds
            writer = cpu * 1e9 / events
            extra |= {"million_per_s": events / wall / 1e6, "wall_ns": wall * 1e9 / events,
                      "writer_ns": writer, "cpu_ns": values["cpu_ns"] + writer}
        return result, extra

    def take(self, job, values, number):
        for name, value in values.items():
            self.results.add(f"{job.prefix}.{name}", job.recorder, value)
        ours = job.recorder in self.options.backends.split(",")
        if ours and values.get("lost"):
            self.fault(f"{job}: {values['lost']:.0f} of {values['events']:.0f} events were lost")
        if job.counted and (ours or number == 0):
            self.compare_counts(job, values)

    def compare_counts(self, job, values):
        """Checks that a reader finds all recorded events, less the reported losses."""
        if job.recorder == "lttng":
            found = self.lttng.count()
        elif job.recorder == "dpdk":
            found = dpdk.count(os.path.join(self.directory, "trace"))
        else:
            found = parse_info(self.options.commands, os.path.join(self.directory, "trace"))
        wanted = int(values["events"] - values.get("lost", 0))
        if found != wanted:
            self.fault(f"{job}: recorded {wanted}, the reader counts {found}")
        else:
            self.counted += 1


def parse(text):
    """Parses lines `name value`."""
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def remove(path):
    """Removes a trace, which may be a file or a directory."""
    subprocess.run(["rm", "-rf", path], check=True)


def busy_seconds():
    """Returns the CPU seconds of all processors since the machine started, and of this process and
    its children.
    """
    fields = [int(f) for f in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    busy = (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")
    own = os.times()
    return busy, sum(own[:4])


def measure(options, directory, size):
    busy, own = busy_seconds()
    begin = time.monotonic()
    bench = Bench(options, directory, size)
    try:
        readers, guests = Readers(bench, size), Guests(bench, size)
        analyser = Analyser(bench, size)
        for number in range(size.rounds):
            print(f"round {number + 1} of {size.rounds}", file=sys.stderr, flush=True)
            bench.run_round(number)
            readers.run_round()
            guests.run_round()
            analyser.run_round()
    finally:
        if bench.lttng:
            bench.lttng.close()
    now_busy, now_own = busy_seconds()
    bench.others = ((now_busy - busy) - (now_own - own)) / (time.monotonic() - begin)
    print_tables(bench, readers, analyser)
    return 1 if bench.faults else 0


def main():
    options = arguments()
    move_apart()
    size = TINY if options.tiny else QUICK if os.environ.get("QUICK") else FULL
    with tempfile.TemporaryDirectory(dir=options.directory or options.programs,
                                     prefix="traces-") as directory:
        return measure(options, directory, size)


if __name__ == "__main__":
    sys.exit(main())
