/* SPDX-License-Identifier: MIT */
/*
 * The reader of simpletrace files: QEMU's binary log and Waymark's own, in either byte order;
 * format/simple.h has the layout. A record's length must agree with its event's declaration, but
 * always leads to the next one, so a bad record costs one. Most are plain, and are read without a
 * call or a second look. Each version's next() is compiled for each byte order; reader.c calls it.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "format/debug.h"
#include "format/simple.h"
#include "read/bytes.h"
#include "read/layout.h"
#include "read/reader.h"

/* No tracer writes longer records; a damaged length must not cost gigabytes, or a long wait. */
#define RECORD_MAX ((uint32_t)16 << 20)
#define NAME_MAX_LENGTH ((uint32_t)4096)

#define TYPE_SIZE sizeof(uint64_t)
#define HEAD_SIZE sizeof(struct simple_record)
#define V0_SIZE sizeof(struct simple_v0_record)
#define V0_ARGS ARRAY_SIZE(((struct simple_v0_record *)NULL)->args)

struct simple_reader {
	struct reader base;
	struct input input;
	uint64_t last_ns; /* for version 0, whose gaps have no time */
};

/* ---- Arguments ---- */

/* Decodes the values of an event that has only numbers. */
static const struct value *decode_numbers(struct reader *base, const struct record *rec)
{
	bool swap = base->swap;
	const unsigned char *p = rec->payload;
	const unsigned char *end = p + rec->payload_size;

	for (struct value *value = base->values; p < end; value++, p += sizeof(uint64_t)) {
		value->kind = VALUE_NUMBER;
		value->number = load64(p, swap);
	}
	return base->values;
}

/* Decodes a string with its length word; returns its size, or 0 if it exceeds `left`. */
static inline size_t decode_string(
	struct value *value, const unsigned char *p, size_t left, bool swap)
{
	if (left < sizeof(uint32_t)) {
		return 0;
	}
	value->kind = VALUE_STRING;
	value->is_cut = false;
	value->length = load32(p, swap);
	value->text = (const char *)p + sizeof(uint32_t);
	return value->length <= left - sizeof(uint32_t) ? sizeof(uint32_t) + value->length : 0;
}

/* Decodes a debug value, whose first byte is its kind; false if the rest does not fit the kind. */
static bool set_debug(struct value *value, bool swap)
{
	const unsigned char *p = (const unsigned char *)value->text;

	if (value->length == 0 || p[0] >= DEBUG_KINDS) {
		return false;
	}
	size_t bytes = debug_shapes[p[0]].bytes;

	value->debug = p[0];
	value->length--;
	value->text++;
	if (bytes == 0) {
		return true;
	}
	if (bytes == DEBUG_POINTER_BYTES) { /* the traced host's, from the length */
		bytes = value->length == sizeof(uint32_t) ? sizeof(uint32_t) : sizeof(uint64_t);
	}
	if (value->length != bytes) {
		return false;
	}
	layout_set_debug(value, p[0], p + 1, bytes, swap);
	return true;
}

/* Decodes a value that is stored as a string but is no C string. Returns like decode_string(). */
static COLD size_t decode_odd(
	struct value *value, const struct type *t, const unsigned char *p, size_t left, bool swap)
{
	size_t taken = decode_string(value, p, left, swap);
	bool fits = true;

	if (taken && t->class == TYPE_DEBUG) {
		fits = set_debug(value, swap);
	} else if (taken && type_is_pair(t)) {
		fits = value->length == 2 * sizeof(uint64_t);
		layout_set_pair(value, (const unsigned char *)value->text, swap);
	}
	return fits ? taken : 0;
}

