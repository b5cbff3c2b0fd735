/* SPDX-License-Identifier: MIT */
/*
 * A pass over the traces in a thread of its own, for what a user asks beyond the levels. Its
 * results are guarded by its lock.
 */
#ifndef CMD_VIEW_ANSWER_BESIDE_H
#define CMD_VIEW_ANSWER_BESIDE_H

#include "cmd/view/viewer/viewer.h"

struct view_pass_style {
	/* True if the pass wants events of a class; NULL: all. */
	bool (*needs)(void *data, const struct event_class *class);
	/* Called by the thread, with the lock: */
	void (*begin)(void *data, struct reader *r); /* may be NULL */
	void (*add)(void *data, struct reader *r, const struct record *rec);
	void (*end)(void *data); /* after the last record, with the reader; may be NULL */
};

struct view_pass {
	struct viewer *viewer;
	const struct view_pass_style *style;
	void *data;
	pthread_mutex_t lock;
	pthread_t thread;
	bool has_thread;
	bool is_stopped; /* atomic */
	bool is_done; /* all was read, or it cannot be read */
};

void view_pass_begin(struct view_pass *p);

/* Waits until all was read. Only if no other thread asks. */
void view_pass_wait(struct view_pass *p);

/* Ends the thread, wherever it is. */
void view_pass_end(struct view_pass *p);

#endif
