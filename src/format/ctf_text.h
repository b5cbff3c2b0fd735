/* SPDX-License-Identifier: MIT */
/*
 * Writes the metadata of the native trace: templates and the functions that fill them; events are
 * in format/ctf_text_event.h. The runtime and the offline writer share it, so that both write the
 * same profile. Calls string.h only, and may be used in any context, including signal handlers.
 *
 * A recovery depends on the lines `<name> = <number>;`. A number of the clock has CTF_TEXT_COLUMNS,
 * padded with leading blanks, so that a better one can replace it without moving the rest.
 */
#ifndef FORMAT_CTF_TEXT_H
#define FORMAT_CTF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/buffer.h"
#include "format/ctf.h"
#include "format/ctf_clock.h"
#include "format/debug.h"
#include "format/uuid.h"

#define CTF_TEXT_TRACER "waymark"
#define CTF_TEXT_COLUMNS 20

/* The destination of the text: the first member of the caller's own struct. */
struct ctf_text {
	void (*put)(struct ctf_text *t, const char *p, size_t n);
};

struct ctf_text_trace {
	uint8_t uuid[16];
	const uint8_t *former; /* uuid of the trace whose streams continue here; NULL: none */
	bool overwrites; /* events between that trace and this one were overwritten */
	const char *hostname; /* names are never NULL; "": unknown, and not written */
	const char *procname;
	const char *boot_id;
	uint32_t pid;
	struct ctf_clock clock;
	struct buffer_clock begin;
	struct buffer_clock end; /* the last reading */
	enum ctf_ended ended;
};

