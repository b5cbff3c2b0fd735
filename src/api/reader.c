/* SPDX-License-Identifier: MIT */
/*
 * Implements waymark/reader.h with the readers and the message view. One object has a reader, its
 * declarations, and the current record. First the functions to open it and move on, then those for
 * the record, then those for an event's fields. A reader belongs to one thread.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <waymark/reader.h>

#include "api/declarations.h"
#include "base/memory.h"
#include "format/debug.h"
#include "read/merge.h"
#include "read/reader.h"
#include "read/where.h"
#include "text/out.h"
#include "view/message/message.h"

struct waymark_reader {
	struct reader *reader;
	struct where *where; /* NULL: all events are returned */
	struct declarations declarations;
	struct record record;
	int state; /* of enum waymark_read */
	int wait_ms; /* below 0: no limit */
	struct pace pace;
	const char **paths;
	struct arena arena; /* for the paths and messages */
	VEC(struct message *) messages; /* by class index; NULL until needed */
	struct out text; /* the last message */
	struct out field; /* the last debug value */
};

static void set_error(char *error, size_t size, const char *text, size_t length)
{
	snprintf(error, error ? size : 0, "%.*s", (int)length, text);
}

/* Closes the reader with an error. Returns NULL. */
static struct waymark_reader *fail(
	struct waymark_reader *r, char *error, size_t size, const char *text, size_t length)
{
	set_error(error, size, text, length);
	waymark_reader_close(r);
	return NULL;
}

/* Sets the expression. Returns false with the error if it is wrong, or fits no declared event. */
static bool set_where(struct waymark_reader *r, const char *text, char *error, size_t size)
{
	const char *misfit = NULL;
	struct expr_error why;

	r->where = where_parse(text, &why);
	if (r->where && (!reader_declares_all(r->reader) ||
				where_check(r->where, r->reader, &why, &misfit))) {
		return true;
	}
	snprintf(error, error ? size : 0, "where, byte %zu: %s%s%s%s%s", why.at,
		misfit ? misfit : "", misfit ? ": " : "", why.text, *why.help ? ": " : "",
		why.help);
	return false;
}

/* The traces to open: paths, or a descriptor if there are none. */
struct origin {
	const char *const *paths;
	size_t count;
	int fd;
};

static struct waymark_reader *open_reader(const struct origin *from,
	const struct waymark_reader_options *how, char *error, size_t size)
{
	struct waymark_reader *r = xcalloc(1, sizeof(*r));
	const char *declarations = how->declarations;
	struct reader_options options = { 0 };
	struct read_error why;

	declarations_init(&r->declarations);
	arena_init(&r->arena);
	out_init(&r->text, OUT_TO_MEMORY);
	out_init(&r->field, OUT_TO_MEMORY);
	if (declarations && !declarations_add(&r->declarations, declarations)) {
		/* Uses the first line of the first fault. */
		const struct out *faults = &r->declarations.diag.out;
		const char *end = memchr(faults->data, '\n', faults->len);

		return fail(r, error, size, faults->data, (size_t)(end - faults->data));
	}
	r->wait_ms = how->wait_ms;
	if (how->follow) {
		options.follow = how->only_new ? FOLLOW_NEW : FOLLOW_ALL;
	}
	options.declarations = declarations ? &r->declarations.model : NULL;
	r->paths = arena_array(&r->arena, const char *, from->count);
	for (size_t i = 0; i < from->count; i++) {
		r->paths[i] = arena_strdup(&r->arena, from->paths[i]);
	}
	r->reader = from->count ? merge_open(r->paths, from->count, &options, &why)
				: reader_open_fd(from->fd, &options, &why);
	if (!r->reader) {
		return fail(r, error, size, why.text, strlen(why.text));
	}
	if (how->where && !set_where(r, how->where, error, size)) {
		waymark_reader_close(r);
		return NULL;
	}
	return r;
}

struct waymark_reader *waymark_reader_open(
	const char *path, const char *declarations, char *error, size_t error_size)
{
	const struct origin from = { .paths = &path, .count = 1 };
	const struct waymark_reader_options how = { .declarations = declarations };

	return open_reader(&from, &how, error, error_size);
}

struct waymark_reader *waymark_reader_open_several(const char *const *paths, size_t count,
	const char *declarations, char *error, size_t error_size)
{
	const struct origin from = { .paths = paths, .count = count };
	const struct waymark_reader_options how = { .declarations = declarations };

	return open_reader(&from, &how, error, error_size);
}

