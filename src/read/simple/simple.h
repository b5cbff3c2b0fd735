/* SPDX-License-Identifier: MIT */
/*
 * The reader of simpletrace files: QEMU's binary log, versions 0, 2, 3 and 4,
 * and Waymark's own (version 4), in either byte order. open.c tells
 * version and order from the header, simple.c reads the records, decode.c
 * their arguments.
 */
#ifndef READ_SIMPLE_SIMPLE_H
#define READ_SIMPLE_SIMPLE_H

#include "read/reader.h"

/* For the files of this folder only. */

struct simple_reader {
	struct reader base;
	struct input input;
	uint64_t last_ns; /* of version 0, whose gaps have no time */
};

/* What differs between versions. */
struct simple_version {
	size_t header_size;
	bool has_pid;
	enum value_form form; /* in this host's byte order */
	enum read_result (*next)(struct reader *r, struct record *rec);
	enum read_result (*next_swapped)(struct reader *r, struct record *rec);
	const struct value *(*decode)(struct reader *r, const struct record *rec);
};

/* The version of that number, NULL when there is none. */
const struct simple_version *simple_version_get(uint64_t number);

/* The values of an event that has only numbers. */
const struct value *simple_decode_numbers(struct reader *r, const struct record *rec);

/*
 * Those of one with strings and the like, into the record;
 * false when they do not fill it exactly.
 */
bool simple_decode_mixed(struct simple_reader *r, struct record *rec);

/* Those of version 0: six numbers, whatever was declared. */
const struct value *simple_decode_v0(struct reader *r, const struct record *rec);

/* Adds the class of that name, with the size that its declaration gives its records. */
struct event_class *simple_add_class(
	struct simple_reader *r, uint64_t id, const char *name, size_t length);

#endif
