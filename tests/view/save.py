#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Saved pages and pictures of `waymark view`: save.py WAYMARK PROGRAM

A saved page shows the same as the server, needs nothing but its file, and a picture is one of it.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402
from browser import ask_sql, need_chromium, wait_for  # noqa: E402
from sched import capture  # noqa: E402
from served import Served, check, finish  # noqa: E402

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
ODD = "<img src=x onerror=alert(1)>.ctf"


def view(*arguments, status=0, **options):
    """Returns what it writes to standard error."""
    done = subprocess.run([WAYMARK, "view", *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          check=False, **options)
    check(f"status of {arguments}: {done.stderr}", done.returncode, status)
    return done.stderr


def asked(page, path, given):
    """The saved page's answer to a question."""
    page.evaluate(f"""globalThis.answer = undefined; import("waymark/saved.js").then((saved) =>
        saved.answerSaved({json.dumps(path)}, {json.dumps(given)})).then((a) => {{ globalThis.answer = a; }})""")
    wait_for(page, "globalThis.answer !== undefined")
    return page.evaluate("globalThis.answer.body")


def rows_of(tile, end):
    """Items by row; of a part, the server does not know the ends of what goes on after it."""
    return {(row["track"], row["kind"], row["depth"]): [
        [item[0], item[1] if item[1] is not None and item[1] <= end else None, *item[2:4]]
        for item in row["items"]] for row in tile["rows"]}


def exact(value):
    """As the page reads numbers that JavaScript does not hold: as texts."""
    if isinstance(value, dict):
        return {name: exact(inner) for name, inner in value.items()}
    return str(value) if isinstance(value, int) and abs(value) >= 2**53 else value


def check_tiles(page, served, trace):
    """From near, the saved page joins items as the server does. Each time begins with one of them."""
    chance = random.Random(30)
    begins = [item[0] for row in served.tile(0, trace["length"] + 1, 4000)["rows"] for item in row["items"]]
    for _ in range(40):
        begin = chance.choice(begins)
        end = begin + 1 + chance.randrange(trace["length"] >> chance.randrange(12))
        for columns in 1, 37, 1000:
            given = {"from": begin, "to": end, "columns": columns,
                     "tracks": ",".join(map(str, range(len(trace["tracks"]))))}
            wanted = served.ask("/api/tile", **given)
            check("both are near", wanted["near"], True)
            check(f"there are items in {given}", sum(len(row["items"]) for row in wanted["rows"]) > 0, True)
            check(f"tile {given}", rows_of(asked(page, "/api/tile", given), end), rows_of(wanted, end))


def single_items(page, trace, span):
    everything = {"from": span[0], "to": span[1], "columns": 10**9,
                  "tracks": ",".join(map(str, range(len(trace["tracks"]))))}
    return [item for row in asked(page, "/api/tile", everything)["rows"] if row["kind"] != "loss"
            for item in row["items"] if len(item) > 5]


def check_events(page, served, trace):
    """Each event has its fields; texts are found, forwards and back."""
    places = [(item[0], item[5], item[6]) for item in single_items(page, trace, (0, trace["length"] + 1))]
    check("there are single events", len(places) > 10, True)
    for ns, offset, number in places[:20]:
        given = {"ns": ns, "offset": offset, "trace": number}
        check(f"event {given}", asked(page, "/api/event", given), exact(served.ask("/api/event", **given)))
    found = asked(page, "/api/find", {"where": 'a \\"text\\"', "ns": 0, "back": 0})
    check("a text is found", found["ns"] > 0 and trace["names"][found["name"]] != "", True)
    check("before it there is none", asked(page, "/api/find", {"where": 'a \\"text\\"', "ns": found["ns"], "back": 1}), None)


def done(served, path, given):
    """The server's answer after its pass."""
    for _ in range(600):
        answer = served.ask(path, **given)
        if answer.get("done", True):
            return answer
        time.sleep(0.05)
    raise AssertionError(f"{path} is not done within 30 seconds")


def items_of(answer, names):
    return {(row["track"], row["depth"]): [[*item[:2], names(row["track"], item[2]), item[3]] for item in row["items"]]
            for row in answer["tile"]["rows"]}


def lives_of(answer):
    return (answer["groups"], items_of(answer, lambda _, name: answer["names"][str(name)]), sorted(answer["steps"]))


def sched_of(answer):
    return {(*answer["rows"][str(track)], depth): items
            for (track, depth), items in items_of(answer, lambda _, what: what).items()}


def curve_of(answer):
    return {row["process"]: (row["before"], row["items"]) for row in answer["rows"]
            if row["items"] or row["before"] is not None}


def check_beside(page, served, span):
    """Curves, lives and processors of parts of the saved time."""
    chance = random.Random(31)
    first, last = span
    fields = served.ask("/api/fields")
    check("fields", asked(page, "/api/fields", {}), fields)
    for turn in range(12):
        begin = 0 if first == 0 and turn == 0 else chance.randrange(first, last)
        end = last if turn == 0 else min(last, begin + 1 + chance.randrange((last - first) >> chance.randrange(10)))
        for columns in 1, 37, 1000:
            given = {"from": begin, "to": max(end, begin + 1), "columns": columns}
            check(f"lives {given}", lives_of(asked(page, "/api/lives", given)), lives_of(done(served, "/api/lives", given)))
            check(f"processors {given}", sched_of(asked(page, "/api/sched", given)),
                  sched_of(done(served, "/api/sched", given)))
            # Of the other fields, a part does not know the values before it. The server keeps 16 curves.
            for field in [*fields[:15], {"field": "submit.bytes"}] if first == 0 else [{"field": "submit.bytes"}]:
                given["field"] = field["field"]
                check(f"curve {given}", curve_of(asked(page, "/api/curve", given)),
                      curve_of(done(served, "/api/curve", given)))


def check_flows(page, served, trace, span):
    # A slice that began before the saved time has no event there.
    events = [item for item in single_items(page, trace, span) if item[0] >= span[0]]
    with_objects = 0
    chance = random.Random(32)
    for item in chance.sample(events, min(40, len(events))):
        begin, end = sorted(chance.choice([*span, item[0]]) for _ in range(2))
        given = {"ns": item[0], "offset": item[5], "trace": item[6], "from": begin, "to": max(end, begin + 1)}
        answer = served.ask("/api/flow", **given)
        check(f"flow {given}", asked(page, "/api/flow", given), answer)
        with_objects += len(answer["events"]) > 1
    if span[0] == 0:
        check(f"{with_objects} flows have several events", with_objects > 3, True)


def with_kernel(work, trace):
    """Options for all that a page may have."""
    first = ask_sql(WAYMARK, trace, "SELECT min(time) AS n FROM events")[0]["n"]
    tid = ask_sql(WAYMARK, trace, "SELECT min(tid) AS n FROM threads")[0]["n"]
    (work / "kernel.txt").write_text("".join(line for n in range(200) for line in capture(first + n * 15000, tid)))
    return [f"--kernel={work / 'kernel.txt'}", "--counter=sub*.bytes"]


def check_page(work, trace):
    file = work / "page.html"
    options = with_kernel(work, trace)
    view("-o", file, *options, trace)
    with Served(WAYMARK, *options, trace) as served, chromium.Page(file) as page:
        wait_for(page, "waymark.trace !== null && waymark.tile !== null")
        known = served.trace()
        check_tiles(page, served, known)
        check_events(page, served, known)
        check_beside(page, served, (0, known["length"] + 1))
        check_flows(page, served, known, (0, known["length"] + 1))
        kinds = "[...new Set(waymark.boxes.map((box) => box.kind))].sort()"
        wait_for(page, kinds, ["cpu", "curve", "lives", "process", "track"])
        check("the title", page.evaluate("document.getElementById('title').textContent"), str(trace))
        check("nothing runs", (page.faults, page.prompts, page.evaluate("document.images.length")), ([], 0, 0))
        # The modules are in the page, too.
        fetched = [url for url in page.requests if not url.startswith(("data:", "blob:")) and url != file.as_uri()]
        check("the page needs only its file", fetched, [])


def check_part(work, trace):
    """A part has slices that began before it; nothing outside it can be shown."""
    options = with_kernel(work, trace)
    with Served(WAYMARK, trace) as served:
        known = served.trace()
    begin, end = known["length"] // 3, known["length"] // 2
    first = int(known["first"])
    times = [f"{(first + ns) // 10**9}.{(first + ns) % 10**9:09d}" for ns in (begin, end)]
    view("-o", work / "part.html", f"--from={times[0]}", f"--to={times[1]}", *options, trace)
    with Served(WAYMARK, *options, trace) as served, chromium.Page(work / "part.html") as page:
        wait_for(page, "waymark.trace !== null && waymark.tile !== null")
        served.trace()
        check_beside(page, served, (begin, end))
        check_flows(page, served, known, (begin, end))
        check("the part is shown", page.evaluate("[waymark.view.from, waymark.view.to]"), [begin, end])
        page.evaluate("location.hash = '#0,1000'")
        wait_for(page, "waymark.view.from >= " + str(begin - (end - begin) // 10))
    said = view("-o", work / "none.html", "--from=+99999", trace, status=1)
    check(f"an empty part: {said}", "leave nothing of the traces' time" in said, True)
    check("makes no file", (work / "none.html").exists(), False)


def check_selection(work, trace):
    """A selected time has its events by kind, as the server counts them."""
    view("-o", work / "selected.html", "--replace", trace)
    chance = random.Random(34)
    with Served(WAYMARK, trace) as served, chromium.Page(work / "selected.html") as page:
        wait_for(page, "Boolean(globalThis.waymark?.tile)")
        length = served.trace()["length"]
        check("losses", served.ask("/api/select", **{"from": 0, "to": length + 1})["lost"]["places"] > 0, trace.name == "many-packets")
        thread = next(i for i, track in enumerate(served.trace()["tracks"]) if track["lane"] is None)
        for more in {}, {"tracks": thread}:
            for begin, end in [(0, length + 1)] + [sorted(chance.sample(range(length), 2)) for _ in range(5)]:
                given = {"from": begin, "to": end, **more}
                saved, wanted = asked(page, "/api/select", given), served.ask("/api/select", **given)
                check(f"events of {given}", [saved["records"], {e["name"]: e["count"] for e in saved["events"]}],
                      [wanted["records"], {e["name"]: e["count"] for e in wanted["events"]}])
                check(f"losses of {given}", saved["lost"]["places"], wanted["lost"]["places"])
        page.press("e", 69)
        wait_for(page, "document.querySelectorAll('#selection tbody tr').length", len(served.ask("/api/select", **{
            "from": 0, "to": length + 1})["events"]))
        check("nothing asks the server", (page.evaluate("document.querySelectorAll('#selection a').length"), page.faults), (0, []))


def check_damaged(work, trace):
    """The readable part of a damaged trace is saved."""
    damaged = work / "damaged.ctf"
    shutil.copytree(trace, damaged)
    stream = max(damaged.glob("stream-*"), key=lambda path: path.stat().st_size)
    data = bytearray(stream.read_bytes())
    data[3000:3900] = random.Random(33).randbytes(900)
    stream.write_bytes(data)
    said = view("-o", work / "damaged.html", damaged, status=1)
    check(f"the problem is reported: {said}", "stream-" in said, True)
    events = ask_sql(WAYMARK, damaged, "SELECT count(*) AS n FROM events", check=False)[0]["n"]
    with chromium.Page(work / "damaged.html") as page:
        wait_for(page, "Boolean(globalThis.waymark?.tile)")
        check("problems are said", page.evaluate("/problem/.test(document.getElementById('state').textContent)"), True)
        found = asked(page, "/api/hits", {"where": '"event"', "from": 0, "to": 2**53, "columns": 1})
        check("all that is readable is there", (found["count"], events > 10), (events, True))
        check("no faults", page.faults, [])


def pixels(png):
    """The size of a picture, and the colours of its first 200 000 bytes of rows."""
    data = png.read_bytes()
    check("it is PNG", data[:8], b"\x89PNG\r\n\x1a\n")
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    rows = zlib.decompress(packed)
    check("colours of a byte", (depth, kind in (2, 6)), (8, True))
    return (width, height), len(set(rows))


def check_picture(work, trace):
    png = work / "picture.png"
    view(f"--png={png}", "--size=700x300", trace)
    size, colours = pixels(png)
    check("size of the picture", size, (700, 300))
    check(f"{colours} byte values: something is drawn", colours > 20, True)
    said = view(f"--png={png}", trace, status=1)
    check(f"an existing one stays: {said}", "--replace" in said, True)
    view(f"--png={png}", "--replace", "--size=800x200", trace)
    check("size of the new one", pixels(png)[0], (800, 200))
    said = view(f"--png={work}/none.png", trace, status=1, env={**os.environ, "PATH": "/nonexistent"})
    check(f"without Chromium: {said}", "Debian's package is chromium" in said, True)
    check("makes no file", (work / "none.png").exists(), False)


def check_tracks(work, trace):
    """Only chosen tracks are shown, and the picture is as high as they are."""
    names = "waymark.boxes.filter((box) => box.source).map((box) => box.name.replace(/ #.*/, ''))"
    options = with_kernel(work, trace)
    with Served(WAYMARK, *options, trace) as served:
        process = served.trace()["processes"][0]
    for tracks, wanted in (("request,Net:*", {"request", "Net:packet"}), ("CPU 3", {"CPU 3"}),
                           ("submit.bytes,thread*", {"submit.bytes", "thread"}), ("kernel", {"CPU 0", "CPU 3"}),
                           (process["name"], None), (f"{process['name']} {process['pid']}", None)):
        view("-o", work / "tracks.html", "--replace", f"--tracks={tracks}", *options, trace)
        with chromium.Page(work / "tracks.html") as page:
            wait_for(page, "waymark.trace !== null")
            if wanted:
                wait_for(page, f"[...new Set({names}.map((name) => name.replace(/^thread .*/, 'thread')))].sort()",
                         sorted(wanted))
            else:
                wait_for(page, f"[{names}.includes('request'), {names}.includes('CPU 0')]", [True, False])
            check("no faults", page.faults, [])
    png = work / "tracks.png"
    heights = []
    for tracks in "*", "thread*", "CPU 3":
        view(f"--png={png}", "--replace", "--size=500", f"--tracks={tracks}", *options, trace)
        (width, height), colours = pixels(png)
        check("its width", width, 500)
        check(f"{colours} byte values: something is drawn", colours > 20, True)
        heights.append(height)
    check(f"{heights} differ", heights == sorted(set(heights), reverse=True), True)
    for tracks, words in (("request,Net:packt", "did you mean 'Net:packet'?"), ("nothing at all", "no track matches")):
        said = view(f"--png={work}/none.png", f"--tracks={tracks}", trace, status=1)
        check(f"{tracks}: {said}", words in said, True)
    check("makes no file", (work / "none.png").exists(), False)


def check_signal(work, trace):
    """A signal leaves neither a picture nor a folder."""
    place = work / "temporary"
    place.mkdir()
    for _ in range(5):
        process = subprocess.Popen([WAYMARK, "view", f"--png={work}/killed.png", trace], stderr=subprocess.PIPE,
                                   env={**os.environ, "TMPDIR": str(place)})
        time.sleep(random.uniform(0, 0.5))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        check("the folder is removed", list(place.iterdir()), [])
        (work / "killed.png").unlink(missing_ok=True)
        check("nothing half is left", list(work.glob("killed*")), [])


def check_bad(work, trace):
    for arguments, words in (
            (("-o", "a.html", "--png=b.png"), "two outputs"),
            (("--png=b.png", "--size=0x10"), "--size takes WIDTH or WIDTHxHEIGHT"),
            (("--png=b.png", "--size=10x10x10"), "--size takes WIDTH or WIDTHxHEIGHT"),
            (("--png=b.png", "--size=10x"), "--size takes WIDTH or WIDTHxHEIGHT"),
            (("--tracks=a",), "needs -o or --png"),
            (("--png=b.png", "--tracks=/(/"), "--tracks: "),
            (("--png=b.png", "--tracks=,"), "names with commas"),
            (("--png=b.png", "--counter=x"), "EVENT.FIELD"),
            (("-o", "a.html", "--port=1"), "nothing is served"),
            (("--from=1",), "need -o or --png"),
            (("-o", "a.html", "--from=soon"), "is no time")):
        said = view(*arguments, trace, status=2)
        check(f"{arguments}: {said}", words in said, True)
    said = view("-o", trace / "metadata", "--replace", trace, status=1)
    check(f"a trace is no output: {said}", "would be inside it" in said, True)
    said = view("-o", work / "no" / "page.html", trace, status=1)
    check(f"no folder: {said}", "No such file or directory" in said, True)


def main():
    need_chromium()
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        trace = work / ODD
        subprocess.run([PROGRAM, "200"], check=True, cwd=work, env={**os.environ, "WAYMARK_TRACE": "*,file=trace.ctf"})
        (work / "trace.ctf").rename(trace)
        check_page(work, trace)
        check_part(work, trace)
        maker = pathlib.Path(__file__).resolve().parent.parent / "reader/make_ctf.py"
        subprocess.run([sys.executable, maker, work / "made"], check=True)
        for selected in trace, work / "made/many-packets":
            check_selection(work, selected)
        check_damaged(work, trace)
        check_picture(work, trace)
        check_tracks(work, trace)
        check_signal(work, trace)
        check_bad(work, trace)
    finish()


if __name__ == "__main__":
    main()
