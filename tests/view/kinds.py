#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the page draws of traces of many kinds is what SQL says.

    kinds.py WAYMARK PROGRAM BLOCKCACHE RISCV GUEST NESTED CASE...    traces that are made here; GUEST: RISCV's programs
    kinds.py WAYMARK --traces TRACE...                                these, as one
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flame"))
import chromium  # noqa: E402
from browser import need_chromium  # noqa: E402
from compared import compare_all  # noqa: E402
from served import Served, check, finish  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def run(*words, **options):
    subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL, timeout=120, **options)


def record(trace, *words, **options):
    run(*words, env={**os.environ, "WAYMARK_TRACE": f"*,full=block,file={trace}"}, **options)
    return trace


def damage(trace, *places):
    """Overwrites some words of the largest file of a trace."""
    file = max((f for f in trace.iterdir() if f.name.startswith("stream-")), key=lambda f: f.stat().st_size)
    with file.open("r+b") as f:
        for place in places:
            f.seek(int(file.stat().st_size * place) // 8 * 8)
            f.write(b"\xff" * 64)
    return trace


# ---- Traces of each kind: each returns the traces, and options ----

def program(work):
    return [record(work / "a.ctf", PROGRAM, 40)], ["--counter=submit.bytes", "--counter=level.level"]


def long(work):
    """More than is read for an answer: the whole is drawn from steps."""
    return [record(work / "a.ctf", PROGRAM, 60000)], ["--counter=submit.bytes"]


def blockcache(work):
    (work / "data").write_bytes(bytes(range(256)) * 4096)
    run(BLOCKCACHE, "--trace", "*,file=my.ctf", "data", cwd=work)
    return [work / "my.ctf"], []


def riscv(work):
    """A machine's own events and those of its guest."""
    data = BLOCKCACHE.read_bytes()[:2000]
    run(RISCV, "--harts", 4, "--trace", f"*,file={work}/a.ctf,full=block", GUEST / "sha256.elf",
        input=b"2000\n" + data)
    return [work / "a.ctf"], []


def many(work):
    """Ten million scopes, one in another."""
    chromium.SECONDS = 900
    record(work / "a.ctf", NESTED, 4, 625000)
    return [work / "a.ctf"], []


def threads(work):
    run(sys.executable, HERE / "make_threads.py", work / "a.ctf", 1000)
    return [work / "a.ctf"], []


def empty(work):
    run(sys.executable, HERE / "make_threads.py", work / "a.ctf", 0)
    return [work / "a.ctf"], []


def damaged(work):
    return [damage(record(work / "a.ctf", PROGRAM, 40000), 0.3, 0.5, 0.50001, 0.8)], []


def cut(work):
    """A simpletrace file that ends within a record."""
    run(PROGRAM, 1000, env={**os.environ, "WAYMARK_TRACE": f"*,backend=simple,file={work}/a"})
    os.truncate(work / "a", 60001)
    return [work / "a"], []


def made(*names):
    """Traces that were made byte by byte."""
    def case(work):
        run(sys.executable, HERE.parent / "reader/make_ctf.py", work)
        return [work / name for name in names], []
    return case


def two(work):
    """A trace of each of two programs."""
    return [record(work / "a.ctf", PROGRAM, 20), *blockcache(work)[0]], []


MADE = ("many-packets", "lost-and-rotated", "flight", "left-over", "lost-behind-damage", "out-of-order", "unknown-event")
CASES = {case.__name__: case for case in (program, long, many, blockcache, riscv, threads, empty, damaged, cut, two)} | {
    "hosts": made("small", "other-host"), "boots": made("small", "two-boots"), **{name: made(name) for name in MADE}}

FAR = ("long", "many", "damaged")


def check_traces(label, traces, options):
    """Returns the boxes of all tracks, and if the whole was drawn from near."""
    with Served(WAYMARK, *options, *traces) as served:
        if not served.address:
            raise AssertionError(f"{label}: {served.end()}")
        with chromium.Page(served.address) as page:
            boxes, is_near = compare_all(page, WAYMARK, list(map(str, traces)))
    count = sum(item[3] for box in boxes if box["kind"] == "track" for row in box["rows"] for item in row["items"]
                if row["kind"] != "loss")
    print(f"{label}: {len(boxes)} tracks, {count} events and scopes, {'near' if is_near else 'far'}: "
          f"{sorted({box['kind'] for box in boxes})}")
    return boxes, is_near


def check_case(label):
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        boxes, is_near = check_traces(label, *CASES[label](pathlib.Path(name)))
        check(f"{label}: has tracks", len(boxes) > 0, label != "empty")
        check(f"{label}: from near", is_near, label not in FAR)


def main():
    need_chromium()
    if sys.argv[2] == "--traces":
        check_traces("traces", sys.argv[3:], [])
    else:
        for label in sys.argv[7:]:
            check_case(label)
    finish()


if __name__ == "__main__":
    WAYMARK = pathlib.Path(os.path.realpath(sys.argv[1]))
    if sys.argv[2] != "--traces":
        PROGRAM, BLOCKCACHE, RISCV, GUEST, NESTED = map(pathlib.Path, map(os.path.realpath, sys.argv[2:7]))
    main()
