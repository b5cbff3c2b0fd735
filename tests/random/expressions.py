#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Evaluates random expressions in a traced program, in the reader, and by tests/expr/reference.py.

expressions.py TRACETOOL LIBRARY ROOT SELECT ROUNDS EVENTS EXPRESSIONS CALLS [SEED]

In each round, EVENTS random declarations have CALLS random calls each, and EXPRESSIONS random
expressions. An expression is an error in all three, or true for the same calls: 1 in the program
are those that it recorded. A round has a seed of its own, which is printed: repeat it by
ROUNDS 1 and this SEED.
"""

import os
import random
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the sources' folder may belong to another user
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../expr"))

import build  # noqa: E402  pylint: disable=wrong-import-position
import declarations  # noqa: E402  pylint: disable=wrong-import-position
import reference  # noqa: E402  pylint: disable=wrong-import-position
import texts  # noqa: E402  pylint: disable=wrong-import-position

SHOWN = 8  # differences that are printed


class Expected:
    """What the reference finds: digits, or None for an error."""

    def __init__(self, event, text):
        self.program = self.reader = None
        try:
            bound = reference.bind(text.encode("latin-1"), event.fields)
        except reference.Wrong:
            return
        digits = "".join("01"[bound.is_true(values)] for values in event.calls)
        self.has_address = any(a.is_address and a.slot in bound.slots for a in event.args)
        self.is_long = bound.longest > reference.MOST_OF_A_PART
        self.reader = digits
        self.program = None if bound.unknown or bound.slots & event.of_reader else digits

    def fits_program(self, answer):
        if answer.startswith("! "):
            return self.program is None or (self.is_long and "too long" in answer)
        return answer == self.program

    def fits_reader(self, answer):
        if answer.startswith("! "):
            return self.reader is None
        return answer == self.reader or (self.reader is not None and self.has_address)


class Case:
    def __init__(self, event, text):
        self.event, self.text = event, text
        self.expected = Expected(event, text)

    def difference(self, program, reader):
        """Returns what differs; None: nothing."""
        rows = [("program", program, self.expected.program, self.expected.fits_program),
                ("reader", reader, self.expected.reader, self.expected.fits_reader)]
        wrong = [f"  {who} {shown(answer, expected)}" for who, answer, expected, fits in rows
                 if not fits(answer)]
        if not wrong:
            return None
        k = first_difference(program, reader, self.expected)
        words = self.event.words[k].split()
        values = ", ".join(f"{a.name}: {a.declared} = {self.event.calls[k][a.slot]!r} ({words[a.slot]})"
                           for a in self.event.args)
        return "\n".join([f"{self.event.name}: {self.text}", *wrong, f"  call {k}: {values}",
                          *(f"  {line}" for line in self.event.meaning())])


def shown(answer, expected):
    return f"{answer[:200]}\n  expected {'an error' if expected is None else expected[:200]}"


def first_difference(program, reader, expected):
    for answer, wanted in (program, expected.program), (reader, expected.reader):
        if wanted and not answer.startswith("!") and answer != wanted:
            return next(k for k, digit in enumerate(answer) if digit != wanted[k])
    return 0


def make_cases(rng, events, count):
    for event in events:
        maker = texts.Maker(rng, event, events)
        for _ in range(count):
            text = maker.text().replace("\n", " ")
            yield Case(event, text)


def call_all(rng, events, count, pid):
    """Gives the events random calls, with the values that every event has."""
    for event in events:
        commons = [event.name.encode(), time.clock_gettime_ns(time.CLOCK_MONOTONIC), pid, pid,
                   b"fire", os.uname().nodename.encode()]
        for _ in range(count):
            event.add_call(rng, commons)


def run_round(tools, select, rng, counts):
    """Returns cases, and the answers of the program and of the reader."""
    events = [declarations.make_event(rng, i) for i in range(counts[0])]
    with tempfile.TemporaryDirectory() as place:
        fire = build.Fire(tools.build(events, place), place, "*,full=overwrite,buffer=64M")
        call_all(rng, events, counts[2], fire.pid)
        cases = list(make_cases(rng, events, counts[1]))
        trace = os.path.join(place, "t.ctf")
        in_program = fire.answers(
            [*(f"call {e.name} {words}" for e in events for words in e.words), f"write {trace}",
             *(f"if {case.event.name} {case.text}" for case in cases)])
        in_reader = subprocess.run(
            [select, trace], check=True, capture_output=True, encoding="latin-1",
            input="".join(f"{case.event.name} {case.text}\n" for case in cases)).stdout.splitlines()
    return cases, in_program, in_reader


def main():
    tools = build.Tools(*sys.argv[1:4])
    rounds, *counts = map(int, sys.argv[5:9])
    seed = int(sys.argv[9]) if len(sys.argv) > 9 else random.randrange(1 << 32)
    for i in range(rounds):
        reason = judge(seed + i, *run_round(tools, sys.argv[4], random.Random(seed + i), counts))
        if reason:
            sys.exit(reason)


def judge(seed, cases, in_program, in_reader):
    """Returns the reason to fail; None: there is none."""
    if not len(cases) == len(in_program) == len(in_reader):
        return f"seed {seed}: {len(in_program)} and {len(in_reader)} answers to {len(cases)} cases"
    differences = [d for case, *answers in zip(cases, in_program, in_reader)
                   if (d := case.difference(*answers))]
    print("".join(f"{d}\n" for d in differences[:SHOWN]), end="")
    wrong = sum(answer.startswith("!") for answer in in_program)
    true = sum(answer.count("1") for answer in in_program if not answer.startswith("!"))
    evaluated = sum(len(answer) for answer in in_program if not answer.startswith("!"))
    print(f"seed {seed}: {len(cases)} expressions, {wrong} of them errors; {evaluated} "
          f"evaluations, {true} true", flush=True)
    if differences:
        return f"seed {seed}: {len(differences)} differ"
    if wrong > len(cases) // 2 or not evaluated // 20 < true < evaluated * 19 // 20:
        return f"seed {seed}: this tests too little"
    return None


if __name__ == "__main__":
    main()
