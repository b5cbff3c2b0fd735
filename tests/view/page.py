#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of `waymark view` in Chromium, by mouse and by keys alone: page.py WAYMARK PROGRAM

The drawn items are compared with SQL; texts of a trace are never markup; nothing is fetched from elsewhere.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import browser  # noqa: E402
import chromium  # noqa: E402
from browser import need_chromium, settle, wait_for  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
ODD = "<img src=x onerror=alert(1)> \u202eabc " + "x" * 150 + ".ctf"


def ask_sql(trace, question):
    return browser.ask_sql(WAYMARK, trace, question)


def drawn(page):
    """Names and counts of the slices that the page draws, of threads."""
    return page.evaluate("""waymark.tile.rows.filter((r) => r.kind === "slice")
        .flatMap((r) => r.items.map((i) => [waymark.trace.names[i[2]], i[3]]))""")


def check_drawing(page, trace):
    slices = ask_sql(trace, "SELECT name, count(*) AS n FROM scopes GROUP BY name")
    check("all slices", sum(n for _, n in drawn(page)), sum(row["n"] for row in slices))
    check("their names", {name for name, n in drawn(page) if n == 1} - {row["name"] for row in slices}, set())
    check("no time is left out", page.evaluate("waymark.view.from <= 0 && waymark.view.to >= waymark.trace.length"), True)


def check_keys(page):
    for key, code, test in (("w", 87, "waymark.view.to - waymark.view.from < waymark.trace.length * 0.8"),
                            ("d", 68, "waymark.view.from > 0"), ("0", 48, "waymark.view.from === 0")):
        page.press(key, code)
        wait_for(page, test)
    page.press("z", 90)
    wait_for(page, "waymark.view.from > 0")
    page.press("0", 48)
    page.press("?", 191)
    wait_for(page, "document.getElementById('help').open")
    check("help names every key", page.evaluate("document.querySelectorAll('#help-keys tr').length > 10"), True)
    page.evaluate("document.getElementById('help').close()")
    settle(page)


def check_click(page, trace):
    """A click on a slice shows its fields, the keys lead to the next one of its name."""
    bounds = ask_sql(trace, "SELECT min(time) - 100 AS low, max(time + duration) AS high, "
                            "(SELECT min(time) FROM events) AS first FROM scopes WHERE name = 'Disk:request'")[0]
    page.evaluate(f"location.hash = '#{bounds['low'] - bounds['first']},{bounds['high'] - bounds['first']}'")
    settle(page)
    page.evaluate("""(() => {
        const row = waymark.tile.rows.find((r) => r.kind === "slice" && r.items.some((i) => i[5] !== undefined &&
            waymark.trace.names[i[2]] === "Disk:request"));
        const item = row.items.find((i) => i[5] !== undefined && waymark.trace.names[i[2]] === "Disk:request");
        const box = waymark.boxes.find((b) => b.track === row.track);
        const canvas = document.getElementById("timeline");
        const at = canvas.getBoundingClientRect();
        const middle = ((item[1] + item[0]) / 2 - waymark.view.from) / (waymark.view.to - waymark.view.from);
        globalThis.place = [at.left + 170 + middle * (canvas.clientWidth - 170),
            at.top + 26 + box.top + box.bar + row.depth * 18 + 9];
    })()""")
    page.click(*page.evaluate("place"))
    wait_for(page, "document.getElementById('details').textContent.includes('Disk:request')")
    wait_for(page, "document.getElementById('details').textContent.includes('a \"text\"')")
    first = page.evaluate("waymark.chosen.item[0]")
    page.press("n", 78)
    later = page.evaluate("waymark.chosen.item[0]")
    check("the next of its name", later > first, True)
    page.press("f", 70)
    settle(page)
    known = ask_sql(trace, "SELECT duration FROM scopes WHERE name = 'Disk:request' ORDER BY time LIMIT 1 OFFSET 1")
    wide = page.evaluate("waymark.view.to - waymark.view.from")
    check(f"{wide} ns shown for {known}", wide < 3 * known[0]["duration"] + 100, True)
    check("the address has the view", page.evaluate("location.hash.length > 3"), True)


def check_find(page, trace):
    """An expression leads from event to event, and back; a wrong one says why."""
    times = [row["time"] - row["first"] for row in ask_sql(
        trace, "SELECT time, (SELECT min(time) FROM events) AS first FROM submit WHERE request > 0 ORDER BY time")]
    page.press("0", 48)
    page.press("/", 191)
    wait_for(page, "document.activeElement.id", "where")
    page.call("Input.insertText", text="request > 0 && bytes >= 512")
    seen = []
    for _ in times:
        page.press("Enter", 13)
        wait_for(page, f"(waymark.found?.ns ?? -1) > {seen[-1] if seen else -1}")
        seen.append(page.evaluate("waymark.found.ns"))
    check("found", seen, times)
    page.press("Enter", 13, modifiers=8)
    wait_for(page, "waymark.found.ns", times[-2])
    page.evaluate("document.getElementById('where').value = 'request >'")
    page.press("Enter", 13)
    wait_for(page, "document.getElementById('where').getAttribute('aria-invalid')", "true")
    page.press("Escape", 27)


