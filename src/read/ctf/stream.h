/* SPDX-License-Identifier: MIT */
/*
 * One stream of a native trace: its packets in sequence, out of its files
 * (mapped one at a time) and then out of what its process left in memory.
 * Between `pos` and `end` lie the events of one packet, whose header was
 * checked; nothing else is. Private to src/read/ctf.
 *
 * A stream is open from its first packet to its last: until then it costs no
 * descriptor and no mapping, so that a trace may have any number of them.
 */
#ifndef READ_CTF_STREAM_H
#define READ_CTF_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "format/packet.h"
#include "read/buffer.h"
#include "read/reader.h"

struct ctf_file {
	const char *name;
	uint64_t instance;
	uint64_t sequence; /* of its first packet */
	uint64_t begin; /* the same's timestamp */
	unsigned int piece;
};

/* What the streams of a trace have in common. */
struct ctf_trace {
	int directory;
	bool swap; /* the trace's byte order is not this host's */
	bool overwrites; /* and what a stream has lost before that was given up */
	bool continues; /* a stream may begin with any packet: those before are another trace's */
	uint8_t uuid[16];
	uint64_t last_ticks; /* that can be told in nanoseconds */
	struct buffer_source *buffer; /* NULL: nothing is left in memory */
	bool is_live; /* its process still writes: what is torn will be whole */
	bool is_bounded; /* what came before the last look at memory is all that is wanted */
	bool is_rotated; /* its files are pieces, of which old ones may have been removed */
};

/* Events that were read of a packet in memory: full=overwrite may count them among what it gives
 * up. */
struct ctf_credit {
	uint64_t sequence;
	uint64_t events;
};

/* No number of events. */
#define CTF_UNTOLD UINT64_MAX

struct ctf_stream {
	const unsigned char *pos; /* the next event */
	const unsigned char *end; /* of the packet's events, as far as they are there */
	uint64_t ticks; /* of the last event, or the packet's begin */
	uint64_t last_ticks; /* that an event of the packet may have */
	const unsigned char *packet; /* where the packet begins; NULL: it is done with */
	const unsigned char *begin; /* where what was read of it begins */
	uint64_t packet_offset; /* of it in its file, or in the buffer */
	uint32_t tid;
	bool is_waiting; /* in the heap */
	bool is_cut; /* the file ends before the packet's content does */
	bool has_gap; /* something is missing before this packet */
	bool has_broken; /* what was no packet lies before it */
	struct packet_header header; /* in this host's byte order */
	uint64_t instance;
	const struct ctf_file *files; /* in sequence */
	size_t file_count;
	size_t file; /* that is mapped; file_count: behind the last */
	unsigned char *map; /* NULL: none is */
	size_t map_size;
	size_t next; /* where its next packet begins */
	const char *at; /* the name of the file that `next` is a place of; NULL: none yet */
	bool is_pointed; /* its files were listed */
	bool is_reopened; /* they were listed again: packets out of memory may come again */
	size_t released; /* bytes of the map that were given back */
	unsigned int number; /* of the packet in the file, from 1 */
	const struct buffer_packet *left; /* not read yet; a part of the trace's scan */
	size_t left_count;
	uint64_t newest; /* sequence of these, when they were found; 0: there were none */
	bool is_passed; /* its file has more, which is not wanted */
	unsigned char *copy; /* of a packet of the buffer */
	uint64_t hole; /* the packet before which others are missing, as a second look said */
	bool is_open; /* the last packet was not closed when looked at: it may have got more */
	bool is_new; /* what lies before the first packet is not looked for */
	uint64_t sequence; /* of the last packet; 0: there was none */
	size_t resume; /* where its events go on that were not there yet; SIZE_MAX: nowhere */
	unsigned int waits; /* how often its next event's declaration was waited for */
	uint64_t discarded; /* events_discarded of the last packet */
	uint64_t told; /* the same of the last one in a file; CTF_UNTOLD: none was read */
	uint64_t evicted; /* of these: that full=overwrite gave up, as the process said last */
	uint64_t given_up; /* of these, since the last packet, at most; CTF_UNTOLD: by files */
	VEC(struct ctf_credit) credits; /* what was read out of memory, and may be given up yet */
	struct losses gap;
};

enum ctf_step {
	CTF_PACKET, /* the next packet's events lie between `pos` and `end` */
	CTF_TRAILING_GAP, /* there is no packet more, but a gap */
	CTF_LAST, /* there is nothing more */
	CTF_SKIPPED, /* its packets have left memory: list the files, ctf_stream_point() */
	CTF_BROKEN, /* what follows is no packet, as `error` says; the next call is behind it */
};

/* Goes to the next packet. */
enum ctf_step ctf_stream_next(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error);

/*
 * Gives the stream its files, as they are listed now. It goes on where it was, or
 * where its next packet must be.
 */
void ctf_stream_point(struct ctf_stream *s, const struct ctf_file *files, size_t count);

/* Words what is wrong with the packet at hand: `stream-3: packet 7 at byte N: ...`. */
void ctf_stream_fail(const struct ctf_stream *s, struct read_error *error, const char *fmt, ...)
	PRINTF(3, 4);

/* It has nothing more for now: costs no mapping, and knows what was read and told. */
void ctf_stream_rest(struct ctf_stream *s);

void ctf_stream_close(struct ctf_stream *s);

/* The packet at hand ends before its next event, until another look. */
void ctf_stream_hold(struct ctf_stream *s);

/* Notes that events of the last packet were read out of memory. */
void ctf_gap_credit(struct ctf_stream *s, uint64_t events);

/* The packet is in a file, so it is not given up. */
void ctf_gap_found(struct ctf_stream *s, uint64_t sequence);

/* Opens a file for reading; -1 with errno. */
int ctf_file_open(const struct ctf_file *f, const struct ctf_trace *t, uint64_t *size);

/* How large a file is; 0 when there is none. */
uint64_t ctf_file_size(const struct ctf_file *f, const struct ctf_trace *t);

/* For stream.c, left.c and gap.c: */

/* Sets what is missing before the packet; before the first one, since the trace's begin. */
void ctf_gap_note(struct ctf_stream *s, const struct ctf_trace *t);

/* The same behind the last packet: only the process's table tells. */
enum ctf_step ctf_gap_trailing(struct ctf_stream *s, const struct ctf_trace *t);

/* The next packet that no file holds, copied out of the buffer. */
enum ctf_step ctf_left_next(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error);

/* Whether memory has the packet behind the last one. */
bool ctf_left_has_next(const struct ctf_stream *s);

/* Whether a packet of that header and so much content has events that were not read. */
static inline bool ctf_stream_goes_on(
	const struct ctf_stream *s, const struct packet_header *h, uint64_t content)
{
	return h->sequence == s->sequence && s->sequence > 0 && content > s->resume;
}

/* Takes the packet whose header was checked, with `there` bytes of it at hand. */
void ctf_stream_take(
	struct ctf_stream *s, const struct ctf_trace *t, const unsigned char *packet, size_t there);

/* What follows is no packet. */
enum ctf_step ctf_stream_broken(struct ctf_stream *s, const char *why, struct read_error *error);

/* Where the place `p` in the packet is in its file. */
static inline uint64_t ctf_stream_offset(const struct ctf_stream *s, const unsigned char *p)
{
	return s->packet_offset + (uint64_t)(p - s->packet);
}

#endif