/* Decodes arguments with strings among them; false if they do not fill the record exactly. */
static bool decode_mixed(struct simple_reader *r, struct record *rec)
{
	const struct event *event = rec->class->event;
	const unsigned char *p = rec->payload;
	const unsigned char *end = p + rec->payload_size;
	struct value *value = r->base.values;

	rec->values = value;
	for (size_t i = 0; i < event->arg_count; i++, value++) {
		size_t left = (size_t)(end - p);
		size_t taken = sizeof(uint64_t);
		const struct type *t = &event->args[i].type;

		if (t->class == TYPE_STRING) {
			taken = decode_string(value, p, left, r->base.swap);
		} else if (UNLIKELY(!type_is_number(t))) {
			taken = decode_odd(value, t, p, left, r->base.swap);
		} else if (left >= taken) {
			value->kind = VALUE_NUMBER;
			value->number = load64(p, r->base.swap);
		}
		if (taken == 0 || taken > left) {
			return false;
		}
		p += taken;
	}
	return p == end;
}

/* Decodes version 0: six numbers, whatever is declared. Strings were recorded as addresses. */
static const struct value *decode_v0(struct reader *base, const struct record *rec)
{
	size_t count = rec->class->event->arg_count;

	for (size_t i = 0; i < count; i++) {
		base->values[i] = (struct value){ .kind = VALUE_ABSENT };
		if (i < V0_ARGS) {
			base->values[i].kind = VALUE_NUMBER;
			base->values[i].number = load64(rec->payload + 8 * i, base->swap);
		}
	}
	return base->values;
}

/* ---- Errors ---- */

/* Reports that the input ended or failed, before or inside the next item of `wanted` bytes. */
static COLD enum read_result end_of_input(struct simple_reader *r, const char *what, size_t wanted)
{
	const struct input *in = &r->input;
	uint64_t begin = input_offset(in);
	uint64_t stop = begin + input_left(in);

	if (in->error) {
		read_error_set(&r->base.error, "cannot read on at byte %" PRIu64 ": %s", stop,
			strerror(in->error));
		return READ_DAMAGED;
	}
	if (stop == begin) {
		return READ_END;
	}
	read_error_set(&r->base.error,
		"truncated: the trace ends at byte %" PRIu64 ", at least %" PRIu64
		" bytes short of the end of the %s that begins at byte %" PRIu64,
		stop, begin + wanted - stop, what, begin);
	return READ_DAMAGED;
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

/* ---- Classes ---- */

/* Adds the class of that name, with the record size from its declaration. */
static struct event_class *add_class(
	struct simple_reader *r, uint64_t id, const char *name, size_t length)
{
	struct event_class *class = reader_add_class(&r->base, id, name, length);
	bool has_numbers = class->event != NULL;

	for (size_t i = 0; has_numbers && i < class->event->arg_count; i++) {
		has_numbers = type_is_number(&class->event->args[i].type);
	}
	if (class->event) {
		class->payload_size =
			has_numbers ? class->event->arg_count * sizeof(uint64_t) : PAYLOAD_VARIES;
	}
	return class;
}

/* Returns the class of an event with only a number, as there are no declarations. */
static COLD struct event_class *anonymous_class(struct simple_reader *r, uint64_t id)
{
	char name[32];
	int length = snprintf(name, sizeof(name), "id:%" PRIu64, id);

	return add_class(r, id, name, (size_t)length);
}

static inline struct event_class *find_class(struct simple_reader *r, uint64_t id)
{
	struct event_class *class = classes_get(&r->base.classes, id);

	if (LIKELY(class) || r->base.version >= 4 || r->base.declarations) {
		return class;
	}
	return anonymous_class(r, id);
}

/* ---- Records ---- */

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
	rec->from_ns = rec->ns - (r->base.version > 0); /* without threads, nothing shows more */
	return READ_RECORD;
}

/* Fills a record from the one of `length` bytes, whole in the window at `skip`. */
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
 * Reads the record `skip` bytes after the position if it is a plain one: whole in the window, of a
 * known class with one size. Returns false to leave it to read_record().
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

/* Reads the record `skip` bytes after the input's position. */
static NOINLINE enum read_result read_record(
	struct simple_reader *r, struct record *rec, size_t skip, bool swap)
{
	struct input *in = &r->input;

	if (UNLIKELY(!input_has(in, skip + HEAD_SIZE))) {
		return end_of_input(r, "record", skip + HEAD_SIZE);
	}
	const unsigned char *p = in->pos + skip;
	uint64_t id = load64(p, swap);
	uint32_t length = load32(p + offsetof(struct simple_record, length), swap);

