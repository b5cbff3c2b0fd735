/* SPDX-License-Identifier: MIT */
/*
 * The stream files of a trace whose process may have been killed in the middle of a write: found,
 * checked packet by packet, their ends mended, packets of its memory appended. For the recovery
 * and the drain, which hold the trace's lock. Functions that return bool return false on failure,
 * with `error`. One thread.
 */
#ifndef RECOVER_STREAM_FILES_H
#define RECOVER_STREAM_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "read/buffer.h"
#include "read/ctf/index.h"
#include "recover/trace_metadata.h"
#include "write/packet_file.h"

/* A packet that the end of its file cuts off, and that has lost events by it. */
struct torn_packet {
	uint64_t sequence; /* 0: there is none */
	uint64_t offset; /* in the file */
	uint64_t missing; /* bytes of its content; 0: its header is cut off, too */
	uint64_t end; /* its timestamp_end; 0: not known */
};

/* One file: a whole stream, or a piece of it. */
struct stream_file {
	uint64_t stream;
	uint64_t piece; /* 0: the trace is not rotated */
	char name[64];
	struct packet_file file;
	int denied; /* an errno: why it is open for reading only; 0: it can be written */
	struct packet_header last; /* all zero while there is no packet */
	struct torn_packet torn;
	bool changed;
};

struct stream_files {
	int directory;
	const struct trace_metadata *metadata;
	VEC(struct stream_file) all; /* by stream, then by piece */
	bool has_memory; /* the process's buffer exists */
	/* The packets of the buffer: of a packet that is in a file too, the longer one counts. */
	const struct buffer_packet *held;
	size_t held_count;
	struct ctf_index_losses losses; /* packets that only the indexes know */
	unsigned char *packet; /* the one that is worked on, and its padding */
	uint64_t events; /* in packets that were appended */
	uint64_t cut; /* bytes that hold no whole event and were removed */
	char error[400]; /* of the last function that failed */
};

/* Finds the files of the folder `directory`. */
bool stream_files_open(
	struct stream_files *s, int directory, const struct trace_metadata *metadata);
void stream_files_close(struct stream_files *s);

/*
 * Takes all packets into the files' indexes and mends the end of each file: closes a last packet
 * that is open, keeps the whole events of one that is cut off, and removes what is no packet. Fails
 * where whole packets follow the damage, or a file cannot be changed: then that is as it was.
 */
bool stream_files_mend(struct stream_files *s);

/* Appends a packet of the buffer unless its stream has it already. */
bool stream_files_append(
	struct stream_files *s, struct buffer_source *buffer, const struct buffer_packet *p);

/*
 * Appends an empty packet to a stream that lost `lost` events in all, if its packets report less.
 * `now` gives its time.
 */
bool stream_files_mark_lost(
	struct stream_files *s, uint64_t stream, uint64_t lost, const struct buffer_clock *now);

/*
 * Appends an empty packet behind packets that are missing and that only an index knows: the index,
 * which gets corrected, will not report them any more.
 */
bool stream_files_mark_missing(struct stream_files *s, const struct ctf_index_lost *lost);

/*
 * The same for the packet that the end of `f` cut off. Its whole events stay under its number; the
 * rest counts as a packet that is missing behind it.
 */
bool stream_files_mark_torn(struct stream_files *s, const struct stream_file *f);

/* Writes indexes that are not right, and all that changed to the disk. *changed: there was some. */
bool stream_files_finish(struct stream_files *s, bool *changed);

/* Counts the streams, and the events that their packets report as lost. */
void stream_files_count(const struct stream_files *s, uint64_t *streams, uint64_t *lost);

#endif
