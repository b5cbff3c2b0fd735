/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a trace under repair: reads it (read/ctf/metadata.h), writes it with a better
 * clock, and measures the events of a packet with it. For the recovery and the drain. One thread.
 */
#ifndef RECOVER_TRACE_METADATA_H
#define RECOVER_TRACE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/ctf/metadata.h"

struct trace_metadata {
	struct ctf_metadata ctf;
	VEC(const struct record_layout *) by_id; /* layouts of arguments; NULL: no such event */
};

void trace_metadata_init(struct trace_metadata *m);
void trace_metadata_fini(struct trace_metadata *m);

/*
 * Reads the metadata of the trace in the folder `directory`, or the part appended since the last
 * call. Returns false, with the reason, if packets cannot be read with it.
 */
bool trace_metadata_read(struct trace_metadata *m, int directory, struct read_error *error);

/* The end of a trace, for its metadata. */
struct trace_end {
	uint32_t ended; /* enum ctf_ended */
	struct buffer_clock begin; /* first and last reading of its clocks; all zero: */
	struct buffer_clock last; /* the metadata's own readings are the best known */
	const char *host; /* whose clock their real times are of; NULL: the trace's own */
	uint64_t host_error; /* largest error of these, in ns */
};

/*
 * Writes the whole declarations with this end, and the clock computed from it. Returns 0 or an
 * errno. Sets *changed if the file differed.
 */
int trace_metadata_write(
	const struct trace_metadata *m, int directory, const struct trace_end *end, bool *changed);

/* The events of a packet. */
struct packet_walk {
	uint64_t events;
	uint64_t last; /* ticks of the last event; timestamp_begin if there is none */
	size_t content; /* bytes up to the end of the last whole event */
};

/* Measures the events of a packet of which `n` bytes exist. */
struct packet_walk packet_walk(
	const struct trace_metadata *m, const unsigned char *packet, size_t n);

#endif