struct waymark_reader *waymark_reader_open_fd(
	int fd, const char *declarations, char *error, size_t error_size)
{
	const struct origin from = { .fd = fd };
	const struct waymark_reader_options how = { .declarations = declarations };

	return open_reader(&from, &how, error, error_size);
}

struct waymark_reader *waymark_reader_open_with(const char *const *paths, size_t count,
	const struct waymark_reader_options *options, char *error, size_t error_size)
{
	const struct origin from = { .paths = paths, .count = count };
	static const char wrong[] = "options of another version, or no trace";
	struct waymark_reader_options all = { 0 };

	/* A program built with an older header has fewer options. */
	if (count == 0 || options->size < offsetof(struct waymark_reader_options, where) ||
		options->size > sizeof(all)) {
		set_error(error, error_size, wrong, sizeof(wrong) - 1);
		return NULL;
	}
	memcpy(&all, options, options->size);
	return open_reader(&from, &all, error, error_size);
}

void waymark_reader_stop(struct waymark_reader *r)
{
	reader_stop(r->reader);
}

void waymark_reader_close(struct waymark_reader *r)
{
	if (!r) {
		return;
	}
	reader_close(r->reader);
	where_free(r->where);
	declarations_fini(&r->declarations);
	vec_fini(&r->messages);
	arena_fini(&r->arena);
	out_fini(&r->text);
	out_fini(&r->field);
	free(r);
}

/* ---- The current record ---- */

/* True if the reader is at an event or a gap. */
static bool has_record(const struct waymark_reader *r)
{
	return r->state == WAYMARK_READ_EVENT || r->state == WAYMARK_READ_GAP;
}

static int state_of(enum read_result result, const struct record *rec)
{
	switch (result) {
	case READ_RECORD:
		return rec->kind == RECORD_EVENT ? WAYMARK_READ_EVENT : WAYMARK_READ_GAP;
	case READ_PROBLEM:
		return WAYMARK_READ_PROBLEM;
	case READ_DAMAGED:
		return WAYMARK_READ_DAMAGED;
	case READ_NOTHING:
		return WAYMARK_READ_NOTHING;
	case READ_END:
		break;
	}
	return WAYMARK_READ_END;
}

/* Waits for more records of a followed trace; returns the rest of `left_ms`. */
static int wait_a_while(struct waymark_reader *r, int left_ms)
{
	int ms = (int)pace_next(&r->pace, false);

	ms = left_ms >= 0 && left_ms < ms ? left_ms : ms;
	const struct timespec time = { 0, (long)ms * 1000000 };

	nanosleep(&time, NULL);
	return left_ms < 0 ? left_ms : left_ms - ms;
}

/* Reads the next record that is wanted. */
static enum read_result next_wanted(struct waymark_reader *r)
{
	enum read_result result;

	do {
		result = reader_next(r->reader, &r->record);
	} while (r->where && result == READ_RECORD && r->record.kind == RECORD_EVENT &&
		 !where_passes(r->where, r->reader, &r->record));
	return result;
}

int waymark_reader_next(struct waymark_reader *r)
{
	enum read_result result = next_wanted(r);

	for (int left = r->wait_ms; result == READ_NOTHING && left != 0;) {
		left = wait_a_while(r, left);
		result = next_wanted(r);
	}
	if (result == READ_RECORD) {
		r->pace.ms = 0;
	}
	r->state = state_of(result, &r->record);
	return r->state;
}

const char *waymark_reader_error(const struct waymark_reader *r)
{
	return r->state < 0 ? r->reader->error.text : "";
}

uint64_t waymark_reader_time(const struct waymark_reader *r)
{
	return has_record(r) ? r->record.ns : 0;
}

uint32_t waymark_reader_pid(const struct waymark_reader *r)
{
	return has_record(r) ? r->record.pid : 0;
}

uint32_t waymark_reader_tid(const struct waymark_reader *r)
{
	return has_record(r) ? r->record.tid : 0;
}

/* Returns the trace of the current record. */
static const struct trace_info *current_trace(const struct waymark_reader *r)
{
	return &r->reader->traces[has_record(r) ? r->record.trace : 0];
}

uint64_t waymark_reader_realtime(const struct waymark_reader *r)
{
	const struct trace_info *trace = current_trace(r);

	return has_record(r) && trace->has_realtime ? r->record.ns + trace->realtime : 0;
}

size_t waymark_reader_trace(const struct waymark_reader *r)
{
	return has_record(r) ? r->record.trace : 0;
}

const char *waymark_reader_host(const struct waymark_reader *r)
{
	return current_trace(r)->hostname;
}

const char *waymark_reader_process(const struct waymark_reader *r)
{
	return current_trace(r)->procname;
}

