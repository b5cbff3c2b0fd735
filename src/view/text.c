/* SPDX-License-Identifier: MIT */
/* The text view, see view/text.h. */
#include "view/text.h"

#include <string.h>

#include "view/number.h"

/* Time, process and line end around a message. */
#define LINE_ROOM (TIMESTAMP_ROOM + TEXT_PID_ROOM + 2 * NUMBER_ROOM)

/* What is copied of `pid_text` in any case: without a host, that is all. */
#define PID_COPY 16

#define COLOUR_NAME "\033[36m"
#define COLOUR_GAP "\033[31m"
#define COLOUR_OFF "\033[0m"

void text_view_init(struct text_view *v, struct out *out, struct reader *r,
	enum timestamp_mode mode, bool colour)
{
	*v = (struct text_view){ .out = out, .reader = r, .colour = colour };
	timestamp_init(&v->time, mode, true);
	arena_init(&v->arena);
}

void text_view_fini(struct text_view *v)
{
	vec_fini(&v->messages);
	arena_fini(&v->arena);
}

static COLD struct message *make_message(struct text_view *v, const struct event_class *class)
{
	struct message *m = arena_new(&v->arena, struct message);
	char *name = message_name(&v->arena, class);

	if (v->colour) {
		name = arena_printf(&v->arena, COLOUR_NAME "%s" COLOUR_OFF, name);
	}
	message_compile(m, &v->arena, class, name, v->reader->form);
	m->swap = v->reader->swap;
	while (v->messages.count <= class->index) {
		vec_push(&v->messages, NULL);
	}
	v->messages.items[class->index] = m;
	return m;
}

/* The class's message, or NULL when it was not needed before. */
static inline const struct message *find_message(
	const struct text_view *v, const struct event_class *class)
{
	return LIKELY(class->index < v->messages.count) ? v->messages.items[class->index] : NULL;
}

static char *put_host(char *out, const char *host)
{
	size_t length = strlen(host);
	size_t most = (TEXT_PID_ROOM - NUMBER_ROOM - 8) / ESCAPE_MAX;

	out = message_escape(out, host, length < most ? length : most);
	*out++ = ' ';
	return out;
}

static void set_pid(struct text_view *v, const struct record *rec)
{
	const struct trace_info *trace = &v->reader->traces[rec->trace];
	char *end = v->pid_text;

	*end++ = ' ';
	if (v->reader->has_hosts) {
		end = put_host(end, trace->hostname);
	}
	if (v->reader->has_pid) {
		end = number_decimal(end, rec->pid);
	} else {
		*end++ = '-';
	}
	*end++ = ' ';
	v->pid = rec->pid;
	v->trace = rec->trace;
	v->time.realtime = trace->realtime;
	v->pid_length = (unsigned int)(end - v->pid_text);
}

/* What a line begins with, for all lines that it is the same for. */
static inline bool is_head_ready(const struct text_view *v, const struct record *rec)
{
	return timestamp_is_ready(&v->time, rec->ns) &&
	       LIKELY(rec->pid == v->pid && rec->trace == v->trace);
}

static __attribute__((noinline)) void prepare_head(struct text_view *v, const struct record *rec)
{
	if (rec->pid != v->pid || rec->trace != v->trace || v->pid_length == 0) {
		set_pid(v, rec);
	}
	timestamp_prepare(&v->time, rec->ns);
}

static inline char *put_head(const struct text_view *v, char *out, const struct record *rec)
{
	out = timestamp_put(&v->time, out, rec->ns);
	memcpy(out, v->pid_text, PID_COPY);
	if (UNLIKELY(v->pid_length > PID_COPY)) {
		memcpy(out, v->pid_text, v->pid_length);
	}
	return out + v->pid_length;
}

static COLD void put_gap(struct text_view *v, const struct record *rec)
{
	prepare_head(v, rec);
	char *line = out_reserve(v->out, LINE_ROOM);
	char *end = line;

	memcpy(end, "# ", 2);
	end = put_head(v, end + 2, rec);
	out_advance(v->out, (size_t)(end - line));
	if (v->colour) {
		out_str(v->out, COLOUR_GAP);
	}
	if (rec->lost || !rec->lost_packets) {
		out_printf(v->out, "lost %llu event%s", (unsigned long long)rec->lost,
			rec->lost == 1 ? "" : "s");
	}
	if (rec->lost_packets) {
		out_printf(v->out, "%s%llu packet%s missing", rec->lost ? ", " : "",
			(unsigned long long)rec->lost_packets,
			rec->lost_packets == 1 ? " is" : "s are");
	}
	out_str(v->out, v->colour ? COLOUR_OFF "\n" : "\n");
}

/* Writes the line of an event whose head is ready. */
static inline void put_line(struct text_view *v, const struct record *rec, const struct message *m)
{
	const void *args = rec->payload;

	if (UNLIKELY(!m->direct)) {
		args = m->raw ? NULL : reader_values(v->reader, rec);
	}
	char *line = out_reserve(v->out, LINE_ROOM + message_room(m, rec, args));
	char *end = message_render(put_head(v, line, rec), m, rec, args);

	*end++ = '\n';
	out_advance(v->out, (size_t)(end - line));
}

/* A record for which something is not ready yet. */
static __attribute__((noinline)) void put_with_care(struct text_view *v, const struct record *rec)
{
	if (rec->kind == RECORD_GAP) {
		put_gap(v, rec);
		return;
	}
	const struct message *m = find_message(v, rec->class);

	prepare_head(v, rec);
	put_line(v, rec, m ? m : make_message(v, rec->class));
}

void text_view_put(struct text_view *v, const struct record *rec)
{
	const struct message *m =
		LIKELY(rec->kind == RECORD_EVENT) ? find_message(v, rec->class) : NULL;

	if (UNLIKELY(!m || !is_head_ready(v, rec))) {
		put_with_care(v, rec);
		return;
	}
	put_line(v, rec, m);
}
