#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests trace points in the kernel's trace: marker.py PROGRAM WITHOUT TEST

PROGRAM has NewCategory compiled in, WITHOUT does not. tests/ftrace has the access to the kernel.
"""
import os
import re
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "ftrace"))
import expected
from ftrace import check, run_test, write

LOAD = "25" + 59 * "0"  # all digits of 2.5e60


def fire(b, *actions, style="text"):
    """Fires the points; returns the kernel's trace of them, and the process."""
    write(b.buffer + "/trace", "")
    done = b.run(*actions, option="ftrace.style=%s,ftrace.instance=%s" % (style, b.instance))
    check(done.stderr == "", done.stderr)
    return b.texts(), done


def expect(found, wanted):
    check(found == wanted, "\n found", found, "\nwanted", wanted)


def test_document(b):
    for program, lines, evaluated in ((b.program, expected.DOCUMENT, "1\n"),
                                      (b.without, expected.WITHOUT, "0\n")):
        b.program = program
        texts, done = fire(b, "document=512")
        expect(expected.without_ids(texts), lines)
        expect(done.log, texts)
        expect(done.stdout, evaluated)


def test_by_hand(b):
    texts, done = fire(b, "hand=3")
    expect(expected.without_ids(texts), [
        'N VirtioFs Enter: fuse "loop" - (number: 3)', "N VirtioNet Enter: poll",
        "N VirtioNet Exit: poll", 'N VirtioFs Exit: fuse "loop"'])
    expect(done.log, texts)
    texts, done = fire(b, "hand=3", style="atrace")
    expect(texts, [s % done.pid for s in ('B|%d|VirtioFs:fuse "loop" - (number: 3)',
                                          "B|%d|VirtioNet:poll", "E|%d", "E|%d")])


def test_many(b):
    write(b.buffer + "/buffer_size_kb", "16384")
    done = b.run("many=500", option="ftrace.instance=" + b.instance)
    check(done.stderr == "", done.stderr)
    open_ = {}
    counts = {}
    for mark in b.marks():
        m = re.fullmatch(r"(\d+) (VirtioFs|VirtioNet) (Enter|Exit): (work|inner)(?: - \(i: (\d+)\))?",
                         mark["text"])
        check(m, mark["text"])
        number, category, word, name, i = m.groups()
        stack = open_.setdefault(mark["tid"], [])
        if word == "Enter":
            stack.append((number, category, name))
            if i:
                check(counts.get(mark["tid"], 0) == int(i), mark["text"], counts)
                counts[mark["tid"]] = int(i) + 1
        else:
            check(stack.pop() == (number, category, name), mark["text"])
    check(not any(open_.values()), "left open")
    expect(sorted(counts.values()), [500] * 12)
    check(len(done.log) == 12 * 500 * 4, len(done.log))


def test_long(b):
    for bytes_ in (600, 2 * b.piece, 40000):
        (before, named, text, behind), done = fire(b, "long=%d" % bytes_)
        expect((before, behind), ("VirtioFs Instant: before", "VirtioFs Instant: behind"))
        whole = "\u00e9" * (bytes_ // 2)
        for line, full in ((named, 'VirtioFs Instant: long - (text: "%s")' % whole), (text, whole)):
            if len(full.encode()) < b.piece:
                expect(line, full)
                continue
            check(line.endswith("\u00e9...") and full.startswith(line[:-3]), line[-20:])
            check(b.piece - 3 <= len(line.encode()) < b.piece, len(line.encode()))
        # Printed text has its own limit.
        check(len(done.log[2].encode()) in (bytes_, 8191, 8190), len(done.log[2].encode()))


def test_names(b):
    texts, done = fire(b, "names=5")
    texts = expected.without_ids(texts)
    wanted = [n if isinstance(n, str) else n[1] for n in expected.NAMES]
    expect(texts, ["N VirtioFs Enter: read (zero-message)",
                   "N VirtioFs Enter: READ(10) [x] - (number: 5)"] +
           ["VirtioFs Instant: %s - (number: 5)" % n for n in wanted] +
           ['VirtioFs Instant: same - ("other": "other")(number: 5)',
            "N VirtioFs Exit: READ(10) [x]", "N VirtioFs Exit: read (zero-message)"])
    expect(expected.without_ids(done.log), texts)


def test_values(b):
    texts, _ = fire(b, "values=-3")
    texts = expected.without_ids(texts)
    expect(texts[:8], ["N VirtioFs Enter: " + v for v in expected.VALUES])
    expect(texts[8:], ["N VirtioFs Exit: " + v.split(" - ")[0] for v in expected.VALUES[::-1]])


def test_styles(b):
    texts, _ = fire(b, "flows=9", "counters=10")
    flow = texts[0].split(" ")[0]
    expect(texts, [flow + " VirtioNet Flow begin: packet | x - (number: 9)",
                   flow + " VirtioNet Flow step: queued - (number: 9)",
                   flow + " VirtioNet Flow step: sent",
                   flow + " VirtioNet Flow end: packet | x",
                   "VirtioNet Counter: in | flight - (value: 10)",
                   "VirtioNet Counter: load - (value: 2.5e60)",
                   "VirtioNet Counter: busy - (value: true)",
                   "VirtioNet Instant: kick | x", "text | 10"])
    for style, tag, bar, between, end in (("atrace", "", "|", "|", ""),
                                          ("hitrace", "H:", "/", " ", "|")):
        texts, done = fire(b, "flows=9", "counters=10", "document=1", style=style)
        lines = [
            "S|{}|VirtioNet:packet / x" + between + flow,
            "I|{}|VirtioNet:queued - (number: 9)", "I|{}|VirtioNet:sent",
            "F|{}|VirtioNet:packet / x" + between + flow,
            "C|{}|VirtioNet:in / flight" + between + "10", "C|{}|VirtioNet:load" + between + LOAD,
            "C|{}|VirtioNet:busy" + between + "1",
            "I|{}|VirtioNet:kick %s x" % bar, "I|{}|text %s 10" % bar,
            "I|{}|a new request", "I|{}|3 packets",
            "B|{}|VirtioFs:process_fs_queue - (slot: 1)",
            'B|{}|VirtioFs:release - (tag: "mtdroot")(inode: 42)(handle: 35)', "E|{}" + end,
            "B|{}|VirtioNet:handle RxTap event",
            "B|{}|NewCategory:exec - (count_me(): 1)"] + ["E|{}" + end] * 3
        expect(texts, [s.replace("{}|", "%d|%s" % (done.pid, "" if s[0] == "E" else tag))
                       .replace("{}", str(done.pid)) for s in lines])


def run(program, without, name):
    def test(b):
        b.without = os.path.abspath(without)
        globals()["test_" + name](b)
    run_test(program, test)


if __name__ == "__main__":
    run(*sys.argv[1:4])
