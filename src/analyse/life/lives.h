/* SPDX-License-Identifier: MIT */
/*
 * The lives of objects: an object is a value of a field, such as the address of a request, and its
 * life is all events with that value, of one process unless `is_across`. Events that begin and end
 * lives divide the events of a value that is used again. Calls back when a life ends. Memory is
 * bounded by the lives open at one time, and the limits of analyse/life/paths.h. One thread.
 *
 * A life begins with its begin event if there is any, in the options or declared, else with the
 * first event. It ends with its end event if there is any, else before the next begin event, or
 * with the trace.
 */
#ifndef ANALYSE_LIVES_H
#define ANALYSE_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/match/fields.h"
#include "analyse/match/gaps.h"
#include "analyse/life/life_kinds.h"
#include "analyse/life/paths.h"
#include "analyse/match/tuples.h"
#include "read/reader.h"

enum life_outcome {
	LIFE_ENDED,
	LIFE_UNFINISHED, /* the trace ended, or the idle time was over, before its end event */
	LIFE_END_LOST, /* the same, but the end event may be among lost events */
	LIFE_BEGUN_TWICE, /* it began once more before its end event */
};

/* Which part of a life's time passed after a step, and before the next one. */
struct life_step {
	uint64_t ns; /* the sum, if a loop leads to the step several times */
	uint32_t count; /* of the events */
	uint32_t loops; /* bit n: a loop of n + 1 steps ended here */
};

struct life {
	const struct event_class *first; /* class of its first event */
	const struct event_class *last;
	struct life_step *steps;
	uint64_t number; /* from 1, by the order of beginnings */
	uint64_t begin_ns;
	uint64_t end_ns; /* time of its last event */
	uint64_t count; /* of its events */
	uint32_t step_count; /* as many as its path has */
	uint32_t path; /* of lives.paths */
	uint32_t pid; /* of the first event */
	uint32_t tid;
	uint32_t trace;
	uint32_t group; /* number of the first value of rules.per, from 1; 0: none */
	enum life_outcome outcome; /* set when it ends */
	bool is_doubtful; /* when it ends: a gap overlaps it, so it may lack steps */
	bool is_selected; /* an event passes `where` */
	bool is_restarted; /* no event ends it, and its whole path is a loop: several lives in one?
			    */
	uint32_t mark; /* for the caller; 0 at first */
	/* For lives.c only: */
	struct key key; /* its name: number of the kind */
	uint32_t step_room;
	uint32_t older; /* by the last event; also chains free lives */
	uint32_t newer;
};

struct where;

struct lives_options {
	struct life_rules rules;
	struct where *where; /* lives without an event for which it is true are dropped */
	field_text_fn *text; /* formats values */
	uint64_t idle_ns; /* a life ends when no event comes for longer; 0: it does not */
	size_t max_open; /* limit of the lives open at one time; more are an error */
	bool is_across; /* lives may be of several processes and traces */
	void *data; /* argument of the callbacks, which are optional */
	/* An event has become a step of a life, its last one. */
	void (*stepped)(void *data, struct life *life, const struct record *rec);
	/* A life has ended, and is valid until the return. */
	void (*ended)(void *data, const struct life *life);
};

struct lives {
	const struct lives_options *options;
	struct reader *reader;
	struct paths paths;
	struct gaps gaps; /* may be taken from an earlier pass, see gaps_take() */
	char error[512]; /* why nothing more can be added; "": no error */
	bool is_untold; /* the error is that the trace records no threads or no processes */
	uint64_t begun; /* number of lives so far */
	uint64_t unbegun; /* end events without a life that had begun */
	uint64_t begin_lost; /* the same, but the beginning may be among lost events */
	uint64_t outside; /* other events before a begin event or after an end event */
	uint64_t keyless; /* events whose key is cut or absent */
	size_t most_open;
	struct life_kinds kinds;
	struct texts groups; /* values of rules.per, by number - 1 */
	/* For lives.c only: */
	VEC(uint32_t) names; /* of the paths, by class index */
	struct tuples tuples; /* keys of open lives, unless one integer is the key */
	struct keys open; /* indices of `all` */
	VEC(struct life) all;
	uint32_t free; /* the first free item of `all`; its `older` is the next one */
	uint32_t oldest; /* of the open lives, if they end when idle; KEYS_NONE: none */
	uint32_t newest;
	struct field_bytes bytes; /* key of the current record */
	bool is_of_thread; /* all events of a life are of one thread */
};

void lives_init(struct lives *l, const struct lives_options *options, struct reader *reader);
void lives_fini(struct lives *l);

/* Examines the events known so far, to find wrong fields early. */
void lives_check(struct lives *l);

/* Adds a record, in the order of time; reads its values if they are needed. */
void lives_add(struct lives *l, const struct record *rec);

/* Ends the lives that are open when the trace ends. */
void lives_end(struct lives *l);

/*
 * Returns the value of a life's key as text, several values with commas, which the caller frees.
 * Call from a callback.
 */
char *lives_key_text(const struct lives *l, const struct life *life);

/* Returns the name of a life's kind; NULL if it is of rules.by. */
const char *lives_kind_name(const struct lives *l, const struct life *life);

#endif
