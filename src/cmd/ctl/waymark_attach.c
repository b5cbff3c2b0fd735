/* SPDX-License-Identifier: MIT */
/*
 * `waymark attach`: switches on events of a running process while it shows them. The process's
 * monitor keeps them on while the connection is open, and restores their state when it ends for any
 * reason. They are recorded into the process's own trace, which is followed as by `waymark print
 * --follow --new`.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/ctl/monitor_client.h"
#include "cmd/ctl/monitor_patterns.h"
#include "cmd/ctl/monitor_target.h"
#include "cmd/ctl/terms.h"
#include "cmd/escaped.h"
#include "cmd/print/print.h"
#include "cmd/selection.h"
#include "cmd/waymark.h"

#define NAME "waymark attach"

/*
 * Poll interval while the trace does not exist, and number of polls between two questions to the
 * process.
 */
#define POLL_MS 50
#define POLLS 20

#define SECONDS_MAX (100 * 365 * 86400.0)

enum { KEY_SECONDS = PRINT_KEY_OWN, KEY_COUNT, KEY_TIMEOUT };

static const struct argument rows[] = {
	PRINT_ROW_DECLARATIONS,
	SELECTION_ROW_WHERE,
	PRINT_ROW_TID,
	PRINT_ROWS_LOOK,
	{ KEY_SECONDS, "seconds", "N", "end after N seconds" },
	{ KEY_COUNT, "count", "N", "end after N events" },
	CLIENT_ROW_TIMEOUT(KEY_TIMEOUT),
	PRINT_ROW_OUTPUT,
	{ 0 },
};

static const struct command command = {
	.name = NAME,
	.usage = "[OPTION...] TARGET PATTERN... [LIMIT...] [if CONDITION]",
	.about =
		"Switches on the events of a running process whose names match, shows them as they\n"
		"are recorded, and switches them off at the end: at SIGINT, when the process exits,\n"
		"or when the reader of the output closes it. TARGET is a pid, a program's name or a\n"
		"part of it, or a socket's path: see 'waymark ls'. A PATTERN is a name, a glob with\n"
		"* or ?, or a regular expression between slashes. Lines are those of 'waymark print'.\n"
		"Under LIMIT and CONDITION the process records only some calls: see waymark-trace(7).",
	.arguments = rows,
};

struct attach {
	struct print print;
	struct monitor_client client;
	const char *target;
	char **patterns;
	int count;
	struct term_texts terms;
	int timeout_ms;
	double seconds; /* 0: no limit */
	json_t *events; /* names of the events that were switched on */
	char trace[PATH_MAX]; /* absolute; "": unknown */
	bool begun; /* the trace exists */
	bool was_taken; /* another file had the trace's name before */
	bool on; /* the process writes its events to the trace */
};

static int set_count(struct attach *a, const char *text)
{
	a->print.session.awaited = &a->print.head;
	a->print.is_limited = a->print.counts_events = true;
	if (!arguments_number(text, UINT64_MAX, &a->print.head) || a->print.head == 0) {
		return arguments_bad(&command, "'%s' is not a number of events", text);
	}
	return 0;
}

static int take(struct attach *a, int key)
{
	if (key == KEY_SECONDS) {
		return arguments_seconds(optarg, SECONDS_MAX, &a->seconds)
			       ? 0
			       : arguments_bad(&command, "'%s' is not a number of seconds", optarg);
	}
	if (key == KEY_TIMEOUT) {
		return arguments_milliseconds(&command, optarg, &a->timeout_ms);
	}
	if (selection_has(key)) {
		return selection_take(&a->print.session, &command, key);
	}
	return key == KEY_COUNT ? set_count(a, optarg) : print_take(&a->print, &command, key);
}

/* Separates the patterns and the terms; returns 0, or ARGUMENTS_BAD. */
static int parse_words(struct attach *a, char **words, int count)
{
	bool is_trigger = strncmp(words[0], "when ", strlen("when ")) == 0 ||
			  (strcmp(words[0], "when") == 0 && count > 1);

	if (is_trigger) {
		return arguments_bad(&command,
			"a trigger stays after this command: add it by 'waymark ctl %s when ...'",
			a->target);
	}
	a->patterns = words;
	a->count = count;
	a->terms = term_texts_take(words, &a->count);
	if (a->count == 0) {
		return arguments_bad(&command, "the pattern is missing");
	}
	if (a->terms.condition) {
		session_set_condition(&a->print.session, a->terms.condition);
	}
	const char *bad = monitor_patterns_bad(words, count);

	return bad ? arguments_bad(&command, "%s", bad) : 0;
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct attach *a, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(a, key);

		if (failed) {
			return failed;
		}
	}
	if (argc - optind < 2) {
		return arguments_bad(
			&command, "the %s is missing", argc == optind ? "process" : "pattern");
	}
	a->target = argv[optind];
	return parse_words(a, argv + optind + 1, argc - optind - 1);
}

