#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark track on real traces: track.py WAYMARK LIVES REQUESTS DECLARATIONS BLOCKCACHE.

The numbers must equal those that lives_reference.py computes from the output of babeltrace2.
"""
import csv
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
import lives_reference as reference  # noqa: E402

WAYMARK, LIVES, REQUESTS, DECLARATIONS, BLOCKCACHE = map(os.path.realpath, sys.argv[1:6])
STEPS = {"life_submit", "life_queue", "life_issue", "life_done"}
BEGIN, END = {"life_submit"}, {"life_done"}
slack = 0
FULL = ["life_submit", "life_queue", "life_issue", "life_done"]


def run(*arguments, **how):
    return subprocess.run([WAYMARK, *arguments], text=True, timeout=120, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def track(*arguments, said=None):
    ran = run("track", "--json", *arguments)
    check(f"{arguments}: status {ran.stderr}", ran.returncode, 0)
    if said is None:
        check(f"{arguments}: messages", ran.stderr, "")
    return json.loads(ran.stdout)


def fails(what, text, *arguments):
    ran = run("track", *arguments)
    check(f"{what}: {ran.stderr}", (ran.returncode != 0, text in ran.stderr, ran.stdout), (True, True, ""))


def record(trace, program, *mode, options=",full=block,buffer=16M", backend="ctf", status=0, stdout=None):
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend={backend},file={trace}{options}")
    ran = subprocess.run([program, *mode], env=environment, check=False, timeout=60, stdout=stdout)
    check(f"{mode}: status", ran.returncode, status)
    return trace


# ---- Against the reference ----

def groups_of(lives):
    """Returns {(path, state): lives}."""
    groups = {}
    for life in lives:
        path = tuple(step[0] for step in life.steps())
        groups.setdefault((path if len(path) <= 64 else (), life.state), []).append(life)
    return groups


def numbers(values):
    return {"count": len(values), "total_ns": sum(values), "min_ns": min(values), "max_ns": max(values)}


def check_numbers(what, found, wanted):
    """Two traces' clocks are read to within some nanoseconds, and babeltrace2 adds that error."""
    near = all(abs(found[k] - wanted[k]) <= wanted["count"] * slack for k in wanted if k != "count")
    if found["count"] != wanted["count"] or not near:
        check(what, {k: found[k] for k in wanted}, wanted)


def check_group(what, row, lives):
    check_numbers(f"{what}: numbers", row, numbers([life.end - life.begin for life in lives]))
    all_steps = [life.steps() for life in lives]
    for i, step in enumerate(row["steps"]):
        counts = [steps[i][1] for steps in all_steps]
        check(f"{what}: step {i} counts", (step["fewest"], step["most"]), (min(counts), max(counts)))
        is_last = i + 1 == len(row["steps"])
        times = [steps[i][2] for steps in all_steps if not is_last or steps[i][1] > 1]
        if times:
            check_numbers(f"{what}: step {i} times", step, numbers(times))
        check(f"{what}: step {i} loops", bool(step["loops"]) <= (max(counts) > 1), True)


def compare(what, told, lives, unbegun=0, outside=0):
    groups = groups_of(lives)
    rows = {(tuple(s["event"] for s in r["steps"]), r["state"]): r
            for r in told["paths"] + told["without_end"]}
    check(f"{what}: paths", sorted(rows), sorted(groups))
    for group, members in groups.items():
        if group in rows:
            check_group(f"{what} {group}", rows[group], members)
    check(f"{what}: lives", told["lives"], len(lives))
    check(f"{what}: outside", (told["unbegun"], told["outside"]), (unbegun, outside))
    check(f"{what}: order", [r["count"] for r in told["paths"]],
          sorted((r["count"] for r in told["paths"]), reverse=True))


def by_declared(trace, event):
    return (trace, event.fields["req"]) if event.name in STEPS else None


