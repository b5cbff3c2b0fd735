/* SPDX-License-Identifier: MIT */
/*
 * The object of waymark/reader.h. open.c opens and closes it and moves it to a time, record.c moves
 * it to the next record, which it has, field.c has the record's fields, contents.c what the traces
 * declare, columns.c batches of events. A reader belongs to one thread.
 */
#ifndef API_READER_H
#define API_READER_H

#include <waymark/reader.h>

#include "api/declarations.h"
#include "read/filter.h"
#include "read/reader.h"
#include "text/out.h"
#include "view/message/message.h"

struct waymark_reader {
	struct reader *reader;
	struct filter filter; /* of the records that are returned */
	bool is_filtered;
	struct filter_time from; /* of the options */
	struct record *batch; /* of waymark_reader_columns(); NULL until needed */
	size_t batch_count;
	size_t batch_at; /* the first record that was not returned */
	struct arena texts; /* of the last waymark_reader_columns() */
	struct reader_outline outline;
	bool has_outline;
	struct reader_options options; /* to open the traces anew */
	size_t path_count; /* 0: a descriptor */
	struct reader *first; /* left by waymark_reader_seek(), for its names; NULL: none */
	struct kept_texts *kept; /* names of the readers after it; NULL: it is the only one */
	struct declarations declarations;
	struct record record;
	int state; /* of enum waymark_read */
	int wait_ms; /* below 0: no limit */
	struct pace pace;
	const char **paths;
	struct arena arena; /* for the paths and patterns */
	struct arena of_messages;
	VEC(struct message *) messages; /* by class index; NULL until needed */
	struct out text; /* the last message */
	struct out field; /* the last debug value */
};

/* Returns the class of the current event; NULL if the reader is not at an event. */
static inline const struct event_class *reader_current_class(const struct waymark_reader *r)
{
	return r->state == WAYMARK_READ_EVENT ? r->record.class : NULL;
}

/* Not for programs, which see all other functions of these files. */
#pragma GCC visibility push(hidden)

/* ---- seek.c ---- */

/*
 * Returns the text, or after a seek its copy, which is valid until the reader is closed: for all
 * names that programs get. NULL is allowed.
 */
const char *reader_keep(const struct waymark_reader *r, const char *text);

/* Frees the copies. NULL is allowed. */
void reader_free_kept(struct kept_texts *k);

/* ---- record.c ---- */

/* Moves to the next record that the filter passes; does not wait. */
enum read_result reader_next_wanted(struct waymark_reader *r);

/* Notes the result of a move; returns the enum waymark_read. */
int reader_note(struct waymark_reader *r, enum read_result result);

/* Returns the decoded fields of the current event; NULL if it has no declaration. */
const struct value *reader_current_values(struct waymark_reader *r);

/* ---- field.c ---- */

/* Returns the enum waymark_field of a type. */
int reader_kind_of(const struct type *t);

/*
 * Return a value as waymark_reader_u64() and waymark_reader_high64() do, and as
 * waymark_reader_double() does; 0 if it is NULL.
 */
struct value_pair reader_integer(const struct type *t, const struct value *v);
double reader_double(const struct type *t, const struct value *v);

#pragma GCC visibility pop

/* Returns the class of an event; NULL if there is none. */
static inline const struct event_class *reader_class_of(
	const struct waymark_reader *r, size_t event)
{
	bool exists = event < r->reader->classes.all.count;

	return exists ? r->reader->classes.all.items[event] : NULL;
}

#endif