def check_text(page, trace):
    check("texts are no markup", page.evaluate("document.images.length + document.scripts.length"), 1)
    check("the title", page.evaluate("document.getElementById('title').textContent"), str(trace))
    # The browser notes the wrong questions of check_find() in its log.
    faults = [f for f in page.faults if "/api/find" not in str(f) and "/api/hits" not in str(f)]
    check("nothing runs", (faults, page.prompts), ([], 0))
    elsewhere = [url for url in page.requests if urllib.parse.urlsplit(url).hostname not in ("127.0.0.1", None)]
    check("nothing is fetched from elsewhere", elsewhere, [])


def check_losses(work):
    """Losses are drawn, and said."""
    with Served(WAYMARK, work / "many-packets") as served, chromium.Page(served.address) as page:
        settle(page)
        lost = ask_sql(work / "many-packets", "SELECT sum(lost) AS n FROM gaps")[0]["n"]
        check("lost events are drawn", page.evaluate("""waymark.tile.rows.filter((r) => r.kind === "loss")
            .flatMap((r) => r.items.map((i) => i[3])).reduce((a, b) => a + b, 0)"""), lost)
        check("and said", page.evaluate("document.getElementById('state').textContent.includes('were lost')"), True)


def check_alive(page):
    """A page in view says so, though it does not change."""
    asked = "performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/api/alive')).length"
    before = page.evaluate(asked)
    page.call("Emulation.setVirtualTimePolicy", policy="advance", budget=600000)
    for _ in range(100):
        if page.evaluate(asked) > before:
            return
        time.sleep(0.05)
    raise AssertionError("the page does not ask /api/alive")


def check_failure(page):
    """A question that failed is asked again, and the page says so no more."""
    state = "document.getElementById('state').textContent"
    page.evaluate("globalThis.kept = fetch; globalThis.fetch = () => Promise.reject(new Error('nobody'));"
                  "import('./view.js').then((module) => module.load()); 0")
    for answers in True, False:
        for _ in range(200):
            if ("does not answer: nobody" in page.evaluate(state)) == answers:
                break
            time.sleep(0.05)
        else:
            raise AssertionError(f"the page says: {page.evaluate(state)}")
        page.evaluate("globalThis.fetch = kept; 0")


def check_estimates(page):
    """What was not read yet is drawn in its track, paler than what is known."""
    page.evaluate("import('./view.js').then((module) => { globalThis.viewModule = module; }); 0")
    wait_for(page, "globalThis.viewModule !== undefined")
    # In one go: the page draws its own tile at any time.
    pixel = """((estimates) => {
        const box = waymark.boxes.find((b) => b.kind === "track");
        waymark.tile = { near: false, rows: [], estimates: estimates ? [{ track: box.track, kind: "estimate", depth: 0,
            items: [[waymark.view.from, waymark.view.to, 0, 100000, 0]] }] : [] };
        viewModule.drawing.draw(waymark);
        const place = [400, 26 + box.top + box.height - 6].map((n) => n * devicePixelRatio);
        return [...document.getElementById("timeline").getContext("2d").getImageData(...place, 1, 1).data];
    })"""
    drawn, empty = page.evaluate(f"{pixel}(true)"), page.evaluate(f"{pixel}(false)")
    difference = sum(abs(a - b) for a, b in zip(drawn, empty))
    check(f"{drawn} on {empty}", 30 < difference < 300, True)


def main():
    need_chromium()
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        trace = work / ODD
        maker = pathlib.Path(__file__).resolve().parent.parent / "reader/make_ctf.py"
        subprocess.run([sys.executable, maker, work], check=True)
        subprocess.run([PROGRAM, "3"], check=True, cwd=work, env={**os.environ, "WAYMARK_TRACE": "*,file=trace.ctf"})
        (work / "trace.ctf").rename(trace)
        with Served(WAYMARK, trace) as served, chromium.Page(served.address) as page:
            settle(page)
            check_drawing(page, trace)
            check_text(page, trace)
            check_keys(page)
            check_click(page, trace)
            check_find(page, trace)
            check_text(page, trace)
            check_failure(page)
            check_estimates(page)
            check_alive(page)
        check_losses(work)
    finish()


if __name__ == "__main__":
    main()
