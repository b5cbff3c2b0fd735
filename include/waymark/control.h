/* SPDX-License-Identifier: MIT */
/*
 * waymark/control.h - control of tracing by the traced program itself.
 *
 * No function here prints, exits or aborts. Errors are returned as text. Unless a function says
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

/* The reason for a failure: one line without a newline, "" after success. */
struct waymark_error {
	char text[512];
};

/*
 * One event. It lives as long as the object (program, library, plug-in) that declares it: after
 * dlclose() of that object, pointers to it are invalid.
 */
struct waymark_event;

/* How many events matched a pattern or a list of patterns. */
struct waymark_match {
	size_t events; /* with a matching name, which the condition and limits fit */
	size_t unsupported; /* of these, built with none of the wanted backends */
	/* Which events with a matching name the terms do not fit: they stay as they were. */
	struct waymark_error misfits;
};

/*
 * Applies one option string in the syntax of the -trace option, see waymark-trace(7): patterns,
 * events files, outputs, buffer. The whole option is read and checked first: an option with an
 * error changes nothing. Patterns stay in force for objects that are loaded later. Returns 0, or -1
 * with the reason.
 */
int waymark_configure(const char *options, struct waymark_error *error);

/* The syntax of options; waymark-trace(7) lists the keys of each. */
enum waymark_dialect {
	WAYMARK_DIALECT_WAYMARK, /* QEMU's; the default */
	WAYMARK_DIALECT_STRATOVIRT /* events=FILE, file=FILE, type=, regular expressions */
};

/*
 * Chooses the dialect of all options read from now on. Call it before the first option is read; an
 * option whose first key is dialect= chooses as well. WAYMARK_TRACE is read before main(), and a
 * dialect chosen there applies only to itself: the program's choice overrides it. Patterns passed
 * to functions are not affected. Returns 0, also if that dialect was chosen already, or -1 and
 * changes nothing: another dialect was chosen, or this one does not exist.
 */
int waymark_set_dialect(enum waymark_dialect dialect, struct waymark_error *error);

/*
 * Returns the help on the option's keys in the chosen dialect, two lines for each key, for a
 * program's own --help.
 */
const char *waymark_option_help(void);

/*
 * Switches events on or off for `backends`, now and in objects loaded later: those whose name
 * matches `pattern` (`*` any run of characters, `?` any one; or a regular expression between
 * slashes, see waymark-trace(7)), or whose category has that name. After the pattern of
 * waymark_enable() may follow limits, waymark-trace(7), and ` if ` and a condition,
 * waymark-expressions(7): only calls for which it is true, and which the limits let pass, are
 * recorded. An event has the condition and limits that were given last. `when NAME ... then ...` is
 * a trigger, and `aggregate NAME ...` an aggregation, waymark-trace(7), which waymark_disable()
 * removes by the same text. A pattern without
 * a match is no error: `match`, which may be NULL, gets the counts. Atomic: all events are switched
 * between any two other control calls, or none is. Returns 0, or -1 and changes nothing: the
 * pattern is empty or a bad expression, `backends` is 0, memory or event ids (65535) ran out, or
 * all matches are trace points of waymark/scope.h, which `simple` does not record, and have no
 * other one of `backends`; or a limit or the condition is wrong, or fits none of the events that
 * match. An event that is loaded after the ids ran out is switched on only for backends that need
 * no id.
 */
int waymark_enable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error);
int waymark_disable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error);

/*
 * Does what waymark_enable() does for each line of a file: a name or pattern, with a `-` before it
 * to switch off. Skips blank lines and lines that begin with `#`. Returns 0, or -1 and changes
 * nothing: the file cannot be read, or a line is not a pattern.
 */
int waymark_enable_from_file(const char *path, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error);

/* Returns the first event of that name in the order of registration, or NULL. */
const struct waymark_event *waymark_find(const char *name);

/*
 * Iterates over the events in the order in which their objects were loaded and, within one, of
 * their declaration files as linked. The iterator is the caller's memory and need not be ended.
 * Objects may be loaded and unloaded between two calls; the iterator does not keep the event alive
 * that it returned. Only one thread may use an iterator.
 */
struct waymark_iter {
	const char *pattern; /* borrowed; NULL: every event */
	uint64_t serial; /* serial number of the current object */
	size_t index; /* of the next event in that object */
	bool one_object;
};

