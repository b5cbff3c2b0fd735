#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes native traces (directories of CTF) for the reader's tests: make_ctf.py DIRECTORY

Valid traces, which every reader of CTF accepts, and a trace for each kind of error.
"""

import pathlib
import struct
import sys
from random import Random

from ctf_bytes import (DONE, FREQ, IDLE, MISFIT, NOTE, OPEN, PLAIN, READ, TWO, WORK, WORK_END, Trace, buffer, event_text)


def small(order="<", **whose):
    """Two threads, two packets, strings of all kinds, a counted loss."""
    t = Trace(order, **whose)
    s = 20 * FREQ
    one = t.packet([t.event(READ, s + 100, 4096, 512), t.event(OPEN, s + 110, b"/srv/disk", 2),
                    t.event(OPEN, s + 120, None, -1), t.event(OPEN, s + 130, b"", 0),
                    t.event(OPEN, s + 140, b"begin of...\0", 1), t.event(IDLE, s + 140)],
                   begin=s + 90, end=s + 200)
    two = t.packet([t.event(PLAIN, s + 300, -3, 0xFFF0, b"why not", 0xDEADBEEF),
                    t.event(MISFIT, s + 310, 9), t.event(TWO, s + 320, b"x", b"yz", 1),
                    t.event(TWO, s + 330, b"abc\n", None, 0)],
                   begin=s + 250, end=s + 400, sequence=2, discarded=5)
    t.files["stream-3"] = one + two
    other = t.packet([t.event(DONE, s + 105, 0x7F12A4B0C000, -5), t.event(DONE, s + 315, 0, 0)],
                     begin=s + 50, instance=4, tid=1004)
    t.files["stream-4"] = other
    t.files["stream-5"] = b""
    t.files["index/x.idx"] = struct.pack(">4I", 0xC1F1DCC1, 1, 1, 72)  # without packets
    return t


def notes(order="<"):
    """Events end in strings: of all lengths, with characters to be escaped at every position."""
    t = Trace(order)
    t.metadata += event_text(NOTE)
    plain = b"abcdefghijklmnopqrstuvwxyz"
    texts = [plain[:n] for n in range(len(plain) + 1)]
    texts += [plain[:n] + b"\n" + plain[n:17] for n in range(18)]
    texts += [None, b"\t\x7f\x1f\x01", b"cut short\0", b"x\0", "f\u00fcnf Gr\u00f6\u00dfen".encode()]
    numbers = [10 ** (n % 20) - n % 2 for n in range(len(texts))]
    s = 20 * FREQ
    events = [t.event(NOTE, s + n, numbers[n], -n, text) for n, text in enumerate(texts)]
    t.files["stream-3"] = t.packet(events, begin=s)
    return t


def wrap():
    """The 48 bits of a time stamp overflow inside a packet."""
    t = Trace()
    s = 2**48 - 10
    t.files["stream-3"] = t.packet([t.event(IDLE, s + n) for n in (0, 5, 15, 30)], begin=s - 5)
    return t


def runs():
    """Long runs of events of one size, in one of which the 48 bits of a time stamp overflow."""
    t = Trace()
    s = 2**48 - 100
    one = [t.event(IDLE, s + n) for n in range(203)]
    one += [t.event(READ, s + 300 + n // 2, n, 512) for n in range(61)] + [t.event(IDLE, s + 400)] * 9
    other = [t.event(READ, s + 3 * n, n, 1) for n in range(150)]
    t.files["stream-3"] = t.packet(one, begin=s - 5, end=s + 400)
    t.files["stream-4"] = t.packet(other, begin=s, end=s + 500, instance=4, tid=1004)
    return t


def bad_run():
    """An event in a run is older than the one before."""
    t = Trace()
    s = 20 * FREQ
    t.files["stream-3"] = t.packet([t.event(IDLE, s + (n if n != 37 else 20)) for n in range(90)],
                                   begin=s, end=s + 90)
    t.files["stream-4"] = t.packet([t.event(READ, s + n, n, 1) for n in range(50)], begin=s, end=s + 40,
                                   instance=4, tid=1004)
    return t


def pieces():
    """A rotated trace whose first file was removed."""
    t = Trace()
    for piece in range(2, 5):
        s = piece * FREQ
        t.files[f"stream-3-{piece}"] = t.packet([t.event(IDLE, s)], begin=s - 1, end=s + 1,
                                                sequence=piece)
    return t


def flight():
    """A flight recorder's trace: packets were discarded, and the next one counts their events."""
    t = Trace()
    for sequence, discarded in (3, 40), (4, 42), (6, 50):
        s = sequence * FREQ
        t.files["stream-3"] = t.files.get("stream-3", b"") + t.packet(
            [t.event(IDLE, s)], begin=s - 1, end=s + 1, sequence=sequence, discarded=discarded)
    return t


def thread_ended():
    """A thread lost events and ended, so a packet without a thread counts them; another one goes on."""
    t = Trace()
    t.files["stream-3"] = b"".join(
        t.packet([t.event(IDLE, n * FREQ)] if tid else [], begin=n * FREQ - 1, end=n * FREQ + 1, sequence=n,
                 discarded=discarded, tid=tid)
        for n, discarded, tid in ((1, 0, 1003), (2, 7, 0), (3, 9, 1009)))
    return t


