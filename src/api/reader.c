/* SPDX-License-Identifier: MIT */
/*
 * waymark/reader.h on top of the readers and the message view: one object that
 * holds a reader, its declarations, and the record it stands at.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/reader_object.h"
#include "base/memory.h"
#include "read/merge.h"
#include "view/message/message.h"

static void set_error(char *error, size_t size, const char *text, size_t length)
{
	if (!error || size == 0) {
		return;
	}
	length = length < size - 1 ? length : size - 1;
	memcpy(error, text, length);
	error[length] = '\0';
}

/* The first fault of a declaration file: its first line, with the place. */
static void set_diag_error(char *error, size_t size, const struct diag *d)
{
	const char *end = memchr(d->out.data, '\n', d->out.len);

	set_error(error, size, d->out.data, (size_t)(end - d->out.data));
}

/* What is to be opened: paths, or a descriptor where there are none. */
struct origin {
	const char *const *paths;
	size_t count;
	int fd;
};

static void copy_paths(struct waymark_reader *r, const struct origin *from)
{
	r->paths = arena_array(&r->arena, const char *, from->count);
	for (size_t i = 0; i < from->count; i++) {
		r->paths[i] = arena_strdup(&r->arena, from->paths[i]);
	}
}

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
		set_diag_error(error, size, &r->declarations.diag);
		waymark_reader_close(r);
		return NULL;
	}
	r->wait_ms = how->wait_ms;
	if (how->follow) {
		options.follow = how->only_new ? FOLLOW_NEW : FOLLOW_ALL;
	}
	options.declarations = declarations ? &r->declarations.model : NULL;
	copy_paths(r, from);
	r->reader = from->count ? merge_open(r->paths, from->count, &options, &why)
				: reader_open_fd(from->fd, &options, &why);
	if (!r->reader) {
		set_error(error, size, why.text, strlen(why.text));
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

	if (count == 0 || options->size != sizeof(*options)) {
		set_error(error, error_size, wrong, sizeof(wrong) - 1);
		return NULL;
	}
	return open_reader(&from, options, error, error_size);
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
	declarations_fini(&r->declarations);
	vec_fini(&r->messages);
	arena_fini(&r->arena);
	out_fini(&r->text);
	out_fini(&r->field);
	free(r);
}

/* Whether the reader stands at an event or a gap. */
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

/* Waits a while for what is followed; what of `left_ms` remains. */
static int wait_a_while(struct waymark_reader *r, int left_ms)
{
	int ms = (int)pace_next(&r->pace, false);

	ms = left_ms >= 0 && left_ms < ms ? left_ms : ms;
	const struct timespec time = { 0, (long)ms * 1000000 };

	nanosleep(&time, NULL);
	return left_ms < 0 ? left_ms : left_ms - ms;
}

int waymark_reader_next(struct waymark_reader *r)
{
	enum read_result result = reader_next(r->reader, &r->record);

	for (int left = r->wait_ms; result == READ_NOTHING && left != 0;) {
		left = wait_a_while(r, left);
		result = reader_next(r->reader, &r->record);
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

/* The trace of the record that the reader stands at. */
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

/* The class of the event that the reader stands at, or NULL. */
const struct event_class *reader_current(const struct waymark_reader *r)
{
	return r->state == WAYMARK_READ_EVENT ? r->record.class : NULL;
}

const char *waymark_reader_name(const struct waymark_reader *r)
{
	const struct event_class *class = reader_current(r);

	return class ? class->name : "";
}

size_t waymark_reader_event_index(const struct waymark_reader *r)
{
	const struct event_class *class = reader_current(r);

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

/* The decoded fields, NULL where nothing is known of them. */
const struct value *reader_get_values(struct waymark_reader *r)
{
	const struct event_class *class = reader_current(r);

	if (!class || !class->event) {
		return NULL;
	}
	r->record.values = reader_values(r->reader, &r->record);
	return r->record.values;
}

const char *waymark_reader_message(struct waymark_reader *r, size_t *length)
{
	const struct event_class *class = reader_current(r);

	r->text.len = 0;
	if (class) {
		const struct value *values = reader_get_values(r);
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
