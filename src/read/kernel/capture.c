/* SPDX-License-Identifier: MIT */
/*
 * Reads captures of the kernel's trace line by line. A text that a program wrote may have several
 * lines, so an event ends where the next one begins; if a pipe has no more bytes now, the event is
 * returned without waiting. reader.c calls this through the table of formats; scope.c makes the
 * records.
 */
#include "read/kernel/capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"

#define TOTALS "# entries-in-buffer/entries-written: "

#define CLOCK_ADVICE "record it after `echo mono > trace_clock`, or with trace-cmd record -C mono"

/* A capture may begin inside a text of several lines. */
#define LINES_BEFORE_MAX 16

/* ---- Lines ---- */

enum line_state { LINE_WHOLE, LINE_END, LINE_CUT, LINE_LONG };

/* Sets the bytes of the next line in the input, without its end. */
static enum line_state find_line(struct input *in, size_t *length)
{
	size_t from = 0;

	for (;;) {
		const unsigned char *begin = in->pos;
		size_t left = input_left(in);
		const unsigned char *newline =
			left > from ? memchr(begin + from, '\n', left - from) : NULL;

		if (newline) {
			*length = (size_t)(newline - begin);
			return *length > CAPTURE_LINE_MAX ? LINE_LONG : LINE_WHOLE;
		}
		*length = from = left;
		if (left > CAPTURE_LINE_MAX) {
			return LINE_LONG;
		}
		if (!input_has(in, left + 1)) {
			return left == 0 ? LINE_END : LINE_CUT;
		}
	}
}

/* Appends a line's text without its carriage return, and a NUL that is not counted. */
static void copy_line(struct out *out, const unsigned char *line, size_t length)
{
	char *copy = out_reserve(out, length + 1);

	length -= length > 0 && line[length - 1] == '\r';
	for (size_t i = 0; i < length; i++) {
		copy[i] = line[i] ? (char)line[i] : '\x01';
	}
	copy[length] = '\0';
	out_advance(out, length);
}

/* True if that is the first line of a tracefs file `trace`. */
static bool is_head(const char *line)
{
	static const char head[] = "# tracer: ";

	return strncmp(line, head, strlen(head)) == 0;
}

/* Copies the next line to c->next; consume() then moves past it. */
static enum line_state peek(struct capture *c)
{
	size_t length;

	if (c->next_bytes > 0) {
		return LINE_WHOLE;
	}
	enum line_state state = find_line(&c->input, &length);

	if (state == LINE_WHOLE) {
		c->next.len = 0;
		copy_line(&c->next, c->input.pos, length);
		c->next_bytes = length + 1;
	}
	return state;
}

static void consume(struct capture *c)
{
	c->input.pos += c->next_bytes;
	c->next_bytes = 0;
	c->line++;
}

static void skip_long_line(struct capture *c)
{
	const unsigned char *newline = NULL;

	while (!newline && input_has(&c->input, 1)) {
		newline = memchr(c->input.pos, '\n', input_left(&c->input));
		c->input.pos = newline ? newline + 1 : c->input.end;
	}
	c->line++;
}

/* ---- Lines that are no events ---- */

static COLD enum read_result problem(struct capture *c, const char *what)
{
	read_error_set(&c->base.error, "line %" PRIu64 " %s: %.60s", c->line, what,
		c->next.len > 0 ? c->next.data : "");
	return READ_PROBLEM;
}

static enum read_result give_gap(struct capture *c, struct record *rec, uint64_t ns)
{
	*rec = (struct record){
		.kind = RECORD_GAP,
		.ns = ns,
		.offset = input_offset(&c->input),
		.gap = c->losses,
		.from_ns = c->lost_from_ns,
	};
	c->losses = (struct losses){ 0 };
	return READ_RECORD;
}

static bool has_losses(const struct capture *c)
{
	return losses_events(&c->losses) + losses_packets(&c->losses) > 0;
}

static void note_losses(struct capture *c, const struct losses *losses, uint64_t from_ns)
{
	if (!has_losses(c) || from_ns < c->lost_from_ns) {
		c->lost_from_ns = from_ns;
	}
	losses_add(&c->losses, losses);
}

