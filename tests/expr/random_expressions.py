#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares random expressions with a reference: random_expressions.py EXPR-EVAL COUNT [SEED]

Makes trees of operators, evaluates them by Python, whose integers have any width, and writes them
as text with as few parentheses as the documented levels need, or more.
"""

import math
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the sources' folder may belong to another user

from reference import (  # noqa: E402  pylint: disable=wrong-import-position
    BITS, BITWISE, COMPARISONS, LEVELS, LOGIC, MATCHES, calculate, compare, connect, pattern_of,
    unary)

PREFIX = 10
NAMES = {"read": 0, "write": 1, "flush": 7}
TEXTS = ["", "virtio0", "virtio1", "vda", "a*b", "x"]
PATTERNS = ["*", "virtio*", "v?a", "*0", "x", "", "a*b", "*i*t*"]
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "ns": 1, "us": 1000, "ms": 1000000}


def binary(op, a, b):
    a, b = (v.encode() if isinstance(v, str) else v for v in (a, b))
    if op in LOGIC:
        return connect(op, a, b)
    if op in MATCHES:
        return None if a is None else int((pattern_of(b).fullmatch(a) is not None) == (op == "=~"))
    return compare(op, a, b) if op in COMPARISONS else calculate(op, a, b)


class Maker:
    """Makes expressions as (text, level, type, value); types: i, f, s."""

    def __init__(self, rng, event):
        self.rng, self.event = rng, event

    def spaces(self):
        return self.rng.choice(["", "", " ", "  "])

    def enclosed(self, part, level):
        """Returns the text, with parentheses if an operator of that level needs them."""
        if part[1] < level or self.rng.random() < 0.1:
            return f"({self.spaces()}{part[0]}{self.spaces()})"
        return part[0]

    def leaf(self, kind):
        rng, event = self.rng, self.event
        if kind == "s":
            if rng.random() < 0.5:
                return "s", PREFIX, "s", event["s"]
            text = rng.choice(TEXTS)
            return f'"{text}"', PREFIX, "s", text
        choice = rng.randrange(8)
        if choice < 4:
            name = rng.choice(["i", "u", "f", "n", "any", "us"])
            return name, PREFIX, "f" if name == "f" else "i", event.get(name)
        if choice == 4:
            number = round(rng.uniform(0, 100), 3)
            return repr(number), PREFIX, "f", number
        value = rng.choice([0, 1, 2, 7, 63, 64, 255, rng.randrange(BITS)])
        if choice == 5:
            return hex(value), PREFIX, "i", value
        unit = rng.choice(list(UNITS)) if value < 1000 else ""
        return f"{value}{unit}", PREFIX, "i", value * UNITS[unit]

    def number(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return self.leaf("i")
        choice = rng.randrange(12)
        if choice == 0:
            part = self.number(depth - 1)
            op = rng.choice("!-" if part[2] == "f" else "!-~")
            kind = part[2] if op == "-" else "i"
            return (op + self.spaces() + self.enclosed(part, PREFIX), PREFIX, kind,
                    unary(op, part[3]))
        if choice == 1:
            return self.comparison_of_texts()
        if choice == 2:
            return self.comparison_of_names()
        a, b = self.number(depth - 1), self.number(depth - 1)
        ops = [o for o in LEVELS if "~" not in o]
        if "f" in (a[2], b[2]):
            ops = [o for o in ops if o not in BITWISE]
        return self.joined(rng.choice(ops), a, b)

    def joined(self, op, a, b):
        level = LEVELS[op]
        lowest = level + (level == 3)  # a comparison of a comparison needs parentheses
        # A unit is converted where it meets us; the reference does not do that.
        text = (self.enclosed(a, lowest) + self.spaces() + op + " " + self.spaces() +
                self.enclosed(b, level + 1))
        is_float = "f" in (a[2], b[2]) and level >= 8
        return text, level, "f" if is_float else "i", binary(op, a[3], b[3])

    def comparison_of_texts(self):
        a = self.leaf("s")
        if self.rng.random() < 0.5:
            pattern = self.rng.choice(PATTERNS)
            b = f'"{pattern}"', PREFIX, "s", pattern
            return self.joined(self.rng.choice(["=~", "!~"]), a, b)
        return self.joined(self.rng.choice([o for o in LEVELS if LEVELS[o] == 3 and "~" not in o]),
                           a, self.leaf("s"))

    def comparison_of_names(self):
        name = self.rng.choice(list(NAMES))
        text = self.rng.choice([name, f'"{name}"'])
        e = "e", PREFIX, "i", self.event["e"]
        value = text, PREFIX, "i", NAMES[name]
        parts = (e, value) if self.rng.random() < 0.5 else (value, e)
        return self.joined(self.rng.choice(["==", "!=", "<", ">="]), *parts)


def random_event(rng):
    event = {
        "i": rng.choice([0, 1, -1, 5, -(1 << 63), rng.randrange(-(1 << 63), 1 << 63)]),
        "u": rng.choice([0, 1, 4096, BITS - 1, rng.randrange(BITS)]),
        "f": rng.choice([0.0, 1.5, -2.25, 1e300, rng.uniform(-1e6, 1e6)]),
        "e": rng.choice([0, 1, 7, 3]), "us": rng.randrange(1 << 20), "s": rng.choice(TEXTS),
    }
    event["any"] = event["i"]
    return event


def shown(v):
    if v is None:
        return "none"
    if isinstance(v, float):
        return "nan" if math.isnan(v) else v
    return f'"{v}"' if isinstance(v, str) else v


def same(expected, printed):
    if isinstance(expected, float):
        if printed.startswith(("none", "!")):
            return False
        return expected == float(printed) or math.isnan(expected) == math.isnan(float(printed))
    return str(expected) == printed.replace("-nan", "nan")


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    rng = random.Random(seed)
    lines, expected = [], []
    wrong = 0
    while count > 0:
        lines.clear()
        expected.clear()
        for _ in range(min(count, 20000)):
            event = random_event(rng)
            text, _, _, value = Maker(rng, event).number(rng.randrange(6))
            if re.search(r"\bus\b", text) and re.search(r"\d(K|M|ns|us|ms)\b", text):
                continue  # numbers with a unit are converted: cases.txt has that
            values = " ".join(str(event[name]) for name in ("i", "u", "f", "e", "us", "s"))
            lines.append(f"{values}\t{text}\n")
            expected.append(shown(value))
        count -= 20000
        printed = subprocess.run([program], input="".join(lines), capture_output=True, text=True,
                                 check=True).stdout.splitlines()
        if len(printed) != len(expected):
            sys.exit(f"seed {seed}: {len(printed)} answers to {len(expected)} questions")
        for line, value, answer in zip(lines, expected, printed):
            if not same(value, answer):
                wrong += 1
                if wrong < 10:
                    print(f"{line.rstrip()}\n  expected {value}, not {answer}")
    if wrong:
        sys.exit(f"seed {seed}: {wrong} wrong")


if __name__ == "__main__":
    main()
