#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""once.py WAYMARK BUSY JAIL: `waymark top --once` compared with what programs count themselves: rates, losses, programs
that end or are killed; and what it refuses.
"""
import json
import os
import signal
import subprocess
import sys
import time

from common import BUSY, ENV, PATIENCE, WAYMARK, WORK, Busy, check, clean, finish, near, rate_of


def run(*args):
    told = subprocess.run([WAYMARK, "top", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=ENV, timeout=PATIENCE)
    return told.returncode, told.stdout, told.stderr


def once(target, *args):
    status, out, err = run("--once", "--json", target, *args)
    check(f"{args}: {err}", status, 0)
    return json.loads(out)


def compared(busy, percent, *args, what=lambda told: told["rate"]):
    """Returns the best of three measurements beside the program's own: the machine may be busy with other work."""
    for _ in range(3):
        before = busy.count()
        told = once(busy.pid, *args)
        own = rate_of(before, busy.count())
        if near(what(told), own, percent):
            return told, own
    check(f"{args}: rate", what(told), own)
    return told, own


def rows_of(told):
    return {row.get("tid", row["name"]): row for row in told["rows"]}


def check_rates():
    with Busy(2, 1000) as busy:
        told, own = compared(busy, 5, "--interval=2")
        check("seconds", 1.99 < told["seconds"] < 2.5, True)
        check("the program", (told["program"], told["pid"], told["trace"], told["state"]),
              ("busy", busy.pid, str(busy.trace), "records"))
        check("nothing lost", [told[k] for k in ("lost", "overwritten", "rotated_packets", "missing_packets", "problems")],
              [0] * 5)
        rows = rows_of(told)
        check("events", sorted(rows), ["Disk:größe", "Disk:größe_end", "busy_done", "busy_submit", "busy_work"])
        check("sum of rows", sum(r["events"] for r in rows.values()), told["events"])
        for name, row in rows.items():
            check(f"{name}: {row['rate']} near {own / 5}", near(row["rate"], own / 5, 5), True)
            check(f"{name} has a latency", "latency" in row, name in ("Disk:größe_end", "busy_done"))
        for name in "Disk:größe_end", "busy_done":
            latency = rows[name]["latency"]
            # A life that was open when counting began has no beginning.
            check(f"{name}: every one ended", rows[name]["events"] - 2 <= latency["count"] <= rows[name]["events"], True)
            check(f"{name}: {latency}", 0 <= latency["p50_ns"] <= latency["p99_ns"] <= latency["max_ns"], True)
        check("scopes are inside lives", rows["Disk:größe_end"]["latency"]["p50_ns"]
              <= rows["busy_done"]["latency"]["p50_ns"], True)

        told, own = compared(busy, 5, "--interval=2", "--by=thread")
        rows = rows_of(told)
        check("threads", sorted(r["name"] for r in rows.values()), ["läufer-1", "läufer-2"])
        for tid, row in rows.items():
            check(f"thread {tid}: {row['rate']} near {own / 2}", near(row["rate"], own / 2, 10), True)
        rows = rows_of(once(busy.trace, "--by=category", "--sort=name"))
        check("categories", list(rows), [None, "Disk"])
        check("two of five", near(rows["Disk"]["events"] * 3, rows[None]["events"] * 2, 1), True)
        told = once("bus", "--filter=Disk:*", "--interval=0.2")  # a part of the name
        check("filtered", sorted(rows_of(told)), ["Disk:größe", "Disk:größe_end"])
        told = once("busy", "--filter=/^busy_[sd]/", "--interval=0.2", "--sort=name")
        check("by a regular expression", list(rows_of(told)), ["busy_done", "busy_submit"])

        status, _, err = run("--once", "busy", "--filter=busy_sumbit", "--interval=0.2")
        check("no such event", (status, err.endswith("no event's name matches 'busy_sumbit': did you mean "
                                                     "'busy_submit'?\n")), (0, True))

        status, out, err = run("--once", "busy", "--interval=0.2")
        check("text", (status, err, out.splitlines()[0].split()[:2]), (0, "", ["busy", f"{busy.pid}:"]))
        check("titles", out.splitlines()[2].split(), ["RATE", "EVENTS", "LOST", "P50", "P99", "MAX", "NAME"])
        check("last column", {line.split()[-1] for line in out.splitlines()[3:]},
              {"Disk:größe", "Disk:größe_end", "busy_done", "busy_submit", "busy_work"})


