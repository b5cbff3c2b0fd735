#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the statistics of waymark diff with the same computed in another way: by enumerating
all cases, by integrals, and with exact fractions: significance.py PROGRAM
"""
import fractions
import itertools
import math
import os
import random
import statistics
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402

PROGRAM = os.path.realpath(sys.argv[1])
lines, wanted = [], []


def ask(what, numbers, test):
    """Asks for a test; `test` gets the results when all are there."""
    lines.append(" ".join([what, *(repr(n) for n in numbers)]))
    wanted.append(test)


def near(what, found, value, relative=1e-9, least=1e-12):
    if not math.isclose(found, value, rel_tol=relative, abs_tol=least):
        check(what, found, value)


def is_value(what, value, index=0, **how):
    return lambda found: near(what, found[index], value, **how)


# ---- Student's distribution ----

def student(t, freedom):
    """The two-sided tail, by Simpson's rule over the angle: t = sqrt(freedom) tan(angle)."""
    begin, steps = math.atan(t / math.sqrt(freedom)), 20000
    width = (math.pi / 2 - begin) / steps

    def density(angle):
        return math.cos(angle) ** (freedom - 1)
    total = sum((4 if i % 2 else 2) * density(begin + i * width) for i in range(1, steps))
    total = (total + density(begin) + density(math.pi / 2)) * width / 3
    return 2 * total * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)


# Printed tables of the two-sided 5 %, 1 % and 0.1 %.
TABLE = {1: (12.706, 63.657, 636.619), 2: (4.303, 9.925, 31.599), 5: (2.571, 4.032, 6.869),
         10: (2.228, 3.169, 4.587), 30: (2.042, 2.750, 3.646), math.inf: (1.960, 2.576, 3.291)}


def ask_student():
    for freedom, limits in TABLE.items():
        for t, p in zip(limits, (0.05, 0.01, 0.001)):
            ask("student", (t, freedom), is_value(f"table {freedom} {t}", p, relative=2e-3))
    for freedom in (1, 2, 3.5, 7, 29, 200):
        for t in (0, 0.3, 1, 2.5, 6, 15):
            ask("student", (t, freedom), is_value(f"student {t} {freedom}", student(t, freedom), relative=1e-7,
                                                  least=1e-11))


# ---- Binomial and Poisson ----

def at_least(k, n, share):
    return sum(math.comb(n, i) * share ** i * (1 - share) ** (n - i) for i in range(k, n + 1))


def ask_rates():
    for first, second in itertools.product((0, 1, 2, 5, 20, 60), repeat=2):
        if first + second == 0:
            continue
        for ratio in (1, 3):
            share = fractions.Fraction(1, 1 + ratio)
            n = first + second
            tail = min(at_least(first, n, 1 - share), at_least(second, n, share))
            ask("rates", (first, float(ratio), second, 1.0, 1.0, math.inf),
                is_value(f"rates {first} {second} {ratio}", min(1, 2 * float(tail)), relative=1e-8))
    # Counts in bursts of four are a quarter as many.
    ask("rates", (80, 1.0, 20, 1.0, 4.0, math.inf),
        is_value("bursts", 2 * float(at_least(20, 25, fractions.Fraction(1, 2))), relative=1e-8))
    # As many as counted, and a thousandth of the time: the binomial of n tries of 1/1001.
    ask("beta", (3, 100001 - 3, 1 / 100001), is_value("beta", 1 - math.exp(-1) * 2.5, relative=1e-4))
    for million in (1e6, 1e9):
        # Three standard deviations.
        more = million + 3 * math.sqrt(2 * million)
        ask("rates", (int(million), 1.0, int(more), 1.0, 1.0, math.inf),
            is_value(f"many {million}", 0.0027, relative=0.02))


# ---- Ranks ----

def chance_of_ranks(a, b):
    """Returns the exact p-value: of all ways to choose which values are a's, those as far away."""
    values = a + b
    order = sorted(values)
    rank = {v: order.index(v) + (order.count(v) + 1) / 2 for v in values}
    ranks = [rank[v] for v in values]
    mean = len(a) * (len(values) + 1) / 2
    away = abs(sum(ranks[:len(a)]) - mean)
    ways = [abs(sum(chosen) - mean) >= away - 1e-9 for chosen in itertools.combinations(ranks, len(a))]
    return sum(ways) / len(ways)


def ask_ranks(rng):
    for n, m, kinds in ((5, 5, 40), (7, 7, 60), (7, 7, 5), (4, 10, 60), (6, 8, 8)):
        for _ in range(40):
            shift = rng.choice((0, 10, 30)) * kinds // 60
            a = [rng.randrange(kinds) for _ in range(n)]
            b = [rng.randrange(kinds) + shift for _ in range(m)]
            exact = chance_of_ranks(a, b)
            pairs = [(y > x) + (y == x) / 2 for x in a for y in b]

            # The normal approximation, and the resemblance of neighbours of m >= 8, are off by this.
            def test(found, exact=exact, larger=sum(pairs) / len(pairs), values=(a, b)):
                near(f"larger {values}", found[1], larger)
                slack = 0.035 if exact < 0.2 and len(set(values[0] + values[1])) > 6 else 0.15
                if found[2] == found[3] == 1 and abs(found[0] - exact) > slack:
                    check(f"ranks {values}", found[0], exact)
                if found[0] < exact - slack or exact < 0.02 and found[0] < exact / 2:
                    check(f"ranks {values}: too small", found[0], exact)
            ask("ranks", (n, *a, *b), test)


