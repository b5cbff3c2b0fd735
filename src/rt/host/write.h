/* SPDX-License-Identifier: MIT */
/*
 * Writes to a descriptor of any kind - a file, a terminal, a pipe without a reader - without
 * harm to the traced program: no signal, no endless wait, no cancellation point. The caller keeps
 * errno. Any thread, any signal handler.
 */
#ifndef RT_HOST_WRITE_H
#define RT_HOST_WRITE_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Writes all `len` bytes, in one write(2) if the kernel takes them all. `mode` is the descriptor's
 * st_mode. *done gets the number of bytes written. Returns 0, or an errno if some were not. Waits
 * once, for at most 100 ms, for a descriptor that is not ready; then does not wait again until it
 * takes bytes.
 */
int waymark_write(int fd, mode_t mode, const char *data, size_t len, size_t *done);

/*
 * Waits for at most `ns`, less than a second, until `fd` takes bytes or has failed. Returns 1; 0
 * after that time; or -1 with errno. No cancellation point.
 */
int waymark_wait_writable(int fd, long ns);

#endif
