/* SPDX-License-Identifier: MIT */
/*
 * Writes a simpletrace file, version 4, from the records of another trace, for waymark convert. The
 * format has no threads, no NULL (which becomes "(null)", as printed) and no missing packets. The
 * output's first error is kept. One thread.
 */
#ifndef WRITE_SIMPLE_WRITER_H
#define WRITE_SIMPLE_WRITER_H

#include "base/vec.h"
#include "read/reader.h"
#include "text/out.h"

struct simple_writer {
	struct out *out;
	bool copies; /* payloads are copied: the records are from such a file */
	VEC(bool) named; /* by the reader's index: the event's name was written */
	struct losses unreported; /* losses of packets: the format has only lost events */
};

/* Starts the file. The records must be from `r`. */
void simple_writer_init(struct simple_writer *w, struct out *out, const struct reader *r);
void simple_writer_fini(struct simple_writer *w);

/* Writes a record. `values` may be NULL if payloads are copied. */
void simple_writer_put(
	struct simple_writer *w, const struct record *rec, const struct value *values);

/* True for a record that can be written: its arguments are known, or copied. */
static inline bool simple_writer_can(const struct simple_writer *w, const struct record *rec)
{
	return rec->kind == RECORD_GAP || rec->class->event || w->copies;
}

#endif
