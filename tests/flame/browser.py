#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests flame graphs in a browser: visible widths, zoom and search: browser.py PICTURE"""

import pathlib
import subprocess
import sys
import tempfile

import chromium

CONTROL = 2
FRAMES = """Array.from(document.querySelectorAll(".f"), (g) => {
    const box = g.querySelector("rect").getBoundingClientRect();
    const text = g.querySelector("text");
    return { name: g.querySelector("title").textContent.split("\\n")[0], x: box.x, y: box.y,
        width: box.width, text: text.textContent, long: text.getComputedTextLength(),
        shown: getComputedStyle(g).display !== "none",
        match: g.classList.contains("match"), above: g.classList.contains("above") };
})"""
STILL = {"all": (0, 1200), "idle": (0, 200), "main": (200, 1000), "fs:decode (a*b)": (200, 200),
         "read": (400, 320), "decode": (400, 80), "write": (720, 80)}
ZOOMED = {"all": (0, 1200), "main": (0, 1200), "read": (0, 1200), "decode": (0, 300)}

# The contrast of each text with what is under it, by the formula of WCAG 2; and the picture's own colour.
CONTRASTS = """(() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((c) => {
        c /= 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    const bright = (colour) => parts(colour).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0.05);
    const fill = (element) => bright(getComputedStyle(element).fill);
    const back = document.getElementById("back");
    const ratio = (a, b) => Math.max(a / b, b / a);
    const texts = [...document.querySelectorAll("svg > text, svg > text tspan")].map((t) => ratio(fill(t), fill(back)));
    const frames = [...document.querySelectorAll(".f")].map((g) => ratio(fill(g.querySelector("text")), fill(g.querySelector("rect"))));
    return { back: getComputedStyle(back).fill, texts: Math.min(...texts), frames: Math.min(...frames) };
})()"""

# The search, the line that reports it, and the marked frames.
SEARCHES = [
    ("decode", "2 frames match, 23.33 %", {"decode", "fs:decode (a*b)"}),
    ("DECODE (A*B)", "1 frames match, 16.67 %", {"fs:decode (a*b)"}),
    (r"/^fs:.*\(a\*b\)$/", "1 frames match, 16.67 %", {"fs:decode (a*b)"}),
    ("/read|^decode/", "2 frames match, 26.67 %", {"read", "decode"}),
    ("/.*/", "7 frames match, 100.00 %", set(STILL)),
    ("nothing like it", "0 frames match, 0.00 %", set()),
    ("", "", set()),
]


def places(page):
    return {f["name"]: (round(f["x"], 1), round(f["width"], 1))
            for f in page.evaluate(FRAMES) if f["shown"]}


def click_frame(page, name):
    frame = next(f for f in page.evaluate(FRAMES) if f["name"] == name)
    page.click(frame["x"] + frame["width"] / 2, frame["y"] + 5)


def click_text(page, name):
    box = page.evaluate(f"""(() => {{ const b = document.getElementById("{name}")
        .getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()""")
    page.click(*box)


def said(page):
    return page.evaluate('document.getElementById("found").textContent')


def search(page, text):
    """Presses Ctrl-F, enters the text, presses Return."""
    page.answer = text
    asked = page.prompts
    page.press("f", 70, CONTROL)
    answer = said(page)
    assert page.prompts == asked + 1, "Ctrl-F asks for nothing"
    return answer


def total(page):
    return page.evaluate('document.getElementById("total").textContent')


def texts(page):
    return {f["name"]: f["text"] for f in page.evaluate(FRAMES) if f["shown"]}


def check_rest(page):
    """The unchanged picture shows its unit and total, and times that fit."""
    assert total(page) == "width: time, 1.500 ms in all", total(page)
    assert texts(page) == {
        "all": "all (1.500 ms)", "idle": "idle (250.000 us)", "main": "main (1.250 ms)",
        "fs:decode (a*b)": "fs:decode (a*b)", "read": "read (400.000 us)", "decode": "decode",
        "write": "write"}, texts(page)


def check_cut_names(page):
    """A shortened name is complete in the tooltip of the element under the pointer."""
    cut = 0
    for frame in page.evaluate(FRAMES):
        text = frame["text"].removesuffix("..")
        if not frame["shown"] or frame["text"].split(" (")[0] == frame["name"]:
            continue
        assert frame["name"].startswith(text) and len(frame["name"]) > len(text), frame
        x, y = frame["x"] + frame["width"] / 2, frame["y"] + 5
        tooltip = page.evaluate(f"""document.elementFromPoint({x}, {y}).closest("g")
            .querySelector("title").textContent""")
        assert tooltip.startswith(frame["name"] + "\ntotal "), tooltip
        cut += 1
    assert cut > 2, cut