struct ctf_text_hole {
	const char *name;
	const char *value;
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CTF_TEXT_BYTE_ORDER "le"
#define CTF_TEXT_EVENT_WORD "\t\tid_t id;\n\t\tstamp_t timestamp;\n"
#else
#define CTF_TEXT_BYTE_ORDER "be"
#define CTF_TEXT_EVENT_WORD "\t\tstamp_t timestamp;\n\t\tid_t id;\n"
#endif

/* Types in format/debug.def. */
#if __SIZEOF_POINTER__ == 8
#define DEBUG_POINTER_TYPE "pointer64_t"
#else
#define DEBUG_POINTER_TYPE "pointer32_t"
#endif
#define DEBUG_BLOB_OF(type) "struct { uint32_t size; uint32_t length; " type " data[length]; }"

/* clang-format off */

/* Holes: uuid, ended. */
static const char ctf_text_head[] =
	CTF_SIGNATURE "\n"
	"\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 16; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 32; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; } := uint64_t;\n"
	"typealias integer { size = 8; align = 8; signed = true; } := int8_t;\n"
	"typealias integer { size = 16; align = 16; signed = true; } := int16_t;\n"
	"typealias integer { size = 32; align = 32; signed = true; } := int32_t;\n"
	"typealias integer { size = 64; align = 64; signed = true; } := int64_t;\n"
	"typealias integer { size = 32; align = 32; signed = false; base = 16; } := pointer32_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; base = 16; } := pointer64_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := utf8_t;\n"
	"typealias floating_point { exp_dig = 8; mant_dig = 24; align = 32; } := float32_t;\n"
	"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 64; } := float64_t;\n"
	"typealias enum : uint8_t {"
#define DEBUG_KIND(name, label, field, form, bytes) " \"" label "\","
#include "format/debug.def"
#undef DEBUG_KIND
	" } := debug_kind_t;\n"
	"\n"
	"variant debug {\n"
#define DEBUG_KIND(name, label, field, form, bytes) "\t" field ";\n"
#include "format/debug.def"
#undef DEBUG_KIND
	"};\n"
	"\n"
	"trace {\n"
	"\tmajor = 1;\n"
	"\tminor = 8;\n"
	"\tuuid = \"${uuid}\";\n"
	"\tbyte_order = " CTF_TEXT_BYTE_ORDER ";\n"
	"\tpacket.header := struct {\n"
	"\t\tuint32_t magic;\n"
	"\t\tuint8_t uuid[16];\n"
	"\t\tuint32_t stream_id;\n"
	"\t\tuint64_t stream_instance_id;\n"
	"\t};\n"
	"};\n"
	"\n"
	"env {\n"
	"\t" CTF_ENV_ENDED " = ${ended};\n";

/* Holes: pid. */
static const char ctf_text_process[] =
	"\tvpid = ${pid};\n"
	"\ttracer_name = \"" CTF_TEXT_TRACER "\";\n";

/* Holes: name, value. */
static const char ctf_text_name[] = "\t${name} = \"${value}\";\n";

/* Hole: uuid. */
static const char ctf_text_continues[] =
	"\t" CTF_ENV_CONTINUES " = \"${uuid}\";\n";

static const char ctf_text_overwrites[] =
	"\t" CTF_ENV_OVERWRITES " = 1;\n";

/* Holes: which (begin, end), ticks, monotonic, realtime. */
static const char ctf_text_reading[] =
	"\tclock_${which}_ticks = ${ticks};\n"
	"\tclock_${which}_monotonic = ${monotonic};\n"
	"\tclock_${which}_realtime = ${realtime};\n";

/* Holes: uuid, freq, offset_s, offset. */
static const char ctf_text_clock_and_stream[] =
	"};\n"
	"\n"
	"clock {\n"
	"\tname = ticks;\n"
	"\tuuid = \"${uuid}\";\n"
	"\tdescription = \"ticks of the traced host\";\n"
	"\tfreq = ${freq};\n"
	"\toffset_s = ${offset_s};\n"
	"\toffset = ${offset};\n"
	"\tabsolute = TRUE;\n"
	"};\n"
	"\n"
	"typealias integer { size = 64; align = 64; signed = false; map = clock.ticks.value; } := ticks_t;\n"
	"typealias integer { size = 48; align = 1; signed = false; map = clock.ticks.value; } := stamp_t;\n"
	"typealias integer { size = 16; align = 1; signed = false; } := id_t;\n"
	"\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct {\n"
	"\t\tticks_t timestamp_begin;\n"
	"\t\tticks_t timestamp_end;\n"
	"\t\tuint64_t content_size;\n"
	"\t\tuint64_t packet_size;\n"
	"\t\tuint64_t packet_seq_num;\n"
	"\t\tuint64_t events_discarded;\n"
	"\t\tuint32_t cpu_id;\n"
	"\t\tuint32_t tid;\n"
	"\t};\n"
	"\tevent.header := struct {\n"
	CTF_TEXT_EVENT_WORD
	"\t} align(64);\n"
	"};\n"
	"\n";

/* clang-format on */

/* Offset of the digit of enum ctf_ended in a metadata file: it is changed in place. */
#define CTF_TEXT_ENDED_AT                                                              \
	(sizeof(ctf_text_head) - sizeof("${uuid}") + 36 - sizeof("${ended}") + 1 + 1 - \
		sizeof(";\n"))

static inline void ctf_text_str(struct ctf_text *t, const char *s)
{
	t->put(t, s, strlen(s));
}

/* Writes a hole's value, escaped for a TSDL string. */
static inline void ctf_text_quoted(struct ctf_text *t, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		const char code[] = { '\\', (char)('0' + c / 64), (char)('0' + c / 8 % 8),
			(char)('0' + c % 8) };

		if (c < 0x20 || c == 0x7f) {
			t->put(t, code, sizeof(code));
			continue;
		}
		if (c == '"' || c == '\\') {
			t->put(t, "\\", 1);
		}
		t->put(t, s, 1);
	}
}

/* Writes a template, with its `${holes}` filled. */
static inline void ctf_text_fill(
	struct ctf_text *t, const char *text, const struct ctf_text_hole *holes)
{
	for (const char *hole; (hole = strstr(text, "${")); text = strchr(hole, '}') + 1) {
		const struct ctf_text_hole *h = holes;
		size_t n = strcspn(hole + 2, "}");

		t->put(t, text, (size_t)(hole - text));
		while (h->name && (strncmp(h->name, hole + 2, n) != 0 || h->name[n])) {
			h++;
		}
		ctf_text_quoted(t, h->name ? h->value : "");
	}
	ctf_text_str(t, text);
}

