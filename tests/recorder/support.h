/* SPDX-License-Identifier: MIT */
/*
 * Shared by the recorder's tests: a registry of a few events, functions that record them like
 * generated code, and an empty directory for programs that run in a child (child.h), so that each
 * begins with a fresh recorder.
 */
#ifndef TESTS_RECORDER_SUPPORT_H
#define TESTS_RECORDER_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/types.h>

#include <waymark/record.h>

#include "child.h"
#include "decode.h"
#include "rt/record/recorder.h"

/* musl uses the name of timer_create(2), glibc before 2.38 another one. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#else
#define UNDER_TSAN 0
#endif

/* A sanitizer changes a program's memory, limits and crash handlers. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#else
#define UNDER_SANITIZER 0
#endif

/* Ends a test that cannot run here, from any function, and prints the reason. */
#define skip_because(why)                            \
	do {                                         \
		print_message("skipped: %s\n", why); \
		skip();                              \
	} while (0)

#define SKIP_SANITIZER "a sanitizer's memory, stacks and handlers are not the program's"
#define SKIP_TSAN "ThreadSanitizer has handlers of its own and puts signals off"
#define SKIP_MOUNT "cannot mount a small tmpfs here"
#define SKIP_SECCOMP "no seccomp here"
#define SKIP_VFORK "vfork is a fork here, as under qemu-user"
#define SKIP_LIMIT "RLIMIT_AS limits nothing here, as under qemu-user"
#define SKIP_FAULT "a fault that is sent does not end a program as it should, as under qemu-user"
#define SKIP_STEPS "only x86-64 steps through instructions, and not a sanitizer's"

/*
 * True under qemu-user. Its only fork is the C library's: vfork is one, and clone calls no hooks.
 * It dies at some signals, and its memory and stack are counted as the program's.
 */
#define IN_EMULATOR (getenv("MESON_EXE_WRAPPER") != NULL)

/*
 * True under qemu-user, or if unwiped.c simulates a kernel that wipes no memory in a fork's child.
 */
#define UNDER_EMULATOR (IN_EMULATOR || getenv("WAYMARK_TEST_ADVICE") != NULL)

extern struct waymark_event event_pair, event_text, event_mixed, event_none;

/* A thread's events: `who` identifies threads and contexts, `i` counts. */
static inline void trace_pair(uint64_t who, uint64_t i)
{
	struct waymark_record r;

	if (waymark_record_begin(&r, WAYMARK_RECORDER_SIMPLE, &event_pair, 2 * (8 + 8))) {
		waymark_record_value(&r, &who, sizeof(who));
		waymark_record_value(&r, &i, sizeof(i));
		waymark_record_end(&r);
	}
}

static inline void trace_text(uint64_t i, const char *s)
{
	struct waymark_record r;
	uint32_t max = WAYMARK_RECORD_MAX / 2;
	uint32_t length = waymark_string_length(s, max);

	if (waymark_record_begin(&r, WAYMARK_RECORDER_SIMPLE, &event_text,
		    16 + waymark_string_room(length, max))) {
		waymark_record_value(&r, &i, sizeof(i));
		waymark_record_string(&r, s, length, max);
		waymark_record_end(&r);
	}
}

/* Records pairs of `who` 1, of which the second counts. */
void record_pairs(uint64_t from, uint64_t to);

/* Sets the file of the sink `simple`; ends the process with status 9 on failure. */
void set_simple_file(const char *path);

void trace_mixed(const char *first, const char *last);
void trace_none(void);

/* Creates an empty directory and changes to it; removes the last one at exit. */
void enter_directory(void);
void leave_directory(void);

/* Decodes the file `<prefix><pid>` or, with pid 0, `prefix`; fails the test if it is incomplete. */
void read_trace(struct trace *t, const char *prefix, pid_t pid);

/*
 * Fails unless the pairs of `who` are 0, 1, 2 ... with times that never go back; returns their
 * number.
 */
uint64_t check_order(const struct trace *t, uint64_t who);

/* Like check_order(), but some may be missing: strictly increasing. */
uint64_t check_rising(const struct trace *t, uint64_t who);

uint64_t now_ns(void);
void sleep_ms(unsigned int ms);
size_t file_size(const char *path);
/* Waits a limited time until the file has `size` bytes; returns the milliseconds. */
uint64_t wait_for_size(const char *path, size_t size);

/* Returns the number of rounds, threads or events: `quick`, or `thorough` in the suite `long`. */
unsigned int amount(unsigned int quick, unsigned int thorough);

/*
 * Checks that every `forks.<pid>` has the events of that process, and besides them at most
 * `inherited` events: those that it was about to begin when it was forked.
 */
unsigned int check_children(uint64_t events, uint64_t inherited);

#endif
