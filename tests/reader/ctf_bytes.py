# SPDX-License-Identifier: MIT
"""Makes native traces byte by byte, valid or invalid: metadata, packets, and the memory of a
killed process. The layouts are those of packet.h and ctf.h in src/format.
"""

import os
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
import buffer_bytes  # noqa: E402

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

# Name, declaration, fields as (C type of the metadata, name); the position is the event's number.
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
    # The following events are only in traces that add them.
    ("blk_note", 'block/trace-events:15: blk_note(uint64_t n, int32_t level, const char *text) '
     '"%" PRIu64 " at level %d: <%s>"',
     [("uint64_t", "n"), ("int32_t", "level"), ("string", "text")]),
    ("blk_work", None, [("int64_t", "scope")]),
    ("blk_work_end", None, [("int64_t", "scope"), ("uint32_t", "scope_tid")]),
]
READ, OPEN, DONE, IDLE, PLAIN, MISFIT, TWO, NOTE, WORK, WORK_END = range(1, 11)
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
    """A native trace, made in memory."""

    def __init__(self, order="<", uuid=UUID, host="hosta", boot="b1", pid=77, shift=0):
        self.order, self.uuid = order, uuid
        header = (NUMBER, STAMP) if order == "<" else (STAMP, NUMBER)
        # Ticks count from boot, which was `EPOCH` + `shift` seconds after 1970.
        self.metadata = METADATA.format(
            uuid=uuid_text(uuid), order="le" if order == "<" else "be", host=host, pid=pid,
            boot=boot, freq=FREQ, offset_s=EPOCH + shift, offset=7, header="\n\t\t".join(header),
            begin=(10 * FREQ, 10_000_000_000, (EPOCH + shift + 10) * 10**9))
        self.metadata += "".join(event_text(n) for n in range(1, NOTE))
        self.files = {}

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def text(self, value):
        """Encodes a string: NULL is None; a cut string ends in NUL."""
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
        """Returns a packet of encoded events; `change` replaces fields of its header."""
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


def buffer(t, packets, counts):
    """Returns a killed process's buffer; counts: (lost, evicted) of streams 1, 2, ..."""
    data = bytearray(32 * buffer_bytes.UNIT)
    for at, piece in buffer_bytes.pieces(
            uuid=t.uuid, units=32, first_unit=5, pid=77, directory=b"", counts=counts,
            clocks=[v for s in (10, 50) for v in (s * FREQ, s * 10**9, (EPOCH + s) * 10**9)],
            packets={1 + 2 * n: packet for n, packet in enumerate(packets)}):
        data[at:at + len(piece)] = piece
    return bytes(data)
