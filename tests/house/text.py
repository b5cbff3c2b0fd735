#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks of the repository's texts: text.py CHECK ROOT [VERSION]

Each check is a function that yields its findings; none means passed.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

CODE = {".c", ".h", ".def", ".py", ".sh", ".map", ".mk"}
# Split, so that this file passes its own check.
MACHINE_PATHS = re.compile("(?<![\\w.$}])/" + "(work|root|home|Users|mnt)/" + r"[\w.]")


def files_of(root):
    """Returns the files that belong to the repository, as git lists them; all files without git."""
    git = shutil.which("git") and subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=False)
    if git and git.returncode == 0:
        names = [root / name for name in git.stdout.decode().split("\0") if name]
    else:
        skipped = ("build", ".git")
        names = [path for path in root.rglob("*")
                 if not path.relative_to(root).parts[0].startswith(skipped)]
    return sorted(path for path in names if path.is_file() and not path.is_symlink())


def texts_of(root):
    for path in files_of(root):
        try:
            yield path, path.read_text()
        except UnicodeDecodeError:
            continue


def check_built(root, _):
    """No file that git ignores is in the repository: built files are no sources."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard"],
                         capture_output=True, check=False) if shutil.which("git") else None
    for name in git.stdout.decode().split("\0") if git else []:
        if name:
            yield f"{name}: is built, and in the repository"


def check_paths(root, _):
    """No text names a place of the machine it was written on."""
    for path, text in texts_of(root):
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATHS.search(line):
                yield f"{path}:{number}: a path of one machine: {line.strip()}"


def check_licence(root, _):
    """Every source says its licence, scripts below their #! line."""
    for path, text in texts_of(root):
        script = text.startswith("#!")
        if not script and path.suffix not in CODE or "golden" in path.parts:
            continue
        line = text.split("\n")[1 if script else 0]
        if "SPDX-License-Identifier: MIT" not in line:
            yield f"{path}: no SPDX-License-Identifier: MIT on its first line"


