# SPDX-License-Identifier: MIT
"""Writes two native traces, a client's and a server's, with the same values of a declared key: the client sends a
request, the server serves it, the client receives the answer.
"""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "reader"))
from ctf_bytes import EVENTS, FREQ, Trace, event_text  # noqa: E402

PARTS = (("sent", "@begin"), ("served", "@step"), ("received", "@end"))


def write(folder, count):
    first = len(EVENTS)
    EVENTS.extend((name, f'app/trace-events:{n + 3}: # @key request\n# {tag} request\n{name}(uint64_t request) "request %" PRIu64',
                   [("uint64_t", "request")]) for n, (name, tag) in enumerate(PARTS))
    for pid, label, events in (77, "client.ctf", (0, 2)), (78, "server.ctf", (1,)):
        t = Trace(uuid=bytes([pid] * 16), pid=pid)
        t.metadata += "".join(event_text(first + n) for n in range(len(PARTS)))
        records = sorted((20 * FREQ + (request * 100 + n * (40 + request % 17)) * FREQ // 10**6, n, request)
                         for request in range(count) for n in events)
        t.files["stream-3"] = t.packet([t.event(first + n, ticks, request) for ticks, n, request in records],
                                       begin=records[0][0], end=records[-1][0])
        t.write(folder / label)
