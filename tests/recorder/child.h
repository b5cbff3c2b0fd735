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

/* Runs `body` in a child; returns its wait status. `body` returns to exit(0). */
int run(void (*body)(void));
int run_with_pid(void (*body)(void), pid_t *pid);

/* Like run(), and returns the child's standard error. */
int run_and_listen(void (*body)(void), char *said, size_t size);

/*
 * fork() in a process whose writer may just be starting. Under a sanitizer a starting thread holds
 * locks of the allocator, for which the child would wait for ever: there, this waits until the
 * writer has started. Async-signal-safe; a handler that interrupted the starting thread continues.
 */
pid_t fork_calmly(void);

/* Waits for a child; exits, with status 3 or 4, where it hangs or fails. */
void wait_for(pid_t pid);

/*
 * From here on the system call fails with that error; only where its third argument has some of
 * `bits`, if they are not 0. Ends the process with 77 where there are no filters.
 */
void forbid_call(unsigned int number, uint32_t bits, int error);

/*
 * Limits the address space to 1 MiB more or less;
 * ends a child with status 77 where nothing does.
 */
void limit_memory(void);

/*
 * A file that takes nearly nothing until let_slow_file_take(), so that any buffer fills up: a
 * FIFO, whose reader then copies it. One at a time; a child of its maker may let it take, too.
 */
void make_slow_file(const char *fifo, const char *copy);
void let_slow_file_take(void);
void end_slow_file(void);

/* True if a child by vfork runs on its parent's memory: qemu-user forks instead. */
bool vfork_shares_memory(void);

/*
 * True if a fault signal that is sent, as crash handlers do at their end, ends a process that
 * records nothing: qemu-user 7.2 takes it for a fault of its own, and fails an assertion.
 */
bool faults_can_be_sent(void);

#endif
