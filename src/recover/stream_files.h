/* SPDX-License-Identifier: MIT */
/*
 * The stream files of a trace that may have been left in the middle of a write:
 * found, checked packet by packet, their ends made whole. For recovery, which
 * holds the trace's lock. One thread.
 */
#ifndef RECOVER_STREAM_FILES_H
#define RECOVER_STREAM_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "read/buffer.h"
#include "read/ctf/index.h"
#include "recover/layout.h"
#include "write/packet_file.h"

/* A packet that the file's end cuts, of which not all events are left. */
struct torn_packet {
	uint64_t sequence; /* 0: there is none */
	uint64_t offset; /* in the file */
	uint64_t missing; /* bytes of its content; 0: its header is cut, too */
	uint64_t end; /* in ticks, as far as it is known */
};

/* One file: a whole stream, or a piece of it. */
struct stream_file {
	uint64_t stream;
	uint64_t piece; /* 0: the trace is not rotated */
	char name[64];
	struct packet_file file;
	int denied; /* why it is open for reading only; 0: it can be written */
	struct packet_header last; /* all zero while there is no packet */
	struct torn_packet torn;
	bool changed;
};

struct stream_files {
	int directory;
	const struct layouts *layouts;
	VEC(struct stream_file) all; /* by stream, then by piece */
	bool has_memory; /* the process's buffer is there */
	/* What the buffer has: of a packet that is in both, the fuller one counts. */
	const struct buffer_packet *held;
	size_t held_count;
	struct ctf_index_losses losses; /* packets that only the indexes know of */
	unsigned char *buffer; /* a packet and its padding */
	uint64_t events; /* that were not in the files before, or not to be read */
	uint64_t cut; /* bytes that are in no packet and were taken off */
	char error[400]; /* of the last function that failed */
};

/* Finds and opens the files of the folder. False on failure. */
bool stream_files_open(struct stream_files *s, int directory, const struct layouts *layouts);
void stream_files_close(struct stream_files *s);

/* Checks all packets and makes the ends of the files whole. */
bool stream_files_mend(struct stream_files *s);

/* Appends a buffer's packet unless the stream goes beyond it already. */
bool stream_files_fold(
	struct stream_files *s, struct buffer_source *buffer, const struct buffer_packet *p);

/* Appends an empty packet to a stream of which more events were `lost` than its packets say. */
bool stream_files_account(
	struct stream_files *s, uint64_t stream, uint64_t lost, const struct buffer_clock *now);

/*
 * Says in an empty packet behind it that packets are missing of a stream, of
 * which only an index knows: the index becomes right now, and would not tell.
 */
bool stream_files_mark_missing(struct stream_files *s, const struct ctf_index_lost *lost);

/*
 * The same for the packet that a file's end cut. Its whole events stay, so that its
 * number is taken: the rest counts as a packet that is missing behind it. False on
 * failure.
 */
bool stream_files_mark_torn(struct stream_files *s, const struct stream_file *f);

/* Brings the index files up to date, and all that changed to the disk. */
bool stream_files_finish(struct stream_files *s, bool *changed);

/* How many streams there are, and how many of their events are lost. */
void stream_files_count(const struct stream_files *s, uint64_t *streams, uint64_t *lost);

#endif
