#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that a latency is never of two requests where events were lost: lost.py WAYMARK REQUESTS DECLARATIONS.

If the end of a request and the begin of the next one with the same key are lost, the begin before and
the end after them look like one request. Small traces are made byte by byte, with known losses; a
program that numbers its requests makes large ones.
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "common"), str(HERE.parent / "reader")]
from compare import check, finish  # noqa: E402
from ctf_bytes import DONE, FREQ, IDLE, READ, WORK, WORK_END, Trace, buffer, event_text  # noqa: E402

WAYMARK, REQUESTS, DECLARATIONS = map(os.path.realpath, sys.argv[1:4])
KEYED = ("--from=blk_read", "--to=blk_done", "--by=offset=req")
THREAD = ("--from=blk_read", "--to=blk_done", "--by=@tid")
UNPAIRED = ("unfinished", "end_lost", "unbegun", "begin_lost", "begun_twice", "events_lost")
SYNC = 1 << 31


def run(*arguments, status=0, **more):
    ran = subprocess.run([WAYMARK, *arguments], text=True, timeout=60, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    check(f"{arguments}: {ran.stderr}", ran.returncode, status)
    return ran


def counts(*arguments, said="", **more):
    """Returns the counts of pairs and of unpaired records that are not 0."""
    ran = run("latency", "--json", *map(str, arguments), **more)
    check(f"{arguments}: standard error {ran.stderr!r}", said in ran.stderr and bool(ran.stderr) == bool(said), True)
    told = json.loads(ran.stdout)
    for name in UNPAIRED:
        check(f"sum of {name}", sum(row[name] for row in told["latencies"]), told[name])
    return {"count": sum(row["count"] for row in told["latencies"]), **{n: told[n] for n in UNPAIRED if told[n]}}


def write(path, streams, tids=None, only_lost=0, **whose):
    """Writes a trace. A stream is a list of packets: lists of events, each (time, number, values...); a number
    between two packets is that of events lost there. One more thread has lost all of its events, `only_lost`.
    """
    t = Trace(**whose)
    t.metadata += event_text(WORK) + event_text(WORK_END)
    for instance, packets in enumerate(streams, 3):
        lost, sequence, data = 0, 0, b""
        for packet in packets:
            if isinstance(packet, int):
                lost += packet
                continue
            sequence += 1
            ticks = [20 * FREQ + ms * FREQ // 1000 for ms, *_ in packet]
            data += t.packet([t.event(event[0], at, *event[1:]) for at, (_, *event) in zip(ticks, packet)],
                             begin=ticks[0], end=ticks[-1], sequence=sequence, discarded=lost, instance=instance,
                             tid=tids[instance - 3] if tids else 1000 + instance)
        t.files[f"stream-{instance}"] = data
    if only_lost:
        t.files[".arena"] = buffer(t, [], [(only_lost, 0)])
    t.write(path)
    return path


def begin(ms, key=1):
    return ms, READ, key, 512


def end(ms, key=1):
    return ms, DONE, key, 0


def idle(ms):
    return ms, IDLE


def check_one_thread(work):
    for lost, wanted in (0, {"count": 1}), (2, {"count": 0, "events_lost": 1}):
        trace = write(work / f"one{lost}", [[[idle(1), begin(10)], lost, [end(50), idle(60)]]])
        for by in KEYED, THREAD:
            check(f"{lost} were lost, {by}", counts(*by, trace), wanted)
    trace = write(work / "beside", [[[begin(10), end(20)], 5, [begin(30), end(40)]]])
    for by in KEYED, THREAD:
        check(f"pairs beside a gap, {by}", counts(*by, trace), {"count": 2})
    trace = write(work / "halves", [[[end(5, 9), begin(10, 2)], 5, [end(30, 3), begin(40, 4)]]])
    check("halves", counts(*KEYED, trace), {"count": 0, "unfinished": 1, "end_lost": 1, "unbegun": 1, "begin_lost": 1})
    trace = write(work / "ticks", [[[begin(10), begin(20)], 5, [begin(30), begin(40)]]])
    check("from one to the next", counts("--from=blk_read", "--to=blk_read", "--by=offset", trace),
          {"count": 2, "events_lost": 1, "unfinished": 1})


def check_forms(work):
    trace = str(write(work / "forms", [[[begin(10), begin(11, 2), end(12, 2)], 2, [end(50)]]]))
    text = run("latency", *KEYED, trace).stdout.splitlines()
    check("text", text[2:], ["1 left out: events were lost meanwhile, so the end may be of a later begin"])
    row = next(csv.DictReader(io.StringIO(run("latency", *KEYED, "--csv", trace).stdout)))
    check("csv", (row["count"], row["total_ns"], row["events_lost"]), ("1", "1000000", "1"))
    told = json.loads(run("latency", *KEYED, "--json", "--histogram", trace).stdout)["latencies"][0]
    check("histogram", sum(b["count"] for b in told["histogram"]), 1)
    check("of all percentiles", (told["p99_ns"], told["max_ns"]), (1000000, 1000000))
    where = "--where=offset == 2"
    check("only selected pairs are counted", counts(*KEYED, where, trace), {"count": 1})


def check_threads(work):
    """Another thread may have ended the request, but not the pair of one thread."""
    early = [[idle(1)], 3, [idle(30)]]  # its gap is recorded before the end
    late = [[idle(1)], 3, [idle(90)]]  # and after it
    first = [3, [idle(30)]]  # it lost events before its first one
    for name, other, lost in (("early", early, 1), ("late", late, 1), ("first", first, 1), ("over", [[idle(1)], 3, [idle(10)]], 0),
                              ("behind", [[idle(50)], 3, [idle(90)]], 0)):
        trace = write(work / name, [[[begin(10), end(50)]], other])
        check(f"{name}: by key", counts(*KEYED, trace), {"count": 1 - lost, **({"events_lost": 1} if lost else {})})
        check(f"{name}: of a thread", counts(*THREAD, trace), {"count": 1})
        check(f"{name}: alone", counts(*KEYED, "--thread=1003", trace), {"count": 1})
    # Threads begin and end: the end is on the thread that lost nothing.
    trace = write(work / "handed", [[[begin(10)], 1, [idle(40)]], [[end(50), idle(55)]]])
    check("handed over", counts(*KEYED, trace), {"count": 0, "events_lost": 1})
    # A signal handler has a stream of its own, whose loss may be older than the thread's last event.
    trace = write(work / "handler", [[[begin(10), end(50), idle(80)]], [[idle(1)], 3, [idle(90)]]], tids=(1003, 1003))
    check("in a signal handler", counts(*THREAD, trace), {"count": 0, "events_lost": 1})
    # A thread of a killed process never had memory: its loss has no place in the trace.
    trace = write(work / "silent", [[[idle(1), begin(10), end(50)]]], only_lost=5)
    check("a thread without events", counts(*KEYED, trace, said="recover"), {"count": 0, "events_lost": 1})
    text = run("track", "--from=blk_read", "--to=blk_done", "--by=offset=req", "--json", str(work / "late")).stdout
    check("as waymark track", json.loads(text)["events_lost"], 1)


def check_selected(work):
    """A loss concerns a selected time although it is recorded after it, or behind the last event of its thread."""
    trace = write(work / "until", [[[begin(10), end(50)]], [[idle(1)], 3, [idle(90)]]])
    wanted = {"count": 0, "events_lost": 1}
    check("until before the record", counts(*KEYED, "--until=20.06", trace), wanted)
    check("until the record", counts(*KEYED, "--until=+0.089", trace), wanted)
    check("until before the loss", counts(*KEYED, "--until=20.06", work / "behind"), {"count": 1})
    check("since after the loss", counts(*KEYED, "--since=20.005", work / "over"), {"count": 1})
    told = json.loads(run("track", *KEYED, "--until=20.06", "--json", str(trace)).stdout)
    check("as waymark track", told["events_lost"], 1)
    printed = run("print", "--until=20.06", str(trace)).stdout
    check("a view shows what is recorded in the time", "lost" in printed, False)
    trace = write(work / "since", [[[idle(1), begin(10), end(50)]]], only_lost=5)
    check("since a time", counts(*KEYED, "--since=20.005", trace, said="recover"), wanted)


def diff_counts(*arguments, **more):
    """Returns standard error, and the numbers of pairs before and after."""
    ran = run("diff", "--all", "--json", *arguments, **more)
    row = next(r for r in json.loads(ran.stdout)["changes"] if r["kind"] == "latency")
    return ran.stderr, row["a"]["count"], row["b"]["count"]


def check_diff(work):
    """A loss that is recorded after a pair leaves it out."""
    late = str(write(work / "diff-late", [[[begin(10), end(50), begin(110), end(120)]], [[idle(1)], 3, [idle(90)]]]))
    whole = str(write(work / "diff-whole", [[[begin(10), end(50), begin(110), end(120)]]]))
    check("the trace before", diff_counts(*KEYED, late, whole), ("", 1, 2))
    check("the trace after", diff_counts(*KEYED, whole, late), ("", 2, 1))


def check_default(work):
    """Without --by, a pair that was left out is a pair: no other field is tried."""
    trace = write(work / "default", [[[begin(10)], 2, [end(50)]]])
    check("default", counts("--from=blk_read", "--to=blk_done", trace), {"count": 0, "events_lost": 1})


def check_processes(work):
    here = write(work / "here", [[[begin(10), end(50)]]])
    there = write(work / "there", [[[idle(1)], 7, [idle(90)]]], uuid=bytes(range(16)), pid=78)
    check("of each process", counts(*KEYED, here, there), {"count": 1})
    check("across processes", counts(*KEYED, "--across", here, there), {"count": 0, "events_lost": 1})
    # Another host booted 5 s later, so its times since boot are less.
    for ms, wanted in (-5000, {"count": 0, "events_lost": 1}), (0, {"count": 1}):
        host = write(work / f"host{ms}", [[[idle(ms + 1)], 7, [idle(ms + 90)]]], uuid=bytes(range(16)), host="hostb",
                     boot="b2", shift=5)
        check(f"across hosts, {ms}", counts(*KEYED, "--across", here, host), wanted)


def check_scopes(work):
    """The number of a scope is not used again."""
    trace = str(write(work / "scopes", [[[(10, WORK, SYNC)], 2, [(50, WORK_END, SYNC, 1003)]]]))
    told = json.loads(run("scopes", "--json", trace).stdout)
    check("scopes", ([r["count"] for r in told["scopes"]], "events_lost" in told), ([1], False))
    told = json.loads(run("scopes", "--json", str(write(work / "other", [
        [[(10, WORK, 7)]], [[idle(1)], 2, [(50, WORK_END, 7, 1003)]]]))).stdout)
    check("scopes of two threads", [r["count"] for r in told["scopes"]], [1])


def check_processors(work):
    """A processor's buffer loses events of all threads, between two events of that processor."""
    def line(second, cpu, text):
        return f"  a-{cpu + 5} [00{cpu}] {second}.5: tracing_mark_write: Net Instant: {text} - (key: 1)\n"

    capture = (line(1, 0, "submit") + line(2, 0, "done") + line(3, 1, "other") + line(4, 0, "submit") +
               line(5, 0, "done") + "CPU:1 [LOST 12 EVENTS]\n" + line(6, 1, "other") + line(7, 0, "submit") +
               line(8, 0, "done"))
    path = work / "capture"
    path.write_text(capture)
    asked = ("--from=Net:submit", "--to=Net:done", "--by=key")
    check("processors", counts(*asked, path), {"count": 2, "events_lost": 1})
    check("a loss of any thread", counts(*asked, "--thread=5", path), {"count": 2, "events_lost": 1})
    check("a pipe", counts(*asked, "-", input=capture, said="it cannot be read twice: pairs"), {"count": 3})
    check("pairs that are not shown need no loss", counts(*asked, "--where=key == 7", "-", input=capture), {"count": 0})
    said, piped, read = diff_counts(*asked, "-", str(path), input=capture)
    check(f"diff of a pipe: {said}", ("it cannot be read twice: pairs" in said, piped, read), (True, 3, 2))


def events(trace, *options):
    for text in run("print", "--json", "--time=abs", *options, trace).stdout.splitlines():
        yield json.loads(text)


def check_program(work, backend):
    """A begin and its end have the same number, but all requests have the same key."""
    options = ("-e", DECLARATIONS)
    for attempt in range(10):
        trace = f"{work}/{backend}{attempt}"
        environment = dict(os.environ, WAYMARK_TRACE=f"*,backend={backend},file={trace},full=discard,buffer=1M")
        subprocess.run([REQUESTS, "again", "300000"], env=environment, check=True, timeout=60)
        right = wrong = 0
        number = None
        for event in events(trace, *options):
            if event.get("event") == "cache_miss":
                number = event["args"]["queue"]
            elif event.get("event") == "disk_read_done" and number is not None:
                right += number == event["args"]["status"]
                wrong += number != event["args"]["status"]
                number = None
        if wrong:
            break
    check(f"{backend}: some look like one", wrong > 0 or bool(os.environ.get("WAYMARK_SANITIZER")), True)
    found = counts("--from=cache_miss", "--to=disk_read_done", "--by=request=req", *options, trace)
    check(f"{backend}: all wrong pairs are left out", found["count"] <= right, True)
    check(f"{backend}: and few others", found.get("events_lost", 0), wrong)
    check(f"{backend}: all pairs", found["count"] + found.get("events_lost", 0), right + wrong)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    check_one_thread(folder)
    check_forms(folder)
    check_threads(folder)
    check_selected(folder)
    check_diff(folder)
    check_default(folder)
    check_processes(folder)
    check_scopes(folder)
    check_processors(folder)
    check_program(folder, "ctf")
    check_program(folder, "simple")
finish()
