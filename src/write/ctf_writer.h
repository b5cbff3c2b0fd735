/* SPDX-License-Identifier: MIT */
/*
 * Writes a native trace from the records of another one, for waymark convert: stream files,
 * indexes, and the metadata last, when all events are known. The clock is nanoseconds since boot.
 * A stream's time never goes back: a record older than the last one goes into another stream. The
 * first error stays. One thread.
 */
#ifndef WRITE_CTF_WRITER_H
#define WRITE_CTF_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "read/reader.h"
#include "write/packet_file.h"

struct ctf_writer_class {
	const struct event *event; /* NULL: no record of it so far */
	uint16_t id;
	size_t room; /* most bytes that an event takes, without those of its strings */
	size_t strings; /* arguments with bytes of their own */
	uint32_t chars; /* bits of arguments that are a plain char */
	uint32_t unsigned_chars; /* those of them with a value that only an unsigned char has */
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
	uint32_t ids; /* number of ids in use */
	VEC(struct ctf_writer_stream) streams;
	uint64_t cut; /* strings that were too long for a packet, and cut */
	int error; /* an errno: the first failure; EOVERFLOW: too many kinds of events */
};

/* The origin of the records, for the metadata. No name is NULL; "": not known. */
struct ctf_writer_origin {
	const char *hostname;
	const char *procname;
	const char *boot_id;
	uint32_t pid;
	uint64_t realtime; /* difference of ns since 1970 and ns since boot; 0: not known */
};

/* Begins a trace in the empty folder `directory`, which must stay open. */
void ctf_writer_init(struct ctf_writer *w, int directory);

/* Writes a record: an event with its values, whose class must know its arguments, or a gap. */
void ctf_writer_put(struct ctf_writer *w, const struct record *rec, const struct value *values);

/* Writes the last packets, the indexes and the metadata. Returns 0 or the first error. */
int ctf_writer_finish(struct ctf_writer *w, const struct ctf_writer_origin *origin);
void ctf_writer_fini(struct ctf_writer *w);

#endif
