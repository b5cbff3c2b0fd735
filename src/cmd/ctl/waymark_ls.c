/* SPDX-License-Identifier: MIT */
/*
 * `waymark ls`: lists this user's processes (root: all users') that can be controlled, those that
 * only record, and memory left by ended processes. Each monitor is queried in its own thread, so
 * that one that does not answer delays no other.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cmd/arguments.h"
#include "cmd/columns.h"
#include "cmd/ctl/monitor_client.h"
#include "cmd/ctl/monitor_target.h"
#include "cmd/escaped.h"
#include "cmd/waymark.h"
#include "recover/leftover.h"

#define NAME "waymark ls"

/* Timeout of a process's answer. */
#define ANSWER_MS 1000

enum { KEY_JSON = ARGUMENT_LONG };

static const struct argument rows[] = {
	{ KEY_JSON, "json", NULL, "print a JSON object a line" },
	{ 0 },
};

static const struct command command = {
	.name = NAME,
	.usage = "[--json]",
	.about =
		"Lists this user's processes, for root those of all users, that have a monitor and\n"
		"can be controlled by 'waymark ctl' and 'waymark attach', and those that record\n"
		"without one: how many of their events are on, what was recorded and lost. Below\n"
		"them it lists the memory that ended processes left, and what to do with it.",
	.arguments = rows,
};

/* Notes of processes that did not answer; NULL: print the monitor's or socket's own error. */
static const char *const failures[] = {
	[CLIENT_REFUSED] = NULL,
	[CLIENT_UNREACHED] = NULL,
	[CLIENT_SILENT] = "does not answer",
	[CLIENT_NO_QMP] = "does not speak QMP",
	[CLIENT_ENDED] = "closes the connection",
};

struct process {
	pid_t pid;
	uid_t uid;
	char program[PROGRAM_NAME_SIZE];
	char path[SOCKET_PATH_SIZE]; /* path of its socket; "": none */
	char *note; /* a problem; NULL: none */
	json_t *stats; /* from its monitor or its memory; NULL: unknown */
	pthread_t thread; /* queries its monitor */
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

/* Returns statistics from memory, with the names of a monitor's answer; NULL if unknown. */
static json_t *stats_of(const struct buffer_totals *t)
{
	return t->events ? json_pack("{s:I, s:I, s:I, s:I}", "events", (json_int_t)t->events,
				   "events-on", (json_int_t)t->events_on, "recorded",
				   (json_int_t)t->recorded, "lost", (json_int_t)t->lost)
			 : NULL;
}

/* Adds processes that record without a monitor: they have a buffer but no socket. */
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
	if (l.cut) {
		escaped_say(NAME, "%s: " LEFTOVERS_ARE_CUT, l.cut);
	}
	leftovers_fini(&l);
}

/* True if an answer has all members that are printed. */
static bool is_complete(const json_t *stats)
{
	static const char *const numbers[] = { "events-on", "events", "recorded", "lost" };
	bool is = json_is_string(json_object_get(stats, "program"));

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		is = is && json_is_integer(json_object_get(stats, numbers[i]));
	}
	return is;
}

/* Returns the reason of a failure without the socket's path, which no row shows. */
static const char *failure_of(const struct monitor_client *c)
{
	size_t length = strlen(c->path);
	bool names_it = strncmp(c->error, c->path, length) == 0 && c->error[length] == ':';

	return failures[c->failure] ? failures[c->failure]
				    : c->error + (names_it ? length + strlen(": ") : 0);
}

static void *ask(void *process)
{
	struct process *p = process;
	const struct client_timeout timeout = { ANSWER_MS, .is_total = true };
	struct monitor_client c;

	if (client_open(&c, p->path, timeout)) {
		p->stats = client_call(&c, "trace-stats", NULL);
	}
	if (!p->stats) {
		p->note = xstrdup(failure_of(&c));
	} else if (!is_complete(p->stats)) {
		p->note = xstrdup(failures[CLIENT_NO_QMP]);
		json_decref(p->stats);
		p->stats = NULL;
	} else if (member_text(p->stats, "problem", NULL)) {
		p->note = xstrdup(member_text(p->stats, "problem", NULL));
	}
	client_close(&c);
	return NULL;
}

static void put_process(struct columns *c, const struct process *p)
{
	char text[64];

	snprintf(text, sizeof(text), "%d", (int)p->pid);
	columns_put(c, text);
	if (geteuid() == 0) {
		columns_put_user(c, p->uid);
	}
	columns_put(c, member_text(p->stats, "program", p->program));
	if (p->stats) {
		snprintf(text, sizeof(text), "%" PRIu64 "/%" PRIu64,
			member_number(p->stats, "events-on"), member_number(p->stats, "events"));
		columns_put(c, text);
		columns_put_number(c, member_number(p->stats, "recorded"));
		columns_put_number(c, member_number(p->stats, "lost"));
	} else {
		columns_put(c, "-");
		columns_put(c, "-");
		columns_put(c, "-");
	}
	columns_put(c, p->note ? p->note : "");
}

/* Makes a JSON string; null for NULL, or if the text is not UTF-8. */
static json_t *text_or_null(const char *text)
{
	json_t *string = text && *text ? json_string(text) : NULL;

	return string ? string : json_null();
}