static bool fail(const struct attach *a, const char *error)
{
	client_say(NAME, a->target, error);
	return false;
}

/* Sets the trace; a relative path is relative to the process's directory. */
static void set_trace(struct attach *a, const char *path)
{
	char link[64];
	char folder[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%d/cwd", (int)client_pid(&a->client));
	ssize_t n = *path == '/' ? 0 : readlink(link, folder, sizeof(folder) - 1);

	folder[n > 0 ? n : 0] = '\0';
	if (snprintf(a->trace, sizeof(a->trace), "%s%s%s", folder, n > 1 ? "/" : "", path) >=
		(int)sizeof(a->trace)) {
		a->trace[0] = '\0';
	}
}

/*
 * Reads the state of the trace from an answer, and releases the answer. Returns false if there is
 * none.
 */
static bool take_trace(struct attach *a, json_t *answer)
{
	json_t *on = json_object_get(answer, "on");

	if (!answer) {
		return fail(a, a->client.error);
	}
	a->begun = json_is_true(json_object_get(answer, "begun"));
	a->on = on ? json_is_true(on) : a->on;
	set_trace(a, member_text(answer, "path", ""));
	json_decref(answer);
	return true;
}

static json_t *call_for_trace(struct attach *a)
{
	return client_call(&a->client, "trace-file", json_pack("{s:s}", "backend", "ctf"));
}

/* Returns the process's answer; NULL with the reason. */
static json_t *call_attach(struct attach *a, const char *pattern)
{
	json_t *answer = client_call(&a->client, "trace-attach",
		json_pack("{s:s, s:s*, s:s*}", "name", pattern, "limits", a->terms.limits,
			"condition", a->terms.condition));
	bool is_old = !answer && a->client.failure == CLIENT_REFUSED &&
		      strstr(a->client.error, "' is unexpected");

	return is_old ? client_fail(&a->client, CLIENT_REFUSED,
				"its libwaymark is too old for limits and conditions of this command; "
				"--where selects events that it records all of")
		      : answer;
}

/* Reports events that the terms do not fit, and those that limits do not limit. */
static void report_terms(const struct attach *a, const json_t *answer)
{
	const char *misfits = member_text(answer, "misfits", "");
	const json_t *shared = json_object_get(answer, "shared");
	size_t i;
	json_t *name;

	if (*misfits) {
		escaped_say(NAME, "%s", misfits);
	}
	json_array_foreach(shared, i, name)
	{
		if (a->terms.limits) {
			escaped_say(NAME, "%s: no limits: it is recorded for others, too",
				json_string_value(name));
		}
	}
}

static bool attach(struct attach *a)
{
	char *pattern = monitor_patterns(
		&a->client, a->patterns, a->count, (struct event_scope){ .is_to_switch = true });
	json_t *answer = pattern ? call_attach(a, pattern) : NULL;

	free(pattern);
	report_terms(a, answer);
	a->events = json_incref(json_object_get(answer, "events"));
	if (answer && !json_array_size(a->events)) {
		json_decref(answer);
		return fail(a, "the process switched no event on");
	}
	return take_trace(a, answer);
}

/* Begins to follow, until a signal, the end of --seconds or the end of the connection. */
static void begin_following(struct attach *a)
{
	const struct itimerval time = {
		.it_value.tv_sec = (time_t)a->seconds,
		.it_value.tv_usec =
			(suseconds_t)((a->seconds - (double)(time_t)a->seconds) * 1e6) + 1,
	};
	struct session *s = &a->print.session;

	session_follow(s, s->follow);
	s->lifeline = a->client.fd;
	if (a->seconds > 0) {
		setitimer(ITIMER_REAL, &time, NULL);
	}
}

static bool open_trace(struct attach *a)
{
	struct session *s = &a->print.session;
	struct stat st;

	if (stat(a->trace, &st) != 0) {
		escaped_say(
			NAME, "%s: cannot read the process's trace: %s", a->trace, strerror(errno));
		return false;
	}
	return session_open(s, a->trace, a->print.output, false) && print_has_time(&a->print);
}

/* Makes the process write its trace, by a flush. True if it can; else reports the reason. */
static bool can_be_written(struct attach *a)
{
	char why[sizeof(a->trace) + sizeof(a->client.error) + 100];
	json_t *done = client_call(&a->client, "trace-file", json_pack("{s:s}", "action", "flush"));

	json_decref(done);
	if (done || a->client.failure != CLIENT_REFUSED) {
		return true;
	}
	snprintf(why, sizeof(why), "%s: %s; 'waymark ctl ... file set' names another place",
		a->trace, a->client.error);
	a->print.session.damaged = true;
	return fail(a, why);
}

/* Waits until the first event makes the trace; false if the wait ended without it. */
static bool await_trace(struct attach *a)
{
	struct session *s = &a->print.session;
	unsigned int polls = 0;

	while (!a->begun && session_pause(s, POLL_MS)) {
		bool is_due = access(a->trace, F_OK) == 0 || ++polls % POLLS == 0;
		json_t *answer = is_due ? call_for_trace(a) : NULL;

		if (is_due && !answer && a->client.failure == CLIENT_ENDED) {
			break;
		}
		if (is_due && (!take_trace(a, answer) || (!a->begun && !can_be_written(a)))) {
			return false;
		}
	}
	/* A process that ended after its first events can no longer answer. */
	a->begun |= !a->was_taken && access(a->trace, F_OK) == 0;
	return a->begun;
}

/*
 * An existing trace is opened before any event is switched on, and read from its end. A trace that
 * does not exist yet will have new events only, so it is read from its start.
 */
static bool begin(struct attach *a)
{
	struct session *s = &a->print.session;

	if (!take_trace(a, call_for_trace(a))) {
		return false;
	}
	if (!a->on) {
		return fail(a, "its trace is off and accepts no events: 'waymark ctl ... file on' "
			       "switches it on");
	}
	bool is_there = a->begun;

	a->was_taken = access(a->trace, F_OK) == 0;
	/* If the process ends, all of its trace is read: skip older records. */
	selection_since_now(s);
	s->follow = is_there ? FOLLOW_NEW : FOLLOW_ALL;
	if ((is_there && !open_trace(a)) || !attach(a)) {
		s->damaged = true;
		return false;
	}
	/* Shows only events that were switched on. */
	size_t i;
	json_t *name;

	json_array_foreach(a->events, i, name)
	{
		if (json_is_string(name)) {
			vec_push(&a->print.session.filter.patterns,
				((struct name_pattern){ .text = json_string_value(name) }));
		}
	}
	a->print.names_are_known = true;
	begin_following(a);
	return true;
}

static int run(struct attach *a)
{
	struct session *s = &a->print.session;
	bool begun = (monitor_target_open(&a->client, a->target, a->timeout_ms) ||
			     fail(a, a->client.error)) &&
		     begin(a);

	if (begun && !s->ready && await_trace(a) && !open_trace(a)) {
		s->damaged = true;
	}
	begun = begun && (a->begun || (!s->damaged && can_be_written(a)));
	if (begun && s->ready && !s->damaged) {
		print_all(&a->print);
	}
	s->is_ended |= begun && !s->ready && !s->damaged;
	int status = session_end(s);

	if (begun) {
		if (s->is_cut) {
			fail(a, "its monitor closed the connection: the events are as they were before");
		}
		if (!a->begun) {
			escaped_say(NAME, "%s: no event has happened", a->target);
		} else {
			escaped_say(NAME, "the trace is kept: %s", a->trace);
		}
	}
	return begun && !s->is_cut ? status : EXIT_FAILURE;
}

int waymark_attach(int argc, char **argv)
{
	struct attach a = {
		.print = { .time = TIMESTAMP_ABSOLUTE,
			.style = &lines_text,
			.head = UINT64_MAX,
			.follow = true },
		.timeout_ms = CLIENT_TIMEOUT_MS,
		.client.fd = -1,
		.on = true,
	};
	int status;

	session_init(&a.print.session, NAME);
	int failed = parse(&a, argc, argv);

	if (failed) {
		session_end(&a.print.session);
		status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	} else {
		status = run(&a);
	}
	client_close(&a.client);
	json_decref(a.events);
	term_texts_fini(&a.terms);
	vec_fini(&a.print.fields);
	return status;
}
