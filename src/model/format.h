/* SPDX-License-Identifier: MIT */
/*
 * A parsed format: literal text and conversions of printf, or placeholders of a message with
 * braces, in order. Made once when a declaration is read; checked by the front end, written by the
 * emitters, rendered by the reader. `PRIx64` and the like are resolved here, so no other code
 * handles them.
 */
#ifndef MODEL_FORMAT_H
#define MODEL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "brace/brace.h"
#include "text/diag.h"
#include "text/placed.h"
#include "text/scan.h"

/* In place of an argument's index, where there is none. */
#define FORMAT_NO_ARG (-1)

/* A conversion, or a placeholder, which has letter 0 and uses only `spec`, `arg` and `at`. */
struct conversion {
	char flags[8]; /* of "-+ #0", effective ones only, each once; NUL-terminated */
	int width; /* -1: none */
	int precision; /* -1: none */
	int width_arg; /* index of the argument that `*` takes */
	int precision_arg;
	int arg; /* index of the argument that is printed */
	const char *length; /* as declared; 64, PTR, LEAST8, ... for a PRI macro */
	char letter; /* d i u x X o c s p; in old declarations also a e f g and their capitals */
	bool is_errno; /* an old declaration's `%m`, whose argument is text that no call passes */
	const struct brace_spec *spec; /* for a placeholder; NULL: printf's */
	struct location at; /* place of its `%` or `{` */
};

/* Members of a conversion without width, precision and length. */
#define CONVERSION_PLAIN                                                                          \
	.width = -1, .precision = -1, .width_arg = FORMAT_NO_ARG, .precision_arg = FORMAT_NO_ARG, \
	.length = ""

#define FORMAT_FLOATS "aAeEfFgG"

static inline bool format_is_float(const struct conversion *c)
{
	return c->letter && strchr(FORMAT_FLOATS, c->letter);
}

/* Literal text, of any bytes except NUL, then one conversion unless `has_conversion` is false. */
struct segment {
	const char *text;
	size_t len;
	bool has_conversion;
	struct conversion conversion;
};

enum format_style { FORMAT_PRINTF, FORMAT_BRACES };

struct format {
	enum format_style style;
	/*
	 * As declared, with quotes and macros, separated by one blank, so that it is valid C and
	 * C++ anywhere. For FORMAT_BRACES, the message itself. NULL: no format.
	 */
	const char *source;
	struct segment *segments;
	size_t count;
	size_t args; /* number of arguments of the conversions, including those of `*` */
	struct location at; /* start of the format */
};

struct event;

/* The input of format_parse(). */
struct format_reading {
	const struct event *event; /* helps to mend a format by its arguments; may be NULL */
	struct arena *arena;
	struct diag *diag; /* NULL: faults are not reported */
	bool old; /* accepts what QEMU 2.8 did: floating point, `%m`, a newline at the end */
};

/*
 * Reads one format, from its first quote to a comma or the end of `in`, and leaves the cursor
 * there. Returns false after an error, with only `source` and `at` set in `f`. A newline at the end
 * is an error, but is dropped if the format is old or faults are not reported.
 */
bool format_parse(struct format *f, const struct format_reading *r, struct scan *in);

/*
 * Reads a message with braces. After an error it returns false, and `f` has the segments before the
 * error. A NUL in the message is an error.
 */
bool format_parse_braces(
	struct format *f, struct arena *a, struct diag *d, const struct placed *message);

/* Returns the conversion that prints an argument; NULL if none does. */
const struct conversion *format_conversion_of(const struct format *f, size_t arg);

/* Removes everything from a format except its text. */
void format_drop(struct format *f);

/* Prepends `prefix` to `f`, and renumbers the arguments of `f`. */
void format_prepend(struct format *f, struct arena *a, const struct format *prefix);

/* Renumbers a format's arguments for `by` new ones before them. */
void format_shift(struct format *f, int by);

/*
 * Returns the nearest printf format of an event with braces, for languages with printf only:
 * SystemTap, bpftrace. `other` is the letter for arguments of more than 64 bits, floats, bytes and
 * values with their own kind; of these conversions only `arg` is meaningful. Arguments without a
 * placeholder are left out.
 */
struct format *format_as_printf(struct arena *a, const struct event *e, char other);

/*
 * True if a flag changes the output of a conversion. printf ignores other flags, or leaves them
 * undefined.
 */
bool conversion_heeds(const struct conversion *c, char flag);

/* Returns a conversion as written in a format, for messages: `%d`, `%016" PRIx64`. */
const char *conversion_text(struct arena *a, const struct conversion *c);

#endif
