#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who ran when, by a capture of the kernel's trace: sched.py WAYMARK PROGRAM

Switches at known times become spans of processors and threads, and tracks of the page.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402
sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "reader"))
from ctf_bytes import FREQ, READ, Trace  # noqa: E402
from browser import ask_sql, settle, wait_for  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
RUNNING, RUNNABLE, WAITING = 1, 2, 3


def line(cpu, ns, last, state, following):
    at = f"{ns // 10**9}.{ns % 10**9:09}"
    return (f"  a-{last}  [{cpu:03}] d..2. {at}: sched_switch: prev_comm=a prev_pid={last} prev_prio=120 "
            f"prev_state={state} ==> next_comm=b next_pid={following} next_prio=120\n")


def capture(first, tid):
    """Thread `tid` runs, is preempted by 99999, runs on another processor, waits."""
    return [line(0, first + 1000, 0, "R", tid), line(0, first + 3000, tid, "R+", 99999), line(0, first + 4000, 99999, "S", 0),
            line(3, first + 5000, 0, "R", tid), line(3, first + 9000, tid, "S", 0), line(3, first + 12000, 0, "R", 99999)]


def wake(cpu, ns, tid, event="sched_wakeup"):
    at = f"{ns // 10**9}.{ns % 10**9:09}"
    return f"  a-1  [{cpu:03}] d..4. {at}: {event}: comm=a pid={tid} prio=120 target_cpu=000\n"


def woken(first, tid):
    """Thread `tid` waits, is woken twice, runs; 99999 is woken though it runs already, and before that nothing is known."""
    return [line(0, first + 1000, tid, "S", 0), wake(1, first + 2000, tid, "sched_waking"), wake(1, first + 2500, tid),
            wake(0, first + 2600, 99999), wake(0, first + 2700, 0), line(0, first + 4000, 0, "R", tid), wake(1, first + 5000, tid),
            line(1, first + 6000, 99999, "S", 0), line(0, first + 7000, tid, "R", 0)]


def sched(served, begin, end, columns=4000):
    for _ in range(200):
        answer = served.ask("/api/sched", **{"from": begin, "to": end, "columns": columns})
        if answer["done"]:
            return answer
        time.sleep(0.05)
    raise AssertionError("the capture is not read within 10 seconds")


def spans(answer):
    return {tuple(answer["rows"][str(row["track"])]): [item[:3] for item in row["items"]]
            for row in answer["tile"]["rows"]}


def check_hosts(work):
    """A guest whose thread has the number of one of the host's does not get its states."""
    made = [Trace(host=host, boot=host, uuid=bytes([n] * 16), pid=77) for n, host in enumerate(("vm-host", "vm-guest"), 1)]
    for trace in made:
        packets = trace.packet([trace.event(READ, 20 * FREQ + n * 1000, n, 0) for n in range(100)], begin=20 * FREQ,
                               end=20 * FREQ + 100000, tid=4711)
        trace.files["stream-1"] = packets
        trace.write(work / f"host-{trace.uuid[0]}")
    file = work / "hosts.txt"
    file.write_text("".join(capture(20 * 10**9, 4711)))
    with Served(WAYMARK, work / "host-1", work / "host-2", file) as served:
        known = served.trace()
        answer = sched(served, 0, 40000)
        check("the capture's host", answer["host"], "vm-host")
        check("hosts of the processes", {p["host"] for p in known["processes"]} >= {"vm-host", "vm-guest"}, True)
        check("its thread is there", (False, 4711) in spans(answer), True)
        if chromium.is_installed():
            check_states(served)


def check_states(served):
    with chromium.Page(served.address) as page:
        settle(page)
        page.evaluate("import(location.href.split('#')[0] + 'sched.js').then((m) => { globalThis.statesOf = m.statesOf; }); 0")
        wait_for(page, "typeof statesOf", "function")
        states = ("waymark.trace.tracks.filter((t) => t.tid === 4711).map((t) => "
                  "[waymark.trace.processes[t.process].host, Boolean(statesOf(t))])")
        wait_for(page, f"{states}.some(([, has]) => has)")
        check("whose thread has states", sorted(s for s in page.evaluate(states) if s[0]), [["vm-guest", False], ["vm-host", True]])


