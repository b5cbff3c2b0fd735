/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a trace for one viewer, which gets it in pieces as it grows. The process writes
 * the file anew with each event that it declares; only the events behind the others are new. One
 * thread.
 */
#ifndef RELAY_METADATA_H
#define RELAY_METADATA_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "text/out.h"

struct relay_metadata {
	int folder; /* of the trace */
	int64_t real_ns; /* time 0 of the events, since 1970 */
	struct out text; /* as the viewer gets it: the first head, all events */
	size_t head; /* its length */
	size_t sent;
	struct stat look; /* of the file that was read last */
};

/*
 * Opens the metadata of the trace at a path. `real_ns`: time 0 of the events that the viewer gets,
 * in ns since 1970. False: errno says why.
 */
bool relay_metadata_open(struct relay_metadata *m, const char *path, int64_t real_ns);
void relay_metadata_close(struct relay_metadata *m);

/* Reads what is new in the file. Returns whether the viewer lacks some of the text. */
bool relay_metadata_look(struct relay_metadata *m);

/* Adds the next packet of metadata to `out`, and notes it as sent. Returns its size; 0: none. */
size_t relay_metadata_take(struct relay_metadata *m, const uint8_t uuid[16], struct out *out);

#endif