#define CTF_TEXT_FILL(t, text, ...) \
	ctf_text_fill((t), (text), (const struct ctf_text_hole[]){ __VA_ARGS__, { NULL, NULL } })

/*
 * Writes a number in decimal, right-aligned in `columns`, to `buffer` of CTF_TEXT_COLUMNS + 1
 * bytes.
 */
static inline const char *ctf_text_number(char *buffer, uint64_t v, int columns)
{
	char *end = buffer + CTF_TEXT_COLUMNS;
	char *p = end;

	*p = '\0';
	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (p > end - columns) {
		*--p = ' ';
	}
	return p;
}

static inline void ctf_text_put_reading(
	struct ctf_text *t, const char *which, const struct buffer_clock *c)
{
	char a[CTF_TEXT_COLUMNS + 1];
	char b[CTF_TEXT_COLUMNS + 1];
	char d[CTF_TEXT_COLUMNS + 1];

	CTF_TEXT_FILL(t, ctf_text_reading, { "which", which },
		{ "ticks", ctf_text_number(a, c->ticks, CTF_TEXT_COLUMNS) },
		{ "monotonic", ctf_text_number(b, c->monotonic_ns, CTF_TEXT_COLUMNS) },
		{ "realtime", ctf_text_number(d, c->realtime_ns, CTF_TEXT_COLUMNS) });
}

static inline void ctf_text_put_name(struct ctf_text *t, const char *name, const char *value)
{
	if (*value) {
		CTF_TEXT_FILL(t, ctf_text_name, { "name", name }, { "value", value });
	}
}

/* Writes the part before the first event. */
static inline void ctf_text_put_head(struct ctf_text *t, const struct ctf_text_trace *trace)
{
	const struct ctf_clock *clock = &trace->clock;
	char uuid[UUID_TEXT_SIZE];
	char a[CTF_TEXT_COLUMNS + 1];
	char b[CTF_TEXT_COLUMNS + 1];
	char d[CTF_TEXT_COLUMNS + 1];

	uuid_text(uuid, trace->uuid);
	CTF_TEXT_FILL(t, ctf_text_head, { "uuid", uuid },
		{ "ended", ctf_text_number(a, trace->ended, 0) });
	ctf_text_put_name(t, "hostname", trace->hostname);
	CTF_TEXT_FILL(t, ctf_text_process, { "pid", ctf_text_number(a, trace->pid, 0) });
	ctf_text_put_name(t, "procname", trace->procname);
	ctf_text_put_name(t, CTF_ENV_BOOT_ID, trace->boot_id);
	if (trace->former) {
		char former[UUID_TEXT_SIZE];

		uuid_text(former, trace->former);
		CTF_TEXT_FILL(t, ctf_text_continues, { "uuid", former });
		if (trace->overwrites) {
			t->put(t, ctf_text_overwrites, sizeof(ctf_text_overwrites) - 1);
		}
	}
	ctf_text_put_reading(t, "begin", &trace->begin);
	ctf_text_put_reading(t, "end", &trace->end);
	CTF_TEXT_FILL(t, ctf_text_clock_and_stream, { "uuid", uuid },
		{ "freq", ctf_text_number(a, clock->freq, CTF_TEXT_COLUMNS) },
		{ "offset_s", ctf_text_number(b, clock->offset_s, CTF_TEXT_COLUMNS) },
		{ "offset", ctf_text_number(d, clock->offset, CTF_TEXT_COLUMNS) });
}

/* Writes text inside of a one-line comment, so that it ends neither the comment nor the line. */
static inline void ctf_text_commented(struct ctf_text *t, const char *s)
{
	for (; *s; s++) {
		bool ends = s[0] == '*' && s[1] == '/';

		t->put(t, *s == '\n' || *s == '\r' ? " " : s, 1);
		if (ends) {
			t->put(t, "\\", 1);
		}
	}
}

#endif