def check_values():
    """Values add up to their events; of very many, the first have rows and the others are one."""
    with Busy(2, 1000) as busy:
        rows = rows_of(once(busy.pid, "--per=op", "--interval=1"))
        check("events with values", [name for name in rows if "values" in rows[name]], ["busy_submit"])
        row = rows["busy_submit"]
        values = {v["value"]: v for v in row["values"]}
        check("values", (row["per"], sorted(values), "others" in row), ("op", ["0", "1"], False))
        for value in values.values():
            check(f"half of them: {value}", abs(value["events"] * 2 - row["events"]) <= 2, True)
            check(f"rate: {value}", near(value["rate"] * 2, row["rate"], 2), True)
        rows = rows_of(once(busy.pid, "--per=@key", "--interval=1"))
        check("events with a key", sorted(name for name in rows if "values" in rows[name]), ["busy_done", "busy_submit"])
        for row in rows.values():
            if "values" in row:
                check("values once", {v["events"] for v in row["values"]}, {1})
                check("20 and others", (len(row["values"]), sum(v["events"] for v in row["values"])
                                        + row["others"]["events"]), (20, row["events"]))
                check("rate of all", near(20 * row["values"][0]["rate"] + row["others"]["rate"], row["rate"], 1), True)
        rows = rows_of(once(busy.pid, "--per=@tid", "--interval=0.3", "--filter=busy_work"))
        threads = rows_of(once(busy.pid, "--by=thread", "--interval=0.3"))
        check("threads", sorted(int(v["value"]) for v in rows["busy_work"]["values"]), sorted(threads))
        status, out, err = run("--once", "busy", "--interval=0.3", "--per=op", "--filter=busy_submit", "--sort=name")
        check("text", (status, err, [line.split()[-2:] for line in out.splitlines()[4:]]), (0, "", [["op", "0"], ["op", "1"]]))
        status, out, err = run("--once", "busy", "--interval=0.3", "--per=@key", "--filter=busy_done")
        check("others", (status, err, out.splitlines()[-1].split()[-2:]), (0, "", ["req", "(others)"]))
        for per, reason in (("erorr", "no event has a field 'erorr'; did you mean 'error'?"),
                            ("nothing", "no event has a field 'nothing'\n"), ("", "no event has a field ''\n")):
            status, out, err = run("--once", "busy", "--interval=0.1", f"--per={per}")
            check(f"{per}: {err}", (status, err), (1, f"waymark top: {reason}".rstrip("\n") + "\n"))
    # Faster than the number of values that are kept.
    with Busy(2, 0, options=",buffer=16M,full=discard") as busy:
        row = rows_of(once(busy.pid, "--per=req", "--interval=0.5"))["busy_work"]
        check(f"many: {row['events']}", row["events"] > 10000, True)
        check("sum of many", sum(v["events"] for v in row["values"]) + row["others"]["events"], row["events"])


