/* SPDX-License-Identifier: MIT */
/*
 * The answers to the page's questions, mostly in JSON. Times are in ns since the first record of
 * the traces, which JavaScript's numbers hold exactly up to a hundred days.
 *
 *	answers.c	the table of questions, and their arguments
 *	trace.c ...	an answer each
 *	part.c		the records of a selected time
 *	beside.c	a pass for one answer, in the background
 *	running.c	long questions whose client went away
 */
#ifndef CMD_VIEW_ANSWER_ANSWERS_H
#define CMD_VIEW_ANSWER_ANSWERS_H

#include <signal.h>

#include "cmd/view/viewer/viewer.h"
#include "text/out.h"

/* A question: its arguments, and whether the answer is still wanted. */
struct question {
	const char *(*get)(void *data, const char *name); /* NULL: it is missing */
	void *data;
	volatile sig_atomic_t *is_over; /* set when the client goes; outlives the answer */
	/* Of an answer that is saved with a page: */
	bool waits; /* for the end of passes */
	size_t whole; /* limit of its single items; 0: joined items, for `columns` */
};

/* The only question that changes something, so that GET is not enough. */
#define VIEW_SWITCH "/api/switch"

/* An answer that is written while it is sent. */
struct view_stream {
	/* Adds bytes; false at the end. */
	bool (*more)(struct view_stream *s, struct out *out);
	void (*close)(struct view_stream *s);
};

struct view_reply {
	struct out out; /* the caller initializes and frees it */
	struct view_stream
		*stream; /* writes what follows `out`; NULL: nothing. The caller closes it */
	const char *type; /* of the content */
	const char *policy; /* what a browser lets it do; NULL: what the page may do */
	const char *file; /* name to save it as; NULL: it is not saved */
};

/* True if the answer to a question may take longer than a moment. */
bool view_is_long(const char *path);

/*
 * Answers a question. Returns an HTTP status: 200; 400, with an error as JSON, if an argument is
 * wrong; 404 if there is no such question; 503 if it was stopped.
 */
unsigned int view_answer(
	struct viewer *v, const char *path, const struct question *q, struct view_reply *reply);

/* End the passes of curves and lives. Call after the last answer. */
void view_curves_end(struct viewer *v);
void view_lives_end(struct viewer *v);

/*
 * Begins to read a capture of the kernel's trace; without a path the first one among the traces, if
 * there is one. Returns false, reported, if it cannot be opened.
 */
bool view_sched_begin(struct viewer *v, const char *path, int64_t offset_ns);
void view_sched_end(struct viewer *v);

typedef void view_name_fn(void *data, const char *name);

/* Call a function with the name of each curve of the command line, group of lives, and processor.
 */
void view_wanted_fields(struct viewer *v, view_name_fn *put, void *data);
void view_lives_names(struct viewer *v, view_name_fn *put, void *data);
void view_sched_names(struct viewer *v, view_name_fn *put, void *data);

/*
 * Records that an answer reads at most of a trace without an index, which is read from its start:
 * some 100 ms.
 */
#define ALL_RECORDS (UINT64_C(1) << 20)

/* A time of the traces, which is not empty. */
struct time_range {
	int64_t from;
	int64_t to;
};

/* Reads a decimal number of at most 18 digits; false: it is missing or is none. */
bool question_number(const struct question *q, const char *name, uint64_t *number);

/* Reads `columns`: 1 to 4000, or without end for a saved answer; false if it is none. */
bool question_columns(const struct question *q, size_t *columns);

/* Reads `from` and `to`; false if they are missing or in the wrong order. */
bool question_range(struct viewer *v, const struct question *q, struct time_range *range);

#define TIME_WANTED "a shorter time"
#define COLUMNS_WANTED "a number from 1 to 4000"

/* Tracks of a question, at most, and how to ask for them. */
#define TRACKS_MAX 1000
#define TRACKS_WANTED "numbers of tracks with commas, at most 1000"

/* Reads `tracks`: numbers with commas between them; false if there are none, or others. */
bool question_tracks(const struct question *q, uint32_t *tracks, size_t *count);

/* Replaces the answer by an error: the argument, and what is wanted. Returns 400. */
unsigned int answer_refuse(struct out *out, const char *name, const char *wanted);

struct near;
struct tile;
struct where;

enum answer_near {
	NEAR_READ,
	NEAR_TOO_MANY, /* items: more than the limit */
	NEAR_STOPPED, /* n->is_over */
	NEAR_NOT_OPENED, /* with the error */
	NEAR_NOT_YET, /* it has problems that the pass has not met yet */
	NEAR_CHANGED, /* it has problems that the pass did not meet */
};

/* Reads a part of the traces, with the session's selection. The items are all in NEAR_READ only. */
enum answer_near answer_read_near(struct viewer *v, struct near *n, struct read_error *error);

/* The reason for a tile whose items are not single ones. */
struct answer_far {
	const char *text; /* "": it is long */
	bool is_bad; /* something is wrong */
};

/* Writes a tile as the page reads it. `far` is NULL if its items are single ones. */
void answer_put_tile(
	struct viewer *v, const struct tile *t, const struct answer_far *far, struct out *out);

/* Replaces the answer, which is not wanted any more. Returns 503. */
unsigned int answer_stopped(struct out *out);

/* Returns the expression of a question; NULL, with the answer, if it is wrong or fits no event. */
struct where *answer_where(struct viewer *v, const struct question *q, struct out *out);

/* Limits a filter to a time, as far as the session selects it; the end is not included. */
void answer_limit(struct viewer *v, struct filter *f, int64_t from_ns, int64_t until_ns);

/* Each writes one answer and returns an HTTP status, as view_answer() does. */
unsigned int answer_trace(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_tile(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_event(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_curve(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_fields(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_lives(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_flow(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_sched(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_hits(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_overview(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_events(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_switch(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_find(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_select(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_flame(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_sql(struct viewer *v, const struct question *q, struct out *out);
unsigned int answer_queries(struct viewer *v, const struct question *q, struct out *out);

/* This build answers questions in SQL. */
extern const bool answer_has_sql;

/* Begins a stream. */
unsigned int answer_csv(struct viewer *v, const struct question *q, struct view_reply *reply);

#endif
