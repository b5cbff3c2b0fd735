/* SPDX-License-Identifier: MIT */
/*
 * waymark/control.h - control of tracing by the traced program itself.
 *
 * No function here prints, exits or aborts; errors are returned as text. Unless a function says
 * otherwise, any thread may call it at any time after main() began, and no signal handler may.
 * `error` may be NULL everywhere; success empties it. Masks of backends are bits of enum
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

/* The reason of a failure: one line without a newline, "" after success. */
struct waymark_error {
	char text[512];
};

/*
 * One event. It lives as long as the object (program, library, plug-in) that
 * declares it: after dlclose() of that object its pointers are void.
 */
struct waymark_event;

/* How many events matched a pattern or a list of patterns. */
struct waymark_match {
	size_t events; /* with a matching name */
	size_t unsupported; /* of these, built with none of the wanted backends */
};

/*
 * Applies one option string in the syntax of the -trace option, see
 * waymark-trace(7): patterns, events files, outputs, buffer. All of it is read
 * and checked first: an option with an error changes nothing. Patterns
 * stay in force for objects that are loaded later. Returns 0, or -1.
 */
int waymark_configure(const char *options, struct waymark_error *error);

/* The syntax of options; waymark-trace(7) lists the keys of each. */
enum waymark_dialect {
	WAYMARK_DIALECT_WAYMARK, /* QEMU's; the default */
	WAYMARK_DIALECT_STRATOVIRT /* events=FILE, file=FILE, type=, regular expressions */
};

/*
 * Chooses the dialect of all options read from now on. Call it before the first option is read;
 * a first key dialect= chooses too. WAYMARK_TRACE is read before main(), and its dialect is valid
 * for itself only: the program's choice overrides it. Patterns passed to functions are not
 * affected. Returns 0, also if that dialect is chosen already, or -1 and changes nothing: another
 * dialect is chosen, or it does not exist.
 */
int waymark_set_dialect(enum waymark_dialect dialect, struct waymark_error *error);

/*
 * Returns the help on the option's keys in the chosen dialect, two lines each, for a program's
 * own --help.
 */
const char *waymark_option_help(void);

/*
 * Switches events on or off for `backends`, now and in objects loaded later: those whose name
 * matches `pattern` (`*` any run of characters, `?` any one; or a regular expression between
 * slashes, see waymark-trace(7)), or whose category has that name. A pattern without a match is no
 * error: `match`, which may be NULL, gets the counts. Atomic: all events are switched between any
 * two other control calls, or none is. Returns 0, or -1 and changes nothing: the pattern is empty
 * or a bad expression, `backends` is 0, memory or event ids (65535) ran out, or all matches are
 * trace points of waymark/scope.h, which `simple` does not record, without another of `backends`.
 * An event that is loaded after the ids ran out is switched on only for backends that need no id.
 */
int waymark_enable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error);
int waymark_disable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error);

/*
 * Does the same for each line of a file: a name or pattern, with a `-` before it to switch off;
 * blank lines and lines that begin with `#` are skipped. Returns 0, or -1 and changes nothing: the
 * file cannot be read, or a line is not a pattern.
 */
int waymark_enable_from_file(const char *path, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error);

/* Returns the first event of that name in the order of registration, or NULL. */
const struct waymark_event *waymark_find(const char *name);

/*
 * Iterates over the events in the order in which their objects were loaded and,
 * within one, of their declaration files as linked. The iterator is the caller's memory and needs
 * no end. Objects may be loaded and unloaded between two calls; the iterator does not keep the
 * event that it returned alive. One thread an iterator.
 */
struct waymark_iter {
	const char *pattern; /* borrowed; NULL: every event */
	uint64_t serial; /* of the current object */
	size_t index; /* the next event there */
	bool one_object;
};

/*
 * Begins at the first event whose name matches `pattern`, which must outlive the iterator. A
 * regular expression is compiled again at each step; a bad one matches no event.
 */
void waymark_iter_init(struct waymark_iter *iter, const char *pattern);

/* The next event, NULL at the end. */
const struct waymark_event *waymark_iter_next(struct waymark_iter *iter);

/* The declaration; the strings live as long as the event. Async-signal-safe. */
const char *waymark_get_name(const struct waymark_event *event);
/* As in the declaration, with quotes and macros; "" without a format. */
const char *waymark_get_format(const struct waymark_event *event);
/* The declaration's file; `line`, which may be NULL, gets its line from 1. */
const char *waymark_get_source(const struct waymark_event *event, unsigned int *line);