/*
 * Begins an iteration over the events whose name matches `pattern`, which must outlive the
 * iterator. A regular expression is compiled again at each step; a bad one matches no event.
 */
void waymark_iter_init(struct waymark_iter *iter, const char *pattern);

/* Returns the next event, or NULL at the end. */
const struct waymark_event *waymark_iter_next(struct waymark_iter *iter);

/* Return parts of the declaration. The strings live as long as the event. Async-signal-safe. */
const char *waymark_get_name(const struct waymark_event *event);
/* Returns the format as declared, with quotes and macros; "" if there is none. */
const char *waymark_get_format(const struct waymark_event *event);
/* Returns the declaration's file. `line`, which may be NULL, gets the line, counted from 1. */
const char *waymark_get_source(const struct waymark_event *event, unsigned int *line);

/* Returns the backends that the event was built with. Async-signal-safe. */
unsigned int waymark_get_backends(const struct waymark_event *event);

/* Returns the backends that are on for the event now. Async-signal-safe. */
unsigned int waymark_get_state(const struct waymark_event *event);

/*
 * Copies the condition under which the event is recorded to `text`, "" if there is none, cut to
 * `size` bytes with the NUL. Returns its length.
 */
size_t waymark_get_condition(const struct waymark_event *event, char *text, size_t size);

/* Does the same for its limits. */
size_t waymark_get_limits(const struct waymark_event *event, char *text, size_t size);

/* Returns how many external tracers (bpftrace, perf) watch the event now. Async-signal-safe. */
unsigned int waymark_get_watchers(const struct waymark_event *event);

/* One event as it was at one moment. */
struct waymark_event_info {
	const char *name; /* owned by the list */
	unsigned int backends; /* this and the next two: as waymark_get_backends() and so on */
	unsigned int state;
	unsigned int watchers;
	uint64_t recorded; /* counted since waymark_count_events(); for a scope, begins and ends */
	uint64_t lost; /* since the process began */
	uint64_t bytes; /* of the recorded events */
	bool vcpu; /* declared `vcpu`: waymark/vcpu.h switches it for single vCPUs */
	bool scope; /* a scope: its end, the event `<name>_end` of traces, is switched with it */
	uint16_t conditional; /* backends of `state` that are on under the condition and limits */
	const char *condition; /* under which it is recorded, "": none; owned by the list */
	const char *limits; /* of its calls, "": none; owned by the list */
	uint64_t left_out; /* calls that limits left out, since the process began */
	const char *fields; /* names of its fields, with blanks between; owned by the list */
	uint64_t reserved; /* 0 */
};

struct waymark_event_list {
	struct waymark_event_info *events; /* in the order of waymark_iter_next() */
	size_t count;
};

/*
 * Fills `list` with copies of the events whose name matches `pattern` (as of waymark_enable();
 * NULL: all), all taken at one moment. Free the list with waymark_free_events(). Returns 0, also if
 * no event matches, or -1 and an empty list: the expression is bad, or memory ran out.
 */
int waymark_list_events(
	const char *pattern, struct waymark_event_list *list, struct waymark_error *error);

/* Frees the contents of the list and empties it. */
void waymark_free_events(struct waymark_event_list *list);

/* A trigger or an aggregation in force. */
struct waymark_trigger_info {
	const char *text; /* `when ...` or `aggregate ...`; owned by the list */
	uint64_t fired; /* times, in this process and in those from which it was forked; of an
			   aggregation: calls that this process has added up */
	uint64_t forgotten; /* calls that began an elapsed() of it, and that the full table of open
			       pairs has given up; their partners have no elapsed() */
	uint64_t reserved[1]; /* 0 */
};

struct waymark_trigger_list {
	struct waymark_trigger_info *triggers; /* in the order in which they were given */
	size_t count;
};

/*
 * Fills `list` with copies of the triggers and aggregations in force. Free the list with
 * waymark_free_triggers(). Returns 0, or -1 and an empty list: memory ran out.
 */
int waymark_list_triggers(struct waymark_trigger_list *list, struct waymark_error *error);

/* Frees the contents of the list and empties it. */
void waymark_free_triggers(struct waymark_trigger_list *list);

/* A category of the program's trace points, see waymark/category.h. */
struct waymark_category_info {
	const char *name; /* owned by the list, as the next */
	const char *description;
	size_t events; /* its trace points; if compiled out, those left in the objects */
	size_t on; /* of these, on for any backend */
	int64_t live; /* scopes of WAYMARK_BEGIN() that began while on and are still open */
	bool compiled_in;
	uint8_t reserved[31]; /* 0 */
};

