#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Levels that several threads make of sections: levels.py TEST WAYMARK PROGRAM LANES

TEST compares them with those of one pass. Nearly all sections must be joined, whatever the shape of
the scopes; the others, and those with gaps, must be right all the same.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402

TEST, WAYMARK, PROGRAM, LANES = map(os.path.realpath, sys.argv[1:5])
HERE = pathlib.Path(__file__).resolve().parent
MADE = ("small", "small-big-endian", "pieces", "flight", "lost-and-rotated", "many-packets", "notes", "thread-ended",
        "other-host", "past-end", "begun-twice")

# Kinds of LANES, the most scopes open at one time, and the least share of sections that are joined.
SHAPES = (("plain", 1, 1), ("nested", 8, 1), ("crossing", 8, 1), ("crossing", 100, 0.9), ("async", 1, 1), ("async", 8, 1),
          ("async", 1000, 1), ("queue", 100, 1), ("reused", 4, 1), ("reused", 1000, 1), ("again", 8, 0), ("ends", 20, 0.5),
          ("odd", 4, 0), ("odd", 1000, 0.01), ("mixed", 30, 0.8))


def run(work, *traces, far=()):
    done = subprocess.run([TEST, *far, *traces], cwd=work, capture_output=True, text=True, check=False)
    check(f"{traces}: {done.stderr}", done.returncode, 0)
    joined, odd = map(int, re.findall(r"\d+", done.stdout)) if done.returncode == 0 else (0, 0)
    print(f"{' '.join(map(str, traces))}: {joined} sections joined, {odd} odd")
    return joined, odd


def record(work, name, *command, **options):
    text = ",".join(f"{key}={value}" for key, value in options.items())
    subprocess.run(command, check=True, env={**os.environ, "WAYMARK_TRACE": f"*,{text},file={work / name}"})


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-levels-") as name:
        work = pathlib.Path(name)
        subprocess.run([sys.executable, HERE.parent / "reader/make_ctf.py", work], check=True)
        record(work, "short.ctf", PROGRAM, "50", full="block")
        record(work, "long.ctf", PROGRAM, "6000", full="block")
        record(work, "lossy.ctf", PROGRAM, "100000", full="discard", buffer="1M")
        for made in MADE:
            run(work, made)
        for trace in "short.ctf", "long.ctf", "lossy.ctf":
            joined, _ = run(work, trace)
            check(f"{trace}: sections are joined", joined > 0, True)
        for kind, most, share in SHAPES:
            trace = f"{kind}-{most}.ctf"
            record(work, trace, LANES, kind, "6000", str(most), full="block")
            joined, odd = run(work, trace)
            check(f"{trace}: sections joined of {joined + odd}", joined >= share * (joined + odd), True)
            if 4 <= most <= 30:
                record(work, f"lossy-{trace}", LANES, kind, "200000", str(most), full="discard", buffer="1M")
                run(work, f"lossy-{trace}")
        run(work, "small", "many-packets")
        run(work, "short.ctf", "long.ctf")
        # 70 000 open scopes: a copy of all of them for each record would exceed the time limit. Some ends are lost.
        record(work, "open.ctf", LANES, "queue", "140000", "70000", full="block")
        joined, odd = run(work, "open.ctf", far=("--far",))
        check(f"open.ctf: sections joined of {joined + odd}", joined > odd, True)
    finish()


if __name__ == "__main__":
    main()
