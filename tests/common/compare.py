# SPDX-License-Identifier: MIT
"""For scripts that compare what they find with what they want: each difference is told and
counted, and finish() ends the script by that."""
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
