/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace as text: tracefs' `trace` and `trace_pipe`, and the output of `trace-cmd
 * report`. Returns the events that take a thread's time: system calls, time off the processor,
 * interrupts; and those that wake a thread. Lines of any length and any bytes; memory is bounded.
 * One thread.
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

/* Kinds of events that take time. A thread is in at most one event of each kind. */
enum kernel_kind {
	KERNEL_SYSCALL,
	KERNEL_OFF_CPU,
	KERNEL_IRQ,
	KERNEL_VECTOR, /* an interrupt local to a processor, such as its timer */
	KERNEL_SOFTIRQ,
};

enum kernel_edge {
	KERNEL_NOTHING, /* any other event */
	KERNEL_BEGIN,
	KERNEL_END,
	KERNEL_SWITCH, /* `tid` leaves its processor, and `next` runs there */
	KERNEL_WAKE, /* thread `next` can run from now on */
	KERNEL_LOST, /* events were lost here; without thread and time */
};

#define KERNEL_NAME 64

struct kernel_event {
	enum kernel_edge edge;
	enum kernel_kind kind;
	uint32_t tid;
	uint32_t next;
	uint32_t cpu;
	uint64_t ns;
	char name[KERNEL_NAME]; /* name of the frame, at its start */
};

struct kernel_text {
	FILE *file;
	pid_t child; /* trace-cmd, which writes the text; 0: none */
	int64_t offset_ns; /* added to its times */
	uint64_t line; /* number of the last line */
	uint64_t events; /* lines that are events */
	uint64_t bad; /* lines that are not of the kernel's trace */
	uint64_t ticks; /* events whose time is a number of ticks */
	bool is_continued; /* the next line may belong to a text that a program wrote */
	/* called for each bad line, whose text it may escape and cut */
	void (*on_bad)(void *data, uint64_t number, const char *line);
	void *data;
};

/*
 * Opens a capture. A file of trace-cmd record is read through trace-cmd, which must be installed.
 * Returns false with the reason in `error` if it cannot be read.
 */
bool kernel_text_open(struct kernel_text *k, const char *path, struct read_error *error);

/* Reads the next event; false at the end. */
bool kernel_text_next(struct kernel_text *k, struct kernel_event *event);

/* Closes the capture. Returns false with the reason in `error` if reading or trace-cmd failed. */
bool kernel_text_close(struct kernel_text *k, struct read_error *error);

/* ---- line.c, for text.c and capture.c ---- */

struct kernel_line {
	uint32_t tid;
	uint64_t tgid; /* 0: unknown, as in most captures */
	uint64_t ns;
	uint32_t cpu;
	bool is_ticks; /* its time is a number of ticks, not seconds */
	const char *event; /* name of the event and the rest of the line */
};

bool kernel_line_parse(struct kernel_line *line, const char *text);

/* True if a line reports that a processor lost events. */
bool kernel_line_is_loss(const char *line);

/* True if a line is a remark between events: a head, an empty buffer, a stack. */
bool kernel_line_is_remark(const char *line);

/* True if lines that are no events may continue this event, as programs write several at once. */
bool kernel_line_may_continue(const char *event);

/* Sets an event from its line. For text.c and its test. */
void kernel_event_parse(struct kernel_event *event, const struct kernel_line *line);

/*
 * Returns the name of this host's system call, without `sys_`; NULL if unknown. Generated, for
 * text.c.
 */
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
 * Runs trace-cmd on the file of `fd`, which the caller closes. Returns a descriptor of its output;
 * -1 with the reason in `error` if trace-cmd cannot be run.
 */
int trace_cmd_open(pid_t *child, int fd, struct read_error *error);

/*
 * Waits for the child to exit, unless it is 0. Call it when the text has ended, or its descriptor
 * is closed. Returns false with the reason in `error` if the text is not the whole file.
 */
bool trace_cmd_close(pid_t *child, struct read_error *error);

#endif
