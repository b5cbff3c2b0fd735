# SPDX-License-Identifier: MIT
"""What the checks of sizes and of state share: exceptions, and C without its comments."""

import re

NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
MACRO = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def blank(match):
    """Comments, literals and directives go, their newlines stay."""
    return "\n" * match[0].count("\n")


def without_noise(text):
    return MACRO.sub(blank, NOISE.sub(blank, text))


def read_exceptions(root):
    exceptions = {}
    for line in (root / "tools/metrics-exceptions").read_text().splitlines():
        words = line.split("#")[0].split(maxsplit=2)
        if words:
            exceptions[words[0], words[1]] = words[2]  # fails without a reason
    return exceptions
