/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a native trace: whose it is, its clock, and its events with
 * their declarations. Reads what Waymark writes (format/ctf.h), however it is
 * laid out, and passes over what it does not know. A live process appends
 * declarations, so the file can be looked at again. For readers of traces and
 * for what mends them. One thread.
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
	const struct event *event; /* never NULL: made of the fields where nothing declares it */
	const struct record_layout *layout;
};

struct ctf_metadata {
	struct arena arena;
	struct model model; /* what `event` points into */
	const struct model *declarations; /* given by the user; may be NULL */
	struct hash types;
	uint64_t parsed; /* bytes of the file that were understood */
	unsigned int line; /* that begins behind them */
	bool is_cut; /* the last declaration has no end: the process was killed writing it */
	bool has_trace;
	bool has_clock;
	bool has_stream;
	bool is_big_endian;
	uint8_t uuid[16];
	uint8_t pointer_bytes; /* of a debug value; 0: it has none that can be read */
	/* The bits of an event's first word. */
	uint8_t time_shift;
	uint8_t id_shift;
	struct ctf_clock clock;
	/* From `env`; "" and 0 where it does not say. */
	const char *hostname;
	const char *procname;
	const char *boot_id;
	bool overwrites; /* what its streams had lost before their first packets was given up */
	const char *continues; /* the trace whose streams go on here */
	uint32_t pid;
	uint32_t ended; /* enum ctf_ended; CTF_FINISHED where nothing is said */
	bool has_pid;
	struct buffer_clock begin; /* all 0 where it does not say */
	struct buffer_clock end;
	VEC(struct ctf_event) events; /* in the order of the file */
	VEC(const char *) problems; /* what cannot be read before anything was, and why */
};

void ctf_metadata_init(struct ctf_metadata *md, const struct model *declarations);
void ctf_metadata_fini(struct ctf_metadata *md);

/*
 * Reads the file `metadata` of a directory, or what came to it since. False
 * when no trace can be read with it; `error` has the place.
 */
bool ctf_metadata_read(struct ctf_metadata *md, int directory, struct read_error *error);

/*
 * Initializes `md` and reads the metadata of the trace that a buffer names. False: that folder
 * has another trace, or none. Call ctf_metadata_fini() in both cases. *st, unless NULL, gets the
 * folder's status.
 */
bool ctf_metadata_of_buffer(struct ctf_metadata *md, const struct buffer_trace *t, struct stat *st);

/* The same without the metadata: true where the folder that a buffer names has its trace. */
bool ctf_trace_is_there(const struct buffer_trace *t, struct stat *st);

/* The next ctf_metadata_read() reads the whole file: events come again, behind those so far. */
void ctf_metadata_rewind(struct ctf_metadata *md);

/* The same for text that stands behind what was parsed so far. */
bool ctf_metadata_parse(
	struct ctf_metadata *md, const char *text, size_t size, struct read_error *error);

/* Adds a problem, unless there are very many. */
void ctf_metadata_note(struct ctf_metadata *md, const struct read_error *error);

/* Whether all is there that the streams cannot be read without; false with an error. */
bool ctf_metadata_check(const struct ctf_metadata *md, struct read_error *error);

#endif
