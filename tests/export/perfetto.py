#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests exports for Perfetto: perfetto.py WAYMARK PROGRAM DECLARATIONS

The packets are decoded here by the numbers of Perfetto's documentation, and compared with the events
of the trace.
"""

import collections
import subprocess

from common import Work, check, export, finish, joined, named, records, split
from protobuf import fields, message, one, real, signed

SEQUENCE_CLEARED, NEEDS_NAMES = 1, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
MONOTONIC, REALTIME = 3, 1

Event = collections.namedtuple("Event", "time kind track name category args flows ended")


def value_of(annotation):
    readers = {2: bool, 3: int, 4: signed, 5: real, 6: lambda b: b.decode(), 7: hex}
    found = [readers[n](v) for n, v in fields(annotation) if n in readers]
    assert len(found) == 1, annotation
    return found[0]


class Trace:
    """The packets of an export; checks that each can be understood by those before it."""

    def __init__(self, data):
        self.names = {1: {}, 2: {}, 3: {}}
        self.tracks, self.events, self.values, self.clocks = {}, [], [], {}
        self.last = -2**63
        for number, packet in fields(data):
            assert number == 1, number
            self.add(message(packet))

    def add(self, packet):
        check("sequence", one(packet, 10), 0x574D)
        flags = one(packet, 13, 0)
        if 6 in packet:
            snapshot = message(one(packet, 6))
            check("first packet", (flags, one(packet, 87)), (SEQUENCE_CLEARED, 1))
            check("default clock", message(one(packet, 59)), {58: [MONOTONIC]})
            check("primary clock", one(snapshot, 2), MONOTONIC)
            self.clocks = {one(c, 1): one(c, 2) for c in map(message, snapshot[1])}
        if 12 in packet:
            check("flags of names", flags, NEEDS_NAMES)
            for kind, entry in fields(one(packet, 12)):
                entry = message(entry)
                assert one(entry, 1) not in self.names[kind], entry
                self.names[kind][one(entry, 1)] = one(entry, 2).decode()
        if 60 in packet:
            track = message(one(packet, 60))
            assert one(track, 1) not in self.tracks, track
            assert 5 not in track or one(track, 5) in self.tracks, track
            self.tracks[one(track, 1)] = track
        if 11 in packet:
            check("flags of an event", flags, NEEDS_NAMES)
            self.add_event(one(packet, 8), message(one(packet, 11)))

    def add_event(self, time, event):
        time, track, kind = signed(time), one(event, 11), one(event, 9)
        assert track in self.tracks, track
        assert time >= self.last, "out of order"
        self.last = time
        if kind == COUNTER:
            value = signed(one(event, 30)) if 30 in event else real(one(event, 44))
            self.values.append((time, self.title(track), value))
            return
        name = one(event, 23, b"").decode() or self.names[2].get(one(event, 10, 0))
        args = {}
        for annotation in event.get(4, []):
            fields_of = message(annotation)
            key = one(fields_of, 10, b"").decode() or self.names[3][one(fields_of, 1)]
            args[key] = value_of(annotation)
        self.events.append(Event(time, kind, track, name, self.names[1].get(one(event, 3, 0)), args,
                                 event.get(47, []), event.get(48, [])))

    def title(self, track):
        """Returns (pid, tid) of a thread's track, (pid, None) of a process's, or the name and its parent's."""
        found = self.tracks[track]
        if 4 in found:
            thread = message(one(found, 4))
            return one(thread, 1), one(thread, 2)
        if 3 in found:
            return one(message(one(found, 3)), 1), None
        parent = self.title(one(found, 5)) if 5 in found else (None, None)
        return one(found, 2).decode(), parent[0]

    def slices(self):
        """Returns (title, name, begin, end, is_continued) in the order of their begins."""
        found, open_slices = [], collections.defaultdict(list)
        for event in self.events:
            stack = open_slices[event.track]
            if event.kind == BEGIN:
                stack.append(len(found))
                found.append((self.title(event.track), event.name, event.time, None,
                              "continued" in event.args))
            elif event.kind == END:
                at = stack.pop()  # fails if there is none
                found[at] = found[at][:3] + (event.time,) + found[at][4:]
        return found


def shown(args):
    """Returns arguments of print --json as an export shows them."""
    return {k: "(null)" if v is None else v for k, v in args.items()}


def escaped(text):
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace") if isinstance(text, str) \
        else text


