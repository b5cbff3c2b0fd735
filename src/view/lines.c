/* SPDX-License-Identifier: MIT */
/* Line by line, see view/lines.h. */
#include "view/lines.h"

#include <string.h>

#include "view/number.h"

/* Time, process and line end around a message. */
#define LINE_ROOM (TIMESTAMP_ROOM + LINES_ORIGIN + 2 * NUMBER_ROOM)

/* What is copied of `origin` in any case: of text on one host, that is all. */
#define ORIGIN_COPY 16

void lines_init(struct lines *v, struct out *out, struct reader *r, const struct lines_style *style,
	enum timestamp_mode mode)
{
	*v = (struct lines){ .style = style,
		.out = out,
		.reader = r,
		.tid_mask = style->tells_tid ? UINT32_MAX : 0 };
	timestamp_init(&v->time, mode, style->before_time, style->for_people);
	arena_init(&v->arena);
}

void lines_fini(struct lines *v)
{
	vec_fini(&v->messages);
	arena_fini(&v->arena);
}

static COLD struct message *make_message(struct lines *v, const struct event_class *class)
{
	struct message *m = arena_new(&v->arena, struct message);

	v->style->compile(v, m, class);
	m->swap = v->reader->swap;
	while (v->messages.count <= class->index) {
		vec_push(&v->messages, NULL);
	}
	v->messages.items[class->index] = m;
	return m;
}

/* The class's message, or NULL when it was not needed before. */
static inline const struct message *find_message(
	const struct lines *v, const struct event_class *class)
{
	return LIKELY(class->index < v->messages.count) ? v->messages.items[class->index] : NULL;
}

static inline bool is_origin(const struct lines *v, const struct record *rec)
{
	return ((rec->pid ^ v->pid) | (rec->trace ^ v->trace) |
		       ((rec->tid ^ v->tid) & v->tid_mask)) == 0;
}

/* What a line begins with, for all lines that it is the same for. */
static inline bool is_head_ready(const struct lines *v, const struct record *rec)
{
	return timestamp_is_ready(&v->time, rec->ns) && LIKELY(is_origin(v, rec));
}

static void set_origin(struct lines *v, const struct record *rec)
{
	char *end = v->style->put_origin(v->origin, v->reader, rec);

	v->pid = rec->pid;
	v->tid = rec->tid;
	v->trace = rec->trace;
	v->time.realtime = v->reader->traces[rec->trace].realtime;
	v->origin_length = (size_t)(end - v->origin);
}

static NOINLINE void prepare_head(struct lines *v, const struct record *rec)
{
	if (!is_origin(v, rec) || v->origin_length == 0) {
		set_origin(v, rec);
	}
	timestamp_prepare(&v->time, rec->ns);
}

static inline char *put_head(const struct lines *v, char *out, const struct record *rec)
{
	out = timestamp_put(&v->time, out, rec->ns);
	memcpy(out, v->origin, ORIGIN_COPY);
	if (UNLIKELY(v->origin_length > ORIGIN_COPY)) {
		memcpy(out, v->origin, v->origin_length);
	}
	return out + v->origin_length;
}

static COLD void put_gap(struct lines *v, const struct record *rec)
{
	out_str(v->out, v->style->before_gap);
	prepare_head(v, rec);
	char *line = out_reserve(v->out, LINE_ROOM);

	out_advance(v->out, (size_t)(put_head(v, line, rec) - line));
	v->style->put_gap(v, rec);
}

/* Ends the line that was written up to `end`. */
static inline void end_line(struct out *out, char *end)
{
	*end++ = '\n';
	out->len = (size_t)(end - out->data);
}

/* Writes the line of an event whose head is ready. */
static NOINLINE void put_line(struct lines *v, const struct record *rec, const struct message *m)
{
	const void *args = rec->payload;

	if (!m->direct) {
		args = m->put_raw ? NULL : reader_values(v->reader, rec);
	}
	char *line = out_reserve(v->out, LINE_ROOM + message_room(m, rec, args));

	end_line(v->out, message_render(put_head(v, line, rec), m, rec, args));
}

/* A record for which something is not ready yet. */
static NOINLINE void put_with_care(struct lines *v, const struct record *rec)
{
	if (rec->kind == RECORD_GAP) {
		put_gap(v, rec);
		return;
	}
	const struct message *m = find_message(v, rec->class);

	prepare_head(v, rec);
	put_line(v, rec, m ? m : make_message(v, rec->class));
}

/* The way of most lines: what is called here stands last, so little is kept on the stack. */
void lines_put(struct lines *v, const struct record *rec)
{
	const struct message *m =
		LIKELY(rec->kind == RECORD_EVENT) ? find_message(v, rec->class) : NULL;
	struct out *out = v->out;

	if (UNLIKELY(!m || !is_head_ready(v, rec))) {
		put_with_care(v, rec);
	} else if (!m->direct || !out_has_room(out, LINE_ROOM + m->room)) {
		put_line(v, rec, m);
	} else {
		char *line = put_head(v, out->data + out->len, rec);

		end_line(out, m->steps->put(line, m->steps, rec->payload));
	}
}
