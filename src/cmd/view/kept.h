/* SPDX-License-Identifier: MIT */
/*
 * The tracks of a saved page: all, or those whose names match. A process stands for all of its
 * tracks. One thread.
 */
#ifndef CMD_VIEW_KEPT_H
#define CMD_VIEW_KEPT_H

#include "cmd/view/viewer/viewer.h"

#define KEPT_NAME 1024

struct kept_names {
	VEC(char *) all;
};

struct kept {
	VEC(struct name_pattern) patterns; /* none: all tracks */
	struct kept_names names; /* that match */
	char *list; /* the text of the patterns */
};

/* Reads names with commas; false, with the reason in `why`, if one is no pattern. */
bool kept_read(struct kept *c, const char *list, char *why, size_t size);
void kept_fini(struct kept *c);

/* Finds the names; false, reported, if a pattern matches none. Call after the pass. */
bool kept_find(struct kept *c, struct viewer *v);

/* True if a track is one of them, by its name or its process's. */
bool kept_has_track(const struct kept *c, const struct levels *l, const struct level_track *t);

/* Writes the names as JSON; null: all tracks. */
void kept_put(const struct kept *c, struct out *out);

#endif