def lost_and_rotated():
    """The first files are missing, a packet of the others, and all packets of a thread."""
    t = pieces()
    s = 6 * FREQ
    t.files["stream-3-4"] += t.packet([t.event(IDLE, s)], begin=s, end=s + 1, sequence=6, discarded=7)
    t.files["stream-5-4"] = t.packet([t.event(IDLE, s)], begin=s, end=s + 1, sequence=9, discarded=3,
                                     instance=5, tid=1005)
    return t


def lost_behind_damage():
    """Bytes that cannot be a packet are not counted as an overwritten packet."""
    t = flight()
    t.files["stream-3"] = t.files["stream-3"][:8192] + bytes(4096) + t.files["stream-3"][8192:]
    return t


def other_host():
    """The same events at the same time of day, on a host that booted five seconds later."""
    return small(uuid=bytes(range(16)), host="hostb", boot="b2", pid=78, shift=5)


def late_host():
    """A host that booted long after the others' events."""
    return small(uuid=bytes(range(1, 17)), host="hostc", boot="b3", pid=79, shift=100)


def begun_twice():
    """A scope whose end was lost is dropped when the one around it ends; its number begins again much later."""
    t = Trace()
    t.metadata += event_text(WORK) + event_text(WORK_END)
    s, outer, inner = 20 * FREQ, 2**31, 2**31 + 1
    rest = [t.event(IDLE, s + 3000 + 50 * n) for n in range(40)]
    parts = ([t.event(WORK, s, outer), t.event(WORK, s + 100, inner)], [t.event(WORK_END, s + 2000, outer, 1003)], rest,
             [t.event(WORK, s + 6000, inner)], [t.event(IDLE, s + 7000 + 50 * n) for n in range(40)],
             [t.event(WORK_END, s + 10000, inner, 1003)])
    for n, part in enumerate(parts):
        begin = s + (0, 1000, 3000, 6000, 7000, 10000)[n]
        t.files["stream-3"] = t.files.get("stream-3", b"") + t.packet(
            part, begin=begin, end=begin + 1999 if n in (2, 4) else begin + 1000, sequence=n + 1, discarded=5 * (n > 0))
    return t


def past_end():
    """A packet was never closed, so no header has the time of its last event, and the next one begins earlier."""
    t = Trace()
    t.metadata = t.metadata.replace(f"freq = {FREQ}", "freq = 1000000000")
    s, wide = 20 * 10**9, 2**25  # in ns: a power of two, as steps of rows are
    late = [t.event(IDLE, s + n) for n in (0, wide - 3000, wide + 500)]
    t.files["stream-3"] = (t.packet(late, begin=s) +
                           t.packet([t.event(IDLE, s + wide - 1000)], begin=s + wide - 2000, end=s + wide - 1000, sequence=2))
    return t


def two_boots():
    """The same boot as small(), under another name, although the time of day was set in between."""
    return small(uuid=bytes(range(16)), host="container", pid=78, shift=3600)


def out_of_order():
    t = Trace()
    packets = [t.packet([t.event(IDLE, n * FREQ + 1)], begin=n * FREQ, end=n * FREQ + 2, sequence=n)
               for n in range(1, 5)]
    t.files["stream-3"] = packets[0] + packets[2] + packets[1] + packets[1] + packets[3]
    return t


def unknown_event():
    t = small()
    bad = t.packet([t.event(IDLE, 30 * FREQ), t.pack("Q", (30 * FREQ + 1) << 16 | 99),
                    t.event(IDLE, 30 * FREQ + 2)], begin=30 * FREQ, sequence=3, discarded=5)
    good = t.packet([t.event(IDLE, 31 * FREQ)], begin=31 * FREQ, sequence=4, discarded=5)
    long = t.packet([t.event(IDLE, 31 * FREQ + 1),
                     t.pack("QI", (31 * FREQ + 2) << 16 | OPEN, 2**31) + b"abc\0"],
                    begin=31 * FREQ, sequence=2, instance=4)
    late = t.packet([t.event(IDLE, 32 * FREQ)], begin=31 * FREQ, end=31 * FREQ + 9, sequence=3,
                    instance=4)
    t.files["stream-3"] += bad + good
    t.files["stream-4"] += long + late
    return t


def torn():
    """The last packet's write was cut short, in an event and in the header."""
    t = small()
    last = t.packet([t.event(READ, 30 * FREQ + n, n, n) for n in range(4)], begin=30 * FREQ,
                    sequence=3, discarded=5)
    t.files["stream-3"] += last[:150]
    t.files["stream-4"] += last[:50]
    return t


def holes():
    """Pages without packets, in the middle and at the end."""
    t = Trace()
    for n in range(1, 4):
        t.files["stream-3"] = t.files.get("stream-3", b"") + t.packet(
            [t.event(IDLE, n * FREQ)], begin=n * FREQ - 1, end=n * FREQ + 1, sequence=n) + bytes(8192)
    return t


