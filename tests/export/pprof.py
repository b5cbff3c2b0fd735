#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests profiles: pprof.py WAYMARK PROGRAM DECLARATIONS. Their stacks are those of the flame graph."""

import collections
import gzip
import json

from common import Work, check, export, finish, run
from protobuf import message, one


class Profile:
    def __init__(self, data):
        found = message(gzip.decompress(data))
        self.texts = [t.decode() for t in found[6]]
        check("the first text", self.texts[0], "")
        check("texts are written once", len(set(self.texts)), len(self.texts))
        functions = {one(f, 1): self.texts[one(f, 2)] for f in map(message, found.get(5, []))}
        self.names = {one(at, 1): functions[one(message(one(at, 4)), 1)]
                      for at in map(message, found.get(4, []))}
        self.types = [(self.texts[one(t, 1)], self.texts[one(t, 2)]) for t in map(message, found[1])]
        self.samples = collections.Counter()
        self.counts = collections.Counter()
        for sample in map(message, found.get(2, [])):
            stack = tuple(self.names[at] for at in reversed(sample[1]))
            count, time = sample[2]
            self.samples[stack] += time
            self.counts[stack] += count
        self.default = self.texts[one(found, 14)]
        self.start, self.duration = one(found, 9, 0), one(found, 10)


def stacks(frame, path=()):
    """Yields (stack, own time, count) of the flame graph's frames that have ended scopes."""
    path += (frame["name"],)
    if frame["count"] and len(path) > 1:
        yield path[1:], frame["self"], frame["count"]
    for child in frame["children"]:
        yield from stacks(child, path)


def check_trace(paths, *options):
    profile = Profile(export("pprof", *options, *paths))
    wanted = list(stacks(json.loads(run("flamegraph", "--json", *options, *paths)[0])))
    check(f"times of {paths}", profile.samples, {stack: own for stack, own, _ in wanted})
    check(f"counts of {paths}", profile.counts, {stack: count for stack, _, count in wanted})
    check("types", profile.types, [("scopes", "count"), ("time", "nanoseconds")])
    check("default", profile.default, "time")
    return profile


def check_where(work, count):
    """An expression selects scopes, and the time of all that is inside of them."""
    for where in '@event == "Disk:request"', "scope % 2 == 0", '@event =~ "*_end" && scope_tid != 0':
        profile = check_trace([work.trace], "--where", where)
        check(f"some of the stacks of {where}", 0 < len(profile.samples) <= count, True)
    inside = check_trace([work.trace], "--where", '@event == "Disk:request"').samples
    check("scopes inside", ("Disk:request", "Disk:read (zero)", "Disk:outer") in {stack[-3:] for stack in inside}, True)
    check("scopes around", [stack for stack in inside if "Disk:request" not in stack], [])
    error = run("export", "--to=pprof", "--where", "scope == 12345", work.trace, errors="replace")[1]
    check("why it is empty", "the profile is empty: no selected scope began and ended" in error, True)


def main():
    work = Work()
    profile = check_trace([work.trace])
    check("stacks", len(profile.samples) > 5, True)
    check("a stack", any(stack[-3:] == ("Disk:request", "Disk:read (zero)", "Disk:outer")
                         for stack in profile.samples), True)
    span = json.loads(run("info", "--json", work.trace)[0])
    check("duration", profile.duration, span["last_ns"] - span["first_ns"])
    check_where(work, len(profile.samples))
    for paths in work.all():
        check_trace(paths)
    finish()


if __name__ == "__main__":
    main()
