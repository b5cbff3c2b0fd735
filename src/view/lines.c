/* SPDX-License-Identifier: MIT */
/*
 * Views with a line for each record. Keeps the head of the line (time and origin) while it does not
 * change, compiles the message of a class at its first record, and writes runs of similar records
 * in one loop. lines_put() in the header is the fast path; this file has the slow paths.
 */
#include "view/lines.h"

#include <string.h>

#include "view/message/json.h"
#include "view/message/number.h"

/* Returns the bytes of the longest path if the style shows paths. */
static size_t path_room(const struct reader *r, const struct lines_style *style)
{
	size_t longest = 0;

	for (size_t i = 0; style->tells_trace && i < r->trace_count; i++) {
		size_t length = r->traces[i].path ? strlen(r->traces[i].path) : 0;

		longest = length > longest ? length : longest;
	}
	return JSON_EXPANSION * longest;
}

void lines_init(struct lines *v, struct out *out, struct reader *r, const struct lines_style *style,
	enum timestamp_mode mode)
{
	*v = (struct lines){ .style = style,
		.out = out,
		.reader = r,
		.tid_mask = style->tells_tid || r->format->is_text ? UINT32_MAX : 0 };
	timestamp_init(&v->time, mode, style->before_time, style->for_people);
	arena_init(&v->arena);
	size_t origin_room = LINES_ORIGIN + path_room(r, style);

	v->origin = arena_alloc(&v->arena, origin_room);
	v->room = TIMESTAMP_ROOM + origin_room + 2 * NUMBER_ROOM;
}

void lines_fini(struct lines *v)
{
	vec_fini(&v->messages);
	arena_fini(&v->arena);
}

void lines_show_tid(struct lines *v)
{
	v->tid_mask = UINT32_MAX;
	v->origin_length = 0;
}

static COLD struct message *make_message(struct lines *v, const struct event_class *class)
{
	struct message *m = arena_new(&v->arena, struct message);

	v->style->compile(v, m, class);
	m->swap = v->reader->swap;
	vec_reach(&v->messages, class->index);
	v->messages.items[class->index] = m;
	return m;
}

static void set_origin(struct lines *v, const struct record *rec)
{
	char *end = v->style->put_origin(v->origin, v, rec);

	v->pid = rec->pid;
	v->tid = rec->tid;
	v->trace = rec->trace;
	v->time.realtime = v->reader->traces[rec->trace].realtime;
	v->origin_length = (size_t)(end - v->origin);
}

static NOINLINE void prepare_head(struct lines *v, const struct record *rec)
{
	if (!lines_is_origin(v, rec) || v->origin_length == 0) {
		set_origin(v, rec);
	}
	timestamp_prepare(&v->time, rec->ns);
}

static COLD void put_gap(struct lines *v, const struct record *rec)
{
	out_str(v->out, v->style->before_gap);
	prepare_head(v, rec);
	char *line = out_reserve(v->out, v->room);

	out_advance(v->out, (size_t)(lines_put_head(v, line, rec) - line));
	v->style->put_gap(v, rec);
}

void lines_put_ready(struct lines *v, const struct record *rec, const struct message *m)
{
	const void *args = rec->payload;

	if (!m->direct) {
		args = m->put_raw ? NULL : reader_values(v->reader, rec);
	}
	char *line = out_reserve(v->out, v->room + message_room(m, rec, args));

	lines_end(v->out, message_render(lines_put_head(v, line, rec), m, rec, args));
}

void lines_put_slowly(struct lines *v, const struct record *rec)
{
	if (rec->kind == RECORD_GAP) {
		put_gap(v, rec);
		return;
	}
	const struct message *m = lines_message(v, rec->class);

	prepare_head(v, rec);
	lines_put_ready(v, rec, m ? m : make_message(v, rec->class));
}

/* A local copy of a line's head. Output cannot alias it, so the compiler keeps it in registers. */
struct head {
	uint64_t block;
	uint64_t span;
	char time[32];
	char origin[LINES_ORIGIN_COPY];
	size_t time_length;
	size_t origin_length;
};

static inline struct head head_of(const struct lines *v)
{
	struct head h = {
		.block = v->time.block,
		.span = v->time.span,
		.time_length = v->time.length,
		.origin_length = v->origin_length,
	};

	memcpy(h.time, v->time.text, sizeof(h.time));
	memcpy(h.origin, v->origin, sizeof(h.origin));
	return h;
}

static inline char *put_head(const struct head *h, char *out, uint64_t ns)
{
	memcpy(out, h->time, sizeof(h->time));
	out = number_fixed4(out + h->time_length, (uint32_t)(ns - h->block));
	memcpy(out, h->origin, sizeof(h->origin));
	return out + h->origin_length;
}

/*
 * Writes records that have the same head and class, and a direct message. Returns the first record
 * that differs.
 */
static const struct record *put_alike(struct lines *v, const struct record *rec,
	const struct record *end, const struct message *m)
{
	const struct event_class *const class = rec->class;
	const struct message_step *const steps = m->steps;
	message_put *const put = steps->put;
	const struct head head = head_of(v);
	char *out = v->out->data + v->out->len;
	const char *const last = v->out->data + v->out->capacity - v->room - m->room;
	const size_t growth = m->growth;

	while (out + growth * rec->payload_size < last && lines_is_origin(v, rec) &&
		rec->ns - head.block < head.span) {
		out = put(put_head(&head, out, rec->ns), steps, rec->payload);
		*out++ = '\n';
		rec++;
		if (rec == end || rec->class != class) {
			break;
		}
	}
	v->out->len = (size_t)(out - v->out->data);
	return rec;
}

void lines_put_few(struct lines *v, const struct record *records, size_t count)
{
	const struct record *end = records + count;

	for (const struct record *rec = records; rec < end;) {
		const struct message *m =
			rec->kind == RECORD_EVENT ? lines_message(v, rec->class) : NULL;
		bool alike = m && m->direct && v->origin_length <= LINES_ORIGIN_COPY &&
			     v->out->capacity > v->room + m->room;
		const struct record *next = alike ? put_alike(v, rec, end, m) : rec;

		if (next == rec) {
			lines_put(v, next++);
		}
		rec = next;
	}
}