def check_texts_fit(page):
    for frame in page.evaluate(FRAMES):
        if frame["shown"] and frame["text"]:
            assert frame["long"] + 3 <= frame["width"], f"{frame['text']!r} is wider than its frame"


def check_root(page):
    """Outer frames are at the bottom, and the browser shows them first."""
    height = {f["name"]: f["y"] for f in page.evaluate(FRAMES)}
    assert height["all"] > height["main"] > height["read"] > height["decode"], height
    assert 0 < height["all"] < page.evaluate("innerHeight"), height


def check_zoom(page):
    click_frame(page, "read")
    assert places(page) == ZOOMED, places(page)
    assert total(page) == "width: time, 400.000 us (26.67 %) of 1.500 ms", total(page)
    assert texts(page)["decode"] == "decode (100.000 us)", texts(page)
    above = {f["name"] for f in page.evaluate(FRAMES) if f["above"]}
    assert above == {"all", "main"}, above
    check_texts_fit(page)
    click_text(page, "reset")
    assert places(page) == STILL, places(page)
    click_frame(page, "write")
    assert places(page)["write"] == (0, 1200)
    page.press("Escape", 27)
    assert places(page) == STILL, places(page)
    click_frame(page, "main")
    click_frame(page, "all")
    assert places(page) == STILL, places(page)


def check_search(page):
    for text, answer, marked in SEARCHES:
        got = search(page, text)
        assert got == answer, f"{text}: {got}"
        found = {f["name"] for f in page.evaluate(FRAMES) if f["match"]}
        assert found == marked, f"{text}: {found}"
    assert "nvalid regular expression" in search(page, "/(/")
    page.answer = "decode"
    click_text(page, "search")
    assert said(page).startswith("2 frames"), "the button does not search"
    click_frame(page, "main")
    assert said(page) == "2 frames match, 28.00 %", "a share is not that of the zoomed frame"
    assert search(page, None) == "2 frames match, 28.00 %", "a prompt that is left changes it"


def check_colours(page):
    """The picture is light or dark as the user wants, and texts can be read."""
    for scheme, back in ("dark", "rgb(22, 24, 28)"), ("light", "rgb(255, 255, 255)"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for sought in "", "decode":
            search(page, sought)
            found = page.evaluate(CONTRASTS)
            assert found["back"] == back and found["texts"] > 4.5 and found["frames"] > 3, f"{scheme}: {found}"
    search(page, "")


def small(page):
    check_colours(page)
    assert places(page) == STILL, places(page)
    check_rest(page)
    check_root(page)
    check_texts_fit(page)
    check_zoom(page)
    check_rest(page)
    check_search(page)


def names(page):
    check_texts_fit(page)
    check_cut_names(page)
    assert search(page, "]]>") == "1 frames match, 16.67 %", said(page)
    assert search(page, "x" * 10000) == "2 frames match, 16.67 %", said(page)
    click_frame(page, "<script>alert(1)</script>")
    check_texts_fit(page)
    assert page.prompts == 2, "a name runs as a script"


def compared(page):
    check_colours(page)


def deep(page):
    assert 0 < page.evaluate(FRAMES)[0]["y"] < page.evaluate("innerHeight"), "the outermost frame is not shown first"
    click_frame(page, "even")
    assert search(page, "odd") == "10000 frames match, 100.00 %", said(page)


def empty(page):
    page.press("f", 70, CONTROL)
    page.press("Escape", 27)
    assert said(page) == "" and page.prompts == 0, "an empty graph asks what to search"
    assert total(page) == "no time", total(page)


def main():
    if not chromium.is_installed():
        print("chromium is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for check in (small, compared, names, deep, empty):
            path = pathlib.Path(folder, check.__name__ + ".svg")
            with path.open("wb") as file:
                subprocess.run([sys.argv[1], check.__name__], stdout=file, check=True)
            with chromium.Page(path) as page:
                check(page)
                assert page.requests == [path.as_uri()], f"it asks for {page.requests}"
                assert not page.faults, page.faults
    return 0


if __name__ == "__main__":
    sys.exit(main())
