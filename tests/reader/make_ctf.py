#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes native traces (directories of CTF) for the reader's tests: make_ctf.py DIRECTORY

Whole ones, which every reader of CTF accepts, and one for each way to be wrong.
The bytes are those of src/format/packet.h and src/format/ctf.h.
"""

import pathlib
import struct
import sys

MAGIC = 0xC1FC1FC1
UUID = bytes(range(0x10, 0x20))
OPEN_END = 2**63 - 1
HEADER_BYTES = 88
FREQ = 2_400_000_000
EPOCH = 1_700_000_000

METADATA = """/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 16; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 32; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 64; signed = false; }} := uint64_t;
typealias integer {{ size = 8; align = 8; signed = true; }} := int8_t;
typealias integer {{ size = 32; align = 32; signed = true; }} := int32_t;
typealias integer {{ size = 64; align = 64; signed = true; }} := int64_t;
typealias integer {{ size = 64; align = 64; signed = false; base = hexadecimal; }} := pointer_t;
typealias integer {{ size = 8; align = 8; signed = false; encoding = UTF8; }} := utf8_t;
trace {{
	major = 1;
	minor = 8;
	uuid = "{uuid}";
	byte_order = {order};
	packet.header := struct {{
		uint32_t magic;
		uint8_t uuid[16];
		uint32_t stream_id;
		uint64_t stream_instance_id;
	}};
}};
env {{
	hostname = "{host}";
	vpid = {pid};
	procname = "test \\"quoted\\"";
	tracer_name = "waymark";
	boot_id = "{boot}";
	clock_begin_ticks = {begin[0]};
	clock_begin_monotonic = {begin[1]};
	clock_begin_realtime = {begin[2]};
	a_key_of_another_time = "x";
}};
clock {{
	name = monotonic;
	uuid = "{uuid}";
	description = "the processor's counter";
	freq = {freq};
	offset_s = {offset_s};
	offset = {offset};
	absolute = TRUE;
}};
typealias integer {{ size = 64; align = 64; signed = false; map = clock.monotonic.value; }} := stamp_t;
stream {{
	id = 0;
	packet.context := struct {{
		stamp_t timestamp_begin;
		stamp_t timestamp_end;
		uint64_t content_size;
		uint64_t packet_size;
		uint64_t packet_seq_num;
		uint64_t events_discarded;
		uint32_t cpu_id;
		uint32_t tid;
	}};
	event.header := struct {{
		{header}
	}} align(64);
}};
"""

STAMP = "integer { size = 48; align = 1; signed = false; map = clock.monotonic.value; } timestamp;"
NUMBER = "integer { size = 16; align = 1; signed = false; } id;"

# Name, declaration, fields as (C type of the metadata, name); the position is the number.
EVENTS = [
    None,
    ("blk_read", 'block/trace-events:3: blk_read(uint64_t offset, uint32_t bytes) '
     '"offset %" PRIu64 " bytes %u"', [("uint64_t", "offset"), ("uint32_t", "bytes")]),
    ("blk_open", 'block/trace-events:4: blk_open(const char *path, int flags) '
     '"path %s *\\/ flags 0x%x"', [("string", "path"), ("int32_t", "flags")]),
    ("blk_done", 'block/trace-events:7: blk_done(void *req, int ret) "req %p ret %d"',
     [("pointer_t", "req"), ("int32_t", "ret")]),
    ("blk_idle", 'block/trace-events:9: blk_idle(void) "nothing to do"', []),
    ("blk_plain", None, [("int8_t", "delta"), ("uint16_t", "mask"), ("string", "why"),
                         ("pointer_t", "where")]),
    ("blk_misfit", 'x:1: blk_misfit(uint64_t a, uint64_t b) "%u %u"', [("uint8_t", "a")]),
    ("blk_two", 'block/trace-events:12: blk_two(const char *a, const char *b, bool c) "%s|%s|%d"',
     [("string", "a"), ("string", "b"), ("uint8_t", "c")]),
    # From here on: only in traces that add them.
    ("blk_note", 'block/trace-events:15: blk_note(uint64_t n, int32_t level, const char *text) '
     '"%" PRIu64 " at level %d: <%s>"',
     [("uint64_t", "n"), ("int32_t", "level"), ("string", "text")]),
]
READ, OPEN, DONE, IDLE, PLAIN, MISFIT, TWO, NOTE = range(1, 9)
SIZES = {"uint8_t": (1, "B"), "int8_t": (1, "b"), "uint16_t": (2, "H"), "uint32_t": (4, "I"),
         "int32_t": (4, "i"), "uint64_t": (8, "Q"), "int64_t": (8, "q"), "pointer_t": (8, "Q")}


def fields_text(fields):
    text = ""
    for kind, name in fields:
        if kind == "string":
            text += f"uint32_t _{name}_length; utf8_t _{name}[_{name}_length]; "
        else:
            text += f"{kind} _{name}; "
    return text


def event_text(number):
    name, declaration, fields = EVENTS[number]
    comment = f"/* trace-events {declaration} */\n" if declaration else ""
    return (f'{comment}event {{ id = {number}; name = "{name}"; stream_id = 0; loglevel = 6;\n'
            f"\tfields := struct {{ {fields_text(fields)}}}; }};\n")


def uuid_text(uuid):
    digits = uuid.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


class Trace:
    """One native trace, made in memory."""

    def __init__(self, order="<", uuid=UUID, host="hosta", boot="b1", pid=77, shift=0):
        self.order, self.uuid = order, uuid
        header = (NUMBER, STAMP) if order == "<" else (STAMP, NUMBER)
        # Ticks count from boot, which was `EPOCH` seconds after 1970 and `shift` more.
        self.metadata = METADATA.format(
            uuid=uuid_text(uuid), order="le" if order == "<" else "be", host=host, pid=pid,
            boot=boot, freq=FREQ, offset_s=EPOCH + shift, offset=7, header="\n\t\t".join(header),
            begin=(10 * FREQ, 10_000_000_000, (EPOCH + shift + 10) * 10**9))
        self.metadata += "".join(event_text(n) for n in range(1, NOTE))
        self.files = {}

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def text(self, value):
        """NULL is None; a cut string ends in NUL."""
        data = b"\0" if value is None else value
        return self.pack("I", len(data)) + data

    def event(self, number, ticks, *values):
        data = self.pack("Q", (ticks << 16 | number) & (2**64 - 1))
        for (kind, _), value in zip(EVENTS[number][2], values):
            size, form = SIZES.get(kind, (4, ""))
            data += bytes(-len(data) % size)
            data += self.text(value) if kind == "string" else self.pack(form, value)
        return data

    def packet(self, events, **change):
        """A packet of encoded events; `change` replaces what its header says."""
        body = b""
        for event in events:
            body += bytes(-len(body) % 8) + event
        content = HEADER_BYTES + len(body)
        h = {"magic": MAGIC, "uuid": self.uuid, "stream_id": 0, "instance": 3, "begin": 0,
             "end": OPEN_END, "content": content * 8, "size": 0, "sequence": 1, "discarded": 0,
             "cpu": 0, "tid": 1003}
        h.update(change)
        size = h["size"] // 8 or (content + 4095) // 4096 * 4096
        head = self.pack("I16sIQ", h["magic"], h["uuid"], h["stream_id"], h["instance"])
        head += self.pack("6Q2I", h["begin"], h["end"], h["content"], size * 8, h["sequence"],
                          h["discarded"], h["cpu"], h["tid"])
        return (head + body).ljust(size, b"\xaa")

    def write(self, directory):
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "metadata").write_text(self.metadata)
        for name, data in self.files.items():
            (directory / name).parent.mkdir(exist_ok=True)
            (directory / name).write_bytes(data)


def small(order="<", **whose):
    """Two threads, two packets, strings of all kinds, a loss that is counted."""
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
    t.files["index/x.idx"] = struct.pack(">4I", 0xC1F1DCC1, 1, 1, 72)  # of no packets
    return t


def notes(order="<"):
    """Strings that come last: of all lengths, with what must be escaped at every place."""
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
    """The 48 bits of a stamp run over inside a packet."""
    t = Trace()
    s = 2**48 - 10
    t.files["stream-3"] = t.packet([t.event(IDLE, s + n) for n in (0, 5, 15, 30)], begin=s - 5)
    return t


def pieces():
    """A rotated trace whose first piece is gone."""
    t = Trace()
    for piece in range(2, 5):
        s = piece * FREQ
        t.files[f"stream-3-{piece}"] = t.packet([t.event(IDLE, s)], begin=s - 1, end=s + 1,
                                                sequence=piece)
    return t


def flight():
    """A flight recorder's: packets that were given up, whose events the next one counts."""
    t = Trace()
    for sequence, discarded in (3, 40), (4, 42), (6, 50):
        s = sequence * FREQ
        t.files["stream-3"] = t.files.get("stream-3", b"") + t.packet(
            [t.event(IDLE, s)], begin=s - 1, end=s + 1, sequence=sequence, discarded=discarded)
    return t


