#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that trace points without a declaration are never written to a simpletrace file:
refused.py WAYMARK ALL SIMPLE API...

No reader could decode them there. Each way to switch them on only for `simple` is an error, which
names the backends to use instead; other backends record them.
"""
import os
import re
import subprocess
import sys
import tempfile

WAYMARK, ALL, SIMPLE, *API = map(os.path.abspath, sys.argv[1:])
ADVICE = re.compile(r"waymark: WAYMARK_TRACE: '([^']*)' stays off: a simpletrace file cannot record trace "
                    r"points of waymark/scope.h; instead of simple use a backend like ctf, which "
                    r"WAYMARK_SCOPES must name$", re.M)


def check(condition, *words):
    if not condition:
        print("FAILED:", *words)
        sys.exit(1)


def run(folder, *command, trace=""):
    done = subprocess.run(command, text=True, capture_output=True, timeout=60, cwd=folder,
                          env={**os.environ, "WAYMARK_TRACE": trace})
    check(done.returncode == 0, command, trace, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def events(folder, name):
    path = os.path.join(folder, name)
    return run(folder, WAYMARK, "print", path)[0].splitlines() if os.path.exists(path) else []


def test_the_environment(folder):
    for program, trace, refused in (
            (ALL, "VirtioFs,backend=simple", ["VirtioFs"]),
            (ALL, "VirtioFs:n*,enable=*,backend=simple", ["*"]),
            (ALL, "print,backend=simple;VirtioFs,backend=ctf", ["print"]),
            (SIMPLE, "*", ["*"]), (SIMPLE, "VirtioFs", ["VirtioFs"]),
            (SIMPLE, "/^Virtio/,backend=simple", ["/^Virtio/"])):
        said = run(folder, program, "names=5", trace=trace + ",simple.file=s,ctf.file=c")[1]
        check(ADVICE.findall(said) == refused, trace, said)
        check(events(folder, "s") == [], trace)


def test_other_backends_have_them(folder):
    for trace in ("*", "VirtioFs", "VirtioFs,backend=simple,backend=ctf"):
        said = run(folder, ALL, "names=5", trace=trace + ",simple.file=s,ctf.file=c,replace=on,log.file=/dev/null")[1]
        check(not ADVICE.search(said), trace, said)
        check(events(folder, "s") == [] and len(events(folder, "c")) == 15, trace)


def test_the_api(folder):
    for program in API:
        said = run(folder, program)[1]
        check("stays off" in said if program.endswith("simple") and "log" not in program else True, said)


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory() as folder:
                test(folder)


main()
