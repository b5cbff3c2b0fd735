/* SPDX-License-Identifier: MIT */
/*
 * waymark/init.h - all that tracing needs of the system, taken now: before a program goes
 * into a jail (chroot, dropped privileges, a seccomp filter, namespaces), forks its device
 * processes, or closes what it does not know. waymark-jail(7) shows the steps.
 */
#ifndef WAYMARK_INIT_H
#define WAYMARK_INIT_H

#include <stddef.h>

#include <waymark/linked.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* How many processes of a jail can record: the largest N of `jail=N`. */
#define WAYMARK_JAIL_MAX 64u

/*
 * Sets tracing up by what the option -trace and WAYMARK_TRACE have said by then: opens what
 * the program's backends write to. With `jail=N` it also makes the memory that this process
 * and those which it forks record into, N of them with this one; from then on tracing opens
 * and creates nothing, and has no thread: a process `waymark drain` takes the events out.
 *
 * Never fatal, and may be called again, which does nothing. Returns 0; or -1 where something
 * could not be had, after one line that says so on standard error. What could be had works
 * all the same. Any thread, no signal handler.
 */
int waymark_init(void);

/*
 * Adds the descriptors that tracing needs from now on to the caller's list of those that a
 * jail keeps: `fds` has `*count` of them and room for `capacity`. One that is in the list
 * already is not added again. They are close-on-exec. Call it behind waymark_init().
 *
 * Returns 0; or -1 where there is no room, and then nothing is added and *count is how many
 * the list would have had. Any thread, no signal handler.
 */
int waymark_push_descriptors(int *fds, size_t *count, size_t capacity);

/*
 * The numbers of the system calls that tracing may make in a process behind waymark_init()
 * with `jail=N`, each once: those of events, by the backends that the program was built
 * with. What the program itself and its C library need is not among them. *count gets how
 * many there are. The array is the library's and stays as it is. Any thread, no signal handler.
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
