/* SPDX-License-Identifier: MIT */
/*
 * A format taken apart: literal text and conversions, in order; printf's, or placeholders
 * of a message with braces. Made once when a declaration is read; checked by the front end,
 * written by the emitters, rendered by the reader. `PRIx64` and the like are resolved here, so
 * no other code sees them.
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

/* The argument that a `*` or a conversion takes; FORMAT_NO_ARG where there is none. */
#define FORMAT_NO_ARG (-1)

/* Of a placeholder, `letter` is 0 and only `spec`, `arg` and `at` mean something. */
struct conversion {
	char flags[8]; /* of "-+ #0", those that have an effect, each once; NUL-terminated */
	int width; /* -1: none */
	int precision; /* -1: none */
	int width_arg; /* index of the argument that `*` takes */
	int precision_arg;
	int arg; /* index of the argument that is printed */
	const char *length; /* as declared; 64, PTR, LEAST8, ... for a PRI macro */
	char letter; /* d i u x X o c s p; of an old declaration a e f g and their capitals, too */
	bool is_errno; /* an old declaration's `%m`: its argument is text that no call passes */
	const struct brace_spec *spec; /* of a placeholder; NULL: printf's */
	struct location at; /* its `%`, or `{` */
};

#define FORMAT_FLOATS "aAeEfFgG"

static inline bool format_is_float(const struct conversion *c)
{
	return c->letter && strchr(FORMAT_FLOATS, c->letter);
}

/*
 * Literal text (may hold any byte but NUL), then one conversion unless `has_conversion` is false.
 */
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
	 * As declared, quotes and macros included, with one blank between them, so
	 * that it is valid C and C++ in any place; of FORMAT_BRACES the message itself.
	 * NULL: no format at all.
	 */
	const char *source;
	struct segment *segments;
	size_t count;
	size_t args; /* how many arguments the conversions take, `*` included */
	struct location at; /* where it begins */
};

struct event;

/* The input of format_parse(). */
struct format_reading {
	const struct event *event; /* its arguments help to mend a format; may be NULL */
	struct arena *arena;
	struct diag *diag; /* NULL: faults are not reported */
	bool old; /* takes what QEMU 2.8 took, floating point, `%m`, a newline at the end */
};

/*
 * Reads one format, from its first quote to a comma or the end of `in`, where
 * the cursor is left. Returns false after an error, with nothing in `f` but
 * `source` and `at`. A newline at the end is an error, but is dropped where the
 * format is old or faults are not reported.
 */
bool format_parse(struct format *f, const struct format_reading *r, struct scan *in);

/*
 * The same of a message with braces, which is not empty of segments after an error either:
 * the segments before it are there. A NUL in it is an error.
 */
bool format_parse_braces(
	struct format *f, struct arena *a, struct diag *d, const struct placed *message);

/* The conversion that prints an argument; NULL when none does. */
const struct conversion *format_conversion_of(const struct format *f, size_t arg);

/* Leaves nothing of a format but its text. */
void format_drop(struct format *f);

/* Makes `f` the format `prefix` followed by what `f` was; the arguments move up. */
void format_prepend(struct format *f, struct arena *a, const struct format *prefix);

/* Makes room for `by` arguments in front of those that a format prints. */
void format_shift(struct format *f, int by);

/*
 * The format of an event with braces as near as printf comes to it, for what has nothing
 * else: SystemTap, bpftrace. `other` is the letter for arguments of more than 64 bits, floats,
 * bytes and values that say themselves what they are; of these only `arg` means something.
 * Arguments that no placeholder prints are not in it.
 */
struct format *format_as_printf(struct arena *a, const struct event *e, char other);

/*
 * True if a flag changes what a conversion prints; printf ignores others or leaves them undefined.
 */
bool conversion_heeds(const struct conversion *c, char flag);

/* A conversion as one would write it, for messages: `%d`, `%016" PRIx64`. */
const char *conversion_text(struct arena *a, const struct conversion *c);

#endif
