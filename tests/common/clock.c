/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: the host's clock is ahead by the seconds in SHIFT, or by those in the file that
 * SHIFT_FILE names, which may change, as if someone set it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int shift(void)
{
	const char *path = getenv("SHIFT_FILE");
	const char *value = getenv("SHIFT");
	char text[16] = "";

	if (path) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0) {
			value = text;
		}
		if (fd >= 0) {
			close(fd);
		}
	}
	return value ? atoi(value) : 0;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *now)
{
	int failed = (int)syscall(SYS_clock_gettime, id, now);

	if (!failed && id == CLOCK_REALTIME) {
		now->tv_sec += shift();
	}
	return failed;
}
