#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page as a new user uses it, in Chromium: hands.py WAYMARK BLOCKCACHE

Buttons by keys alone, narrow windows, undo of moves, selections, the way from a found event to the next of its name,
questions that fail or are answered late.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402
from browser import need_chromium, settle, wait_for  # noqa: E402
from served import Served, check, finish  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WAYMARK, BLOCKCACHE = map(os.path.realpath, sys.argv[1:3])
FOUND = "document.getElementById('found').textContent"
DETAILS = "document.getElementById('details').textContent"
# Answers of a path come from `answer`, a function of the true answer; all are noted.
FETCH = """globalThis.trueFetch ??= fetch; globalThis.asked = [];
    globalThis.fetch = async (url, options) => {
        asked.push([performance.now(), url]);
        return (%s)(url, () => trueFetch(url, options));
    }; 0"""


def press(page, key, modifiers=0):
    code = {"Enter": 13, " ": 32, "/": 191, "?": 191, "Escape": 27, "ArrowRight": 39}.get(key) or ord(key.upper())
    text = {"Enter": "\r"}.get(key, key if len(key) == 1 else None)
    page.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key, windowsVirtualKeyCode=code,
              modifiers=modifiers, **({"text": text} if text else {}))
    page.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, modifiers=modifiers)


def size(page, width, height):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    time.sleep(0.3)


def widest_slice(page):
    """The place of the widest slice of the upper row of a thread; what is in the middle depends on when threads ran."""
    return page.evaluate("""(() => {
        const box = waymark.boxes.find((b) => b.source?.depth > 0), at = timeline.getBoundingClientRect();
        const row = waymark.tile.rows.find((r) => r.kind === "slice" && r.track === box.track && r.depth === 0);
        const { from, to } = waymark.view;
        const shown = row.items.map((i) => [Math.max(i[0], from), Math.min(i[1], to)]);
        const [begin, end] = shown.reduce((a, b) => b[1] - b[0] > a[1] - a[0] ? b : a);
        return [at.left + 170 + ((begin + end) / 2 - from) / (to - from) * (timeline.clientWidth - 170),
            at.top + 26 + box.top - waymark.scroll + box.bar + 9]; })()""")


def check_first_look(page):
    """The page says what one can do; help names the mouse, and keys as they are printed on them."""
    check("a hint", "Click a slice" in page.evaluate(DETAILS), True)
    press(page, "?")
    texts = page.evaluate("document.getElementById('help').textContent")
    check("the mouse", "wheel" in texts and "drag" in texts, True)
    check("keys", ("Shift+H" in texts, "ArrowUp" in texts), (True, False))
    check("the help fits", page.evaluate("(() => { const e = document.getElementById('help');"
                                         "return e.scrollHeight <= e.clientHeight; })()"), True)
    press(page, "Escape")
    wait_for(page, "document.getElementById('help').open", False)


def check_buttons(page):
    """Each button of the header acts by Enter and Space when it has the focus."""
    for key in "Enter", " ":
        page.evaluate("document.getElementById('keys').focus()")
        press(page, key)
        wait_for(page, "document.getElementById('help').open")
        page.evaluate("document.getElementById('help').close()")
    press(page, "0")
    press(page, "w")
    before = page.evaluate("waymark.view.from")
    press(page, "d", modifiers=1)
    check("keys with Alt are the browser's", page.evaluate("waymark.view.from"), before)
    # Step 4 of docs/viewing.md: the tab has the focus after `1`.
    settle(page)
    page.click(*widest_slice(page))
    wait_for(page, "waymark.chosen !== null")
    press(page, "1")
    press(page, "Enter")
    wait_for(page, "Math.abs((waymark.view.to - waymark.view.from) / (waymark.chosen.item[1] - waymark.chosen.item[0]) - 1.2) < 0.2"
             " || waymark.view.to - waymark.view.from < 100")
    press(page, "Escape")


def check_undo(page):
    """Every zoom and move is undone; those in a row together."""
    press(page, "0")
    settle(page)
    whole = page.evaluate("[waymark.view.from, waymark.view.to]")
    for key in "w", "w", "d":
        press(page, key)
    press(page, "z")
    check("undone", page.evaluate("[waymark.view.from, waymark.view.to]"), whole)
    press(page, "w")
    time.sleep(0.8)
    one = page.evaluate("[waymark.view.from, waymark.view.to]")
    press(page, "w")
    press(page, "z")
    check("the later one", page.evaluate("[waymark.view.from, waymark.view.to]"), one)
    press(page, "0")
    settle(page)


