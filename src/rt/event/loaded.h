/* SPDX-License-Identifier: MIT */
/*
 * Finds the loaded object that an address belongs to. Calls the dynamic linker, so do not call it
 * under the control lock.
 */
#ifndef RT_EVENT_LOADED_H
#define RT_EVENT_LOADED_H

#include <stdbool.h>

struct loaded {
	bool is_program; /* the main program, not a library */
	char name[256]; /* of its file; cut if too long */
};

/* Finds the object that contains `address`. Returns false if there is none. */
bool waymark_loaded_find(const void *address, struct loaded *loaded);

/*
 * Returns true if the main program has events, which it registers after its libraries: that is, if
 * it refers to waymark_register(). Returns true if that is unknown.
 */
bool waymark_loaded_program_registers(void);

#endif
