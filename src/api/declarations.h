/* SPDX-License-Identifier: MIT */
/*
 * Declaration files for readers: names, argument types and formats of events, from one file or
 * several, whose order numbers them. Lenient: accepts what any release of QEMU accepted. One
 * thread.
 */
#ifndef API_DECLARATIONS_H
#define API_DECLARATIONS_H

#include <stdbool.h>

#include "model/event.h"
#include "text/diag.h"

struct declarations {
	struct model model; /* its arena also holds the files */
	struct diag diag; /* faults of the files, in printed form */
	bool is_unreadable; /* the last file could not be read: its message has no line number */
};

void declarations_init(struct declarations *d);
void declarations_fini(struct declarations *d);

/*
 * Adds the events of a file, or of the TOML files of a directory, like tracetool. Returns false if
 * it cannot be read or has faults, see `diag`.
 */
bool declarations_add(struct declarations *d, const char *path);

#endif
