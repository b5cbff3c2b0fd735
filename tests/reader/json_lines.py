#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that `waymark print --json` is JSON, and loses nothing: json_lines.py TESTS COMMANDS

A trace has numbers of all widths, strings of any bytes and names of any bytes; Python's json must
read the same values from the lines. jq, if it is installed, must accept every line, too.
"""

import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from decimal import Decimal

TESTS, COMMANDS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(TESTS))
import make_traces  # noqa: E402

EVENTS = """text(const char *s)
numbers(uint64_t a, int64_t b, uint32_t c, int32_t d, uint8_t e, int8_t f, bool g, void *p)
mixed(const char *s, uint64_t a, void *p, const char *t)
letter(char c, signed char d, unsigned char e) "%c%c%c"
"""
TEXT, NUMBERS, MIXED, LETTER, ODD = range(5)
TEXTS = [b"", b"plain", b'"', b"\\", b"\x7f", "\u00e4\u20ac\U0001f600".encode(), b"1234567\"8\n",
         b"\xff", b"\xc3", b"\xe2\x82", b"\xc0\x80", b"\xed\xb2\x80", b"\xf4\x90\x80\x80",
         b"\xf0\x9f\x98", b"\xe0\x9f\xbf", "\x9b31m \u202eabc\u2069".encode(), b"x" * 1000, bytes(range(256)) * 3]


def make_trace():
    """Returns (trace, the expected values of each of its lines)."""
    random.seed(1)
    trace, wanted = make_traces.Trace(4), []
    for number, name in enumerate([b"text", b"numbers", b"mixed", b"letter", b'o"d\\d \xff\n']):
        trace.data += trace.pack("QQL", 0, number, len(name)) + name
    texts = TEXTS + [random.randbytes(random.randrange(40)) for _ in range(2000)]
    texts += ["".join(chr(random.randrange(1, 0xd7ff)) for _ in range(9)).encode()
              for _ in range(500)]
    for text in texts:
        trace.event(TEXT, 5, text)
        wanted.append({"s": text})
        a = random.getrandbits(random.randrange(1, 65))
        trace.event(MIXED, 5, text, a, a, b"end")
        wanted.append({"s": text, "a": a, "p": hex(a), "t": b"end"})
    for bits in range(65):
        v = (1 << bits) - 1
        trace.event(NUMBERS, 5, v, v, v, v, v, v, v & 1, v)
        cut = [struct.unpack(form, struct.pack("<Q", v)[:struct.calcsize(form)])[0]
               for form in ("<Q", "<q", "<I", "<i", "<B", "<b")]
        wanted.append(dict(zip("abcdef", cut), g=bool(v & 1), p=hex(v)))
    trace.event(LETTER, 5, ord("A"), 2**64 - 5, 200)
    wanted.append({"c": 65, "d": -5, "e": 200})
    trace.event(ODD, 5, 1)
    wanted.append(None)
    return trace.data, wanted


def as_bytes(value):
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def same(got, wanted):
    if got.keys() != wanted.keys():
        return False
    return all(as_bytes(got[key]) == as_bytes(value) and type(as_bytes(got[key])) is
               type(as_bytes(value)) for key, value in wanted.items())


def check(lines, wanted):
    assert len(lines) == len(wanted), f"{len(lines)} lines, not {len(wanted)}"
    for line, args in zip(lines, wanted):
        got = json.loads(line, parse_float=Decimal)
        assert got["time"] == Decimal("4242.000000005") and got["pid"] == 77, line
        if args is None:
            assert got["event"].encode("utf-8", "surrogateescape") == b'o"d\\d \xff\n', line
            assert got["raw"] == "0100000000000000", line
        else:
            assert same(got["args"], args), (line, args)


def check_traces(print_json, path, wanted):
    """Lines of several traces contain the trace's name as it was given, however long it is."""
    odd = b"./" * 100 + b"\x01" * 200 + b"/" + b'q"\xff\n'
    long = b"\x01" * 200 + b"/" * 3800 + b"trace"
    (path / ("\x01" * 200)).mkdir()
    for name in (odd, long):
        shutil.copy(path / "trace", path / os.fsdecode(name))
    names = [b"trace", odd, long]
    lines = subprocess.run([*print_json, *names], capture_output=True, check=True,
                           cwd=path).stdout.splitlines()
    got = [as_bytes(json.loads(line)["trace"]) for line in lines]
    for name in names:
        assert got.count(name) == len(wanted), f"{got.count(name)} lines are of {name}"
    assert set(got) == set(names)


def main():
    trace, wanted = make_trace()
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work)
        (path / "trace").write_bytes(trace)
        (path / "events").write_text(EVENTS)
        print_json = [COMMANDS / "waymark", "print", "--json", "-e", path / "events"]
        output = subprocess.run([*print_json, path / "trace"], capture_output=True, check=True)
        text = output.stdout.decode("utf-8")  # the output is UTF-8, whatever was traced
        assert not re.search("[\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", text), "misleads"
        check(output.stdout.splitlines(), wanted)
        assert '"trace":' not in text, "one trace needs no name"
        check_traces(print_json, path, wanted)
        if shutil.which("jq"):
            taken = subprocess.run(["jq", "-c", ".event"], input=output.stdout,
                                   capture_output=True, check=True).stdout
            assert len(taken.splitlines()) == len(wanted), "jq leaves lines out"


if __name__ == "__main__":
    main()
