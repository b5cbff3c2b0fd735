# SPDX-License-Identifier: MIT
"""Measures the analyser's commands on many scopes, next to a plain count of the same records.

Every command runs on the whole trace and on a trace of a tenth. Its peak memory must be the same
for both, and the same as that of waymark info, except a few MiB.
"""

import json
import os
import subprocess

from report import number, table, verdicts

# MiB that a command may use more than waymark info, and more than on the trace of a tenth. That
# trace's streams may be smaller than the part of a stream that is mapped at one time.
MORE_THAN_INFO_MIB = 4
MORE_THAN_TENTH_MIB = 8
COMMANDS = (
    ("info", "waymark info, a count by name", ("info",)),
    ("count", "waymark print --count", ("print", "--count")),
    ("scopes", "waymark scopes", ("scopes",)),
    ("latency", "waymark latency of half of them",
     ("latency", "--from=toml_scope", "--to=toml_scope_end", "--by=scope")),
    ("threads", "waymark scopes by thread", ("scopes", "--by=thread")),
    ("flamegraph", "waymark flamegraph", ("flamegraph",)))
COLUMNS = {"s": "seconds", "CPU s": "cpu_s", "x info": "x_info", "M scopes/s": "million_per_s",
           "MiB": "peak_mib", "MiB of a tenth": "small_peak_mib"}


def parse(text):
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


class Analyser:
    def __init__(self, bench, size):
        self.bench = bench
        self.scopes = size.scopes if "ctf" in bench.options.backends.split(",") else 0
        if self.scopes:
            self.whole = self.make_trace("whole", self.scopes)
            self.small = self.make_trace("tenth", self.scopes // 10)
            self.compare_counts()

    def make_trace(self, name, scopes):
        path = os.path.join(self.bench.directory, f"scopes-{name}")
        ran = subprocess.run([self.bench.options.programs / "bench-scopes", f"path={path}",
                              "threads=2", f"scopes={scopes // 2}",
                              "options=buffer=64M,full=block"],
                             check=True, capture_output=True, text=True)
        said = parse(ran.stdout)
        if said["lost"] or said["scopes"] != scopes:
            self.bench.fault(f"{scopes} scopes were recorded as {said}")
        return path

    def compare_counts(self):
        """Checks that waymark scopes pairs all recorded scopes."""
        waymark = self.bench.options.commands / "waymark"
        ran = subprocess.run([waymark, "scopes", "--json", self.whole], check=True,
                             capture_output=True, text=True)
        found = sum(row["count"] for row in json.loads(ran.stdout)["scopes"])
        if found != self.scopes:
            self.bench.fault(f"waymark scopes pairs {found} of {self.scopes}")
        else:
            self.bench.counted += 1

    def run(self, arguments, trace):
        command = [self.bench.options.programs / "bench-peak",
                   self.bench.options.commands / "waymark", *arguments, trace]
        return parse(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def run_round(self):
        info = None
        for name, _, arguments in COMMANDS if self.scopes else ():
            values = self.run(arguments, self.whole)
            info = info or values
            values["x_info"] = values["cpu_s"] / max(info["cpu_s"], 1e-3)
            values["million_per_s"] = self.scopes / values["seconds"] / 1e6
            values["small_peak_mib"] = self.run(arguments, self.small)["peak_mib"]
            self.check_memory(name, values, info["peak_mib"])
            for metric, value in values.items():
                self.bench.results.add(f"analyse.{name}.{metric}", "ctf", value)

    def check_memory(self, name, values, info):
        peak, tenth = values["peak_mib"], values["small_peak_mib"]
        if peak > info + MORE_THAN_INFO_MIB or peak > tenth + MORE_THAN_TENTH_MIB:
            self.bench.fault(f"waymark {name}: {peak:.1f} MiB for {self.scopes} scopes, "
                             f"{tenth:.1f} for a tenth, {info:.1f} for waymark info")

    def show(self):
        results, lines = self.bench.results, []
        for name, label, _ in COMMANDS:
            prefix = f"analyse.{name}"
            if results.has(prefix, "ctf"):
                cells = [number(results.median(f"{prefix}.{m}", "ctf")) for m in COLUMNS.values()]
                lines.append([label, *cells, verdicts(results, prefix, "ctf", COLUMNS)])
        if lines:
            table("Analysing", f"Whole commands on a trace of {self.scopes} scopes in scopes of 2 "
                  "threads, one core each.\nx info: processor time next to that of waymark info. "
                  "MiB: resident at most.", ("command", *COLUMNS, "to reach"), lines)
