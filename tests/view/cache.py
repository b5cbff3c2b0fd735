#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cache of `waymark view` is right or is not used: cache.py TEST WAYMARK PROGRAM

TEST damages stored levels. Here: what a second start shows, changed traces and options, damaged files, processes
that are killed while they write, full disks, places where nothing can be written, the bound of all files.
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from served import Served, check, finish

TEST, WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:4])


def look(served):
    """Returns all that is seen from far, and some parts from near."""
    trace = served.trace()
    length = trace["length"]
    parts = [(0, length + 1), (length // 3, length // 2), (length // 2, length // 2 + 50000), (length - 30000, length)]
    return trace, [served.tile(begin, end, tracks=range(len(trace["tracks"]))) for begin, end in parts]


def start(trace, cache, *arguments):
    """Returns what a start shows, and what it says."""
    with Served(WAYMARK, *arguments, trace, cache=cache) as served:
        seen = look(served)
        time.sleep(0.1)
        status, said = served.end(signal.SIGTERM)
        check("the end", status, 0)
        return seen, said


def files(cache):
    return sorted((cache / "waymark").glob("*")) if (cache / "waymark").exists() else []


def levels(cache):
    return [f for f in files(cache) if f.suffix == ".levels"]


def fill(trace, cache, *arguments):
    """Starts until the cache has a file more; returns what was seen."""
    before = len(levels(cache))
    with Served(WAYMARK, *arguments, trace, cache=cache) as served:
        seen = look(served)
        for _ in range(100):
            if len(levels(cache)) > before:
                return seen
            time.sleep(0.05)
    raise AssertionError("no file was made")


def check_use(trace, cache):
    seen = fill(trace, cache)
    check("one file", [f.suffix for f in files(cache)], [".levels"])
    check("only for its user", [f.stat().st_mode & 0o777 for f in (cache / "waymark", *files(cache))], [0o700, 0o600])
    stored = files(cache)[0].read_bytes()
    begin = time.time()
    with Served(WAYMARK, trace, cache=cache) as served:
        check("all is there at once", served.ask("/api/trace")["done"] or time.time() - begin < 0.2, True)
        check("the same is seen", look(served) == seen, True)
    check("its file was not written again", files(cache)[0].read_bytes() == stored, True)
    tid = seen[0]["tracks"][0]["tid"]
    one = fill(trace, cache, f"--thread={tid}")
    check("a selection has another file", (len(files(cache)), one[0]["records"] < seen[0]["records"]), (2, True))
    check("and is right the second time", start(trace, cache, f"--thread={tid}")[0] == one, True)
    os.utime(trace / "metadata")
    check("a changed trace is read", fill(trace, cache) == seen, True)
    check("the old file is left to the bound", len(files(cache)), 3)
    return seen


def check_damage(trace, cache, seen):
    """A damaged file is replaced, and never shown."""
    chance = random.Random(5)
    for f in files(cache):
        f.unlink()
    fill(trace, cache)
    path = files(cache)[0]
    right = path.read_bytes()
    for _ in range(8):
        place = chance.randrange(len(right))
        for wrong in (right[:place] + bytes([right[place] ^ 1]) + right[place + 1:], right[:place], b"", right + b"\0"):
            path.write_bytes(wrong)
            with Served(WAYMARK, trace, cache=cache) as served:
                check(f"damaged at {place}", look(served) == seen, True)
                for _ in range(100):
                    if path.read_bytes() == right:
                        break
                    time.sleep(0.05)
            check("it is replaced", path.read_bytes() == right, True)
    path.unlink()
    path.symlink_to("/dev/zero")
    check("a link is not followed", start(trace, cache)[0] == seen, True)


def check_kills(trace, cache, seen):
    chance = random.Random(6)
    for f in files(cache):
        f.unlink()
    for _ in range(25):
        with Served(WAYMARK, trace, cache=cache) as served:
            time.sleep(chance.random() * 0.15)
            served.process.kill()
        check("after a kill", start(trace, cache)[0] == seen, True)
        for f in levels(cache):
            if chance.random() < 0.8:
                f.unlink()
    abandoned = cache / "waymark" / "0123.levels.new-abcdef"
    abandoned.write_bytes(b"x")
    os.utime(abandoned, (time.time() - 7200,) * 2)
    for f in levels(cache):
        f.unlink()
    fill(trace, cache)
    time.sleep(0.1)
    check("what a killed process left is removed", abandoned.exists(), False)


def check_places(trace, work, seen):
    for place in ("/dev/null", "/proc/nowhere"):
        shown, said = start(trace, pathlib.Path(place))
        check(f"{place}: {said}", (shown == seen, said.count("\n"), "cannot write the cache" in said), (True, 1, True))
    shown, said = start(trace, pathlib.Path("relative"))
    check(f"a relative place is not used: {said}", (shown == seen, said), (True, ""))
    check("but the user's home", len(files(work / "home/.cache")), 1)
    small = work / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", small], capture_output=True, check=False).returncode:
        print("not tested: a full disk; a tmpfs cannot be mounted")
    else:
        shown, said = start(trace, small)
        check(f"a full disk: {said}", (shown == seen, said.count("\n"), "No space left" in said), (True, 1, True))
        check("nothing is left there", files(small), [])
        subprocess.run(["umount", small], check=True)
    none = work / "none"
    shown, said = start(trace, none, "--no-cache")
    check(f"--no-cache: {said}", (shown == seen, said, none.exists()), (True, "", False))


def check_bound(trace, cache):
    """The files that were not used for the longest time go first; other files stay."""
    for f in files(cache):
        f.unlink()
    for number, age in enumerate((300, 100, 200)):
        path = cache / "waymark" / f"{number}.levels"
        with open(path, "wb") as f:
            f.truncate(500 << 20)
        os.utime(path, (time.time() - age,) * 2)
    (cache / "waymark" / "notes").write_text("of a user")
    with Served(WAYMARK, trace, cache=cache) as served:
        look(served)
        for _ in range(100):
            left = [f.name for f in files(cache)]
            if "0.levels" not in left:
                break
            time.sleep(0.05)
    check(f"{left}", (set(left) >= {"1.levels", "2.levels", "notes"}, len(left)), (True, 4))


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-cache-") as name:
        work = pathlib.Path(name)
        os.environ["HOME"] = str(work / "home")
        for label, rounds in ("tiny.ctf", "20"), ("long.ctf", "60000"):
            subprocess.run([PROGRAM, rounds], check=True,
                           env={**os.environ, "WAYMARK_TRACE": f"*,full=block,file={work / label}"})
        done = subprocess.run([TEST, work / "tiny.ctf"], capture_output=True, text=True, check=False)
        check(f"stored levels: {done.stderr}", done.returncode, 0)
        print(done.stdout, end="")
        cache = work / "cache"
        trace = work / "long.ctf"
        seen = check_use(trace, cache)
        check_damage(trace, cache, seen)
        check_kills(trace, cache, seen)
        check_places(trace, work, seen)
        check_bound(trace, cache)
        start(work / "tiny.ctf", work / "other")
        check("a short trace needs none", files(work / "other"), [])
    finish()


if __name__ == "__main__":
    main()