def check_list():
    with Busy(1, 1000) as slow, Busy(2, 200) as fast:
        before = {b.pid: b.count() for b in (slow, fast)}
        status, out, err = run("--once", "--json", "--interval=2")
        told = [json.loads(line) for line in out.splitlines()]
        check("the faster one first", [t["pid"] for t in told], [fast.pid, slow.pid])
        for t, busy in zip(told, (fast, slow)):
            own = rate_of(before[busy.pid], busy.count())
            check(f"rate {t['rate']} near {own}", near(t["rate"], own, 10), True)
            check("its place", (t["program"], t["trace"], t["lost"], t["events"], t["events-on"]),
                  ("busy", str(busy.trace), 0, 4, 4))
        status, out, err = run("--once", "--interval=0.3", "--sort=name")
        check("a table", (status, err, out.splitlines()[0].split(), [int(l.split()[0]) for l in out.splitlines()[1:]]),
              (0, "", ["PID", "RATE", "RECORDED", "LOST", "EVENTS", "PROGRAM", "TRACE"], sorted((slow.pid, fast.pid))))
        status, out, err = run("--once", "busy")
        check(f"two of one name: {err}", (status, "2 processes fit 'busy'" in err, str(fast.pid) in err), (1, True, True))
    status, out, err = run("--once", "--interval=0.1")
    check("nothing to list", (status, out, "records" in err), (0, "", True))


def all_of(told):
    return told["rate"] + (told["lost"] + told["overwritten"]) / told["seconds"]


def check_losses():
    """Without pauses and with little memory, events are lost: they are counted, and so is what was skipped."""
    for options, key in ((",buffer=1M,rotate=256M,keep=4", "lost"), (",buffer=4M,full=overwrite", "overwritten")):
        with Busy(2, 0, options=options) as busy:
            # Losses of full=discard are known when the thread records again. Who skips events does not see what
            # was lost among them.
            percent = 25 if key == "overwritten" else 100
            told, own = compared(busy, percent, "--interval=2", what=all_of)
            print(f"{options}: {own:.0f} events/s, counted {told['rate']:.0f}, with {key} {all_of(told):.0f}, "
                  f"{told['rotated_packets']} packets rotated away, {told['skipped']}")
            check(f"{options}: {key}", told[key] > 0, True)
            rows = once("busy", "--by=thread", "--interval=0.5")["rows"]
            check(f"{options}: threads lose", sum(r[key] for r in rows) > 0, True)


def check_end():
    with Busy(2, 1000, 700) as busy:
        begin = time.monotonic()
        told = once(busy.pid, "--interval=30")
        check("it does not wait longer", time.monotonic() - begin < 10, True)
        check("ended", (told["state"], 0 < told["events"] <= 7000), ("ended", True))
        check(f"its last numbers: {told['rate']}", told["rate"] > 0, True)
        busy.process.wait()
        status, out, err = run("--once", busy.trace)
        check(f"its trace: {err}", (status, "has ended: 'waymark info'" in err), (1, True))


def check_kill():
    with Busy(2, 1000) as busy:
        top = subprocess.Popen([WAYMARK, "top", "--once", "--json", "busy", "--interval=30"], stdout=subprocess.PIPE,
                               text=True, env=ENV)
        before = busy.count()
        time.sleep(2)
        after = busy.count()
        busy.process.kill()
        told = json.loads(top.communicate(timeout=PATIENCE)[0])
        own = rate_of(before, after)
        check("killed", (top.returncode, told["state"]), (0, "ended"))
        check(f"rate {told['rate']} near {own}", near(told["rate"], own, 10), True)
        busy.process.wait()
        done = subprocess.run([WAYMARK, "info", "--json", busy.trace], stdout=subprocess.PIPE, env=ENV, check=True)
        check("all its events are there", json.loads(done.stdout)["events"] >= after[1], True)


def check_signal():
    with Busy(1, 1000):
        for number in signal.SIGINT, signal.SIGTERM:
            top = subprocess.Popen([WAYMARK, "top", "--once", "--json", "busy", "--interval=30"],
                                   stdout=subprocess.PIPE, text=True, env=ENV)
            time.sleep(1)
            top.send_signal(number)
            told = json.loads(top.communicate(timeout=PATIENCE)[0])
            check("what was counted", (top.returncode, told["events"] > 0, told["state"]), (0, True, "records"))


