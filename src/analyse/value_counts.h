/* SPDX-License-Identifier: MIT */
/*
 * How often each value of a field happens, in all and in the last window. Memory is bounded: at
 * most VALUE_COUNTS_MAX values are kept. When there is a new one, the half of them with the fewest
 * events in this window and the last one is given up, and counts among the others. One thread.
 */
#ifndef ANALYSE_VALUE_COUNTS_H
#define ANALYSE_VALUE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/match/tuples.h"
#include "base/vec.h"

#define VALUE_COUNTS_MAX 4096u

/* Longer values count among the others. */
#define VALUE_COUNTS_BYTES_MAX 256u

struct value_count {
	char *text; /* NULL: no value */
	uint64_t events;
	uint64_t before; /* events at the end of the last window */
	uint64_t window; /* events in the last window */
};

/* Empty when zeroed. */
struct value_counts {
	struct value_count others; /* all values that are not kept */
	VEC(struct value_count) all; /* by number in `tuples` */
	/* For value_counts.c only: */
	size_t kept;
	struct tuples tuples;
};

void value_counts_fini(struct value_counts *c);

/* Counts an event of the value with these bytes; false if the value is not kept. */
bool value_counts_add(struct value_counts *c, const char *bytes, size_t size);

/* Keeps a new value, with its first event. Takes the text. */
void value_counts_keep(struct value_counts *c, const char *bytes, size_t size, char *text);

/* Ends the window. */
void value_counts_turn(struct value_counts *c);

#endif
