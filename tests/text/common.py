# SPDX-License-Identifier: MIT
"""Runs the program of program.c, for the tests of text."""
import os
import subprocess
import sys
import tempfile


def check(condition, *words):
    if not condition:
        print("FAILED:", *words)
        sys.exit(1)


def run(program, *actions, trace="*,backend=log,log.prefix=none", **variables):
    """Fires the actions; returns the lines of the log, and the rest of standard error."""
    with tempfile.TemporaryDirectory() as directory:
        log = directory + "/log"
        environment = {k: v for k, v in os.environ.items() if k != "WAYMARK_LOG_LEVEL"}
        environment.update(WAYMARK_TRACE=trace + ";log.file=" + log, **variables)
        done = subprocess.run([program, *actions], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        said = done.stderr.decode()
        check(done.returncode == 0, actions, "status", done.returncode, said)
        with open(log, "rb") as f:
            return f.read().decode(), said


def run_tests(tests):
    for name, test in tests.items():
        if name.startswith("test_"):
            print(name)
            test()