def cut_metadata():
    """The process was killed while it declared an event."""
    t = small()
    t.metadata += "/* trace-events x:9: late(int x) \"x %d\" */\nevent { id = 8; name = \"la"
    return t


def bad_event():
    t = small()
    t.metadata += "event { id = 9; name = \"odd\"; fields := struct { nothing_t _x; }; };\n"
    return t


def left_over():
    """The process was killed while it wrote: the last packet in the file is torn, but complete in memory."""
    t = small()
    s = 30 * FREQ
    third = t.packet([t.event(READ, s + n, n, n) for n in range(4)], begin=s, sequence=3, discarded=5)
    fourth = t.packet([t.event(OPEN, s + 20, b"last words", 1)], begin=s + 10, sequence=4, discarded=7)
    second = t.packet([t.event(PLAIN, 0, 0, 0, b"", 0)], sequence=2, discarded=5)
    alone = t.packet([t.event(IDLE, s + 15)], begin=s, instance=6, tid=1006)
    t.files["stream-3"] += third[:150]
    # The second packet is already in the file. After the third stream's last packet 4 more events
    # are lost.
    t.files[".arena"] = buffer(t, [fourth, alone, third, second],
                              [(0, 0), (0, 0), (9, 2), (0, 0), (0, 0), (0, 0)])
    return t


def torn_header():
    t = left_over()
    t.files["stream-3"] = t.files["stream-3"][:8192 + 40]
    return t


def many_packets(order="<"):
    """Nine threads, each with packets of other lengths, some of whose events were lost."""
    t, random = Trace(order), Random(9)
    for thread in range(3, 12):
        now, discarded, packets = 20 * FREQ + random.randrange(1000), 0, []
        for sequence in range(1, random.randrange(2, 30)):
            begin, events = now, []
            for n in range(random.randrange(40)):
                now += random.choice((0, 0, 1, 5, 700))
                kind = random.choice((IDLE, READ, OPEN))
                values = {IDLE: (), READ: (n, thread), OPEN: (b"x" * random.randrange(20), n)}[kind]
                events.append(t.event(kind, now, *values))
            discarded += random.choice((0, 0, 0, 3))
            now += random.choice((0, 1, 50))
            packets.append(t.packet(events, begin=begin, end=now, sequence=sequence,
                                    discarded=discarded, instance=thread, tid=1000 + thread))
            now += random.choice((0, 1, 900))
        t.files[f"stream-{thread}"] = b"".join(packets)
    return t


def changed(old, new):
    t = small()
    t.metadata = t.metadata.replace(old, new)
    return t


def no_packet():
    t = small()
    t.files["stream-4"] = b"this is no packet, but a text\n" * 200
    return t


def indexed():
    """Events were lost between two packets, which have an index."""
    t = Trace()
    s = 20 * FREQ
    for sequence, at in enumerate((s, s + 1000), 1):
        offset = len(t.files.get("stream-3", b""))
        packet = t.packet([t.event(IDLE, at), t.event(IDLE, at + 100)], begin=at, end=at + 100, sequence=sequence,
                          discarded=5 * sequence - 5)
        header = struct.unpack_from("<5Q", packet, 32)  # from timestamp_begin on
        entry = struct.pack(">9Q", offset, 8 * len(packet), header[2], at, at + 100, 5 * sequence - 5, 0, 3, sequence)
        t.files["stream-3"] = t.files.get("stream-3", b"") + packet
        t.files["index/stream-3.idx"] = t.files.get("index/stream-3.idx", struct.pack(">4I", 0xC1F1DCC1, 1, 1, 72)) + entry
    return t


def other_uuid():
    t = small()
    t.files["stream-4"] = small(uuid=bytes(16)).files["stream-4"]
    return t


# Traces that all readers of CTF accept, and traces that only this reader can read.
WHOLE = {"small": small(), "small-big-endian": small(">"), "notes": notes(), "notes-big-endian": notes(">"),
         "wrap": wrap(), "runs": runs(), "pieces": pieces(),
         "flight": flight(), "thread-ended": thread_ended(), "lost-and-rotated": lost_and_rotated(),
         "other-host": other_host(), "two-boots": two_boots(),
         "late-host": late_host(), "begun-twice": begun_twice(),
         "indexed": indexed(), "many-packets": many_packets(), "many-packets-big-endian": many_packets(">")}
DAMAGED = {
    "past-end": past_end(),
    "out-of-order": out_of_order(), "unknown-event": unknown_event(), "torn": torn(),
    "holes": holes(), "lost-behind-damage": lost_behind_damage(), "cut-metadata": cut_metadata(), "bad-event": bad_event(), "bad-run": bad_run(),
    "left-over": left_over(), "torn-header": torn_header(), "no-packet": no_packet(), "other-uuid": other_uuid(),
    "no-clock": changed("clock {", "timepiece {"), "no-signature": changed("/* CTF 1.8 */", ""),
    "other-tracer": changed("uint64_t packet_seq_num;", ""),
}


def main():
    directory = pathlib.Path(sys.argv[1])
    for name, trace in {**WHOLE, **DAMAGED}.items():
        trace.write(directory / name)


if __name__ == "__main__":
    main()
