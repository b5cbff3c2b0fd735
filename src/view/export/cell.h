/* SPDX-License-Identifier: MIT */
/*
 * The value of an argument in one of the few forms that typed formats have: numbers, text, bytes.
 * Names of values and bits are text. What has no such form (128 bits, objects) is the text that
 * `waymark print` shows. One thread.
 */
#ifndef VIEW_EXPORT_CELL_H
#define VIEW_EXPORT_CELL_H

#include <stdlib.h>

#include "base/compiler.h"
#include "read/record.h"

enum cell_kind {
	CELL_NULL, /* NULL, or no value */
	CELL_UNSIGNED,
	CELL_SIGNED,
	CELL_BOOL,
	CELL_POINTER,
	CELL_DOUBLE,
	CELL_TEXT, /* valid UTF-8 */
	CELL_BYTES,
};

struct cell {
	enum cell_kind kind;
	union {
		uint64_t number;
		double real;
		struct {
			const char *text; /* not NUL-terminated */
			size_t length;
		};
	};
	char *made; /* memory of the text, if it is not the record's */
};

/* Sets the cell. `with_names`: a value that has a name is text. */
void cell_set(struct cell *c, const struct arg *arg, const struct value *v, bool with_names);

static inline void cell_fini(struct cell *c)
{
	if (UNLIKELY(c->made != NULL)) {
		free(c->made);
		c->made = NULL;
	}
}

/* Returns the number of a cell as it is drawn; false if it has none. */
bool cell_real(const struct cell *c, double *real);

#endif
