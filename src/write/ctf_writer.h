/* SPDX-License-Identifier: MIT */
/*
 * A native trace written from the records of another: stream files, indexes,
 * metadata last, when all events and what they hold are known. The clock is
 * nanoseconds since boot. A stream's time never goes back: a record that is
 * older than those before it goes into another stream. The first error stays.
 * One thread.
 */
#ifndef WRITE_CTF_WRITER_H
#define WRITE_CTF_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "read/reader.h"
#include "write/packet_file.h"

struct ctf_writer_class {
	const struct event *event; /* NULL: not met yet */
	uint16_t id;
	size_t room; /* most that an event takes, but for its strings' bytes */
	size_t strings; /* and what else brings bytes along */
	uint32_t chars; /* which arguments are a plain char */
	uint32_t unsigned_chars; /* which of them turned out to have no sign */
	uint8_t sizes[EVENT_ARGS_LIMIT]; /* of the arguments; 0: more than a number */
};

struct ctf_writer_stream {
	struct packet_file file;
	char name[32];
	unsigned char *buffer; /* of the open packet */
	size_t pos; /* where its next event goes; 0: none is open */
	size_t content;
	uint64_t begin;
	uint64_t last; /* of the stream's last record */
	uint64_t sequence;
	uint64_t discarded;
};

struct ctf_writer {
	int directory;
	uint8_t uuid[16];
	VEC(struct ctf_writer_class) classes; /* by the reader's index */
	uint32_t ids; /* how many are given out */
	VEC(struct ctf_writer_stream) streams;
	uint64_t cut; /* strings that were too long for a packet */
	int error; /* an errno: the first failure; EOVERFLOW: too many kinds of events */
};

/* What the metadata says of where the records are from; no name is NULL. */
struct ctf_writer_origin {
	const char *hostname;
	const char *procname;
	const char *boot_id;
	uint32_t pid;
	uint64_t realtime; /* to be added to ns since boot to get ns since 1970; 0: not known */
};

/* Begins a trace in an empty folder, whose descriptor stays the caller's. */
void ctf_writer_init(struct ctf_writer *w, int directory);

/* Writes a record: an event, whose class knows its arguments, with its values, or a gap. */
void ctf_writer_put(struct ctf_writer *w, const struct record *rec, const struct value *values);

/* Ends the trace: writes what is left, indexes and metadata. Returns 0 or the first error. */
int ctf_writer_finish(struct ctf_writer *w, const struct ctf_writer_origin *origin);
void ctf_writer_fini(struct ctf_writer *w);

#endif
