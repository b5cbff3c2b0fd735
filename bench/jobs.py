# SPDX-License-Identifier: MIT
"""The benchmarks: a table of jobs, and the sizes of a full, a quick and a tiny run."""

import dataclasses
import types

# Options of Waymark, by backend and program; "" is any other. Backend simple cannot wait for its
# writer, so its buffer holds all events of a run. Backend ctf has a small buffer, and waits where
# it must.
OPTIONS = {
    ("", ""): "buffer=1G",
    ("ctf", "disk"): "buffer=64M,full=block",
}

FULL = types.SimpleNamespace(
    rounds=7, bursts=100, large_bursts=5, large=1_000_000, disk=20_000_000, lttng=10_000_000,
    slow=2_000_000, latency=1_000_000, pairs=300, fresh=200, threads=1000, sites=301,
    read=4_000_000, scopes=10_000_000, guest_pairs=5, guest_rounds=0, guest_input=2 << 20,
    guest_traced_rounds=10_000_000, guest_traced_input=1 << 20)
QUICK = types.SimpleNamespace(
    rounds=3, bursts=30, large_bursts=2, large=200_000, disk=5_000_000, lttng=2_000_000,
    slow=500_000, latency=200_000, pairs=100, fresh=50, threads=1000, sites=51, read=500_000,
    scopes=1_000_000, guest_pairs=2, guest_rounds=20_000_000, guest_input=1 << 19,
    guest_traced_rounds=2_000_000, guest_traced_input=1 << 18)
TINY = types.SimpleNamespace(
    rounds=1, bursts=2, large_bursts=1, large=5_000, disk=200_000, lttng=20_000,
    slow=20_000, latency=20_000, pairs=5, fresh=5, threads=50, sites=3, read=20_000,
    scopes=20_000, guest_pairs=1, guest_rounds=3_000_000, guest_input=20_000,
    guest_traced_rounds=20_000, guest_traced_input=5_000)

HOT_EVENT = "hot_two_u64"  # as two_u64, but declared to be mostly on
EVENTS = ("two_u64", "u64_str")
VCPU_EVENTS = ("vcpu_all", "vcpu_this", "vcpu_other")
TOML_EVENTS = ("toml_two_u64", "toml_debug", "toml_scope")
NOT_COUNTED = ("vcpu_other", "toml_scope")  # no event per step, two events per step

# Recorders that Waymark's recording backends are compared with; WRITERS write each event by
# itself.
OTHERS = ("lttng", "dpdk", "log", "fprintf", "syslog")
WRITERS = ("log", "syslog")

# Options of each policy of full=; the flight recorder's buffer is always full, like DPDK's.
POLICIES = {"discard": "buffer=64M,full=discard", "overwrite": "buffer=1M,full=overwrite",
            "block": "buffer=64M,full=block"}


@dataclasses.dataclass
class Job:
    recorder: str  # the recorder; "" for programs without one
    program: str
    prefix: str  # of the metrics
    values: dict  # key=value for the program
    counted: bool = False  # a reader counts what it recorded

    def arguments(self):
        return [f"{key}={value}" for key, value in self.values.items() if value != ""]

    def __str__(self):
        return " ".join([self.program, *self.arguments()])


def options_of(recorder, program):
    for key in ((recorder, program), (recorder, ""), ("", "")):
        if key in OPTIONS:
            return OPTIONS[key]
    return ""


def memory(recorder, size, backends):
    few = max(size.bursts // 10, 1) if recorder in WRITERS else size.bursts
    for event in EVENTS:
        for threads in (1, 2):
            yield Job(recorder, "memory", f"memory.{event}.{threads}",
                      {"event": event, "threads": threads, "burst": 2000, "bursts": few},
                      recorder in backends)
    if recorder in backends:
        yield Job(recorder, "memory", "memory.large.1",
                  {"burst": size.large, "bursts": size.large_bursts}, True)
        for event in (*VCPU_EVENTS, *TOML_EVENTS):
            yield Job(recorder, "memory", f"memory.{event}.1",
                      {"event": event, "burst": 2000, "bursts": few},
                      event not in NOT_COUNTED)
    if recorder == "ctf":
        for policy, options in POLICIES.items():
            yield Job(recorder, "memory", f"memory.{policy}.1",
                      {"burst": 2000, "bursts": size.bursts, "options": options},
                      policy != "overwrite")
    if recorder == "dpdk":  # the number of events that its ring holds
        for event in EVENTS:
            yield Job(recorder, "memory", f"dpdk.{event}", {"event": event, "bursts": 5}, True)


def disk(recorder, size, backends):
    events = {"lttng": size.lttng, "fprintf": size.slow}.get(recorder, size.disk)
    for event, threads in (("two_u64", 1), ("two_u64", 2), ("u64_str", 1)):
        yield Job(recorder, "disk", f"disk.{event}.{threads}",
                  {"event": event, "threads": threads, "events": events // threads},
                  recorder in backends or recorder == "lttng")


def latency(recorder, size):
    for threads in (1, 2):
        yield Job(recorder, "latency", f"latency.two_u64.{threads}",
                  {"threads": threads, "events": size.latency, "pace": 5_000_000})


def work(recorder, size, backends):
    for event in (*EVENTS, *([HOT_EVENT] if recorder in backends else [])):
        yield Job(recorder, "work", f"work.{event}", {"event": event, "pairs": size.pairs})


def threads(recorder, size):
    yield Job(recorder, "threads", "threads",
              {"fresh": size.fresh, "threads": size.threads, "events": 100}, True)


def of_recorder(recorder, size, backends):
    yield from memory(recorder, size, backends)
    if recorder in WRITERS:
        return
    if recorder != "dpdk":  # DPDK writes nothing to the disk before its end
        yield from disk(recorder, size, backends)
    if recorder == "fprintf":
        return
    yield from latency(recorder, size)
    yield from work(recorder, size, backends)
    if recorder in backends:
        yield from threads(recorder, size)


def jobs_of(backends, size):
    """All jobs of one round; recorders take turns."""
    for recorder in (*backends, *OTHERS):
        for job in of_recorder(recorder, size, backends):
            if recorder in backends:
                job.values.setdefault("options", options_of(recorder, job.program))
            job.program = f"bench-{job.program}-{recorder}"
            yield job
    yield Job("", "bench-disabled", "disabled", {})
    if "ctf" in backends:
        yield Job("", "bench-condition", "condition", {})
    yield Job("", "bench-sites", "sites", {"rounds": size.sites})
