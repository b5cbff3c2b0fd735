/* SPDX-License-Identifier: MIT */
/*
 * Decodes the pairs (support.h) in a native trace's stream files, without any code of
 * libwaymark-reader: an unexpected byte fails the test, and so does a packet out of
 * sequence or a time outside of its packet.
 */
#ifndef TESTS_RECORDER_CTF_PAIRS_H
#define TESTS_RECORDER_CTF_PAIRS_H

#include "support.h"

struct pair {
	uint64_t stream;
	uint64_t who;
	uint64_t i;
	uint64_t ticks; /* the lower 48 bits, as recorded */
	uint64_t lost; /* of the stream, before this one's packet and behind the one before */
};

struct pairs {
	struct pair *items; /* stream by stream, in the order of the file */
	size_t count;
	uint64_t lost; /* all that the packets tell, of all streams */
	uint64_t streams;
	uint64_t packets;
};

/* Has the native recorder record into that directory; ends the process where it cannot. */
void begin_pairs(const char *directory, enum recorder_policy policy, uint64_t buffer);

/* Records a pair with the native recorder. */
static inline void trace_ctf(uint64_t who, uint64_t i)
{
	struct waymark_record r;

	if (waymark_record_begin(&r, WAYMARK_RECORDER_CTF, &event_pair, 2 * (8 + 8))) {
		waymark_record_value(&r, &who, sizeof(who));
		waymark_record_value(&r, &i, sizeof(i));
		waymark_record_end(&r);
	}
}

/* Reads a trace directory; fails the test if anything in it is not as it must be. */
void read_pairs(struct pairs *p, const char *directory);
void pairs_free(struct pairs *p);

/* Fails unless `who` is 0, 1, 2 ... each once, rising in each stream; returns how many. */
uint64_t check_each_once(const struct pairs *p, uint64_t who);

/* Fails if any of `who` is there twice or falls within a stream; returns how many there are. */
uint64_t check_none_twice(const struct pairs *p, uint64_t who);

/*
 * Fails unless each gap of the stream on which only `who` records counts exactly what is missing
 * there; returns how many are there or told of.
 */
uint64_t check_gaps(const struct pairs *p, uint64_t who);

#endif
