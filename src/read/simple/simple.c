/* SPDX-License-Identifier: MIT */
/*
 * simpletrace files, record by record; format/simple.h has the layout. The
 * length of a record is believed only as far as its event's declaration agrees,
 * and steps over the record either way, so one bad record costs one record.
 * Most records are plain, and read without a call or a second look. A version's
 * next() exists once for each byte order, so that there the order costs nothing.
 */
#include "read/simple/simple.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/simple.h"
#include "read/bytes.h"

/* No tracer writes more; a damaged length must not make us wait for, or hold, gigabytes. */
#define RECORD_MAX ((uint32_t)16 << 20)
#define NAME_MAX_LENGTH ((uint32_t)4096)

#define TYPE_SIZE sizeof(uint64_t)
#define HEAD_SIZE sizeof(struct simple_record)
#define V0_SIZE sizeof(struct simple_v0_record)
#define V0_ARGS ARRAY_SIZE(((struct simple_v0_record *)NULL)->args)

static struct simple_reader *simple(struct reader *r)
{
	return (struct simple_reader *)r;
}

/* The input ended, or failed, inside what begins here and should have `wanted` bytes. */
static COLD enum read_result truncated(struct simple_reader *r, const char *what, size_t wanted)
{
	const struct input *in = &r->input;
	uint64_t begin = input_offset(in);
	uint64_t stop = begin + input_left(in);

	if (in->error) {
		read_error_set(&r->base.error, "cannot read on at byte %" PRIu64 ": %s", stop,
			strerror(in->error));
	} else {
		read_error_set(&r->base.error,
			"truncated: the trace ends at byte %" PRIu64 ", at least %" PRIu64
			" bytes short of the end of the %s that begins at byte %" PRIu64,
			stop, begin + wanted - stop, what, begin);
	}
	return READ_DAMAGED;
}

/* The input has no further record: a clean end, or the rest is too short for one. */
static enum read_result end_of_input(struct simple_reader *r, size_t wanted)
{
	if (input_left(&r->input) == 0 && !r->input.error) {
		return READ_END;
	}
	return truncated(r, "record", wanted);
}

static COLD enum read_result damaged(struct simple_reader *r, const char *what, uint64_t value)
{
	read_error_set(&r->base.error,
		"damaged: the record that begins at byte %" PRIu64 " has %s %" PRIu64,
		input_offset(&r->input), what, value);
	return READ_DAMAGED;
}

static COLD enum read_result unknown_id(struct simple_reader *r, uint64_t id, uint64_t offset)
{
	read_error_set(&r->base.error,
		"the record at byte %" PRIu64 " is of event number %" PRIu64
		", which neither the trace nor a declaration names",
		offset, id);
	return READ_PROBLEM;
}

static COLD enum read_result contradiction(struct simple_reader *r, const struct record *rec)
{
	char wanted[48] = "strings and numbers of another size";

	if (rec->class->payload_size != PAYLOAD_VARIES) {
		snprintf(wanted, sizeof(wanted), "%zu bytes", rec->class->payload_size);
	}
	read_error_set(&r->base.error,
		"event '%.200s' at byte %" PRIu64
		": the record holds %zu bytes of arguments, its declaration asks for %s",
		rec->class->name, rec->offset, rec->payload_size, wanted);
	r->base.error.is_mismatch = true;
	return READ_PROBLEM;
}

static size_t declared_size(const struct event *event)
{
	for (size_t i = 0; i < event->arg_count; i++) {
		if (!type_is_number(&event->args[i].type)) {
			return PAYLOAD_VARIES;
		}
	}
	return event->arg_count * sizeof(uint64_t);
}

struct event_class *simple_add_class(
	struct simple_reader *r, uint64_t id, const char *name, size_t length)
{
	struct event_class *class = reader_add_class(&r->base, id, name, length);

	if (class->event) {
		class->payload_size = declared_size(class->event);
	}
	return class;
}

/* An event of which only the number is known, because there are no declarations at all. */
static COLD struct event_class *anonymous_class(struct simple_reader *r, uint64_t id)
{
	char name[32];
	int length = snprintf(name, sizeof(name), "id:%" PRIu64, id);

	return simple_add_class(r, id, name, (size_t)length);
}

static inline struct event_class *find_class(struct simple_reader *r, uint64_t id)
{
	struct event_class *class = classes_get(&r->base.classes, id);

	if (LIKELY(class) || r->base.version >= 4 || r->base.declarations) {
		return class;
	}
	return anonymous_class(r, id);
}

