/* SPDX-License-Identifier: MIT */
/*
 * Declaration files for readers: names, argument types and formats of events, from one
 * file or several, in the order that numbers them. Lenient: accepts what any release of
 * QEMU accepted. One thread.
 */
#ifndef API_DECLARATIONS_H
#define API_DECLARATIONS_H

#include <stdbool.h>

#include "model/event.h"
#include "text/diag.h"

struct declarations {
	struct model model; /* its arena holds the files, too */
	struct diag diag; /* faults of the files, as they are printed */
	bool is_unreadable; /* the last file could not be read: its message has no line number */
};

void declarations_init(struct declarations *d);
void declarations_fini(struct declarations *d);

/*
 * Adds the events of a file, or of the TOML files of a directory as tracetool takes them. False:
 * it cannot be read or has faults, see `diag`.
 */
bool declarations_add(struct declarations *d, const char *path);

#endif
