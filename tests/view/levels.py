#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Levels that several threads make of sections: levels.py TEST WAYMARK PROGRAM

TEST compares them with those of one pass. Traces whose slices nest must be joined; those of
asynchronous scopes, of gaps and of slices that do not nest must be right all the same.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402

TEST, WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:4])
HERE = pathlib.Path(__file__).resolve().parent
MADE = ("small", "small-big-endian", "pieces", "flight", "lost-and-rotated", "many-packets", "notes", "thread-ended",
        "other-host")


def run(work, *traces):
    done = subprocess.run([TEST, *traces], cwd=work, capture_output=True, text=True, check=False)
    check(f"{traces}: {done.stderr}", done.returncode, 0)
    joined, odd = map(int, re.findall(r"\d+", done.stdout)) if done.returncode == 0 else (0, 0)
    print(f"{' '.join(map(str, traces))}: {joined} sections joined, {odd} odd")
    return joined, odd


def record(work, name, *arguments, **options):
    text = ",".join(f"{key}={value}" for key, value in options.items())
    subprocess.run([PROGRAM, *arguments], check=True, env={**os.environ, "WAYMARK_TRACE": f"*,{text},file={work / name}"})


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-levels-") as name:
        work = pathlib.Path(name)
        subprocess.run([sys.executable, HERE.parent / "reader/make_ctf.py", work], check=True)
        record(work, "short.ctf", "50", full="block")
        record(work, "long.ctf", "6000", full="block")
        record(work, "lossy.ctf", "100000", full="discard", buffer="1M")
        for made in MADE:
            run(work, made)
        for trace in "short.ctf", "long.ctf", "lossy.ctf":
            joined, _ = run(work, trace)
            check(f"{trace}: sections are joined", joined > 0, True)
        run(work, "small", "many-packets")
        run(work, "short.ctf", "long.ctf")
    finish()


if __name__ == "__main__":
    main()
