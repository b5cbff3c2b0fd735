/* SPDX-License-Identifier: MIT */
/*
 * The records of a time, and of some threads, for one answer: what `waymark print` selects with
 * --since and --until. Ends early when the answer is not wanted any more. One thread.
 */
#ifndef CMD_VIEW_ANSWER_PART_H
#define CMD_VIEW_ANSWER_PART_H

#include "cmd/view/answer/answers.h"
#include "cmd/view/answer/running.h"
#include "read/filter.h"
#include "read/keys.h"

struct part {
	struct reader *reader;
	struct filter filter;
	volatile sig_atomic_t *is_over;
	int64_t from_ns; /* of the question */
	int64_t to_ns;
	struct keys threads; /* the only ones; values: 1 */
	bool has_threads; /* there is such a choice */
	bool is_begun; /* records were read */
	bool is_resumed; /* scopes that began before the time are known */
	uint64_t problems; /* records that could not be read */
};

/*
 * Opens the part that a question names by `from`, `to` and, unless it is missing, `tracks`. Returns
 * 200, or another status with the answer, and nothing to close.
 */
unsigned int part_open(struct part *p, struct viewer *v, const struct question *q, struct out *out);
void part_close(struct part *p);

/*
 * Reads also before the time, from where it is known which scopes are open, and calls `resume` for
 * each of them; unless the pass has not come to the time, which may be far away from there. Call
 * before the first record.
 */
void part_resume(struct part *p, struct viewer *v,
	void (*resume)(
		void *data, const struct level_scope *scope, const struct event_class *class),
	void *data);

/* Returns the next records, at most SESSION_FEW, valid until the next call; 0 at the end. */
size_t part_next(struct part *p, struct record *records);

/* True if the answer is not wanted any more, and incomplete. */
static inline bool part_is_over(const struct part *p)
{
	return running_is_over(p->is_over);
}

#endif
