/* SPDX-License-Identifier: MIT */
/*
 * Records as what formats of timelines draw: processes with threads, slices on threads, lanes of
 * asynchronous scopes, instants, flows between the events of an object. Slices of a thread nest: if
 * a scope ends before one that began inside it, the inner slice is cut there and continues in
 * another slice. Memory is bounded by the processes, the threads and the most scopes open at one
 * time. One thread.
 */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include "analyse/match/pairs.h"
#include "base/vec.h"
#include "read/filter.h"
#include "read/reader.h"

/* A field that is drawn as a graph. */
struct timeline_counter {
	struct name_pattern event;
	const char *field;
	bool is_found; /* an event has it */
};

struct timeline_counters {
	VEC(struct timeline_counter) all;
};

struct timeline_process {
	uint32_t trace;
	uint32_t pid;
	bool is_known; /* the trace has its number */
	bool is_guest; /* of another host than the first trace: its number may be used twice */
	char *name; /* with its host, if there are several */
	uint64_t id; /* the same in each export of the trace */
};

/* A scope that is open on its thread. */
struct timeline_slice {
	const struct event_class *class;
	int64_t scope; /* its number */
	uint32_t name; /* index of pairs.names */
	bool is_doubtful; /* its end may be among lost events */
};

struct timeline_thread {
	uint32_t process; /* index of timeline.processes */
	uint32_t tid; /* 0: unknown, for all events of the process */
	uint32_t index; /* of timeline.threads */
	uint64_t id;
	VEC(struct timeline_slice) open; /* the outermost first */
};

/* A row for asynchronous scopes of one name, of which one at a time is open. */
struct timeline_lane {
	uint32_t process;
	uint32_t name; /* index of pairs.names */
	uint64_t id;
	uint32_t group; /* index of the lanes of the name in the process */
	uint32_t number; /* in the group */
	uint32_t next; /* the next free lane of the group; KEYS_NONE: none */
};

/* The lanes of a name in a process. */
struct timeline_lanes {
	uint32_t free; /* the first free one; KEYS_NONE: none */
	uint32_t count;
};

enum timeline_kind {
	TIMELINE_INSTANT,
	TIMELINE_BEGIN, /* a slice of the thread */
	TIMELINE_END, /* the innermost slice of the thread */
	TIMELINE_ASYNC_BEGIN, /* a slice of the lane */
	TIMELINE_ASYNC_END,
};

#define TIMELINE_FLOWS 4 /* of one event */

/* Where an event is in the life of the objects that it names. */
struct timeline_flows {
	uint64_t ids[TIMELINE_FLOWS];
	size_t count;
	enum life_part part;
};

struct timeline_event {
	enum timeline_kind kind;
	uint64_t ns;
	const struct event_class *class; /* gives the name */
	const struct record *rec; /* has the arguments; NULL: none */
	bool is_continued; /* a slice that was cut continues */
	const struct timeline_thread *thread;
	const struct timeline_lane *lane; /* of an asynchronous scope */
	uint64_t begin_ns; /* of an asynchronous scope that ends */
	uint32_t *note; /* of an asynchronous scope: for the style, from its begin to its end */
	struct timeline_flows flows;
};

/* What an event class has besides a name and arguments. */
struct timeline_class {
	bool is_ready;
	uint8_t keys[TIMELINE_FLOWS]; /* arguments that name objects */
	size_t key_count;
	VEC(size_t) counters; /* arguments that are drawn as graphs */
};

/* A counter's value. */
struct timeline_value {
	uint64_t ns;
	uint32_t process;
	uint64_t id; /* of the process's counter */
	const struct event_class *class; /* it is named by this and the argument */
	const struct arg *arg;
	const struct value *value;
};

/* The functions of a format. `view` is its state. */
struct timeline_style {
	/* Events come without their values and flows, and put_value() is not called: faster. */
	bool needs_no_values;
	void (*put_process)(void *view, const struct timeline_process *p); /* may be NULL */
	void (*put_thread)(void *view, const struct timeline_thread *t);
	void (*put_lane)(void *view, const struct timeline_lane *l); /* may be NULL */
	void (*put_event)(void *view, const struct timeline_event *e);
	void (*put_gap)(void *view, const struct timeline_thread *t, const struct record *rec);
	void (*put_value)(void *view, const struct timeline_value *v);
};

#define TIMELINE_RECENT 8

struct timeline {
	struct reader *reader;
	struct timeline_counters *counters;
	const struct timeline_style *style;
	void *view;
	bool is_across; /* set by the caller: a key names the same object in all processes */
	struct pairs pairs;
	VEC(struct timeline_process) processes;
	VEC(struct timeline_thread) threads;
	VEC(struct timeline_lane) lanes;
	/* For timeline.c only: */
	struct keys by_key; /* indices of `processes` and `threads` */
	struct keys by_lanes; /* indices of `groups` */
	VEC(struct timeline_lanes) groups;
	VEC(struct timeline_class) classes; /* by class index */
	struct pairs_recent recent[TIMELINE_RECENT];
};

/* `counters` must outlive the timeline. */
void timeline_init(struct timeline *t, struct reader *reader, struct timeline_counters *counters,
	const struct timeline_style *style, void *view);
void timeline_fini(struct timeline *t);

/* Part of an open span of `pairs` whose slice was dropped, as its end may be among lost events. */
#define TIMELINE_DROPPED 0u

/* Adds a record, in the order of time. */
void timeline_add(struct timeline *t, const struct record *rec);

/* A scope that began before the next record. */
struct timeline_begun {
	struct key key;
	const struct event_class *class;
	uint64_t begin_ns;
	uint64_t slice_ns; /* the begin of its slice: later if it was cut */
	bool is_continued; /* it was cut */
	bool is_doubtful; /* as in struct timeline_slice */
	bool is_dropped; /* it has no slice */
	uint32_t lane; /* of an asynchronous scope; KEYS_NONE: the next free one */
};

/* Begins it. Call in the order of begins, for the scopes of a thread. */
void timeline_continue(struct timeline *t, const struct timeline_begun *begun);

/*
 * Begins a scope that was open before the first record: its key without the name, which is that of
 * its class.
 */
void timeline_resume(struct timeline *t, const struct timeline_begun *begun);

/* Returns a thread, which is new if it had no record. Valid until the next one is new. */
const struct timeline_thread *timeline_know_thread(
	struct timeline *t, uint32_t trace, uint32_t pid, uint32_t tid);

/* Returns the index of a known thread; KEYS_NONE: there is none. */
uint32_t timeline_find_thread(const struct timeline *t, uint32_t trace, uint32_t pid, uint32_t tid);

/* Returns the index of a process; 0 if it has no record yet. */
uint32_t timeline_find_process(const struct timeline *t, uint32_t trace, uint32_t pid);

/*
 * Lanes of the process and name of a key, for callers that end and begin scopes in another order
 * than they do: take the next free one, return the first free one, set that, free a lane.
 */
uint32_t timeline_take_lane(struct timeline *t, const struct key *of);
uint32_t timeline_free_lanes(struct timeline *t, const struct key *of);
void timeline_set_free(struct timeline *t, const struct key *of, uint32_t lane);
void timeline_free_lane(struct timeline *t, uint32_t lane);

static inline const struct timeline_process *timeline_process_of(
	const struct timeline *t, const struct timeline_thread *thread)
{
	return &t->processes.items[thread->process];
}

/* Returns the length of the category that begins an event's name, `Category:name`; 0: none. */
size_t timeline_category(const char *name);

/* Returns a number that differs for different numbers, like a random one. */
uint64_t timeline_mix(uint64_t a, uint64_t b);

#endif
