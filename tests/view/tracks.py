#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tracks of the page by hand, in Chromium: tracks.py WAYMARK PROGRAM

Collapsed, hidden, pinned, sorted and filtered tracks, by mouse and by keys; the address brings all of it back.
Orders and sums are compared with SQL.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402
from browser import ask_sql, need_chromium, settle, wait_for  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent

SHOWN = "waymark.boxes.filter((b) => b.kind === 'track').map((b) => waymark.trace.tracks[b.track].tid).filter((t) => t)"
LEFT_MIDDLE = """(() => { const box = waymark.boxes.find((b) => b.key === %s);
    const at = document.getElementById("timeline").getBoundingClientRect();
    return [at.left + 60, at.top + 26 + box.top + box.height / 2]; })()"""


def threads_by(trace, order):
    return [row["tid"] for row in ask_sql(WAYMARK, trace, "SELECT tid, count(*) AS n, min(time) AS first FROM events "
                                          f"GROUP BY tid ORDER BY {order}")]


def together(spans):
    """The time that spans cover together."""
    sum_ns, until = 0, 0
    for begin, end in sorted(spans):
        sum_ns += max(0, end - max(begin, until))
        until = max(until, end)
    return sum_ns


def check_sums(served, trace):
    """Counts and times of tracks, by which they are sorted."""
    known = served.trace()
    lanes = {t["lane"] for t in known["tracks"]}
    scopes = ask_sql(WAYMARK, trace, "SELECT name, tid, time, duration, unfinished FROM scopes")
    end = int(known["first"]) + known["length"]
    spans = [row for row in scopes if row["name"] not in lanes]
    for track in known["tracks"]:
        own = [(s["time"], end if s["unfinished"] else s["time"] + s["duration"]) for s in spans if s["tid"] == track["tid"]]
        if track["lane"] is None and track["tid"]:
            check(f"thread {track['tid']} is busy", track["busy"], together(own))
    events = ask_sql(WAYMARK, trace, "SELECT count(*) AS n FROM events")[0]["n"]
    check("counts", sum(t["count"] for t in known["tracks"]), events - sum(not s["unfinished"] for s in scopes))


def check_keys(page, trace):
    for key, code in (("j", 74), ("j", 74)):
        page.press(key, code)
    wait_for(page, "waymark.boxes.find((b) => b.key === waymark.cursor)?.kind", "track")
    first = page.evaluate("waymark.trace.tracks[waymark.boxes.find((b) => b.key === waymark.cursor).track].tid")
    page.press("h", 72)
    check("hidden", first in page.evaluate(SHOWN), False)
    check("said", page.evaluate("/ of /.test(document.getElementById('left').textContent)"), True)
    check("said at its process", page.evaluate("waymark.boxes[0].left"), 1)
    page.press("H", 72, modifiers=8)
    check("shown again", first in page.evaluate(SHOWN), True)
    page.press("c", 67)
    check("collapsed", page.evaluate("waymark.boxes.map((b) => b.kind)"), ["process"])
    page.press("c", 67)
    last = threads_by(trace, "tid")[-1]
    for order in ("tid", "n DESC", None, "first"):
        page.press("o", 79)
        if order:
            check(f"sorted by {order}", page.evaluate(SHOWN), threads_by(trace, order))
    page.press("o", 79)
    page.press("l", 76)
    wait_for(page, "document.activeElement.id", "match")
    page.call("Input.insertText", text=f"thread {last}")
    check("filtered", page.evaluate(SHOWN), [last])
    page.press("Escape", 27)
    page.press("m", 77)
    wait_for(page, "document.activeElement.getAttribute('role')", "menuitem")
    page.press("Escape", 27)
    wait_for(page, "document.getElementById('menu').hidden")
    page.evaluate("location.hash = '#'")
    settle(page)


def check_found(page, trace):
    """An event that is found is shown, though its track is hidden, collapsed or filtered; a row of SQL is, too."""
    tid = ask_sql(WAYMARK, trace, "SELECT tid FROM submit LIMIT 1")[0]["tid"]
    hide = f"(await import('./tracks.js')).hide(waymark.trace.tracks.find((t) => t.tid === {tid} && t.lane === null))"
    fold = "(await import('./tracks.js')).fold(waymark.trace.processes[0])"
    match = "(await import('./tracks.js')).matchNames('no such track')"
    find = """document.getElementById('where').value = 'request >= 0'; document.getElementById('where').dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter' }))"""
    row = """(async () => { document.getElementById('query').value = 'SELECT time, tid FROM submit';
        document.getElementById('run').click(); while (!document.querySelector('#rows tr.jump')) {
            await new Promise((done) => setTimeout(done, 50)); } document.querySelector('#rows tr.jump').click(); })()"""
    for way in find, row:
        for act in hide, fold, match:
            page.evaluate(f"globalThis.ready = false; (async () => {{ {act}; globalThis.ready = true; }})()")
            wait_for(page, "globalThis.ready")
            check(f"not shown after {act}", tid in page.evaluate(SHOWN), False)
            page.evaluate(way)
            wait_for(page, f"{SHOWN}.includes({tid})")
            page.evaluate("document.getElementById('rows').replaceChildren()")
    check("the field says it", page.evaluate("document.getElementById('match').value"), "")
    page.evaluate("location.hash = '#'")
    settle(page)


