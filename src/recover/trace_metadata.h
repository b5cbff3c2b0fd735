/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a trace that is mended: read (read/ctf/metadata.h), written anew with a better
 * clock, and asked how long the events of a packet are. For the recovery and the drain. One thread.
 */
#ifndef RECOVER_TRACE_METADATA_H
#define RECOVER_TRACE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/ctf/metadata.h"

struct trace_metadata {
	struct ctf_metadata ctf;
	VEC(const struct record_layout *) by_id; /* how arguments lie; NULL: no event has this id */
};

void trace_metadata_init(struct trace_metadata *m);
void trace_metadata_fini(struct trace_metadata *m);

/*
 * Reads the metadata of the trace in the folder `directory`, or what was appended since it was
 * read. False, with the reason, where packets cannot be read with it.
 */
bool trace_metadata_read(struct trace_metadata *m, int directory, struct read_error *error);

/* The end of a trace, for its metadata. */
struct trace_end {
	uint32_t ended; /* enum ctf_ended */
	struct buffer_clock begin; /* the first and the last reading of its clocks; all zero: */
	struct buffer_clock last; /* not known better than the metadata has them */
};

/*
 * Writes the whole declarations with this end, and the clock that follows from it. Returns 0 or an
 * errno. *changed is set where the file differed.
 */
int trace_metadata_write(
	const struct trace_metadata *m, int directory, const struct trace_end *end, bool *changed);

/* The events that a packet holds. */
struct packet_walk {
	uint64_t events;
	uint64_t last; /* ticks of the last one; timestamp_begin where there is none */
	size_t content; /* bytes up to the end of the last one that is whole */
};

/* Goes through the events of a packet of which `n` bytes exist. */
struct packet_walk packet_walk(
	const struct trace_metadata *m, const unsigned char *packet, size_t n);

#endif
