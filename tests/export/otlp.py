#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that spans for OpenTelemetry are the scopes and lives of traces: otlp.py WAYMARK PROGRAM REQUESTS"""

import json
import re

from common import MADE, check, export, finish, records, run, split
from otlp_common import SECRETS, TRACE_ID, Requests, parse

HEX = re.compile("[0-9a-f]+")


def spans(*arguments, **others):
    return parse(export("otlp", *arguments, **others))


def sql(query, trace):
    return json.loads(run("sql", "--json", trace, query)[0] or "[]")


def lives_of(spans_):
    return [s for s in spans_ if "waymark.event" in s["with"]]


def scopes_of(spans_):
    return [s for s in spans_ if "waymark.event" not in s["with"]]


def named(spans_, name):
    return [s for s in spans_ if s["name"] == name]


def check_form(found):
    """Ids are hexadecimal, never 0, of one span each; parents are spans of the trace, links of another."""
    known = {}
    for s in found:
        check("a trace's id", (len(s["traceId"]), bool(HEX.fullmatch(s["traceId"]))), (32, True))
        check("a span's id", (len(s["spanId"]), bool(HEX.fullmatch(s["spanId"]))), (16, True))
        check("ids that are 0", int(s["traceId"], 16) == 0 or int(s["spanId"], 16) == 0, False)
        check("the kind", s["kind"], 1)
        check("times", s["begin"] <= s["end"], True)
        check(f"{s['spanId']} is new", s["spanId"] in known, False)
        known[s["spanId"]] = s
    for s in found:
        parent = known.get(s.get("parentSpanId"))
        if "parentSpanId" in s:
            check("a parent", (parent is not None, parent and parent["traceId"]), (True, s["traceId"]))
            check("a child begins in its parent", parent["begin"] <= s["begin"], True)
        for link in s.get("links", []):
            check("a link", known[link["spanId"]]["traceId"], link["traceId"])
            check("a link leads to another trace", link["traceId"] != s["traceId"], True)
    return known


def parents(scopes):
    """Yields each scope with the synchronous one of its thread that it began in, or None."""
    open_ = {}
    for s in sorted(scopes, key=lambda s: s.begin):
        stack = open_.setdefault((s.pid, s.tid), [])
        while stack and stack[-1].end is not None and stack[-1].end <= s.begin:
            stack.pop()
        yield s, stack[-1] if stack else None
        if not s.is_async:
            stack.append(s)


def check_scopes(trace, found):
    """The scopes are those of the records: names, lengths, threads, those around them."""
    scopes = split(records(trace))[0]
    last = max(r["time"] for r in records(trace))
    offset = min(s["begin"] for s in scopes_of(found)) - min(s.begin for s in scopes)
    check("scopes", sorted((s["name"], s["begin"], s["end"], s["with"]["thread.id"]) for s in scopes_of(found)),
          sorted((s.name, s.begin + offset, (s.end or last) + offset, s.tid) for s in scopes))
    check("unfinished scopes", [s["name"] for s in scopes_of(found) if s["with"].get("waymark.outcome") == "unfinished"],
          [s.name for s in scopes if s.end is None])
    known = {(s["name"], s["begin"], s["with"]["thread.id"]): s for s in found}
    by_id = {s["spanId"]: s for s in found}
    for s, around in parents(scopes):
        span = known[s.name, s.begin + offset, s.tid]
        at = span.get("parentSpanId") or (span["links"] or [{}])[0].get("spanId")
        if "io" not in span["with"]:  # else a life may be the parent
            check(f"around {s.name} at {s.begin}", at and (by_id[at]["name"], by_id[at]["begin"]),
                  around and (around.name, around.begin + offset))
    realtime, = sql("SELECT realtime FROM processes", trace)
    check("the clock", offset, realtime["realtime"])


def check_lives(trace, found):
    keyed = {e["event"] for e in sql("SELECT event FROM declarations WHERE is_key = 1 AND event NOT IN "
                                     "(SELECT event FROM declarations WHERE field = 'scope')", trace)}
    rows = [r for r in sql("SELECT life, time, duration, first, outcome, events FROM lives", trace)
            if r["first"] in keyed]
    realtime, = sql("SELECT realtime FROM processes", trace)
    check("lives", sorted((s["name"], s["begin"], s["end"] - s["begin"], s["with"]["waymark.event"],
                           s["with"].get("waymark.outcome", "ended"),
                           1 + len(s["events"]) + s["droppedEventsCount"]) for s in lives_of(found)),
          sorted((r["life"], r["time"] + realtime["realtime"], r["duration"], r["first"], r["outcome"], r["events"]) for r in rows))