def check_mouse(page):
    """A click on the head opens its menu, one on that of a process collapses it."""
    key = page.evaluate("waymark.boxes.filter((b) => b.kind === 'track').at(-1).key")
    page.click(*page.evaluate(LEFT_MIDDLE % f'"{key}"'))
    wait_for(page, "document.getElementById('menu').hidden", False)
    page.evaluate("document.getElementById('menu').firstChild.click()")
    check("pinned at the top", page.evaluate("[waymark.boxes[0].key, waymark.fixed > 0]"), [key, True])
    page.click(*page.evaluate(LEFT_MIDDLE % "waymark.boxes[1].key"))
    check("all others collapsed", page.evaluate("waymark.boxes.length"), 2)
    page.click(*page.evaluate(LEFT_MIDDLE % "waymark.boxes[1].key"))
    row = page.evaluate("""(() => { const row = waymark.tile.rows.find((r) => r.track === waymark.boxes[0].track);
        const item = row.items.at(-1); const c = document.getElementById("timeline");
        const at = c.getBoundingClientRect(); const b = waymark.boxes[0];
        return [at.left + 170 + (item[0] - waymark.view.from) / (waymark.view.to - waymark.view.from) *
            (c.clientWidth - 170) + 0.5, at.top + 26 + b.top + (row.kind === "slice" ? b.bar + row.depth * 18 + 6 : 6),
            waymark.trace.names[item[2]]]; })()""")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=row[0], y=row[1])
    wait_for(page, "document.getElementById('tip').hidden", False)
    check("the tooltip has the name", page.evaluate("document.getElementById('tip').textContent").startswith(row[2]), True)
    page.click(row[0], row[1])
    wait_for(page, "waymark.chosen !== null")
    return key


def check_link(page, served, key):
    """The address alone brings the view back in a new page."""
    for name, code in (("w", 87), ("o", 79), ("o", 79)):
        page.press(name, code)
    settle(page)
    # An item's length ends where the view does, which the address has rounded.
    seen = "JSON.stringify([waymark.boxes, waymark.scroll, waymark.chosen.item.slice(0, 4), " \
           "Math.round(waymark.view.from), Math.round(waymark.view.to)])"
    before, address = page.evaluate(seen), page.evaluate("location.hash")
    check(f"{address}: pinned and sorted", ("pin=" in address, "sort=events" in address, "item=" in address), (True,) * 3)
    with chromium.Page(served.address + address) as other:
        settle(other)
        check("a link shows the same", other.evaluate(seen), before)
    # Somebody cut the link, or wrote into it.
    for cut in ("#1", "#x,y&pin=%", "#0,5&sort=evil&hide=%3Cimg%3E&item=slice", f"#0,99&pin={key}&scroll=-9&time=3-x"):
        page.evaluate(f"location.hash = {cut!r}")
        settle(page)
        check(f"{cut} shows tracks", page.evaluate("waymark.boxes.length > 1"), True)


def check_many(work):
    """A thousand threads: only those on the screen are asked for, and all are reached."""
    subprocess.run([sys.executable, HERE / "make_threads.py", work / "threads.ctf", "1000"], check=True)
    with Served(WAYMARK, work / "threads.ctf") as served, chromium.Page(served.address) as page:
        settle(page)
        check("threads", page.evaluate("waymark.boxes.filter((b) => b.kind === 'track').length"), 1000)
        asked = [url for url in page.requests if "/api/tile" in url]
        check("asked for few", max(url.count("%2C") for url in asked) < 60, True)
        for _ in range(3):
            page.evaluate("document.getElementById('timeline').dispatchEvent(new WheelEvent('wheel', "
                          "{ deltaY: 1e6, altKey: true, cancelable: true }))")
        settle(page)
        last = page.evaluate("waymark.boxes.at(-1).track")
        check("the last one is drawn", page.evaluate(f"waymark.tile.rows.some((r) => r.track === {last})"), True)
        begin = time.monotonic()
        page.evaluate("document.getElementById('match').value = '107 99'; "
                      "document.getElementById('match').dispatchEvent(new Event('input'))")
        check("filtered at once", time.monotonic() - begin < 1, True)
        names = page.evaluate("waymark.boxes.filter((b) => b.kind === 'track').map((b) => `${b.name}`)")
        check("all of the filter", len(names) > 0 and all("107" in name and "99" in name for name in names), True)


def main():
    need_chromium()
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        trace = work / "trace.ctf"
        subprocess.run([PROGRAM, "30"], check=True, cwd=work, env={**os.environ, "WAYMARK_TRACE": "*,file=trace.ctf"})
        with Served(WAYMARK, trace) as served, chromium.Page(served.address) as page:
            settle(page)
            check_sums(served, trace)
            check_keys(page, trace)
            check_found(page, trace)
            key = check_mouse(page)
            check_link(page, served, key)
            check("no faults", page.faults, [])
        check_many(work)
    finish()


if __name__ == "__main__":
    main()
