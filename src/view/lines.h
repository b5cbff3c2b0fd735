/* SPDX-License-Identifier: MIT */
/*
 * Views that print a line for each record. The head of a line, its time and origin, is kept from
 * the line before; the rest is a message, compiled once for each event class. A style defines the
 * form of the lines. Lines are written to an output that the caller owns. One thread.
 */
#ifndef VIEW_LINES_H
#define VIEW_LINES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "read/reader.h"
#include "text/out.h"
#include "view/message/message.h"
#include "view/timestamp.h"

struct lines;

struct lines_style {
	char before_time[TIMESTAMP_PREFIX + 1];
	const char *before_gap; /* start of a gap's line */
	bool tells_tid; /* shows threads even if lines_show_tid() was not called */
	bool for_people; /* times may be dates; differences always have a sign */
	bool tells_trace; /* shows the path of a record's trace if there are several */
	/* Writes process and host of a record, in LINES_ORIGIN bytes and those of a path. */
	char *(*put_origin)(char *out, const struct lines *v, const struct record *rec);
	/* Compiles the rest of the line: the event's name and message. */
	void (*compile)(struct lines *v, struct message *m, const struct event_class *class);
	/* Writes the rest of the line of a gap. */
	void (*put_gap)(struct lines *v, const struct record *rec);
};

extern const struct lines_style lines_text; /* for people */
extern const struct lines_style lines_json; /* for programs: an object in each line */

#define LINES_ORIGIN 512 /* bytes of an origin without its path */
#define LINES_HOST 64 /* bytes of a host's name; each may become 6 when escaped */

struct lines {
	const struct lines_style *style;
	struct out *out;
	struct reader *reader;
	bool colour;
	const char *const *fields; /* to show instead of the message */
	size_t field_count; /* 0: the message */
	struct timestamp time;
	struct arena arena;
	VEC(struct message *) messages; /* by class index; NULL until needed */
	uint32_t pid; /* pid, tid and trace of `origin` */
	uint32_t tid;
	uint32_t tid_mask; /* all ones: lines show the thread; 0: they do not */
	uint32_t trace;
	char *origin;
	size_t origin_length; /* 0: none yet */
	size_t room; /* bytes of time, origin and line end around a message */
};

void lines_init(struct lines *v, struct out *out, struct reader *r, const struct lines_style *style,
	enum timestamp_mode mode);
void lines_fini(struct lines *v);

/* Makes lines show the thread from now on. */
void lines_show_tid(struct lines *v);

/* Notes a record, even one that is not printed: relative times count from the first one. */
static inline void lines_see(struct lines *v, const struct record *rec)
{
	timestamp_see(&v->time, rec->ns);
}

/* ---- Parts of lines_put() ---- */

/* Bytes of `origin` that are always copied, whatever its length. Text of one host is not longer. */
#define LINES_ORIGIN_COPY 16

/* Returns the class's message, or NULL if it is not compiled yet. */
static inline const struct message *lines_message(
	const struct lines *v, const struct event_class *class)
{
	return LIKELY(class->index < v->messages.count) ? v->messages.items[class->index] : NULL;
}

static inline bool lines_is_origin(const struct lines *v, const struct record *rec)
{
	return ((rec->pid ^ v->pid) | (rec->trace ^ v->trace) |
		       ((rec->tid ^ v->tid) & v->tid_mask)) == 0;
}

/* True if the kept head is valid for this record. */
static inline bool lines_is_ready(const struct lines *v, const struct record *rec)
{
	return timestamp_is_ready(&v->time, rec->ns) && LIKELY(lines_is_origin(v, rec));
}

static inline char *lines_put_head(const struct lines *v, char *out, const struct record *rec)
{
	out = timestamp_put(&v->time, out, rec->ns);
	memcpy(out, v->origin, LINES_ORIGIN_COPY);
	if (UNLIKELY(v->origin_length > LINES_ORIGIN_COPY)) {
		memcpy(out, v->origin, v->origin_length);
	}
	return out + v->origin_length;
}

/* Ends the line that was written up to `end`. */
static inline void lines_end(struct out *out, char *end)
{
	*end++ = '\n';
	out->len = (size_t)(end - out->data);
}

/* Puts a gap, or an event whose head or message is not ready. */
void lines_put_slowly(struct lines *v, const struct record *rec);

/* Writes the line of an event whose head is ready. */
void lines_put_ready(struct lines *v, const struct record *rec, const struct message *m);

/* Writes the record's line. */
static inline void lines_put(struct lines *v, const struct record *rec)
{
	const struct message *m =
		LIKELY(rec->kind == RECORD_EVENT) ? lines_message(v, rec->class) : NULL;
	struct out *out = v->out;

	if (UNLIKELY(!m || !lines_is_ready(v, rec))) {
		lines_put_slowly(v, rec);
	} else if (!m->direct || !out_has_room(out, v->room + message_room(m, rec, NULL))) {
		lines_put_ready(v, rec, m);
	} else {
		char *line = lines_put_head(v, out->data + out->len, rec);

		lines_end(out, m->steps->put(line, m->steps, rec->payload));
	}
}

/* Writes the lines of several records, faster than one by one. */
void lines_put_few(struct lines *v, const struct record *records, size_t count);

#endif