/* The backends that the event was built with. Async-signal-safe. */
unsigned int waymark_get_backends(const struct waymark_event *event);

/* The backends that are on for the event now. Async-signal-safe. */
unsigned int waymark_get_state(const struct waymark_event *event);

/* The number of external tracers (bpftrace, perf) of the event now. Async-signal-safe. */
unsigned int waymark_get_watchers(const struct waymark_event *event);

/* One event as it was at one moment. */
struct waymark_event_info {
	const char *name; /* the list's */
	unsigned int backends; /* as waymark_get_backends(), and so on */
	unsigned int state;
	unsigned int watchers;
	uint64_t recorded; /* counted since waymark_count_events(); of a scope begin and end */
	uint64_t lost; /* since the process began */
	uint64_t bytes; /* counted as `recorded` is */
	bool vcpu; /* declared `vcpu`: waymark/vcpu.h switches it for single vCPUs */
	bool scope; /* a scope: its end, the event `<name>_end` of traces, is switched with it */
	uint8_t reserved[30]; /* 0 */
};

struct waymark_event_list {
	struct waymark_event_info *events; /* in the order of waymark_iter_next() */
	size_t count;
};

/*
 * Fills `list` with copies of the events whose name matches `pattern` (as of waymark_enable();
 * NULL: all), as they are at one moment. Free the list with waymark_free_events(). Returns 0, also
 * if no event matches, or -1 and an empty list: a bad expression, or no memory.
 */
int waymark_list_events(
	const char *pattern, struct waymark_event_list *list, struct waymark_error *error);

/* Frees the contents of the list and empties it. */
void waymark_free_events(struct waymark_event_list *list);

/* A category of the program's trace points, see waymark/category.h. */
struct waymark_category_info {
	const char *name; /* the list's, as the next */
	const char *description;
	size_t events; /* its trace points; if compiled out, those still in the objects */
	size_t on; /* of these, on for any backend */
	int64_t live; /* scopes of WAYMARK_BEGIN() that began while on and have not ended */
	bool compiled_in;
	uint8_t reserved[31]; /* 0 */
};

struct waymark_category_list {
	struct waymark_category_info *categories; /* by name */
	size_t count;
};

/*
 * Fills `list` with copies of the categories of all trace points in the loaded objects, as they
 * are at one moment; categories of one name in several objects are merged. Free the list with
 * waymark_free_categories(). Returns 0, also without categories, or -1 and an empty list: no
 * memory.
 */
int waymark_list_categories(struct waymark_category_list *list, struct waymark_error *error);

/* Frees the contents of the list and empties it. */
void waymark_free_categories(struct waymark_category_list *list);

/*
 * Switches one event on or off for some backends; the other backends stay as they are. Idempotent
 * and atomic between other control calls. Returns 0, or -1 and changes nothing: the event was
 * built with none of `backends`, is a trace point of waymark/scope.h that has only `simple` of
 * them, or memory or event ids ran out.
 */
int waymark_set_state(const struct waymark_event *event, unsigned int backends, bool on,
	struct waymark_error *error);

/*
 * Does the same for the events of `count` names in all loaded objects, atomically: all or none.
 * Unlike waymark_enable() it does not affect objects loaded later. Skips names without an event,
 * and events built with none of `backends`. Returns 0, or -1 and changes nothing: memory or event
 * ids ran out.
 */
int waymark_set_states(const char *const *names, size_t count, unsigned int backends, bool on,
	struct waymark_error *error);

/*
 * Names the file that a backend writes to ("ctf", "simple", "log"; NULL: the first of these that
 * the loaded objects were built with). `path` NULL: the backend's default, which is standard error
 * for log. Returns 0, or -1 and keeps the old file: no such backend, the file cannot be opened, or,
 * for ctf, the name exists and is not to be replaced.
 */
int waymark_set_output(const char *backend, const char *path, struct waymark_error *error);

/*
 * Opens or closes that file; while it is closed, the backend's events are dropped. `was_on`, which
 * may be NULL, gets the former state. Returns 0, or -1 as above.
 */
int waymark_set_output_on(const char *backend, bool on, bool *was_on, struct waymark_error *error);

/*
 * Writes one line about that file (its name, on or off) to `text`, as snprintf
 * does: cut to `size`. Returns its whole length, or -1: no such backend.
 */