	if (UNLIKELY(length < HEAD_SIZE || length > RECORD_MAX)) {
		return damaged(r, "the impossible length", length);
	}
	if (UNLIKELY(!input_has(in, skip + length))) {
		return end_of_input(r, "record", skip + length);
	}
	take_record(r, rec, skip, length, swap);
	if (UNLIKELY(id == SIMPLE_DROPPED_ID)) {
		return read_gap(r, rec);
	}
	rec->class = find_class(r, id);
	if (UNLIKELY(!rec->class)) {
		return unknown_id(r, id, rec->offset);
	}
	bool fits = rec->class->payload_size == rec->payload_size;

	if (UNLIKELY(rec->class->payload_size == PAYLOAD_VARIES)) {
		fits = !rec->class->event || decode_mixed(r, rec);
	}
	return LIKELY(fits) ? READ_RECORD : contradiction(r, rec);
}

/* Reads a name for a number: { type, u64 id, u32 length, name }. */
static COLD enum read_result read_mapping(struct simple_reader *r)
{
	const size_t head = TYPE_SIZE + sizeof(uint64_t) + sizeof(uint32_t);
	struct input *in = &r->input;

	if (!input_has(in, head)) {
		return end_of_input(r, "name of an event", head);
	}
	uint64_t id = load64(in->pos + TYPE_SIZE, r->base.swap);
	uint32_t length = load32(in->pos + TYPE_SIZE + sizeof(uint64_t), r->base.swap);

	/* No event's name has length 0, but a tail of zeros after a crash looks like it. */
	if (length == 0 || length > NAME_MAX_LENGTH) {
		return damaged(r, "an event name of the impossible length", length);
	}
	if (!input_has(in, head + length)) {
		return end_of_input(r, "name of an event", head + length);
	}
	add_class(r, id, (const char *)in->pos + head, length);
	in->pos += head + length;
	return READ_RECORD;
}

