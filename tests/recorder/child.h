/* SPDX-License-Identifier: MIT */
/*
 * Child processes of the recorder's tests: starts them, waits for them, forbids them
 * system calls and memory; and which of this works under a sanitizer or an emulator.
 */
#ifndef TESTS_RECORDER_CHILD_H
#define TESTS_RECORDER_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Runs `body` in a child; returns the child's wait status. If `body` returns, the child calls
 * exit(0).
 */
int run(void (*body)(void));
int run_with_pid(void (*body)(void), pid_t *pid);

/* Like run(), and returns the child's standard error. */
int run_and_listen(void (*body)(void), char *said, size_t size);

/*
 * fork() in a process whose writer may just be starting. Under a sanitizer a starting thread holds
 * locks of the allocator, for which the child would wait forever: there, this waits until the
 * writer has started. Async-signal-safe; it does not wait in a handler that interrupted the
 * starting thread.
 */
pid_t fork_calmly(void);

/* Waits for a child; exits with status 3 if it hangs, or 4 if it fails. */
void wait_for(pid_t pid);

/*
 * Makes the system call fail with that error from now on; if `bits` is not 0, only when its third
 * argument has some of them. Ends the process with 77 if filters are not available.
 */
void forbid_call(unsigned int number, uint32_t bits, int error);

/*
 * Limits the address space to about 1 MiB more than now; ends a child with status 77 if no limit
 * works.
 */
void limit_memory(void);

/*
 * Makes a file that accepts almost no data until let_slow_file_take(), so that any buffer fills
 * up: a FIFO, whose reader then copies it. One at a time; a child of its maker may also call
 * let_slow_file_take().
 */
void make_slow_file(const char *fifo, const char *copy);
void let_slow_file_take(void);
void end_slow_file(void);

/* Returns true if a child by vfork runs on its parent's memory: qemu-user forks instead. */
bool vfork_shares_memory(void);

/*
 * Returns true if a sent fault signal, as crash handlers send it at their end, ends a process that
 * records nothing: qemu-user 7.2 takes it for its own fault, and fails an assertion.
 */
bool faults_can_be_sent(void);

#endif
