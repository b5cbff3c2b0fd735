/* SPDX-License-Identifier: MIT */
/*
 * `waymark ls`: the processes of this user, for root of all, that can be controlled, and
 * those that only record. Each is asked by a thread of its own, so that one that does not
 * answer holds up no other.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "cmd/arguments.h"
#include "cmd/columns.h"
#include "cmd/ctl/ls_leftovers.h"
#include "cmd/ctl/monitor_client.h"
#include "cmd/ctl/monitor_target.h"
#include "cmd/escaped.h"
#include "cmd/waymark.h"
#include "write/leftover.h"

#define NAME "waymark ls"

/* What a process has to answer within. */
#define ANSWER_MS 1000

enum { KEY_JSON = ARGUMENT_LONG };

static const struct argument rows[] = {
	{ KEY_JSON, "json", NULL, "a JSON object a line, for programs" },
	{ 0 },
};

static const struct command command = {
	.name = NAME,
	.usage = "[--json]",
	.about =
		"Lists this user's processes, for root all users', that have a monitor, and can\n"
		"be controlled by 'waymark ctl' and 'waymark attach': how many of their events are\n"
		"on, what was recorded and lost. Of those that record without one their memory tells.\n"
		"Below them stands the memory that ended processes left, and what to do with it.",
	.arguments = rows,
};

/* What is the matter in few words; NULL: in the words of the other end, or of the socket. */
static const char *const failures[] = {
	[CLIENT_REFUSED] = NULL,
	[CLIENT_UNREACHED] = NULL,
	[CLIENT_SILENT] = "does not answer",
	[CLIENT_NO_QMP] = "speaks no QMP",
	[CLIENT_ENDED] = "closes the connection",
};

/* One process, and what is known of it. */
struct process {
	pid_t pid;
	uid_t uid;
	char program[PROGRAM_NAME_SIZE];
	char path[SOCKET_PATH_SIZE]; /* of its socket; "": it has none */
	char *note; /* what is the matter; NULL: nothing */
	json_t *stats; /* what it answered, or its memory tells; or NULL */
	pthread_t thread; /* that asks it */
	bool is_asked;
};

struct processes {
	VEC(struct process) all;
};

static int add_socket(pid_t pid, const char *path, void *argument)
{
	struct processes *list = argument;
	struct process p = { .pid = pid, .uid = geteuid() };
	struct stat st;

	if (lstat(path, &st) == 0) {
		p.uid = st.st_uid;
	}
	snprintf(p.path, sizeof(p.path), "%s", path);
	program_name(pid, p.program, sizeof(p.program));
	vec_push(&list->all, p);
	return 0;
}

static bool has_pid(const struct processes *list, pid_t pid)
{
	vec_foreach (const struct process *, p, &list->all) {
		if (p->pid == pid) {
			return true;
		}
	}
	return false;
}

static bool is_shown(uid_t uid)
{
	return uid == geteuid() || geteuid() == 0;
}

/* Under the names that a monitor answers with; NULL where the memory does not tell. */
static json_t *stats_of(const struct buffer_totals *t)
{
	return t->events ? json_pack("{s:I, s:I, s:I, s:I}", "events", (json_int_t)t->events,
				   "events-on", (json_int_t)t->events_on, "recorded",
				   (json_int_t)t->recorded, "lost", (json_int_t)t->lost)
			 : NULL;
}

/* Those whose memory for events is there, but whose socket is not. */
static void add_recording(struct processes *list)
{
	struct leftovers l;

	leftovers_find(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		struct process p = { .pid = (pid_t)o->pid, .uid = o->uid };

		if (o->state == LEFTOVER_ALIVE && !o->error && is_shown(o->uid) &&
			!has_pid(list, p.pid)) {
			snprintf(p.program, sizeof(p.program), "%s",
				o->command[0] ? o->command : "?");
			p.note = xstrdup("no monitor");
			p.stats = stats_of(&o->totals);
			vec_push(&list->all, p);
		}
	}
	leftovers_fini(&l);
}

/* An answer that has all that is shown. */
static bool is_complete(const json_t *stats)
{
	static const char *const numbers[] = { "events-on", "events", "recorded", "lost" };
	bool is = json_is_string(json_object_get(stats, "program"));

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		is = is && json_is_integer(json_object_get(stats, numbers[i]));
	}
	return is;
}

/* Without the path that it begins with, which is shown of no process. */
static const char *failure_of(const struct monitor_client *c)
{
	size_t length = strlen(c->path);
	bool names_it = strncmp(c->error, c->path, length) == 0 && c->error[length] == ':';

	return failures[c->failure] ? failures[c->failure]
				    : c->error + (names_it ? length + strlen(": ") : 0);
}

/* What the process says of its file, if that takes no events. */
static void note_problem(struct process *p)
{
	const char *problem = json_string_value(json_object_get(p->stats, "problem"));

	if (problem) {
		p->note = xstrdup(problem);
	}
}

