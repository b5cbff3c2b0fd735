#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the traces of the reader's golden tests: make_traces.py DIRECTORY

A trace for each version and byte order, and a trace for each kind of error. The events are those
of golden/trace-events; their positions there are their ids.
"""

import pathlib
import struct
import sys

MAGIC = 0xF2B177CB0AA429B4
HEADER_ID = 2**64 - 1
DROPPED_ID = 2**64 - 2
NAMES = ["blk_open", "blk_never", "blk_read", "blk_done", "blk_idle", "blk_plain", "blk_wide"]
OPEN, _, READ, DONE, IDLE, PLAIN, WIDE = range(7)
START = 4242_000_000_000


class Trace:
    """The bytes of a trace."""

    def __init__(self, version, order="<"):
        self.version, self.order = version, order
        self.data = self.pack("QQQ", HEADER_ID, MAGIC, version)
        if version == 0:
            self.data += bytes(40)
        if version == 4:
            for number, name in enumerate(NAMES):
                self.mapping(number, name)

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def mapping(self, number, name):
        self.data += self.pack("QQL", 0, number, len(name)) + name.encode()

    def arguments(self, values):
        for value in values:
            if isinstance(value, bytes):
                yield self.pack("L", len(value)) + value
            else:
                yield self.pack("Q", value % 2**64)

    def event(self, number, ns, *values, length=None, pid=77):
        """Adds a record; `length` replaces its true size."""
        payload = b"".join(self.arguments(values))
        if self.version == 4:
            self.data += self.pack("Q", 1)
        size = 24 + len(payload) if length is None else length
        self.data += self.pack("QQLL", number, START + ns, size, 0 if self.version == 2 else pid)
        self.data += payload
        return self

    def gap(self, ns, lost):
        return self.event(DROPPED_ID, ns, lost)

    def event_v0(self, number, ns, *values):
        values = (values + (0,) * 6)[:6]
        self.data += self.pack("8Q", number, ns and START + ns, *values)
        return self


def whole(version, order="<"):
    """Returns a trace with every valid kind of record."""
    t = Trace(version, order)
    t.event(OPEN, 0, b"/srv/disk.img", 0o2)
    t.event(READ, 24_817, 4096, 512)
    t.event(DONE, 1_000_000_000, 0x7F12A4B0C000, -5)
    t.event(DONE, 999_999_999, 0, 0)
    t.gap(1_000_000_500, 17)
    t.event(IDLE, 1_000_001_000)
    t.gap(1_000_001_000, 1)
    t.event(PLAIN, 1_000_002_000, -3, 0xFFF0, b"")
    t.event(WIDE, 3_000_000_000, 7, 2**40, 12, 1, ord("z"), pid=78)
    return t


def version_0():
    t = Trace(0)
    t.event_v0(OPEN, 0, 0x1234, 2).event_v0(READ, 100, 4096, 512)
    t.event_v0(DROPPED_ID, 0, 9).event_v0(IDLE, 300)
    return t


def every_byte():
    t = Trace(4)
    t.event(OPEN, 0, bytes(range(256)), 1)
    for text in (b"it's", b'say "hi"', b"it's \"both\"", b"back\\slash", b"\xc3\xa4\n"):
        t.event(OPEN, 1000, text, 1)
    return t


def lying_lengths():
    t = Trace(4)
    t.event(READ, 0, 4096, 512)
    t.event(READ, 10, 4096)
    t.event(OPEN, 20, b"/srv/disk.img", 1, 2)
    t.event(IDLE, 30)
    t.data += t.pack("QQQLLLQ", 1, OPEN, START + 40, 36, 77, 9999, 0)
    t.event(READ, 50, 8192, 512)
    return t


def unknown():
    t = Trace(4)
    t.mapping(7, "not_declared")
    t.event(READ, 0, 4096, 512).event(99, 10, 1).event(7, 20, 1, 0xABC).event(IDLE, 30)
    return t


def renamed():
    t = Trace(4)
    t.event(READ, 0, 4096, 512)
    t.mapping(READ, "blk_done")
    t.event(READ, 10, 0x1000, -1)
    return t


def impossible_length():
    t = whole(4)
    t.event(READ, 10, 4096, 512, length=2**32 - 1)
    return t.event(IDLE, 20)


def short_length():
    t = whole(4)
    return t.event(OPEN, 10, b"text", 1, length=23).event(IDLE, 20)


def no_header(version):
    t = Trace(version)
    t.data = b""
    t.event(IDLE, 0).event(READ, 50, 1, 2).event(DONE, 100, 3, 4)
    return t


TRACES = {
    "v0": version_0(),
    "v2": whole(2),
    "v3": whole(3),
    "v4": whole(4),
    "v3-big-endian": whole(3, ">"),
    "v4-big-endian": whole(4, ">"),
    "every-byte": every_byte(),
    "lying-lengths": lying_lengths(),
    "unknown": unknown(),
    "renamed": renamed(),
    "impossible-length": impossible_length(),
    "short-length": short_length(),
    "no-header-typed": no_header(4),
    "no-header-untyped": no_header(3),
}


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name, trace in TRACES.items():
        (directory / name).write_bytes(trace.data)
    v4 = TRACES["v4"].data
    (directory / "truncated").write_bytes(v4[:-5])
    (directory / "zeros").write_bytes(v4 + bytes(4000))
    (directory / "empty").write_bytes(b"")
    (directory / "no-events").write_bytes(Trace(4).data)
    (directory / "text").write_text("this is no trace\n" * 10)
    future = Trace(5)
    (directory / "future").write_bytes(future.data)


if __name__ == "__main__":
    main()
