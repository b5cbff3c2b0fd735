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
	uint64_t lost; /* events of the stream lost between the previous packet and this one's */
};

struct pairs {
	struct pair *items; /* stream by stream, in the order of the file */
	size_t count;
	uint64_t lost; /* total of all packets and streams */
	uint64_t streams;
	uint64_t packets;
};

/* Makes the native recorder record into that directory; ends the process on failure. */
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

/* Reads a trace directory; fails the test at any fault in it. */
void read_pairs(struct pairs *p, const char *directory);
void pairs_free(struct pairs *p);

/* Fails unless `who` has 0, 1, 2 ... once each, rising in each stream; returns their number. */
uint64_t check_each_once(const struct pairs *p, uint64_t who);

/* Fails if `who` has a number twice, or a falling one in a stream; returns how many it has. */
uint64_t check_none_twice(const struct pairs *p, uint64_t who);

/*
 * Fails unless each gap of the stream on which only `who` records counts exactly the missing
 * events; returns the number of recorded and reported events.
 */
uint64_t check_gaps(const struct pairs *p, uint64_t who);

#endif
