/* SPDX-License-Identifier: MIT */
/*
 * Finds the loaded object that an address belongs to. Calls the dynamic linker, so never
 * under the control lock.
 */
#ifndef RT_EVENT_LOADED_H
#define RT_EVENT_LOADED_H

#include <stdbool.h>

struct loaded {
	bool is_program; /* the main program, not a library */
	char name[256]; /* its file, cut where too long */
};

/* Finds the object that contains `address`. Returns false when there is none. */
bool waymark_loaded_find(const void *address, struct loaded *loaded);

/*
 * True if the main program has events, which it registers after its libraries have: whether
 * it refers to waymark_register(). True where that is unknown.
 */
bool waymark_loaded_program_registers(void);

#endif
