/* SPDX-License-Identifier: MIT */
/*
 * waymark/control.h - what a traced program may ask of its own tracing.
 *
 * Nothing here prints, exits or aborts; errors come back as text. Unless a
 * function says otherwise, any thread may call it at any time after main()
 * began, and no signal handler may. `error` may be NULL everywhere; where it
 * is given, success empties it. Masks of backends are bits of enum
 * waymark_backend; WAYMARK_ANY_BACKEND means all that an event was built with.
 *
 * The functions that carry QEMU's names are in "trace/control.h".
 */
#ifndef WAYMARK_CONTROL_H
#define WAYMARK_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/backend.h>
#include <waymark/linked.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The reason of a failure: one line without a newline, "" when there was none. */
struct waymark_error {
	char text[512];
};

/*
 * One event. It lives as long as the object (program, library, plug-in) that
 * declares it: after dlclose() of that object its pointers are void.
 */
struct waymark_event;

/* How many events a pattern or a list of patterns met. */
struct waymark_match {
	size_t events; /* whose name matches */
	size_t unsupported; /* of these: built with none of the wanted backends */
};

/*
 * Applies one option string in the syntax of the -trace option, see
 * waymark-trace(7): patterns, events files, outputs, buffer. All of it is read
 * and checked first: an option with an error in it changes nothing. Patterns
 * stay in force for objects that are loaded later. Returns 0, or -1.
 */
int waymark_configure(const char *options, struct waymark_error *error);

/* How options are written: waymark-trace(7) tells the keys of each. */
enum waymark_dialect {
	WAYMARK_DIALECT_WAYMARK, /* as QEMU's; unless something else is chosen */
	WAYMARK_DIALECT_STRATOVIRT /* events=FILE, file=FILE, type=, regular expressions */
};

/*
 * Chooses the dialect of the options that are read from now on, once: before any option
 * was read, and before the first key of one (dialect=) has chosen another. WAYMARK_TRACE
 * is read before main(), and what it says is about itself: the program's choice overrides it.
 * Patterns of functions are written as always. Returns 0, also where it is chosen
 * already, or -1 and the dialect stays: it is another one, or there is no such dialect.
 */
int waymark_set_dialect(enum waymark_dialect dialect, struct waymark_error *error);

/*
 * What the option's keys mean in the dialect that is chosen by now, two lines each: for a
 * program's own --help.
 */
const char *waymark_option_help(void);

/*
 * Switches the events whose name matches `pattern` (`*` any run of characters,
 * `?` any one; or a regular expression between slashes, as waymark-trace(7) has
 * it) or whose category has that name on or off for `backends`, now and in objects that are loaded
 * later. A name that no event has is no error: `match`, which may be NULL, says
 * how many were met. All of them are switched at one moment, between any two
 * other control calls, or none is. Returns 0, or -1 and no event changed: the
 * pattern is empty or a bad expression, `backends` is 0, memory or event ids
 * (65535) ran out for some of them, or they are all trace points of waymark/scope.h,
 * which `simple` does not record, and have no other one of `backends`. An event that is loaded
 * later and finds none is switched on for what needs no id only.
 */
int waymark_enable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error);
int waymark_disable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error);

/*
 * Does so for every line of a file: a name or pattern, with a `-` before it to
 * switch off; blank lines and lines that begin with `#` are skipped. Returns 0,
 * or -1 and no event changed: the file cannot be read, or a line is no pattern.
 */
int waymark_enable_from_file(const char *path, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error);

/* The first event of that name in the order of registration, NULL when there is none. */
const struct waymark_event *waymark_find(const char *name);

/*
 * Iterates over the events in the order in which their objects were loaded and,
 * within one, of their declaration files as linked. The iterator is caller's
 * memory, needs no end, and survives objects that come and go between two
 * calls; it does not keep the event that it returned alive. One thread an iterator.
 */
struct waymark_iter {
	const char *pattern; /* borrowed; NULL: every event */
	uint64_t serial; /* the object it stands in */
	size_t index; /* the next event there */
	bool one_object;
};

/*
 * Begins at the first event whose name matches `pattern`, which must outlive the iterator. A
 * regular expression is read anew at each step; a bad one meets no event.
 */
void waymark_iter_init(struct waymark_iter *iter, const char *pattern);

/* The next event, NULL at the end. */
const struct waymark_event *waymark_iter_next(struct waymark_iter *iter);

/* What was declared; the strings live as long as the event. Also for signal handlers. */
const char *waymark_get_name(const struct waymark_event *event);
/* As in the declaration, quotes and macros included; "" where there is none. */
const char *waymark_get_format(const struct waymark_event *event);
/* The declaration's file; `line`, which may be NULL, gets its line from 1. */
const char *waymark_get_source(const struct waymark_event *event, unsigned int *line);

/* The backends that the event was built with. Also for signal handlers. */
unsigned int waymark_get_backends(const struct waymark_event *event);

/* The backends that are on for the event now. Also for signal handlers. */
unsigned int waymark_get_state(const struct waymark_event *event);

