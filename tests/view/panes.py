#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The panes below the timeline in Chromium, by mouse and keys: panes.py WAYMARK BLOCKCACHE"""

import json
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
from browser import need_chromium, wait_for  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, BLOCKCACHE = map(os.path.realpath, sys.argv[1:3])
ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"
SHOWN = "[...document.querySelectorAll('#panes [role=tabpanel]')].filter((p) => !p.hidden).map((p) => p.id).join()"
TABLES = """Object.fromEntries([...document.querySelectorAll('#selection table')].map((t) => [t.caption.textContent,
    [...t.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent))]))"""


def ask_sql(trace, question):
    return browser.ask_sql(WAYMARK, trace, question)


def number(text):
    return int(text.replace(",", ""))


def click(page, selector):
    page.evaluate(f"""(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{ block: 'center' }});
        const r = e.getBoundingClientRect(); globalThis.place = [r.left + 5, r.top + r.height / 2]; }})()""")
    page.click(*page.evaluate("place"))


def check_columns(page, served):
    """Many tracks share an answer; in the end each has the columns of the screen, which is wide here."""
    page.call("Emulation.setDeviceMetricsOverride", width=3600, height=900, deviceScaleFactor=1, mobile=False)
    wait_for(page, "performance.getEntriesByType('resource').some((r) => /tile.*columns=3[0-9]{3}&/.test(r.name))")
    url = urllib.parse.parse_qs(urllib.parse.urlsplit([u for u in page.requests if "/api/tile" in u][-1]).query)
    given = {name: value[0] for name, value in url.items()}
    tracks = page.evaluate("[...new Set(waymark.tile.rows.map((r) => r.track))]")
    shared = served.ask("/api/tile", **given | {"tracks": ",".join(map(str, tracks))})
    check("one answer has fewer columns", shared["columns"] < int(given["columns"]), True)
    wanted = {}
    for track in tracks:
        for row in served.ask("/api/tile", **given | {"tracks": track})["rows"]:
            wanted[f"{row['track']} {row['kind']} {row['depth']}"] = len(row["items"])
    wait_for(page, "Object.fromEntries(waymark.tile.rows.map((r) => [`${r.track} ${r.kind} ${r.depth}`, r.items.length]))",
             wanted)
    page.call("Emulation.clearDeviceMetricsOverride")
    browser.settle(page)


def wait_for_answer(page):
    wait_for(page, "document.querySelector('#selection .tables') !== null && "
                   "!document.getElementById('selection').textContent.includes('reading')")


