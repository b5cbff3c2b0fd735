# SPDX-License-Identifier: MIT
"""What the tests of text share: running the program of program.c."""
import os
import subprocess
import sys
import tempfile


def check(condition, *words):
    if not condition:
        print("FAILED:", *words)
        sys.exit(1)


def run(program, *actions, trace="*,backend=log,log.prefix=none", **variables):
    """Fires what the actions say; the lines of the log, and what was said beside them."""
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
