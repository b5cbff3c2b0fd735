/* SPDX-License-Identifier: MIT */
/*
 * The stream files of a trace whose process may have been killed in the middle of a write: finds
 * them, checks each packet, mends their ends, and appends packets from memory. For the recovery and
 * the drain, which hold the trace's lock. Functions that return bool return false on failure, with
 * `error`. One thread.
 */
#ifndef RECOVER_STREAM_FILES_H
#define RECOVER_STREAM_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "read/buffer.h"
#include "read/ctf/index.h"
#include "recover/trace_metadata.h"
#include "write/packet_file.h"

/* A packet that is cut off at the end of its file, and so has lost events. */
struct torn_packet {
	uint64_t sequence; /* 0: none */
	uint64_t offset; /* in the file */
	uint64_t missing; /* bytes of its content; 0: its header is cut off, too */
	uint64_t end; /* its timestamp_end; 0: unknown */
};

/* One file: a whole stream, or a part of it in a rotated trace. */
struct stream_file {
	uint64_t stream;
	uint64_t piece; /* number of the file; 0: the trace is not rotated */
	char name[64];
	struct packet_file file;
	int denied; /* errno if it is open for reading only; 0: it can be written */
	struct packet_header last; /* all zero if there is no packet */
	struct torn_packet torn;
	bool changed;
};

struct stream_files {
	int directory;
	const struct trace_metadata *metadata;
	VEC(struct stream_file) all; /* by stream, then by piece */
	bool has_memory; /* the process's buffer exists */
	/* The packets of the buffer. If a packet is also in a file, the longer copy is used. */
	const struct buffer_packet *held;
	size_t held_count;
	struct ctf_index_losses losses; /* packets that only the indexes have */
	unsigned char *packet; /* the current packet, and its padding */
	uint64_t events; /* number in the appended packets */
	uint64_t cut; /* bytes without a whole event that were removed */
	char error[400]; /* from the last function that failed */
};

/* Finds the files of the folder `directory`. */
bool stream_files_open(
	struct stream_files *s, int directory, const struct trace_metadata *metadata);
void stream_files_close(struct stream_files *s);

/*
 * Adds all packets to the files' indexes and mends the end of each file: closes an open last
 * packet, keeps the whole events of one that is cut off, and removes bytes that are no packet.
 * Fails, and leaves the file unchanged, if whole packets follow the damage or the file cannot be
 * changed.
 */
bool stream_files_mend(struct stream_files *s);

/* Appends a packet of the buffer unless its stream has it already. */
bool stream_files_append(
	struct stream_files *s, struct buffer_source *buffer, const struct buffer_packet *p);

/*
 * Appends an empty packet to a stream that lost `lost` events in total, if its packets report
 * fewer. `now` is its time.
 */
bool stream_files_mark_lost(
	struct stream_files *s, uint64_t stream, uint64_t lost, const struct buffer_clock *now);

/*
 * Appends an empty packet after missing packets that only an index has: the index is then
 * corrected, and no longer reports them.
 */
bool stream_files_mark_missing(struct stream_files *s, const struct ctf_index_lost *lost);

/*
 * Appends an empty packet after the one that the end of `f` cut off. Its whole events keep its
 * number; the rest counts as a missing packet after it.
 */
bool stream_files_mark_torn(struct stream_files *s, const struct stream_file *f);

/*
 * Writes indexes that are wrong, and flushes all changes to the disk. *changed: there were changes.
 */
bool stream_files_finish(struct stream_files *s, bool *changed);

/* Counts the streams, and the events that their packets report as lost. */
void stream_files_count(const struct stream_files *s, uint64_t *streams, uint64_t *lost);

#endif
