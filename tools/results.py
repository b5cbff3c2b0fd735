# SPDX-License-Identifier: MIT
"""The machine and the commit of results, and the files that show results.

A file shows what a tool wrote between two lines, `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
"""

import datetime
import os
import pathlib
import platform
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def value_of(path, key):
    """Returns the value of the first line `key : value` in a file of /proc."""
    for line in pathlib.Path(path).read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return "unknown"


def machine():
    kib = value_of("/proc/meminfo", "MemTotal").split()[0]
    return {"cpu": value_of("/proc/cpuinfo", "model name"), "cores": os.cpu_count(),
            "kernel": platform.release(), "memory": f"{int(kib) / (1 << 20):.0f} GiB"}


def describe(where):
    """Returns a description of the machine."""
    return f"{where['cpu']}, {where['cores']} cores, {where['memory']}, Linux {where['kernel']}"


def git(*words):
    """Returns git's output; empty without git."""
    if not shutil.which("git"):
        return ""
    done = subprocess.run(["git", "-C", ROOT, *words], check=False, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit(*paths):
    """Returns the commit of the sources, or the last one that changed `paths`; + marks later changes."""
    shown = (":!docs/reliability.md", ":!bench/RESULTS.md", ":!tests/long/results")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *(paths or (".", *shown)))
    return (git("log", "-1", "--format=%h", "--abbrev=12", "--", *paths) or "unknown") + (
        "+" if changed else "")


def today():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")


def with_block(text, name, block):
    """Returns the text with the named block replaced."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"there is no block `{name}`")
    return f"{before}{begin}\n{block.strip()}\n\n{end}{after}"


def write_block(path, name, block):
    path = pathlib.Path(path)
    path.write_text(with_block(path.read_text(), name, block))
