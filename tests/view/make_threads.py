#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a native trace of many threads with some events each: make_threads.py TRACE THREADS [EVENTS]"""

import os
import pathlib
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "reader"))
from ctf_bytes import FREQ, READ, Trace  # noqa: E402


def main():
    path, threads, events = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 5
    t = Trace()
    for thread in range(threads):
        begin = 20 * FREQ + thread * 1000
        records = [t.event(READ, begin + n * 50000, n, thread) for n in range(events)]
        t.files[f"stream-{thread + 3}"] = t.packet(records, begin=begin, end=begin + events * 50000,
                                                   instance=thread + 3, tid=10000 + thread)
    t.write(path)


if __name__ == "__main__":
    main()
