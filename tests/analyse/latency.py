#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark latency on real traces: latency.py WAYMARK REQUESTS DECLARATIONS.

The numbers must equal those computed by this script from the output of waymark print.
"""
import csv
import decimal
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402
from losses import record_with_losses  # noqa: E402

WAYMARK, REQUESTS, DECLARATIONS = map(os.path.realpath, sys.argv[1:4])
DISK = ("--from=cache_miss", "--to=disk_read_done", "--by=request=req")


def run(*arguments):
    return subprocess.run([WAYMARK, *arguments], text=True, timeout=60, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def latency(*arguments):
    ran = run("latency", "--json", *arguments)
    check(f"{arguments}: status", (ran.returncode, ran.stderr), (0, ""))
    return json.loads(ran.stdout)


def counts(told):
    """Returns the counts of pairs and of unpaired records that are not 0."""
    names = ("unfinished", "end_lost", "unbegun", "begin_lost", "begun_twice", "events_lost", "keyless")
    return {"count": sum(r["count"] for r in told["latencies"]),
            **{n: told[n] for n in names if told[n]}}


def fails(what, text, *arguments):
    """Checks that a wrong name is reported with the existing names."""
    ran = run("latency", *arguments)
    check(what, (ran.returncode != 0, text in ran.stderr, ran.stdout), (True, True, ""))
    if text not in ran.stderr:
        print(ran.stderr)


def record(trace, *mode, options=",full=block,buffer=16M", backend="ctf"):
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend={backend},file={trace}{options}")
    subprocess.run([REQUESTS, *mode], env=environment, check=True, timeout=60)
    return trace


def events(trace):
    for line in run("print", "--json", "--time=abs", trace).stdout.splitlines():
        event = json.loads(line, parse_float=decimal.Decimal)
        yield event["event"], int(event["time"] * 1000000000), event["args"]


def check_elsewhere(trace):
    """Checks ends on other threads, of one name and of several."""
    begun, lengths = {}, {}
    for name, ns, args in events(trace):
        if name == "cache_miss":
            begun[args["request"]] = ns
        else:
            lengths.setdefault(name, []).append(ns - begun.pop(args["req"]))
    told = latency("--from=cache_miss", "--to=disk_*_done", "--by=request=req", trace)
    rows = {r["to"]: r for r in told["latencies"]}
    check("names", sorted(rows), sorted(lengths))
    for name, values in lengths.items():
        exact = {"from": "cache_miss", "count": len(values), "total_ns": sum(values),
                 "average_ns": sum(values) // len(values), "min_ns": min(values),
                 "max_ns": max(values)}
        check(name, {k: rows[name].get(k) for k in exact}, exact)
    check("none is left", counts(told), {"count": 3000})
    check("open at one time", told["most_open"], 9)
    one = latency("--from=cache_miss", "--to=/read/", "--by=request=req", trace)
    check("one of them", counts(one), {"count": 3000 - 428, "unfinished": 428})
    ran = run("latency", "--json", "--from=cache_miss", "--to=disk_read_done", trace)
    check("no end on its thread", counts(json.loads(ran.stdout)),
          {"count": 0, "begun_twice": 2999, "unfinished": 1, "unbegun": 3000 - 428})
    check(f"the fields of both are listed: {ran.stderr}", "no common field of one type: 'cache_miss' has "
          "request, queue, @pid, @tid, 'disk_read_done' has req, status" in ran.stderr, True)


def check_forms(trace):
    """Checks that groups, percentiles, order, bars and CSV agree."""
    grouped = latency(*DISK, "--per=queue", "--sort=count", "--percentiles=50,99.9", "--histogram",
                      trace)
    rows = grouped["latencies"]
    check("groups", sorted(r["group"] for r in rows if r["group"]), list("01234"))
    check("by", grouped["by"], "queue")
    check("percentiles", all({"p50_ns", "p99.9_ns"} <= set(r) and "p90_ns" not in r for r in rows),
          True)
    for row in rows:
        check("histogram", sum(b["count"] for b in row["histogram"]), row["count"])
        if row["count"]:
            inside = row["histogram"][0]["from_ns"] <= row["min_ns"] and \
                row["max_ns"] < row["histogram"][-1]["to_ns"]
            check("its ends", inside, True)
    check("order", [r["count"] for r in rows], sorted((r["count"] for r in rows), reverse=True))
    text = run("latency", *DISK, "--csv", "--per=queue", "--sort=count", "--percentiles=50,99.9",
               trace).stdout
    table = list(csv.DictReader(io.StringIO(text)))
    check("csv", [(r["group"], int(r["p99.9_ns"])) for r in table],
          [(r["group"] or "", r["p99.9_ns"]) for r in rows])
    bars = run("latency", *DISK, "--histogram", trace).stdout
    check("bars", sum(int(line.rpartition("| ")[2]) for line in bars.splitlines() if "|" in line),
          sum(r["count"] for r in rows))
    top = run("latency", *DISK, "--per=queue", "--top=2", trace).stdout.splitlines()
    check("top", (len([line for line in top if line.startswith("cache_miss")]),
                  f"{len(rows) - 2} more are not shown" in top), (2, True))


def check_unbalanced(trace):
    """Of two beginnings the earlier one is discarded; no pair is guessed."""
    told = latency(*DISK, trace)
    check("unbalanced", counts(told), {"count": 1, "unfinished": 2, "unbegun": 2, "begun_twice": 1})
    (row,) = told["latencies"]
    check("its row", {k: row[k] for k in ("unfinished", "unbegun", "begun_twice")},
          {"unfinished": 2, "unbegun": 2, "begun_twice": 1})
    times = [(name, ns) for name, ns, _ in events(trace)]
    check("from the later one", row["total_ns"], times[4][1] - times[3][1])
    check("grouped", {r["group"]: (r["count"], r["begun_twice"], r["unbegun"]) for r in
                      latency(*DISK, "--per=queue", trace)["latencies"]},
          {"0": (0, 1, 0), "1": (1, 0, 0), None: (0, 0, 2)})


def check_files(trace):
    """Texts are compared to their last byte, and NULL is no text."""
    opened = ("--from=file_open", "--to=file_opened")
    both = latency(*opened, "--by=name,part", trace)
    check("files", counts(both), {"count": 2, "unfinished": 2, "unbegun": 2, "keyless": 2})
    names = {r["group"]: r["count"]
             for r in latency(*opened, "--by=name,part", "--per=name", trace)["latencies"]}
    check("names", names, {'a ö, "c"\u009b': 1, "": 0, "(null)": 1, None: 0})
    table = list(csv.reader(io.StringIO(run("latency", *opened, "--by=name,part", "--per=name",
                                            "--csv", trace).stdout)))
    check("csv of names", r'a ö, "c"\u009b' in [r[2] for r in table], True)
    text = run("latency", *opened, "--by=name,part", "--per=name", trace).stdout
    lines = [line for line in text.splitlines() if line.startswith("file_open ")]
    check("a control is escaped", sum(r' a ö, "c"\u009b ' in line for line in lines), 1)
    check("columns", len({len(line) for line in lines}), 1)
    one = latency(*opened, "--by=part", trace)
    check("by the number alone", counts(one)["begun_twice"], 3)


def check_fork(folder):
    """Two processes use the same numbers, which pair only within a process unless --across is given."""
    traces = sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.startswith("forked"))
    check("traces of a fork", len(traces), 2)
    check("each for itself", counts(latency(*DISK, *traces)),
          {"count": 2, "unfinished": 1, "unbegun": 1})
    across = latency(*DISK, "--across", *traces)
    check("across", across["unbegun"] + across["unfinished"] <= 2 and
          across["begun_twice"] == across["unbegun"], True)
    copy = shutil.copytree(traces[0], f"{folder}/again")
    alone = counts(latency(*DISK, traces[0]))
    twice = counts(latency(*DISK, traces[0], copy))
    check("one trace twice: the same process, but not one", twice,
          {k: 2 * v for k, v in alone.items()})


def check_losses(trace):
    told = latency(*DISK, trace)
    info = json.loads(run("info", "--json", trace).stdout)
    found = counts(told)
    if info["lost"] == 0 and not os.environ.get("WAYMARK_SANITIZER"):
        check("events were lost", False, True)
    check("events", info["events"], 2 * (found["count"] + found.get("events_lost", 0)) + sum(
        v for k, v in found.items() if k not in ("count", "events_lost")))
    check("unexplained", [k for k in found if k in ("unfinished", "unbegun", "begun_twice")], [])


def check_cut(whole, work):
    """A stream ends inside a packet: the complete part is analysed, and the result is reported as
    incomplete.
    """
    cut = shutil.copytree(whole, f"{work}/cut")
    streams = [os.path.join(cut, n) for n in os.listdir(cut) if n.startswith("stream")]
    largest = max(streams, key=os.path.getsize)
    os.truncate(largest, os.path.getsize(largest) // 2 + 13)
    ran = run("latency", "--json", *DISK, cut)
    check("cut: reported, with status 1", (ran.returncode, ran.stderr != ""), (1, True))
    told = json.loads(ran.stdout)
    left = run("print", "--count", cut).stdout
    found = counts(told)
    ends = 2 * found["count"] + sum(v for k, v in found.items() if k != "count")
    check("cut: all that is there", ends, int(left))
    check("cut: less than before", 0 < found["count"] < counts(latency(*DISK, whole))["count"], True)
    scopes = run("scopes", cut)
    check("cut: scopes", (scopes.returncode, scopes.stdout), (1, "no scopes\n"))


def check_ticks(trace):
    told = latency("--from=tick", "--to=tick", trace)
    check("from one to the next", counts(told), {"count": 9, "unfinished": 1})
    same = latency("--from=tick", "--to=tick", "--by=load", trace)
    check("of the same load", counts(same), {"count": 5, "unfinished": 5})
    grouped = latency("--from=tick", "--to=tick", "--per=load", trace)
    check("loads as waymark print has them", {r["group"] for r in grouped["latencies"]},
          {str(args["load"]).removesuffix(".0") for _, _, args in events(trace)})


def check_simple(trace):
    """A trace without declarations and threads reports that, and other fields can be used."""
    check("simple", counts(latency(*DISK, "-e", DECLARATIONS, trace)),
          {"count": 1, "unfinished": 2, "unbegun": 2, "begun_twice": 1})
    check("declared, and never seen", counts(latency(
        "--from=file_open", "--to=file_opened", "--by=@pid", "-e", DECLARATIONS, trace)), {"count": 0})
    fails("no declarations", "the fields of event 'cache_miss' are not known; give its declaration",
          *DISK, trace)
    fails("no threads", "the trace does not record the thread of event 'cache_miss'",
          "--from=cache_miss", "--to=disk_read_done", trace)
    ran = run("latency", "--json", "--from=disk_read_done", "--to=cache_miss", "-e", DECLARATIONS, trace)
    check("nor have both a field", (ran.returncode, "the trace has no thread ids, and they have "
                                    "no common field of one type" in ran.stderr), (1, True))
    check("by process", counts(latency("--from=cache_miss", "--to=disk_read_done", "--by=@pid",
                                       trace)), {"count": 1, "unbegun": 2, "begun_twice": 3})


def marks(*events):
    """Returns a capture of the kernel's trace: a thread per event, and a second between events."""
    return "".join(f"  a-{tid} [0] {i}.5: tracing_mark_write: Net Instant: {text}\n"
                   for i, (tid, text) in enumerate(events))


