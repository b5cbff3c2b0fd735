/* SPDX-License-Identifier: MIT */
/*
 * One run of `waymark track`: lives, their groups, and the few lives that are shown with all their
 * events. The parts are the command, the output, and the chosen lives.
 */
#ifndef CMD_REPORT_TRACK_H
#define CMD_REPORT_TRACK_H

#include "analyse/life/life_groups.h"
#include "analyse/life/lives.h"
#include "base/arena.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "view/lines.h"

/* Limit of the lives that are shown with their events, and of the events of each. */
#define TRACK_CHOSEN_MAX 1000
#define TRACK_LINES_MAX 1000

/* A life that is shown with its events. */
struct chosen_life {
	struct life life; /* with its own steps */
	char *key;
	struct out text; /* its lines */
	struct lines view;
	bool has_view;
	uint64_t lines;
};

/* The lives that come first in an order. */
struct chosen {
	bool is_oldest; /* those that began first; else those that took longest */
	size_t limit;
	VEC(struct chosen_life) all; /* in this order */
};

struct track {
	struct session session;
	struct report_options report;
	struct lives_options options;
	struct name_pattern from;
	struct name_pattern to;
	size_t steps; /* how many paths are shown with the times of their steps */
	struct arena arena; /* names of --by */
	struct lives lives;
	struct life_groups groups;
	struct chosen slowest;
	struct chosen unfinished;
	/* For track_chosen.c only: */
	struct lives again; /* of the pass that reads the lines */
	struct keys begins; /* of the chosen lives; values: 1 */
	const struct lines_style *style;
	struct reader *first_reader; /* of the lives, if the traces were read once more */
};

/* ---- track_chosen.c ---- */

/* Keeps a life that has ended if it is among the first ones. */
void chosen_offer(struct chosen *c, const struct lives *lives, const struct life *life);
void chosen_clear(struct chosen *c);
void chosen_fini(struct chosen *c);

/* Reads the traces once more for the events of the chosen lives. False if that is impossible. */
bool track_read_chosen(struct track *t);

/* ---- track_put.c ---- */

extern const char *const track_outcomes[]; /* words for programs, by enum life_outcome */

void track_put_text(struct track *t);

/* Return the first group whose lives ended, or did not, and how many of these are shown. */
const struct life_group *track_first(const struct track *t, bool has_ended);
size_t track_shown(const struct track *t, bool has_ended);

/* Return a path as text, which the caller frees. */
char *track_life_path(const struct track *t, const struct life *life);
char *track_group_path(const struct track *t, const struct life_group *group);

/* Returns the value of --per of a group; NULL: none. */
const char *track_group_text(const struct track *t, uint32_t group);

/* ---- track_data.c ---- */

void track_put_json(struct track *t);

/* With --histogram, too: a row for each path, and for each step of a path. */
void track_put_csv(struct track *t);

#endif
