# SPDX-License-Identifier: MIT
"""Measures readers of traces: each command on a trace with the same events, in turn.

babeltrace2 reads our CTF trace; if we have none, LTTng's of the same program.
"""

import json
import os
import pathlib
import shutil
import subprocess
import time

DECLARATIONS = str(pathlib.Path(__file__).with_name("trace-events"))
TOML = str(pathlib.Path(__file__).with_name("events.toml"))


QUESTIONS = {
    "count": "SELECT count(*) FROM two_u64",
    "sum": "SELECT sum(a) FROM two_u64",
    "group": "SELECT b & 7, count(*), sum(a) FROM two_u64 WHERE a > 1000 GROUP BY b & 7",
    "percentile": "SELECT percentile(a, 99) FROM two_u64",
}

SHARED = ("count", "sum", "group")  # which all cores answer together


def info(commands, path):
    command = [commands / "waymark", "info", "--json", "-e", DECLARATIONS, "-e", TOML, path]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def parse_info(commands, path):
    """Returns the number of events that `waymark info` counts in a complete trace; -1 if it is incomplete."""
    said = info(commands, path)
    bad = ("damaged", "unread", "lost", "overwritten", "rotated_packets", "missing_packets")
    return -1 if any(said[what] for what in bad) else said["events"]


class Readers:
    def __init__(self, bench, size):
        self.bench = bench
        self.events = size.read
        self.traces = {}
        self.rows = []  # (metric, label of the trace, command, standard output)
        for backend in bench.options.backends.split(","):
            self.make_trace(backend)
            self.add_ours(backend)
        self.add_babeltrace()

    def make_trace(self, backend):
        path = os.path.join(self.bench.directory, f"read-{backend}")
        program = self.bench.options.programs / f"bench-disk-{backend}"
        subprocess.run([program, f"path={path}", f"events={self.events}", "options=buffer=1G"],
                       check=True, capture_output=True)
        self.traces[backend] = path

    def add_ours(self, backend):
        waymark, path = self.bench.options.commands / "waymark", self.traces[backend]
        copy = os.path.join(self.bench.directory, "printed")
        read = [waymark, "print", "-e", DECLARATIONS, path]
        self.rows += [
            ("read.print", backend, read, os.devnull),
            ("read.print_file", backend, read, copy),
            ("read.info", backend, [waymark, "info", "-e", DECLARATIONS, path], os.devnull)]
        for form in ("perfetto", "chrome") if backend == "ctf" else ():
            self.rows.append((f"read.{form}", backend, [waymark, "export", f"--to={form}", path], os.devnull))
        if backend == "ctf":
            database = os.path.join(self.bench.directory, "exported.db")
            self.rows.append(("read.sqlite", backend, [
                waymark, "export", "--to=sqlite", "--replace", "-o", database, path], os.devnull))
            self.add_questions(path)
        if backend == "simple":
            self.rows.append(("read.simpletrace", backend, [
                self.bench.options.commands / "simpletrace", DECLARATIONS, path], os.devnull))

    def add_questions(self, path):
        """Questions in SQL: to the trace, to a copy that SQLite imported, and by babeltrace2 and awk."""
        waymark = self.bench.options.commands / "waymark"
        copy = os.path.join(self.bench.directory, "read.db")
        subprocess.run([waymark, "export", "--to=sqlite", "-o", copy, path], check=True, capture_output=True)
        one_core = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]
        for name, question in QUESTIONS.items():
            ask = [waymark, "sql", path, question]
            self.rows.append((f"sql.{name}", "ctf", one_core + ask, os.devnull))
            if name in SHARED and len(os.sched_getaffinity(0)) == 2:
                self.rows.append((f"sql.{name}_two", "ctf", ask, os.devnull))
            if shutil.which("sqlite3") and name != "percentile":  # which Debian's SQLite does not have
                self.rows.append((f"sql.{name}", "sqlite3", ["sqlite3", "-readonly", copy, question], os.devnull))
        if shutil.which("babeltrace2"):
            text = "babeltrace2 \"$1\" | awk '{ n++ } END { print n }'"
            self.rows.append(("sql.count", "babeltrace2", ["sh", "-c", text, "sh", path], os.devnull))

    def add_babeltrace(self):
        if not shutil.which("babeltrace2"):
            self.bench.absent["babeltrace2"] = "babeltrace2 is not installed"
            return
        label, path = "ctf", self.traces.get("ctf")
        if not path:
            label, path = "lttng", self.lttng_trace()
        if path:
            self.rows += [
                ("read.babeltrace2", label, ["babeltrace2", path], os.devnull),
                ("read.dummy", label, ["babeltrace2", "-o", "dummy", path], os.devnull)]

    def lttng_trace(self):
        lttng = self.bench.lttng
        if not lttng:
            self.bench.absent["babeltrace2"] = "there is no trace that it can read"
            return None
        lttng.record([self.bench.options.programs / "bench-disk-lttng",
                      f"events={self.events}"])
        path = os.path.join(self.bench.directory, "read-lttng")
        shutil.move(lttng.trace, path)
        if lttng.count(path) != self.events:
            self.bench.fault("LTTng's trace for babeltrace2 is not complete")
        return path

    def run_round(self):
        for metric, label, command, target in self.rows:
            with open(target, "wb") as output:
                begin = time.perf_counter()
                code = subprocess.run(command, stdout=output, stderr=subprocess.DEVNULL,
                                      check=False).returncode
                seconds = time.perf_counter() - begin
            if code:
                self.bench.fault(f"{command[0]}: exit {code}")
            self.bench.results.add(f"{metric}.million_per_s", label, self.events / seconds / 1e6)
            if metric == "read.print_file":
                self.compare_lines(label, target)

    def compare_lines(self, label, target):
        said = subprocess.run(["wc", "-l", target], check=True, capture_output=True, text=True)
        lines = int(said.stdout.split()[0])
        if lines != self.events:
            self.bench.fault(f"waymark print of {label}: {lines} lines for {self.events} events")
        os.unlink(target)
