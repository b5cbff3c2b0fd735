#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that colours and progress are for terminals only: terminal.py TESTS COMMANDS

Output and messages go to pseudo-terminals or to pipes. A pipe that is not read for a while delays
the command.
"""

import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import threading
import time

TESTS, COMMANDS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(TESTS))
from make_traces import READ, Trace, TRACES  # noqa: E402

EVENTS = TESTS / "golden/trace-events"
LINES = 140000  # more than the pipes can buffer, so that progress is checked
COLOUR = b"\x1b[36mblk_read\x1b[0m"


class Sink:
    """Collects the bytes written to a pipe or a pseudo-terminal."""

    def __init__(self, terminal, wait):
        self.reader, self.writer = pty.openpty() if terminal else os.pipe()
        self.data, self.wait = b"", wait
        self.thread = threading.Thread(target=self.collect)

    def collect(self):
        time.sleep(self.wait)
        try:
            while piece := os.read(self.reader, 1 << 16):
                self.data += piece
        except OSError:  # a terminal without a writer
            pass
        os.close(self.reader)


def run(trace, *options, out=False, err=False, wait=0.0, **environment):
    """Returns standard output and standard error; True: that one is a terminal."""
    sinks = [Sink(out, wait), Sink(err, 0)]
    env = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    with subprocess.Popen([COMMANDS / "waymark", "print", "-e", EVENTS, *options, trace],
                          stdin=subprocess.DEVNULL, stdout=sinks[0].writer,
                          stderr=sinks[1].writer,
                          env={**env, "TERM": "xterm", **environment}) as process:
        for sink in sinks:
            os.close(sink.writer)
            sink.thread.start()
    for sink in sinks:
        sink.thread.join()
    assert process.returncode == 0, (process.returncode, sinks[1].data)
    return sinks[0].data, sinks[1].data


def check_colour(trace):
    cases = [
        (True, {"out": True}, []),
        (False, {"out": False}, []),
        (False, {"out": True, "NO_COLOR": "1"}, []),
        (True, {"out": True, "NO_COLOR": ""}, []),
        (False, {"out": True, "TERM": "dumb"}, []),
        (False, {"out": True, "TERM": ""}, []),
        (False, {"out": True}, ["--color=never"]),
        (True, {"out": False}, ["--color=always"]),
        (True, {"out": False, "NO_COLOR": "1"}, ["--color=always"]),
        (True, {"out": True}, ["--color=auto"]),
        (False, {"out": True}, ["--json"]),
    ]
    for wanted, where, options in cases:
        got = run(trace, *options, **where)[0]
        assert b"blk_read" in got, got
        assert (COLOUR in got) == wanted and (b"\x1b" in got) == wanted, (where, options, got)


def check_progress(trace, lines, small):
    out, err = run(trace, err=True, wait=2)  # progress is shown after a second
    assert out.count(b"\n") == lines, out.count(b"\n")
    assert b"waymark print: " in err and b" %" in err, err
    assert err.endswith(b"\r\x1b[K"), err
    shown = [int(piece.split(b" %")[0]) for piece in err.split(b"waymark print: ")[1:]]
    assert shown == sorted(shown) and 0 <= shown[0] <= shown[-1] <= 100, shown
    assert run(small, err=True)[1] == b"", "short work"
    quiet = [
        {"err": False, "wait": 1.3},
        {"err": True, "wait": 1.3, "TERM": "dumb"},
        {"err": True, "out": True, "wait": 1.3},  # printed lines make progress messages unnecessary
    ]
    for where in quiet:
        assert run(trace, **where)[1] == b"", where


def main():
    with tempfile.TemporaryDirectory() as work:
        small, large = pathlib.Path(work, "small"), pathlib.Path(work, "large")
        small.write_bytes(TRACES["v4"].data)
        start = Trace(4)
        record = Trace(4).event(READ, 1, 2, 3).data[len(start.data):]
        large.write_bytes(start.data + record * LINES)
        check_colour(small)
        check_progress(large, LINES, small)


if __name__ == "__main__":
    main()