static void *ask(void *process)
{
	struct process *p = process;
	const struct client_time answer = { ANSWER_MS, .in_all = true };
	struct monitor_client c;

	if (client_open(&c, p->path, answer)) {
		p->stats = client_call(&c, "trace-stats", NULL);
	}
	if (!p->stats) {
		p->note = xstrdup(failure_of(&c));
	} else if (!is_complete(p->stats)) {
		p->note = xstrdup(failures[CLIENT_NO_QMP]);
		json_decref(p->stats);
		p->stats = NULL;
	}
	note_problem(p);
	client_close(&c);
	return NULL;
}

static void ask_all(struct processes *list)
{
	vec_foreach (struct process *, p, &list->all) {
		p->is_asked = *p->path && pthread_create(&p->thread, NULL, ask, p) == 0;
		if (*p->path && !p->is_asked) {
			ask(p);
		}
	}
	vec_foreach (struct process *, p, &list->all) {
		if (p->is_asked) {
			pthread_join(p->thread, NULL);
		}
	}
}

static uint64_t number(const struct process *p, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(p->stats, key));
}

static const char *program_of(const struct process *p)
{
	const char *told = json_string_value(json_object_get(p->stats, "program"));

	return told ? told : p->program;
}

#define USER_SIZE 64

/* The user's name, or number where it has none. */
static const char *user_of(const struct process *p, char *text)
{
	const struct passwd *user = getpwuid(p->uid);

	snprintf(text, USER_SIZE, "%u", (unsigned int)p->uid);
	return user ? user->pw_name : text;
}

static void put(struct columns *c, const struct process *p)
{
	char text[USER_SIZE];

	snprintf(text, sizeof(text), "%d", (int)p->pid);
	columns_put(c, text);
	if (geteuid() == 0) {
		columns_put(c, user_of(p, text));
	}
	columns_put(c, program_of(p));
	if (p->stats) {
		snprintf(text, sizeof(text), "%llu/%llu",
			(unsigned long long)number(p, "events-on"),
			(unsigned long long)number(p, "events"));
		columns_put(c, text);
		columns_put_number(c, number(p, "recorded"));
		columns_put_number(c, number(p, "lost"));
	} else {
		columns_put(c, "-");
		columns_put(c, "-");
		columns_put(c, "-");
	}
	columns_put(c, p->note ? p->note : "");
}

static void print_text(const struct processes *list)
{
	struct columns c;

	columns_init(&c, geteuid() == 0 ? "PID -USER -PROGRAM EVENTS RECORDED LOST -NOTE"
					: "PID -PROGRAM EVENTS RECORDED LOST -NOTE");
	vec_foreach (const struct process *, p, &list->all) {
		put(&c, p);
	}
	columns_print(&c, stdout);
	columns_fini(&c);
}

/* A name that is no UTF-8 is none in JSON. */
static json_t *text_or_null(const char *text)
{
	json_t *string = text ? json_string(text) : NULL;

	return string ? string : json_null();
}

static void print_json(const struct process *p)
{
	char text[USER_SIZE];
	json_t *o = json_pack("{s:i, s:o, s:o, s:o}", "pid", (int)p->pid, "program",
		text_or_null(program_of(p)), "socket", text_or_null(*p->path ? p->path : NULL),
		"problem", text_or_null(p->note));

	if (geteuid() == 0) {
		json_object_set_new(o, "user", text_or_null(user_of(p, text)));
	}
	json_object_update_missing(o, p->stats);
	json_dumpf(o, stdout, JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(o);
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a;
	const struct process *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void find_all(struct processes *list)
{
	char error[SOCKET_ERROR_SIZE] = "";

	if (socket_walk(add_socket, list, error, sizeof(error)) < 0) {
		escaped_printf(stderr, NAME ": %s", error);
		fputc('\n', stderr);
	}
	socket_walk_others(add_socket, list);
	add_recording(list);
	if (list->all.count) {
		qsort(list->all.items, list->all.count, sizeof(*list->all.items), by_pid);
	}
}

static void list_all(bool json)
{
	struct processes list = { 0 };

	find_all(&list);
	ask_all(&list);
	if (!list.all.count) {
		fprintf(stderr,
			NAME ": no process%s has a monitor: start one by 'waymark record', "
			     "with WAYMARK_TRACE=control=on, or -trace control=on\n",
			geteuid() == 0 ? "" : " of this user");
	}
	if (!json) {
		print_text(&list);
	}
	vec_foreach (struct process *, p, &list.all) {
		if (json) {
			print_json(p);
		}
		json_decref(p->stats);
		free(p->note);
	}
	ls_leftovers(json, list.all.count > 0);
	vec_fini(&list.all);
}

int waymark_ls(int argc, char **argv)
{
	bool json = false;
	int key;

	while ((key = arguments_next(&command, argc, argv)) == KEY_JSON) {
		json = true;
	}
	if (key == ARGUMENTS_END && argc > optind) {
		key = arguments_bad(&command, "it takes no '%s'", argv[optind]);
	}
	if (key != ARGUMENTS_END) {
		return key == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	list_all(json);
	return EXIT_SUCCESS;
}
