# SPDX-License-Identifier: MIT
"""Compares results with expectations: check() prints and counts each difference, and finish()
exits with 1 if there was one.
"""
import sys

failures = 0


def check(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"{what}: {found!r}, not {wanted!r}")


def finish():
    print(f"{failures} failures")
    sys.exit(failures > 0)