struct waymark_category_list {
	struct waymark_category_info *categories; /* sorted by name */
	size_t count;
};

/*
 * Fills `list` with copies of the categories of all trace points in the loaded objects, all taken
 * at one moment; categories of one name in several objects are merged. Free the list with
 * waymark_free_categories(). Returns 0, also if there are no categories, or -1 and an empty list:
 * memory ran out.
 */
int waymark_list_categories(struct waymark_category_list *list, struct waymark_error *error);

/* Frees the contents of the list and empties it. */
void waymark_free_categories(struct waymark_category_list *list);

/*
 * Switches one event on or off for some backends; the other backends stay as they are. Idempotent,
 * and atomic with respect to other control calls. Returns 0, or -1 and changes nothing: the event
 * was built with none of `backends`, is a trace point of waymark/scope.h that has only `simple`
 * among them, or memory or event ids ran out.
 */
int waymark_set_state(const struct waymark_event *event, unsigned int backends, bool on,
	struct waymark_error *error);

/*
 * Switches the events of `count` names in all loaded objects, atomically: all or none. Unlike
 * waymark_enable() it does not affect objects loaded later. Skips names without an event, and
 * events built with none of `backends`. Returns 0, or -1 and changes nothing: memory or event ids
 * ran out.
 */
int waymark_set_states(const char *const *names, size_t count, unsigned int backends, bool on,
	struct waymark_error *error);

/* Limits and a condition that were checked with events. */
struct waymark_terms;

/*
 * Reads a name or pattern with limits and a condition, as of waymark_enable(); switches nothing.
 * Fills `list` with the events that match and that the terms fit, as waymark_list_events() does.
 * `match`, which may be NULL, gets their number and which other events match. Returns terms for
 * waymark_set_states_under(), or NULL and an empty list: they are wrong, fit no event, or memory
 * ran out. An elapsed() knows the calls that begin pairs from now on.
 */
struct waymark_terms *waymark_open_terms(const char *rule, struct waymark_event_list *list,
	struct waymark_match *match, struct waymark_error *error);

/* Frees the terms. An elapsed() gets no further pairs, so switch its events off first. */
void waymark_close_terms(struct waymark_terms *terms);

/*
 * Switches events on as waymark_set_states() does, under terms that fit them; NULL: under those
 * that each event had last. Takes no call away from others: an event that is on without these terms
 * for one of `backends`, or under others for any backend, is then on without terms.
 */
int waymark_set_states_under(const struct waymark_terms *terms, const char *const *names,
	size_t count, unsigned int backends, struct waymark_error *error);

/*
 * Names the file that a backend writes to ("ctf", "simple", "log"; NULL: the first of these that
 * the loaded objects were built with). `path` NULL: the backend's default, which is standard error
 * for log. Returns 0, or -1 and keeps the old file: no such backend, the file cannot be opened, or,
 * for ctf, the name exists and may not be replaced.
 */
int waymark_set_output(const char *backend, const char *path, struct waymark_error *error);

/*
 * Opens or closes the file of a backend; while it is closed, the backend's events are dropped.
 * `was_on`, which may be NULL, gets the former state. Returns 0, or -1 as waymark_set_output()
 * does.
 */
int waymark_set_output_on(const char *backend, bool on, bool *was_on, struct waymark_error *error);

/*
 * Writes one line about the backend's file (its name, on or off) to `text`, cut to `size` as
 * snprintf does. Returns the length of the whole line, or -1: no such backend.
 */
int waymark_get_output_status(const char *backend, char *text, size_t size);

/* A backend's output. */
struct waymark_output {
	char backend[16]; /* its name */
	char path[4096]; /* absolute; "": standard error */
	bool on;
	bool begun; /* the file or directory exists; until then its name may change */
	bool held; /* full=overwrite: events stay in memory until a flush or snapshot */
	uint8_t reserved[16]; /* 0 */
};

/*
 * Fills `output` with the state of the backend's file. Returns 0, or -1: no such backend, or the
 * path is too long.
 */
int waymark_get_output(
	const char *backend, struct waymark_output *output, struct waymark_error *error);

/*
 * Waits until every event recorded before the call is in its file. Returns 0, or -1 if some could
 * not be written. The handler of a fatal signal, such as SIGSEGV, may call it.
 */
