/* SPDX-License-Identifier: MIT */
/*
 * The native trace: a directory that every reader of CTF 1.8 understands. waymark-ctf(5) describes
 * it; src/format/packet.h has the bytes of its streams.
 *
 *	metadata              declarations, in CTF's own language
 *	stream-<n>            packets of stream instance n, in sequence
 *	stream-<n>-<p>        packets of trace file p (from 1) of a rotated trace
 *	index/<stream>.idx    the place of each packet, in LTTng's layout
 *	.metadata             the next metadata, while the process writes it
 *
 * The metadata begins with CTF_SIGNATURE. A comment before each event has its declaration in the
 * language of trace-events files, because CTF cannot express formats and C types, and readers skip
 * comments:
 *
 *	CTF_DECLARATION <file>:<line>: <name>(<type> <argument>, ...) <format> CTF_COMMENT_END
 *	event { id = 1; name = "..."; stream_id = 0; fields := struct { ... }; };
 *
 * A comment's end inside of the declaration is written `*\/`. For an event that was declared in
 * TOML the comment is a line of TOML, for a scope with `scopes` instead of `events`:
 *
 *	CTF_DECLARATION_TOML <file>:<line>: events = [{ name = "...", ... }] CTF_COMMENT_END
 *
 * Names of fields begin with a `_`, which readers strip. A string <s> is two fields, text with a
 * length (and bytes, of uint8_t) three, a number of 128 bits an array, a debug value its kind and
 * the variant that the head declares (format/debug.h):
 *
 *	uint32_t _<s>_length; utf8_t _<s>[_<s>_length];
 *	uint32_t _<t>_size; uint32_t _<t>_length; utf8_t _<t>[_<t>_length];
 *	uint64_t _<w>[2];
 *	debug_kind_t _<d>_kind; variant debug <_<d>_kind> _<d>;
 */
#ifndef FORMAT_CTF_H
#define FORMAT_CTF_H

#include <stdint.h>

#define CTF_SIGNATURE "/* CTF 1.8 */"
#define CTF_DECLARATION "/* trace-events "
#define CTF_DECLARATION_TOML "/* toml "
#define CTF_COMMENT_END " */"
#define CTF_METADATA "metadata"
#define CTF_METADATA_NEW ".metadata"
#define CTF_STREAM "stream-"
#define CTF_INDEX "index"
#define CTF_INDEX_SUFFIX ".idx"

/* Names in `env`, besides hostname, vpid, procname and tracer_name. */
#define CTF_ENV_BOOT_ID "boot_id" /* the kernel's: distinguishes the boots of a host */
#define CTF_ENV_ENDED "ended" /* enum ctf_ended */
#define CTF_ENV_OVERWRITES "overwrites" /* 1: events before the first packet were overwritten */
#define CTF_ENV_CONTINUES "continues" /* uuid of the trace whose streams continue here */
#define CTF_ENV_TICKS "clock_%s_ticks" /* %s: begin, end */
#define CTF_ENV_MONOTONIC "clock_%s_monotonic" /* ns */
#define CTF_ENV_REALTIME "clock_%s_realtime" /* ns since 1970 */
/* After `waymark sync`: the host of the times since 1970, and their largest error in ns. */
#define CTF_ENV_CLOCK_HOST "clock_host"
#define CTF_ENV_CLOCK_ERROR "clock_error"

/* Completeness of a trace. */
enum ctf_ended {
	CTF_UNFINISHED, /* its process records, or was killed: memory may have the last events */
	CTF_FINISHED, /* all its events are in the files, or in a buffer that still exists */
	CTF_RECOVERED, /* was unfinished; a recovery has written the rest */
};

/* Index files: big endian. */
#define CTF_INDEX_MAGIC UINT32_C(0xc1f1dcc1)
#define CTF_INDEX_MAJOR 1u
#define CTF_INDEX_MINOR 1u

struct ctf_index_header {
	uint32_t magic;
	uint32_t major;
	uint32_t minor;
	uint32_t record_bytes; /* size of struct ctf_index_record */
};

struct ctf_index_record {
	uint64_t offset; /* bytes */
	uint64_t packet_size; /* bits */
	uint64_t content_size; /* bits */
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t events_discarded;
	uint64_t stream_id;
	uint64_t stream_instance_id;
	uint64_t sequence;
};

/* The header of every index. Include <endian.h>. */
#define CTF_INDEX_HEADER                                                              \
	{                                                                             \
		.magic = htobe32(CTF_INDEX_MAGIC), .major = htobe32(CTF_INDEX_MAJOR), \
		.minor = htobe32(CTF_INDEX_MINOR),                                    \
		.record_bytes = htobe32(sizeof(struct ctf_index_record)),             \
	}

#endif
