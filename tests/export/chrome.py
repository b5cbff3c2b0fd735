#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests JSON exports for Chromium: chrome.py WAYMARK PROGRAM DECLARATIONS"""

import collections
import decimal
import json

from common import Work, check, export, finish, joined, named, records, split


def load(*arguments):
    data = export("chrome", *arguments).decode()
    events = json.loads(data, parse_float=decimal.Decimal)["traceEvents"]
    for event in events:
        if "ts" in event:
            event["ns"] = int(event.pop("ts") * 1000)
    return events


def slices(events):
    """Returns (pid and tid, name, begin, end, is_continued); B and E must nest."""
    found, stacks = [], collections.defaultdict(list)
    for e in events:
        stack = stacks[(e["pid"], e.get("tid"))]
        if e["ph"] == "B":
            stack.append(len(found))
            found.append(((e["pid"], e["tid"]), e["name"], e["ns"], None,
                          e.get("args", {}).get("continued", False)))
        elif e["ph"] == "E":
            at = stack.pop()
            check("an end's name", e["name"], found[at][1])
            found[at] = found[at][:3] + (e["ns"],) + found[at][4:]
    return found


def asynchronous(events):
    """Returns (pid, name, begin, end); each id has one scope at a time."""
    found, begun = [], {}
    for e in events:
        key = (e.get("cat"), e.get("id"))
        if e["ph"] == "b":
            assert key not in begun, key
            begun[key] = e
        elif e["ph"] == "e":
            b = begun.pop(key)
            check("an end's name", e["name"], b["name"])
            found.append((e["pid"], e["name"], b["ns"], e["ns"]))
    return found, len(begun)


def check_order(events):
    times = [e["ns"] for e in events if "ns" in e]
    check("order", times, sorted(times))
    known = set()
    for e in events:
        if e["ph"] == "M":
            known.add((e["name"], e["pid"], e["tid"]))
        else:
            assert ("process_name", e["pid"], 0) in known, e
            assert "tid" not in e or ("thread_name", e["pid"], e["tid"]) in known, e


def check_flows(events):
    steps = collections.defaultdict(list)
    at = {}
    for e in events:
        if e["ph"] in "stf":
            steps[e["id"]].append(e["ph"])
            check("a flow is at the slice before it", (e["ns"], e["tid"]), at)
        elif "ns" in e:
            at = (e["ns"], e.get("tid"))
    check("flows", collections.Counter("".join(s) for s in steps.values()), {"stf": 5, "s": 3})


def check_all(events, found):
    scopes, others, _ = split(found)
    got = [(e["ns"], e["name"], e["pid"], e["tid"], e["args"]) for e in events if e["ph"] in "iX"]
    wanted = [(r["time"], r["event"], r["pid"], r["tid"], named(r["event"], r["args"])) for r in others]
    for g, w in zip(got, wanted):
        check("an event", g, w)
    check("events", len(got), len(wanted))
    check("slices", sorted(joined(slices(events))),
          sorted(((s.pid, s.tid), s.name, s.begin, s.end or 0) if s.end else
                 ((s.pid, s.tid), s.name, s.begin, None) for s in scopes if not s.is_async))
    check("asynchronous scopes", sorted(asynchronous(events)[0]),
          sorted((s.pid, s.name, s.begin, s.end) for s in scopes if s.is_async))
    begun = [e["args"] for e in events if e["ph"] in "Bb" and "continued" not in e["args"]]
    check("arguments of scopes", begun, [s.args for s in scopes])
    check("categories", {e["cat"] for e in events if e["ph"] in "Bi" and ":" in e["name"]}, {"Disk", "Net"})


def main():
    work = Work()
    events = load(work.trace)
    check_order(events)
    check_all(events, records(work.trace))
    check_flows(events)
    counted = load("--counter=level.level", "--counter=Disk:*.value", work.trace)
    values = collections.defaultdict(list)
    for e in counted:
        if e["ph"] == "C":
            values[e["name"]] += e["args"].values()
    check("counters", values, {"level.level": [0, 1, -2, 3, -4], "Disk:in flight.value": [-2, -1, 0, 1, 2]})
    for paths in work.all():
        events = load(*paths)
        found = records(*paths)
        check_order(events)
        slices(events)
        check(f"unfinished of {paths}", asynchronous(events)[1], 0)
        gaps = [e for e in events if "missing_packets" in e.get("args", {})]
        check(f"gaps of {paths}", [(e["ns"], e["args"]) for e in gaps],
              [(r["time"], r["gap"]) for r in found if "gap" in r])
        wanted = sum("event" in r and "scope_tid" not in r["args"] for r in found)
        check(f"events of {paths}", sum(e["ph"] in "iXBb" and "continued" not in e["args"] for e in events),
              wanted + len(gaps))
    finish()


if __name__ == "__main__":
    main()
