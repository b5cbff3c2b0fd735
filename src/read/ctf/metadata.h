/* SPDX-License-Identifier: MIT */
/*
 * Reads the metadata of a native trace: its process, its clock, and its events with their
 * declarations. Reads what Waymark writes (format/ctf.h), in any layout, and skips unknown parts. A
 * live process appends declarations, so the file can be read in several steps. For the reader and
 * for recovery. One thread.
 */
#ifndef READ_CTF_METADATA_H
#define READ_CTF_METADATA_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/vec.h"
#include "format/buffer.h"
#include "format/ctf_clock.h"
#include "read/layout.h"
#include "read/reader.h"

/* One `event` block. */
struct ctf_event {
	uint64_t id;
	const char *name;
	const struct event *event; /* never NULL: made of the fields if nothing declares it */
	const struct record_layout *layout;
};

struct ctf_metadata {
	struct arena arena;
	struct model model; /* of the events that the metadata declares */
	const struct model *declarations; /* given by the user; may be NULL */
	struct hash types;
	uint64_t parsed; /* bytes of the file up to the end of the last complete declaration */
	unsigned int line; /* number of the line after them */
	bool is_cut; /* the last declaration has no end: its process was killed while writing it */
	bool has_trace;
	bool has_clock;
	bool has_stream;
	bool is_big_endian;
	uint8_t uuid[16];
	uint8_t pointer_bytes; /* pointer size of debug values; 0: they cannot be read */
	/* positions of bits in an event's first word */
	uint8_t time_shift;
	uint8_t id_shift;
	struct ctf_clock clock;
	/* values of `env`; "" and 0 if absent */
	const char *hostname;
	const char *procname;
	const char *boot_id;
	bool overwrites; /* losses before the first packets are overwritten events */
	const char *continues; /* the trace whose streams continue here; "": none */
	uint32_t pid;
	uint32_t ended; /* enum ctf_ended; CTF_FINISHED if absent */
	bool has_pid;
	struct buffer_clock begin; /* all 0 if absent */
	struct buffer_clock end;
	const char *clock_host; /* the host of their real times; "": that of the trace */
	uint64_t clock_error; /* largest error of these, in ns */
	VEC(struct ctf_event) events; /* in the order of the file */
	VEC(const char *) problems; /* errors to report before the first event */
};

void ctf_metadata_init(struct ctf_metadata *md, const struct model *declarations);
void ctf_metadata_fini(struct ctf_metadata *md);

/*
 * Reads the file `metadata` of a directory, or the part appended since the last call. Returns
 * false, with the reason in `error`, if the file cannot be read or does not belong to a native
 * trace.
 */
bool ctf_metadata_read(struct ctf_metadata *md, int directory, struct read_error *error);

/*
 * Initializes `md` and reads the metadata of the trace that a buffer names, without its events.
 * Returns false if the folder has another trace, or none. Call ctf_metadata_fini() in both cases.
 * *st, unless NULL, gets the folder's status.
 */
bool ctf_metadata_of_buffer(struct ctf_metadata *md, const struct buffer_trace *t, struct stat *st);

/* True if the folder that a buffer names has its trace. Does not return the metadata. */
bool ctf_trace_is_there(const struct buffer_trace *t, struct stat *st);

/* Makes the next ctf_metadata_read() read the whole file; it appends all events again. */
void ctf_metadata_rewind(struct ctf_metadata *md);

/* Parses a text that follows the text parsed so far. */
bool ctf_metadata_parse(
	struct ctf_metadata *md, const char *text, size_t size, struct read_error *error);

/* Adds a problem, unless there are 100 already. */
void ctf_metadata_note(struct ctf_metadata *md, const struct read_error *error);

/* True if the metadata has a trace, a clock and a stream; false with an error. */
bool ctf_metadata_check(const struct ctf_metadata *md, struct read_error *error);

#endif