/* How many external tracers (bpftrace, perf) watch the event now. Also for signal handlers. */
unsigned int waymark_get_watchers(const struct waymark_event *event);

/* One event as it was at one moment. */
struct waymark_event_info {
	const char *name; /* the list's */
	unsigned int backends; /* as waymark_get_backends(), and so on */
	unsigned int state;
	unsigned int watchers;
	uint64_t recorded; /* while single events are counted, see waymark_count_events();
			    * of a scope both begin and end */
	uint64_t lost; /* ever */
	uint64_t bytes; /* as `recorded` */
	bool vcpu; /* declared `vcpu`: waymark/vcpu.h switches it for single ones */
	bool scope; /* a scope: its end, the event `<name>_end` of traces, is switched with it */
	uint8_t reserved[30]; /* 0 */
};

struct waymark_event_list {
	struct waymark_event_info *events; /* in the order of waymark_iter_next() */
	size_t count;
};

/*
 * Fills `list` with the events whose name matches `pattern`, as waymark_enable()
 * has it; NULL: all. They are copies of one moment: whatever is unloaded or
 * switched later, they stay. Finish it with waymark_free_events(). Returns 0, also
 * where there is none, or -1 and an empty list: a bad expression, or no memory.
 */
int waymark_list_events(
	const char *pattern, struct waymark_event_list *list, struct waymark_error *error);

/* Frees what the list holds, and empties it. */
void waymark_free_events(struct waymark_event_list *list);

/* A category of the program's trace points, see waymark/category.h. */
struct waymark_category_info {
	const char *name; /* the list's, as the next */
	const char *description;
	size_t events; /* its trace points; of what is compiled out those that are there yet */
	size_t on; /* of these, for any backend */
	int64_t live; /* of WAYMARK_BEGIN(): begun while on, and not ended */
	bool compiled_in;
	uint8_t reserved[31]; /* 0 */
};

struct waymark_category_list {
	struct waymark_category_info *categories; /* by name */
	size_t count;
};

/*
 * Fills `list` with the categories that any trace point of the loaded objects is in. Those of
 * one name in several objects are one. They are copies of one moment. Finish it with
 * waymark_free_categories(). Returns 0, also where there is none, or -1 and an empty list: no
 * memory.
 */
int waymark_list_categories(struct waymark_category_list *list, struct waymark_error *error);

/* Frees what the list holds, and empties it. */
void waymark_free_categories(struct waymark_category_list *list);

/*
 * Switches one event on or off for some backends; the others stay as they are.
 * Idempotent, and at one moment between any two other control calls. Returns 0, or
 * -1 and nothing changed: the event was built with none of `backends`, is a trace point
 * of waymark/scope.h that has `simple` alone of them, or memory or event ids ran out.
 */
int waymark_set_state(const struct waymark_event *event, unsigned int backends, bool on,
	struct waymark_error *error);

/*
 * Does so for the events of `count` names, in every object that has them by now: all
 * at one moment, or none. Unlike waymark_enable() it leaves nothing for objects that
 * are loaded later, however often it is called. Names that no event has, and events that
 * none of `backends` can have, are passed over. Returns 0, or -1 and nothing
 * changed: memory or event ids ran out.
 */
int waymark_set_states(const char *const *names, size_t count, unsigned int backends, bool on,
	struct waymark_error *error);

/*
 * Names the file that a backend writes to ("ctf", "simple", "log"; NULL: the first
 * of these that the loaded objects were built with). `path` NULL: the backend's
 * default, for log standard error. Returns 0, or -1, and the old one stays: no
 * such backend, the file cannot be opened, or, for ctf, something has the name
 * already and is not to be replaced.
 */
int waymark_set_output(const char *backend, const char *path, struct waymark_error *error);

/*
 * Opens or closes that file; closed, the backend's events go nowhere. `was_on`,
 * which may be NULL, gets the former state. Returns 0, or -1 as above.
 */
int waymark_set_output_on(const char *backend, bool on, bool *was_on, struct waymark_error *error);

/*
 * Writes one line about that file (its name, on or off) to `text`, as snprintf
 * does: cut to `size`. Returns its whole length, or -1: no such backend.
 */
int waymark_get_output_status(const char *backend, char *text, size_t size);

/* Where a backend writes. */
struct waymark_output {
	char backend[16]; /* its name */
	char path[4096]; /* absolute; "": standard error */
	bool on;
	bool begun; /* the file or directory is there; until then it may get another name */
	bool held; /* full=overwrite: events stay in memory until a flush or snapshot */
	uint8_t reserved[16]; /* 0 */
};

/*
 * Fills `output` with what waymark_get_output_status() says in words. Returns 0,
 * or -1: no such backend, or the path has no room.
 */
int waymark_get_output(
	const char *backend, struct waymark_output *output, struct waymark_error *error);

/*
 * Waits until every event recorded before the call is in its file. Returns 0,
 * or -1 when some could not be written. The one function here that the handler
 * of a signal may call that ends the program, such as SIGSEGV.
 */
int waymark_flush(struct waymark_error *error);