def headings_of(path):
    """Returns the link targets of a Markdown file's headings."""
    titles = re.findall(r"^#+ (.*)", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links(root, _):
    """Every link and every `path` in a Markdown file leads to a file, and to a heading of it."""
    for path, text in texts_of(root):
        if path.suffix != ".md":
            continue
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not (path.parent / target).exists():
                yield f"{path}: the link {target} leads nowhere"
        for target, heading in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", text):
            file = path.parent / target if target else path
            if file.suffix == ".md" and file.exists() and heading not in headings_of(file):
                yield f"{path}: {file.name} has no heading #{heading}"
        for target in re.findall(r"`((?:src|include|tools|tests|docs|bench)/[\w./-]+)`", text):
            if not (root / target).exists():
                yield f"{path}: there is no {target}"


def check_functions(root, _):
    """Every `function()` that ARCHITECTURE.md and the page of a packet's life name is in the sources."""
    known = set()
    for path, text in texts_of(root):
        if path.suffix in (".c", ".h") and path.relative_to(root).parts[0] in ("src", "include"):
            known.update(re.findall(r"\b(\w+)\(", text))
    for page in ("ARCHITECTURE.md", "docs/why/018-a-packets-life.md"):
        for name in re.findall(r"`(\w+)\(\)`", (root / page).read_text()):
            if name not in known:
                yield f"{page}: the sources have no function {name}()"


def check_version(root, version):
    """NEWS.md opens with the version that meson.build declares."""
    heading = re.search(r"^## (\S+)", (root / "NEWS.md").read_text(), re.MULTILINE)
    if not heading or heading[1] != version:
        yield f"NEWS.md opens with {heading and heading[1]}, meson.build says {version}"


# Places that repeat the number which meson.build calls `soversion`.
SOVERSION = re.compile(r"\blibwaymark(\d+)(?=[\s._(,`]|$)|\blibwaymark(?:-[a-z]+)?\.so\.(\d+)"
                       r"|\bwaymark-(\d+)/(?:waymark|trace)\b|\bWAYMARK_(\d+)(?= [0-9{])|`\.so\.(\d+)`")


def check_soversion(root, _):
    """Packages, version scripts, manuals and tools have the soversion of meson.build."""
    wanted = re.search(r"^soversion = '(\d+)'", (root / "meson.build").read_text(), re.MULTILINE)[1]
    where = set()
    for folder in ("debian", "docs", "include", "packaging", "src", "tests", "tools"):
        for path in [root / folder, *(root / folder).rglob("*")]:
            if not path.is_file() or path.suffix in (".pyc", ".svg"):
                continue
            name = path.relative_to(root)
            text = f"{name}\n{path.read_text(errors='replace')}"
            for found in SOVERSION.finditer(text):
                where.add(name.parts[0])
                if set(filter(None, found.groups())) != {wanted}:
                    yield f"{name}: {found[0]} is not of the soversion {wanted} in meson.build"
    if not where >= {"debian", "docs", "packaging", "src", "tools"}:
        yield f"the test is blind: it found soversions in {sorted(where)} alone"


def check_readme(root, _):
    """README.md stays at two screens, its quick start at 20 lines."""
    text = (root / "README.md").read_text()
    if text.count("\n") > 100:
        yield f"README.md has {text.count(chr(10))} lines, at most 100 are two screens"
    start = re.search(r"^## Quick start\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in re.findall(r"```\w*\n(.*?)```", start[1] if start else "", re.DOTALL)
             for line in block.splitlines() if line.strip()]
    if not 1 <= len(lines) <= 20:
        yield f"the quick start of README.md has {len(lines)} lines, at most 20 are wanted"


# Phrases that a reader has to decode, and what to write instead. Split, as above.
HABITS = {
    r"\bwho(ever)? " + r"(drains|records|reads|writes|asks|waits|listens|locks|follows|starts|looks|prints|stops)\b":
        "the consumer, the producer, the reader",
    r"\b(is|are|was|were|be|been|being) " + r"told\b": "reports, receives, names",
    r"\b(is|are|be) " + r"said (of|to|with|by)\b": "reports, prints",
    r"\btells? " + r"(of|whether)\b|\bhears? " + r"(of|nothing)\b": "reports, notices",
    r"\bso " + r"many (bytes|events|of|times|seconds|units|packets|rounds|threads)\b": "the number",
    r"\b(comes|come|came) " + r"to (nothing|an end|lie|stand|have)\b": "fails, ends, is",
    r"\b(stands|stand) " + r"(there|in|before|behind|beside|at)\b": "is in, precedes, follows",
    r"\bgo(es)? " + r"(its|his|their) way\b": "ends, exits",
    r"\b(is|are|was|were) " + r"through( with)?\b": "has finished",
    r"\b(is|are) " + r"looked (at|for|after)\b": "checks, searches",
    r"\bnobody " + r"(reads|writes|drains|records|waits|knows|tells|has|listens|says|sees|looks|asks|asked)\b":
        "no reader, no writer, unread",
    r"\b(that|which) (is|are) " + r"here\b": "installed, present",
    r"\btelling " + r"values\b|\bwithout a " + r"word\b": "distinctive; without a message",
}
# Words that make a comment's opening a riddle, and the allowed percentage of such comments in a
# folder.
OPENER = r"(What|Whether|Who|Whose|Where)\b"
OPENERS_SHARE = 3
COMMENTS = {".c": r"/\*+\s*(?:\*\s*)?", ".h": r"/\*+\s*(?:\*\s*)?",
            ".py": r"(?:#|^\s*\"\"\") ?", ".sh": r"(?:^|\s)# ?"}
PLAIN = (*COMMENTS, ".def", ".md", ".1", ".3", ".5", ".7", ".build")


def check_words(root, _):
    """No text has a habit that a reader has to decode; few comments open with a riddle."""
    comments, openers = collections.Counter(), collections.Counter()
    for path, text in texts_of(root):
        name = path.relative_to(root)
        if "golden" in name.parts or path.suffix not in PLAIN:
            continue
        for pattern, instead in HABITS.items():
            for match in re.finditer(pattern, text.replace("_", " ")):  # also names
                yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: '{match[0]}': write plainly ({instead})"
        if path.suffix in COMMENTS:
            opening = COMMENTS[path.suffix]
            comments[name.parent] += len(re.findall(opening, text, re.MULTILINE))
            openers[name.parent] += len(re.findall(opening + OPENER, text, re.MULTILINE))
    for folder, count in openers.items():
        if count > max(2, comments[folder] * OPENERS_SHARE / 100):
            yield f"{folder}: {count} of {comments[folder]} comments open with What, Whether, Who or Where"


CHECKS = {
    "built": check_built,
    "paths": check_paths,
    "licence": check_licence,
    "links": check_links,
    "functions": check_functions,
    "version": check_version,
    "soversion": check_soversion,
    "readme": check_readme,
    "words": check_words,
}


def main():
    root = pathlib.Path(os.path.abspath(sys.argv[2]))
    faults = list(CHECKS[sys.argv[1]](root, sys.argv[3] if len(sys.argv) > 3 else ""))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
