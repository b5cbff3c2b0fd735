# SPDX-License-Identifier: MIT
"""Makes the leftovers of a killed process: packets, stream files and buffers, byte by byte.

The layout of packets is that of src/format/packet.h; the program write_trace writes the metadata.
"""

import os
import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
import buffer_bytes  # noqa: E402
from buffer_bytes import UNIT  # noqa: E402

UUID = bytes([0xAB, 2, 3] + 13 * [0])
OPEN = 2**63 - 1
BUFFER = 64 << 20
HEADER = "I16sIQQQQQQQII"
BYTES = struct.calcsize("=" + HEADER)
CONTENT = struct.calcsize("=I16sIQQQ")  # offset of the content's size in a header
NONE, LENGTHS = 2, 3  # events of write_trace
SECOND = 10**9


def event(number, ticks, payload=b""):
    data = struct.pack("=Q", ticks << 16 | number) + payload
    return data + bytes(-len(data) % 8)


def lengths(ticks, text):
    """Returns an event with a string and two numbers."""
    data = struct.pack("=I", len(text)) + text
    data += bytes(-len(data) % 4)
    return event(LENGTHS, ticks, data + struct.pack("=Ii", 7, -7))


def packet(stream, sequence, events, *, end=OPEN, lost=0, size=UNIT, tid=77):
    """Returns a packet whose events begin 10 ticks after its begin; not padded."""
    begin = SECOND * sequence
    body = b"".join(lengths(begin + 10 + i, b"event %d" % i) if i % 2 else
                    event(NONE, begin + 10 + i) for i in range(events))
    return struct.pack("=" + HEADER, 0xC1FC1FC1, UUID, 0, stream, begin, end,
                       8 * (BYTES + len(body)), 8 * size, sequence, lost, 0, tid) + body


def end_of(sequence, events):
    return SECOND * sequence + 10 + events


def written(stream, sequence, events, lost=0, align=8):
    """Returns the same packet as in a file: closed and padded."""
    data = packet(stream, sequence, events, end=end_of(sequence, events), lost=lost)
    size = -(-len(data) // align) * align
    data = packet(stream, sequence, events, end=end_of(sequence, events), lost=lost, size=size)
    return data + bytes(size - len(data))


def make_trace(program, path, streams):
    """Makes an ended trace with the metadata of `program` and stream files of these packets."""
    subprocess.run([program, path], check=True)
    path = pathlib.Path(path)
    for file in list(path.glob("stream-*")) + list(path.glob("index/*")):
        file.unlink()
    (path / "index").rmdir()
    for name, packets in streams.items():
        (path / name).write_bytes(b"".join(packets))
    set_ended(path, 1)
    return path


def set_ended(trace, ended):
    """Sets the state of the trace's process: 0 running or killed, 1 ended, 2 ended and recovered."""
    text, count = re.subn(r"\n\tended = \d;", f"\n\tended = {ended};", (trace / "metadata").read_text())
    assert count == 1
    (trace / "metadata").write_text(text)


def make_buffer(path, directory, packets, *, lost=None, streams=3, pid=4242, uuid=UUID):
    """Makes a buffer file; `packets` by unit, `lost` by stream, `streams` is the number of streams."""
    begin = (0, 5 * SECOND, 1_700_000_000 * SECOND)
    now = (100 * SECOND, 105 * SECOND, 1_700_000_100 * SECOND)
    with open(path, "wb") as file:
        file.truncate(BUFFER)
        for at, data in buffer_bytes.pieces(
                uuid=uuid, units=BUFFER // UNIT, first_unit=8, pid=pid, directory=str(directory).encode(),
                clocks=begin + now, counts=[((lost or {}).get(n + 1, 0), 0) for n in range(streams)],
                packets=packets):
            file.seek(at)
            file.write(data)
    return path


def read_packets(data):
    """Yields (header fields, content) of each packet of a stream file; all packets must be complete."""
    at = 0
    while at < len(data):
        fields = struct.unpack_from("=" + HEADER, data, at)
        assert at + fields[7] // 8 <= len(data), "part of a packet is left"
        yield fields, data[at + BYTES:at + fields[6] // 8]
        at += fields[7] // 8
