/* SPDX-License-Identifier: MIT */
/*
 * A simpletrace v4 decoder that shares no code with libwaymark-reader: it checks
 * the recorder, and fails the test at any unexpected byte.
 */
#ifndef TESTS_RECORDER_DECODE_H
#define TESTS_RECORDER_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decoded {
	const char *name; /* NULL: a gap */
	uint64_t ns;
	uint32_t pid;
	const uint8_t *args;
	size_t length; /* bytes of args */
	uint64_t missing; /* number of events in a gap */
};

struct trace {
	uint8_t *bytes;
	size_t size;
	struct decoded *records;
	size_t count;
	uint64_t events;
	uint64_t missing; /* total of all gaps */
	uint64_t backwards; /* records earlier than a record before them */
	char names[64][64]; /* by id */
};

/* Reads a whole file. Returns NULL, or the fault of the file. */
const char *trace_read(struct trace *t, const char *path);
void trace_free(struct trace *t);

/* Returns argument `i` of an event whose arguments are all scalars. */
uint64_t trace_arg(const struct decoded *d, unsigned int i);

#endif
