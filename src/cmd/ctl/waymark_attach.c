/* SPDX-License-Identifier: MIT */
/*
 * `waymark attach`: events of a running process that are on as long as somebody
 * looks. Its monitor switches them, for a connection that stays open: when that
 * ends, in whatever way, they are as they were. What they record goes into the
 * process's own trace, and is followed there from now on, as `waymark print
 * --follow --new` does.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cmd/arguments.h"
#include "cmd/ctl/monitor_client.h"
#include "cmd/ctl/monitor_patterns.h"
#include "cmd/ctl/monitor_target.h"
#include "cmd/escaped.h"
#include "cmd/print/print.h"
#include "cmd/selection.h"
#include "cmd/waymark.h"

#define NAME "waymark attach"

/* How often is looked whether the trace is there, and after how many looks the process is asked. */
#define BEGUN_MS 50
#define LOOKS 20

#define SECONDS_MAX (100 * 365 * 86400.0)

enum { KEY_SECONDS = PRINT_KEY_OWN, KEY_COUNT, KEY_TIMEOUT };

static const struct argument rows[] = {
	PRINT_ROW_DECLARATIONS,
	PRINT_ROW_TID,
	PRINT_ROWS_LOOK,
	{ KEY_SECONDS, "seconds", "N", "end after this time" },
	{ KEY_COUNT, "count", "N", "end after so many events" },
	CLIENT_ROW_TIMEOUT(KEY_TIMEOUT),
	PRINT_ROW_OUTPUT,
	{ 0 },
};

static const struct command command = {
	.name = NAME,
	.usage = "[OPTION...] TARGET PATTERN...",
	.about =
		"Switches on the events of a running process whose names match, shows them as they\n"
		"come, and switches them off at the end: at SIGINT, when the process ends, or when\n"
		"nobody reads the output. TARGET is a pid, a program's name or part of it, or a\n"
		"socket's path: see 'waymark ls'. A PATTERN is a name, has * or ?, or is a regular expression\n"
		"between slashes. Lines are those of 'waymark print'.",
	.arguments = rows,
};

struct attach {
	struct print print;
	struct monitor_client client;
	const char *target;
	char **patterns;
	int count;
	int timeout_ms;
	double seconds; /* 0: no end */
	json_t *events; /* that were switched on */
	char trace[PATH_MAX]; /* absolute; "": it is not known */
	bool begun; /* it exists */
	bool was_taken; /* its name, by something else, before it existed */
	bool on; /* and gets events */
};

static int set_seconds(struct attach *a, const char *text)
{
	if (!arguments_seconds(text, SECONDS_MAX, &a->seconds)) {
		return arguments_bad(&command, "'%s' is not a number of seconds", text);
	}
	return 0;
}

static int set_count(struct attach *a, const char *text)
{
	char *end;

	errno = 0;
	a->print.head = strtoull(text, &end, 10);
	a->print.session.awaited = &a->print.head;
	a->print.is_limited = a->print.counts_events = true;
	if (*text < '0' || *text > '9' || *end || errno || a->print.head == 0) {
		return arguments_bad(&command, "'%s' is not a number of events", text);
	}
	return 0;
}

static int take(struct attach *a, int key)
{
	if (key == KEY_SECONDS) {
		return set_seconds(a, optarg);
	}
	if (key == KEY_TIMEOUT) {
		return arguments_milliseconds(&command, optarg, &a->timeout_ms);
	}
	return key == KEY_COUNT ? set_count(a, optarg) : print_take(&a->print, &command, key);
}

/* Reads the command line; returns 0, or what ends the run. */
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
	a->patterns = argv + optind + 1;
	a->count = argc - optind - 1;

	const char *bad = monitor_patterns_bad(a->patterns, a->count);

	return bad ? arguments_bad(&command, "%s", bad) : 0;
}

static bool fail(const struct attach *a, const char *error)
{
	bool names_it = strncmp(error, a->target, strlen(a->target)) == 0;

	escaped_printf(
		stderr, NAME ": %s%s%s", names_it ? "" : a->target, names_it ? "" : ": ", error);
	fputc('\n', stderr);
	return false;
}

static bool connect_target(struct attach *a)
{
	const struct client_time time = { a->timeout_ms, .in_all = false };
	char path[SOCKET_PATH_SIZE];
	char error[SOCKET_ERROR_SIZE];

	if (!monitor_target_find(a->target, path, error)) {
		return fail(a, error);
	}
	return client_open(&a->client, path, time) || fail(a, a->client.error);
}

