/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics in the form that compilers print and editors understand:
 *
 *	block/trace-events:12:30: error: 2 arguments, but the format has 1 conversion
 *	blk_read(uint64_t offset, uint32_t bytes) "offset %"PRIu64
 *	                          ^
 *	block/trace-events:12: help: add a conversion for 'bytes', for example %u
 *
 * struct diag collects them, so that a run reports all errors. Libraries pass the
 * text to their caller, and only a main prints it.
 */
#ifndef TEXT_DIAG_H
#define TEXT_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "text/out.h"

/* One input: its name for messages, and its whole text (not NUL-terminated). */
struct source {
	const char *name;
	const char *text;
	size_t len;
};

/* A place in a source: a byte offset; line and column are computed when needed. */
struct location {
	const struct source *source;
	size_t offset;
};

enum severity { SEVERITY_ERROR, SEVERITY_WARNING };

/* Limit of printed messages of one source and severity; more are only counted. */
#define DIAG_SHOWN_MAX 100

struct diag {
	struct out out; /* the messages in printed form */
	unsigned int errors;
	unsigned int warnings;
	const struct source *source; /* of the last message */
	unsigned int shown[2]; /* number printed of that source, by severity */
	bool has_listed; /* a message had the list, which is too long to repeat */
};

void diag_init(struct diag *d);
void diag_fini(struct diag *d);

/* Returns the line number (from 1) of a place. */
unsigned int location_line(struct location at);

/* Returns the column (from 1, in bytes) of a place. */
unsigned int location_column(struct location at);

/*
 * Reports a message with its place, the source line and a caret. `help` says what to do and may be
 * NULL. If the location has no source, only the text is printed. `d` may be NULL: then the message
 * is dropped.
 */
void diag_report(struct diag *d, enum severity severity, struct location at, const char *help,
	const char *fmt, ...) PRINTF(5, 6);
void diag_vreport(struct diag *d, enum severity severity, struct location at, const char *help,
	const char *fmt, va_list ap);

#define diag_error(d, at, help, ...) diag_report((d), SEVERITY_ERROR, (at), (help), __VA_ARGS__)
#define diag_warning(d, at, help, ...) diag_report((d), SEVERITY_WARNING, (at), (help), __VA_ARGS__)

#endif