def by_request(trace, event):
    return (trace, event.fields["req"]) if "req" in event.fields else None


def by_queue_and_object(trace, event):
    return (trace, event.fields["queue"], event.fields["req"]) if {"req", "queue"} <= set(event.fields) else None


def by_name(trace, event):
    if "name" not in event.fields:
        return None
    # babeltrace2 shows an old text in place of NULL and of an empty one.
    length = event.fields["name_length"]
    return (trace, length, event.fields["name"] if length > 1 else None)


def by_thread(trace, event):
    return (trace, event.tid)


def check_slowest(what, told, lives, ended=True):
    """The listed lives are the first ones, with all of their events."""
    chosen = [x for x in lives if x.state == ("ended" if ended else "unfinished")]
    chosen.sort(key=lambda x: -(x.end - x.begin) if ended else x.begin)
    rows = told["slowest" if ended else "oldest"]
    check(f"{what}: number", len(rows), min(5, len(chosen)))
    for row, life in zip(rows, chosen):
        length = life.end - life.begin
        check(f"{what}: length", row["end_ns"] - row["begin_ns"], length)
        same = [x for x in chosen if x.end - x.begin == length]
        if len(same) > 1:
            continue
        check(f"{what}: key", int(row["key"], 0), life.key[-1])
        check(f"{what}: events", [e["event"] for e in row["events"]], [e.name for e in life.events][:1000])
        check(f"{what}: count", row["count"], len(life.events))
        check(f"{what}: times", [round(e["time"] * 1e9) for e in row["events"]],
              [e.ns - life.begin for e in life.events][:1000])


def is_ambiguous(*traces):
    """True if two threads recorded events of one object at the same time: readers may order them as they like."""
    found = reference.events(*traces)
    for (_, a), (_, b) in zip(found, found[1:]):
        same = any(name in a.fields and a.fields[name] == b.fields.get(name) for name in ("req", "name"))
        if a.ns == b.ns and a.tid != b.tid and same:
            return True
    return False


def record_random(trace, seed):
    """Records until no two readers can differ."""
    for _ in range(20):
        shutil.rmtree(trace, ignore_errors=True)
        record(trace, LIVES, "random", str(seed), "6000")
        if not is_ambiguous(trace):
            break
    return trace


def check_random(what, trace):
    found = reference.events(trace)
    declared = reference.lives(found, by_declared, BEGIN, END)
    compare(f"{what}, declared", track(trace), *declared)
    told = track("--slowest=5", "--unfinished=5", trace)
    check_slowest(f"{what}, slowest", told, declared[0])
    check_slowest(f"{what}, oldest", told, declared[0], False)
    told = track("--by=req", trace)
    compare(f"{what}, by req", told, *reference.lives(found, by_request, BEGIN, END))
    told = track("--by=req", "--from=life_submit", trace)
    compare(f"{what}, from", told, *reference.lives(found, by_request, BEGIN, None))
    told = track("--by=req", "--to=life_done", trace)
    compare(f"{what}, to", told, *reference.lives(found, by_request, None, END))
    told = track("--by=queue,req", "--to=/note|done/", trace)
    compare(f"{what}, two", told, *reference.lives(found, by_queue_and_object, None, {"life_note"}))
    told = track("--by=name", trace, said="restarted")
    compare(f"{what}, texts", told, *reference.lives(found, by_name))
    told = track("--by=name", "--event=life_named_again", trace)
    compare(f"{what}, one event", told, *reference.lives(
        [(t, e) for t, e in found if e.name == "life_named_again"], by_name))
    told = track("--by=@tid", "--from=life_submit", "--to=life_done", trace)
    compare(f"{what}, threads", told, *reference.lives(found, by_thread, BEGIN, END))
    idle = 100000
    told = track("--by=req", f"--idle={idle / 1e9:.9f}", trace, said="restarted")
    compare(f"{what}, idle", told, *reference.lives(found, by_request, BEGIN, END, idle))
    wanted = [x for x in declared[0] if any(e.fields.get("error", 0) < 0 for e in x.events)]
    told = track("--where=error < 0", trace)
    check(f"{what}, where", sum(r["count"] for r in told["paths"]), len(wanted))
    return declared


