/* SPDX-License-Identifier: MIT */
/*
 * One stream of a native trace: its packets in sequence, out of its files
 * (mapped one at a time) and then out of its process's memory. The events of
 * one packet, whose header was checked, lie between `pos` and `end`; nothing
 * else does. Private to src/read/ctf.
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
	uint64_t begin; /* timestamp of its first packet */
	unsigned int piece; /* number of the file in a rotated trace */
};

/* State that the streams of a trace share. */
struct ctf_trace {
	int directory;
	bool swap; /* the trace's byte order is not this host's */
	bool overwrites; /* losses before a stream's first packet were overwritten events */
	bool continues; /* a stream may begin with any packet: another trace has those before */
	uint8_t uuid[16];
	uint64_t last_ticks; /* the largest that can be converted to nanoseconds */
	struct buffer_source *buffer; /* NULL: nothing is left in memory */
	bool is_live; /* its process still writes: a torn packet will be whole */
	bool is_bounded; /* read only what came before the last scan of memory */
	bool is_rotated; /* old files may have been removed */
};

/* Events that were read out of a packet in memory, which may be overwritten later. */
struct ctf_credit {
	uint64_t sequence;
	uint64_t events;
};

/* In place of a number of events. */
#define CTF_UNKNOWN UINT64_MAX

struct ctf_stream {
	const unsigned char *pos; /* the next event */
	const unsigned char *end; /* of the packet's events, as far as they are there */
	uint64_t ticks; /* of the last event, or the packet's begin */
	uint64_t last_ticks; /* the largest that an event of the packet may have */
	const unsigned char *packet; /* begin of the open packet; NULL: none is open */
	const unsigned char *begin; /* of the part of it that is read now */
	uint64_t packet_offset; /* in its file, or in the buffer */
	uint32_t tid;
	bool is_waiting; /* in the heap */
	bool is_cut; /* the file ends before the packet's content does */
	bool has_gap; /* `gap` is to be reported before this packet */
	bool has_broken; /* bytes that are no packet lie before it */
	struct packet_header header; /* in this host's byte order */
	uint64_t instance;
	const struct ctf_file *files; /* in sequence */
	size_t file_count;
	size_t file; /* index of the current one; file_count: all were read */
	unsigned char *map; /* of the current file; NULL: none */
	size_t map_size;
	size_t next; /* offset of the next packet in the file named `at` */
	const char *at; /* NULL: no file was begun */
	bool is_pointed; /* its files were listed */
	bool is_reopened; /* they were listed again: packets out of memory may come again */
	size_t released; /* bytes of the map that were given back */
	unsigned int number; /* of the packet in the file, from 1 */
	const struct buffer_packet
		*left; /* packets in memory, not read yet; in the buffer's scan */
	size_t left_count;
	uint64_t newest; /* sequence of the last of them when scanned; 0: there were none */
	bool is_passed; /* its file has more packets, which are not wanted */
	unsigned char *copy; /* of a packet in memory */
	uint64_t hole; /* sequence of the packet before which others are missing for sure */
	bool is_open; /* the last packet was open when read: it may have grown */
	bool is_new; /* nothing before its first packet is read or reported */
	uint64_t sequence; /* of the last packet; 0: there was none */
	size_t resume; /* offset of the first unread event of the last packet; SIZE_MAX: none */
	unsigned int waits; /* rounds that the next event waited for its declaration */
	uint64_t discarded; /* events_discarded of the last packet */
	uint64_t file_discarded; /* of the last packet in a file; CTF_UNKNOWN: none was read */
	uint64_t evicted; /* part of `discarded` that was overwritten, as the process said last */
	uint64_t overwritten; /* since the last packet, at most; CTF_UNKNOWN: of a file's packet */
	VEC(struct ctf_credit) credits; /* oldest first */
	struct losses gap;
};

enum ctf_step {
	CTF_PACKET, /* the next packet's events lie between `pos` and `end` */
	CTF_TRAILING_GAP, /* no packet is left, but a gap */
	CTF_LAST, /* nothing is left */
	CTF_SKIPPED, /* packets have left memory: list the files, ctf_stream_point() */
	CTF_BROKEN, /* the next bytes are no packet, as `error` says; the next call skips them */
};

/* Goes to the next packet. */
enum ctf_step ctf_stream_next(
	struct ctf_stream *s, const struct ctf_trace *t, struct read_error *error);

/*
 * Gives the stream its files, as they are listed now. It goes on where it was, or
 * where its next packet must be.
 */
void ctf_stream_point(struct ctf_stream *s, const struct ctf_file *files, size_t count);

/* Sets an error about the current packet: `stream-3: packet 7 at byte N: ...`. */
void ctf_stream_fail(const struct ctf_stream *s, struct read_error *error, const char *fmt, ...)
	PRINTF(3, 4);

/* Frees the mapping and the copy until more comes; remembers what was read and reported. */
void ctf_stream_rest(struct ctf_stream *s);
void ctf_stream_close(struct ctf_stream *s);

/* Ends the current packet before its next event; ctf_stream_next() reads it again. */
void ctf_stream_hold(struct ctf_stream *s);

/* True if a packet with that header and `content` bytes has unread events. */
static inline bool ctf_stream_goes_on(
	const struct ctf_stream *s, const struct packet_header *h, uint64_t content)
{
	return h->sequence == s->sequence && s->sequence > 0 && content > s->resume;
}

/* The offset in its file of a place in the packet. */
static inline uint64_t ctf_stream_offset(const struct ctf_stream *s, const unsigned char *p)
{
	return s->packet_offset + (uint64_t)(p - s->packet);
}

/* Opens a stream file; -1 with errno. */
int ctf_file_open(const struct ctf_file *f, const struct ctf_trace *t, uint64_t *size);

/* A file's size; 0 if there is none. */
uint64_t ctf_file_size(const struct ctf_file *f, const struct ctf_trace *t);

/* True if `left` bytes begin as a packet of the trace. */
bool ctf_packet_begins(const unsigned char *bytes, size_t left, const struct ctf_trace *t);

/* Loads a header in this host's byte order. */
void ctf_packet_load(struct packet_header *h, const unsigned char *bytes, bool swap);

/* ---- gap.c: the events and packets that are missing ---- */

/* Notes that events of the last packet were read out of memory. */
void ctf_gap_credit(struct ctf_stream *s, uint64_t events);

/* Notes that a packet is in a file, so it was not overwritten. */
void ctf_gap_found(struct ctf_stream *s, uint64_t sequence);

/* Sets the gap before the current packet; before the first one, since the trace's begin. */
void ctf_gap_note(struct ctf_stream *s, const struct ctf_trace *t);

/* Sets the gap behind the last packet, which only the process's table knows. */
enum ctf_step ctf_gap_trailing(struct ctf_stream *s, const struct ctf_trace *t);

#endif