/*
 * Writes what full=overwrite holds in memory, and waits until it is in its file;
 * recording goes on meanwhile. With any other policy the same as waymark_flush(),
 * since nothing is held back then. Returns 0, or -1 when some could not be
 * written. For signal handlers there is the option's snapshot=.
 */
int waymark_snapshot(struct waymark_error *error);

/*
 * Writes what full=overwrite holds in memory as a trace of its own: `directory`, which
 * must not be there yet unless replace=on was configured, and is whole, for every reader,
 * when the call returns. Recording goes on meanwhile, into memory; what was written is in no
 * other snapshot, and what comes goes to the next one or, at the end, to the trace that
 * the option or waymark_set_output() named. An error with any other policy: that trace has the
 * events then. `directory` NULL: waymark_snapshot(). Calls of several threads
 * wait for each other. Returns 0, or -1: something has the name, it cannot be made, nothing has
 * been recorded yet, or not all could be written (memory keeps the rest): neither can, after a
 * second, the packet of a thread that stands in an event all the time.
 */
int waymark_snapshot_to(const char *directory, struct waymark_error *error);

/* Whether single events are counted: not, since nobody has said anything; yes; not, as was said. */
enum waymark_counting { WAYMARK_COUNTING_NOT_YET, WAYMARK_COUNTING_ON, WAYMARK_COUNTING_OFF };

/* Counters of this process. */
struct waymark_stats {
	uint64_t recorded; /* by ctf and simple, each on its own, in their files or not yet */
	uint64_t lost; /* by them: no room in the buffer */
	uint64_t unwritten; /* recorded, but the file took them not */
	uint64_t log_lost; /* log lines that could not be written */
	uint64_t syslog_lost; /* messages that the system's log did not get */
	uint64_t syslog_withheld; /* messages that syslog.rate= kept back */
	uint64_t ftrace_lost; /* events that the kernel's trace did not get */
	uint64_t bytes; /* of what ctf and simple recorded, in memory: each event to 8 bytes */
	uint64_t counting; /* enum waymark_counting */
	uint64_t write_error; /* errno of the last write to a file; 0: it went well */
	uint64_t write_backend; /* of that error: WAYMARK_CTF or WAYMARK_SIMPLE; 0: there is none */
	uint64_t reserved[5]; /* 0 */
};

/* None of its counts ever goes back. A fork's child begins with 0. */
void waymark_get_stats(struct waymark_stats *stats);

/* A thread that has recorded or lost something with ctf or simple, as in struct waymark_stats. */
struct waymark_thread_info {
	uint32_t tid; /* 0: those that have ended, or never got memory, as one */
	char name[16]; /* "" where the system does not tell it */
	uint64_t recorded;
	uint64_t lost;
	uint64_t bytes;
};

struct waymark_thread_list {
	struct waymark_thread_info *threads; /* by rising tid */
	size_t count;
};

/*
 * Lists the threads, while they go on; together they have what waymark_get_stats()
 * counts. Returns 0, or -1: no memory. The list is to be given back with
 * waymark_free_threads(), which takes an empty one, too.
 */
int waymark_list_threads(struct waymark_thread_list *list, struct waymark_error *error);
void waymark_free_threads(struct waymark_thread_list *list);

/*
 * Whether events are counted one by one, by who writes them to their files: 3 to 9 ns
 * an event of ctf there, nothing in the thread that records. They begin with what is
 * in memory when it is switched on, and follow as that goes to its file; losses are
 * counted always, at once. What is counted stays. Returns 0.
 */
int waymark_count_events(bool on, struct waymark_error *error);

#pragma GCC visibility pop

#ifndef WAYMARK_LINKED
/* clang-format off */
WAYMARK_UNLINKED(int, waymark_configure, (const char *options, struct waymark_error *error),
	(options, error), waymark_without(*options ? -1 : 0, error ? error->text : NULL))
WAYMARK_UNLINKED(int, waymark_set_dialect,
	(enum waymark_dialect dialect, struct waymark_error *error), (dialect, error),
	waymark_without(0, error ? error->text : NULL))
WAYMARK_UNLINKED(const char *, waymark_option_help, (void), (), "")
WAYMARK_UNLINKED(int, waymark_flush, (struct waymark_error *error), (error),
	waymark_without(0, error ? error->text : NULL))
WAYMARK_UNLINKED(int, waymark_snapshot, (struct waymark_error *error), (error),
	waymark_without(0, error ? error->text : NULL))
WAYMARK_UNLINKED(int, waymark_snapshot_to, (const char *directory, struct waymark_error *error),
	(directory, error), waymark_without(directory ? -1 : 0, error ? error->text : NULL))
#define waymark_configure waymark_configure_or_not
#define waymark_set_dialect waymark_set_dialect_or_not
#define waymark_option_help waymark_option_help_or_not
#define waymark_flush waymark_flush_or_not
#define waymark_snapshot waymark_snapshot_or_not
#define waymark_snapshot_to waymark_snapshot_to_or_not
/* clang-format on */
#endif

#ifdef __cplusplus
}
#endif

#endif
