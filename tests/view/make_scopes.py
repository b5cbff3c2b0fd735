# SPDX-License-Identifier: MIT
"""Writes native traces of scopes that are open for long: nested ones of a thread, and asynchronous ones
that another thread ends, or that all begin at one time.
"""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "reader"))
from ctf_bytes import EVENTS, FREQ, IDLE, Trace, event_text  # noqa: E402

BEGIN, END = [("int64_t", "scope")], [("int64_t", "scope"), ("uint32_t", "scope_tid")]
SYNC = 1 << 31
STEP = 1000 * FREQ // 10**9 # ticks
PACKET = 10000 # events


def scope(name):
    """Declares a scope; returns the numbers of its two events."""
    EVENTS.extend(((name, None, BEGIN), (name + "_end", None, END)))
    return len(EVENTS) - 2, len(EVENTS) - 1


def write(path, steps):
    t = Trace()
    main, phase, job = (scope(name) for name in ("main", "phase", "job"))
    t.metadata += "".join(event_text(n) for pair in (main, phase, job) for n in pair)
    events = {1003: [], 1004: []}

    def add(tid, ns, *event):
        ticks = 20 * FREQ + ns * STEP
        events[tid].append((ticks, t.event(event[0], ticks, *event[1:])))

    add(1003, 0, main[0], SYNC)
    for n in range(1, steps):
        if n % (steps // 5) == 1:
            add(1003, n, phase[0], SYNC + 1)
        elif n % (steps // 5) == steps // 6:
            add(1003, n, phase[1], SYNC + 1, 1003)
        elif n % 1000 == 7:
            add(1003, n, job[0], n)
        else:
            add(1003, n, IDLE)
        if n > 5007 and n % 1000 == 7 and n % 3000 != 7:
            add(1004, n, job[1], n - 5000, 1003)
    add(1003, steps, main[1], SYNC, 1003)
    write_events(t, events, path)


def write_crowd(path, steps, scopes):
    """All `scopes` begin at one time; some end at each of many times."""
    t = Trace()
    job = scope("job")
    t.metadata += "".join(event_text(n) for n in job)
    events = [(20 * FREQ, t.event(job[0], 20 * FREQ, n)) for n in range(scopes)]
    every = steps // scopes
    for n in range(1, steps + 1):
        ticks = 20 * FREQ + n * STEP
        events.append((ticks, t.event(job[1], ticks, n // every - 1, 1003) if n % every == 0 and n // every <= scopes
                       else t.event(IDLE, ticks)))
    write_events(t, {1003: events}, path)


def write_events(t, events, path):
    for tid, all_of in events.items():
        parts = [all_of[i:i + PACKET] for i in range(0, len(all_of), PACKET)]
        t.files[f"stream-{tid}"] = b"".join(
            t.packet([data for _, data in part], begin=part[0][0], end=part[-1][0], instance=tid, tid=tid, sequence=i + 1)
            for i, part in enumerate(parts))
    t.write(path)