int waymark_flush(struct waymark_error *error);

/*
 * Completes the traces, as exit() and quick_exit() do, and prints a line on what was lost. For a
 * program that ends by _exit() or a raw exit_group(), directly before that call: other threads that
 * then record wait for the end of the process, so take no lock meanwhile. After a second they go
 * on, and later events may be lost. Does nothing in a child of vfork().
 */
void waymark_end(void);

/*
 * Writes the events that full=overwrite keeps in memory and waits until they are in the file;
 * recording continues meanwhile. With any other policy it is the same as waymark_flush(). Returns
 * 0, or -1 if some could not be written. For signal handlers use the option's snapshot=.
 */
int waymark_snapshot(struct waymark_error *error);

/*
 * Writes the events that full=overwrite keeps in memory as a separate trace in `directory`. The
 * directory must not exist unless replace=on is configured, and is complete when the call returns.
 * Recording in memory continues meanwhile. Each event is in one snapshot only; later events go to
 * the next snapshot or, at exit, to the trace that the option or waymark_set_output() named. With
 * any other policy this is an error, because the usual trace has the events. If `directory` is
 * NULL, does what waymark_snapshot() does. Calls of several threads wait for each other. Returns 0,
 * or -1: the name exists, the directory cannot be made, nothing has been recorded yet, or some
 * events could not be written (memory keeps them), for example the packet of a thread that is
 * inside an event for a whole second.
 */
int waymark_snapshot_to(const char *directory, struct waymark_error *error);

/* State of the count per event: never switched on, on, or switched off again. */
enum waymark_counting { WAYMARK_COUNTING_NOT_YET, WAYMARK_COUNTING_ON, WAYMARK_COUNTING_OFF };

/* Counters of this process. */
struct waymark_stats {
	uint64_t recorded; /* by ctf and simple together, in files or still in memory */
	uint64_t lost; /* by ctf and simple together: no room in the buffer */
	uint64_t unwritten; /* recorded, but writing them to the file failed */
	uint64_t log_lost; /* log lines that could not be written */
	uint64_t syslog_lost; /* messages that could not be sent to the system's log */
	uint64_t syslog_withheld; /* messages dropped by syslog.rate= */
	uint64_t ftrace_lost; /* events that could not be written to the kernel's trace */
	uint64_t bytes; /* of the recorded events, each with its size in memory, a multiple of 8 */
	uint64_t counting; /* enum waymark_counting */
	uint64_t write_error; /* errno of the last write to a file; 0: it succeeded */
	uint64_t write_backend; /* backend of that error: WAYMARK_CTF or WAYMARK_SIMPLE; 0: none */
	uint64_t pairs_forgotten; /* calls that began an elapsed(), because its table was full:
				     their partners have no elapsed() */
	uint64_t reserved[4]; /* 0 */
};

/* Fills in the counters. Counts never decrease, and begin with 0 in a child of fork(). */
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
 * list with waymark_free_threads(), which accepts an empty list. Returns 0, or -1: memory ran out.
 */
int waymark_list_threads(struct waymark_thread_list *list, struct waymark_error *error);
void waymark_free_threads(struct waymark_thread_list *list);

/*
 * Switches counting per event on or off. The writer counts events as it writes packets. For ctf
 * this costs the writer 3 to 9 ns an event, and the recording thread nothing. Counting begins with
 * the events that are in memory when it is switched on. Losses are always counted, and immediately.
 * Switching off keeps the counts. Returns 0.
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
WAYMARK_UNLINKED_VOID(waymark_end, (void), ())
WAYMARK_UNLINKED(int, waymark_snapshot, (struct waymark_error *error), (error),
	waymark_without(0, error ? error->text : NULL))
WAYMARK_UNLINKED(int, waymark_snapshot_to, (const char *directory, struct waymark_error *error),
	(directory, error), waymark_without(directory ? -1 : 0, error ? error->text : NULL))
#define waymark_configure waymark_configure_or_not
#define waymark_set_dialect waymark_set_dialect_or_not
#define waymark_option_help waymark_option_help_or_not
#define waymark_flush waymark_flush_or_not
#define waymark_end waymark_end_or_not
#define waymark_snapshot waymark_snapshot_or_not
#define waymark_snapshot_to waymark_snapshot_to_or_not
/* clang-format on */
#endif

#ifdef __cplusplus
}
#endif

#endif
