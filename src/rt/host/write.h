/* SPDX-License-Identifier: MIT */
/*
 * Writing a line to a descriptor that may be anything - a file, a terminal, a
 * pipe whose reader is gone - without harm to the traced program: no signal,
 * no endless wait, errno kept by the caller. Any thread, any signal handler.
 */
#ifndef RT_HOST_WRITE_H
#define RT_HOST_WRITE_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Writes all `len` bytes, in one write(2) wherever the kernel takes them so.
 * `mode` is the descriptor's st_mode. Returns 0, or the errno of what was lost;
 * *done is how many bytes were written all the same.
 * A descriptor that is not ready is waited for at most once for 100 ms, then
 * not at all until it takes bytes again.
 */
int waymark_write(int fd, mode_t mode, const char *data, size_t len, size_t *done);

/*
 * Waits for at most `ns`, less than a second, until `fd` takes bytes or has failed. Returns 1, 0
 * when it does not yet, or -1 with errno. No point of cancellation.
 */
int waymark_wait_writable(int fd, long ns);

#endif
