/* SPDX-License-Identifier: MIT */
/*
 * Formats diagnostics: file:line:column, the message, the source line and a caret. Text of an input
 * is printed without controls, long lines and messages are cut, and the number of messages of one
 * source is limited.
 */
#include "text/diag.h"

#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

/* Bytes of a source line that are printed, around the place. */
#define SHOWN_MAX 160

/* Bytes of a message that are printed, as it may quote a long input. */
#define MESSAGE_MAX 1000

static const char *const severity_names[] = {
	[SEVERITY_ERROR] = "error",
	[SEVERITY_WARNING] = "warning",
};

void diag_init(struct diag *d)
{
	*d = (struct diag){ 0 };
	out_init(&d->out, OUT_TO_MEMORY);
}

void diag_fini(struct diag *d)
{
	out_fini(&d->out);
}

static size_t line_start(struct location at)
{
	size_t start = at.offset;

	while (start > 0 && at.source->text[start - 1] != '\n') {
		start--;
	}
	return start;
}

static size_t line_end(struct location at)
{
	size_t end = at.offset;

	while (end < at.source->len && at.source->text[end] != '\n') {
		end++;
	}
	if (end > at.offset && at.source->text[end - 1] == '\r') {
		end--;
	}
	return end;
}

unsigned int location_line(struct location at)
{
	unsigned int line = 1;
	const char *end = at.source->text + at.offset;
	const char *newline = at.source->text;

	while (newline < end && (newline = memchr(newline, '\n', (size_t)(end - newline)))) {
		line++;
		newline++;
	}
	return line;
}

unsigned int location_column(struct location at)
{
	return (unsigned int)(at.offset - line_start(at)) + 1;
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Returns the bytes of the next character; a byte that is not UTF-8 counts as one. */
static size_t next_length(const char *text, size_t len)
{
	size_t n = utf8_length(text, len);

	return n > 0 ? n : 1;
}

/* True if a terminal would not print the character of next_length() as it is. */
static bool is_hidden(const char *text, size_t n)
{
	return n > 1 ? escape_is_misleading(utf8_decode(text, n))
		     : escape_needed((unsigned char)*text) || utf8_length(text, 1) == 0;
}

/* Prints text of an input: as UTF-8, without anything that commands the terminal. */
static void show_text(struct out *o, const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = next_length(text + i, len - i);
		if (is_hidden(text + i, n)) {
			out_char(o, '?');
		} else {
			out_bytes(o, text + i, n);
		}
	}
}

/* Prints the source line and, below it, a caret. Tabs are kept so that both line up. */
static void show_line(struct out *o, struct location at)
{
	const char *text = at.source->text;
	size_t start = line_start(at);
	size_t end = line_end(at);

	if (end - start > SHOWN_MAX && at.offset - start > SHOWN_MAX / 2) {
		start = at.offset - SHOWN_MAX / 2;
	}
	if (end - start > SHOWN_MAX) {
		end = start + SHOWN_MAX;
	}
	while (start < at.offset && is_continuation(text[start])) {
		start++;
	}
	while (end > at.offset && end < at.source->len && is_continuation(text[end])) {
		end--;
	}
	show_text(o, text + start, end - start);
	out_char(o, '\n');
	for (size_t i = start; i < at.offset; i += next_length(text + i, at.source->len - i)) {
		out_char(o, text[i] == '\t' ? '\t' : ' ');
	}
	out_str(o, "^\n");
}

/* Prints a message, which may quote an input. */
static void show_message(struct out *o, const char *text, size_t len)
{
	size_t shown = len > MESSAGE_MAX ? MESSAGE_MAX : len;

	while (shown < len && shown > 0 && is_continuation(text[shown])) {
		shown--;
	}
	show_text(o, text, shown);
	out_str(o, shown < len ? "...\n" : "\n");
}

/* Counts a message; returns false if its source has too many to print it. */
static bool count_message(struct diag *d, enum severity severity, const struct source *source)
{
	d->errors += severity == SEVERITY_ERROR;
	d->warnings += severity == SEVERITY_WARNING;
	if (d->source != source) {
		d->source = source;
		memset(d->shown, 0, sizeof(d->shown));
	}
	if (d->shown[severity]++ < DIAG_SHOWN_MAX) {
		return true;
	}
	if (d->shown[severity] == DIAG_SHOWN_MAX + 1) {
		out_printf(&d->out, "%s: more %ss are not shown\n", source ? source->name : "",
			severity_names[severity]);
	}
	return false;
}

void diag_vreport(struct diag *d, enum severity severity, struct location at, const char *help,
	const char *fmt, va_list ap)
{
	if (!d || !count_message(d, severity, at.source)) {
		return;
	}
	struct out *o = &d->out;
	unsigned int line = at.source ? location_line(at) : 0;

	if (at.source) {
		out_printf(o, "%s:%u:%u: ", at.source->name, line, location_column(at));
	}
	struct out message;

	out_init(&message, OUT_TO_MEMORY);
	out_vprintf(&message, fmt, ap);
	out_printf(o, "%s: ", severity_names[severity]);
	show_message(o, message.data, message.len);
	out_fini(&message);
	if (at.source) {
		show_line(o, at);
	}
	if (help && at.source) {
		out_printf(o, "%s:%u: ", at.source->name, line);
	}
	if (help) {
		out_str(o, "help: ");
		show_message(o, help, strlen(help));
	}
}

void diag_report(struct diag *d, enum severity severity, struct location at, const char *help,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_vreport(d, severity, at, help, fmt, ap);
	va_end(ap);
}