def check_two(one, two):
    """Without --across, lives are of one trace; with it the same value in both is one object."""
    found = reference.events(one, two)
    compare("two", track(one, two), *reference.lives(found, by_declared, BEGIN, END))


def check_across(folder):
    """A child finishes a request of its parent."""
    record(f"{folder}/forked", REQUESTS, "forked")
    traces = sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.startswith("forked"))
    found = reference.events(*traces)

    def by_number(_, event):
        number = event.fields.get("request", event.fields.get("req"))
        return None if number is None else (number,)

    def by_process(trace, event):
        number = by_number(trace, event)
        return number and (trace, *number)
    options = ("--by=request=req", "--from=cache_miss", "--to=disk_read_done")
    global slack
    slack = 1000
    both = reference.lives(found, by_number, {"cache_miss"}, {"disk_read_done"})
    compare("across", track(*options, "--across", *traces), *both)
    each = reference.lives(found, by_process, {"cache_miss"}, {"disk_read_done"})
    compare("not across", track(*options, *traces), *each)
    slack = 0


def check_blockcache(work):
    """Two kinds of declared lives in one trace of a real program, and any event with a common field."""
    with open(f"{work}/data", "wb") as file:
        file.write(os.urandom(1 << 20))
    trace = record(f"{work}/blockcache", BLOCKCACHE, "--write=20", "--requests=500", f"{work}/data",
                   stdout=subprocess.DEVNULL)
    keys = {"request_begin": "request", "request_end": "request", "io_alloc": "io", "io_free": "io",
            "io_submit": "io", "io_complete": "io"}
    found = reference.events(trace)

    def declared(_, event):
        key = keys.get(event.name)
        return key and (key, event.fields[key])

    def by_field(_, event):
        return event.fields.get("request")
    compare("blockcache", track(trace), *reference.lives(
        found, declared, {"request_begin", "io_alloc"}, {"request_end", "io_free"}))
    compare("blockcache by request", track("--by=request", trace), *reference.lives(
        found, by_field, {"request_begin"}, {"request_end"}))


def check_forms(trace, lives):
    """Text and CSV have the numbers of the JSON; groups by a field add up."""
    told = track(trace)
    table = list(csv.DictReader(io.StringIO(run("track", "--csv", trace).stdout)))
    rows = told["paths"] + told["without_end"]
    check("csv", [(r["path"], r["state"], int(r["count"]), int(r["p50_ns"])) for r in table if r["step"] == "0"],
          [(r["path"], r["state"], r["count"], r["p50_ns"]) for r in rows])
    check("csv of steps", [(r["event"], int(r["total_ns"])) for r in table if r["step"] != "0"],
          [(s["event"], s["total_ns"]) for r in rows for s in r["steps"]])
    grouped = track("--per=queue", trace)
    check("per", sum(r["count"] for r in grouped["paths"]), sum(r["count"] for r in told["paths"]))
    queues = {}
    for life in lives:
        if life.state == "ended":
            queue = next((str(e.fields["queue"]) for e in life.events if "queue" in e.fields), None)
            queues[queue] = queues.get(queue, 0) + 1
    found = {}
    for row in grouped["paths"]:
        found[row["group"]] = found.get(row["group"], 0) + row["count"]
    check("queues", found, queues)
    text = run("track", "--top=2", "--steps=1", trace).stdout
    check("text", text.splitlines()[0].split(), ["COUNT", "TOTAL", "AVERAGE", "MIN", "P50", "P90", "P99",
                                                 "MAX", "PATH"])
    check("more", f"{len(told['paths']) - 2} more are not shown" in text, True)
    bars = run("track", "--histogram", "--steps=0", trace).stdout
    check("bars", sum(int(line.rpartition("| ")[2]) for line in bars.splitlines() if "| " in line),
          sum(r["count"] for r in told["paths"]))
    histogram = track("--histogram", trace)
    for row in histogram["paths"]:
        check("histogram", sum(b["count"] for b in row["histogram"]), row["count"])
    listed = run("track", "--slowest=1", "--steps=0", trace).stdout
    slowest = max((x for x in lives if x.state == "ended"), key=lambda x: x.end - x.begin)
    lines = [line for line in listed.splitlines() if line.startswith("  0.")]
    check("lines", [line.split()[2] for line in lines], [e.name for e in slowest.events])