def lost_and_rotated():
    """The first pieces are gone, a packet of the others, and all of a thread."""
    t = pieces()
    s = 6 * FREQ
    t.files["stream-3-4"] += t.packet([t.event(IDLE, s)], begin=s, end=s + 1, sequence=6, discarded=7)
    t.files["stream-5-4"] = t.packet([t.event(IDLE, s)], begin=s, end=s + 1, sequence=9, discarded=3,
                                     instance=5, tid=1005)
    return t


def lost_behind_damage():
    """What no packet can be is no packet that was given up."""
    t = flight()
    t.files["stream-3"] = t.files["stream-3"][:8192] + bytes(4096) + t.files["stream-3"][8192:]
    return t


def other_host():
    """The same events at the same time of day, on a host that booted five seconds later."""
    return small(uuid=bytes(range(16)), host="hostb", boot="b2", pid=78, shift=5)


def late_host():
    """On a host that booted when the events of the others had long happened."""
    return small(uuid=bytes(range(1, 17)), host="hostc", boot="b3", pid=79, shift=100)


def two_boots():
    """Of the same boot as small(), though the time of day was set in between."""
    return small(uuid=bytes(range(16)), pid=78, shift=3600)


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
    """Pages that hold no packets, in the middle and at the end."""
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


UNIT = 65536


