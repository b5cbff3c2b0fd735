/* SPDX-License-Identifier: MIT */
/*
 * One run of `waymark diff`: its traces are read one after the other, each into rows of
 * analyse/changes.h. The parts are the command, the reading, and the output.
 */
#ifndef CMD_REPORT_DIFF_H
#define CMD_REPORT_DIFF_H

#include "analyse/changes.h"
#include "cmd/columns.h"
#include "cmd/report/pair_options.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "view/flamegraph/flamegraph.h"

/* A trace that was read, in numbers. */
struct diff_run {
	const char *path;
	enum change_side side;
	uint64_t events;
	struct losses losses;
	double seconds;
};

struct diff {
	struct session session;
	struct report_options report;
	struct pair_options pairs;
	VEC(char *) paths[CHANGE_SIDES]; /* of --a and --b, then of the words */
	VEC(char *) all; /* the paths before, then those after, then NULL */
	VEC(struct diff_run) runs; /* those that were read */
	struct changes changes;
	struct flamegraph flames;
	const char *flamegraph; /* the file of --flamegraph; NULL: none */
	enum changes_order order;
	double level; /* of significance */
	double bound; /* of --fail-above, in percent; below 0: none */
	bool is_bound_up; /* only increases are beyond it */
	bool has_noise; /* --all */
	uint64_t pairs_found; /* with --from: number of pairs */
};

/* ---- diff_read.c ---- */

/*
 * Reads the trace of an index in `all`. Returns false if there is nothing to compare, which was
 * reported.
 */
bool diff_read(struct diff *d, size_t index, enum change_side side);

/* ---- diff_put.c ---- */

extern const char *const diff_kinds[]; /* words for programs and people, by enum change_kind */

void diff_put_text(struct diff *d);

/* Writes a change as `+12.3 %`, `new` or `gone`. */
#define DIFF_CHANGE_SIZE 32
void diff_change_text(char text[DIFF_CHANGE_SIZE], double ratio);

/* Writes a rate, as `123/s`. */
void diff_rate_text(char text[COLUMNS_TIME_SIZE], double rate);

/* Returns the number of rows that are printed: significant ones, with --all the others, too. */
bool diff_is_shown(const struct diff *d, const struct change *row);

void diff_put_json(struct diff *d);
void diff_put_csv(struct diff *d);

#endif
