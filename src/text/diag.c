/* SPDX-License-Identifier: MIT */
/* Diagnostics with file:line:column, the source line and a caret. */
#include "text/diag.h"

#include <string.h>

/* A longer source line is shown in part, so that a message stays readable. */
#define SHOWN_MAX 160

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

	for (size_t i = 0; i < at.offset; i++) {
		line += at.source->text[i] == '\n';
	}
	return line;
}

unsigned int location_column(struct location at)
{
	return (unsigned int)(at.offset - line_start(at)) + 1;
}

/* The source line and, below it, a caret; tabs are kept so that both line up. */
static void show_line(struct out *o, struct location at)
{
	size_t start = line_start(at);
	size_t end = line_end(at);

	if (at.offset - start > SHOWN_MAX / 2) {
		start = at.offset - SHOWN_MAX / 2;
	}
	if (end - start > SHOWN_MAX) {
		end = start + SHOWN_MAX;
	}
	for (size_t i = start; i < end; i++) {
		unsigned char c = (unsigned char)at.source->text[i];

		out_char(o, c < 0x20 && c != '\t' ? '?' : (char)c);
	}
	out_char(o, '\n');
	for (size_t i = start; i < at.offset; i++) {
		out_char(o, at.source->text[i] == '\t' ? '\t' : ' ');
	}
	out_str(o, "^\n");
}

void diag_report(struct diag *d, enum severity severity, struct location at, const char *help,
		const char *fmt, ...)
{
	struct out *o = &d->out;
	va_list ap;

	d->errors += severity == SEVERITY_ERROR;
	d->warnings += severity == SEVERITY_WARNING;
	if (at.source) {
		out_printf(o, "%s:%u:%u: ", at.source->name, location_line(at),
				location_column(at));
	}
	out_printf(o, "%s: ", severity_names[severity]);
	va_start(ap, fmt);
	out_vprintf(o, fmt, ap);
	va_end(ap);
	out_char(o, '\n');
	if (at.source) {
		show_line(o, at);
	}
	if (help && at.source) {
		out_printf(o, "%s:%u: ", at.source->name, location_line(at));
	}
	if (help) {
		out_printf(o, "help: %s\n", help);
	}
}