/* Whether the record's size agrees with its declaration; nothing is known without one. */
static inline bool payload_fits(struct simple_reader *r, struct record *rec)
{
	const struct event_class *class = rec->class;

	if (LIKELY(class->payload_size != PAYLOAD_VARIES)) {
		return class->payload_size == rec->payload_size;
	}
	return !class->event || simple_decode_mixed(r, rec);
}

static COLD enum read_result read_gap(struct simple_reader *r, struct record *rec)
{
	if (rec->payload_size < sizeof(uint64_t)) {
		read_error_set(&r->base.error,
			"the gap at byte %" PRIu64 " does not say how many events it lost",
			rec->offset);
		return READ_PROBLEM;
	}
	rec->kind = RECORD_GAP;
	rec->class = NULL;
	rec->gap = (struct losses){ .lost = load64(rec->payload, r->base.swap) };
	return READ_RECORD;
}

/* Takes the record of `length` bytes that lies whole `skip` bytes behind the position. */
static inline void take_record(
	struct simple_reader *r, struct record *rec, size_t skip, size_t length, bool swap)
{
	struct input *in = &r->input;
	const unsigned char *p = in->pos + skip;

	rec->kind = RECORD_EVENT;
	rec->offset = input_offset(in);
	rec->ns = load64(p + offsetof(struct simple_record, ns), swap);
	rec->pid = r->base.has_pid ? load32(p + offsetof(struct simple_record, pid), swap) : 0;
	rec->tid = 0;
	rec->trace = 0;
	rec->values = NULL;
	rec->payload = p + HEAD_SIZE;
	rec->payload_size = length - HEAD_SIZE;
	in->pos = p + length;
}

/*
 * Reads the record that begins `skip` bytes behind the position, if it is what
 * most are: whole in the window, of a known class, of that class's only size.
 * Takes nothing otherwise: read_record() looks closer.
 */
static inline bool read_plain_record(
	struct simple_reader *r, struct record *rec, size_t skip, bool swap)
{
	const unsigned char *p = r->input.pos + skip;
	size_t left = input_left(&r->input);

	if (UNLIKELY(left < skip + HEAD_SIZE)) {
		return false;
	}
	uint64_t id = load64(p, swap);
	size_t length = load32(p + offsetof(struct simple_record, length), swap);

	if (UNLIKELY(id >= r->base.classes.by_id.count || length < HEAD_SIZE ||
		     length > left - skip)) {
		return false;
	}
	const struct event_class *class = r->base.classes.by_id.items[id];

	if (UNLIKELY(!class || class->payload_size + HEAD_SIZE != length)) {
		return false;
	}
	take_record(r, rec, skip, length, swap);
	rec->class = class;
	return true;
}

/* Reads the record that begins `skip` bytes behind the input's position. */
static NOINLINE enum read_result read_record(
	struct simple_reader *r, struct record *rec, size_t skip, bool swap)
{
	struct input *in = &r->input;

	if (UNLIKELY(!input_has(in, skip + HEAD_SIZE))) {
		return end_of_input(r, skip + HEAD_SIZE);
	}
	const unsigned char *p = in->pos + skip;
	uint64_t id = load64(p, swap);
	uint32_t length = load32(p + offsetof(struct simple_record, length), swap);

	if (UNLIKELY(length < HEAD_SIZE || length > RECORD_MAX)) {
		return damaged(r, "the impossible length", length);
	}
	if (UNLIKELY(!input_has(in, skip + length))) {
		return truncated(r, "record", skip + length);
	}
	take_record(r, rec, skip, length, swap);
	if (UNLIKELY(id == SIMPLE_DROPPED_ID)) {
		return read_gap(r, rec);
	}
	rec->class = find_class(r, id);
	if (UNLIKELY(!rec->class)) {
		return unknown_id(r, id, rec->offset);
	}
	return LIKELY(payload_fits(r, rec)) ? READ_RECORD : contradiction(r, rec);
}

