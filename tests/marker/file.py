#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests trace points written to a file that replaces trace_marker: file.py PROGRAM WITHOUT

The output is compared byte by byte: no byte is between two lines. Runs in a private mount
namespace.
"""
import os
import re
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "ftrace"))
import expected
from ftrace import check, own_mounts, skip

PROGRAM, WITHOUT = map(os.path.abspath, sys.argv[1:3])
PLACE = "/sys/kernel/tracing"
MARKER = PLACE + "/trace_marker"


def make_place():
    own_mounts()
    if not os.path.isdir(PLACE):
        skip("there is no " + PLACE)
    if subprocess.run(["umount", "-a", "-l", "-t", "tracefs,debugfs"], check=False).returncode:
        skip("only root can take away the tracefs that is there")
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", PLACE], check=True)


def written(program, action, style="text"):
    with open(MARKER, "w"):
        pass
    done = subprocess.run([program, action], check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, env={
                              **os.environ,
                              "WAYMARK_TRACE": "*,backend=ftrace,ftrace.style=" + style})
    check(done.stderr == "", done.stderr)
    with open(MARKER, "rb") as f:
        return f.read().decode(), done.stdout


def main():
    make_place()
    for program, lines, evaluated in ((PROGRAM, expected.DOCUMENT, "1\n"),
                                      (WITHOUT, expected.WITHOUT, "0\n")):
        text, out = written(program, "document=512")
        check(out == evaluated, out)
        found = re.sub(r"\d{6,} ", "N ", text)
        check(found == "".join(lines), found)
    # The other styles are formats of lines.
    text, _ = written(PROGRAM, "counters=10", "atrace")
    check(text.count("\n") == 5 and text.endswith("|text | 10\n"), text)
    # A text of several lines is one line, without its last newline.
    text, _ = written(PROGRAM, "lines")
    check(text == r"one\ntwo", text)


if __name__ == "__main__":
    main()