/* Where the process's files of relative names are. */
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

/* Takes from an answer what it tells of the trace; releases it. */
static bool take_trace(struct attach *a, json_t *answer)
{
	const char *path = json_string_value(json_object_get(answer, "path"));
	json_t *on = json_object_get(answer, "on");

	if (!answer) {
		return fail(a, a->client.error);
	}
	a->begun = json_is_true(json_object_get(answer, "begun"));
	a->on = on ? json_is_true(on) : a->on;
	set_trace(a, path ? path : "");
	json_decref(answer);
	return true;
}

static json_t *call_for_trace(struct attach *a)
{
	return client_call(&a->client, "trace-file", json_pack("{s:s}", "backend", "ctf"));
}

static bool ask_trace(struct attach *a)
{
	return take_trace(a, call_for_trace(a));
}

/* Only what was switched on is shown. */
static void set_names(struct attach *a)
{
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
}

static bool attach(struct attach *a)
{
	char *pattern = monitor_patterns(
		&a->client, a->patterns, a->count, (struct monitor_wish){ .is_to_switch = true });
	json_t *answer = pattern ? client_call(&a->client, "trace-attach",
					   json_pack("{s:s}", "name", pattern))
				 : NULL;

	free(pattern);
	a->events = json_incref(json_object_get(answer, "events"));
	if (answer && !json_array_size(a->events)) {
		json_decref(answer);
		return fail(a, "it has switched nothing on");
	}
	return take_trace(a, answer);
}

/* From now on signals are taken where it suits, also that of the end of the time. */
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
		escaped_printf(stderr, NAME ": %s: the trace of the process cannot be read: %s",
			a->trace, strerror(errno));
		fputc('\n', stderr);
		return false;
	}
	return session_open(s, a->trace, a->print.output, false) && print_has_time(&a->print);
}

/* Events may have happened, and the trace be none that can be made. A flush tells. */
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

/* Nothing is in the trace before an event happens; false where the wait ended without one. */
static bool await_trace(struct attach *a)
{
	struct session *s = &a->print.session;
	unsigned int looks = 0;

	while (!a->begun && session_pause(s, BEGUN_MS)) {
		bool is_due = access(a->trace, F_OK) == 0 || ++looks % LOOKS == 0;
		json_t *told = is_due ? call_for_trace(a) : NULL;

		if (is_due && !told && a->client.failure == CLIENT_ENDED) {
			break;
		}
		if (is_due && (!take_trace(a, told) || (!a->begun && !can_be_written(a)))) {
			return false;
		}
	}
	/* A process that ends with its first events cannot be asked any more. */
	a->begun |= !a->was_taken && access(a->trace, F_OK) == 0;
	return a->begun;
}

/*
 * A trace that is there is opened before anything is switched on, and read from its
 * end on; one that is not holds nothing that is old.
 */
static bool begin(struct attach *a)
{
	struct session *s = &a->print.session;

	if (!ask_trace(a)) {
		return false;
	}
	if (!a->on) {
		return fail(a,
			"its trace is off, and would get no event: 'waymark ctl ... file on' "
			"switches it on");
	}
	bool is_there = a->begun;

	a->was_taken = access(a->trace, F_OK) == 0;
	/*
	 * What happened before is not shown, should the process end and all of its
	 * trace be read.
	 */
	selection_since_now(s);
	s->follow = is_there ? FOLLOW_NEW : FOLLOW_ALL;
	if ((is_there && !open_trace(a)) || !attach(a)) {
		s->damaged = true;
		return false;
	}
	set_names(a);
	begin_following(a);
	return true;
}

/* The end is where the user asked for it, or where the process or its monitor ended. */
static void say_end(struct attach *a)
{
	struct session *s = &a->print.session;

	if (s->is_cut) {
		fail(a, "its monitor closed the connection: the events are as they were before");
	}
	if (!a->begun) {
		escaped_printf(stderr, NAME ": %s: no event has happened", a->target);
	} else {
		escaped_printf(stderr, NAME ": the trace is kept: %s", a->trace);
	}
	fputc('\n', stderr);
}

static int run(struct attach *a)
{
	struct session *s = &a->print.session;
	bool begun = connect_target(a) && begin(a);

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
		say_end(a);
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
	return status;
}
