/* SPDX-License-Identifier: MIT */
/*
 * Moves a reader of waymark/reader.h to its next record, and returns what every record has.
 */
#include <string.h>
#include <time.h>

#include "api/reader.h"

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

enum read_result reader_next_wanted(struct waymark_reader *r)
{
	enum read_result result;

	if (UNLIKELY(r->batch_at < r->batch_count)) {
		r->record = r->batch[r->batch_at++];
		return READ_RECORD;
	}
	do {
		result = reader_next(r->reader, &r->record);
	} while (r->is_filtered && result == READ_RECORD && !filter_passes(&r->filter, &r->record));
	return result;
}

int reader_note(struct waymark_reader *r, enum read_result result)
{
	r->state = state_of(result, &r->record);
	return r->state;
}

int waymark_reader_next(struct waymark_reader *r)
{
	enum read_result result = reader_next_wanted(r);

	for (int left = r->wait_ms; result == READ_NOTHING && left != 0;) {
		left = wait_a_while(r, left);
		result = reader_next_wanted(r);
	}
	if (result == READ_RECORD) {
		r->pace.ms = 0;
	}
	return reader_note(r, result);
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
	return reader_keep(r, current_trace(r)->hostname);
}

const char *waymark_reader_process(const struct waymark_reader *r)
{
	return reader_keep(r, current_trace(r)->procname);
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

const char *waymark_reader_name(const struct waymark_reader *r)
{
	const struct event_class *class = reader_current_class(r);

	return class ? reader_keep(r, class->name) : "";
}

size_t waymark_reader_event_index(const struct waymark_reader *r)
{
	const struct event_class *class = reader_current_class(r);

	return class ? class->index : SIZE_MAX;
}

static const struct message *get_message(struct waymark_reader *r, const struct event_class *class)
{
	vec_reach(&r->messages, class->index);
	struct message **m = &r->messages.items[class->index];

	if (!*m) {
		*m = arena_new(&r->of_messages, struct message);
		message_compile(*m, &r->of_messages, class, "", VALUES_ANY);
		(*m)->swap = r->reader->swap;
	}
	return *m;
}

const struct value *reader_current_values(struct waymark_reader *r)
{
	const struct event_class *class = reader_current_class(r);

	if (!class || !class->event) {
		return NULL;
	}
	r->record.values = reader_values(r->reader, &r->record);
	return r->record.values;
}

const char *waymark_reader_message(struct waymark_reader *r, size_t *length)
{
	const struct event_class *class = reader_current_class(r);

	r->text.len = 0;
	if (class) {
		const struct value *values = reader_current_values(r);
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
