/* SPDX-License-Identifier: MIT */
/*
 * The registry: every event of every loaded object, and the rules (`-trace`
 * patterns) that objects loaded later still have to obey. One lock guards the
 * lists; state words are changed by 16-bit atomics, so that call sites and the
 * kernel, which owns the other half, never wait.
 *
 * An event gets an entry when it is first switched on: a copy of what a writer
 * needs to know, immutable and never freed, so that records outlive a dlclose.
 */
#ifndef RT_REGISTRY_H
#define RT_REGISTRY_H

#include <waymark/record.h>

/* The id space of a record's 16-bit id; 0 is never given out. */
#define REGISTRY_IDS_MAX 65536u

/* What outlives the object that an event came from. */
struct waymark_entry {
	uint32_t id;
	uint16_t arg_count;
	const char *name;
	const char *format;
	const char *file;
	uint32_t line;
	const struct waymark_arg *args; /* deep copy */
};

/*
 * The entry of a record's id, NULL when there is none. Any thread, lock-free:
 * pairs with the release store that publishes an entry before its id is used.
 */
const struct waymark_entry *waymark_registry_entry(uint32_t id);

#endif
