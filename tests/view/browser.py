# SPDX-License-Identifier: MIT
"""The page of `waymark view` in Chromium, and answers in SQL to compare it with."""

import json
import os
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402

SKIPPED = 77


def need_chromium():
    """Skips the test where there is no Chromium."""
    if not chromium.is_installed():
        print("skipped: chromium is not installed")
        sys.exit(SKIPPED)


def ask_sql(waymark, traces, question, check=True):
    traces = traces if isinstance(traces, list) else [traces]
    told = subprocess.run([waymark, "sql", "--json", *traces, question], check=check, capture_output=True, text=True)
    return json.loads(told.stdout)


def wait_for(page, expression, value=True, tries=600):
    for _ in range(tries):
        seen = page.evaluate(expression)
        if seen == value:
            return seen
        time.sleep(0.05)
    raise AssertionError(f"{expression} stays {seen}, not {value}")


def settle(page):
    """Waits until all of the view was drawn."""
    drawn = "Boolean(globalThis.waymark?.trace?.done && waymark.tile && waymark.loading === 0)"
    wait_for(page, drawn)
    before = None
    while before != (before := page.evaluate("JSON.stringify(waymark.tile)")):
        time.sleep(0.3)
        wait_for(page, drawn)
