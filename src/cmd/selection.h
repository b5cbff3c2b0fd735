/* SPDX-License-Identifier: MIT */
/* Options that select a command's records, by time, process, thread, name and fields. */
#ifndef CMD_SELECTION_H
#define CMD_SELECTION_H

#include "cmd/arguments.h"
#include "cmd/session.h"
#include "read/filter.h"

/* Above the keys of any command. */
enum {
	SELECTION_KEY_SINCE = ARGUMENT_LONG + 1000,
	SELECTION_KEY_UNTIL,
	SELECTION_KEY_PID,
	SELECTION_KEY_WHERE,
	SELECTION_KEY_THREAD
};

#define SELECTION_ROW_WHERE                                                               \
	{                                                                                 \
		SELECTION_KEY_WHERE, "where", "EXPR",                                     \
			"only events for which this is true, as 'bytes > 64K && op == 1'" \
	}

#define SELECTION_ROWS_IDS                                                                    \
	{ SELECTION_KEY_PID, "pid", "PID", "only records of this process; may be repeated" }, \
	{                                                                                     \
		SELECTION_KEY_THREAD, "thread", "TID",                                        \
			"only records of this thread; may be repeated"                        \
	}

#define SELECTION_SINCE "only records from this time on: SEC[.FRACTION] since boot"
#define SELECTION_UNTIL "only records up to this time; +SEC: since the first record"

#define SELECTION_ROWS                                             \
	{ SELECTION_KEY_SINCE, "since", "TIME", SELECTION_SINCE }, \
		{ SELECTION_KEY_UNTIL, "until", "TIME", SELECTION_UNTIL }, SELECTION_ROWS_IDS

static inline bool selection_has(int key)
{
	return key >= SELECTION_KEY_SINCE && key <= SELECTION_KEY_THREAD;
}

/* Applies a selecting option, with its value in `optarg`; returns 0, or ARGUMENTS_BAD, reported. */
int selection_take(struct session *s, const struct command *command, int key);

/* Excludes records from before now. */
void selection_since_now(struct session *s);

/* Returns the next selected records, like session_next_few(). */
size_t selection_next_few(struct session *s, struct record *records);

/* Replaces a name pattern; returns 0, or ARGUMENTS_BAD, reported. */
int selection_take_name(struct name_pattern *p, const struct command *command, const char *text);

/*
 * Takes `--counter=EVENT.FIELD` of `optarg`; the name of an event may have points, that of a field
 * has none. Returns 0, or ARGUMENTS_BAD, reported. The session keeps the texts.
 */
int selection_take_counter(struct session *s, const struct command *command,
	struct name_pattern *event, const char **field);

/*
 * Adds a pattern to a filter's list, see filter_add_pattern(); returns 0, or ARGUMENTS_BAD,
 * reported.
 */
int selection_add_name(struct filter *f, const struct command *command, const char *text);

/*
 * Reports, as a problem, that no name matches, and the nearest of `names`. `what` begins the
 * message: "there is no event".
 */
void selection_no_name(struct session *s, const char *what, const char *pattern,
	const char *const *names, size_t count);

/*
 * Explains that no event was selected: reads the traces once more, without the filter, and reports
 * the times of all records. Does nothing without a filter, or if the traces cannot be read again.
 * Call at the end.
 */
void selection_explain_none(struct session *s);

/* Reports that the traces, or the selected records, have no scopes. */
void selection_no_scopes(struct session *s);

/* ---- Names of events and fields, and those that no event has ---- */

struct names {
	const char **items;
	size_t count;
	size_t capacity;
};

/*
 * Adds names divided by commas, the value of --fields. They live as long as the session. Returns 0,
 * or ARGUMENTS_BAD, reported.
 */
int names_take(struct names *n, struct session *s, const struct command *command, const char *text);

/* Returns the field with the name nearest to `name`, which may be that name; NULL: none is near. */
const char *names_nearest_field(const struct reader *r, const char *name);

/*
 * Report patterns of the session's filter, and fields, that no event of the traces has, most likely
 * mistyped, with the nearest name. Call after the last record. Return their number.
 */
size_t names_check_events(struct session *s);
size_t names_check_fields(struct session *s, const struct names *fields);

#endif
