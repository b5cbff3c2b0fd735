/* SPDX-License-Identifier: MIT */
/*
 * The values of a field over time: for each process a row of equally wide steps, with the least,
 * the largest and the last value of each. The steps become wider as time goes on, so memory is
 * bounded. One thread.
 */
#ifndef TIMELINE_CURVE_H
#define TIMELINE_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* Processes of a curve; the values of more are counted only. */
#define CURVE_ROWS_MAX 64

struct curve_cell {
	int64_t ns; /* time of the last value */
	double min;
	double max;
	double last;
	uint64_t count; /* of values; 0: the others mean nothing */
};

struct curve_row {
	uint32_t trace;
	uint32_t pid;
	struct curve_cell *cells;
	size_t count; /* up to the last one in use */
};

struct curve {
	int64_t first_ns;
	unsigned int shift; /* a step has 1 << shift ns */
	size_t steps; /* of a row, at most */
	VEC(struct curve_row) rows;
	uint64_t left; /* values of processes without a row */
};

void curve_init(struct curve *c, int64_t first_ns, unsigned int shift, size_t steps);
void curve_fini(struct curve *c);

/* Returns the row of a process, from 0; makes it. SIZE_MAX: there are too many. */
size_t curve_row(struct curve *c, uint32_t trace, uint32_t pid);

/* Adds a value of a row, of which the times grow. */
void curve_add(struct curve *c, size_t row, int64_t ns, double value);

/* Adds to a cell what a later one has. */
void curve_merge(struct curve_cell *to, const struct curve_cell *from);

/* Returns the begin of the step of a time. */
int64_t curve_step_ns(const struct curve *c, int64_t ns);

/* Returns the last cell of a row whose step ends before a time; NULL: there is none. */
const struct curve_cell *curve_before(const struct curve *c, size_t row, int64_t ns);

#endif
