/* SPDX-License-Identifier: MIT */
/*
 * Writes a native trace from the records of another one, for waymark convert: stream files,
 * indexes, and finally the metadata, when all events are known. The clock is nanoseconds since
 * boot. A stream's time never runs backwards: a record older than the last one is written to
 * another stream. The first error is kept. One thread.
 */
#ifndef WRITE_CTF_WRITER_H
#define WRITE_CTF_WRITER_H

#include <stdint.h>

#include "read/reader.h"
#include "write/packet_file.h"

struct ctf_writer_class {
	const struct event *event; /* NULL: no record of it yet */
	uint16_t id;
	size_t room; /* maximum bytes of an event without those of its strings */
	size_t strings; /* number of arguments with their own bytes */
	uint32_t chars; /* bits of the arguments that are a plain char */
	uint32_t unsigned_chars; /* bits of those with a value that only an unsigned char has */
	uint8_t sizes[EVENT_ARGS_LIMIT]; /* sizes of the arguments; 0: not only a number */
};

struct ctf_writer_stream {
	struct packet_file file;
	char name[32];
	unsigned char *buffer; /* of the open packet */
	size_t pos; /* place of its next event; 0: no packet is open */
	size_t content;
	uint64_t begin;
	uint64_t last; /* time of the stream's last record */
	uint64_t sequence;
	uint64_t discarded;
};

struct ctf_writer {
	int directory;
	uint8_t uuid[16];
	VEC(struct ctf_writer_class) classes; /* by index of the reader's classes */
	uint32_t ids; /* number of ids in use */
	VEC(struct ctf_writer_stream) streams;
	uint64_t cut; /* number of strings that were cut, as they were too long for a packet */
	int error; /* first errno; EOVERFLOW: too many kinds of events */
};

/* The origin of the records, for the metadata. No name is NULL; "" means unknown. */
struct ctf_writer_origin {
	const char *hostname;
	const char *procname;
	const char *boot_id;
	uint32_t pid;
	uint64_t realtime; /* difference of ns since 1970 and ns since boot; 0: unknown */
};

/* Begins a trace in the empty folder `directory`, which must stay open. */
void ctf_writer_init(struct ctf_writer *w, int directory);

/* Writes a record: an event with its values, whose class must have its arguments, or a gap. */
void ctf_writer_put(struct ctf_writer *w, const struct record *rec, const struct value *values);

/* Writes the last packets, the indexes and the metadata. Returns 0 or the first error. */
int ctf_writer_finish(struct ctf_writer *w, const struct ctf_writer_origin *origin);
void ctf_writer_fini(struct ctf_writer *w);

#endif
