#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A trace as large as the disk allows: large.py WAYMARK LARGE PEAK [--size=200M|free]

Records the trace, and prints, filters and analyses all of it: the commands must find the recorded
events, and take at most PEAK_MIB of memory at any size. The trace is deleted. The last line is a
summary.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PEAK_MIB = 200
RESERVE = 6 << 30  # bytes of the disk that stay free
THREADS = 2
TRIAL = 200000  # requests per thread, to measure the bytes of a request
UNITS = {"": 1, "M": 1 << 20, "G": 1 << 30}
LAST = 1000


def bytes_of(text, directory):
    if text == "free":
        return max(shutil.disk_usage(directory).free - RESERVE, 0)
    found = re.fullmatch(r"(\d+)([MG]?)", text)
    if not found:
        sys.exit(f"--size={text}: say 200M, 100G or free")
    return int(found[1]) * UNITS[found[2]]


def parse(text):
    """Parses lines `name value`."""
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def size_of(trace):
    return sum(entry.stat().st_size for entry in os.scandir(trace))


class Large:
    def __init__(self, options, directory):
        self.options = options
        self.trace = os.path.join(directory, "large.ctf")
        self.faults = 0
        self.done = []  # a line per command
        self.peak = 0

    def fault(self, text):
        self.faults += 1
        print(f"FAULT: {text}", file=sys.stderr, flush=True)

    def record(self, requests):
        shutil.rmtree(self.trace, ignore_errors=True)
        done = subprocess.run([self.options.large, f"path={self.trace}", f"threads={THREADS}",
                               f"requests={requests}"], check=True, stdout=subprocess.PIPE,
                              text=True)
        said = {name: int(value) for name, value in parse(done.stdout).items()}
        if said["lost"]:
            self.fault(f"{said['lost']} events were lost")
        return said

    def make(self, size):
        """Records the number of requests that make a trace of that size."""
        self.record(TRIAL)
        requests = max(int(size / (size_of(self.trace) / TRIAL)), 1)
        self.recorded = self.record(requests)
        self.events = 4 * self.recorded["requests"] + self.recorded["steps"] + self.recorded["rare"]
        self.bytes = size_of(self.trace)

    def measured(self, *words, lines=False):
        """Runs a command of waymark; returns its output, or its number of lines."""
        with tempfile.NamedTemporaryFile("w+") as out:
            end = None
            if lines:
                end, begin = os.pipe()
                count = subprocess.Popen(["wc", "-l"], stdin=end, stdout=out)
                os.close(end)
                target, passed = f"to=/dev/fd/{begin}", (begin,)
            else:
                target, passed = f"to={out.name}", ()
            done = subprocess.run([self.options.peak, target, self.options.waymark, *words,
                                   self.trace], stdout=subprocess.PIPE, text=True, check=True,
                                  pass_fds=passed)
            if lines:
                os.close(begin)
                count.wait()
            self.take(words, parse(done.stdout))
            out.seek(0)
            return int(out.read()) if lines else out.read()

    def take(self, words, values):
        said = " ".join(word.split("=")[0] for word in words)
        self.peak = max(self.peak, values["peak_mib"])
        self.done.append(f"{said} {self.bytes / values['seconds'] / (1 << 20):.0f} MiB/s")
        print(f"waymark {said}: {values['seconds']:.1f} s, {values['peak_mib']:.1f} MiB resident",
              file=sys.stderr, flush=True)
        if values["peak_mib"] > PEAK_MIB:
            self.fault(f"waymark {said}: {values['peak_mib']:.0f} MiB resident")

    def expect(self, what, found, wanted):
        if found != wanted:
            self.fault(f"{what}: {found}, wanted {wanted}")

    def print_all(self):
        self.expect("lines", self.measured("print", lines=True), self.events)

    def print_some(self):
        rare = self.measured("print", "--event=large_rare")
        wanted = [i * 1000000 for i in range(self.recorded["rare"])]
        found = sorted(int(n) for n in re.findall(r"large_rare id (\d+)", rare))
        self.expect("rare events", found, wanted)
        count = self.measured("print", "--event=large_st*", "--count")
        self.expect("steps", int(count.split()[0].replace(",", "")), self.recorded["steps"])

    def print_ends(self):
        """Prints by time, too: each half of the trace, and a moment that JSON shows."""
        info = json.loads(self.measured("info", "--json"))
        self.expect("events of info", (info["events"], info["lost"]), (self.events, 0))
        middle = (info["first_ns"] + info["last_ns"]) // 2
        halves = [self.measured("print", f"{option}={ns // 10**9}.{ns % 10**9:09}", lines=True)
                  for option, ns in (("--to", middle), ("--from", middle + 1))]
        self.expect("lines of both halves", sum(halves), self.events)
        last = self.measured("print", f"--tail={LAST}", "--json").splitlines()
        self.expect("last lines", len(last), LAST)
        self.expect("the very last", re.search(r'"time":(\d+)\.(\d+)', last[-1]).groups(),
                    (str(info["last_ns"] // 10**9), f"{info['last_ns'] % 10**9:09}"))

    def analyse(self):
        said = json.loads(self.measured("latency", "--from=large_begin", "--to=large_end",
                                        "--by=id", "--json"))
        self.expect("latencies", count_of(said), self.recorded["requests"])
        said = json.loads(self.measured("scopes", "--json"))
        self.expect("scopes", count_of(said), self.recorded["requests"])


def count_of(said):
    rows = next(value for value in said.values() if isinstance(value, list))
    return sum(row["count"] for row in rows)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in "waymark", "large", "peak":
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--size", default="200M", help="a number with M or G, or free: of the disk")
    parser.add_argument("--directory", help="where the trace is written")
    return parser.parse_args()


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(dir=options.directory, prefix="waymark-long-") as directory:
        large = Large(options, directory)
        large.make(bytes_of(options.size, directory))
        for step in large.print_all, large.print_some, large.print_ends, large.analyse:
            step()
    print(f"GB {large.bytes / 1e9:.2f}, events {large.events}, MiB resident at most "
          f"{large.peak:.1f}, " + ", ".join(large.done))
    return 1 if large.faults else 0


if __name__ == "__main__":
    sys.exit(main())
