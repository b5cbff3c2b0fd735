#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark flamegraph on traces of real programs: command.py WAYMARK SCOPES NESTED.

Times must equal those of waymark scopes to the nanosecond, and widths in the file the shares of
the time. Chromium checks the picture.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import chromium

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402
from runs import record, run, walk  # noqa: E402

WAYMARK, SCOPES, NESTED = map(os.path.realpath, sys.argv[1:4])
NAMES = ["Odd:a;b  c", "Odd:<x> & \"q\" 'é' 日本", "Odd:]]>&#0;\\", "Odd:packet (1)"]
SVG = "{http://www.w3.org/2000/svg}"
FRAMES = """Array.from(document.querySelectorAll(".f"), (g) => [
    g.querySelector("title").textContent.split("\\n")[0],
    g.querySelector("rect").getBoundingClientRect().x,
    g.querySelector("rect").getBoundingClientRect().width,
    getComputedStyle(g).display !== "none", g.classList.contains("match")])"""


def tree(*arguments):
    return json.loads(run("flamegraph", "--json", *arguments)[0])


def sums(root):
    """Returns {name: (total, self, count)} over all frames of that name."""
    found = {}
    for path, frame in walk(root):
        total, own, count = found.get(frame["name"], (0, 0, 0))
        found[frame["name"]] = (total + frame["value"], own + frame["self"], count + frame["count"])
    return found


def check_numbers(trace):
    """For each name, waymark scopes and the sum of its frames agree."""
    told = json.loads(run("scopes", "--json", trace)[0])["scopes"]
    for by in ("thread", "pid", "name"):
        drawn = sums(tree("--by=" + by, trace))
        for row in told:
            check(f"{by}: {row['name']}", drawn[row["name"]],
                  (row["total_ns"], row["self_ns"], row["count"]))
    root = tree(trace)
    for path, frame in walk(root):
        below = sum(c["value"] for c in frame["children"])
        check(f"the sum of {path}", frame["value"], frame["self"] + below)
    check("all", root["value"], sum(r["self_ns"] for r in told))
    folded = {}
    for line in run("flamegraph", "--folded", trace)[0].splitlines():
        stack, ns = line.rsplit(" ", 1)
        folded[tuple(stack.replace("\\x3b", "\0").split(";"))] = int(ns)
    check("folded", folded, {tuple(n.replace(";", "\0") for n in path): frame["self"]
                             for path, frame in walk(root) if frame["self"]})


def svg_of(folder, *arguments):
    path = os.path.join(folder, "out.svg")
    run("flamegraph", "-o", path, *arguments)
    return path


def check_svg(folder, trace):
    """Each frame that is wide enough is drawn, as wide as its time."""
    root = tree(trace)
    wanted = [(f["name"], f["value"], round(1200 * f["value"] / root["value"], 2))
              for _, f in walk(root) if f["value"] / root["value"] * 1200 >= 0.1]
    groups = xml.etree.ElementTree.parse(svg_of(folder, trace)).iterfind(f".//{SVG}g[@class='f']")
    found = []
    for group in groups:
        width = float(group.find(SVG + "rect").get("width"))
        found.append((group.find(SVG + "title").text.split("\n")[0],
                      int(group.get("data-total")), width))
    check("frames", [f[:2] for f in found], [w[:2] for w in wanted])
    for (name, _, width), (_, _, share) in zip(found, wanted):
        if abs(width - share) > 0.02:
            check(f"the width of {name}", width, share)


def heights(folder, *arguments):
    """The y of the frames, by depth."""
    groups = xml.etree.ElementTree.parse(svg_of(folder, *arguments)).iterfind(f".//{SVG}g[@class='f']")
    found = {}
    for group in groups:
        found.setdefault(int(group.get("data-depth")), set()).add(int(group.find(SVG + "rect").get("y")))
    return [found[depth] for depth in sorted(found)]


def check_root(folder, trace):
    """Outer frames are at the bottom; with --icicle, at the top. A row has one depth."""
    rows = heights(folder, trace)
    check("there are several depths", len(rows) > 2, True)
    check("rows", {len(row) for row in rows}, {1})
    check("from the bottom", rows, sorted(rows, key=max, reverse=True))
    check("--icicle, from the top", heights(folder, "--icicle", trace), rows[::-1])
    said = run("flamegraph", "--icicle", "--json", trace, status=2)[1]
    check(f"text has no top: {said}", "--icicle is of the picture" in said, True)


def check_names(trace):
    root = tree(trace)
    processes = root["children"]
    check("processes", [re.sub(r"\d+", "N", p["name"]) for p in processes], ["flame_scopes N"])
    bases = [c["name"].split()[0] for c in processes[0]["children"]]
    check("bases", bases, ["[asynchronous]", "thread", "thread"])
    stacks = {path[2:]: f["count"] for path, f in walk(root) if f["count"]}
    semicolon, angle, bracket, packet = NAMES
    check("stacks", stacks, {(packet,): 1, (semicolon,): 1, (semicolon, angle): 1, (angle,): 10,
                             (angle, bracket): 10})
    left = tree("--no-async", "--by=name", trace)
    check("--no-async", [c["name"] for c in left["children"]], [angle, semicolon])
    inner = tree("--scope=*]]>*", "--by=name", trace)
    check("--scope", [(c["name"], c["count"]) for c in inner["children"]], [(bracket, 10)])


def check_nothing_to_draw(trace):
    """An unknown name is an error; a name without scopes is reported, too."""
    for pattern, status, words in ((NAMES[3][:-2], 1, f"did you mean '{NAMES[3]}'?"),
                                   (NAMES[3], 0, "no selected scope began")):
        said = run("flamegraph", "--scope=" + pattern, "--no-async", trace, status=status)[1]
        check(f"{pattern}: {said}", words in said, True)


