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

/* Bytes of a recorded event: all have the first id and two u64, of which the second counts. */
#define PAIR_BYTES 24u

/* Gives the event the next id. The caller keeps the strings alive. Any thread may call this. */
void add_event(
	const char *name, const char *format, const struct waymark_entry_arg *args, uint16_t count);

/* Removes all events but `pair`. */
void reset_events(void);

/* Configures a trace with that name in the current directory, or with that absolute path. */
struct ctf_config *make_config(const char *name, uint64_t rotate, uint32_t keep);

/* Begins a trace with that name and opens its files. */
void begin_trace(struct ctf_trace *t, struct ctf_files *f, const struct ctf_config *config);

/* A stream, filled like a thread's. */
struct source {
	const struct ctf_trace *trace;
	uint64_t stream;
	uint64_t packets;
	uint64_t events;
};

/* Returns the next packet, in memory with other bytes after it. */
struct packet_header *make_packet(struct source *s, unsigned int events);

/* Writes at most 64 packets; unwritten ones are tried again. Returns the number written. */
size_t write_packets(
	struct ctf_files *f, struct source *s, unsigned int packets, unsigned int events);

/*
 * Returns the number of events that babeltrace2 finds; fails the test if it prints a warning.
 * `text`, which may be NULL, is a file for babeltrace2's output.
 */
unsigned long count_events(const char *path, const char *text);

/* Returns true if babeltrace2 is installed; otherwise prints that it is missing. */
bool can_judge(void);

/* Runs the tests of a main(), which need babeltrace2, in a new directory. */
#define run_judged(tests) run_tests_judged(#tests, tests, sizeof(tests) / sizeof((tests)[0]))
int run_tests_judged(const char *name, const struct CMUnitTest *tests, size_t count);

/* Sets the path of a file of the trace. */
void in_trace(char path[PATH_MAX], const struct ctf_trace *t, const char *name);

/* Returns the size of a file of the trace; -1 if it does not exist. */
long size_in(const struct ctf_trace *t, const char *name);

/* Returns the number of entries of a directory, without `.` and `..`. */
unsigned int entries_of(const char *path);

#endif
