/* SPDX-License-Identifier: MIT */
/*
 * Code that sinks share: the check of one plain file, which may exist already, and the switch
 * of a backend that records. Control calls only.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/error.h"
#include "rt/host/path.h"
#include "rt/record/recorder.h"
#include "rt/sink/sink.h"

int waymark_sink_check_plain(
	const char *path, bool yield, bool replace, struct waymark_error *error)
{
	struct stat st;
	bool ok;

	(void)yield;
	(void)replace;
	if (stat(path, &st) == 0) {
		ok = eaccess(path, W_OK) == 0;
		if (S_ISDIR(st.st_mode)) {
			errno = EISDIR;
			ok = false;
		}
	} else {
		ok = errno == ENOENT && path_is_creatable(path);
	}
	return ok ? 0 : waymark_fail(error, "%s: %s", path, strerror(errno));
}

int waymark_sink_switch(uint32_t *off, bool on, bool *was_on, struct waymark_error *error)
{
	error_clear(error);
	waymark_recorder_flush(); /* when switching on: discards events recorded while off */
	bool was_off = __atomic_exchange_n(off, !on, __ATOMIC_ACQ_REL);

	waymark_recorder_flush();
	if (was_on) {
		*was_on = !was_off;
	}
	return 0;
}
