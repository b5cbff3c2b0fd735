/* SPDX-License-Identifier: MIT */
/*
 * A simpletrace file, version 4, written from the records of another trace. It
 * has no place for threads, for NULL (which becomes "(null)", as it is printed)
 * and for missing packets. The output's first error stays. One thread.
 */
#ifndef WRITE_SIMPLE_WRITER_H
#define WRITE_SIMPLE_WRITER_H

#include "base/vec.h"
#include "read/reader.h"
#include "text/out.h"

struct simple_writer {
	struct out *out;
	bool copies; /* payloads are what the file holds */
	VEC(bool) named; /* by the reader's index: the file has the event's name */
	struct losses untold; /* of packets: the file can tell of events only */
};

/* Begins the file; `r` is where the records are from. */
void simple_writer_init(struct simple_writer *w, struct out *out, const struct reader *r);
void simple_writer_fini(struct simple_writer *w);

/* Writes a record. The values of an event of unknown arguments may be NULL. */
void simple_writer_put(
	struct simple_writer *w, const struct record *rec, const struct value *values);

/* Whether a record can be written: its arguments are known, or as the file has them. */
static inline bool simple_writer_can(const struct simple_writer *w, const struct record *rec)
{
	return rec->kind == RECORD_GAP || rec->class->event || w->copies;
}

#endif
