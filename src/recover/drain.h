/* SPDX-License-Identifier: MIT */
/*
 * Drains one buffer of a jail: writes its closed packets to the files of a trace, in the order of
 * their streams, and first what they need of the metadata. When its process has ended, a recovery
 * brings in the rest. A drain that is killed at any moment and begun anew loses and doubles
 * nothing: (stream_instance_id, sequence) tells what the files have. One thread.
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
	DRAIN_WAITS, /* no process has claimed it */
	DRAIN_RECORDS,
	DRAIN_LEFT, /* its process has ended, and the trace lacks a part */
	DRAIN_DONE, /* its process has ended, and the trace is complete */
	DRAIN_UNUSED, /* it holds no trace: no process will claim it, or one was killed at once */
	DRAIN_CUT, /* its file was cut */
};

struct drain {
	struct jail_buffer buffer;
	struct buffer_source *source; /* the same, as readers see it; NULL: no trace is open */
	int directory; /* of the trace, locked; -1: it is not open */
	struct trace_metadata metadata;
	struct stream_files files;
	VEC(uint64_t) closed; /* by stream: the last packet that was found closed */
	enum drain_state state;
	uint64_t events; /* written to the trace */
	uint64_t lost; /* events, in DRAIN_DONE */
	char directory_name[BUFFER_FILE_PATH_BYTES]; /* of the trace; "": it was not made yet */
	char error[700]; /* of the last function that failed */
};

/*
 * Opens the buffer at `path`. Returns 0, or an errno as jail_buffer_open(); EBUSY: another process
 * drains it.
 */
int drain_open(struct drain *d, const char *path);
void drain_close(struct drain *d);

/*
 * Writes the packets that are closed now, and all others once the process has ended. Makes the
 * trace first: in the folder `place`, or where the process wanted it if that is NULL. *taken gets
 * the number of packets. False on failure: except in DRAIN_CUT nothing is lost, try again.
 */
bool drain_round(struct drain *d, const char *place, size_t *taken);

/*
 * In DRAIN_DONE or DRAIN_UNUSED: gives the buffer a new name for the next process that claims it,
 * or removes it where none can. Close it then. False where it cannot be removed.
 */
bool drain_release(struct drain *d);

#endif
