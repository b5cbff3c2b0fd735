/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of a native trace's files: a registry that grows, packets
 * made by hand, and babeltrace2, which checks the written traces.
 */
#ifndef TESTS_RECORDER_CTF_SUPPORT_H
#define TESTS_RECORDER_CTF_SUPPORT_H

#include "support.h"
#include "rt/ctf/ctf.h"
#include "rt/event/registry.h"

/* Every event recorded here is of the first id: two u64, of which the second counts. */
#define PAIR_BYTES 24u

/* Gives the event the next id. The strings must stay. Any thread. */
void add_event(
	const char *name, const char *format, const struct waymark_arg *args, uint16_t count);

/* Forgets all events but `pair`. */
void reset_events(void);

/* Asks for a trace of that name in the current directory, or of that absolute path. */
struct ctf_config *make_config(const char *name, uint64_t rotate, uint32_t keep);

/* Begins a trace of that name and starts on its files. */
void begin_trace(struct ctf_trace *t, struct ctf_files *f, const struct ctf_config *config);

/* A stream as its thread would fill it. */
struct source {
	const struct ctf_trace *trace;
	uint64_t stream;
	uint64_t packets;
	uint64_t events;
};

/* The next packet, in memory that is full of other things behind it. */
struct packet_header *make_packet(struct source *s, unsigned int events);

/* Writes packets, at most 64; those that were not written come again. Returns how many were. */
size_t write_packets(
	struct ctf_files *f, struct source *s, unsigned int packets, unsigned int events);

/*
 * How many events babeltrace2 finds; fails the test if it says anything else.
 * `text`, which may be NULL, is a file for babeltrace2's output.
 */
unsigned long count_events(const char *path, const char *text);

/* True if babeltrace2 is installed; else prints that it is not. */
bool can_judge(void);

/* Runs the tests of a main(), which need babeltrace2, in a directory of their own. */
#define run_judged(tests) run_tests_judged(#tests, tests, sizeof(tests) / sizeof((tests)[0]))
int run_tests_judged(const char *name, const struct CMUnitTest *tests, size_t count);

/* Sets the path of a file of the trace. */
void in_trace(char path[PATH_MAX], const struct ctf_trace *t, const char *name);

/* The size of a file of the trace; -1 when there is none. */
long size_in(const struct ctf_trace *t, const char *name);

/* Entries of a directory, but for `.` and `..`. */
unsigned int entries_of(const char *path);

#endif