int waymark_get_output_status(const char *backend, char *text, size_t size);

/* A backend's output. */
struct waymark_output {
	char backend[16]; /* its name */
	char path[4096]; /* absolute; "": standard error */
	bool on;
	bool begun; /* the file or directory exists; before, it may get another name */
	bool held; /* full=overwrite: events stay in memory until a flush or snapshot */
	uint8_t reserved[16]; /* 0 */
};

/*
 * Fills `output` with the state of that file. Returns 0, or -1: no such backend, or the path is too
 * long.
 */
int waymark_get_output(
	const char *backend, struct waymark_output *output, struct waymark_error *error);

/*
 * Waits until every event recorded before the call is in its file. Returns 0, or -1 if some could
 * not be written. The handler of a fatal signal, such as SIGSEGV, may call it.
 */
int waymark_flush(struct waymark_error *error);

/*
 * Writes the events that full=overwrite keeps in memory and waits until they are in the file;
 * recording goes on meanwhile. With any other policy the same as waymark_flush(). Returns 0, or -1
 * if some could not be written. For signal handlers use the option's snapshot=.
 */
int waymark_snapshot(struct waymark_error *error);

/*
 * Writes the events that full=overwrite keeps in memory as a trace of its own, `directory`. It must
 * not exist unless replace=on is configured, and is complete when the call returns. Recording
 * goes on in memory meanwhile. Each event is in one snapshot only; later events go to the next
 * snapshot or, at exit, to the trace that the option or waymark_set_output() named. With any other
 * policy it is an error: that trace has the events. `directory` NULL: waymark_snapshot(). Calls of
 * several threads wait for each other. Returns 0, or -1: the name exists, it cannot be made,
 * nothing has been recorded yet, or some events could not be written (memory keeps them), such as
 * the packet of a thread that is inside an event for a whole second.
 */
int waymark_snapshot_to(const char *directory, struct waymark_error *error);

/* State of the count per event: never switched on; on; switched off again. */
enum waymark_counting { WAYMARK_COUNTING_NOT_YET, WAYMARK_COUNTING_ON, WAYMARK_COUNTING_OFF };

/* Counters of this process. */
struct waymark_stats {
	uint64_t recorded; /* by ctf plus simple, in their files or still in memory */
	uint64_t lost; /* by ctf plus simple: no room in the buffer */
	uint64_t unwritten; /* recorded, but writing them to the file failed */
	uint64_t log_lost; /* log lines that could not be written */
	uint64_t syslog_lost; /* messages that could not be sent to the system's log */
	uint64_t syslog_withheld; /* messages dropped by syslog.rate= */
	uint64_t ftrace_lost; /* events that could not be written to the kernel's trace */
	uint64_t bytes; /* recorded by ctf plus simple, in memory: each event rounded up to 8 */
	uint64_t counting; /* enum waymark_counting */
	uint64_t write_error; /* errno of the last write to a file; 0: it succeeded */
	uint64_t write_backend; /* of that error: WAYMARK_CTF or WAYMARK_SIMPLE; 0: no error */
	uint64_t reserved[5]; /* 0 */
};

/* Counts never decrease. They begin with 0 in a child of fork(). */
void waymark_get_stats(struct waymark_stats *stats);

/*
 * A thread that has recorded or lost events with ctf or simple; counts as in struct waymark_stats.
 */
struct waymark_thread_info {
	uint32_t tid; /* 0: the sum of threads that have ended or never got memory */
	char name[16]; /* "" if unknown */
	uint64_t recorded;
	uint64_t lost;
	uint64_t bytes;
};

struct waymark_thread_list {
	struct waymark_thread_info *threads; /* sorted by tid */
	size_t count;
};

/*
 * Lists the threads while they run; their counts add up to those of waymark_get_stats(). Free the
 * list with waymark_free_threads(), which also takes an empty list. Returns 0, or -1: no memory.
 */
int waymark_list_threads(struct waymark_thread_list *list, struct waymark_error *error);
void waymark_free_threads(struct waymark_thread_list *list);

/*
 * Switches counting per event on or off. The writer counts events as it writes packets: 3 to 9 ns
 * an event of ctf there, nothing in the recording thread. Counting begins with the events in
 * memory when it is switched on. Losses are always counted, at once. Counts are kept when it is
 * switched off. Returns 0.
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
