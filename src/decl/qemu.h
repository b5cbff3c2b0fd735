/* SPDX-License-Identifier: MIT */
/*
 * The parts of the QEMU front end:
 *
 *	qemu.c		files, lines, properties, names, formats
 *	qemu_args.c	the argument list
 *	qemu_expand.c	what `tcg` and `vcpu` make of an event
 */
#ifndef DECL_QEMU_H
#define DECL_QEMU_H

#include "decl/front_end.h"
#include "text/scan.h"

/* Both halves: an event with the property `tcg`, before it is split. */
#define QEMU_TCG (EVENT_TCG_TRANS | EVENT_TCG_EXEC)

/* One line as it is declared. */
struct qemu_line {
	struct event event; /* without its format */
	struct format formats[2]; /* a `tcg` event has two: translation, execution */
	size_t format_count;
	bool formats_ok; /* they were understood */
};

/*
 * Reads an argument list from behind its `(` to behind its `)`. Returns false
 * after an error that leaves the arguments unknown; the cursor then is behind
 * the list if it has an end, else at the end of the line.
 */
bool qemu_read_args(struct front_end *fe, struct event *e, struct scan *s);

/* Makes arguments of what only an old declaration prints; sets `passed` where that changes any. */
void qemu_mend_old(struct front_end *fe, struct event *e);

/* Proposes a whole line, if that would be accepted; else returns `otherwise`. */
const char *qemu_write_help(struct front_end *fe, const char *line, const char *otherwise);

/* Adds the one or two events that a line stands for. */
void qemu_expand(struct front_end *fe, struct qemu_line *line);

#endif