def arena(t, packets, counts):
    """What a killed process leaves in memory; counts: (lost, evicted) of streams 1, 2, ..."""
    clocks = [v for s in (10, 50) for v in (s * FREQ, s * 10**9, (EPOCH + s) * 10**9)]
    head = struct.pack("<QIIQ16sIIQQII6QII", 0x414B52414D594157, 3, 5, UNIT * 32, t.uuid, 77, 0,
                       len(counts), 16384, 0, 0, *clocks, 0, 0) + 2 * (t.uuid + bytes(4096))
    data = bytearray(UNIT * 32)
    data[:len(head)] = head
    for n, count in enumerate(counts):
        data[16384 + 24 * n:16408 + 24 * n] = struct.pack("<QQQ", *count, 0)
    for n, packet in enumerate(packets):
        data[UNIT * (6 + 2 * n):UNIT * (6 + 2 * n) + len(packet)] = packet
    return bytes(data)


def left_over():
    """Killed while it wrote: the last packet of the file is torn, but memory has it whole."""
    t = small()
    s = 30 * FREQ
    third = t.packet([t.event(READ, s + n, n, n) for n in range(4)], begin=s, sequence=3, discarded=5)
    fourth = t.packet([t.event(OPEN, s + 20, b"last words", 1)], begin=s + 10, sequence=4, discarded=7)
    second = t.packet([t.event(PLAIN, 0, 0, 0, b"", 0)], sequence=2, discarded=5)
    alone = t.packet([t.event(IDLE, s + 15)], begin=s, instance=6, tid=1006)
    t.files["stream-3"] += third[:150]
    # The second packet is in the file already; of the third stream's end 4 events more are lost.
    t.files[".arena"] = arena(t, [fourth, alone, third, second],
                              [(0, 0), (0, 0), (9, 2), (0, 0), (0, 0), (0, 0)])
    return t


def torn_header():
    t = left_over()
    t.files["stream-3"] = t.files["stream-3"][:8192 + 40]
    return t


def changed(old, new):
    t = small()
    t.metadata = t.metadata.replace(old, new)
    return t


def no_packet():
    t = small()
    t.files["stream-4"] = b"this is no packet, but a text\n" * 200
    return t


def other_uuid():
    t = small()
    t.files["stream-4"] = small(uuid=bytes(16)).files["stream-4"]
    return t


# What readers of CTF accept, and what only this one makes something of.
WHOLE = {"small": small(), "small-big-endian": small(">"), "notes": notes(), "notes-big-endian": notes(">"),
         "wrap": wrap(), "pieces": pieces(),
         "flight": flight(), "lost-and-rotated": lost_and_rotated(),
         "other-host": other_host(), "two-boots": two_boots(),
         "late-host": late_host()}
DAMAGED = {
    "out-of-order": out_of_order(), "unknown-event": unknown_event(), "torn": torn(),
    "holes": holes(), "lost-behind-damage": lost_behind_damage(), "cut-metadata": cut_metadata(), "bad-event": bad_event(),
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
