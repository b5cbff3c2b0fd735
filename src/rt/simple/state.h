/* SPDX-License-Identifier: MIT */
/*
 * The state of this process's consumer, and the configuration that control calls want: see state.c.
 */
#ifndef RT_SIMPLE_STATE_H
#define RT_SIMPLE_STATE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "rt/record/buffer.h"
#include "rt/record/consumer.h"
#include "rt/record/cursor.h"
#include "rt/simple/simple.h"

#define DRAIN_SOURCES 4096u

/* A cursor with records to take, in the heap of a pass. */
struct source {
	uint64_t ticks; /* of its next record */
	uint64_t horizon; /* later records stay for the next pass */
	struct cursor *cursor;
};

/* The consumer's state. */
struct simple_state {
	struct clock_pair last; /* the end of the clock's last segment */
	uint64_t told_unplaced; /* the part of lost_unplaced that was reported */
	uint64_t write_due; /* ns: the batch must be written then; 0: it is empty */
	uint64_t wait_ns;
	uint32_t count;
	struct source heap[DRAIN_SOURCES];
	char directory[PATH_MAX]; /* of the first event and the default file; "": unknown */
	struct simple_out out;
};

/* Returns this process's state; NULL while it has recorded nothing. */
struct simple_state *waymark_simple_current(void);

/* Makes the configuration the current one. Any thread, any signal handler. */
void waymark_simple_publish(struct simple_config *config);

/* Writes the path of the present file, as far as that is known. Any thread. */
void waymark_simple_put_path(char *path, size_t size);

/* Writes the name of the file that process `pid` has for `config` to `name`. */
void waymark_simple_name(
	const struct simple_config *config, uint32_t pid, uint32_t number, char *name, size_t size);

/* Returns the configuration that control calls set; NULL means the default file. Any thread. */
const struct simple_config *waymark_simple_config(void);
bool waymark_simple_is_off(void);

/* See struct waymark_sink. */
int waymark_simple_set_on(bool on, bool *was_on, struct waymark_error *error);

#endif
