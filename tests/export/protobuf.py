# SPDX-License-Identifier: MIT
"""Decodes protocol buffers without their declarations."""

import struct


def varint(data, at):
    shift = value = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            assert shift <= 70, "a number of more than ten bytes"
            return value, at


def fields(data):
    """Yields (number, value) of a message: bytes of a text or message, else an integer."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a message ends too early"
        else:
            raise AssertionError(f"type {kind} of field {tag >> 3}")
        yield tag >> 3, value


def message(data):
    """Returns {number: list of values}."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def one(found, number, default=None):
    values = found.get(number, [default])
    assert len(values) == 1, (number, values)
    return values[0]


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def real(value):
    return struct.unpack("<d", struct.pack("<Q", value))[0]