/* A name for a number: { type, u64 id, u32 length, name }. */
static COLD enum read_result read_mapping(struct simple_reader *r)
{
	const size_t head = TYPE_SIZE + sizeof(uint64_t) + sizeof(uint32_t);
	struct input *in = &r->input;

	if (!input_has(in, head)) {
		return truncated(r, "name of an event", head);
	}
	uint64_t id = load64(in->pos + TYPE_SIZE, r->base.swap);
	uint32_t length = load32(in->pos + TYPE_SIZE + sizeof(uint64_t), r->base.swap);

	/* 0: no event has such a name; a tail of zeros, as a crash leaves it, looks like that. */
	if (length == 0 || length > NAME_MAX_LENGTH) {
		return damaged(r, "an event name of the impossible length", length);
	}
	if (!input_has(in, head + length)) {
		return truncated(r, "name of an event", head + length);
	}
	simple_add_class(r, id, (const char *)in->pos + head, length);
	in->pos += head + length;
	return READ_RECORD;
}

/* Version 4: names and events, each behind a type word. */
static NOINLINE enum read_result next_typed(struct reader *base, struct record *rec, bool swap)
{
	struct simple_reader *r = simple(base);
	struct input *in = &r->input;
	enum read_result result = READ_RECORD;

	while (result == READ_RECORD) {
		if (UNLIKELY(!input_has(in, TYPE_SIZE))) {
			return end_of_input(r, TYPE_SIZE);
		}
		uint64_t type = load64(in->pos, swap);

		if (LIKELY(type == SIMPLE_EVENT)) {
			return read_record(r, rec, TYPE_SIZE, swap);
		}
		result = type == SIMPLE_MAPPING ? read_mapping(r)
						: damaged(r, "the unknown type", type);
	}
	return result;
}

static inline bool next_is_event(const struct input *in, bool swap)
{
	return LIKELY(input_left(in) >= TYPE_SIZE) && load64(in->pos, swap) == SIMPLE_EVENT;
}

static inline enum read_result next_of_v4(struct reader *base, struct record *rec, bool swap)
{
	struct simple_reader *r = simple(base);

	if (next_is_event(&r->input, swap) && read_plain_record(r, rec, TYPE_SIZE, swap)) {
		return READ_RECORD;
	}
	return next_typed(base, rec, swap);
}

static enum read_result next_v4(struct reader *base, struct record *rec)
{
	return next_of_v4(base, rec, false);
}

static enum read_result next_v4_swapped(struct reader *base, struct record *rec)
{
	return next_of_v4(base, rec, true);
}

static inline enum read_result next_of_v2(struct reader *base, struct record *rec, bool swap)
{
	struct simple_reader *r = simple(base);

	return read_plain_record(r, rec, 0, swap) ? READ_RECORD : read_record(r, rec, 0, swap);
}

static enum read_result next_v2(struct reader *base, struct record *rec)
{
	return next_of_v2(base, rec, false);
}

static enum read_result next_v2_swapped(struct reader *base, struct record *rec)
{
	return next_of_v2(base, rec, true);
}

/* Version 0: eight words a record. A gap has no time: it stands where the last event did. */
static enum read_result next_v0(struct reader *base, struct record *rec)
{
	struct simple_reader *r = simple(base);
	struct input *in = &r->input;

	if (!input_has(in, V0_SIZE)) {
		return end_of_input(r, V0_SIZE);
	}
	uint64_t id = load64(in->pos, r->base.swap);

	*rec = (struct record){
		.ns = load64(in->pos + offsetof(struct simple_v0_record, ns), r->base.swap),
		.offset = input_offset(in),
		.payload = in->pos + offsetof(struct simple_v0_record, args),
		.payload_size = V0_ARGS * sizeof(uint64_t),
	};
	in->pos += V0_SIZE;
	if (id == SIMPLE_DROPPED_ID) {
		rec->ns = r->last_ns;
		return read_gap(r, rec);
	}
	r->last_ns = rec->ns;
	rec->class = find_class(r, id);
	return rec->class ? READ_RECORD : unknown_id(r, id, rec->offset);
}

static const struct simple_version versions[] = {
	[0] = { V0_SIZE, false, VALUES_ANY, next_v0, next_v0, simple_decode_v0 },
	[2] = { sizeof(struct simple_header), false, VALUES_WORDS, next_v2, next_v2_swapped,
		simple_decode_numbers },
	[3] = { sizeof(struct simple_header), true, VALUES_WORDS, next_v2, next_v2_swapped,
		simple_decode_numbers },
	[4] = { sizeof(struct simple_header), true, VALUES_WORDS, next_v4, next_v4_swapped,
		simple_decode_numbers },
};

const struct simple_version *simple_version_get(uint64_t number)
{
	bool known = number < ARRAY_SIZE(versions) && versions[number].next;

	return known ? &versions[number] : NULL;
}
