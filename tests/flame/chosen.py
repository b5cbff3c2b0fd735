#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark flamegraph --where on random traces: chosen.py WAYMARK CHOSEN NESTED.

The stacks must equal those that this script computes from the output of waymark print: it keeps all
spans, each with the span around it, and asks at the end which of them, or of those around, an
expression chose.
"""
import collections
import decimal
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402
from runs import record, run, walk  # noqa: E402
from losses import record_with_losses  # noqa: E402

WAYMARK, CHOSEN, NESTED = map(os.path.realpath, sys.argv[1:4])
VISITS = ("--from=visit_from", "--to=visit_to", "--inside=visit_part", "--per=value")
FIRST_NESTED = 1 << 31
KEEPS_ALL = ",full=block,buffer=16M"
# Expressions, and the same in Python.
EXPRESSIONS = {
    "value == 3": lambda e: e.args.get("value") == 3,
    "value < 2 && @event != \"visit_part\"":
        lambda e: e.args.get("value", 9) < 2 and e.name != "visit_part",
    "@event == \"scope_two_end\" && scope % 9 == 0":
        lambda e: e.name == "scope_two_end" and e.args["scope"] % 9 == 0,
    "@event == \"visit_to\" && value >= 5": lambda e: e.name == "visit_to" and e.args["value"] >= 5,
    "@event == \"visit_part\" && value == 1":
        lambda e: e.name == "visit_part" and e.args["value"] == 1,
    "scope_tid == 1": lambda e: e.args.get("scope_tid") == 1,
    "scope % 40 == 7": lambda e: "scope" in e.args and e.args["scope"] % 40 == 7,
}
REPORTED = {
    "unfinished": "unfinished: the trace ends first",
    "unbegun": "ended without a beginning, as after a fork or when the trace began",
    "begun_twice": "begun once more before their end",
    "elsewhere": "ended on another thread and are shown as asynchronous: scopes begun inside them "
                 "stay below their names",
}


class Event:
    def __init__(self, number, line):
        self.number = number
        event = json.loads(line, parse_float=decimal.Decimal)
        self.name, self.args, self.tid = event["event"], event["args"], event["tid"]
        self.ns = int(event["time"] * 1000000000)


class Span:
    """A scope, a visit or a part of one; `events` are its own, by which it can be chosen."""

    def __init__(self, name, begin, around, is_nested):
        self.name, self.begin, self.around, self.is_nested = name, begin, around, is_nested
        base = () if is_nested else ("[asynchronous]",)
        self.path = (around.path if around else base) + (name,)
        self.events, self.own, self.state, self.part = [begin], 0, "open", None
        self.last = None  # the event that ended or dropped it

    def is_chosen(self, expression, until=sys.maxsize):
        return any(expression(e) for e in self.events if e.number <= until)

    def counts(self, expression):
        if self.state == "elsewhere":  # drawn in no other scope
            return self.is_chosen(expression)
        return self.has_chosen(expression)

    def has_chosen(self, expression, until=sys.maxsize):
        span = self
        while span and not span.is_chosen(expression, until):
            span = span.around
        return span is not None


class Reference:
    def __init__(self, trace):
        self.stacks, self.last = collections.defaultdict(list), {}
        self.open, self.all, self.unbegun = {}, [], []
        for number, line in enumerate(run("print", "--json", "--time=abs", trace)[0].splitlines()):
            event = Event(number, line)
            self.end_ns = event.ns
            self.add(event)
        for tid in list(self.stacks):
            self.turn(tid, self.end_ns)
        for span in self.open.values():
            if not span.is_nested:
                span.own = self.end_ns - span.begin.ns

    def turn(self, tid, ns):
        """The time until now is that of the innermost span."""
        if self.stacks[tid]:
            self.stacks[tid][-1].own += ns - self.last[tid]
        self.last[tid] = ns

    def push(self, name, event, is_nested=True):
        stack = self.stacks[event.tid]
        self.turn(event.tid, event.ns)
        span = Span(name, event, stack[-1] if stack and is_nested else None, is_nested)
        self.all.append(span)
        if is_nested:
            stack.append(span)
        return span

    def pop(self, span, event, state):
        """Takes a span out, from wherever it is in its stack."""
        span.state, span.last = state, event
        if span.is_nested:
            self.turn(span.begin.tid, event.ns)
            self.stacks[span.begin.tid].remove(span)

    def begin(self, key, name, event, is_nested=True):
        other = self.open.pop(key, None)
        if other:
            if other.part:
                self.pop(other.part, event, "dropped")
                other.own += other.part.own
            self.pop(other, event, "dropped")
        self.open[key] = self.push(name, event, is_nested)

    def end(self, key, event):
        span = self.open.pop(key, None)
        if not span:
            self.unbegun.append(event)
            return
        if span.part:
            self.pop(span.part, event, "ended")
        span.events.append(event)
        is_elsewhere = span.is_nested and event.tid != span.begin.tid
        self.pop(span, event, "elsewhere" if is_elsewhere else "ended")
        if is_elsewhere or not span.is_nested:
            span.own = event.ns - span.begin.ns
        if is_elsewhere:
            span.path = ("[asynchronous]", span.name)

    def divide(self, key, name, event):
        span = self.open.get(key)
        if not span or self.stacks[event.tid][-1] is not (span.part or span):
            return
        self.turn(event.tid, event.ns)
        is_first = not span.part
        if span.part:
            self.pop(span.part, event, "ended")
        span.part = self.push(name, event)
        if is_first:
            span.part.own, span.own = span.own, 0

    def add(self, event):
        number, key = event.args.get("scope"), (event.tid, "visit")
        if event.name.endswith("_end"):
            name = event.name[:-len("_end")]
            self.end((event.args["scope_tid"], name, number), event)
        elif number is not None:
            self.begin((event.tid, event.name, number), event.name, event, number >= FIRST_NESTED)
        elif event.name == "visit_to":
            self.end(key, event)
        else:
            name = f"{event.name} {event.args['value']}"
            (self.begin if event.name == "visit_from" else self.divide)(key, name, event)

    def tree(self, expression, with_unfinished):
        """Returns {path: (own time, count)} of all frames that are drawn."""
        found = collections.defaultdict(lambda: [0, 0])
        states = {"ended", "elsewhere"} | ({"open"} if with_unfinished else set())
        for span in self.all:
            if span.state in states and span.counts(expression):
                for depth in range(len(span.path)):
                    found[span.path[:depth + 1]][1] += depth + 1 == len(span.path)
                found[span.path][0] += span.own
        return {path: tuple(sums) for path, sums in found.items()}

    def reported(self, expression):
        parts = [s for s in self.all if s.name.startswith("visit_part")]
        spans = [s for s in self.all if s not in parts]
        # When a span is dropped, the ends of those around it are not known yet.
        return {"unfinished": sum(s.state == "open" and s.has_chosen(expression) for s in spans),
                "begun_twice": sum(s.state == "dropped" and s.has_chosen(expression, s.last.number)
                                   for s in spans),
                "unbegun": sum(map(expression, self.unbegun)),
                "elsewhere": sum(s.state == "elsewhere" and s.counts(expression) for s in spans)}


def tree(*arguments):
    """Returns {path: (own time, count)}, and what was reported."""
    out, said = run("flamegraph", "--json", "--by=name", *arguments)
    found = {path: (f["self"], f["count"]) for path, f in walk(json.loads(out)) if path}
    return found, said


def check_tree(what, found, wanted):
    different = {path: (found.get(path), wanted.get(path)) for path in {*found, *wanted}
                 if found.get(path) != wanted.get(path)}
    check(f"{what}: {len(different)} frames differ", dict(list(different.items())[:3]), {})


def check_random(trace):
    reference = Reference(trace)
    everything = tree(*VISITS, trace)[0]
    check_tree("without --where", everything, reference.tree(lambda e: True, False))
    check_tree("all", tree("--where=@pid > 0", *VISITS, trace)[0], everything)
    for text, expression in EXPRESSIONS.items():
        for unfinished in (False, True):
            found, said = tree(f"--where={text}", *VISITS, trace, *["--unfinished"] * unfinished)
            wanted = reference.tree(expression, unfinished)
            check_tree(f"{text}, {unfinished}", found, wanted)
        for key, count in reference.reported(expression).items():
            line = f": {count} {REPORTED[key]}\n"
            check(f"{text}: {key} {count}: {said}", (REPORTED[key] in said, line in said), (count > 0,) * 2)
    return {text: len(reference.tree(e, False)) for text, e in EXPRESSIONS.items()}


def check_forms(folder, trace):
    """The folded text and the picture have the same frames."""
    option = "--where=value == 3"
    found = tree(option, trace)[0]
    lines = run("flamegraph", "--folded", "--by=name", option, trace)[0].splitlines()
    check("folded", {tuple(line.rsplit(" ", 1)[0].split(";")): int(line.rsplit(" ", 1)[1])
                     for line in lines}, {path: own for path, (own, _) in found.items() if own})
    own = sum(own for own, _ in found.values())
    run("flamegraph", "--by=name", option, "-o", f"{folder}/out.svg", trace)
    with open(f"{folder}/out.svg", encoding="utf-8") as file:
        check("the picture's total", f'data-total="{own}"' in file.read(), True)
    picture = f"{folder}/diff.svg"
    run("diff", option, f"--flamegraph={picture}", "-o", f"{folder}/text", trace, trace)
    with open(picture, encoding="utf-8") as file:
        check("the total of diff's picture", f'data-total="{own}"' in file.read(), True)


def check_losses(folder):
    """Spans around selected ones stay, also where losses make their frames doubtful."""
    trace = record_with_losses(WAYMARK, lambda attempt: record(
        f"{folder}/lost{attempt}", NESTED, "2", "300000", options=",full=discard,buffer=1M"))
    everything = tree(trace)[0]
    check_tree("all, with losses", tree("--where=@pid > 0", trace)[0], everything)
    innermost = "--where=size == 8"  # there is nothing in these
    rows = json.loads(run("scopes", "--json", innermost, trace)[0])["scopes"]
    found = {path: sums for path, sums in tree(innermost, trace)[0].items() if sums[1]}
    check("what is selected", {path[-1]: (sum(own for own, _ in found.values()),
                                          sum(count for _, count in found.values()))
                               for path in found}, {r["name"]: (r["self_ns"], r["count"]) for r in rows})
    # A scope eight deep in the picture is one of these: a lost scope makes stacks less deep.
    check_tree("the innermost", {p: sums for p, sums in found.items() if len(p) == 8},
               {p: sums for p, sums in everything.items() if len(p) == 8 and p[-1] == "reserve"})
    found = tree("--where=@event =~ \"init_ram*\"", trace)[0]
    check_tree("inside others", {p: sums for p, sums in found.items() if "init_ram" in p},
               {p: sums for p, sums in everything.items() if "init_ram" in p})


def check_bad_input(trace):
    for arguments, status, words in (
            (["--where=value == 3", "--kernel=/dev/null"], 2, "--kernel has no --where"),
            (["--where=value == 3", "--where=value == 4"], 2, "--where is given twice"),
            (["--where=value =="], 2, "--where: "),
            (["--where=valeu == 3"], 1, "--where: ")):
        out, said = run("flamegraph", *arguments, trace, status=status)
        check(f"{arguments}: {said}", (out, words in said), ("", True))
    out, said = run("flamegraph", "--json", "--where=value == 11", trace)
    check(f"nothing: {said}", "nothing to draw: no selected scope began and ended" in said, True)
    check("an empty picture", json.loads(out)["children"], [])


with tempfile.TemporaryDirectory() as work:
    frames = collections.Counter()
    for seed in range(12):
        frames.update(check_random(record(f"{work}/{seed}", CHOSEN, str(seed), "2000", options=KEEPS_ALL)))
    none = frames.pop("scope_tid == 1")  # only of ends without a begin
    check(f"frames of each expression: {dict(frames)}", (none, min(frames.values()) > 99), (0, True))
    check_forms(work, f"{work}/1")
    check_bad_input(f"{work}/1")
    check_losses(work)
finish()
