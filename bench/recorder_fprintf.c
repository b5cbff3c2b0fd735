/* SPDX-License-Identifier: MIT */
/* fprintf() to a file with the C library's buffering: see recorder.h. */
#include <errno.h>
#include <string.h>

#include "recorder.h"

FILE *recorder_file;

void recorder_open(const char *path, const char *options)
{
	(void)options;
	recorder_file = fopen(path, "w");
	if (!recorder_file) {
		bench_fail("%s: %s", path, strerror(errno));
	}
}

void recorder_settle(void)
{
	if (fflush(recorder_file)) {
		bench_fail("fflush: %s", strerror(errno));
	}
}

uint64_t recorder_close(void)
{
	recorder_settle();
	fclose(recorder_file);
	return 0;
}
