#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that each manual page is valid, installed, has the sections of its kind, and names no
option, file or page that does not exist: form.py ROOT
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import manual

# Sections in their order; a page may have others.
ORDER = ["NAME", "LIBRARY", "SYNOPSIS", "DESCRIPTION", "RETURN VALUES", "ENVIRONMENT", "FILES",
         "EXIT STATUS", "EXAMPLES", "DIAGNOSTICS", "SEE ALSO", "HISTORY", "CAVEATS", "BUGS"]
NEEDED = {"1": ["SYNOPSIS", "EXIT STATUS"], "3": ["LIBRARY", "SYNOPSIS"], "5": [], "7": ["SYNOPSIS"]}
root = pathlib.Path(sys.argv[1])
pages = manual.pages(root)
functions = {name for page in pages.values() if page.section == "3" for name in page.names()}
faults = manual.Faults()


def check_sections(page):
    for title in ["NAME", "DESCRIPTION", "EXAMPLES", "SEE ALSO", *NEEDED[page.section]]:
        faults.check(page.lines(title), f"{page.path.name} has no section {title}")
    order = [ORDER.index(t) for t in page.sections if t in ORDER]
    faults.check(order == sorted(order), f"{page.path.name}: sections are not in the order of mdoc(7)")
    faults.check(any(page.blocks("EXAMPLES")) or any(page.commands()),
                 f"{page.path.name}: its section EXAMPLES has neither program nor command")
    faults.check(f".Dt {page.name.upper()} {page.section}\n" in page.text,
                 f"{page.path.name}: its .Dt is another page's")
    if page.section != "3":
        faults.check(page.names()[0] in (page.name, page.name.replace("waymark-", "")),
                     f"{page.path.name}: its name is another page's")


def check_links(page):
    """Waymark's pages exist, and pages of others have no names like ours."""
    for words in page.macros("Xr"):
        name, section = words[:2]
        if name.startswith(("waymark", "trace", "simpletrace")):
            faults.check(f"{name}.{section}" in pages or section == "3" and name in functions,
                         f"{page.path.name} speaks of {name}({section}), which does not exist")
            faults.check(f"{name}.{section}" != page.path.name,
                         f"{page.path.name} refers to itself")
    seen = [words[:2] for words in page.macros("Xr", "SEE ALSO")]
    ours = [w for w in seen if w[0].startswith(("waymark", "trace", "simple"))]
    faults.check(ours == sorted(ours, key=lambda w: (w[1], w[0])),
                 f"{page.path.name}: SEE ALSO is not in order of section and name")


def check_words(page, known):
    """A word that ends in _ stands for all names with that beginning."""
    for word in set(re.findall(r"\b(?:waymark|WAYMARK)_\w*", page.text)):
        faults.check(word in known or word.endswith("_") and any(k.startswith(word) for k in known),
                     f"{page.path.name} speaks of {word}, which does not exist")


def check_terminal():
    """man(1) prints each page in 80 columns without a warning, such as of a line too wide."""
    if not shutil.which("man"):
        print("skipped: man is not installed: the pages were not checked by it")
        sys.exit(1 if faults.count else 77)
    for page in pages.values():
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page.path],
                              capture_output=True, text=True, env={**os.environ, "MANWIDTH": "80"})
        faults.check(done.returncode == 0 and done.stdout and not done.stderr,
                     f"man {page.path.name}: {done.stderr}")


def main():
    meson = (root / "docs/man/meson.build").read_text()
    known = set()
    for folder in ("include", "src"):
        for path in (root / folder).rglob("*.*"):
            known |= set(re.findall(r"\b(?:waymark|WAYMARK)_\w+", path.read_text()))
    # Names that macros make from others.
    known |= {f"WAYMARK_{n}" for n in re.findall(
        r"^\tROW\(\d+, (\w+)", (root / "include/waymark/backends.def").read_text(), re.M)}
    known |= {f"waymark_debug_{n}" for n in re.findall(
        r"^WAYMARK_DEBUG_INTEGER\((\w+),", (root / "include/waymark/value.h").read_text(), re.M)}
    for page in pages.values():
        faults.check(f"'{page.path.name}'" in meson, f"{page.path.name} is not listed in docs/man/meson.build")
        faults.check(not re.search(r"Qq .* Qq ", page.text), f"{page.path.name}: a Qq inside a Qq: its quotes nest")
        check_sections(page)
        check_links(page)
        check_words(page, known)
    years = {re.search(r"^\.Dd .*(\d{4})$", p.text, re.M).group(1) for p in pages.values()}
    faults.check(len(years) == 1, f"pages are of several years: {sorted(years)}")
    if not shutil.which("mandoc"):
        print("skipped: mandoc is not installed: the pages were not checked for faults")
        sys.exit(1 if faults.count else 77)
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *[p.path for p in pages.values()]],
                          capture_output=True, text=True)
    faults.check(done.returncode == 0 and not done.stdout, done.stdout + done.stderr)
    check_terminal()
    faults.end(500)


main()