uint64_t waymark_reader_lost_packets(const struct waymark_reader *r)
{
	return r->state == WAYMARK_READ_GAP ? losses_packets(&r->record.gap) : 0;
}

uint64_t waymark_reader_offset(const struct waymark_reader *r)
{
	return has_record(r) ? r->record.offset : 0;
}

uint64_t waymark_reader_lost(const struct waymark_reader *r)
{
	return r->state == WAYMARK_READ_GAP ? losses_events(&r->record.gap) : 0;
}

uint64_t waymark_reader_overwritten(const struct waymark_reader *r)
{
	return r->state == WAYMARK_READ_GAP ? r->record.gap.overwritten : 0;
}

/* Returns the class of the current event; NULL if the reader is not at an event. */
static const struct event_class *current_class(const struct waymark_reader *r)
{
	return r->state == WAYMARK_READ_EVENT ? r->record.class : NULL;
}

const char *waymark_reader_name(const struct waymark_reader *r)
{
	const struct event_class *class = current_class(r);

	return class ? class->name : "";
}

size_t waymark_reader_event_index(const struct waymark_reader *r)
{
	const struct event_class *class = current_class(r);

	return class ? class->index : SIZE_MAX;
}

static const struct message *get_message(struct waymark_reader *r, const struct event_class *class)
{
	while (r->messages.count <= class->index) {
		vec_push(&r->messages, NULL);
	}
	struct message **m = &r->messages.items[class->index];

	if (!*m) {
		*m = arena_new(&r->arena, struct message);
		message_compile(*m, &r->arena, class, "", VALUES_ANY);
		(*m)->swap = r->reader->swap;
	}
	return *m;
}

/* Returns the decoded fields; NULL if the event has no declaration. */
static const struct value *get_values(struct waymark_reader *r)
{
	const struct event_class *class = current_class(r);

	if (!class || !class->event) {
		return NULL;
	}
	r->record.values = reader_values(r->reader, &r->record);
	return r->record.values;
}

const char *waymark_reader_message(struct waymark_reader *r, size_t *length)
{
	const struct event_class *class = current_class(r);

	r->text.len = 0;
	if (class) {
		const struct value *values = get_values(r);
		const struct message *m = get_message(r, class);
		char *begin = out_reserve(&r->text, message_room(m, &r->record, values));
		char *end = message_render(begin, m, &r->record, values);

		out_advance(&r->text, (size_t)(end - begin));
	}
	out_char(&r->text, '\0');
	if (length) {
		*length = r->text.len - 1;
	}
	return r->text.data;
}

/* ---- Fields ---- */

size_t waymark_reader_field_count(const struct waymark_reader *r)
{
	const struct event_class *class = current_class(r);

	return class && class->event ? class->event->arg_count : 0;
}

/* Returns the declaration of a field, or NULL. */
static const struct arg *get_arg(const struct waymark_reader *r, size_t field)
{
	bool exists = field < waymark_reader_field_count(r);

	return exists ? &r->record.class->event->args[field] : NULL;
}

int waymark_reader_field_find(const struct waymark_reader *r, const char *name)
{
	size_t count = waymark_reader_field_count(r);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(get_arg(r, i)->name, name) == 0) {
			return (int)i;
		}
	}
	return -1;
}

const char *waymark_reader_field_name(const struct waymark_reader *r, size_t field)
{
	const struct arg *arg = get_arg(r, field);

	return arg ? arg->name : NULL;
}

const char *waymark_reader_field_type(const struct waymark_reader *r, size_t field)
{
	const struct arg *arg = get_arg(r, field);

	return arg ? arg->type.text : NULL;
}

static int kind_of(const struct type *t)
{
	switch (t->class) {
	case TYPE_STRING:
	case TYPE_TEXT:
		return WAYMARK_FIELD_STRING;
	case TYPE_POINTER:
		return WAYMARK_FIELD_POINTER;
	case TYPE_FLOAT:
		return WAYMARK_FIELD_FLOAT;
	case TYPE_BYTES:
		return WAYMARK_FIELD_BYTES;
	case TYPE_DEBUG:
		return WAYMARK_FIELD_DEBUG;
	default:
		return t->is_signed ? WAYMARK_FIELD_SIGNED : WAYMARK_FIELD_UNSIGNED;
	}
}

int waymark_reader_field_kind(const struct waymark_reader *r, size_t field)
{
	const struct arg *arg = get_arg(r, field);

	return arg ? kind_of(&arg->type) : -1;
}