def check_simple(work):
    trace = record(f"{work}/simple", LIVES, "random", "7", "4000", options="", backend="simple")
    with_declarations = track("-e", DECLARATIONS, trace)
    check("simple: lives", with_declarations["lives"] > 100, True)
    check("simple: declared begin", with_declarations["paths"][0]["steps"][0]["event"], "life_submit")
    fails("simple", "the fields of event 'life_", trace)
    fails("simple, by", "give its declaration with -e", "--by=req", trace)
    fails("simple, thread", "the trace does not record the thread", "--by=@tid", "-e", DECLARATIONS, trace)


# ---- Lost events ----

def check_losses(trace):
    """Where events were lost, no life has a wrong path without a mark."""
    told = track("--slowest=3", trace)
    lost = json.loads(run("info", "--json", trace).stdout)["lost"]
    sure = [r for r in told["paths"] if not r["events_lost"]]
    doubtful = [r for r in told["paths"] if r["events_lost"]]
    check("sure paths", [[s["event"] for s in r["steps"]] for r in sure], [FULL])
    if lost == 0 and not os.environ.get("WAYMARK_SANITIZER"):
        check("events were lost", False, True)
    if lost > 1000:
        check("doubtful ones", sum(r["count"] for r in doubtful) > 0, True)
    check("doubtful", told["events_lost"], sum(r["count"] for r in doubtful))
    check("unexplained", (told["unfinished"], told["unbegun"]), (0, 0))
    check("again", track(trace)["paths"], told["paths"])


def check_killed(work):
    """The events of a killed program, read from its memory, then recovered."""
    for _ in range(20):
        shutil.rmtree(f"{work}/killed", ignore_errors=True)
        trace = record(f"{work}/killed", LIVES, "killed", "5", "20000", status=-9)
        before = track("--slowest=2", trace, said="killed")
        note = run("track", trace).stderr
        check(f"a note: {note}", "its process was killed or did not exit()" in note, True)
        ran = run("recover", trace)
        check(f"recover: {ran.stderr}", ran.returncode, 0)
        if not is_ambiguous(trace):
            break
    check("recovered", track("--slowest=2", trace), before)
    check_random("killed", trace)


# ---- Bad input ----

