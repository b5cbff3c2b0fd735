/* SPDX-License-Identifier: MIT */
/*
 * waymark/init.h - opens and allocates now all that tracing needs: before a program enters a jail
 * (chroot, dropped privileges, a seccomp filter, namespaces), forks its device processes, or closes
 * descriptors that it did not open. waymark-jail(7) shows the steps.
 */
#ifndef WAYMARK_INIT_H
#define WAYMARK_INIT_H

#include <stddef.h>

#include <waymark/linked.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The most processes of a jail that can record: the largest N of `jail=N`. */
#define WAYMARK_JAIL_MAX 64u

/*
 * Sets tracing up as -trace and WAYMARK_TRACE have configured it so far: opens the outputs of the
 * program's backends. With `jail=N` it also makes the buffers of N processes: this one and those
 * that it forks. From then on tracing opens and creates nothing and has no thread: the process
 * `waymark drain` moves the events to files.
 *
 * Never fatal; a second call does nothing. Returns 0; or -1, after one line on standard error, if
 * something could not be opened or allocated. The rest works then. Any thread, no signal handler.
 */
int waymark_init(void);

/*
 * Adds the descriptors that tracing needs to the caller's list of descriptors that a jail keeps:
 * `fds` has `*count` of them and room for `capacity`. Adds no descriptor twice. They are
 * close-on-exec. Call it after waymark_init().
 *
 * Returns 0; or -1 if there is no room: nothing is added, and *count is the needed length. Any
 * thread, no signal handler.
 */
int waymark_push_descriptors(int *fds, size_t *count, size_t capacity);

/*
 * Returns the numbers of the system calls that tracing may make after waymark_init() with `jail=N`,
 * each once: the calls that events make, for the backends that the program was built with. System
 * calls of the program itself and its C library are not included. *count gets their number. The
 * array is the library's and constant. Any thread, no signal handler.
 */
const int *waymark_jail_syscalls(size_t *count);

#pragma GCC visibility pop

#ifndef WAYMARK_LINKED
/* clang-format off */
WAYMARK_UNLINKED(int, waymark_init, (void), (), 0)
WAYMARK_UNLINKED(int, waymark_push_descriptors, (int *fds, size_t *count, size_t capacity),
	(fds, count, capacity), *count <= capacity ? 0 : -1)
WAYMARK_UNLINKED(const int *, waymark_jail_syscalls, (size_t *count), (count),
	waymark_no_syscalls(count))
#define waymark_init waymark_init_or_not
#define waymark_push_descriptors waymark_push_descriptors_or_not
#define waymark_jail_syscalls waymark_jail_syscalls_or_not
/* clang-format on */
#endif

#ifdef __cplusplus
}
#endif

#endif