/* The type and value of a field; NULL for an index that the event does not have. */
struct event_field {
	const struct type *type;
	const struct value *value;
};

static struct event_field get_field(struct waymark_reader *r, size_t i)
{
	const struct arg *arg = get_arg(r, i);

	return arg ? (struct event_field){ &arg->type, &get_values(r)[i] }
		   : (struct event_field){ NULL, NULL };
}

/* Returns the bytes of a float; 0 if the field is no float. */
static size_t float_bytes(const struct event_field *f)
{
	if (f->type->class == TYPE_FLOAT) {
		return f->type->size64;
	}
	bool is_float = f->type->class == TYPE_DEBUG && f->value->kind == VALUE_NUMBER &&
			(f->value->debug == DEBUG_F32 || f->value->debug == DEBUG_F64);

	return is_float ? debug_shapes[f->value->debug].bytes : 0;
}

static bool is_signed(const struct event_field *f)
{
	if (f->type->class != TYPE_DEBUG) {
		return f->type->is_signed;
	}
	return f->value->debug == DEBUG_I128 || debug_shapes[f->value->debug].form == DEBUG_SIGNED;
}

/* Returns a float without its fraction, as the nearest integer of 65 bits with a sign. */
static struct value_pair truncate(double d)
{
	struct value_pair pair = { 0, 0 };

	if (d >= 0x1p64) {
		pair.low = UINT64_MAX;
	} else if (d > -1) {
		pair.low = (uint64_t)d;
	} else if (d <= 0) {
		pair.low = d > -0x1p63 ? (uint64_t)(int64_t)d : UINT64_C(1) << 63;
		pair.high = UINT64_MAX;
	}
	return pair;
}

/* Returns the value as an integer of 128 bits. */
static struct value_pair get_integer(struct waymark_reader *r, size_t i)
{
	struct event_field f = get_field(r, i);
	struct value_pair pair = { 0, 0 };

	if (f.value && f.value->kind == VALUE_PAIR) {
		return value_pair(f.value);
	}
	if (!f.value || f.value->kind != VALUE_NUMBER) {
		return pair;
	}
	size_t bytes = float_bytes(&f);

	if (bytes) {
		return truncate(value_double(f.value->number, bytes));
	}
	pair.low = f.type->class == TYPE_DEBUG ? f.value->number
					       : value_extend(f.type, f.value->number);
	pair.high = is_signed(&f) && (int64_t)pair.low < 0 ? UINT64_MAX : 0;
	return pair;
}

uint64_t waymark_reader_u64(struct waymark_reader *r, size_t field)
{
	return get_integer(r, field).low;
}

int64_t waymark_reader_i64(struct waymark_reader *r, size_t field)
{
	return (int64_t)get_integer(r, field).low;
}

uint64_t waymark_reader_high64(struct waymark_reader *r, size_t field)
{
	return get_integer(r, field).high;
}

double waymark_reader_double(struct waymark_reader *r, size_t field)
{
	struct event_field f = get_field(r, field);

	if (f.value && f.value->kind == VALUE_NUMBER && float_bytes(&f)) {
		return value_double(f.value->number, float_bytes(&f));
	}
	struct value_pair pair = get_integer(r, field);

	/* Small numbers of either sign are exact. */
	if (f.value && is_signed(&f) && pair.high == (uint64_t)((int64_t)pair.low >> 63)) {
		return (double)(int64_t)pair.low;
	}
	if (f.value && is_signed(&f)) {
		return (double)(int64_t)pair.high * 0x1p64 + (double)pair.low;
	}
	return (double)pair.high * 0x1p64 + (double)pair.low;
}

/* Formats a debug value by {:?}. */
static const char *render(struct waymark_reader *r, size_t field, size_t *length)
{
	struct message m;
	struct arena a;

	arena_init(&a);
	message_compile_field(&m, &a, current_class(r), field);
	const struct value *values = get_values(r);

	r->field.len = 0;
	char *begin = out_reserve(&r->field, message_room(&m, &r->record, values) + 1);
	char *end = message_render(begin, &m, &r->record, values);

	*length = (size_t)(end - begin);
	arena_fini(&a);
	return begin;
}

const char *waymark_reader_string(struct waymark_reader *r, size_t field, size_t *length)
{
	struct event_field f = get_field(r, field);
	bool is_text = f.value && f.value->kind == VALUE_STRING && f.value->text;

	if (f.value && f.type->class == TYPE_DEBUG && f.value->kind != VALUE_ABSENT) {
		return render(r, field, length);
	}
	*length = is_text ? f.value->length : 0;
	return is_text ? f.value->text : NULL;
}
