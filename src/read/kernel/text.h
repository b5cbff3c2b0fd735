/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace as text: tracefs' `trace` and `trace_pipe`, and what `trace-cmd report`
 * prints. Of its events those are told that take a thread's time: system calls, being off
 * the processor, interrupts. Lines of any length and any bytes; memory is bounded. One thread.
 *
 *	text.c       the file, line by line
 *	line.c       the columns before an event: thread, processor, flags, time
 *	event.c      the events
 *	trace_cmd.c  what trace-cmd makes of its own files
 */
#ifndef READ_KERNEL_TEXT_H
#define READ_KERNEL_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "read/reader.h"

/* What takes time. Of each kind a thread is in one at most. */
enum kernel_kind {
	KERNEL_SYSCALL,
	KERNEL_OFF_CPU,
	KERNEL_IRQ,
	KERNEL_VECTOR, /* an interrupt of the processor's own, as its timer */
	KERNEL_SOFTIRQ,
};

enum kernel_edge {
	KERNEL_NOTHING, /* an event of no interest here */
	KERNEL_BEGIN,
	KERNEL_END,
	KERNEL_SWITCH, /* `tid` goes off its processor, where `next` goes on */
	KERNEL_LOST, /* events were lost here; no thread, no time */
};

#define KERNEL_NAME 64

struct kernel_event {
	enum kernel_edge edge;
	enum kernel_kind kind;
	uint32_t tid;
	uint32_t next;
	uint64_t ns;
	char name[KERNEL_NAME]; /* at beginnings: of the frame */
};

struct kernel_text {
	FILE *file;
	pid_t child; /* that writes it; 0: none */
	int64_t offset_ns; /* added to its times */
	uint64_t line; /* the number of the last one */
	uint64_t events; /* lines that are any event */
	uint64_t bad; /* lines that are none */
	uint64_t ticks; /* those whose time is a number of ticks */
	bool is_continued; /* the next line may belong to what a program wrote into the trace */
	/* Called for each bad line, which it may escape and cut. */
	void (*on_bad)(void *data, uint64_t number, const char *line);
	void *data;
};

/*
 * Opens a capture. One that trace-cmd record wrote is read through trace-cmd, which has to be
 * installed then. False, with the reason in `error`: it cannot be read.
 */
bool kernel_text_open(struct kernel_text *k, const char *path, struct read_error *error);

/* The next event; false at the end. */
bool kernel_text_next(struct kernel_text *k, struct kernel_event *event);

/* False, with the reason in `error`: reading failed, or trace-cmd did. */
bool kernel_text_close(struct kernel_text *k, struct read_error *error);

/* For text.c and capture.c: what a line is. */
struct kernel_line {
	uint32_t tid;
	uint64_t tgid; /* 0: not known, as most captures do not say it */
	uint64_t ns;
	bool is_ticks; /* its time is no time in seconds */
	const char *event; /* its name and what follows */
};

bool kernel_line_parse(struct kernel_line *line, const char *text);

/* Where a processor lost events. */
bool kernel_line_is_loss(const char *line);

/* What stands between events: heads, empty buffers, stacks that events may have. */
bool kernel_line_is_remark(const char *line);

/* Whether lines that are no events belong to this one: programs write several at once. */
bool kernel_line_may_continue(const char *event);

void kernel_event_parse(struct kernel_event *event, const struct kernel_line *line);

/* Names by number of this host, without `sys_`; NULL: none. For event.c. */
const char *kernel_syscall_name(unsigned long number);

#endif
