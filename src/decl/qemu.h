/* SPDX-License-Identifier: MIT */
/*
 * The QEMU front end: qemu.c reads files, lines, arguments and formats, qemu_expand.c makes the
 * events of a line.
 */
#ifndef DECL_QEMU_H
#define DECL_QEMU_H

#include "decl/front_end.h"

/* Both halves: an event with the property `tcg`, before it is split. */
#define QEMU_TCG (EVENT_TCG_TRANS | EVENT_TCG_EXEC)

/* One line as declared. */
struct qemu_line {
	struct event event; /* without its format */
	struct format formats[2]; /* a `tcg` event has two: translation, execution */
	size_t format_count;
	bool formats_ok; /* all formats were understood */
};

/* Adds the event or the two events of a line. */
void qemu_expand(struct front_end *fe, struct qemu_line *line);

#endif
