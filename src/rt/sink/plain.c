/* SPDX-License-Identifier: MIT */
/* Sinks that write one plain file, which may be there already. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/error.h"
#include "rt/host/path.h"
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