/* Prints and releases the object. */
static void print_json(json_t *object)
{
	json_dumpf(object, stdout, JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(object);
}

static json_t *process_as_json(const struct process *p)
{
	char text[USER_NAME_SIZE];
	json_t *o = json_pack("{s:i, s:o, s:o, s:o}", "pid", (int)p->pid, "program",
		text_or_null(member_text(p->stats, "program", p->program)), "socket",
		text_or_null(p->path), "problem", text_or_null(p->note));

	if (geteuid() == 0) {
		json_object_set_new(o, "user", text_or_null(user_name(text, p->uid)));
	}
	json_object_update_missing(o, p->stats);
	return o;
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
		escaped_say(NAME, "%s", error);
	}
	socket_walk_others(add_socket, list);
	add_recording(list);
	if (list->all.count) {
		qsort(list->all.items, list->all.count, sizeof(*list->all.items), by_pid);
	}
}

/* ---- Memory that ended processes left ---- */

/*
 * Writes a name as one word of a shell, since another user chose it, and root may paste the line.
 */
static void put_quoted(FILE *to, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:,@%";

	if (!text[strspn(text, plain)]) {
		fputs(text, to);
		return;
	}
	putc('\'', to);
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\'", to);
		}
		putc(*text, to);
	}
	putc('\'', to);
}

static void put_advice(FILE *to, const struct leftover *o)
{
	if (o->is_elsewhere) {
		fputs("it is in a container: waymark recover there", to);
	} else if (o->error == EBADMSG) {
		fputs("damaged: waymark recover --discard ", to);
		put_quoted(to, o->path);
	} else if (o->error) {
		fprintf(to, "%s: %s", o->path, strerror(o->error));
	} else if (o->is_jailed) {
		fputs("waymark recover --all -o DIR", to);
	} else if (!o->directory[0]) {
		fputs("it has no trace: waymark recover --discard-gone", to);
	} else if (!o->has_trace) {
		fputs("waymark recover it where its trace is now; gone: --discard-gone", to);
	} else {
		fputs("waymark recover ", to);
		put_quoted(to, o->directory);
	}
}

/* Returns the command that recovers the leftover, or other advice; the caller frees the text. */
static char *advice_on(const struct leftover *o)
{
	char *text = NULL;
	size_t size;
	FILE *to = memory_stream(&text, &size);

	put_advice(to, o);
	fclose(to);
	return text;
}

static void put_leftover(struct columns *c, const struct leftover *o)
{
	char pid[16] = "?";
	char *advice = advice_on(o);

	if (!o->error) {
		snprintf(pid, sizeof(pid), "%" PRIu32, o->pid);
	}
	columns_put(c, pid);
	if (geteuid() == 0) {
		columns_put_user(c, o->uid);
	}
	columns_put(c, o->command[0] ? o->command : "?");
	columns_put_bytes(c, o->bytes);
	columns_put_age(c, o->seen);
	columns_put(c, advice);
	free(advice);
}

static json_t *leftover_as_json(const struct leftover *o)
{
	char *advice = advice_on(o);
	time_t age = time(NULL) - o->seen;
	json_t *memory = json_pack("{s:o, s:I, s:I, s:o, s:b}", "path", text_or_null(o->path),
		"bytes", (json_int_t)o->bytes, "age", (json_int_t)(age > 0 ? age : 0), "trace",
		text_or_null(o->directory), "trace-is-there", o->has_trace);
	json_t *line = json_pack("{s:o, s:o, s:n, s:s, s:o, s:I, s:o}", "pid",
		o->error ? json_null() : json_integer(o->pid), "program", text_or_null(o->command),
		"socket", "problem", "has ended and left memory", "to-do", text_or_null(advice),
		"uid", (json_int_t)o->uid, "leftover", memory);

	free(advice);
	return line;
}

static void list_leftovers(bool json, bool has_processes)
{
	struct leftovers l;
	struct columns c;

	columns_init(&c, geteuid() == 0 ? "PID -USER -PROGRAM MEMORY AGE -WHAT-TO-DO"
					: "PID -PROGRAM MEMORY AGE -WHAT-TO-DO");
	leftovers_find(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		if (o->state == LEFTOVER_ALIVE || !is_shown(o->uid)) {
			continue;
		}
		if (json) {
			print_json(leftover_as_json(o));
		} else {
			put_leftover(&c, o);
		}
	}
	if (c.cells.count > 0) {
		printf("%sMemory that ended processes left:\n", has_processes ? "\n" : "");
		columns_print(&c, stdout);
	}
	columns_fini(&c);
	leftovers_fini(&l);
}

static void list_all(bool json)
{
	struct processes list = { 0 };

	find_all(&list);
	vec_foreach (struct process *, p, &list.all) {
		p->is_asked = *p->path && pthread_create(&p->thread, NULL, ask, p) == 0;
		if (*p->path && !p->is_asked) {
			ask(p);
		}
	}
	vec_foreach (struct process *, p, &list.all) {
		if (p->is_asked) {
			pthread_join(p->thread, NULL);
		}
	}
	if (!list.all.count) {
		escaped_say(NAME,
			"no process%s has a monitor: start one by 'waymark record', "
			"with WAYMARK_TRACE=control=on, or -trace control=on",
			geteuid() == 0 ? "" : " of this user");
	}
	if (!json) {
		struct columns c;

		columns_init(&c, geteuid() == 0 ? "PID -USER -PROGRAM EVENTS RECORDED LOST -NOTE"
						: "PID -PROGRAM EVENTS RECORDED LOST -NOTE");
		vec_foreach (const struct process *, p, &list.all) {
			put_process(&c, p);
		}
		columns_print(&c, stdout);
		columns_fini(&c);
	}
	vec_foreach (struct process *, p, &list.all) {
		if (json) {
			print_json(process_as_json(p));
		}
		json_decref(p->stats);
		free(p->note);
	}
	list_leftovers(json, list.all.count > 0);
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
