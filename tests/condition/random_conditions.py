#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares conditions in a traced program with --where of the reader.

random_conditions.py PROGRAM WAYMARK EXPRESSIONS-FOLDER KIND CONDITIONS EVENTS [SEED]

Random expressions on random events: an event is recorded under a condition exactly if the reader
finds the condition true for a record of the same values. That the reader is right is compared with
Python by random_expressions.py, whose expressions these are.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

program, waymark, folder, kind_name, count, events = sys.argv[1:7]
sys.dont_write_bytecode = True
sys.path.insert(0, folder)
import random_expressions  # noqa: E402  pylint: disable=wrong-import-position,import-error

# Of each kind of event: integers, fractions, strings.
FIELDS = {
    "wide": (["k", "i", "u", "e", "us", "c", "p"], [], ["s", "t"]),
    "narrow": (["k", "i8", "i16", "i32", "u8", "u16", "u32", "b"], [], []),
    "typed": (["k", "wide", "any", "d"], ["f", "g"], ["text"]),
}
INTEGERS, FLOATS, STRINGS = FIELDS[kind_name]


class Maker(random_expressions.Maker):
    """Makes expressions on the fields of the program's events; their values are not computed."""

    def leaf(self, kind):
        rng = self.rng
        if kind == "s" and STRINGS and rng.random() < 0.5:
            return rng.choice(STRINGS), random_expressions.PREFIX, "s", None
        if kind == "i" and rng.random() < 0.6:
            name = rng.choice(INTEGERS + FLOATS)
            return name, random_expressions.PREFIX, "f" if name in FLOATS else "i", None
        return super().leaf(kind)


def expression(rng):
    """Returns an expression that its generator's fields of other names are not in."""
    fields = {"true", "false", "read", "write", "flush", *INTEGERS, *FLOATS, *STRINGS}
    while True:
        text = Maker(rng, random_expressions.random_event(rng)).number(rng.randrange(5))[0]
        names = re.findall(r"[a-z]\w*", re.sub(r'"[^"]*"|\b\d[\w.+-]*', " ", text))
        has_unit = re.search(r"\d(K|M|ns|us|ms)\b", text)  # some do not fit: cases.txt has them
        if fields.issuperset(names) and not has_unit:
            return text


def true_in_reader(trace, condition):
    """Returns the numbers of the events for which the reader finds the condition true."""
    shown = subprocess.run([waymark, "print", f'--where=@event == "{kind_name}_all" && ({condition})', trace],
                           capture_output=True, text=True, check=False, errors="replace")
    if shown.returncode:
        return shown.stderr
    return {int(k) for k in re.findall(r"_all k (\d+)", shown.stdout)}


def main():
    seed = int(sys.argv[7]) if len(sys.argv) > 7 else random.randrange(1 << 32)
    rng = random.Random(seed)
    conditions = [expression(rng) for _ in range(int(count))]
    wrong, true, refused = 0, 0, 0
    with tempfile.TemporaryDirectory() as place:
        trace = os.path.join(place, "t.ctf")
        answers = subprocess.run([program, kind_name, trace, events, str(seed)], text=True, check=True,
                                 input="\n".join(conditions) + "\n", capture_output=True).stdout
        lines = answers.splitlines()
        if len(lines) != len(conditions):
            sys.exit(f"seed {seed}: {len(lines)} answers to {len(conditions)} conditions")
        for condition, line in zip(conditions, lines):
            expected = true_in_reader(trace, condition)
            found = {k for k, digit in enumerate(line) if digit == "1"}
            if line.startswith("!"):
                refused += 1
                found = line
                good = isinstance(expected, str) or "too long" in line
            else:
                true += len(found)
                good = found == expected
            if not good:
                wrong += 1
                if wrong < 5:
                    print(f"{condition}\n  program {found}\n  reader {expected}")
    if wrong:
        sys.exit(f"seed {seed}: {wrong} of {len(conditions)} wrong")
    if refused > len(conditions) // 4 or not true:
        sys.exit(f"seed {seed}: {refused} refused, {true} true: this tests nothing")
    print(f"{len(conditions)} conditions on {events} events: {true} true, {refused} refused")


if __name__ == "__main__":
    main()
