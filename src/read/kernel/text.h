/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace as text: tracefs' `trace` and `trace_pipe`, and what `trace-cmd report`
 * prints. Gives the events that take a thread's time: system calls, being off the processor,
 * interrupts. Lines of any length and any bytes; memory is bounded. One thread.
 *
 *	text.c       the file, line by line, and its events
 *	line.c       the columns before an event: thread, processor, flags, time
 *	trace_cmd.c  trace-cmd's own files, through trace-cmd
 */
#ifndef READ_KERNEL_TEXT_H
#define READ_KERNEL_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "read/reader.h"

/* The kinds of events that take time. A thread is in one of each kind at most. */
enum kernel_kind {
	KERNEL_SYSCALL,
	KERNEL_OFF_CPU,
	KERNEL_IRQ,
	KERNEL_VECTOR, /* an interrupt of the processor's own, as its timer */
	KERNEL_SOFTIRQ,
};

enum kernel_edge {
	KERNEL_NOTHING, /* another event */
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
	char name[KERNEL_NAME]; /* of the frame, at its beginning */
};

struct kernel_text {
	FILE *file;
	pid_t child; /* trace-cmd, which writes the text; 0: none */
	int64_t offset_ns; /* added to its times */
	uint64_t line; /* number of the last one */
	uint64_t events; /* lines that are events */
	uint64_t bad; /* lines that are none of the kernel's trace */
	uint64_t ticks; /* events whose time is a number of ticks */
	bool is_continued; /* the next line may belong to a text that a program wrote */
	/* called for each bad line, which it may escape and cut */
	void (*on_bad)(void *data, uint64_t number, const char *line);
	void *data;
};

/*
 * Opens a capture. A file of trace-cmd record is read through trace-cmd, which has to be installed
 * then. False, with the reason in `error`: it cannot be read.
 */
bool kernel_text_open(struct kernel_text *k, const char *path, struct read_error *error);

/* The next event; false at the end. */
bool kernel_text_next(struct kernel_text *k, struct kernel_event *event);

/* False, with the reason in `error`: reading failed, or trace-cmd did. */
bool kernel_text_close(struct kernel_text *k, struct read_error *error);

/* ---- line.c, for text.c and capture.c ---- */

struct kernel_line {
	uint32_t tid;
	uint64_t tgid; /* 0: not known, as in most captures */
	uint64_t ns;
	bool is_ticks; /* its time is a number of ticks, not seconds */
	const char *event; /* its name and what follows */
};

bool kernel_line_parse(struct kernel_line *line, const char *text);

/* True if a line says that a processor lost events. */
bool kernel_line_is_loss(const char *line);

/* True if a line is a remark between events: a head, an empty buffer, a stack. */
bool kernel_line_is_remark(const char *line);

/* True if lines that are no events belong to this event: programs write several at once. */
bool kernel_line_may_continue(const char *event);

/* Sets an event from its line. For text.c and its test. */
void kernel_event_parse(struct kernel_event *event, const struct kernel_line *line);

/* The name of this host's system call, without `sys_`; NULL: none. Generated, for text.c. */
const char *kernel_syscall_name(unsigned long number);

/*
 * ---- trace_cmd.c ----
 *
 * trace-cmd reads its own files: they have several versions, two compressions and the layout of
 * the kernel that recorded, and it keeps up with them.
 */

/* The first bytes of a file of trace-cmd record. */
#define TRACE_CMD_MAGIC "\x17\x08\x44tracing"
#define TRACE_CMD_MAGIC_BYTES (sizeof(TRACE_CMD_MAGIC) - 1)

/*
 * Runs trace-cmd on the file of `fd`, which stays the caller's. Returns a descriptor of its text;
 * -1, with the reason in `error`: the file cannot be read so.
 */
int trace_cmd_open(pid_t *child, int fd, struct read_error *error);

/*
 * Waits for the child to exit, unless it is 0. Call it when the text has ended, or its descriptor
 * is closed. False, with the reason in `error`: the text is not the whole file.
 */
bool trace_cmd_close(pid_t *child, struct read_error *error);

#endif