def check_events(trace, found):
    """Each event is in one place, or counted: as a begin, an end, a span event, or outside."""
    every = [r for r in records(trace) if "event" in r]
    ends = sum("scope_tid" in r["args"] for r in every)
    inside = sum(len(s["events"]) + s["droppedEventsCount"] for s in found)
    error = run("export", "--to=otlp", trace)[1]
    outside = re.search(r"(\d+) events outside of all spans", error)
    check(f"events of {trace}", len(found) + inside + ends + int(outside[1] if outside else 0), len(every))
    unfinished = sum("waymark.outcome" in s["with"] for s in found)
    noted = re.search(r"(\d+) spans did not end", error)
    check("unfinished spans", int(noted[1] if noted else 0), unfinished)


def check_nest(found):
    known = {s["spanId"]: s for s in found}
    for s in named(found, "parse") + named(found, "vault"):
        check(f"around {s['name']}", known[s["parentSpanId"]]["name"], "handle")
    for s in named(found, "Net:inside"):
        check("around inside", known[s["parentSpanId"]]["name"], "vault")
    for s in named(found, "io"):
        if "waymark.outcome" not in s["with"]:
            around = known[s["links"][0]["spanId"]]
            check("a life is linked to where it began", around["name"], "parse")
            check("steps", [e["name"] for e in s["events"]], ["io_retry", "io_complete"])
    notes = [e for s in named(found, "handle") for e in s["events"]]
    check("events within", {e["name"] for e in notes}, {"note"})
    steps = [e["name"] for s in named(found, "Net:packet") for e in s["events"]]
    check("steps of an asynchronous scope", steps, ["Net:queued"])


def check_values(found):
    first = min(named(found, "parse"), key=lambda s: s["begin"])
    check("a number that is none", first["with"]["ratio"], "Infinity")
    check("text that is not UTF-8", first["with"]["raw"], "bad \\xff \"text\"\\n")
    check("a number above 2^63", {s["with"]["large"] for s in named(found, "io")}, {str(2**64 - 1), 0})
    check("pointers", {s["with"]["at"] for s in named(found, "object")}, {"0x7f00"})
    resource = found[0]["resource"]
    check("the resource", set(resource), {"service.name", "host.name", "process.pid", "waymark.trace.uuid"})
    check("the program", resource["service.name"], "export-requests")
    first = min(named(found, "handle"), key=lambda s: s["begin"])
    check("an id of OpenTelemetry", (first["with"]["request"], first["traceId"]), (TRACE_ID, TRACE_ID))
    check("a scope's number", [s for s in found if "scope" in s["with"]], [])


def check_secrets(trace, found):
    data = export("otlp", trace).decode()
    printed = run("print", trace, errors="replace")[0]
    for secret in SECRETS:
        check(f"{secret} is in the trace", secret in printed, True)
        check(f"{secret} leaves", secret in data, False)
    # A secret key names no trace: the spans are of the one around them.
    known = {s["spanId"]: s for s in found}
    for s in named(found, "vault"):
        check("the trace of a secret key", s["traceId"], known[s["parentSpanId"]]["traceId"])


def check_shared(work, front, back):
    """The same key is the same trace in two programs, exported alone or together."""
    def traces(found, name, key):
        return {s["with"][key]: s["traceId"] for s in named(found, name)}

    for name, key in ("handle", "request"), ("io", "io"):
        ours, theirs = traces(front, name, key), traces(back, name, key)
        shared = set(ours) & set(theirs)
        check(f"keys of {name}", len(shared) >= 2, True)
        check(f"traces of {name}", {k: ours[k] for k in shared}, {k: theirs[k] for k in shared})
        check(f"different keys of {name}", len(set(ours.values())), len(ours))
    check("a pointer is of one program", {s["traceId"] for s in named(front, "object")} &
          {s["traceId"] for s in named(back, "object")}, set())
    both = spans(work.front, work.back)
    strip = lambda found: sorted((s["traceId"], s["spanId"], s.get("parentSpanId"), s["name"], s["begin"], s["end"])
                                 for s in found)
    # The end of an unfinished scope is that of its own trace.
    check("spans of two traces", strip(both), strip(front + back))
    check("programs", len({s["resource"]["waymark.trace.uuid"] for s in both}), 2)


