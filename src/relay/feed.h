/* SPDX-License-Identifier: MIT */
/*
 * A trace for one viewer: its records, as the reader returns them, become packets of one stream for
 * each thread. So a viewer gets what is still in memory, and events are whole whatever the process
 * does with its packets. Each viewer has readers of its own; a slow one misses events that memory
 * has no longer, and they are counted. One thread.
 *
 * A viewer shows events in the order of time, and gives up if an event comes later. So nothing is
 * given that is newer than a time before which no more events are expected, nor anything that is
 * older than what was given.
 */
#ifndef RELAY_FEED_H
#define RELAY_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "format/packet.h"
#include "read/reader.h"
#include "relay/metadata.h"
#include "text/out.h"

/* Events of a thread. */
struct feed_stream {
	uint64_t id; /* by which the viewer asks for it */
	uint32_t tid;
	bool is_known; /* to the viewer */
	bool has_losses; /* that no packet has shown */
	bool has_packets; /* that were shown */
	struct out open; /* the packet that is being made; empty: it has no events */
	struct out given; /* the packet of the last index */
	uint64_t offset; /* of that packet in the stream */
	uint64_t first; /* ns since boot, of the events in `open` */
	uint64_t last;
	uint64_t floor; /* ns: the viewer has shown what is older */
	uint64_t sequence; /* of the last packet */
	uint64_t discarded;
};

#define FEED_THREADS 256

struct feed {
	struct feed_options *options;
	char *path;
	uint64_t trace; /* struct relay_trace.id */
	uint64_t id; /* number of the trace, and of the stream of its metadata */
	bool is_known; /* to the viewer */
	bool is_ended; /* all records were read */
	bool is_held; /* its process lives, or did a moment ago: records come later than their times
		       */
	bool has_record; /* `record` waits for its turn */
	struct reader *reader;
	struct relay_metadata metadata;
	VEC(struct feed_stream) streams;
	size_t by_tid[FEED_THREADS]; /* index of a thread's stream, by the low bits of its number */
	struct record record;
	uint64_t read_ns; /* all records before were read */
	uint64_t given_ns; /* newest time that the viewer got */
	size_t open_bytes; /* of all streams */
	int64_t quiet_ns; /* nothing was to be read up to this time */
	bool has_problem; /* which was reported */
	VEC(uint8_t) secrets; /* of enum feed_secret, by the index of a class */
};

enum feed_secret { FEED_UNSEEN, FEED_OPEN, FEED_SECRET };

/* Of all traces of a viewer. */
struct feed_options {
	uint64_t ids; /* counts the viewer's traces and streams */
	int64_t real_ns; /* 1970 to the boot, the same for all: clocks may be set between two starts
			  */
	bool are_held; /* traces are of processes of now, also those that have just ended */
	void (*report)(const char *text); /* of parts that cannot be read */
};

/*
 * Opens a trace. `options` stay in use. `is_new`: without the events before now, if its process
 * lives. NULL with the reason in `error`.
 */
struct feed *feed_open(
	const char *path, struct feed_options *options, bool is_new, struct read_error *error);
void feed_close(struct feed *f);

/* Marks what is older than a time, in ns since boot, as shown. Call before the first record. */
void feed_set_floor(struct feed *f, int64_t ns);

/* Reads records up to a time, in ns since boot, or until there are enough for now. */
void feed_fill(struct feed *f, int64_t until_ns);

/* True if the viewer does not know all streams. */
bool feed_has_new(const struct feed *f);

/*
 * Removes a stream of an ended trace, or without events for long: a server may have a thread for
 * each request, and the cost of a viewer grows with its streams. False: it may have more. The
 * caller tells the viewer that the stream has ended; more events of its thread make a new one.
 */
bool feed_end_stream(struct feed *f, struct feed_stream *s, int64_t until_ns);

/* True if the stream has something to show. */
bool feed_has_packet(const struct feed_stream *s);

/* Makes the stream's next packet, maybe without events. Returns its header. */
const struct packet_header *feed_take(struct feed *f, struct feed_stream *s);

/*
 * Returns the time in ns before which the stream has no more events, which the viewer shall be
 * given; 0: it has that already.
 */
uint64_t feed_beacon(struct feed *f, struct feed_stream *s, int64_t until_ns);

#endif