def check_default(work):
    """Without --by, for pairs whose events are on different threads."""
    capture = f"{work}/capture"
    asked = ("latency", "--json", "--from=Net:submit", "--to=Net:done")

    def default(text, *options, given=capture, status=0, asked=asked):
        with open(capture, "w") as f:
            f.write(text)
        with open(capture) as f:
            ran = subprocess.run([WAYMARK, *asked, *options, given], text=True, stdin=f, timeout=60,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        check(f"status: {ran.stderr}", ran.returncode, status)
        told = json.loads(ran.stdout) if ran.stdout else None
        return told and sum(r["count"] for r in told["latencies"]), ran.stderr

    one = [(1, "submit - (req: 1)(queue: 0)"), (1, "submit - (req: 2)(queue: 1)"),
           (2, 'done - (ret: 0)(req: 1)(queue: "x")'), (2, 'done - (ret: 0)(req: 2)(queue: "x")')]
    plain = [(1, "submit - (key: \"a\")"), (2, "done - (key: \"b\")"), (3, "done - (key: \"a\")")]
    for what, events, options, wanted, words in (
            ("the only field is taken", plain, (), 1, "paired by 'key', the only field that both"),
            ("with a filter", plain, ("--thread=1", "--thread=3", "--since=+0"), 1, "by 'key', the only"),
            ("with groups", plain, ("--per=key",), 1, "by 'key', the only"),
            ("of several none is", one, (), 0, "have 'req' (2 pairs), 'queue' (0 pairs): choose one, "
             "as --by=req"),
            ("one that makes none is not", [(1, "submit - (key: 1)"), (2, "done - (key: 2)")], (), 0,
             "no field that both have makes pairs: 'key' (0 pairs); give the fields"),
            ("of none both sides are listed", [(1, "submit - (a: 1)"), (2, "done - (b: 1)")], (), 0,
             "'Net:submit' has a, @pid, @tid, 'Net:done' has b, @pid, @tid; give the fields to compare"),
            ("an end alone is no reason", [(1, "submit - (a: 1)"), (1, "submit - (a: 1)")] +
             [(2, "other"), (2, "done2 - (a: 1)")], (), None, "there is no event 'Net:done'"),
            ("pairs of a thread that are hardly meant", [(1, t) for _, t in one], (), 1,
             "1 began once more before their end"),
            ("and those that are", [(1, one[0][1]), (1, one[2][1])] * 2, (), 2, "")):
        count, said = default(marks(*events), *options, status=int(wanted is None))
        check(what, count, wanted)
        check(f"{what}: {words!r} in {said!r}", words in said and bool(words) == bool(said), True)
    count, said = default(marks(*plain), given="-")
    check("a pipe is not read twice", (count, "both have 'key': choose one" in said), (0, True))
    count, said = default("# tracer: nop\nnot this\n" + marks(*plain), status=1)
    check("nor what is damaged", (count, "both have 'key': choose one" in said), (0, True))
    both = ("latency", "--json", "--from=Net:s*", "--to=Net:d*")
    count, said = default(marks(*plain, (4, "start - (id: 1)")), asked=both)
    check("events of a pattern all have it", (count, "no common field of one type" in said), (0, True))
    count, _ = default(marks(*plain, (4, 'start - (key: "c")')), asked=both)
    check("and it is taken then", count, 1)


def check_mistakes(work, trace):
    fails("no event", "there is no event 'cache_mis'; did you mean 'cache_miss'?",
          "--from=cache_mis", "--to=tick", trace)
    fails("no field", "event 'cache_miss' has no field 'rekwest'; it has request, queue, @pid, @tid",
          "--from=cache_miss", "--to=tick", "--by=rekwest", trace)
    fails("no field of the end", "event 'disk_read_done' has no field 'request'; it has req, status",
          "--from=cache_miss", "--to=disk_read_done", "--by=request", trace)
    fails("no group", "event 'tick' has no field 'queue'", "--from=tick", "--to=tick",
          "--per=queue", trace)
    fails("types", "cannot be compared", "--from=cache_miss", "--to=file_opened",
          "--by=request=name", trace)
    fails("float", "cannot be compared", "--from=cache_miss", "--to=tick", "--by=queue=load", trace)
    fails("option", "--from is missing", trace)
    fails("regex", "is not a regular expression", "--from=/(/", "--to=tick", trace)
    fails("empty field", "is not FIELD or FIELD=FIELD", "--from=tick", "--to=tick", "--by=a,,b", trace)
    fails("across threads", "--across needs --by", "--from=tick", "--to=tick", "--across", trace)
    fails("percentile", "'101' is not a percentile", "--from=tick", "--to=tick",
          "--percentiles=101", trace)
    fails("percentiles", "'50' is given twice", "--from=tick", "--to=tick", "--percentiles=50,9,50", trace)
    many = record(f"{work}/many", "open", "1500")
    fails("too many open", "more than 1000 of 'cache_miss' wait for their 'disk_read_done'", *DISK,
          "--max-open=1000", many)
    fails("too many groups", "'queue' has more than 1000 values", *DISK, "--per=queue", many)
    check("never done", counts(latency(*DISK, many)), {"count": 0, "unfinished": 1500})
    check("their memory", latency(*DISK, many)["most_open"], 1500)
    os.mkdir(f"{work}/empty")
    fails("no trace", "empty", "--from=a", "--to=b", f"{work}/empty")


with tempfile.TemporaryDirectory() as work:
    whole = record(f"{work}/elsewhere", "elsewhere", "3000")
    check_elsewhere(whole)
    check_forms(whole)
    check_unbalanced(record(f"{work}/unbalanced", "unbalanced"))
    check_files(record(f"{work}/files", "files"))
    check_simple(record(f"{work}/simple", "unbalanced", options="", backend="simple"))
    check_ticks(record(f"{work}/ticks", "ticks", "10"))
    check_cut(record(f"{work}/long", "flood", "20000"), work)
    check_default(work)
    check_mistakes(work, whole)
    check_losses(record_with_losses(WAYMARK, lambda attempt: record(
        f"{work}/lost{attempt}", "flood", "400000", options=",full=discard,buffer=1M")))
    record(f"{work}/forked", "forked")
    check_fork(work)
finish()
