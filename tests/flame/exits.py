#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark flamegraph --from --to on traces of a real program: exits.py WAYMARK EXITS EVENTS.

The stacks must equal those that this script computes from the output of waymark print, and the
totals those of waymark latency, to the nanosecond.
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
from runs import run, walk  # noqa: E402
from losses import record_with_losses  # noqa: E402

WAYMARK, EXITS, EVENTS = map(os.path.realpath, sys.argv[1:4])
PAIR = ("--from=vcpu_exit", "--to=vcpu_enter")
DEVICES = (*PAIR, "--inside=device_*", "--per=reason,name")
REASONS = {2: "IO", 6: "MMIO"}


def record(trace, threads, exits, options=",full=block,buffer=16M", backend="ctf"):
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend={backend},file={trace}{options}")
    subprocess.run([EXITS, str(threads), str(exits)], env=environment, check=True, timeout=60)
    return trace


def tree(*arguments):
    """Returns {stack: (own time, count)}, and what was reported."""
    out, said = run("flamegraph", "--json", *arguments)
    return {path: (f["self"], f["count"]) for path, f in walk(json.loads(out)) if f["count"]}, said


def frame_name(event):
    """The name of a frame: the event, and its values of reason and name."""
    args = event["args"]
    reason = args.get("reason")
    words = [event["event"]]
    if reason is not None:
        words.append(REASONS.get(reason, str(reason)))
    if "name" in args:
        words.append("(null)" if args["name"] is None else args["name"])
    return " ".join(words)


def computed(trace):
    """The same from the output of waymark print, and the number of ends without a begin."""
    stacks, unbegun, spans = collections.defaultdict(lambda: [0, 0]), 0, {}

    def add(stack, ns, count=1):
        stacks[stack][0] += ns
        stacks[stack][1] += count

    for line in run("print", "--json", trace)[0].splitlines():
        event = json.loads(line, parse_float=decimal.Decimal)
        ns, thread = int(event["time"] * 1000000000), event["tid"]
        span = spans.get(thread)
        if event["event"] == "vcpu_exit":
            spans[thread] = [frame_name(event), ns, None]
        elif event["event"] == "vcpu_enter":
            unbegun += span is None
            if span:
                name, begin, part = spans.pop(thread)
                add((name, part) if part else (name,), ns - begin)
                if part:
                    add((name,), 0)
        elif span:
            name, begin, part = span
            if part:
                add((name, part), ns - begin)
                span[1] = ns
            span[2] = frame_name(event)
    return {stack: tuple(sums) for stack, sums in stacks.items()}, unbegun, len(spans)


def check_numbers(trace):
    wanted, unbegun, unfinished = computed(trace)
    found, said = tree("--by=name", *DEVICES, trace)
    check("stacks", found, wanted)
    check("names", ("vcpu_exit MMIO", "device_read rtc; index") in found, True)
    check("values without a name", ("vcpu_exit 5", "device_read (null)") in found, True)
    check("unbegun", f"{unbegun} ended without a beginning" in said, True)
    check("unfinished", f"{unfinished} unfinished" in said, True)
    rows = json.loads(run("latency", "--json", "--by=@tid", "--per=reason", *PAIR, trace)[0])
    totals = collections.Counter()
    for stack, (ns, _) in found.items():
        totals[stack[0]] += ns
    check("latency", {f"vcpu_exit {r['group']}": r["total_ns"] for r in rows["latencies"] if r["count"]},
          dict(totals))
    by_thread = tree(*DEVICES, trace)[0]
    check("threads", len({stack[:2] for stack in by_thread}), 3)
    alone = tree("--by=name", *PAIR, trace)[0]
    check("without parts", alone[("vcpu_exit",)][0], sum(totals.values()))
    chosen = tree("--by=name", "--scope=vcpu_exit MMIO", *DEVICES, trace)[0]
    check("--scope", chosen, {s: v for s, v in wanted.items() if s[0] == "vcpu_exit MMIO"})


