/* SPDX-License-Identifier: MIT */
/*
 * Declaration files as a reader needs them: names, argument types and formats
 * of events, from one file or several, in the order that numbers them. Lenient:
 * whatever some release of QEMU accepted is taken.
 */
#ifndef API_DECLARATIONS_H
#define API_DECLARATIONS_H

#include <stdbool.h>

#include "model/event.h"
#include "text/diag.h"

struct declarations {
	struct model model; /* its arena holds the files, too */
	struct diag diag; /* what is wrong with the files, as it is printed */
	bool is_unreadable; /* the last file could not be read: the message has no place in it */
};

void declarations_init(struct declarations *d);
void declarations_fini(struct declarations *d);

/*
 * Adds the events of a file, or of the TOML files of a directory as tracetool takes them. False
 * when it cannot be read or understood: `diag` says why.
 */
bool declarations_add(struct declarations *d, const char *path);

#endif
