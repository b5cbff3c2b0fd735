/* SPDX-License-Identifier: MIT */
/*
 * What pairs of records took, in numbers: a row for each name, or for each name and thread or
 * whatever else groups them. Rows are found by a key and sorted at the end; says nothing
 * itself. One thread.
 */
#ifndef ANALYSE_REPORT_H
#define ANALYSE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/distribution.h"
#include "read/keys.h"
#include "base/vec.h"

/* What did not become a span. */
struct unpaired {
	uint64_t unfinished; /* begun, and the trace has ended first */
	uint64_t end_lost; /* the same, but for lost events there could be an end */
	uint64_t unbegun; /* ended, but begun before the trace, or by a process that forked */
	uint64_t begin_lost; /* the same, but for lost events there could be a beginning */
	uint64_t begun_twice; /* with one number, as after an end that is lost */
};

struct report_row {
	const char *name; /* of what began; NULL: of nothing, ends came without */
	const char *to; /* of reports that name ends, the end; NULL: there was none */
	char *group; /* NULL: rows have none */
	uint64_t self_ns; /* of reports that have it */
	struct unpaired unpaired;
	struct distribution *lengths; /* in ns, of what ended; NULL: nothing has */
};

struct report {
	VEC(struct report_row) rows;
	struct unpaired unpaired; /* of all rows that report_end() keeps */
	const char *group; /* what a row's group is: "pid"; NULL: they have none */
	bool has_to; /* names are those of two events; the two numbers below are for such */
	uint64_t keyless; /* records of either event whose values are not all there */
	uint64_t most_open; /* that were begun at one time */
	bool has_self;
	struct keys by_key;
};

void report_fini(struct report *r);

/* The row of a key; `is_new`: it was made now, and has no name. Valid until the next call. */
struct report_row *report_row(struct report *r, const struct key *key, bool *is_new);

/* Adds the length of one span. */
void report_add(struct report_row *row, uint64_t ns);

enum report_order {
	REPORT_TOTAL,
	REPORT_COUNT,
	REPORT_AVERAGE,
	REPORT_MAX,
	REPORT_SELF,
};

/* Sorts the rows, the greatest first, and adds up what is unpaired: no more rows are found. */
void report_end(struct report *r, enum report_order order);

/* Before report_end(): only rows for which `is_wanted` says so are kept. */
void report_keep(
	struct report *r, bool (*is_wanted)(void *data, const struct report_row *row), void *data);

#endif
