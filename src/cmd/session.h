/* SPDX-License-Identifier: MIT */
/*
 * One run of a reading command: its declarations, its trace, its output, and
 * what went wrong. Shared by all commands that read traces record by record.
 */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "api/declarations.h"
#include "base/vec.h"
#include "cmd/terminal.h"
#include "read/filter.h"
#include "read/pace.h"
#include "read/reader.h"
#include "text/out.h"

/* A file that the command reads, besides traces: the output must not be one. */
struct session_input {
	const char *path;
	const char *what; /* it is */
};

struct session {
	const char *name; /* of the command, for messages */
	const char *trace; /* as the user named it; NULL: there are several */
	const char *const *traces;
	size_t trace_count;
	const char *first_trace;
	struct declarations declarations;
	VEC(struct session_input) inputs;
	struct filter filter; /* of the records that the command looks at */
	bool has_declarations;
	struct reader *reader;
	struct out out;
	int out_fd;
	const char *made; /* the output, where it was not there before and has nothing yet */
	enum reader_follow follow;
	struct pace pace; /* of looking at what is followed */
	bool is_ended; /* somebody asked for the end with a signal */
	int lifeline; /* a connection whose end is the end of what follows, too; -1: none */
	unsigned int quiet_ms; /* for so long nothing was to be shown */
	const uint64_t *awaited; /* how many events more are wanted; NULL: all that come */
	unsigned int cut_ms; /* for so long it has ended */
	bool is_cut; /* that was the end */
	bool ready; /* trace and output are open */
	uint64_t problems; /* records that could not be read */
	bool has_mismatch; /* one of them because its declaration is another */
	bool unreadable; /* one of several traces, of which nothing could be read */
	bool damaged; /* the trace could not be read to its end */
	struct progress progress;
	unsigned int until_progress; /* records until it is looked at */
};

void session_init(struct session *s, const char *name);

/* Adds a declaration file. False when it is of no use, which was reported. */
bool session_declare(struct session *s, const char *path);

/* Adds what else the command reads; both strings outlive the session. */
void session_add_input(struct session *s, const char *path, const char *what);

/*
 * Opens trace and output (NULL: standard output), of which a file keeps what it
 * has until session_begin_output(). False on failure, which was reported.
 */
bool session_open(struct session *s, const char *trace, const char *output, bool no_header);

/* The same for several traces, as one; the list ends with NULL and outlives the session. */
bool session_open_several(struct session *s, char *const *traces, const char *output);

/*
 * Reads the traces from their beginning once more, with the same filter. Returns the reader
 * before that, for the caller to close; NULL: they cannot be read twice, as pipes cannot, or
 * could not be read wholly, and everything stays as it is.
 */
struct reader *session_read_again(struct session *s);

/* Output follows: what the file had is gone. */
void session_begin_output(struct session *s);

/* From now on, and until the program ends, SIGINT, SIGTERM and SIGALRM end what follows. */
void session_follow(struct session *s, enum reader_follow follow);

/* Waits, where traces are followed, until they exist; false when a signal ended that. */
bool session_await_traces(struct session *s);

/* Shows what there is and waits for more; false when nobody wants it. */
bool session_wait(struct session *s);

/*
 * Waits so long at most, and says so on a terminal; false when somebody asked for the end, or the
 * lifeline ended.
 */
bool session_pause(struct session *s, unsigned int ms);

/* Whether the lifeline stays although what was followed has ended. */
bool session_goes_on(const struct session *s);

/* Whether somebody asked for the end. A system call. */
bool session_is_interrupted(struct session *s);

bool session_next_behind(struct session *s, struct record *rec, enum read_result result);
void session_show_progress(struct session *s);

/* The next record; false at the end. Reports what cannot be read on the way. */
static inline bool session_next(struct session *s, struct record *rec)
{
	if (UNLIKELY(s->until_progress-- == 0)) {
		session_show_progress(s);
	}
	enum read_result result = reader_next(s->reader, rec);

	return LIKELY(result == READ_RECORD) || session_next_behind(s, rec, result);
}

/* How many records are looked at together. */
#define SESSION_FEW 64

/* The next records, at most SESSION_FEW, all valid until the next call; 0 at the end. */
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

/* True while somebody reads the output: false ends a run early. */
static inline bool session_wanted(const struct session *s)
{
	return s->out.error == 0;
}

/* What the output is of all that the command reads besides traces; NULL: nothing. */
const char *session_input_at(const struct session *s, const char *output);

/* Whether the output is the folder of a trace, or would lie in it. */
bool session_is_inside(const char *trace, const char *output);

/* Says something on standard error, with the command's and the trace's names. */
void session_say(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Ends the run; returns the exit status: 0 when everything was read and written. */
int session_end(struct session *s);

#endif
