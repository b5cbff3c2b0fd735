/* SPDX-License-Identifier: MIT */
/*
 * The user's cache of finished levels: a file for each traces and selection, in
 * $XDG_CACHE_HOME/waymark or ~/.cache/waymark. A file gets its name when it is complete; all
 * together have at most 1 GiB, the ones that were not used for the longest time are removed first.
 * Without a cache, or if its file is damaged, the traces are read. Used by the thread of the pass.
 */
#ifndef CMD_VIEW_VIEWER_CACHE_H
#define CMD_VIEW_VIEWER_CACHE_H

#include "cmd/view/viewer/viewer.h"

struct cache {
	struct viewer *viewer;
	struct out key; /* the traces' files and the selection, as text */
	char *directory; /* NULL: there is no cache */
	char *path; /* of the file */
};

/* Finds the file of the traces. */
void cache_init(struct cache *c, struct viewer *v);
void cache_fini(struct cache *c);

/* Restores the viewer's levels; false, and they are new, if the cache does not have them. */
bool cache_load(struct cache *c);

/* Stores the viewer's finished levels; reports why if it cannot. */
void cache_save(struct cache *c);

#endif
