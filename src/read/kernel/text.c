/* SPDX-License-Identifier: MIT */
/* The capture, line by line; see read/kernel/text.h. */
#include "read/kernel/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"

/* What is looked at of a line: names that programs give themselves are at most 15 bytes. */
#define LINE_MAX_BYTES 1024

/* What trace-cmd record writes begins with this. */
static const char binary_magic[] = "\x17\x08\x44tracing";

/* The child's status where trace-cmd is not installed, as shells have it. */
#define NOT_FOUND 127

static void run_trace_cmd(const char *path, const int pipe_ends[2])
{
	dup2(pipe_ends[1], STDOUT_FILENO);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	execlp("trace-cmd", "trace-cmd", "report", "-t", "-i", path, (char *)NULL);
	_exit(NOT_FOUND);
}

/* Reads what trace-cmd makes of its own file, with all digits of times. */
static bool open_through_trace_cmd(
	struct kernel_text *k, const char *path, struct read_error *error)
{
	int ends[2];

	fclose(k->file);
	k->file = NULL;
	if (pipe(ends) != 0) {
		read_error_set(error, "cannot run trace-cmd: %s", strerror(errno));
		return false;
	}
	k->child = fork();
	if (k->child == 0) {
		run_trace_cmd(path, ends);
	}
	close(ends[1]);
	if (k->child < 0) {
		read_error_set(error, "cannot run trace-cmd: %s", strerror(errno));
		close(ends[0]);
		return false;
	}
	k->file = fdopen(ends[0], "r");
	return k->file != NULL;
}

bool kernel_text_open(struct kernel_text *k, const char *path, struct read_error *error)
{
	char begin[sizeof(binary_magic) - 1];

	k->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (!k->file) {
		read_error_set(error, "cannot open: %s", strerror(errno));
		return false;
	}
	/* Only what begins as no text does is looked at further: a pipe cannot be read again. */
	int first = getc(k->file);

	if (first == EOF && ferror(k->file)) {
		read_error_set(error, "cannot read: %s", strerror(errno));
		return false;
	}
	ungetc(first, k->file);
	if (first != (unsigned char)binary_magic[0]) {
		return true;
	}
	if (fread(begin, 1, sizeof(begin), k->file) != sizeof(begin) ||
		memcmp(begin, binary_magic, sizeof(begin)) != 0) {
		read_error_set(error, "is no text");
		return false;
	}
	if (k->file == stdin) {
		read_error_set(error, "is what trace-cmd record writes: pipe `trace-cmd report -t` "
				      "into this, or name the file");
		return false;
	}
	return open_through_trace_cmd(k, path, error);
}

/* Reads a line, of which the beginning is kept; false at the end. */
static bool next_line(struct kernel_text *k, char line[LINE_MAX_BYTES])
{
	size_t length = 0;
	int c = getc_unlocked(k->file);

	if (c == EOF) {
		return false;
	}
	for (; c != EOF && c != '\n'; c = getc_unlocked(k->file)) {
		if (length < LINE_MAX_BYTES - 1) {
			line[length++] = c ? (char)c : '\x01';
		}
	}
	line[length] = '\0';
	k->line++;
	return true;
}

/* `CPU:0 [LOST 12 EVENTS]`, and trace-cmd's `CPU:0 [12 EVENTS DROPPED]`. */
static bool is_loss(const char *line)
{
	return strncmp(line, "CPU:", 4) == 0 &&
	       (strstr(line, "LOST") || strstr(line, "EVENTS DROPPED"));
}

static bool begins_with_any(const char *text, const char *const *words)
{
	while (*words && strncmp(text, *words, strlen(*words)) != 0) {
		words++;
	}
	return *words != NULL;
}

/* What stands between events: heads, empty buffers, stacks that events may have. */
static bool is_remark(const char *line)
{
	static const char *const remarks[] = { "#", "cpus=", "CPU ", "CPU:", "version = ", "=> ",
		"trace-cmd", "<stack trace>", NULL };

	line += strspn(line, " \t\r");
	return *line == '\0' || begins_with_any(line, remarks);
}

/* What programs write into the trace may have several lines, and so have stacks. */
static bool may_continue(const char *event)
{
	static const char *const events[] = { "tracing_mark_write:", "print:", "bpf_trace_printk:",
		"bprint:", "kernel_stack:", "user_stack:", NULL };

	return begins_with_any(event, events);
}

static void take_event(
	struct kernel_text *k, struct kernel_event *event, const struct kernel_line *line)
{
	k->events++;
	k->ticks += line->is_ticks;
	k->is_continued = may_continue(line->event);
	kernel_event_parse(event, line);
	if (k->offset_ns < 0 && event->ns < -(uint64_t)k->offset_ns) {
		event->ns = 0;
	} else {
		event->ns += (uint64_t)k->offset_ns;
	}
}

bool kernel_text_next(struct kernel_text *k, struct kernel_event *event)
{
	char text[LINE_MAX_BYTES];
	struct kernel_line line;

	while (next_line(k, text)) {
		if (is_loss(text)) {
			*event = (struct kernel_event){ .edge = KERNEL_LOST };
			return true;
		}
		if (kernel_line_parse(&line, text)) {
			take_event(k, event, &line);
			return true;
		}
		if (!is_remark(text) && !k->is_continued) {
			k->bad++;
			k->on_bad(k->data, k->line, text);
		}
	}
	return false;
}

static bool end_child(struct kernel_text *k, struct read_error *error)
{
	int status = 0;

	if (k->child <= 0 || waitpid(k->child, &status, 0) < 0 || status == 0) {
		return true;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
		read_error_set(error,
			"is what trace-cmd record writes, and trace-cmd, which reads it, "
			"is not installed: give the text that `trace-cmd report -t` prints of it");
	} else {
		read_error_set(error, "trace-cmd report could not read it");
	}
	return false;
}

bool kernel_text_close(struct kernel_text *k, struct read_error *error)
{
	bool ok = true;

	if (k->file && ferror(k->file)) {
		read_error_set(error, "cannot read: %s", strerror(errno));
		ok = false;
	}
	if (k->file && k->file != stdin) {
		fclose(k->file);
	}
	k->file = NULL;
	return end_child(k, error) && ok;
}
