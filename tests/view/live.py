#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A running process in `waymark view`: live.py WAYMARK TICKER MONITOR

Its events appear as they are recorded, are switched from the page, and all are there at its end.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", name) for name in ("flame", "common")]
import chromium  # noqa: E402
from memory import make_memory  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, TICKER, MONITOR = map(os.path.realpath, sys.argv[1:4])


def wait_until(what, test):
    for _ in range(600):
        if test():
            return
        time.sleep(0.05)
    raise AssertionError(what)


def count(served):
    return served.ask("/api/trace")["records"]


def states(served):
    return {event["name"]: event["state"] for event in served.ask("/api/events")}


def switch(served, method="POST", token=True, **given):
    status, _, body = served.get("/api/switch?" + urllib.parse.urlencode(given), method, token)
    return status, body.decode()


def check_switching(served):
    """An event is off when it was switched off, and is not recorded then."""
    check("events", states(served), {"tick": "enabled", "tock": "enabled", "tack_text": "enabled", "never": "enabled"})
    check("off", switch(served, pattern="t?ck", on=0), (200, "{}"))
    check("what is on", states(served), {"tick": "disabled", "tock": "disabled", "tack_text": "enabled", "never": "enabled"})
    check("on", switch(served, pattern="tick", on=1)[0], 200)
    check("one of them", states(served)["tick"], "enabled")
    for given, words in (({"pattern": "tikc", "on": 1}, "did you mean 'tick'"), ({"pattern": "", "on": 1}, "pattern"),
                         ({"pattern": "tick"}, "on"), ({"pattern": "tick", "on": 2}, "on")):
        status, said = switch(served, **given)
        check(f"{given}: {said}", (status, words in said), (400, True))
    check("a link changes nothing", switch(served, method="GET", pattern="tick", on=0)[0], 405)
    check("nobody else changes anything", switch(served, token=False, pattern="tick", on=0)[0], 401)
    check("nor a guess", switch(served, token="0" * 32, pattern="tick", on=0)[0], 401)
    check("tick is still on", states(served)["tick"], "enabled")


def check_growth(served):
    before = count(served)
    wait_until("nothing more is recorded", lambda: count(served) > before + 30)
    trace = served.ask("/api/trace")
    check("it goes on", (trace["done"], trace["live"]), (False, True))
    tile = served.tile(0, trace["length"], tracks=range(len(trace["tracks"])))
    drawn = sum(item[3] for row in tile["rows"] for item in row["items"] if row["kind"] == "event")
    check(f"{drawn} of {trace['records']} are drawn", drawn >= trace["records"] - 3, True)


def check_ahead(served):
    """Of a time that was not read yet, it is not known which scopes are open at its begin."""
    ahead = served.ask("/api/trace")["length"] + 10**12
    for begin, edges in (0, True), (ahead, False):
        check(f"from {begin}", served.ask("/api/select", **{"from": begin, "to": begin + 1000})["edges"], edges)


def check_near(served):
    """Parts are exact while it records: single events, with their names and fields."""
    trace = served.ask("/api/trace")
    tracks = range(len(trace["tracks"]))
    turn = served.tile(0, trace["length"] - 5_000_000, columns=4000, tracks=tracks)["rows"][-1]["items"][-1][0]
    tile = served.tile(max(0, turn - 500), turn + 20_000, columns=4000, tracks=tracks)
    items = [item for row in tile["rows"] for item in row["items"] if row["kind"] == "event" and len(item) > 5]
    check(f"{len(items)} items are single events", (tile["near"], len(items) > 1), (True, True))
    for begin, _, name, count, _, offset, number in items:
        event = served.ask("/api/event", ns=begin, offset=offset, trace=number, name=name)
        check("its name", (count, trace["names"][name]), (1, event["event"]))


def check_page(served):
    """The view moves with the process, rests when the user moves it, and moves again."""
    with chromium.Page(served.address) as page:
        wait_until("the page has no trace", lambda: page.evaluate("Boolean(waymark.trace?.live && waymark.tile)"))
        length = page.evaluate("waymark.trace.length")
        wait_until("the view does not move", lambda: page.evaluate("waymark.view.to") > length)
        page.press(" ", 32)
        wait_until("nothing says that it rests", lambda: page.evaluate(
            "document.getElementById('live').textContent") == "follow")
        page.evaluate("location.hash = '#1000,2000'")
        time.sleep(1)
        check("it rests", page.evaluate("[waymark.view.from, waymark.view.to]"), [1000, 2000])
        page.press("0", 48)
        page.evaluate("document.getElementById('switch').click()")
        wait_until("no events", lambda: page.evaluate("document.querySelectorAll('#events-list input').length") == 4)
        page.evaluate("document.getElementById('events-filter').value = 'tick'")
        page.evaluate("document.getElementById('events-off').click()")
        wait_until("tick stays on", lambda: states(served)["tick"] == "disabled")
        page.evaluate("document.getElementById('events-on').click()")
        wait_until("tick stays off", lambda: states(served)["tick"] == "enabled")
        page.evaluate("location.hash = `#1000,2000&time=${waymark.trace.length + 1e12}-${waymark.trace.length + 2e12}`")
        wait_until("no line reports what began earlier", lambda: page.evaluate(
            "document.getElementById('selection').textContent").find("not known until the trace was read") > 0)
        check("nothing failed", (page.faults, page.prompts), ([], 0))


def check_end(served, process, trace):
    """After its end, all that it recorded is there."""
    process.stdin.close()
    process.wait()
    wait_until("its end is not noticed", lambda: served.ask("/api/trace")["done"])
    told = subprocess.run([WAYMARK, "sql", "--json", trace, "SELECT count(*) AS n FROM events"], check=True,
                          capture_output=True, text=True)
    check("records", count(served), json.loads(told.stdout)[0]["n"])
    check("it is live no more", served.ask("/api/trace")["live"], False)
    status, body = served.get("/api/events")[::2]
    check(f"its events: {body}", (status, b"no running process is shown" in body), (400, True))


def check_targets(work):
    for target, words in (("99999999", "there is no process"), ("no-such-program", "no process that records")):
        done = subprocess.run([WAYMARK, "view", "--no-open", target], capture_output=True, text=True, check=False, cwd=work)
        check(f"{target}: {done.stderr}", (done.returncode, words in done.stderr), (1, True))


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        shm = make_memory()
        (work / "run").mkdir(mode=0o700)
        os.environ |= {"WAYMARK_SHM": str(shm), "XDG_RUNTIME_DIR": str(work / "run"),
                       "LD_LIBRARY_PATH": os.path.dirname(MONITOR), "WAYMARK_TRACE": f"*,control=on,file={work}/ticks"}
        process = subprocess.Popen([TICKER, "2000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=work)
        del os.environ["WAYMARK_TRACE"]
        try:
            check("it runs", process.stdout.readline(), "ready\n")
            with Served(WAYMARK, process.pid) as served:
                check_growth(served)
                check_ahead(served)
                check_near(served)
                check_switching(served)
                if chromium.is_installed():
                    check_page(served)
                else:
                    print("chromium is not installed: the page was not tested")
                check_end(served, process, work / "ticks")
            check_targets(work)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            shutil.rmtree(shm)
    finish()


if __name__ == "__main__":
    main()
