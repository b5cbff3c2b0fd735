/* SPDX-License-Identifier: MIT */
/*
 * Drains one buffer of a jail: writes its closed packets to the files of a trace, in the order of
 * their streams, after the metadata that they need. When its process has ended, a recovery adds the
 * rest. A drain may be killed at any time and restarted: it loses and duplicates nothing, as
 * (stream_instance_id, sequence) shows which packets the files have. One thread.
 */
#ifndef RECOVER_DRAIN_H
#define RECOVER_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "read/buffer.h"
#include "recover/jail_buffer.h"
#include "recover/stream_files.h"
#include "recover/trace_metadata.h"

enum drain_state {
	DRAIN_WAITS, /* no process has claimed the buffer */
	DRAIN_RECORDS,
	DRAIN_LEFT, /* its process has ended, and the trace lacks a part */
	DRAIN_DONE, /* its process has ended, and the trace is complete */
	DRAIN_UNUSED, /* no trace: no process will claim it, or one was killed early */
	DRAIN_CUT, /* its file was truncated */
};

struct drain {
	struct jail_buffer buffer;
	struct buffer_source *source; /* the buffer, opened for reading; NULL: no trace is open */
	int directory; /* trace, locked; -1: not open */
	struct trace_metadata metadata;
	struct stream_files files;
	VEC(uint64_t) closed; /* last packet found closed, by stream */
	enum drain_state state;
	uint64_t events; /* written to the trace */
	uint64_t lost; /* number of events, set in DRAIN_DONE */
	char directory_name[BUFFER_FILE_PATH_BYTES]; /* of the trace; "": not made yet */
	char error[700]; /* from the last function that failed */
};

/*
 * Opens the buffer at `path`. Returns 0 or an errno like jail_buffer_open(); EBUSY if another
 * process drains it.
 */
int drain_open(struct drain *d, const char *path);
void drain_close(struct drain *d);

/*
 * Writes the packets that are closed now, and all others once the process has ended. Makes the
 * trace first, in the folder `place`, or where the process wanted it if that is NULL. Sets *taken
 * to their number. Returns false on failure. Nothing is lost then, except in DRAIN_CUT; try again.
 */
bool drain_round(struct drain *d, const char *place, size_t *taken);

/*
 * In DRAIN_DONE or DRAIN_UNUSED, renames the buffer for the next process that claims it, or removes
 * it if none can. Close the drain afterwards. Returns false if the buffer cannot be removed.
 */
bool drain_release(struct drain *d);

#endif
