#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What all processors print or count of a long trace is what one does: processors.py WAYMARK

Traces of three threads, in sections: complete, with losses, cut, and with a wrong byte in the middle.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from ctf_bytes import FREQ, IDLE, OPEN, READ, Trace

SKIPPED = 77
PACKETS = 70  # of each thread, of 64 KiB
WAYMARK = sys.argv[1]


def make(lost=False):
    """More than ten MiB of events, so that there are at least three sections."""
    t = Trace()
    for thread in range(3, 6):
        now, packets = 20 * FREQ + thread, []
        for sequence in range(1, PACKETS + 1):
            begin, events = now, []
            while len(events) < 2500:
                now += 700 + 13 * (len(events) % 5)
                kind = len(events) % 8
                events.append(t.event(IDLE, now) if kind == 0 else
                              t.event(OPEN, now, b"/srv/disk", kind) if kind == 1 else
                              t.event(READ, now, now % 4096, thread))
            now += 5
            packets.append(t.packet(events, begin=begin, end=now, sequence=sequence, tid=1000 + thread,
                                    instance=thread, discarded=sequence // 7 if lost else 0))
        t.files[f"stream-{thread}"] = b"".join(packets)
    return t


def run(arguments, alone, **options):
    one = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))] if alone else []
    return subprocess.run([*one, WAYMARK, *map(str, arguments)], capture_output=True, check=False, **options)


def compare(*arguments, status=0):
    """Both ways must say and print the same; returns what they printed."""
    together, alone = (run(arguments, way) for way in (False, True))
    assert together.returncode == alone.returncode == status, (arguments, together.stderr, alone.stderr)
    assert together.stderr == alone.stderr, (arguments, together.stderr, alone.stderr)
    assert together.stdout == alone.stdout, (arguments, len(together.stdout), len(alone.stdout))
    return together.stdout


def check_prints(trace):
    lines = compare("print", trace).count(b"\n")
    assert lines == 3 * PACKETS * 2500, lines
    compare("print", "--tid", "--time=wall", trace)
    compare("print", "--json", "--event=blk_open", trace)
    compare("print", "--where", "offset > 4000 && bytes == 4", "--fields=offset", trace)
    compare("print", "--from=20.01", "--to=20.02", trace)
    compare("print", "--time=delta", trace)
    assert compare("print", "--from=99", trace) == b""


def check_questions(trace):
    for question in ("SELECT count(*) FROM events",
                     "SELECT event, count(*), min(time), max(time) FROM events GROUP BY event",
                     "SELECT bytes, count(*), sum(offset), avg(offset) FROM blk_read WHERE offset > 99 GROUP BY 1",
                     "SELECT offset, count(*), min(time) FROM blk_read GROUP BY offset",
                     "SELECT offset % 10, max(offset) FROM blk_read GROUP BY 1 ORDER BY 2 DESC LIMIT 3"):
        assert compare("sql", trace, question).count(b"\n") > 1


def check_output(trace, work):
    """A pipe that is closed early, a full disk, and a file that has other contents before."""
    with subprocess.Popen([WAYMARK, "print", trace], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.stdout.close()
    assert process.returncode == 0, process.returncode
    with open("/dev/full", "wb") as full:
        done = subprocess.run([WAYMARK, "print", trace], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"No space left" in done.stderr, done
    output = work / "printed"
    output.write_bytes(b"before\n" * 9_000_000)
    compare("print", "-o", output, trace)
    assert output.read_bytes() == run(["print", trace], True).stdout


def check_damage(work):
    cut, wrong = make(), make()
    cut.files["stream-4"] = cut.files["stream-4"][:3_000_001]
    wrong.files["stream-5"] = wrong.files["stream-5"][:2_500_000] + b"\xff" * 64 + wrong.files["stream-5"][2_500_064:]
    for name, trace in (("cut", cut), ("wrong", wrong)):
        trace.write(work / name)
        assert compare("print", work / name, status=1)
        compare("sql", work / name, "SELECT count(*) FROM blk_read", status=1)


def main():
    if len(os.sched_getaffinity(0)) < 2:
        print("one processor: nothing is shared")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        make().write(work / "whole")
        make(lost=True).write(work / "lost")
        check_prints(work / "whole")
        check_questions(work / "whole")
        check_output(work / "whole", work)
        assert b"# " in compare("print", work / "lost")
        check_questions(work / "lost")
        compare("print", work / "whole", work / "lost")
        check_damage(work)


if __name__ == "__main__":
    main()
