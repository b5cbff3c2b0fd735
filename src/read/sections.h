/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace with several threads: its time is divided into sections of about equally many
 * bytes, and each thread takes the next one, with a reader of its own. What depends on the order is
 * delivered in the order of the sections.
 */
#ifndef READ_SECTIONS_H
#define READ_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "read/reader.h"

/* More threads only keep more memory. */
#define SECTIONS_THREADS_MAX 8

/* The last member of each thread's state: threads that write to one cache line wait for each other.
 */
#define SECTIONS_APART char apart[128]

struct sections {
	VEC(int64_t) begins; /* in ns; the first is INT64_MIN */
	unsigned int threads; /* that are worth it; 1: read the trace as a whole */
};

/* Divides a trace, before its first record was read. */
void sections_plan(struct sections *s, const struct reader *r);

/*
 * Divides a trace whose packets are known, which are then sorted by time: into sections of at least
 * some 4 MiB, longer ones in a long trace and where packets overlap. With one thread, too, there
 * are several sections.
 */
void sections_divide(struct sections *s, struct reader_loads *loads);
void sections_fini(struct sections *s);

struct sections_job {
	/*
	 * Reads a section, with the reader and the results of `thread`, from 0. False: the trace
	 * must be read as a whole. A thread's sections follow each other in time.
	 */
	bool (*read)(void *data, unsigned int thread, int64_t from_ns, int64_t until_ns);
	/*
	 * Delivers what read() has made, in the order of sections, one at a time; false: no more is
	 * wanted. NULL: nothing depends on the order.
	 */
	bool (*deliver)(void *data, unsigned int thread);
	void *data;
};

/* Does the job with s->threads threads, the caller's among them. False: read() was once. */
bool sections_run(const struct sections *s, const struct sections_job *job);

#endif
