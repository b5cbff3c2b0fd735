/* SPDX-License-Identifier: MIT */
/* The capture, line by line; see read/kernel/text.h. */
#include "read/kernel/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "read/kernel/trace_cmd.h"

/* What is looked at of a line: names that programs give themselves are at most 15 bytes. */
#define LINE_MAX_BYTES 1024

/* Reads what trace-cmd makes of its own file, with all digits of times. */
static bool open_through_trace_cmd(struct kernel_text *k, struct read_error *error)
{
	int fd = trace_cmd_open(&k->child, fileno(k->file), error);

	if (k->file != stdin) {
		fclose(k->file);
	}
	k->file = fd < 0 ? NULL : fdopen(fd, "r");
	return k->file != NULL;
}

bool kernel_text_open(struct kernel_text *k, const char *path, struct read_error *error)
{
	char begin[TRACE_CMD_MAGIC_BYTES];

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
	if (first != (unsigned char)TRACE_CMD_MAGIC[0]) {
		return true;
	}
	if (fread(begin, 1, sizeof(begin), k->file) != sizeof(begin) ||
		memcmp(begin, TRACE_CMD_MAGIC, sizeof(begin)) != 0) {
		read_error_set(error, "is no text");
		return false;
	}
	return open_through_trace_cmd(k, error);
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

static void take_event(
	struct kernel_text *k, struct kernel_event *event, const struct kernel_line *line)
{
	k->events++;
	k->ticks += line->is_ticks;
	k->is_continued = kernel_line_may_continue(line->event);
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
		if (kernel_line_is_loss(text)) {
			*event = (struct kernel_event){ .edge = KERNEL_LOST };
			return true;
		}
		if (kernel_line_parse(&line, text)) {
			take_event(k, event, &line);
			return true;
		}
		if (!kernel_line_is_remark(text) && !k->is_continued) {
			k->bad++;
			k->on_bad(k->data, k->line, text);
		}
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
	return trace_cmd_close(&k->child, error) && ok;
}
