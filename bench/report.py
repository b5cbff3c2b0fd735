# SPDX-License-Identifier: MIT
"""Prints tables of medians, each value with its target from the file `targets`."""

import pathlib
import statistics

TARGETS = pathlib.Path(__file__).with_name("targets")


def read_targets():
    """Returns {metric: (word, limit)}."""
    targets = {}
    for line in TARGETS.read_text().splitlines():
        fields = line.split("#")[0].split()
        if fields:
            metric, word, limit = fields
            targets[metric] = (word, float(limit))
    return targets


def number(value):
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.2f}"


class Results:
    """Measured values of all rounds, by metric and recorder."""

    def __init__(self, ours):
        self.ours = ours  # the recorders that have targets
        self.values = {}
        self.targets = read_targets()

    def add(self, metric, who, value):
        self.values.setdefault((metric, who), []).append(value)

    def median(self, metric, who):
        values = self.values.get((metric, who))
        return statistics.median(values) if values else None

    def spread(self, metric, who):
        """Returns the range of the rounds, lowest to highest, as text."""
        values = self.values.get((metric, who), [])
        return f"{number(min(values))} - {number(max(values))}" if values else "-"

    def has(self, prefix, who):
        return any(m.startswith(prefix + ".") and w == who for m, w in self.values)

    def verdict(self, metric, who):
        """Returns a verdict; empty without a target or a measured value, or for recorders of others."""
        value = self.median(metric, who)
        if metric not in self.targets or value is None or who not in self.ours:
            return ""
        word, limit = self.targets[metric]
        reached = value <= limit if word == "at-most" else value >= limit
        return f"{word.replace('-', ' ')} {limit:g}: {'reached' if reached else 'not reached'}"

    def unmeasured(self):
        """Returns the targets without a measured value."""
        measured = {metric for metric, who in self.values if who in self.ours}
        return sorted(set(self.targets) - measured)


def table(title, note, header, rows):
    """Prints a table with aligned columns."""
    print(f"\n### {title}\n\n{note}\n")
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for count, row in enumerate(cells):
        line = [cell.ljust(width) for cell, width in zip(row, widths)]
        print("| " + " | ".join(line) + " |")
        if count == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    print(flush=True)


def verdicts(results, prefix, who, columns):
    """Returns a row's targets and whether they were reached. columns: {heading: metric after the prefix}"""
    all_of_them = [(heading, results.verdict(f"{prefix}.{name}", who))
                   for heading, name in columns.items()]
    return "; ".join(f"{heading} {verdict}" for heading, verdict in all_of_them if verdict)


def medians(results, prefix, who, columns):
    return [number(results.median(f"{prefix}.{name}", who)) for name in columns.values()]
