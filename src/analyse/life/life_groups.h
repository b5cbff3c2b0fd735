/* SPDX-License-Identifier: MIT */
/*
 * Lives grouped by their path and their end: how many, how long, and the time after each step.
 * Lives that overlap lost events are in groups of their own. The number of groups is limited; the
 * rest is of the path PATHS_OTHER. One thread.
 */
#ifndef ANALYSE_LIFE_GROUPS_H
#define ANALYSE_LIFE_GROUPS_H

#include "analyse/life/lives.h"
#include "analyse/numbers/report.h"

#define LIFE_GROUPS_MAX 1000

struct life_group {
	struct report_row row; /* the lengths of its lives; its name is not set */
	uint32_t path;
	uint32_t per; /* life.group */
	enum life_outcome outcome;
	bool is_doubtful;
	uint32_t step_count;
	struct path_part *parts; /* for each step */
	struct distribution *times; /* after each step until the next one, for each life */
};

struct life_groups {
	VEC(struct life_group) all;
	struct keys by_key;
	struct unpaired unpaired; /* lives that did not end */
	uint64_t doubtful; /* lives that ended, but overlap lost events */
	uint64_t restarted; /* lives of which is_restarted is true */
	const struct event_class *restarted_by; /* the first event of one of them */
};

void life_groups_fini(struct life_groups *g);

/* Adds a life that has ended. */
void life_groups_add(struct life_groups *g, const struct life *life);

/* Sorts the groups: those that ended first, in this order. No life_groups_add() afterwards. */
void life_groups_sort(struct life_groups *g, enum report_order order);

#endif