def check_select(page):
    """The selection is drawn, and in the address; a drag from the heads selects nothing."""
    pixels = ("(() => { const c = document.getElementById('timeline'); return [...c.getContext('2d')"
              ".getImageData(c.width - 3, c.height - 3, 1, 1).data].join(); })()")
    before = page.evaluate(pixels)
    press(page, "e")
    wait_for(page, f"{pixels} !== '{before}'")
    check("in the address", "time=" in page.evaluate("location.hash"), True)
    press(page, "Escape")
    press(page, "1")
    x, y = widest_slice(page)
    page.drag((60, y), (120, y + 8))
    check("nothing", page.evaluate("waymark.selection"), None)
    page.drag((x, y), (60, y))
    check("from the begin of what is shown", page.evaluate("waymark.selection.from >= Math.max(0, waymark.view.from)"), True)
    press(page, "Escape")


def check_next(page):
    """From a found event the keys lead on, also after a zoom; Escape forgets it."""
    press(page, "/")
    wait_for(page, "document.activeElement.id", "where")
    page.call("Input.insertText", text="request == 7")
    press(page, "Enter")
    wait_for(page, "waymark.chosen?.row.kind", "event")
    press(page, "Escape")
    press(page, "f")
    settle(page)
    for _ in range(40): # how far the next event is depends on when the program ran
        press(page, "s")
        settle(page)
        if page.evaluate("waymark.chosen.row.items.length > 1"):
            break
    check("others are shown", page.evaluate("waymark.chosen.row.items.length > 1"), True)
    first = page.evaluate("waymark.chosen.item[0]")
    for _ in range(3):
        press(page, "ArrowRight")
    seen = page.evaluate("waymark.chosen.item[0]")
    check(f"{seen} is later than {first}, or it is said", seen > first or "no later one" in page.evaluate(FOUND), True)
    press(page, "Escape")
    check("forgotten", (page.evaluate("waymark.found"), page.evaluate(FOUND)), (None, ""))
    press(page, "/")
    page.evaluate("document.getElementById('where').value = ''; document.getElementById('where').dispatchEvent(new Event('input'))")
    press(page, "Escape")
    press(page, "0")
    settle(page)


def check_sizes(page):
    """No part of the page is outside of a narrow window, nor with a long problem."""
    long_state = "document.getElementById('state').textContent = 'x '.repeat(200); 0"
    for width, height, state in ((1280, 800, ""), (853, 533, ""), (600, 500, ""), (1280, 800, long_state)):
        size(page, width, height)
        page.evaluate(state or "0")
        outside = page.evaluate("""[...document.querySelectorAll('header *, main, #panes, #tabs button')].filter((e) => !e.hidden &&
            e.offsetParent && (e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().bottom > innerHeight + 1))
            .map((e) => e.id || e.tagName)""")
        check(f"outside of {width}x{height}", outside, [])
        check("it does not scroll", page.evaluate("document.documentElement.scrollHeight <= innerHeight + 1"), True)
    size(page, 1300, 900)


def check_questions(page):
    """The page asks again once in a while for what goes on, however often the view moves; for what failed, too."""
    kinds = "waymark.boxes.filter((b) => b.kind === 'lives').length"
    wait_for(page, f"{kinds} > 0")
    page.evaluate(FETCH % """async (url, ask) => {
        if (!url.includes("/api/lives")) {
            return ask();
        }
        const body = await (await ask()).json();
        return new Response(JSON.stringify({ ...body, done: false }), { headers: { "Content-Type": "application/json" } });
    }""")
    for i in range(20):
        press(page, "wsad"[i % 4])
        time.sleep(0.06)
    page.evaluate("asked.length = 0")
    time.sleep(2)
    n = page.evaluate("asked.filter(([, url]) => url.includes('/api/lives')).length")
    check(f"{n} questions in two seconds", 1 <= n <= 8, True)
    page.evaluate(FETCH % "async (url, ask) => url.includes('/api/lives') ? new Response('', { status: 503 }) : ask()")
    press(page, "w")
    wait_for(page, "asked.some(([, url]) => url.includes('/api/lives'))")
    time.sleep(0.3)
    page.evaluate(FETCH % "(url, ask) => ask()")
    wait_for(page, "asked.some(([, url]) => url.includes('/api/lives'))")
    check("the lives are still there", page.evaluate(f"{kinds} > 0"), True)
    press(page, "0")
    settle(page)


