/* SPDX-License-Identifier: MIT */
/*
 * What the front ends share, and nobody else sees: the state of one decl_read()
 * and the last steps of every event. A front end is a function that reads
 * `source` and calls decl_add_event() for each event, in order.
 */
#ifndef DECL_FRONT_END_H
#define DECL_FRONT_END_H

#include "decl/decl.h"

struct front_end {
	struct model *model;
	struct diag *diag; /* faults that nobody can make sense of */
	struct diag *rules; /* faults that a lenient reader accepts; NULL when it is lenient */
	const struct source *source;
	size_t max_args;
	bool lenient;
	bool old;
};

/*
 * Checks a format against the arguments. Returns false when it cannot print
 * them; the event then keeps its text only.
 */
bool decl_check_format(struct front_end *fe, struct event *e);

/* Completes `e` with what follows from it and adds a copy to the model, which it returns. */
struct event *decl_add_event(struct front_end *fe, const struct event *e);

/* The front ends. */
void decl_read_qemu(struct front_end *fe);
void decl_read_toml(struct front_end *fe);

#endif