/* `CPU:0 [LOST 12 EVENTS]`; the number is absent if the kernel does not know it. */
static void note_loss_line(struct capture *c, const char *text)
{
	size_t cpu = strtoul(text + strlen("CPU:"), NULL, 10);
	const char *lost = text + strcspn(text, "[");
	const char *digits = lost + strcspn(lost, "0123456789");
	uint64_t count = strtoull(digits, NULL, 10);
	const struct losses losses = { .lost = count, .missing = count == 0 };

	note_losses(c, &losses, cpu < c->last_ns.count ? c->last_ns.items[cpu] : 0);
}

static void note_time(struct capture *c, const struct kernel_line *line)
{
	if (line->cpu < CAPTURE_CPUS_MAX) {
		vec_reach(&c->last_ns, line->cpu);
		c->last_ns.items[line->cpu] = line->ns;
	}
}

static COLD enum read_result end(struct capture *c, struct record *rec)
{
	if (c->input.error) {
		read_error_set(&c->base.error, "cannot read on at byte %" PRIu64 ": %s",
			input_offset(&c->input), strerror(c->input.error));
		return READ_DAMAGED;
	}
	if (has_losses(c)) {
		return give_gap(c, rec, c->last.ns);
	}
	/* trace-cmd does not report a file that it cannot read. */
	bool is_empty = c->child != 0 && c->line == 0;

	if (!trace_cmd_close(&c->child, &c->base.error)) {
		return READ_DAMAGED;
	}
	if (is_empty) {
		read_error_set(&c->base.error,
			"trace-cmd report prints nothing of it: it is truncated or damaged");
	}
	return is_empty ? READ_DAMAGED : READ_END;
}

/* Reports a last line without an end, as its truncated text may mean something else. */
static COLD enum read_result cut(struct capture *c)
{
	if (c->input.error) {
		return end(c, NULL);
	}
	read_error_set(
		&c->base.error, "truncated: the capture ends inside of line %" PRIu64, c->line + 1);
	return READ_DAMAGED;
}

/* ---- Events ---- */

/* Appends the lines that continue the event, as long as they need no waiting. */
static void take_continuation(struct capture *c)
{
	struct kernel_line line;

	while (c->text.len < CAPTURE_LINE_MAX &&
		(input_left(&c->input) > 0 || !input_would_wait(&c->input)) &&
		peek(c) == LINE_WHOLE && !is_head(c->next.data) &&
		!kernel_line_is_loss(c->next.data) && !kernel_line_parse(&line, c->next.data)) {
		out_char(&c->text, '\n');
		out_bytes(&c->text, c->next.data, c->next.len + 1);
		c->text.len--;
		consume(c);
	}
}

/* Removes `<name>: ` from an event's text; without a colon the name is its first word. */
static struct span event_name(const char **text)
{
	const char *begin = *text;
	const char *p = begin;

	if (*begin == '<') { /* `<stack trace>`, of the previous event */
		return (struct span){ "stack", strlen("stack") };
	}
	while (is_word((unsigned char)*p) || *p == '.') {
		p++;
	}
	p += p == begin && *p; /* no event begins with this character */
	*text = p + (*p == ':');
	*text += strspn(*text, " \t");
	return (struct span){ begin, (size_t)(p - begin) };
}

/*
 * True if a program wrote the text. Such a text follows the name of the kernel's function.
 * trace-cmd prints the event's name before that, and the function's address if its name is unknown.
 */
static bool is_marker(struct span *name, const char **text)
{
	static const char writer[] = "tracing_mark_write";

	if (span_equals(*name, "print")) {
		*name = event_name(text);
		return true;
	}
	return name->len >= strlen(writer) && memcmp(name->text, writer, strlen(writer)) == 0 &&
	       (name->len == strlen(writer) || name->text[strlen(writer)] == '.');
}

/* Begins a record for the line in c->next, which becomes its text. */
static void begin_event(struct capture *c, struct record *rec, uint64_t ns)
{
	*rec = (struct record){
		.kind = RECORD_EVENT,
		.ns = ns,
		.offset = input_offset(&c->input),
		.values = c->values,
	};
	c->text.len = 0;
	out_bytes(&c->text, c->next.data, c->next.len + 1);
	c->text.len--;
	consume(c);
}

static enum read_result give_event(
	struct capture *c, struct record *rec, const struct kernel_line *line)
{
	size_t at = (size_t)(line->event - c->next.data);

