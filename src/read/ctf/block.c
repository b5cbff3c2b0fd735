/* SPDX-License-Identifier: MIT */
/* The blocks that a trace has once, see read/ctf/block.h. */
#include "read/ctf/block.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "format/ctf.h"
#include "format/packet.h"

typedef bool (*read_attribute)(struct ctf_parser *p, struct ctf_metadata *md, struct span name);

/* `{ name = value; ... };`: `read` takes each value from behind its `=` to behind its `;`. */
static bool read_block(struct ctf_parser *p, struct ctf_metadata *md, read_attribute read)
{
	if (!ctf_expect(p, '{', "'{'")) {
		return false;
	}
	while (!ctf_scan_accept(&p->scan, '}')) {
		struct span name;

		if (!ctf_expect_assigned(p, &name, "a name") || !read(p, md, name)) {
			return false;
		}
	}
	return ctf_expect(p, ';', "';'");
}

/* A field of a profile's struct: its place is the same in every trace. */
struct place {
	const char *name; /* NULL: CTF does not say, readers need not know it */
	size_t offset; /* bits */
	size_t size;
};

#define PLACE(name, member)                                                \
	{                                                                  \
		name, 8 * offsetof(struct packet_header, member),          \
			8 * sizeof(((struct packet_header *)NULL)->member) \
	}

static const struct place header_places[] = {
	PLACE("magic", magic),
	PLACE("uuid", uuid),
	PLACE("stream_id", stream_id),
	PLACE("stream_instance_id", stream_instance_id),
	{ 0 },
};

static const struct place context_places[] = {
	PLACE("timestamp_begin", timestamp_begin),
	PLACE("timestamp_end", timestamp_end),
	PLACE("content_size", content_size),
	PLACE("packet_size", packet_size),
	PLACE("packet_seq_num", sequence),
	PLACE("events_discarded", events_discarded),
	PLACE("cpu_id", cpu_id),
	PLACE("tid", tid),
	{ 0 },
};

/* Whether the struct has the fields of the profile, and nothing else, at their places. */
static bool check_places(
	struct ctf_parser *p, const struct ctf_struct *s, const struct place *place, size_t at)
{
	for (size_t i = 0; i < s->fields.count; i++, place++) {
		const struct ctf_field *f = &s->fields.items[i];
		size_t size = f->type.size * (f->elements <= 64 ? f->elements : 0);

		at = (at + f->type.align - 1) / f->type.align * f->type.align;
		p->scan.token_line = f->line;
		if (!place->name || strcmp(f->name, place->name) != 0 || at != place->offset ||
			size != place->size || f->length_field) {
			return ctf_fail(p,
				"the field '%.80s' is not where Waymark's packets have it: "
				"a trace of another tracer",
				f->name);
		}
		at += size;
	}
	return !place->name || ctf_fail(p, "the packet's field '%s' is missing", place->name);
}

/* `struct { ... };` */
static bool read_places(struct ctf_parser *p, const struct place *places)
{
	struct ctf_struct s;
	bool ok = ctf_read_struct(p, &s) && check_places(p, &s, places, places[0].offset) &&
		  ctf_expect(p, ';', "';'");

	vec_fini(&s.fields);
	return ok;
}

/* 32 hex digits with dashes anywhere. */
static bool read_uuid(struct ctf_parser *p, uint8_t uuid[16])
{
	if (!ctf_expect(p, CTF_TOKEN_STRING, "the trace's uuid in quotes")) {
		return false;
	}
	const struct span text = p->scan.text;
	unsigned int digits = 0;

	for (size_t i = 0; i < text.len && digits <= 32; i++) {
		const char *hex = "0123456789abcdef0123456789ABCDEF";
		const char *digit = text.text[i] ? strchr(hex, text.text[i]) : NULL;

		if (digit && digits < 32) {
			uint8_t value = (uint8_t)((digit - hex) % 16);

			uuid[digits / 2] = (uint8_t)(uuid[digits / 2] << 4 | value);
		}
		digits += digit ? 1 : text.text[i] == '-' ? 0 : 64;
	}
	return digits == 32 ? ctf_expect(p, ';', "';'") : ctf_fail(p, "this is no uuid");
}

static bool read_byte_order(struct ctf_parser *p, struct ctf_metadata *md)
{
	if (!ctf_expect(p, CTF_TOKEN_WORD, "the byte order")) {
		return false;
	}
	md->is_big_endian = span_equals(p->scan.text, "be");
	if (!md->is_big_endian && !span_equals(p->scan.text, "le")) {
		return ctf_fail(p, "the byte order is 'le' or 'be'");
	}
	return ctf_expect(p, ';', "';'");
}

static bool read_trace_attribute(struct ctf_parser *p, struct ctf_metadata *md, struct span name)
{
	if (span_equals(name, "uuid")) {
		return read_uuid(p, md->uuid);
	}
	if (span_equals(name, "byte_order")) {
		return read_byte_order(p, md);
	}
	return span_equals(name, "packet.header") ? read_places(p, header_places)
						  : ctf_skip_value(p);
}

bool ctf_read_trace(struct ctf_parser *p, struct ctf_metadata *md)
{
	md->has_trace = read_block(p, md, read_trace_attribute);
	return md->has_trace;
}

/* A number, which may stand in quotes. */
static uint64_t env_number(struct ctf_parser *p)
{
	if (p->scan.token == CTF_TOKEN_STRING) {
		return strtoull(ctf_scan_string(p->arena, p->scan.text), NULL, 0);
	}
	return p->scan.number;
}

