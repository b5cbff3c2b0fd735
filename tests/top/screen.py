#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""screen.py WAYMARK BUSY: the screen of `waymark top` in a terminal: what it shows, its keys, other sizes, and that
it restores the terminal however it ends.
"""
import os
import signal

from common import BUSY, ENV, WAYMARK, WORK, Busy, check, clean, finish
from terminal import Terminal

LEFT = "\x1b[?1049l"  # the terminal shows again what was there before


def top(*args, rows=24, columns=100, term="xterm"):
    env = {**ENV, "TERM": term} if term is not None else {k: v for k, v in ENV.items() if k != "TERM"}
    return Terminal([WAYMARK, "top", "--interval=0.3", *map(str, args)], rows, columns, env)


def ends(t, what, status=0):
    check(f"{what}: status", t.wait(), status)
    check(f"{what}: restored", (t.is_restored(), t.raw.count(LEFT)), (True, 1))
    t.close()


def check_keys():
    named = WORK / "größe-日本"
    named.symlink_to(BUSY)
    with Busy(2, 1000, program=named) as busy, Busy(1, 5000):
        t = top()
        check("the list", t.shows(r"^2 processes record, [1-9]\d+ events/s", r"^ *PID +RATE .* PROGRAM +TRACE",
                                  rf"^ *{busy.pid} +[1-9]\d+ .* größe-日本"), "")
        t.type("s")
        check("sorted", t.shows(r"s sort: events"), "")
        t.type("ssss")
        check("sorted", t.shows(r"s sort: rate"), "")
        t.type("\n")
        check("a process", t.shows(rf"^größe-日本 {busy.pid}: [1-9]\d+ events/s", r"by event; 4 of 4 events on",
                                   r"^ *RATE +EVENTS +LOST +P50 +P99 +MAX +ALL-P50 .* NAME",
                                   r"^ *[1-9]\d* +[1-9].* - .* busy_done$", r" Disk:größe$"), "")
        t.type("t")
        check("threads", t.shows(r"by thread", r"^ *[1-9]\d* .* 0 .* \d+ läufer-1$", r"\d+ läufer-2$"), "")
        t.type("\n")
        check("parts", t.shows(r" läufer-\d\n.*  Disk:größe$", r"  busy_work$"), "")
        t.type("v")
        check("threads have no values", t.shows(r"only events have values"), "")
        t.type("efbusy_submit\n")
        check("one event", t.shows(r"only busy_submit;", r" busy_submit$"), "")
        t.type("v")
        check("values", t.shows(r" busy_submit$\n.*  req \d+$"), "")
        t.type("\x1bOF")
        check("the last row", t.shows(r"  req \(others\)$"), "")
        t.type("\x1bOHv")
        t.settle(0.7)
        check("no values", [l for l in t.lines() if " req " in l], [])
        t.type("f" + "\x7f" * 20 + "busy_work\n")
        check("another event", t.shows(r" busy_work$"), "")
        t.type("v")
        check("no key", t.shows(r"'busy_work' has no @key; --per names a field"), "")
        t.type("f" + "\x7f" * 20 + "\n")
        t.type("c")
        check("categories", t.shows(r"by category", r" Disk$", r" \(no category\)$"), "")
        t.type("f*gröx\x7f*e\n")
        check("a filter", t.shows(r"only \*grö\*e;", r" Disk$"), "")
        t.type("e")
        check("filtered", t.shows(r"by event, only", r" Disk:größe$"), "")
        check("nothing else", [l for l in t.lines() if "busy_" in l], [])
        t.type("/\x1b")
        t.settle(0.5)
        check("Esc", t.shows(r"q back"), "")
        t.type("f" + "\x7f" * 20 + "/(/\n")
        check("a wrong filter", t.shows(r"^/\(/: ."), "")
        check("all again", t.shows(r"busy_submit$"), "")
        t.type("f" + "\x7f" * 20 + "x" * 500 + "\udcff\0\xe9\udce2\n")
        check("a long filter", t.shows(r"only xxx"), "")
        t.type("\udcff\0f" + "\x7f" * 300 + "\n")
        check("keys after bytes that are no character", t.shows(r"busy_submit$"), "")
        t.type("\x1b[B\x1b[B\x1b[6~\x1b[5~\x1b[H\x1b[Fx")
        t.type("q")
        check("the list again", t.shows(r"^2 processes record"), "")
        t.type("q")
        ends(t, "q")


def check_sizes():
    with Busy(2, 1000) as busy:
        t = top("busy")
        check("24 lines", t.shows(r"^busy \d+: [1-9]\d+ events/s", r"busy_done$", r"q quit"), "")
        t.resize(5, 20)
        check("20x5", t.shows(rf"^busy {busy.pid}: [1-9]", r"^RATE +NAME$", r"^ *[1-9]\d* +busy_|Disk:"), "")
        check("five lines", len([l for l in t.lines() if l]), 5)
        for rows, columns in (2, 3), (1, 1), (3, 10):
            t.resize(rows, columns)
            t.settle(0.5)
        check("it lives", t.process.poll(), None)
        t.resize(60, 200)
        check("200x60", t.shows(r"ALL-P50 +ALL-P99 +ALL-MAX +NAME", r"busy_done$", r"by event; 4 of 4 events on"), "")
        t.type("q")
        ends(t, "q")
        for term in "vt100", "linux", "screen-256color":
            t = top("busy", term=term)
            t.settle(1)
            check(term, "busy_done" in t.raw, True)
            t.type("q")
            check(f"{term}: status", (t.wait(), t.is_restored()), (0, True))
            t.close()


def check_ends():
    with Busy(1, 1000) as busy:
        for what in "Ctrl-C", signal.SIGTERM, signal.SIGHUP, signal.SIGINT:
            t = top("busy")
            check("it shows", t.shows(r"^busy \d+: [1-9]\d+ events/s"), "")
            if what == "Ctrl-C":
                t.type("\x03")
            else:
                t.process.send_signal(what)
            ends(t, what)
        t = top("busy")
        check("it shows", t.shows(r"^busy \d+: [1-9]\d+ events/s", r"[1-9]\d* .*busy_done$"), "")
        busy.process.kill()
        check("the process ends", t.shows(r"^busy \d+: \S+ events/s, ended", r"[1-9]\d* .*busy_done$"), "")
        t.settle(0.5)
        lines = t.lines()
        t.settle(1)
        check("its last numbers stay", t.lines(), lines)
        t.type("q")
        ends(t, "q")
    t = top()
    check("no process", t.shows(r"^0 processes record"), "")
    os.close(t.master)
    t.slave, slave = t.master, t.slave
    os.close(slave)
    check("no terminal any more", t.process.wait(timeout=20) is not None, True)


def check_losses():
    with Busy(2, 0, options=",buffer=4M,full=overwrite"):
        t = top("busy")
        check("losses", t.shows(r"[1-9]\d+ lost/s; [1-9]\d+ events overwritten"), "")
        t.type("t")
        check("of threads", t.shows(r"^ *\S+ +\S+ +[1-9]\S* .*läufer-1$"), "")
        t.type("q")
        ends(t, "q")


def check_refusals():
    with Busy(1, 1000):
        for term in "dumb", "nonsense", None:
            t = top("busy", term=term)
            check(f"{term}: status", t.wait(), 1)
            check(f"{term}: {t.raw!r}", ("use --once" in t.raw, "\x1b" in t.raw, t.is_restored()), (True, False, True))
            t.close()
    t = top("nobody")
    check("no such process", (t.wait(), "no process that records is called 'nobody'" in t.raw, "\x1b" in t.raw),
          (1, True, False))
    t.close()


def main():
    try:
        for test in check_keys, check_sizes, check_ends, check_losses, check_refusals:
            print(test.__name__, flush=True)
            test()
    finally:
        clean()
    finish()


main()
