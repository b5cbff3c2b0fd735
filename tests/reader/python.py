#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that simpletrace shows strings, numbers and times as Python does: python.py TESTS COMMANDS

The records are random, some with times that a double cannot represent.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

tests, commands = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(tests))
from make_traces import OPEN, READ, START, Trace  # noqa: E402

dice = random.Random(1)


def some_bytes():
    alphabets = (b"abc'\"\\", bytes(range(256)), b"plain text", b"'", b'"', b"\n\t\r\0\x7f\x80")
    alphabet = dice.choice(alphabets)
    return bytes(dice.choice(alphabet) for _ in range(dice.randrange(30)))


def some_time():
    return dice.choice((dice.randrange(10**6), dice.randrange(10**12), dice.randrange(2**56),
                        dice.randrange(2**64), 2**64 - 1, 0, 2**53 + dice.randrange(1000)))


def main():
    trace, wanted, last = Trace(4), [], None
    for _ in range(5000):
        ns, number, text = some_time(), dice.randrange(2**dice.randrange(1, 65)), some_bytes()
        delta = (ns - last) / 1000 if last is not None else 0
        last = ns
        if dice.randrange(2):
            trace.event(OPEN, (ns - START), text, number)
            fields = f"path={text} flags=0x{number:x}"
            name = "blk_open"
        else:
            trace.event(READ, (ns - START), number, 512)
            fields = f"offset=0x{number:x} bytes=0x200"
            name = "blk_read"
        wanted.append(f"{name} {delta:0.3f} pid=77 {fields}")
    with tempfile.NamedTemporaryFile() as file:
        file.write(trace.data)
        file.flush()
        got = subprocess.run(
            [commands / "simpletrace", tests / "golden/trace-events", file.name],
            stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    for number, (x, y) in enumerate(zip(wanted, got)):
        if x != y:
            sys.exit(f"line {number}\nwanted {x}\ngot    {y}")
    if len(wanted) != len(got):
        sys.exit(f"{len(got)} lines, not {len(wanted)}")


if __name__ == "__main__":
    main()