def check_waiting():
    """A process in a jail has no trace until `waymark drain` makes it."""
    trace = WORK / "jail.ctf"
    env = {**ENV, "WAYMARK_TRACE": f"*,backend=ctf,jail=3,file={trace}"}
    device = subprocess.Popen([sys.argv[3], "hang", "1", "1000"], stdout=subprocess.PIPE, text=True, env=env,
                              start_new_session=True)
    try:
        while device.stdout.readline() != "ready\n":
            check("the device", device.poll(), None)
        status, out, err = run("--once", "--json", "--interval=0.1")
        told = [json.loads(line) for line in out.splitlines()]
        check("only the process that records", [(t["program"], t["rate"]) for t in told], [("device", None)])
        pid = told[0]["pid"]
        told = once(pid, "--interval=0.2")
        check("no trace yet", (told["state"], told["events"], told["rows"]), ("waits", 0, []))
        check("what to do", "waymark drain writes it" in run("--once", pid, "--interval=0.1")[1], True)
        top = subprocess.Popen([WAYMARK, "top", "--once", "--json", "--interval=4", str(pid)], stdout=subprocess.PIPE,
                               text=True, env=ENV)
        time.sleep(0.5)
        drain = subprocess.Popen([WAYMARK, "drain", str(trace)], env=ENV, stderr=subprocess.DEVNULL)
        told = json.loads(top.communicate(timeout=PATIENCE)[0])
        check("it has one", (top.returncode, told["state"], told["trace"]), (0, "records", f"{trace}.{pid}"))
        check("its events are from before", told["events"], 0)
    finally:
        os.killpg(device.pid, signal.SIGKILL)
        device.wait()
        device.stdout.close()
    drain.wait(timeout=PATIENCE)


def check_refusals():
    with Busy(1, 1000) as busy:
        for args, status, message in [
            ((999999999,), 1, "there is no process 999999999"),
            ((1,), 1, "process 1 does not record into memory"),
            (("bsuy",), 1, "did you mean 'busy'?"),
            (("nothing-like-it",), 1, "no process that records is called 'nothing-like-it'"),
            ((f"{WORK}/nowhere.ctf",), 1, "No such file or directory"),
            ((BUSY,), 1, BUSY),
            ((WORK,), 1, "metadata"),
            (("busy", "other"), 2, "it takes one process, not also 'other'"),
            (("--interval=0",), 2, "not a number of seconds from 0.01 up to a day"),
            (("--interval=x",), 2, "not a number of seconds from 0.01 up to a day"),
            (("--by=pid",), 2, "--by takes event, thread or category, not 'pid'"),
            (("--sort=total",), 2, "--sort takes rate, events, lost, p99 or name, not 'total'"),
            (("--filter=/(/",), 2, "("),
            (("--per=op", "--by=thread", busy.pid), 2, "--per needs --by=event"),
            (("--per=op",), 2, "--per needs a process"),
        ]:
            told = run("--once", *args)
            check(f"{args}: {told[2]}", (told[0], told[1], message in told[2]), (status, "", True))
        check("JSON", (run("--json")[0], "--json needs --once" in run("--json")[2]), (2, True))
        status, out, err = run("busy")
        check(f"no terminal: {err}", (status, out, "use --once" in err, err.count("\n")), (1, "", True, 1))
        reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
        reader.wait()
        top = subprocess.run([WAYMARK, "top", "--once", str(busy.pid), "--interval=0.1"], stdout=reader.stdin,
                             stderr=subprocess.PIPE, text=True, env=ENV, timeout=PATIENCE)
        check("a closed pipe", (top.returncode, top.stderr), (0, ""))
        with open("/dev/full", "w") as full:
            top = subprocess.run([WAYMARK, "top", "--once", str(busy.pid), "--interval=0.1"], stdout=full,
                                 stderr=subprocess.PIPE, text=True, env=ENV, timeout=PATIENCE)
        check("a full disk", (top.returncode, "No space left" in top.stderr), (1, True))


def main():
    try:
        for test in (check_rates, check_values, check_list, check_losses, check_end, check_kill, check_signal, check_waiting,
                     check_refusals):
            print(test.__name__, flush=True)
            test()
    finally:
        clean()
    finish()


main()
