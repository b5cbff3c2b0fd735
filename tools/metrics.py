# SPDX-License-Identifier: MIT
"""Shared by the checks of sources: C without its comments, its functions, and the exceptions.

Functions are found by the house style: their `{` and `}` are alone in the first column.
"""

import re

NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
MACRO = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def blank(match):
    """Returns only the newlines of a comment, literal or directive."""
    return "\n" * match[0].count("\n")


def without_noise(text):
    return MACRO.sub(blank, NOISE.sub(blank, text))


def head_of(lines, brace):
    """Returns the declaration that ends directly above the brace."""
    first = brace
    while first > 0 and lines[first - 1].strip() and not lines[first - 1].rstrip().endswith((";", "}")):
        first -= 1
    return "\n".join(lines[first:brace])


def find_functions(text):
    """Yields (name, line, head, body) of each function definition of a C file without noise."""
    lines = text.split("\n")
    start = None
    for number, line in enumerate(lines):
        if line.rstrip() == "{":
            start = number
        elif line.startswith("}") and start is not None:
            head = head_of(lines, start)
            name = re.search(r"(\w+)\s*\(", head)
            if name and line.strip() == "}":
                yield name[1], start + 1, head, "\n".join(lines[start + 1:number])
            start = None


def read_exceptions(root):
    exceptions = {}
    for line in (root / "tools/metrics-exceptions").read_text().splitlines():
        words = line.split("#")[0].split(maxsplit=2)
        if words:
            exceptions[words[0], words[1]] = words[2]  # raises IndexError without a reason
    return exceptions