def check_full(work):
    found = spans(work.full)
    for name, events in ("parse", 1000), ("io", 1001):
        full, = [s for s in named(found, name) if s["droppedEventsCount"]]
        check(f"events of {name}", len(full["events"]) + full["droppedEventsCount"], events)
        check(f"size of {name}", 60 << 10 < len(json.dumps(full["events"], separators=(",", ":"))) < 65 << 10, True)
    check("the end has a place", full["events"][-1]["name"], "io_complete")
    many = work.serve("many", 1500)
    lines = export("otlp", many).splitlines()
    found = parse(export("otlp", many))
    check("requests are full", [len(line) >= 512 << 10 for line in lines], [True] * (len(lines) - 1) + [False])
    check("several requests", len(lines) > 2, True)
    check_form(found)
    check_scopes(many, found)
    check_lives(many, found)


def check_selection(work, front):
    chosen = spans("--where=bytes >= 10", work.front)
    check("selected", sorted((s["name"], s["with"]["bytes"]) for s in chosen), [("handle", 10), ("handle", 20)])
    chosen = spans("--event=io_*", work.front)
    check("by name", sorted(s["spanId"] for s in chosen), sorted(s["spanId"] for s in front if s["name"] == "io"))
    error = run("export", "--to=otlp", "--event=note", work.front)
    check("no spans", (error[0], "there are no spans" in error[1]), ("", True))


def check_parents(trace, found):
    """No scope is taken for a parent if events were lost since it began: it may have ended."""
    gaps = [r for r in records(trace) if "gap" in r]
    known = {s["spanId"]: s for s in found}
    realtime = {r["pid"]: r["realtime"] for r in sql("SELECT pid, realtime FROM processes", trace)}
    for s in found:
        parent = known.get(s.get("parentSpanId"))
        pid = s["resource"].get("process.pid")
        if parent and "waymark.event" not in parent["with"] and pid in realtime:
            between = [g for g in gaps if g.get("pid", pid) == pid and g.get("tid", 0) in (0, s["with"]["thread.id"]) and
                       parent["begin"] < g["time"] + realtime[pid] <= s["begin"]]
            check(f"losses between {parent['name']} and {s['name']}", between, [])


def check_losses(work):
    """A program that records faster than its memory is written: each event that is left has its place."""
    for rounds in 20000, 40000, 80000, 160000:  # the writer may be fast
        trace = work.serve(f"lossy-{rounds}", rounds, options="buffer=1M,full=discard")
        gaps = sql("SELECT lost FROM gaps WHERE tid > 0", trace)
        if gaps:
            break
    check("events were lost", len(gaps) > 0, True)
    found = spans(trace)
    check_form(found)
    check_events(trace, found)
    check_parents(trace, found)
    check("losses have a note", "--to=otlp has no place for that" in run("export", "--to=otlp", trace)[1], True)


def check_made(work):
    """Traces with losses, other hosts, other byte orders: what is missing is reported."""
    for name in MADE:
        trace = work.path / name
        data, error = run("export", "--to=otlp", trace)
        found = parse(data.encode())
        check_form(found)
        check_events(trace, found)
        check_parents(trace, found)
        lost = sum(sum(r["gap"].values()) for r in records(trace) if "gap" in r)
        check(f"losses of {name}", "--to=otlp has no place for that" in error, lost > 0)


def check_undeclared(work):
    raw = [r["raw"] for r in records(work.path / "v4") if "raw" in r]
    data, error = run("export", "--to=otlp", work.path / "v4")
    check("events without a declaration", (data, f"{len(raw)} events outside" in error), ("", True))
    empty = work.path / "empty"
    empty.write_bytes(b"")
    check("an empty file", run("export", "--to=otlp", empty, status=1)[0], "")


def main():
    work = Requests()
    found = {trace: spans(trace) for trace in (work.front, work.back, work.full, work.trace)}
    for trace, of in found.items():
        check_form(of)
        check_scopes(trace, of)
        check_lives(trace, of)
        check_events(trace, of)
        check("the same once more", export("otlp", trace), export("otlp", trace))
    check_nest(found[work.front])
    check_values(found[work.front])
    check_secrets(work.full, found[work.full])
    check_shared(work, found[work.front], found[work.back])
    check_full(work)
    check_selection(work, found[work.front])
    check_losses(work)
    check_made(work)
    check_undeclared(work)
    finish()


if __name__ == "__main__":
    main()