def check_browser(folder, trace):
    if not chromium.is_installed():
        print("left out: chromium is not installed")
        return
    root = tree("--by=name", trace)
    with chromium.Page(svg_of(folder, "--by=name", trace)) as page:
        shares = {f["name"]: 1200 * f["value"] / root["value"] for f in root["children"]}
        for name, _, width, shown, _ in page.evaluate(FRAMES):
            if shown and name in shares and abs(width - shares[name]) < 0.2:
                shares.pop(name)
        check("not as wide as its time", shares, {})
        for name in NAMES:
            page.answer = name
            page.press("f", 70, 2)
            marked = {f[0] for f in page.evaluate(FRAMES) if f[4]}
            check(f"search of {name}", marked, {name})
        x, y, width = page.evaluate("""(() => { const r = Array.from(
            document.querySelectorAll(".f")).find((g) => g.textContent.includes("a;b"))
            .querySelector("rect").getBoundingClientRect(); return [r.x, r.y, r.width]; })()""")
        page.click(x + width / 2, y + 5)
        zoomed = {(f[0], round(f[2])) for f in page.evaluate(FRAMES) if f[3]}
        check("zoom", {("all", 1200), (NAMES[0], 1200)} <= zoomed, True)
        check("faults", (page.faults, page.requests), ([], [page.requests[0]]))


def check_unfinished(trace):
    """Unfinished scopes count only with an option."""
    out, said = run("flamegraph", "--json", trace)
    frames = sums(json.loads(out))
    check("unfinished", frames["Odd:outer"][1:], (0, 0))
    check("what is in it", frames["Odd:inner"][2], 1)
    check("told", "1 unfinished: the trace ends first" in said, True)
    frames = sums(tree("--unfinished", trace))
    check("--unfinished", frames["Odd:outer"][2], 1)
    check("its time", frames["Odd:outer"][1] > 900000, True)


def check_losses(trace):
    """A scope whose end is lost contains nothing that began after the lost events."""
    out, said = run("flamegraph", "--json", trace)
    # A sanitizer can make the program slower than its writer.
    if not os.environ.get("WAYMARK_SANITIZER"):
        check(f"lost ends are reported: {said}", "without an end, which may be among lost" in said, True)
    deepest = max(len(path) for path, _ in walk(json.loads(out)))
    check(f"{deepest} deep: process, thread, nine scopes", deepest <= 11, True)


def check_bad_input(folder, trace):
    out, said = run("flamegraph", trace)
    check("no scopes", ("it has no scopes: make them with WAYMARK_SCOPE()" in said, "no time was measured" in out), (True, True))
    for arguments, status, words in (
            (["flamegraph"], 2, "the trace is missing"),
            (["flamegraph", "--by=x", trace], 2, "--by takes thread, pid or name, not 'x'"),
            (["flamegraph", "--kernel-offset=1", trace], 2, "--kernel-offset needs --kernel"),
            (["flamegraph", "--kernel=k", "--kernel-offset=x", trace], 2, "takes seconds"),
            (["flamegraph", "--scope=/(/", trace], 2, "is not a regular expression"),
            (["flamegraph", folder + "/none"], 1, "cannot open"),
            (["flamegraph", trace, "-o", folder + "/none/out"], 1, "cannot open for writing"),
            (["flamegraph", trace, "-o", "/dev/full"], 1, "cannot write the output")):
        check(words, words in run(*arguments, status=status)[1], True)


def check_output_stays(folder, trace):
    """An input is not overwritten, and a file keeps its contents if there is nothing to draw."""
    capture = f"{folder}/capture"
    with open(capture, "w", encoding="utf-8") as file:
        file.write("none of the kernel's\n")
    for arguments, words in (
            (("-o", capture), f"{capture}: is both the kernel's capture and the output"),
            (("-o", f"{folder}/old"), "holds no event of the kernel's trace"),
            (("-o", f"{folder}/new"), "holds no event of the kernel's trace")):
        with open(f"{folder}/old", "w", encoding="utf-8") as file:
            file.write("an older picture\n" * 9999)
        said = run("flamegraph", f"--kernel={capture}", *arguments, trace, status=1)[1]
        check(words, words in said, True)
        with open(capture, encoding="utf-8") as file:
            check("the capture", file.read(), "none of the kernel's\n")
        with open(f"{folder}/old", encoding="utf-8") as file:
            check("the older picture", file.read(), "an older picture\n" * 9999)
        check("no picture where none is drawn", os.path.exists(f"{folder}/new"), False)
    run("flamegraph", "--folded", "-o", f"{folder}/old", trace)
    with open(f"{folder}/old", encoding="utf-8") as file:
        check("a new one replaces all of it", file.read(), run("flamegraph", "--folded", trace)[0])


with tempfile.TemporaryDirectory() as work:
    record(f"{work}/nested", NESTED, "2", "5000", options=",full=block,buffer=16M")
    check_numbers(f"{work}/nested")
    check_svg(work, f"{work}/nested")
    check_root(work, f"{work}/nested")
    record(f"{work}/lost", NESTED, "2", "300000", options=",full=discard,buffer=1M")
    check_losses(f"{work}/lost")
    for form in ("names", "open", "nothing"):
        record(f"{work}/{form}", SCOPES, form)
    check_numbers(f"{work}/names")
    check_names(f"{work}/names")
    check_nothing_to_draw(f"{work}/names")
    check_svg(work, f"{work}/names")
    check_browser(work, f"{work}/names")
    check_unfinished(f"{work}/open")
    check_bad_input(work, f"{work}/nothing")
    check_output_stays(work, f"{work}/names")
    both = tree(f"{work}/nested", f"{work}/names")
    check("two traces", len(both["children"]), 2)
finish()