def tied_score(a, b):
    """Returns the p-value by the normal approximation, from the pairs instead of ranks."""
    n, m = len(a), len(b)
    u = sum((y > x) + (y == x) / 2 for x in a for y in b)
    both = a + b
    ties = sum(both.count(v) ** 3 - both.count(v) for v in set(both))
    variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    return statistics.NormalDist().cdf(-max(0, abs(u - n * m / 2) - 0.5) / math.sqrt(variance)) * 2


def ask_scores(rng):
    """Sorted from both ends inwards, values resemble their neighbours less than by chance."""
    for n, m in ((5, 7), (40, 100), (300, 50), (64, 64)):
        a = [rng.randrange(50) for _ in range(n)]
        b = [rng.randrange(50) + rng.randrange(12) for _ in range(m)]

        def zigzag(values):
            values = sorted(values)
            return [values[i // 2] if i % 2 else values[-1 - i // 2] for i in range(len(values))]

        def test(found, a=a, b=b):
            # A part of the batches may still vary more than by chance.
            if found[2] == found[3] == 1 and found[4] == math.inf:
                near(f"score {len(a)} {len(b)}", found[0], tied_score(a, b), relative=1e-9)
            elif found[0] < tied_score(a, b) * 0.999:
                check("a wider test has a smaller p", found[0], tied_score(a, b))
        ask("ranks", (n, *zigzag(a), *zigzag(b)), test)
    # One value each; all equal; nothing on one side.
    ask("ranks", (1, 3, 5), lambda f: check("one each", f[0] > 0.3, True))
    ask("ranks", (20, *[7] * 20, *[7] * 30), lambda f: check("all equal", (f[0], f[1]), (1, 0.5)))
    ask("ranks", (0, 1, 2, 3), lambda f: check("no value", (f[0], f[1]), (1, 0.5)))
    # The same values again and again in long phases say little.
    phases = [v for v in (1, 50, 3, 40, 2, 60, 5, 44) for _ in range(100)]
    ask("ranks", (800, *phases, *[v + 9 for v in phases]),
        lambda f: check("phases", (f[0] > 0.05, f[2] > 20), (True, True)))
    mixed = [(v * 37) % 64 for v in range(800)]
    ask("ranks", (800, *mixed, *[v + 9 for v in mixed]), lambda f: check("no phases", f[0] < 1e-6, True))


# ---- Slices, runs, all rows ----

def ask_rest(rng):
    ask("dispersion", (1.0, *[10] * 20), is_value("even", 1))
    ask("dispersion", (0.001, *[10] * 19, 0), is_value("short last slice", 1, relative=0.15))
    burst = (0, 0, 0, 90, 0, 0, 0, 110, 0, 0, 0, 100, 0, 0, 0, 100, 0, 0, 0, 100, 0)
    ask("dispersion", (1.0, *burst), lambda f: check("bursts", 50 < f[0] < 200, True))
    ask("dispersion", (1.0, *[0] * 10, *[100] * 10), lambda f: check("a phase", 200 < f[0] < 400, True))
    for n, m in ((2, 2), (3, 5), (1, 4), (6, 1)):
        a = [rng.gauss(0, 1) for _ in range(n)]
        b = [rng.gauss(1, 1) for _ in range(m)]
        means = statistics.mean(a), statistics.mean(b)
        squares = sum((x - means[0]) ** 2 for x in a) + sum((x - means[1]) ** 2 for x in b)
        error = math.sqrt(squares / (n + m - 2) * (1 / n + 1 / m))
        p = student(abs(means[1] - means[0]) / error, n + m - 2)
        ask("runs", (0.0, n, *a, *b), is_value(f"runs {n} {m}", p, relative=1e-6))
    ask("runs", (0.0, 1, 3.0, 4.0), lambda f: check("two runs", math.isnan(f[0]), True))
    ask("runs", (0.01, 3, 1.0, 1.0, 1.0, 1.1, 1.1, 1.1), is_value("equal runs", student(
        0.1 / math.sqrt(0.02), 4), relative=1e-6))
    ask("holm", (0.01, math.nan, 0.04, 0.03, 0.005),
        lambda f: check("holm", [round(x, 9) if x == x else None for x in f], [0.03, None, 0.06, 0.06, 0.02]))


def main():
    rng = random.Random(1)
    ask_student()
    ask_rates()
    ask_ranks(rng)
    ask_scores(rng)
    ask_rest(rng)
    ran = subprocess.run([PROGRAM], input="\n".join(lines) + "\n", text=True, check=True, stdout=subprocess.PIPE)
    results = ran.stdout.splitlines()
    check("number of results", len(results), len(wanted))
    for line, test in zip(results, wanted):
        test([float(word) for word in line.split()])
    print(len(results), "results")
    finish()


main()
