# SPDX-License-Identifier: MIT
"""Shared by the tests of the manual: parses pages of docs/man, and prints faults."""

import pathlib
import re
import shlex
import sys

# Escapes of mdoc(7) for single characters.
ESCAPES = {r"\(dq": '"', r"\-": "-", r"\&": "", r"\e": "\\", r"\~": " "}


def unescape(text):
    return re.sub(r"\\\(dq|\\[-&e~]", lambda m: ESCAPES[m.group()], text)


class Page:
    def __init__(self, path):
        self.path = path
        self.name, self.section = path.name.rsplit(".", 1)
        self.text = path.read_text()
        self.sections = {}
        for part in re.split(r"^\.Sh ", self.text, flags=re.M)[1:]:
            title, _, body = part.partition("\n")
            self.sections[title] = body.splitlines()

    def lines(self, section):
        return self.sections.get(section, [])

    def macros(self, name, section=None):
        """Yields the arguments of each line that begins with that macro."""
        lines = self.text.splitlines() if section is None else self.lines(section)
        for line in lines:
            if line == f".{name}" or line.startswith(f".{name} "):
                yield arguments(line[len(name) + 1:])

    def names(self):
        """Returns the names by which man(1) finds the page."""
        return [words[0] for words in self.macros("Nm", "NAME") if words]

    def prototypes(self):
        """Yields (returned type, function, arguments) of each function of the synopsis; type "": a macro."""
        returned = ""
        for line in self.lines("SYNOPSIS"):
            if line.startswith(".Ft "):
                returned = " ".join(arguments(line[4:]))
            elif line.startswith(".Fn "):
                words = arguments(line[4:])
                yield returned, words[0], words[1:]
                returned = ""

    def blocks(self, section):
        """Yields each literal block of a section, as it is printed."""
        block = None
        for line in self.lines(section):
            if line.startswith(".Bd -literal"):
                block = []
            elif line.startswith(".Ed"):
                yield "\n".join(block) + "\n"
                block = None
            elif block is not None:
                block.append(unescape(line))

    def commands(self):
        """Yields the example lines that are commands."""
        for line in self.lines("EXAMPLES"):
            if line.startswith((".Dl ", ".D1 ")):
                yield unescape(line[4:])


def arguments(text):
    """Returns the words of a macro's line; quoted words may contain blanks."""
    lexer = shlex.shlex(unescape(text.replace(r"\(dq", "\\(dq")), posix=True)
    lexer.whitespace_split, lexer.commenters, lexer.quotes, lexer.escape = True, "", '"', ""
    try:
        return list(lexer)
    except ValueError:  # the quote is text
        return text.split()


def pages(root):
    return {path.name: Page(path)
            for path in sorted(pathlib.Path(root, "docs/man").glob("*.[1-8]"))}


class Faults:
    """Prints faults immediately; their number determines the exit status."""

    def __init__(self):
        self.count = self.checked = 0

    def check(self, holds, text):
        self.checked += 1
        if not holds:
            self.count += 1
            print(text)

    def same(self, what, code, page):
        """Compares two lists that must be equal; the code's must not be empty."""
        code, page = set(code), set(page)
        self.check(code, f"{what}: nothing was found in the code")
        for word in sorted(code - page):
            self.check(False, f"{what}: the manual lacks {word}")
        for word in sorted(page - code):
            self.check(False, f"{what}: the manual has {word}, which does not exist")

    def end(self, least):
        """Exits, with 1 after faults or if fewer than `least` checks were made."""
        print(f"{self.checked} checks, {self.count} faults")
        sys.exit(self.count > 0 or self.checked < least)
