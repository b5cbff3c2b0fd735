# SPDX-License-Identifier: MIT
"""Measures guest programs on the machine of examples/riscv: without events, with events off, and
with events on.

Each round runs every machine of a guest in turn. Only consecutive runs are compared: the tables
show the medians of their ratios.
"""

import os
import pathlib

from jobs import Job

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "examples/riscv/guest"
ON = {"on": "all", "options": "full=block,buffer=64M"}
# skip: both harts run the loop, because they begin after the instruction that sends one to sleep.
# full=overwrite: no writer thread takes a processor from one of them.
PAIR = {"harts": 2, "skip": 4, "options": "full=overwrite,buffer=64M"}


class Guests:
    def __init__(self, bench, size):
        self.bench = bench
        self.size = size

    def run_round(self):
        loop = self.loop(self.size.guest_rounds)
        self.run_guest("guest.loop", loop, self.loop(self.size.guest_traced_rounds))
        self.run_guest("guest.sha256", self.sha256(self.size.guest_input),
                       self.sha256(self.size.guest_traced_input))
        off = self.run("guest.pair.off", {**loop, **PAIR})
        on = self.run("guest.pair.on", {**loop, **PAIR, "on": 1})
        self.add_slowdown("guest.pair.on.slowdown", off, on, "million_per_s")
        self.add_slowdown("guest.pair.on.other_slowdown", off, on, "other_million_per_s")

    def loop(self, rounds):
        return {"program": PROGRAMS / "loop.elf", "rounds": rounds}

    def sha256(self, size):
        path = os.path.join(self.bench.directory, f"input{size}")
        with open(path, "wb") as file:
            file.write(f"{size}\n".encode() + bytes(size))
        return {"program": PROGRAMS / "sha256.elf", "input": path}

    def run_guest(self, prefix, values, traced):
        """Runs a guest several times without events and with all events off, in turn, then once
        with them on.
        """
        for _ in range(self.size.guest_pairs):
            nop = self.run(f"{prefix}.nop", values, "nop")
            off = self.run(f"{prefix}.off", values)
            self.add(f"{prefix}.off.time_of_nop", nop, off)
        on = self.run(f"{prefix}.on", {**traced, **ON})
        self.add_slowdown(f"{prefix}.on.slowdown", off, on, "million_per_s")

    def run(self, prefix, values, machine="ctf"):
        """Returns the program's results; if it failed, prints a message and returns no results."""
        job = Job("ctf" if "on" in values else "", f"bench-guest-{machine}", prefix, values,
                  counted=values.get("on") == "all")
        return self.bench.run_job(job)

    def add(self, metric, over, under):
        """Adds a ratio of CPU time: the guest's only running hart has used all of it."""
        name = "million_per_cpu_s"
        if over and under:
            self.bench.results.add(metric, "", over[name] / under[name])

    def add_slowdown(self, metric, off, on, name):
        """Adds by how many percent the same work takes longer. Compares rates, because a second
        hart may begin late.
        """
        if off and on and on[name]:
            self.bench.results.add(metric, "ctf", 100 * (off[name] / on[name] - 1))