	begin_event(c, rec, line->ns);
	c->is_continued = kernel_line_may_continue(line->event);
	if (c->is_continued) {
		take_continuation(c);
	}
	const char *text = c->text.data + at;
	struct span name = event_name(&text);

	if (is_marker(&name, &text)) {
		capture_set_marker(c, rec, line, c->text.data + (text - c->text.data));
	} else {
		capture_set_event(c, rec, line, name, (struct span){ text, strlen(text) });
	}
	rec->payload = (const unsigned char *)text;
	rec->payload_size = strlen(text);
	c->last = *rec;
	note_time(c, line);
	return READ_RECORD;
}

/* Processes the line in c->next; READ_NOTHING if it makes no record. */
static enum read_result take_line(struct capture *c, struct record *rec)
{
	const char *text = c->next.data;
	struct kernel_line line;

	if (!kernel_line_is_loss(text) && kernel_line_parse(&line, text)) {
		if (line.is_ticks) {
			read_error_set(&c->base.error,
				"line %" PRIu64 ": its time is in ticks of unknown length, as "
				"of the clocks counter and x86-tsc: " CLOCK_ADVICE,
				c->line + 1);
			return READ_DAMAGED;
		}
		return has_losses(c) ? give_gap(c, rec, line.ns) : give_event(c, rec, &line);
	}
	if (kernel_line_is_loss(text)) {
		note_loss_line(c, text);
	} else if (c->is_continued && !is_head(text)) {
		/* Returns a further line of a text whose first lines were already returned. */
		line = (struct kernel_line){ .tid = c->last.tid, .ns = c->last.ns };
		begin_event(c, rec, line.ns);
		capture_set_event(c, rec, &line, (struct span){ "print", strlen("print") },
			(struct span){ c->text.data, strlen(c->text.data) });
		return READ_RECORD;
	} else if (strncmp(text, TOTALS, strlen(TOTALS)) == 0) {
		/* The head of a buffer: the number of events in it, and of events written. */
		char *end;
		uint64_t there = strtoull(text + strlen(TOTALS), &end, 10);
		uint64_t written = *end == '/' ? strtoull(end + 1, NULL, 10) : there;

		const struct losses losses = { .overwritten = written - there };

		if (written > there) {
			note_losses(c, &losses, 0);
		}
	} else if (!kernel_line_is_remark(text)) {
		consume(c);
		return problem(c, "is not a line of the kernel's trace");
	}
	c->is_continued &= !is_head(text);
	consume(c);
	return READ_NOTHING;
}

static enum read_result capture_next(struct reader *base, struct record *rec)
{
	struct capture *c = (struct capture *)base;
	enum read_result result = READ_NOTHING;

	while (result == READ_NOTHING) {
		switch (peek(c)) {
		case LINE_WHOLE:
			result = take_line(c, rec);
			break;
		case LINE_LONG:
			skip_long_line(c);
			c->next.len = 0;
			result = problem(c, "is too long for a line of the kernel's trace");
			break;
		case LINE_CUT:
			return cut(c);
		case LINE_END:
			return end(c, rec);
		}
	}
	return result;
}

/* ---- Opening and closing ---- */

/* True if the window has a line of the kernel's trace at `at`. */
static bool is_capture_line(struct out *copy, const struct input *in, size_t at, size_t length)
{
	struct kernel_line line;

	copy->len = 0;
	copy_line(copy, in->pos + at, length);
	/* `trace-cmd report` begins with `cpus=4`. */
	bool is_report = strncmp(copy->data, "cpus=", strlen("cpus=")) == 0 &&
			 is_digit(copy->data[strlen("cpus=")]);

	return is_report || is_head(copy->data) || kernel_line_is_loss(copy->data) ||
	       kernel_line_parse(&line, copy->data);
}

/* Checks the lines that may precede the first event; fewer if the input is no text. */
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

/* Replaces the file by trace-cmd's output for it. */
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

/* Records of captures have their values already. */
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

static void capture_close_files(struct reader *base)
{
	struct capture *c = (struct capture *)base;
	struct read_error ignored;

	input_fini(&c->input);
	trace_cmd_close(&c->child, &ignored);
}

static void capture_close(struct reader *base)
{
	struct capture *c = (struct capture *)base;

	capture_scopes_fini(c);
	capture_shapes_fini(c);
	vec_fini(&c->last_ns);
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
	.close_files = capture_close_files,
	.close = capture_close,
	.progress = capture_progress,
};
