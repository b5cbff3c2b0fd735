/* SPDX-License-Identifier: MIT */
/*
 * One buffer of a jail on its way into a trace: closed packets in the order of their streams,
 * what they need of the metadata before them; when its process is gone, the rest as a
 * recovery brings it in. Killed at any moment and begun anew, a drain loses and doubles
 * nothing: (stream_instance_id, sequence) tells what the files have. One thread.
 */
#ifndef RECOVER_DRAIN_H
#define RECOVER_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "read/buffer.h"
#include "recover/jail_buffer.h"
#include "recover/layout.h"
#include "recover/stream_files.h"

enum drain_state {
	DRAIN_WAITS, /* no process has claimed it */
	DRAIN_RECORDS,
	DRAIN_LEFT, /* its process is gone, and not all is in the trace yet */
	DRAIN_DONE, /* its process is gone, and all is in the trace */
	DRAIN_UNUSED, /* it holds no trace: none will claim it, or one was killed at once */
	DRAIN_CUT, /* somebody has cut its file */
};

struct drain {
	struct jail_buffer buffer;
	struct buffer_source *source; /* the same, as readers see it; NULL: not begun */
	int directory; /* of the trace, locked; -1: it is not open */
	struct layouts layouts;
	struct stream_files files;
	VEC(uint64_t) closed; /* by stream: the last packet that was seen to be closed */
	enum drain_state state;
	uint64_t events; /* that went into the trace */
	uint64_t lost; /* of it, when it is done */
	char directory_name[BUFFER_FILE_PATH_BYTES]; /* of the trace; "": there is none yet */
	char error[700]; /* of the last function that failed */
};

/*
 * Opens the buffer at `path`. Returns 0, or an errno as jail_buffer_open(); EBUSY:
 * another drains it.
 */
int drain_open(struct drain *d, const char *path);
void drain_close(struct drain *d);

/*
 * Takes what is closed now into the trace, which it makes in the folder `place`, or where the
 * process wanted it if that is NULL; and all the rest once the process is gone. *taken gets
 * how many packets it took. False on failure: try again, nothing is lost by it, but behind
 * DRAIN_CUT.
 */
bool drain_round(struct drain *d, const char *place, size_t *taken);

/*
 * Behind DRAIN_DONE or DRAIN_UNUSED: gives the buffer to the next process that claims it, by a
 * new name, or removes it where none can. Close it then. False where it cannot be removed.
 */
bool drain_release(struct drain *d);

#endif
