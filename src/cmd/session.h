/* SPDX-License-Identifier: MIT */
/*
 * One run of a command that reads traces: declarations, traces, output and problems. Used by all
 * commands that read record by record. One thread.
 */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "api/declarations.h"
#include "base/vec.h"
#include "cmd/terminal.h"
#include "read/filter.h"
#include "read/reader.h"
#include "text/out.h"

/* A file that the command reads besides traces. The output must not be one of them. */
struct session_input {
	const char *path;
	const char *what; /* in messages: "the declarations" */
};

struct session {
	const char *name; /* of the command, for messages */
	const char *trace; /* as the user named it; NULL: several */
	const char *const *traces;
	size_t trace_count;
	const char *first_trace;
	struct declarations declarations;
	VEC(struct session_input) inputs;
	struct filter filter; /* selects the records for the command */
	struct where
		*where; /* an expression that does not select records; or NULL. Freed at the end */
	bool reads_all; /* also records that the filter will drop: they matter to the command */
	bool has_declarations;
	struct reader *reader;
	struct out out;
	int out_fd;
	const char *made; /* the output file while it is new and empty; else NULL */
	enum reader_follow follow;
	struct pace pace; /* poll interval of followed traces */
	bool is_ended; /* a signal has ended it */
	int lifeline; /* a connection whose end also ends the following; -1: none */
	unsigned int quiet_ms; /* since the last output */
	const uint64_t *awaited; /* number of events still wanted; NULL: no limit */
	unsigned int cut_ms; /* since the lifeline ended */
	bool is_cut; /* the lifeline ended the following */
	bool ready; /* trace and output are open */
	uint64_t problems; /* records that could not be read */
	bool has_mismatch; /* one of them does not match its declaration */
	bool unreadable; /* one of several traces could not be read at all */
	uint64_t unreadable_traces; /* reported ones */
	char first_unreadable[512]; /* path and problem */
	bool damaged; /* the trace could not be read to its end */
	struct progress progress;
	unsigned int until_progress; /* records until the next update */
};

void session_init(struct session *s, const char *name);

/* Adds a declaration file. False on failure, reported. */
bool session_declare(struct session *s, const char *path);

/* Takes the expression from the filter, which would remove ends of spans; returns it. */
struct where *session_take_where(struct session *s);

/*
 * Selects the events for which the process's condition is true, among those that have its fields. A
 * text that is no expression selects all: the process reports it.
 */
void session_set_condition(struct session *s, const char *text);

/* Adds a file that the command reads. Both strings must outlive the session. */
void session_add_input(struct session *s, const char *path, const char *what);

/*
 * Opens trace and output (NULL: standard output). Returns false on failure, reported. Does not
 * empty an output file: session_begin_output() does.
 */
bool session_open(struct session *s, const char *trace, const char *output, bool no_header);

/* Opens several traces as one. The list ends with NULL and must outlive the session. */
bool session_open_several(struct session *s, char *const *traces, const char *output);

/*
 * Prepares to read several traces one after the other: opens the output, as session_open() does.
 * The list ends with NULL and must outlive the session. session_turn_to() opens one of them, in
 * place of the one before; false on failure, reported.
 */
bool session_open_in_turn(struct session *s, char *const *traces, const char *output);
bool session_turn_to(struct session *s, size_t trace);

/* True if the trace, the last one turned to, was read completely and can be turned to again. */
bool session_may_turn_again(const struct session *s, size_t trace);

/*
 * Opens the traces once more, with the same filter. Returns the previous reader, which the caller
 * closes. Returns NULL, and leaves the session as it is, if they cannot be read twice, like pipes,
 * or were not read completely.
 */
struct reader *session_read_again(struct session *s);

/*
 * Opens the traces for another thread, with the session's selection in a filter of its own. Returns
 * NULL if they cannot be read. The caller closes the reader, and frees the filter in any case.
 */
struct reader *session_open_beside(const struct session *s, struct filter *filter);

/* The same, with the reason if it returns NULL. */
struct reader *session_open_again(
	const struct session *s, struct filter *filter, struct read_error *error);

/* Empties an output file. Call before the first output. */
void session_begin_output(struct session *s);

/*
 * Follows traces from now on. Until the program exits, SIGINT, SIGTERM and SIGALRM end the
 * following.
 */
void session_follow(struct session *s, enum reader_follow follow);

/* Waits until followed traces exist; false if a signal ended the wait. */
bool session_await_traces(struct session *s);

/* Flushes the output and waits for more records; false if the output cannot be written. */
bool session_wait(struct session *s);

/*
 * Waits for at most `ms`, with a note on a terminal; false if a signal or the lifeline ended the
 * wait.
 */
bool session_pause(struct session *s, unsigned int ms);

/* True if the lifeline is open although the followed trace has ended. */
bool session_goes_on(const struct session *s);

/* True if a signal has ended the session. Makes a system call. */
bool session_is_interrupted(struct session *s);

bool session_next_behind(struct session *s, struct record *rec, enum read_result result);
void session_show_progress(struct session *s);

/* Reads the next record; false at the end. Reports unreadable records on the way. */
static inline bool session_next(struct session *s, struct record *rec)
{
	if (UNLIKELY(s->until_progress-- == 0)) {
		session_show_progress(s);
	}
	enum read_result result = reader_next(s->reader, rec);

	return LIKELY(result == READ_RECORD) || session_next_behind(s, rec, result);
}

/* Maximum number of records returned at one time. */
#define SESSION_FEW 64

/* Returns the next records, at most SESSION_FEW, all valid until the next call; 0 at the end. */
static inline size_t session_next_few(struct session *s, struct record *records)
{
	size_t count = reader_take(s->reader, records, SESSION_FEW);

	if (UNLIKELY(count == 0)) {
		return session_next(s, records);
	}
	if (UNLIKELY(s->until_progress < count)) {
		session_show_progress(s);
	}
	s->until_progress -= (unsigned int)count;
	return count;
}

/*
 * Counts the next plain events in at most SESSION_FEW runs, like reader_count(); 0: call
 * session_next_few().
 */
static inline size_t session_count(struct session *s, struct record_tally *runs)
{
	size_t count = reader_count(s->reader, runs, SESSION_FEW);
	uint64_t events = 0;

	for (size_t i = 0; i < count; i++) {
		events += runs[i].events;
	}
	if (events < s->until_progress) {
		s->until_progress -= (unsigned int)events;
	} else {
		session_show_progress(s);
	}
	return count;
}

/* True if the output can be written; false ends a run early. */
static inline bool session_wanted(const struct session *s)
{
	return s->out.error == 0;
}

/*
 * True if the output is neither one of the read files nor inside a trace; false, reported. Call
 * after the traces were opened.
 */
bool session_may_write(struct session *s, const char *output);

/* True if the output is the directory of a trace, or inside it. */
bool session_is_inside(const char *trace, const char *output);

/* Writes a message to standard error, with the names of the command and the trace. */
void session_say(struct session *s, const char *fmt, ...) PRINTF(2, 3);

/* Reports traces that will have more events, or may have fewer after the next boot. */
void session_explain_states(struct session *s);

/* Ends the run; returns the exit status: 0 if everything was read and written. */
int session_end(struct session *s);

#endif