def check_selection(page, trace):
    """A drag over a part is answered in numbers that are those of SQL."""
    page.drag((500, 300), (900, 300))
    wait_for(page, SHOWN, "selection")
    wait_for_answer(page)
    begin, end = page.evaluate("[waymark.selection.from, waymark.selection.to]")
    first = int(page.evaluate("waymark.trace.first"))
    where = f"WHERE time BETWEEN {first + int(begin)} AND {first - int(-end // 1)}"
    tables = page.evaluate(TABLES)
    counts = ask_sql(trace, f"SELECT event, count(*) AS n FROM events {where} GROUP BY event")
    check("events", {row[0]: number(row[1]) for row in tables["Events"]}, {row["event"]: row["n"] for row in counts})
    edges = first + int(begin), first - int(-end // 1)
    crossing = f"time < {edges[0]} OR time + duration > {edges[1]}"
    scopes = ask_sql(trace, f"SELECT name, count(*) AS n, total({crossing}) AS crossing FROM scopes WHERE time <= {edges[1]} AND "
                            f"time + duration >= {edges[0]} AND unfinished = 0 GROUP BY name")
    check("scopes, with those that cross an edge", {row[0]: (number(row[1]), number(row[2] or "0"))
                                                    for row in tables.get("How long scopes took", [])},
          {row["name"]: (row["n"], row["crossing"]) for row in scopes})
    check("it is said", "a part outside of the time" in page.evaluate("document.getElementById('selection').textContent"),
          sum(row["crossing"] for row in scopes) > 0)
    page.press("e", 69)
    wait_for(page, "waymark.selection.from <= 0")
    wait_for(page, f"document.querySelector('#selection .head').textContent.includes('{trace_events(trace)}')")
    tables = page.evaluate(TABLES)
    scopes = ask_sql(trace, "SELECT name, count(*) AS n FROM scopes WHERE duration >= 0 GROUP BY name")
    check("scopes", {row[0]: number(row[1]) for row in tables["How long scopes took"]},
          {row["name"]: row["n"] for row in scopes})
    check("pairs", ["request_begin", "request_end", "request"] in [row[:3] for row in tables["From one event to another"]], True)
    bars = page.evaluate("""[...document.querySelectorAll('#selection svg')].map((s) => [s.closest('tr').cells[0].textContent,
        [...s.querySelectorAll('title')].map((t) => t.textContent)])""")
    for name, texts in bars[:len(scopes)]:
        check(f"bars of {name}", sum(number(text.split(": ")[1]) for text in texts),
              {row["name"]: row["n"] for row in scopes}[name])
    check("a histogram for each", len(bars), len(tables["How long scopes took"]) + len(tables["From one event to another"]))


def trace_events(trace):
    return f"{ask_sql(trace, 'SELECT count(*) AS n FROM events')[0]['n']:,} events"


def check_jumps(page, trace):
    """A click on a slowest scope or life shows and chooses it, with its fields; the pane stays."""
    first = int(page.evaluate("waymark.trace.first"))
    slow = ask_sql(trace, "SELECT time, name, duration FROM scopes ORDER BY duration DESC LIMIT 1")[0]
    page.evaluate("[...document.querySelectorAll('#selection table')].find((t) => t.caption.textContent === 'Slowest scopes').id = 'slow'")
    click(page, "#slow tbody tr")
    wait_for(page, "waymark.chosen?.item[5] !== undefined")
    item = page.evaluate("waymark.chosen.item")
    check("the slowest scope", [item[0], item[1] - item[0], page.evaluate(f"waymark.trace.names[{item[2]}]")],
          [slow["time"] - first, slow["duration"], slow["name"]])
    check("it is in the view", page.evaluate("waymark.view.from < waymark.chosen.item[0] && waymark.view.to > waymark.chosen.item[1]"), True)
    wait_for(page, "document.getElementById('details').textContent.includes('duration')")
    check("the pane stays", page.evaluate(SHOWN), "selection")
    life = ask_sql(trace, "SELECT time, first, tid FROM lives ORDER BY duration DESC LIMIT 1")[0]
    page.evaluate("[...document.querySelectorAll('#selection table')].find((t) => t.caption.textContent === 'Slowest lives').id = 'lives'")
    page.evaluate("document.querySelector('#lives tbody tr').focus()")
    page.press("Enter", 13)
    wait_for(page, "waymark.trace.names[waymark.chosen?.item[2]]", life["first"])
    wait_for(page, "waymark.chosen.item[0]", life["time"] - first)
    page.evaluate("document.getElementById('timeline').focus()")
    page.press("z", 90)


def check_thread(page, trace):
    """A part of the answer is of the thread of what is chosen."""
    page.press("1", 49)
    page.press("2", 50)
    page.evaluate("document.getElementById('timeline').focus()")
    page.press("e", 69)
    wait_for_answer(page)
    tid = page.evaluate("waymark.trace.tracks[waymark.chosen.row.track].tid")
    page.evaluate("[...document.querySelectorAll('#selection button')].find((b) => b.textContent.startsWith('only')).click()")
    wait_for(page, f"document.querySelector('#selection .head').textContent.includes('of thread {tid}')")
    wait_for_answer(page)
    begin, end = page.evaluate("[waymark.selection.from, waymark.selection.to]")
    first = int(page.evaluate("waymark.trace.first"))
    counts = ask_sql(trace, f"SELECT event, count(*) AS n FROM events WHERE tid = {tid} AND time BETWEEN "
                            f"{first + max(0, int(begin // 1))} AND {first - int(-end // 1)} GROUP BY event")
    check("events of the thread", {row[0]: number(row[1]) for row in page.evaluate(TABLES)["Events"]},
          {row["event"]: row["n"] for row in counts})
    page.evaluate("[...document.querySelectorAll('#selection button')].find((b) => b.textContent === 'all threads').click()")
    wait_for(page, "document.querySelector('#selection .head').textContent.includes('only thread')")
    wait_for_answer(page)


def check_keys(page):
    for key, pane in ("1", "details"), ("2", "selection"), ("3", "flame"), ("4", "sql"):
        page.press(key, ord(key))
        wait_for(page, SHOWN, pane)
        check(f"{pane} has the focus", page.evaluate("document.activeElement.dataset.pane"), pane)
    for key, pane in ("ArrowRight", "details"), ("ArrowLeft", "sql"), ("ArrowLeft", "flame"):
        page.press(key, {"ArrowRight": 39, "ArrowLeft": 37}[key])
        wait_for(page, SHOWN, pane)
    check("a tab that is not open is not reached by Tab", page.evaluate(
        "[...document.querySelectorAll('#tabs [role=tab]')].map((t) => [t.tabIndex, t.getAttribute('aria-selected')].join()).join(' ')"),
        "-1,false -1,false 0,true -1,false")
    high = page.evaluate("document.getElementById('panes').offsetHeight")
    page.evaluate("document.getElementById('split').focus()")
    page.press("ArrowUp", 38)
    wait_for(page, f"document.getElementById('panes').offsetHeight > {high}")


def check_flame(page):
    """The flame graph is of the range, apart from the page, and in its colours."""
    page.press("3", 51)
    wait_for(page, "document.querySelector('#flame iframe') !== null")
    check("in a sandbox", page.evaluate("document.querySelector('#flame iframe').sandbox.value"), "allow-scripts allow-modals")
    wait_for(page, "document.querySelector('#flame iframe').contentDocument", None)
    page.evaluate("""(async () => {
        const { colour } = await import("./format.js");
        const text = await (await fetch(document.querySelector('#flame iframe').src)).text();
        const probe = document.createElement("canvas").getContext("2d");
        const rgb = (c) => { probe.fillStyle = c; return parseInt(probe.fillStyle.slice(1), 16); };
        const parts = (c) => [c >> 16, c >> 8 & 255, c & 255];
        const far = (a, b) => Math.max(...parts(a).map((v, i) => Math.abs(v - parts(b)[i])));
        const frames = [...text.matchAll(/<title>([^<]*?)\\n[^<]*<.title><rect [^>]*fill="(#[0-9a-f]{6})" style="--night: (#[0-9a-f]{6})"/g)];
        globalThis.colours = frames.slice(1).map(([, name, fill, night]) =>
            Math.max(far(rgb(fill), rgb(colour(name, false))), far(rgb(night), rgb(colour(name, true)))));
    })()""")
    wait_for(page, "globalThis.colours?.length > 5")
    check("the colours of names", page.evaluate("Math.max(...colours)") <= 2, True)


def check_sql(page, trace):
    first = int(page.evaluate("waymark.trace.first"))
    page.press("4", 52)
    wait_for(page, "document.querySelectorAll('#ready option').length > 20")
    page.evaluate("document.getElementById('query').focus()")
    page.call("Input.insertText", text="SELECT time, tid, name, duration FROM scopes ORDER BY duration LIMIT 3")
    before = page.evaluate("[waymark.view.from, waymark.view.to].join()")
    page.press("Enter", 13, modifiers=2)
    wait_for(page, "document.querySelectorAll('#rows tbody tr').length", 3)
    check("keys of the field move nothing", page.evaluate("[waymark.view.from, waymark.view.to].join()"), before)
    shortest = ask_sql(trace, "SELECT time, tid, name, duration FROM scopes ORDER BY duration LIMIT 3")
    check("its rows", page.evaluate("[...document.querySelectorAll('#rows tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))"),
          [[str(v) for v in row.values()] for row in shortest])
    click(page, "#rows tbody tr")
    wait_for(page, "waymark.chosen?.item[0]", shortest[0]["time"] - first)
    check("a row leads to its scope", page.evaluate("waymark.trace.names[waymark.chosen.item[2]]"), shortest[0]["name"])
    check("the pane stays open", page.evaluate(SHOWN), "sql")
    page.evaluate("document.getElementById('query').value = 'SELECT time, tme FROM scopes'")
    click(page, "#run")
    wait_for(page, "document.getElementById('said').textContent.includes(\"did you mean 'time'\")")
    check("the place of the error", page.evaluate("document.getElementById('query').value.slice(document.getElementById('query').selectionStart,"
                                                  "document.getElementById('query').selectionEnd)"), "tme")
    page.evaluate(f"document.getElementById('query').value = {json.dumps(ENDLESS)}")
    click(page, "#run")
    wait_for(page, "document.querySelector('#said button') !== null")
    click(page, "#said button")
    wait_for(page, "document.getElementById('said').textContent", "stopped")
    page.evaluate("document.getElementById('query').value = 'SELECT 42'; document.getElementById('run').focus()")
    page.press(" ", 32)
    wait_for(page, "document.querySelector('#rows td')?.textContent", "42")
    page.evaluate("(() => { const r = document.getElementById('ready'); r.value = '0'; r.dispatchEvent(new Event('change')); })()")
    wait_for(page, "/^\\d+ rows/.test(document.getElementById('said').textContent)")


def check_safety(page):
    expected = ("/api/sql",)  # the browser notes the wrong question in its log
    faults = [f for f in page.faults if not any(path in str(f) for path in expected)]
    check("no fault of the page or its policy", (faults, page.prompts), ([], 0))
    elsewhere = [url for url in page.requests if urllib.parse.urlsplit(url).hostname not in ("127.0.0.1", None)]
    check("nothing is fetched from elsewhere", elsewhere, [])


def main():
    need_chromium()
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        (work / "data").write_bytes(bytes(range(256)) * 4096)
        trace = work / "cache.ctf"
        subprocess.run([BLOCKCACHE, "-trace", f"*,backend=ctf,full=block,file={trace}", "-n", "300", work / "data"],
                       check=True, stdout=subprocess.DEVNULL, timeout=60)
        with Served(WAYMARK, trace) as served, chromium.Page(served.address) as page:
            wait_for(page, "waymark.trace?.done && waymark.tile !== null")
            check_columns(page, served)
            check_selection(page, trace)
            check_jumps(page, trace)
            check_thread(page, trace)
            check_keys(page)
            check_flame(page)
            check_sql(page, trace)
            check_safety(page)
    finish()


if __name__ == "__main__":
    main()
