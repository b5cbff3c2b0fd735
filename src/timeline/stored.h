/* SPDX-License-Identifier: MIT */
/*
 * Finished levels as the bytes of a file, for a cache. A file of another version, of other traces
 * or a damaged one is refused: its length and checksum, its key and each number are checked. The
 * bytes are of this host's order; the key must name the program's version.
 */
#ifndef TIMELINE_STORED_H
#define TIMELINE_STORED_H

#include "timeline/levels.h"

/*
 * Writes the levels to an empty file. Returns false with errno if that fails; ECANCELED: *is_ended,
 * which is atomic, has become true.
 */
bool levels_store(const struct levels *l, const char *key, int fd, const bool *is_ended);

/*
 * Makes levels of those bytes; `l` must be new. Returns false, and `l` must be made anew, if they
 * are not the levels of the key, or damaged.
 */
bool levels_restore(struct levels *l, const char *key, const void *bytes, size_t size);

#endif
