#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that speedscope, in a headless Chromium, shows exports: speedscope.py WAYMARK PROGRAM

$WAYMARK_SPEEDSCOPE is the folder of npm's package speedscope, which is not part of this repository.
"""

import base64
import json
import os
import pathlib
import sys
import time

from common import HERE, Work, check, export, finish, records, split

sys.path.insert(1, str(HERE.parent / "flame"))
import chromium  # noqa: E402

PATIENCE = 60
SANDWICH = 'window.dispatchEvent(new KeyboardEvent("keypress", { key: "3" }))'


def wait_for(page, text):
    """Returns the page's text as soon as it has a part."""
    end = time.monotonic() + PATIENCE
    while True:
        shown = page.evaluate("document.body.innerText") or ""
        if text in shown or time.monotonic() > end:
            return shown
        time.sleep(0.1)


def table(index, work, name, data):
    """Returns the title of the profile and the names in speedscope's table of functions."""
    script = work.path / "profile.js"
    encoded = base64.b64encode(data).decode()
    script.write_text(f"speedscope.loadFileFromBase64({json.dumps(name)}, {json.dumps(encoded)})")
    with chromium.Page(f"{index}#localProfilePath={script}") as page:
        wait_for(page, "Sandwich")
        title = page.evaluate("document.body.innerText").splitlines()[1]
        page.evaluate(SANDWICH)
        lines = wait_for(page, "Symbol Name").splitlines()
    rows = lines[lines.index("Total\tSelf\tSymbol Name") + 1:] if "Total\tSelf\tSymbol Name" in lines else lines
    return title, {row.strip() for row in rows}


def main():
    folder = pathlib.Path(os.environ.get("WAYMARK_SPEEDSCOPE", "/nonexistent"))
    index = folder / "dist/release/index.html"
    if not index.exists() or not chromium.is_installed():
        print("skipped: it needs chromium and npm's package speedscope: set WAYMARK_SPEEDSCOPE")
        sys.exit(77)
    work = Work()
    scopes = split(records(work.trace))[0]
    title, names = table(index, work, "trace.pb.gz", export("pprof", work.trace))
    check("the name of a profile", title, "trace.pb.gz")
    check("scopes of a profile", {s.name for s in scopes if s.end} - names, set())
    title, names = table(index, work, "trace.json", export("chrome", work.trace))
    pid = scopes[0].pid
    check("the thread of a timeline", f"export-program (pid {pid}), thread {pid} (tid {pid})" in title, True)
    for name in "Disk:request", "Disk:outer", "Net:inner":
        check(f"{name} of {names}", any(shown.startswith(name + " ") for shown in names), True)
    finish()


if __name__ == "__main__":
    main()
