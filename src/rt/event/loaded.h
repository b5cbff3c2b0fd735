/* SPDX-License-Identifier: MIT */
/*
 * Which loaded object an address belongs to. Asks the dynamic linker, so never
 * under the control lock.
 */
#ifndef RT_EVENT_LOADED_H
#define RT_EVENT_LOADED_H

#include <stdbool.h>

struct loaded {
	bool is_program; /* the main program, not a library */
	char name[256]; /* its file, cut where too long */
};

/* The object that `address` lies in. Returns false when there is none. */
bool waymark_loaded_find(const void *address, struct loaded *loaded);

/*
 * Whether the main program has events of its own, which register behind those of
 * its libraries: whether it refers to what registers them. True where that cannot be told.
 */
bool waymark_loaded_program_registers(void);

#endif
