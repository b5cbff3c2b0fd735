/* SPDX-License-Identifier: MIT */
/* From the first lines of a capture, or a file of trace-cmd, to its reader. */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "read/kernel/capture.h"
#include "read/kernel/trace_cmd.h"

/* A capture may begin inside a text of several lines. */
#define LINES_BEFORE_MAX 16

bool capture_is_head(const char *line)
{
	static const char head[] = "# tracer: ";

	return strncmp(line, head, strlen(head)) == 0;
}

/* What `trace-cmd report` prints before its events. */
static bool is_report(const char *line)
{
	return strncmp(line, "cpus=", strlen("cpus=")) == 0 && is_digit(line[strlen("cpus=")]);
}

/* Whether a line of the window, which is looked at from `at` on, is one of the kernel's trace. */
static bool is_capture_line(struct out *copy, const struct input *in, size_t at, size_t length)
{
	struct kernel_line line;

	copy->len = 0;
	capture_copy_line(copy, in->pos + at, length);
	return capture_is_head(copy->data) || is_report(copy->data) ||
	       kernel_line_is_loss(copy->data) || kernel_line_parse(&line, copy->data);
}

/* As many lines as may be before the first event, or fewer where there is no text. */
static bool detect_text(struct input *in, struct out *copy)
{
	size_t at = 0;
	int lines = 0;

	while (lines < LINES_BEFORE_MAX) {
		const unsigned char *newline = memchr(in->pos + at, '\n', input_left(in) - at);

		if (newline) {
			size_t length = (size_t)(newline - in->pos) - at;

			if (is_capture_line(copy, in, at, length)) {
				return true;
			}
			at += length + 1;
			lines++;
		} else if (memchr(in->pos + at, '\0', input_left(in) - at) ||
			   input_left(in) - at > CAPTURE_LINE_MAX ||
			   !input_has(in, input_left(in) + 1)) {
			return false;
		}
	}
	return false;
}

static bool is_trace_cmd(struct input *in)
{
	return input_has(in, TRACE_CMD_MAGIC_BYTES) &&
	       memcmp(in->pos, TRACE_CMD_MAGIC, TRACE_CMD_MAGIC_BYTES) == 0;
}

static bool capture_detect(struct input *in)
{
	struct out copy;

	if (is_trace_cmd(in)) {
		return true;
	}
	out_init(&copy, OUT_TO_MEMORY);
	bool found = detect_text(in, &copy);

	out_fini(&copy);
	return found;
}

/* What trace-cmd prints of the file takes the place of its bytes. */
static bool open_through_trace_cmd(struct input *in, pid_t *child, struct read_error *error)
{
	const struct input file = *in;
	int fd = trace_cmd_open(child, in->fd, error);

	if (fd < 0) {
		return false;
	}
	input_init(in, fd);
	in->owns_fd = true;
	in->on_wait = file.on_wait;
	in->on_wait_data = file.on_wait_data;
	input_fini(
		&(struct input){ .fd = file.fd, .owns_fd = file.owns_fd, .buffer = file.buffer });
	return true;
}

/* Values are there with their record. */
static const struct value *capture_decode(struct reader *base, const struct record *rec)
{
	(void)base;
	return rec->values;
}

static struct reader *capture_open(
	struct input *in, const struct reader_options *options, struct read_error *error)
{
	pid_t child = 0;

	if (is_trace_cmd(in) && !open_through_trace_cmd(in, &child, error)) {
		return NULL;
	}
	struct capture *c = xcalloc(1, sizeof(*c));

	reader_init(&c->base, &reader_kernel, options);
	c->base.next = capture_next;
	c->base.decode = capture_decode;
	c->base.form = VALUES_TYPED;
	c->base.has_pid = true;
	c->input = *in;
	c->child = child;
	out_init(&c->next, OUT_TO_MEMORY);
	out_init(&c->text, OUT_TO_MEMORY);
	out_init(&c->room, OUT_TO_MEMORY);
	capture_scopes_init(c);
	capture_shapes_init(c);
	return &c->base;
}

static void capture_close(struct reader *base)
{
	struct capture *c = (struct capture *)base;
	struct read_error ignored;

	input_fini(&c->input);
	trace_cmd_close(&c->child, &ignored);
	capture_scopes_fini(c);
	capture_shapes_fini(c);
	out_fini(&c->next);
	out_fini(&c->text);
	out_fini(&c->room);
	reader_fini(base);
	free(c);
}

static double capture_progress(const struct reader *base)
{
	return input_progress(&((const struct capture *)base)->input);
}

const struct reader_format reader_kernel = {
	.name = "tracefs",
	.is_text = true,
	.detect = capture_detect,
	.open = capture_open,
	.close = capture_close,
	.progress = capture_progress,
};