def check_all_time(trace):
    """Events of both sides divide all the time of a thread."""
    both = "--from=vcpu_*", "--to=vcpu_*", "--per=reason,call"
    found, said = tree("--by=name", *both, trace)
    check("calls", {s[0] for s in found}, {"vcpu_exit IO", "vcpu_exit MMIO", "vcpu_exit 5",
                                           "vcpu_enter 0", "vcpu_enter 1", "vcpu_enter 2"})
    events = [json.loads(line, parse_float=decimal.Decimal)
              for line in run("print", "--json", trace)[0].splitlines()]
    times = collections.defaultdict(list)
    for event in events:
        if event["event"].startswith("vcpu_"):
            times[event["tid"]].append(int(event["time"] * 1000000000))
    check("all time", sum(ns for ns, _ in found.values()),
          sum(t[-1] - t[0] for t in times.values()))
    check("reported", "3 unfinished" in said and "3 ended without" in said, True)


def check_losses(folder):
    """A span with a loss of its thread inside is not drawn."""
    trace = record_with_losses(WAYMARK, lambda attempt: record(
        f"{folder}/lost{attempt}", 2, 200000, ",full=discard,buffer=1M"))
    out, said = run("flamegraph", "--json", "--by=name", *DEVICES, trace)
    known = json.loads(run("info", "--json", trace)[0])
    if not known["lost"]:
        print("left out: no events were lost")
        return
    check(f"losses are reported: {said}", "events were lost in" in said, True)
    stacks = {path for path, f in walk(json.loads(out)) if f["count"]}
    # These exits have these devices; a pair of two exits would show others.
    wanted = {"vcpu_exit MMIO": {"device_read rtc; index", "device_write ide", "device_read ide"},
              "vcpu_exit IO": {"device_write serial"}, "vcpu_exit 5": {"device_read (null)"}}
    check("nothing is guessed", {s for s in stacks if len(s) == 2 and s[1] not in wanted[s[0]]}, set())


def check_simple(folder, trace):
    """QEMU's files have no threads; a trace without declarations has no fields."""
    simple = record(f"{folder}/simple", 1, 10, "", "simple")
    said = run("flamegraph", "-e", EVENTS, *PAIR, simple, status=1)[1]
    check(f"no threads: {said}", "events without a thread" in said, True)
    out, said = run("flamegraph", *PAIR, "--thread=1", trace)
    check(f"nothing selected: {said}", "nothing to draw: no selected record is 'vcpu_exit'" in said, True)


def check_bad_input(folder, trace):
    for arguments, status, words in (
            (["--from=vcpu_exit", trace], 2, "--to is missing"),
            (["--to=vcpu_exit", trace], 2, "--from is missing"),
            (["--inside=x", trace], 2, "--inside needs --from and --to"),
            (["--per=reason", trace], 2, "--per needs --from and --to"),
            ([*PAIR, "--per=", trace], 2, "--per: the name of a field is missing"),
            ([*PAIR, "--per=reason,", trace], 2, "--per: the name of a field is missing"),
            ([*PAIR, "--per=a,b,c,d,e,f,g,h,i", trace], 2, "--per takes at most 8 fields"),
            (["--from=/(/", trace], 2, "is not a regular expression"),
            (["--from=vcpu_exitt", "--to=vcpu_enter", trace], 1, "did you mean 'vcpu_exit'?"),
            ([*PAIR, "--inside=devise_read", trace], 1, "did you mean 'device_read'?"),
            ([*PAIR, "--per=reson", trace], 1, "no event of --from or --inside has a field 'reson'; "
             "'vcpu_exit' has cpu, reason, @pid, @tid"),
            ([*PAIR, "--per=name", trace], 1, "has a field 'name'")):
        out, said = run("flamegraph", *arguments, "-o", f"{folder}/out.svg", status=status)
        check(f"{arguments}: {said}", words in said, True)
        check("no picture", (out, os.path.exists(f"{folder}/out.svg")), ("", False))


with tempfile.TemporaryDirectory() as work:
    record(f"{work}/exits", 3, 4000)
    check_numbers(f"{work}/exits")
    check_all_time(f"{work}/exits")
    check_losses(work)
    check_simple(work, f"{work}/exits")
    check_bad_input(work, f"{work}/exits")
finish()