def check_mistakes(work, trace):
    fails("field", "no event has a field 'reqq'; did you mean 'req'?", "--by=reqq", trace)
    fails("two fields", "no event has all fields of --by", "--by=name,req", trace)
    fails("event", "there is no event 'life_sumbit'; did you mean 'life_submit'?", "--from=life_sumbit", trace)
    fails("end", "there is no event 'life_dome'; did you mean 'life_done'?", "--to=life_dome", trace)
    fails("step", "there is no event 'life_dome'; did you mean 'life_done'?", "--event=-life_dome", trace)
    fails("only step", "there is no event 'life_dome'; did you mean 'life_done'?", "--event=life_dome", trace)
    fails("no step with a key", "no selected event declares its key by @key", "--event=life_note", trace)
    fails("group", "no event has a field 'queu'; did you mean 'queue'?", "--per=queu", trace)
    fails("types", "'req' of event 'life_named' (const char *) cannot be compared with that of 'life_",
          "--by=req=name", trace)
    fails("where", "--where: ", "--where=nothing == 1", trace)
    fails("open", "more than 3 lives are open", "--max-open=3", "--by=req", "--event=life_note", trace)
    for option, text in (("--by=a,,b", "is not FIELD or FIELD=FIELD"), ("--by=a=", "is not FIELD or FIELD=FIELD"),
                         ("--idle=0", "is not a number of seconds"), ("--idle=x", "is not a number of seconds"),
                         ("--slowest=1001", "at most 1000"), ("--steps=x", "is not a number of paths"),
                         ("--max-open=-1", "is not a number of open lives"), ("--sort=self", "waymark scopes only"),
                         ("--from=/(/", "is not a regular expression"), ("--by=a,b,c,d,e,f,g,h,i", "at most 8 fields")):
        ran = run("track", option, trace)
        check(f"{option}: {ran.stderr}", (ran.returncode, text in ran.stderr, ran.stdout), (2, True, ""))
    check("csv of lists", run("track", "--csv", "--slowest=1", trace).returncode, 2)
    ran = run("track", "--csv", "--histogram", trace)
    check("csv of bars", (ran.returncode, "no place for --histogram; use --json" in ran.stderr, ran.stdout), (2, True, ""))
    for command in ["track"], ["scopes"], ["latency", "--from=a", "--to=b"], ["sql"]:
        ran = run(*command, "--json", "--csv", trace)
        check(f"two forms of {command}", (ran.returncode, "--json and --csv exclude each other" in ran.stderr,
                                          ran.stdout), (2, True, ""))
    requests = record(f"{work}/plain", REQUESTS, "unbalanced")
    fails("no key", "no event declares its key by @key: name the fields that identify an object, as --by=", requests)
    os.mkdir(f"{work}/empty")
    fails("no trace", "empty", f"{work}/empty")
    ran = run("track", "--since=+1000", trace)
    check("no records", (ran.returncode, ran.stdout), (0, "no lives\n"))


def check_damage(work, trace):
    """The whole part is reported, with the status of a damaged trace."""
    cut = shutil.copytree(trace, f"{work}/cut")
    streams = [os.path.join(cut, n) for n in os.listdir(cut) if n.startswith("stream")]
    largest = max(streams, key=os.path.getsize)
    os.truncate(largest, os.path.getsize(largest) // 2 + 13)
    ran = run("track", "--json", "--slowest=2", cut)
    check("cut: status", ran.returncode, 1)
    check(f"cut: messages {ran.stderr}", "the lives are listed without their events" in ran.stderr, True)
    told = json.loads(ran.stdout)
    check("cut: lists", [(len(r["events"]), r["count"] > 0) for r in told["slowest"]], [(0, True)] * 2)
    fails("output", "is a trace, and the output", "-o", f"{trace}/x", trace)
    closed = subprocess.run(f"{WAYMARK} track --json --slowest=1000 {trace} | head -c 1 >/dev/null; "
                            "exit ${PIPESTATUS[0]}", shell=True, executable="/bin/bash", check=False)
    check("closed pipe", closed.returncode, 0)


with tempfile.TemporaryDirectory() as work:
    if not shutil.which("babeltrace2"):
        print("babeltrace2 is not installed")
        sys.exit(77)
    trace = f"{work}/random1"
    for seed in range(1, 4):
        lives = check_random(f"seed {seed}", record_random(f"{work}/random{seed}", seed))[0]
        if seed == 1:
            check_forms(trace, lives)
    check_two(trace, f"{work}/random2")
    check_across(work)
    check_blockcache(work)
    check_simple(work)
    check_killed(work)
    check_losses(record_with_losses(WAYMARK, lambda attempt: record(
        f"{work}/lost{attempt}", LIVES, "relay", "1", "30000", options=",full=discard,buffer=1M")))
    check_mistakes(work, trace)
    check_damage(work, trace)
finish()