static bool set_clock_reading(struct ctf_parser *p, struct ctf_metadata *md, struct span name)
{
	static const char *const forms[] = { CTF_ENV_TICKS, CTF_ENV_MONOTONIC, CTF_ENV_REALTIME };
	static const char *const whens[] = { "begin", "end" };
	struct buffer_clock *readings[] = { &md->begin, &md->end };
	char wanted[64];

	for (size_t i = 0; i < ARRAY_SIZE(whens) * ARRAY_SIZE(forms); i++) {
		struct buffer_clock *c = readings[i % 2];
		uint64_t *const members[] = { &c->ticks, &c->monotonic_ns, &c->realtime_ns };

		snprintf(wanted, sizeof(wanted), forms[i / 2], whens[i % 2]);
		if (span_equals(name, wanted)) {
			*members[i / 2] = env_number(p);
			return true;
		}
	}
	return false;
}

static bool read_env_attribute(struct ctf_parser *p, struct ctf_metadata *md, struct span name)
{
	const struct {
		const char *name;
		const char **text;
	} texts[] = {
		{ "hostname", &md->hostname },
		{ "procname", &md->procname },
		{ CTF_ENV_BOOT_ID, &md->boot_id },
		{ CTF_ENV_CONTINUES, &md->continues },
	};

	ctf_scan_next(&p->scan);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (span_equals(name, texts[i].name)) {
			*texts[i].text = ctf_scan_string(p->arena, p->scan.text);
		}
	}
	if (span_equals(name, "vpid")) {
		md->pid = (uint32_t)env_number(p);
		md->has_pid = true;
	}
	if (span_equals(name, CTF_ENV_ENDED)) {
		md->ended = (uint32_t)env_number(p);
	}
	if (span_equals(name, CTF_ENV_OVERWRITES)) {
		md->overwrites = env_number(p) == 1;
	}
	set_clock_reading(p, md, name);
	return ctf_expect(p, ';', "';'");
}

bool ctf_read_env(struct ctf_parser *p, struct ctf_metadata *md)
{
	return read_block(p, md, read_env_attribute);
}

static bool read_clock_attribute(struct ctf_parser *p, struct ctf_metadata *md, struct span name)
{
	struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {
		{ "freq", &md->clock.freq },
		{ "offset_s", &md->clock.offset_s },
		{ "offset", &md->clock.offset },
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (span_equals(name, numbers[i].name)) {
			bool ok = ctf_expect(p, CTF_TOKEN_NUMBER, "a number");

			*numbers[i].value = p->scan.number;
			return ok && ctf_expect(p, ';', "';'");
		}
	}
	return ctf_skip_value(p);
}

static bool check_clock(struct ctf_parser *p, const struct ctf_clock *c)
{
	if (c->freq == 0 || c->freq > CTF_CLOCK_FREQ_MAX) {
		return ctf_fail(p, "a clock of %" PRIu64 " Hz", c->freq);
	}
	if (c->offset >= c->freq) {
		return ctf_fail(p,
			"a clock's offset of %" PRIu64 " ticks, where a second has %" PRIu64,
			c->offset, c->freq);
	}
	return true;
}

/* A clock that is cut, or bad, is none: what was there before stays. */
bool ctf_read_clock(struct ctf_parser *p, struct ctf_metadata *md)
{
	struct ctf_clock before = md->clock;

	if (!read_block(p, md, read_clock_attribute) || !check_clock(p, &md->clock)) {
		md->clock = before;
		return false;
	}
	md->has_clock = true;
	return true;
}

/* `struct { id, timestamp } align(64);`: one word of 64 bits, in either order. */
static bool read_event_header(struct ctf_parser *p, struct ctf_metadata *md)
{
	struct ctf_struct s;
	bool ok = ctf_read_struct(p, &s) && ctf_expect(p, ';', "';'");
	const struct ctf_field *f = s.fields.items;

	if (ok && s.fields.count == 2) {
		size_t time = strcmp(f[0].name, "timestamp") != 0;
		const struct ctf_field *id = &f[!time];

		ok = strcmp(f[time].name, "timestamp") == 0 && strcmp(id->name, "id") == 0 &&
		     f[time].type.size == PACKET_CLOCK_BITS && id->type.size == PACKET_ID_BITS &&
		     f[0].elements == 1 && f[1].elements == 1;
		/* The first field has the lowest bits where the lowest byte comes first. */
		md->time_shift = (time == 0) != md->is_big_endian ? 0 : PACKET_ID_BITS;
		md->id_shift = md->time_shift ? 0 : PACKET_CLOCK_BITS;
	} else {
		ok = false;
	}
	vec_fini(&s.fields);
	return ok || ctf_fail(p, "events begin with something else than id and timestamp in one "
				 "word: a trace of another tracer");
}

static bool read_stream_attribute(struct ctf_parser *p, struct ctf_metadata *md, struct span name)
{
	if (span_equals(name, "packet.context")) {
		return read_places(p, context_places);
	}
	if (span_equals(name, "event.header")) {
		md->has_stream = true;
		return read_event_header(p, md);
	}
	if (span_equals(name, "event.context") || span_equals(name, "stream.event.context")) {
		return ctf_fail(p, "events with contexts: a trace of another tracer");
	}
	return ctf_skip_value(p);
}

bool ctf_read_stream(struct ctf_parser *p, struct ctf_metadata *md)
{
	bool ok = read_block(p, md, read_stream_attribute);

	md->has_stream = md->has_stream && ok;
	return ok;
}
