# SPDX-License-Identifier: MIT
"""Makes a killed process's buffer byte by byte, with the layout of src/format/buffer.h."""

import struct

UNIT = 65536
TABLE = 16384
MAGIC, VERSION = 0x414B52414D594157, 3


def pieces(*, uuid, units, first_unit, pid, directory, clocks, counts, packets):
    """Yields (offset, bytes) of a buffer. `clocks` are its two readings of three numbers, `counts`
    the events lost and evicted of streams 1, 2, ..., `packets` the packets by their unit, from the
    first on.
    """
    yield 0, struct.pack("=QIIQ16sIIQQII6QII", MAGIC, VERSION, first_unit, units * UNIT, uuid, pid, 0,
                         len(counts), TABLE, 0, 0, *clocks, 0, 0) + 2 * struct.pack("=16s4096s", uuid, directory)
    for n, (lost, evicted) in enumerate(counts):
        yield TABLE + 24 * n, struct.pack("=QQQ", lost, evicted, 0)
    for unit, packet in packets.items():
        yield (first_unit + unit) * UNIT, packet
