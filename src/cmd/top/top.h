/* SPDX-License-Identifier: MIT */
/* Parts of `waymark top`, see waymark_top.c. */
#ifndef CMD_TOP_TOP_H
#define CMD_TOP_TOP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analyse/aggregates.h"
#include "analyse/rate_rows.h"
#include "analyse/rates.h"
#include "read/reader.h"
#include "recover/leftover.h"
#include "text/out.h"

#define TOP_NAME "waymark top"

/* Wait between two rounds of reading; a shorter one while events are overwritten. */
#define TOP_ROUND_MS 100u
#define TOP_ROUND_MIN_MS 10u

struct top_options {
	const char *target; /* NULL: all processes */
	const char *
		per; /* field whose values are counted; NULL: those of events that the user opens */
	uint64_t interval_ns;
	bool is_once;
	bool is_json;
	struct name_pattern filter;
	struct rates_view view; /* its filter is `filter`, or NULL */
};

/* ---- processes.c: the processes that record ---- */

/* A process, and its rate since the last look. */
struct top_process {
	struct leftover it; /* its strings are the list's */
	bool has_rate;
	double rate; /* events a second */
};

struct top_processes {
	struct leftovers found;
	VEC(struct top_process) all; /* processes of this user that record; for root all users' */
};

/* Finds the processes. With the list of before, which is freed, sets their rates. */
void top_processes_find(struct top_processes *list);
void top_processes_fini(struct top_processes *list);
void top_processes_sort(struct top_processes *list, enum rates_order order);

/*
 * Finds the process that `target` means: a pid, a program's name or a part of it, a trace's
 * directory. Sets *found, whose path the caller frees; its pid is 0 if only the directory is known.
 * Returns false with the reason and advice in `error`.
 */
bool top_process_find(const char *target, struct leftover *found, struct read_error *error);

/* ---- watch.c: one process ---- */

enum watch_state {
	WATCH_WAITS, /* it has no trace yet */
	WATCH_RECORDS,
	WATCH_ENDED,
	WATCH_FAILED, /* `error` says why nothing more can be read */
};

struct watch {
	enum watch_state state;
	struct leftover process;
	struct reader *reader; /* NULL: none yet */
	struct rates rates;
	struct aggregates aggregates; /* those whose values changed since the watch began */
	struct read_error error; /* of WATCH_FAILED, else of the last problem */
	uint64_t problems; /* records that could not be read */
	int64_t at_ns; /* all events up to that time were counted */
	bool was_awaited; /* it had no trace at first: all that its trace has is new */
	bool is_behind; /* the last call left events unread */
	bool has_overwritten; /* the last window lost events that were read too late */
	/* Events that were skipped, as reading them was too slow; rates.skipped_ns is their time:
	 */
	uint64_t skipped_events; /* about */
	bool is_skipped_unknown; /* a part of them was not counted */
	uint64_t recorded; /* the process's count when the reader was opened; */
	uint64_t counted; /* our count then */
};

/* Begins to watch a process; takes its path. `per` as in struct top_options. */
void watch_init(struct watch *w, const struct leftover *process, const char *per);
void watch_fini(struct watch *w);

/* Counts the events that are there, until `until_ns` of CLOCK_MONOTONIC. */
void watch_read(struct watch *w, uint64_t until_ns);

/* Ends the window, and reads the process's own counts. */
void watch_turn(struct watch *w);

/* Ends the last window of an ended process; keeps the one before if the last is much shorter. */
void watch_end(struct watch *w, uint64_t interval_ns);

/* Makes the rows of the last window. */
void watch_rows(const struct watch *w, const struct rates_view *view, struct rates_rows *rows);

/* Returns the nanoseconds between the events that were read last and now. */
uint64_t watch_lag(const struct watch *w);

/* Returns the wait until the next round, in milliseconds. */
unsigned int watch_pause(const struct watch *w);

/* ---- table.c: text and JSON ---- */

/* Prints lines about a process: at least one, of which the first says the most. */
void top_put_state(FILE *to, const struct watch *w, const struct rates_view *view);

/* Prints a table of rows, with the columns that fit into `width`. */
void top_put_rows(FILE *to, const struct rates_rows *rows, int width);
void top_put_processes(FILE *to, const struct top_processes *list, int width);

/* Prints the tables of what the process has added up. */
void top_put_aggregates(FILE *to, const struct watch *w);

void top_put_json(struct out *out, const struct watch *w, const struct rates_view *view);
void top_put_processes_json(struct out *out, const struct top_processes *list);

extern const char *const top_orders[];
extern const char *const top_bys[];
#define TOP_ORDERS 5
#define TOP_BYS 3

/* ---- pause.c: waiting for time, keys and signals ---- */

enum top_event { TOP_TIME, TOP_KEY, TOP_END };

/* Lets SIGINT, SIGTERM and SIGHUP end the waits. Returns a descriptor for top_pause(). */
int top_catch_signals(void);

/* Waits; `keys` is a descriptor, -1: none. */
enum top_event top_pause(int signals, int keys, unsigned int ms);

/* ---- waymark_top.c ---- */

/* Begins to watch the target; false if it cannot be watched, reported. */
bool top_open(struct watch *w, const struct top_options *o);

/* ---- screen.c, or no_screen.c ---- */

/* Shows all on the terminal until the user ends it; returns the exit status. */
int top_screen(struct top_options *o);

#endif