def check_late(page):
    """A late answer of a search does not replace a newer choice."""
    page.evaluate(FETCH % """async (url, ask) => {
        const answer = await ask();
        if (url.includes("/api/find") && url.includes("+7")) {
            await new Promise((done) => setTimeout(done, 1000));
        }
        return answer;
    }""")
    for number in 7, 9:
        page.evaluate(f"document.getElementById('where').value = 'request == {number}'")
        page.evaluate("document.getElementById('where').focus()")
        press(page, "Enter")
    wait_for(page, "waymark.found !== null && waymark.found !== undefined")
    seen = page.evaluate("waymark.found.ns")
    time.sleep(1.2)
    check("the newer one stays", page.evaluate("waymark.found.ns"), seen)
    page.evaluate(FETCH % "(url, ask) => ask()")


def check_others(page):
    """`hide all others` hides lives, too."""
    press(page, "Escape")
    press(page, "0")
    page.evaluate("""import('./tracks.js').then((m) => { m.hideOthers(waymark.trace, waymark.trace.tracks.at(-1));
        globalThis.isDone = true; }); 0""")
    wait_for(page, "globalThis.isDone")
    wait_for(page, "waymark.boxes.filter((b) => b.kind !== 'process').length", 1)
    check("one is one", page.evaluate("document.getElementById('left').textContent").startswith("1 of "), True)


def check_last_moment(work):
    """The very end of the shown time is seen."""
    made = work / "made"
    made.mkdir()
    subprocess.run([sys.executable, HERE.parent / "reader/make_ctf.py", made], check=True)
    with Served(WAYMARK, made / "small", made / "two-boots") as served, chromium.Page(served.address) as page:
        settle(page)
        seen = page.evaluate("""(() => { const c = document.getElementById("timeline"), by = devicePixelRatio;
            const rows = waymark.tile.rows.filter((r) => r.items.at(-1)[0] > waymark.view.to * 0.9999);
            return rows.map((r) => waymark.boxes.find((b) => b.track === r.track)).map((box) => {
                const data = c.getContext("2d").getImageData(c.width - 2 * by, (26 + box.top + 1) * by, by, (box.height - 3) * by).data;
                return data.some((byte, i) => byte !== data[i % 4]); }); })()""")
        check("the last events are drawn", (len(seen) > 0, all(seen)), (True, True))


def check_kernel_first(work):
    """The processors of a kernel's trace may be known before any process of the others."""
    file = work / "kernel.txt"
    file.write_text("# tracer: nop\n#\n  a-1  [000] d..2. 1.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
                    "prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n", encoding="utf-8")
    with Served(WAYMARK, f"--kernel={file}", work / "my.ctf") as served, chromium.Page(served.address) as page:
        wait_for(page, "globalThis.waymark?.boxes.some((b) => b.kind === 'cpu') ?? false")
        page.evaluate("import('./tracks.js').then((m) => { globalThis.groups = m.shownTracks({ processes: [], tracks: [] }).length; },"
                      "(e) => { globalThis.groups = e.message; }); 0")
        wait_for(page, "globalThis.groups", 1)


def main():
    need_chromium()
    parts = [globals()[f"check_{name}"] for name in sys.argv[3:]] or [
        check_first_look, check_sizes, check_buttons, check_undo, check_select, check_next, check_questions, check_late, check_others]
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        (work / "data").write_bytes(bytes(range(256)) * 4096)
        subprocess.run([BLOCKCACHE, "--trace", "*,file=my.ctf", "data"], check=True, stdout=subprocess.DEVNULL, cwd=work,
                       timeout=60)
        with Served(WAYMARK, work / "my.ctf") as served, chromium.Page(served.address) as page:
            settle(page)
            for part in parts:
                part(page)
            check("nothing failed", [f for f in page.faults if "503" not in str(f) and "readback" not in str(f)], [])
        check_last_moment(work)
        check_kernel_first(work)
    finish()


if __name__ == "__main__":
    main()
