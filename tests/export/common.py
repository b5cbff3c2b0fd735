# SPDX-License-Identifier: MIT
"""What the tests of exports share: traces, runs of the command, and the events that must be in the export.

The events are those of `waymark print --json`, which other tests compare with babeltrace2.
"""

import collections
import decimal
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent / "common"))
sys.path.insert(1, str(HERE.parent / "reader"))
from compare import check, finish  # noqa: E402,F401

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
FIRST_SYNC = 2**31
# Traces of tests/reader that can be read to their end, with gaps, several hosts, other byte orders.
MADE = ["small", "small-big-endian", "notes", "wrap", "pieces", "flight", "lost-and-rotated",
        "other-host", "two-boots", "late-host"]
# The names of values in the trace of our program.
OPS = {0: "read", 1: "write"}
BITS = {1: "direct", 2: "sync"}
RETS = {-5: "io_error", 0: "ok"}


class Work:
    """A directory with the trace of the program and with traces of every kind."""

    def __init__(self):
        self.place = tempfile.TemporaryDirectory(prefix="waymark-export-")
        self.path = pathlib.Path(self.place.name)
        for script in "make_ctf.py", "make_traces.py":
            subprocess.run([sys.executable, HERE.parent / "reader" / script, self.path], check=True)
        self.trace = self.record("program.ctf")

    def record(self, name, *arguments, backend="ctf"):
        trace = self.path / name
        subprocess.run([PROGRAM, *arguments], check=True, timeout=60,
                       env={**os.environ, "WAYMARK_TRACE": f"*,backend={backend},file={trace}"})
        return trace

    def all(self):
        """Yields each trace, alone and with another one, as a list of paths."""
        yield [self.trace]
        for name in MADE:
            yield [self.path / name]
        yield [self.path / "small", self.path / "other-host"]
        yield [self.trace, self.path / "small"]


def run(*arguments, status=0, text=True, **others):
    """Returns standard output and standard error."""
    done = subprocess.run([WAYMARK, *map(str, arguments)], capture_output=True, timeout=60, text=text,
                          **others)
    check(f"status of {arguments}: {done.stderr}", done.returncode, status)
    return done.stdout, done.stderr


def export(form, *arguments, **others):
    """Returns what an export writes to standard output, as bytes."""
    return run("export", f"--to={form}", *arguments, text=False, **others)[0]


def ns(seconds):
    return int(decimal.Decimal(seconds).scaleb(9))


def records(*arguments):
    """Returns the records that the command prints, their times in nanoseconds."""
    found = []
    for line in run("print", "--json", *arguments, errors="surrogateescape")[0].splitlines():
        record = json.loads(line, parse_float=decimal.Decimal)
        record["time"] = ns(record["time"])
        found.append(record)
    return found


def named(event, args):
    """Returns the arguments of an event of the program with names in place of numbers."""
    args = dict(args)
    if event == "submit":
        mode = args["mode"]
        bits = [name for bit, name in BITS.items() if mode & bit]
        rest = mode & ~sum(BITS)
        args["op"] = OPS.get(args["op"], args["op"])
        args["mode"] = "|".join(bits + ([hex(rest)] if rest else [])) or "0"
    if event == "complete":
        args["ret"] = RETS.get(args["ret"], args["ret"])
    return args


Scope = collections.namedtuple("Scope", "name pid tid number begin end is_async args")


def split(found):
    """Splits records into scopes, other events and gaps. An unfinished scope has the end None."""
    begun, scopes, events, gaps = {}, [], [], []
    for record in found:
        name, args = record.get("event"), record.get("args", {})
        key = (record.get("pid"), record.get("tid"))
        if name is None:
            gaps.append(record)
        elif "scope" in args and "scope_tid" not in args:
            is_async = args["scope"] < FIRST_SYNC
            begun[key + (name, args["scope"])] = len(scopes)
            scopes.append(Scope(name, *key, args["scope"], record["time"], None, is_async, args))
        elif "scope_tid" in args:
            at = begun.pop((key[0], args["scope_tid"], name[:-4], args["scope"]))
            scopes[at] = scopes[at]._replace(end=record["time"])
        else:
            events.append(record)
    return scopes, events, gaps


def joined(slices):
    """Joins the parts of slices that were cut: of (track, name, begin, end, is_continued)."""
    whole = []
    for track, name, begin, end, is_continued in slices:
        if is_continued:
            before = max(i for i, s in enumerate(whole) if s[:2] == (track, name) and s[3] == begin)
            whole[before] = (track, name, whole[before][2], end)
        else:
            whole.append((track, name, begin, end))
    return whole