/* Reads version 4: names and events, each after a type word. */
static NOINLINE enum read_result next_typed(struct reader *base, struct record *rec, bool swap)
{
	struct simple_reader *r = (struct simple_reader *)base;
	struct input *in = &r->input;
	enum read_result result = READ_RECORD;

	while (result == READ_RECORD) {
		if (UNLIKELY(!input_has(in, TYPE_SIZE))) {
			return end_of_input(r, "record", TYPE_SIZE);
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

static inline enum read_result next_of_v4(struct reader *base, struct record *rec, bool swap)
{
	struct simple_reader *r = (struct simple_reader *)base;
	const struct input *in = &r->input;

	if (LIKELY(input_left(in) >= TYPE_SIZE) && load64(in->pos, swap) == SIMPLE_EVENT &&
		read_plain_record(r, rec, TYPE_SIZE, swap)) {
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
	struct simple_reader *r = (struct simple_reader *)base;

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

/* Reads version 0: eight words a record. A gap has no time, and gets the last event's. */
static enum read_result next_v0(struct reader *base, struct record *rec)
{
	struct simple_reader *r = (struct simple_reader *)base;
	struct input *in = &r->input;

	if (!input_has(in, V0_SIZE)) {
		return end_of_input(r, "record", V0_SIZE);
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

/* ---- Versions ---- */

static const struct simple_version {
	size_t header_size;
	bool has_pid;
	enum value_form form; /* form in this host's byte order */
	enum read_result (*next)(struct reader *r, struct record *rec);
	enum read_result (*next_swapped)(struct reader *r, struct record *rec);
	const struct value *(*decode)(struct reader *r, const struct record *rec);
} versions[] = {
	[0] = { V0_SIZE, false, VALUES_ANY, next_v0, next_v0, decode_v0 },
	[2] = { sizeof(struct simple_header), false, VALUES_WORDS, next_v2, next_v2_swapped,
		decode_numbers },
	[3] = { sizeof(struct simple_header), true, VALUES_WORDS, next_v2, next_v2_swapped,
		decode_numbers },
	[4] = { sizeof(struct simple_header), true, VALUES_WORDS, next_v4, next_v4_swapped,
		decode_numbers },
};

/* ---- Opening and closing ---- */

static bool simple_detect(struct input *in)
{
	if (!input_has(in, offsetof(struct simple_header, version))) {
		return false;
	}
	uint64_t magic = load64(in->pos + offsetof(struct simple_header, magic), false);

	return load64(in->pos, false) == SIMPLE_HEADER_ID &&
	       (magic == SIMPLE_MAGIC || __builtin_bswap64(magic) == SIMPLE_MAGIC);
}

/* Reads the header: byte order and version. */
static bool read_header(struct simple_reader *r, struct read_error *error)
{
	struct input *in = &r->input;
	const struct simple_version *v = NULL;

	if (input_has(in, sizeof(struct simple_header))) {
		uint64_t magic = load64(in->pos + offsetof(struct simple_header, magic), false);

		r->base.swap = magic != SIMPLE_MAGIC;
		uint64_t version =
			load64(in->pos + offsetof(struct simple_header, version), r->base.swap);

		if (version >= ARRAY_SIZE(versions) || !versions[version].next) {
			read_error_set(error,
				"version %" PRIu64 " of the simpletrace format is not known here",
				version);
			return false;
		}
		r->base.version = (unsigned int)version;
		v = &versions[version];
	}
	if (!v || !input_has(in, v->header_size)) {
		read_error_set(error, "truncated: the trace ends inside its header, at byte %zu",
			input_left(in));
		return false;
	}
	in->pos += v->header_size;
	return true;
}

/*
 * Guesses the version of a file without a header: only its first record shows whether records have
 * type words (as QEMU's reader expects) or not (as SystemTap scripts print them).
 */
static void guess_version(struct simple_reader *r)
{
	struct input *in = &r->input;
	const struct model *declarations = r->base.declarations;
	uint64_t known = declarations ? declarations->events.count : 0;

	r->base.version = 3;
	if (input_has(in, 2 * sizeof(uint64_t))) {
		uint64_t type = load64(in->pos, false);
		uint64_t id = load64(in->pos + sizeof(uint64_t), false);
		bool typed = type == SIMPLE_EVENT && (id < known || id == SIMPLE_DROPPED_ID);

		r->base.version = typed || type == SIMPLE_MAPPING ? 4 : 3;
	}
}

static struct reader *simple_open(
	struct input *in, const struct reader_options *options, struct read_error *error)
{
	struct simple_reader *r = xcalloc(1, sizeof(*r));

	reader_init(&r->base, &reader_simple, options);
	r->input = *in;
	if (options->no_header) {
		guess_version(r);
	} else if (!read_header(r, error)) {
		*in = r->input;
		reader_fini(&r->base);
		free(r);
		return NULL;
	}
	const struct simple_version *version = &versions[r->base.version];

	r->base.next = r->base.swap ? version->next_swapped : version->next;
	r->base.decode = version->decode;
	r->base.has_pid = version->has_pid;
	r->base.form = r->base.swap && version->form == VALUES_WORDS ? VALUES_TYPED : version->form;
	/* Up to version 3, and without a header, a number is an index into the declarations. */
	const struct model *declarations = options->declarations;
	bool has_positions = declarations && (r->base.version < 4 || options->no_header);

	for (size_t i = 0; has_positions && i < declarations->events.count; i++) {
		const char *name = declarations->events.items[i]->name;

		add_class(r, i, name, strlen(name));
	}
	return &r->base;
}

static void simple_close_files(struct reader *base)
{
	input_fini(&((struct simple_reader *)base)->input);
}

static void simple_close(struct reader *base)
{
	reader_fini(base);
	free(base);
}

static double simple_progress(const struct reader *base)
{
	return input_progress(&((const struct simple_reader *)base)->input);
}

const struct reader_format reader_simple = {
	.name = "simpletrace",
	.detect = simple_detect,
	.open = simple_open,
	.close_files = simple_close_files,
	.close = simple_close,
	.progress = simple_progress,
};
