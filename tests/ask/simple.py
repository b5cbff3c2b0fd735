#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""simple.py WAYMARK READER_TESTS: questions to a simple trace, which shows its events only with their
records, and whose records need not be in the order of time.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

waymark, tests = sys.argv[1:]
sys.path[:0] = [tests, os.path.join(os.path.dirname(__file__), "../common")]
from compare import check, finish  # noqa: E402
from make_traces import whole  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        written = whole(4)
        written.mapping(7, "sqlite_master")
        trace.write_bytes(written.event(7, 4_000_000_000).data)

        def answer(query):
            return subprocess.run([waymark, "sql", "--csv", "-e", os.path.join(tests, "golden/trace-events"), trace,
                                   query], timeout=60, text=True, stdout=subprocess.PIPE).stdout.splitlines()[1:]

        times = answer("SELECT time FROM blk_done")
        check("the records' order", (len(times), times == sorted(times)), (2, False))
        check("the order of time", answer("SELECT time FROM blk_done ORDER BY time"), sorted(times))
        check("the declarations", answer("SELECT field FROM declarations WHERE event = 'blk_read'"),
              ["offset", "bytes"])
        check("declared events", answer("SELECT DISTINCT event FROM declarations WHERE event LIKE 'blk_d%'"),
              ["blk_done"])
        check("a name that SQLite has", answer("SELECT count(*) FROM sqlite_master_2"), ["1"])
    finish()


main()
