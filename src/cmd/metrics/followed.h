/* SPDX-License-Identifier: MIT */
/*
 * The processes whose traces are followed for their latencies: found, read in turns, and forgotten
 * some time after their end, so that a scrape can still have the last of it. One thread at a time.
 */
#ifndef CMD_METRICS_FOLLOWED_H
#define CMD_METRICS_FOLLOWED_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/rates.h"
#include "base/vec.h"
#include "recover/leftover.h"

struct followed_process {
	uint32_t pid;
	char command[64];
	char directory[BUFFER_FILE_PATH_BYTES]; /* of its trace */
	struct reader *reader; /* NULL: the trace has ended, or cannot be read */
	uint64_t seen_ns; /* when it was last seen alive, or its trace to end */
	struct rates rates;
};

struct followed {
	const char *command; /* reports what cannot be read */
	enum reader_follow follow; /* of the traces that are found next */
	VEC(struct followed_process *) all; /* in the order in which they were found */
};

void followed_fini(struct followed *f);

/*
 * Looks for processes with a trace. With FOLLOW_NEW, those that are found later are read from the
 * beginning of their trace.
 */
void followed_find(struct followed *f);

/* Reads each trace for its turn. Returns whether more may be there now. */
bool followed_read(struct followed *f);

#endif