def check_page(trace, file):
    with Served(WAYMARK, f"--kernel={file}", trace) as served, chromium.Page(served.address) as page:
        settle(page)
        wait_for(page, "waymark.boxes.filter((b) => b.kind === 'cpu').map((b) => b.name)", ["CPU 0", "CPU 3"])
        check("their head", page.evaluate("waymark.boxes[0].name"), "kernel")
        page.evaluate("location.hash = '#0,20000'")
        settle(page)
        names = "waymark.boxes.find((b) => b.name === 'CPU 0').source.rows().flatMap((r) => r.items.map((i) => i[2]))"
        wait_for(page, f"{names}.length", 2)
        check("who ran", [name.split()[1:] for name in page.evaluate(names)], [["export-program"], []])
        page.press("j", 74)
        page.press("c", 67)
        check("collapsed", page.evaluate("waymark.boxes.some((b) => b.kind === 'cpu')"), False)
        check("no faults", page.faults, [])


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        trace, file = work / "a.ctf", work / "kernel.txt"
        subprocess.run([PROGRAM, "50"], check=True, env={**os.environ, "WAYMARK_TRACE": f"*,file={trace}"})
        first = ask_sql(WAYMARK, trace, "SELECT min(time) AS n FROM events")[0]["n"]
        tid = ask_sql(WAYMARK, trace, "SELECT min(tid) AS n FROM threads")[0]["n"]
        file.write_text("# tracer: nop\n" + "".join(capture(first, tid)))
        with Served(WAYMARK, f"--kernel={file}", trace) as served:
            served.trace()
            answer = sched(served, 0, 20000)
            check("spans", spans(answer), {
                (True, 0): [[1000, 3000, tid], [3000, 4000, 99999]], (True, 3): [[5000, 9000, tid], [12000, 12000, 99999]],
                (False, tid): [[1000, 3000, RUNNING], [3000, 5000, RUNNABLE], [5000, 9000, RUNNING], [9000, 12000, WAITING]]})
            check("of a part", spans(sched(served, 3500, 3600))[(True, 0)], [[3000, 4000, 99999]])
            check("no problem", answer["problem"], "")
            check("the end", served.end(), (0, ""))
        with Served(WAYMARK, f"--kernel={file}", "--kernel-offset=+0.000001", trace) as served:
            served.trace()
            check("moved", spans(sched(served, 0, 20000))[(True, 0)][0], [2000, 4000, tid])
        file.write_text("".join(woken(first, tid)))
        with Served(WAYMARK, f"--kernel={file}", trace) as served:
            served.trace()
            check("the idle thread has no row", (False, 0) in spans(sched(served, 0, 20000)), False)
            check("woken", spans(sched(served, 0, 20000))[(False, tid)], [
                [1000, 2000, WAITING], [2000, 4000, RUNNABLE], [4000, 7000, RUNNING], [7000, 7000, RUNNABLE]])
        with Served(WAYMARK, trace, file) as served:
            served.trace()
            seen = spans(sched(served, 0, 20000))
            check("a capture among the traces", [span[:2] for span in seen[(False, tid)]],
                  [[1000, 2000], [2000, 4000], [4000, 7000], [7000, 7000]])
            check("woken while it ran", seen[(False, 99999)], [[6000, 7000, WAITING]])
        file.write_text("no trace\n" + "".join(capture(first, tid)))
        with Served(WAYMARK, f"--kernel={file}", trace) as served:
            served.trace()
            check("a bad line is said", "line 1 is not" in sched(served, 0, 9)["problem"], True)
        file.write_text("".join(capture(first, tid)))
        marks = work / "marks.txt"
        marks.write_text("  a-1  [000] ..... 1.000000: tracing_mark_write: hello\n")
        with Served(WAYMARK, marks) as served:
            served.trace()
            check("no switches among the traces", (spans(sched(served, 0, 9)), sched(served, 0, 9)["problem"]), ({}, ""))
        with Served(WAYMARK, trace) as served:
            check("none", served.ask("/api/sched", **{"from": 0, "to": 9, "columns": 9}), None)
        done = subprocess.run([WAYMARK, "view", "--no-open", f"--kernel={work}/none", trace], capture_output=True, text=True,
                              timeout=20, check=False)
        check(f"no file: {done.stderr}", (done.returncode, "No such file" in done.stderr), (1, True))
        done = subprocess.run([WAYMARK, "view", "--no-open", "--kernel-offset=1", trace], capture_output=True, text=True,
                              timeout=20, check=False)
        check(f"an offset of nothing: {done.stderr}", (done.returncode, "--kernel-offset needs --kernel" in done.stderr), (2, True))
        check_hosts(work)
        if chromium.is_installed():
            check_page(trace, file)
    finish()


if __name__ == "__main__":
    main()
