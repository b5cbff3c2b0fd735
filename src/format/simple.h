/* SPDX-License-Identifier: MIT */
/*
 * The one definition of the simpletrace file's bytes, for its writer and its readers: QEMU's binary
 * log, versions 0, 2, 3 and 4. Host byte order, packed.
 *
 *	header   { u64 ~0, u64 SIMPLE_MAGIC, u64 version }
 *	mapping  { u64 SIMPLE_MAPPING, u64 id, u32 length, name }           version 4
 *	event    { u64 SIMPLE_EVENT, u64 id, u64 ns, u32 length, u32 pid, arguments }
 *
 * Versions 2 and 3 have no type words and no mappings: ids are indices into the declarations.
 * `length` counts the record from its id on. An argument is a u64, or a u32 length and that many
 * bytes for a string. Version 0 has records of eight u64: { id, ns, x1 .. x6 }. See
 * waymark-simpletrace(5).
 */
#ifndef FORMAT_SIMPLE_H
#define FORMAT_SIMPLE_H

#include <stdint.h>

#define SIMPLE_MAGIC UINT64_C(0xf2b177cb0aa429b4)
#define SIMPLE_HEADER_ID UINT64_MAX
#define SIMPLE_DROPPED_ID (UINT64_MAX - 1)
#define SIMPLE_VERSION 4

enum simple_type { SIMPLE_MAPPING = 0, SIMPLE_EVENT = 1 };

/* The whole header of versions 2 to 4. */
struct simple_header {
	uint64_t id;
	uint64_t magic;
	uint64_t version;
};

/* The head of an event record of versions 2 to 4, after its type word. */
struct simple_record {
	uint64_t id;
	uint64_t ns;
	uint32_t length;
	uint32_t pid;
};

/* A version 0 record. */
struct simple_v0_record {
	uint64_t id;
	uint64_t ns;
	uint64_t args[6];
};

#endif