def check_events(trace, found):
    scopes, events, _ = split(records(found))
    instants = [e for e in trace.events if e.kind == INSTANT]
    wanted = [(e["time"], e["event"], (e["pid"], e["tid"]),
               {k: escaped(v) for k, v in shown(named(e["event"], e["args"])).items()}) for e in events]
    got = [(e.time, e.name, trace.title(e.track), e.args) for e in instants]
    for g, w in zip(got, wanted):
        w[3].update({k: v.replace("\n", "\\n") for k, v in w[3].items()
                     if isinstance(v, str) and "\\xff" in v})
        check("an instant", g, w)
    check("instants", len(got), len(wanted))
    whole = joined(trace.slices())
    check("slices of threads", sorted(s for s in whole if isinstance(s[0][0], int)),
          sorted(((s.pid, s.tid), s.name, s.begin, s.end) for s in scopes if not s.is_async))
    check("asynchronous slices", sorted(s for s in whole if not isinstance(s[0][0], int)),
          sorted(((s.name, s.pid), s.name, s.begin, s.end) for s in scopes if s.is_async))
    for event in trace.events:
        if event.kind != END and event.name:
            category, colon, _ = event.name.partition(":")
            check(f"category of {event.name}", event.category, category if colon else None)
    check("a slice was cut", any(s[4] for s in trace.slices()), True)
    check("rows of packets", len({e.track for e in trace.events if e.name == "Net:packet"}), 3)
    begun = [e.args for e in trace.events if e.kind == BEGIN and "continued" not in e.args]
    check("arguments of scopes", begun, [s.args for s in scopes])


def check_flows(trace):
    by_flow = collections.defaultdict(list)
    for event in trace.events:
        for flow in event.flows + event.ended:
            by_flow[flow].append(event)
    chains = collections.Counter(tuple(e.name for e in events) for events in by_flow.values())
    check("flows", dict(chains), {("submit", "queued", "complete"): 5, ("Net:packet", "Net:queued"): 3})
    for events in by_flow.values():
        if events[0].name == "submit":
            check("a request", {e.args["request"] for e in events}, {events[0].args["request"]})
            check("the end of its flow", [bool(e.ended) for e in events], [False, False, True])


def check_clock(trace, path):
    """The real time of the first event is that of babeltrace2."""
    out = subprocess.run(["babeltrace2", "--clock-seconds", path], check=True, text=True,
                         errors="replace", capture_output=True).stdout
    offset = trace.clocks[REALTIME] - trace.clocks[MONOTONIC]
    lines = [line.partition("]")[0].strip("[").split(".") for line in out.splitlines()]
    times = [int(s) * 10**9 + int(f) for s, f in lines]
    begins = [e.time + offset for e in trace.events if e.kind in (BEGIN, INSTANT) and
              "continued" not in e.args]
    check("times of events that babeltrace2 lacks",
          [t for t in begins if min(abs(t - other) for other in times) > 2], [])


def check_counters(path):
    trace = Trace(export("perfetto", "--counter=level.level", "--counter=Disk:in flight.value", path))
    levels = [v for _, title, v in trace.values if title[0] == "level.level"]
    check("levels", levels, [0, 1, -2, 3, -4])
    check("in flight", [v for _, title, v in trace.values if title[0] == "Disk:in flight.value"],
          [-2, -1, 0, 1, 2])
    check("a counter's events are there as well",
          sum(e.name == "level" for e in trace.events), 5)
    units = {trace.title(uuid)[0]: message(one(t, 8)) for uuid, t in trace.tracks.items() if 8 in t}
    check("units", units, {"level.level": {3: [1]}, "Disk:in flight.value": {}})


def check_gaps(path, found):
    trace = Trace(export("perfetto", path))
    gaps = split(records(path))[2]
    got = [e for e in trace.events if "missing_packets" in e.args]
    check(f"gaps of {path.name}", [(e.time, e.args) for e in got], [(g["time"], g["gap"]) for g in gaps])
    found.extend(e.name for e in got)


def main():
    work = Work()
    trace = Trace(export("perfetto", work.trace))
    check_events(trace, work.trace)
    check_flows(trace)
    check_clock(trace, work.trace)
    check_counters(work.trace)
    names = []
    for name in "small", "flight", "lost-and-rotated", "pieces":
        check_gaps(work.path / name, names)
    check("names of gaps", "lost 5 events" in names, True)
    for paths in work.all():
        trace = Trace(export("perfetto", *paths))
        found = [r for r in records(*paths) if "scope_tid" not in r.get("args", {})]
        names = [e.name for e in trace.events if e.kind != END and "continued" not in e.args]
        check(f"events of {paths}", [n for n, r in zip(names, found) if r.get("event", n) != n], [])
        check(f"number of events of {paths}", len(names), len(found))
        trace.slices()
    finish()


if __name__ == "__main__":
    main()
