#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark scopes on real traces: scopes.py WAYMARK FORMS NESTED NAMES.

The numbers must equal the sums that this script computes from the output of waymark print.
"""
import csv
import decimal
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402
from losses import record_with_losses  # noqa: E402

WAYMARK, FORMS, NESTED, NAMES = map(os.path.realpath, sys.argv[1:5])


def waymark(*arguments):
    return subprocess.run([WAYMARK, *arguments], check=True, text=True, timeout=60,
                          stdout=subprocess.PIPE).stdout


def record(trace, *program, options=""):
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,file={trace}{options}")
    subprocess.run(program, env=environment, check=True, timeout=60, stdout=subprocess.DEVNULL)
    return trace


def added_up(trace):
    """Returns {name: (total, self, sorted lengths)} of a complete trace of nested scopes."""
    stacks, sums = {}, {}
    for line in waymark("print", "--json", "--time=abs", trace).splitlines():
        event = json.loads(line, parse_float=decimal.Decimal)
        name, ns = event["event"], int(event["time"] * 1000000000)
        stack = stacks.setdefault((event["pid"], event["tid"]), [])
        if not name.endswith("_end"):
            stack.append([name, ns, 0])
            continue
        begun, begin, children = stack.pop()
        assert begun + "_end" == name
        if stack:
            stack[-1][2] += ns - begin
        row = sums.setdefault(begun, [0, 0, []])
        row[0] += ns - begin
        row[1] += ns - begin - children
        row[2].append(ns - begin)
    return sums


def check_numbers(trace):
    sums = added_up(trace)
    told = json.loads(waymark("scopes", "--json", trace))
    check("names", sorted(r["name"] for r in told["scopes"]), sorted(sums))
    check("order", [r["total_ns"] for r in told["scopes"]],
          sorted((s[0] for s in sums.values()), reverse=True))
    for row in told["scopes"]:
        total, own, lengths = sums[row["name"]]
        lengths.sort()
        exact = {"count": len(lengths), "total_ns": total, "self_ns": own, "min_ns": lengths[0],
                 "max_ns": lengths[-1], "average_ns": total // len(lengths), "unfinished": 0,
                 "unbegun": 0, "end_lost": 0, "begin_lost": 0, "begun_twice": 0}
        for key, value in exact.items():
            check(f"{row['name']}: {key}", row[key], value)
        for percent in (50, 90, 99):
            value = lengths[-(-percent * len(lengths) // 100) - 1]
            if abs(row[f"p{percent}_ns"] - value) > value / 100:
                check(f"{row['name']}: p{percent}", row[f"p{percent}_ns"], value)
    rows = list(csv.DictReader(io.StringIO(waymark("scopes", "--csv", trace))))
    check("csv", [{k: v if k == "name" else int(v) for k, v in r.items()} for r in rows],
          told["scopes"])


def check_table(trace):
    """A scope that ends on another thread is a span like any other."""
    lines = waymark("scopes", trace).splitlines()
    check("titles", lines[0].split(),
          "SCOPE COUNT TOTAL SELF AVERAGE MIN P50 P90 P99 MAX".split())
    check("rows", sorted(tuple(line.split()[:2]) for line in lines[1:]),
          [("init_ram", "1"), ("render", "1")])


def check_fork(folder):
    """The child's trace ends scopes that its parent began; both traces together have equal numbers
    of begins and ends.
    """
    traces = [os.path.join(folder, n) for n in os.listdir(folder) if n.startswith("fork")]
    check("traces of a fork", len(traces), 2)
    told = json.loads(waymark("scopes", "--json", *traces))
    check("unbegun", told["unbegun"], 1)
    check("counts", {r["name"]: r["count"] for r in told["scopes"]},
          {"init_ram": 2, "reserve": 1})
    last = waymark("scopes", *traces).splitlines()[-1]
    check("last line", last,
          "1 ended without a beginning, as after a fork or when the trace began")


def check_losses(trace):
    """Lost events cause no wrong span: the counts of events add up."""
    info = json.loads(waymark("info", "--json", trace))
    told = json.loads(waymark("scopes", "--json", trace))
    spans = sum(r["count"] for r in told["scopes"])
    alone = sum(told[k] for k in ("unfinished", "end_lost", "unbegun", "begin_lost",
                                  "begun_twice"))
    # A sanitizer can make the program slower than its writer, so that no event is lost.
    if info["lost"] + info["overwritten"] == 0 and not os.environ.get("WAYMARK_SANITIZER"):
        check("events were lost", False, True)
    check("events", 2 * spans + alone, info["events"])
    check("unexplained", (told["unfinished"], told["unbegun"], told["begun_twice"]), (0, 0, 0))


def check_names(trace):
    """Names of any text are the same in every form; patterns find them."""
    wanted = ['VirtioFs:READ[10], "quoted"', "VirtioFs:read (zero-message)",
              "VirtioFs:two: lines_end"]
    told = json.loads(waymark("scopes", "--json", trace))
    check("names in JSON", sorted((r["name"], r["count"]) for r in told["scopes"]),
          [(name, 3) for name in wanted])
    rows = csv.DictReader(io.StringIO(waymark("scopes", "--csv", trace), newline=""))
    check("names in CSV", sorted(r["name"] for r in rows), wanted)
    text = waymark("scopes", trace)
    check("names in text", [n in text for n in wanted], [True] * 3)
    for pattern, count in (("VirtioFs:read (zero-message)", 1), ("*READ[10]*", 1), ("*:?????*", 3),
                           ("/READ.10/", 1), ("/^VirtioFs:(read|two)/", 2)):
        found = json.loads(waymark("scopes", "--json", f"--scope={pattern}", trace))["scopes"]
        check(f"scopes of {pattern}", len(found), count)
    unknown = subprocess.run([WAYMARK, "scopes", "--scope=VirtioFs:read (zero-mesage)", trace],
                             stderr=subprocess.PIPE, text=True)
    check("unknown scope", (unknown.returncode, "did you mean 'VirtioFs:read (zero-message)'?" in
                            unknown.stderr), (1, True))


def check_groups(trace):
    """Groups by thread and by process have the same sums."""
    whole = json.loads(waymark("scopes", "--json", trace))["scopes"]
    for by, groups in (("thread", 2), ("pid", 1)):
        told = json.loads(waymark("scopes", "--json", f"--by={by}", "--sort=self", trace))
        rows = told["scopes"]
        check(f"by {by}", (told["by"], len({r["group"] for r in rows})), (by, groups))
        check("self", [r["self_ns"] for r in rows],
              sorted((r["self_ns"] for r in rows), reverse=True))
        for key in ("count", "total_ns", "self_ns"):
            check(f"{key} by {by}", sum(r[key] for r in rows), sum(r[key] for r in whole))
    bars = csv.DictReader(io.StringIO(waymark("scopes", "--csv", "--histogram", trace)))
    sums = {}
    for bar in bars:
        sums[bar["name"]] = sums.get(bar["name"], 0) + int(bar["count"])
    check("histogram", sums, {r["name"]: r["count"] for r in whole})


def check_selection(trace):
    """One thread has the numbers of its group; a scope across a time limit counts on neither side."""
    grouped = json.loads(waymark("scopes", "--json", "--by=thread", trace))["scopes"]
    for group in {r["group"] for r in grouped}:
        alone = json.loads(waymark("scopes", "--json", f"--thread={group.split('/')[-1]}", trace))
        where = json.loads(waymark("scopes", "--json", f"--where=@tid == {group.split('/')[-1]}", trace))
        check(f"where @tid is that of {group}", where["scopes"], alone["scopes"])
        check(f"thread {group}", {r["name"]: (r["count"], r["total_ns"]) for r in alone["scopes"]},
              {r["name"]: (r["count"], r["total_ns"]) for r in grouped if r["group"] == group})
    times = [json.loads(line, parse_float=decimal.Decimal)["time"] for line in
             waymark("print", "--json", "--time=abs", trace).splitlines()]
    at = times[len(times) // 2]
    before, behind = (json.loads(waymark("scopes", "--json", option, trace)) for option in
                      (f"--until={at - decimal.Decimal('1e-9')}", f"--since={at}"))
    check("begun before, ended behind", before["unfinished"], behind["unbegun"])
    check("all of them", sum(r["count"] for part in (before, behind) for r in part["scopes"]) +
          before["unfinished"], sum(r["count"] for r in grouped))
    said = subprocess.run([WAYMARK, "scopes", "--pid=1", trace], capture_output=True, text=True,
                          check=True)
    check("none", (said.stdout, "among the selected records" in said.stderr),
          ("no scopes\n", True))


def check_cut(trace):
    """A stream is cut inside a packet: the printed records count, and the cut is reported."""
    stream = max((os.path.join(trace, n) for n in os.listdir(trace) if n.startswith("stream")),
                 key=os.path.getsize)
    os.truncate(stream, os.path.getsize(stream) * 2 // 3 + 5)
    ran = subprocess.run([WAYMARK, "scopes", "--json", trace], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    check("cut: said", (ran.returncode, ran.stderr != ""), (1, True))
    told = json.loads(ran.stdout)
    printed = subprocess.run([WAYMARK, "print", "--count", trace], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    alone = sum(told[k] for k in ("unfinished", "end_lost", "unbegun", "begin_lost"))
    check("cut: events", 2 * sum(r["count"] for r in told["scopes"]) + alone, int(printed.stdout))
    check("cut: what was open", 1 <= alone <= 8, True)


def check_empty(trace):
    """A trace without scopes is no error, and has no row."""
    check("empty", waymark("scopes", trace), "no scopes\n")
    said = subprocess.run([WAYMARK, "scopes", trace], capture_output=True, text=True, check=True).stderr
    check("empty: what to do", [part in said for part in (
        "it has no scopes: make them with WAYMARK_SCOPE()", "waymark-scopes(3)", "waymark latency")], [True] * 3)
    check("empty JSON", json.loads(waymark("scopes", "--json", trace))["scopes"], [])
    check("empty CSV", len(waymark("scopes", "--csv", trace).splitlines()), 1)


with tempfile.TemporaryDirectory() as work:
    record(f"{work}/nested", NESTED, "2", "5000", options=",full=block,buffer=16M")
    check_numbers(f"{work}/nested")
    check_groups(f"{work}/nested")
    check_selection(f"{work}/nested")
    check_cut(f"{work}/nested")
    record(f"{work}/names", NAMES)
    check_names(f"{work}/names")
    record(f"{work}/empty", NAMES, "instant")
    check_empty(f"{work}/empty")
    record(f"{work}/elsewhere", FORMS, "elsewhere")
    check_table(f"{work}/elsewhere")
    record(f"{work}/fork", FORMS, "fork")
    check_fork(work)
    check_losses(record_with_losses(WAYMARK, lambda attempt: record(
        f"{work}/lost{attempt}", NESTED, "2", "300000", options=",full=discard,buffer=1M")))
bad = subprocess.run([WAYMARK, "scopes"], stderr=subprocess.PIPE, text=True)
check("no trace", (bad.returncode, "the trace is missing" in bad.stderr), (2, True))
finish()
