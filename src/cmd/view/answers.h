/* SPDX-License-Identifier: MIT */
/*
 * The answers to the page's questions, in JSON. Times are in ns since the first record of the
 * traces, which JavaScript's numbers hold exactly up to a hundred days.
 */
#ifndef CMD_VIEW_ANSWERS_H
#define CMD_VIEW_ANSWERS_H

#include "cmd/view/view.h"

/* A time of the traces, which is not empty. */
struct time_range {
	int64_t from;
	int64_t to;
};

/* Reads a decimal number of at most 18 digits; false: it is missing or is none. */
bool question_number(const struct question *q, const char *name, uint64_t *number);

/* Reads `from` and `to`; false if they are missing or in the wrong order. */
bool question_range(struct viewer *v, const struct question *q, struct time_range *range);

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

/* Reads a part of the traces, with the session's selection; false if that is not possible. */
bool answer_read_near(struct viewer *v, struct near *n);

/* Writes a tile as the page reads it. `is_near`: it was read, its items are single ones. */
void answer_put_tile(struct viewer *v, const struct tile *t, bool is_near, struct out *out);

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
