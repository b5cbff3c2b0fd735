/* SPDX-License-Identifier: MIT */
/*
 * Events with braces in the form of generated code, for all backends that print text: fires the
 * events that its arguments name, WHAT or WHAT=NUMBER each, and fails if errno changed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>
#include <waymark/debug.h>
#include <waymark/record.h>

#define ALL (WAYMARK_LOG | WAYMARK_FTRACE | WAYMARK_SYSLOG)

#define EVENT(name_, message_, line_, backends_, flags_)                                         \
	static uint32_t waymark_state_##name_ WAYMARK_STATE_SECTION = 0;                         \
	static struct waymark_event name_ = { &waymark_state_##name_, #name_ "\0" message_ "\0", \
		"trace/virtio.toml", NULL, line_, backends_, 0, flags_, 0, NULL, NULL };

EVENT(request, "{}: Request received", 3, ALL, WAYMARK_EVENT_BRACES)
EVENT(plain, "", 4, ALL, WAYMARK_EVENT_BRACES)
EVENT(object, "is {:#?}", 5, ALL, WAYMARK_EVENT_BRACES)
EVENT(cursor, "", 6, ALL | WAYMARK_HITRACE, WAYMARK_EVENT_BRACES | WAYMARK_EVENT_SCOPE)
EVENT(frame, "fd {} | {:?}", 7, ALL | WAYMARK_HITRACE, WAYMARK_EVENT_BRACES | WAYMARK_EVENT_SCOPE)
EVENT(disk_read, "\"offset %d\"", 8, ALL, 0)
EVENT(disk_idle, "", 9, ALL, 0)

static struct waymark_event *const group[] WAYMARK_EVENT_SECTION = { &request, &plain, &object,
	&cursor, &frame, &disk_read, &disk_idle };
WAYMARK_REGISTER_OBJECT()

typedef void hand_over(const struct waymark_event *event, const struct waymark_message *m);

static const struct {
	unsigned int backend;
	hand_over *function;
} backends[] = {
	{ WAYMARK_LOG, waymark_log_message },
	{ WAYMARK_FTRACE, waymark_ftrace_message },
	{ WAYMARK_SYSLOG, waymark_syslog_message },
	{ WAYMARK_HITRACE, waymark_hitrace_message },
};

static void hand(const struct waymark_event *event, const struct waymark_message *m)
{
	unsigned int on = WAYMARK_BACKENDS(*event->state);

	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		if (on & backends[i].backend) {
			errno = 4711;
			backends[i].function(event, m);
			if (errno != 4711) {
				_exit(3);
			}
		}
	}
}

/* Fires with the place of the call; with `line` 0, without it. */
static void fire_request(const char *text, size_t length, uint32_t line)
{
	const struct waymark_debug values[] = { waymark_debug_text(text, length) };
	struct waymark_message m = waymark_message_of(values, 1, line ? "src/rng.c" : NULL, line);

	hand(&request, &m);
}

static void texts(int unused)
{
	struct waymark_message empty = waymark_message_of(NULL, 0, "src/rng.c", 41);

	(void)unused;
	fire_request("Rng", 3, 40);
	hand(&plain, &empty);
	fire_request("a\tb\x1b\xc3\xa9", 6, 0);
}

static void forged(int unused)
{
	(void)unused;
	fire_request("a\n[plain] \n", 11, 0);
}

static void put_object(struct waymark_formatter *f, const void *unused)
{
	struct waymark_group g;

	(void)unused;
	waymark_debug_struct(&g, f, "Request");
	waymark_debug_field(&g, "sector", waymark_debug_u64(7));
	waymark_debug_field(&g, "name", waymark_debug_string("a\nb"));
	waymark_debug_end(&g);
}

static void lines(int unused)
{
	const struct waymark_debug values[] = { waymark_debug_object(put_object, NULL) };
	struct waymark_message m = waymark_message_of(values, 1, "src/rng.c", 50);

	(void)unused;
	hand(&object, &m);
}

/* Fires a text of that many bytes, in two-byte characters. */
static void longer(int bytes)
{
	char *text = malloc((size_t)bytes);

	for (int i = 0; i < bytes; i++) {
		text[i] = i % 2 ? '\xa9' : '\xc3';
	}
	fire_request(text, (size_t)bytes, 60);
	free(text);
}

/* A scope in a scope, and an asynchronous one, whose end has its begin's text. */
static void scopes(int id)
{
	const struct waymark_debug values[] = { waymark_debug_i32(5), waymark_debug_string("x") };
	struct waymark_message outer = waymark_message_of(NULL, 0, "src/a.c", 1);
	struct waymark_message inner = waymark_message_of(values, 2, "src/a.c", 2);

	outer.mark = inner.mark = WAYMARK_MARK_START;
	inner.id = id;
	hand(&cursor, &outer);
	hand(&frame, &inner);
	outer.mark = inner.mark = WAYMARK_MARK_END;
	hand(&frame, &inner);
	hand(&cursor, &outer);
	inner.mark = WAYMARK_MARK_ASYNC_START;
	hand(&frame, &inner);
	inner.mark = WAYMARK_MARK_ASYNC_END;
	inner.values = NULL;
	inner.count = 0;
	inner.text = "fd 5 | \"x\" and more";
	inner.length = strlen("fd 5 | \"x\"");
	hand(&frame, &inner);
}

/* Begins a scope with a text of that many bytes. */
static void long_scope(int bytes)
{
	char *text = malloc((size_t)bytes);
	struct waymark_message m = waymark_message_of(NULL, 0, NULL, 0);

	memset(text, 'x', (size_t)bytes);
	m.mark = WAYMARK_MARK_ASYNC_START;
	m.id = INT32_MIN;
	m.text = text;
	m.length = (size_t)bytes;
	hand(&frame, &m);
	free(text);
}

static void formats(int unused)
{
	unsigned int on = WAYMARK_BACKENDS(*disk_read.state);

	(void)unused;
	if (on & WAYMARK_LOG) {
		waymark_log(&disk_read, " offset %d", -1);
		waymark_log(&disk_idle, "%s", "");
	}
	if (on & WAYMARK_FTRACE) {
		waymark_ftrace(&disk_read, " offset %d", -1);
	}
}

static void on_signal(int unused)
{
	(void)unused;
	fire_request("handler", 7, 70);
}

static void handler(int count)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < count; i++) {
		raise(SIGUSR1);
	}
}

static void child(int unused)
{
	pid_t pid = fork();

	(void)unused;
	if (pid == 0) {
		fire_request("child", 5, 80);
		scopes(-1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Switches events with that name on, as a program does. */
static void switch_on(int which)
{
	static const char *const names[] = { "request", "cursor" };
	struct waymark_error error;

	waymark_set_state(waymark_find(names[which]), WAYMARK_ANY_BACKEND, true, &error);
}

static void switch_on_named(int which)
{
	static const char *const names[] = { "request", "cursor" };
	struct waymark_error error;

	waymark_set_states(names + which, 1, WAYMARK_ANY_BACKEND, true, &error);
}

static void nap(int seconds)
{
	sleep((unsigned int)seconds);
}

static const struct {
	const char *name;
	void (*run)(int number);
} actions[] = {
	{ "texts", texts },
	{ "lines", lines },
	{ "forged", forged },
	{ "long", longer },
	{ "scopes", scopes },
	{ "long-scope", long_scope },
	{ "formats", formats },
	{ "handler", handler },
	{ "child", child },
	{ "sleep", nap },
	{ "on", switch_on },
	{ "on-named", switch_on_named },
};

static int run(const char *argument)
{
	size_t length = strcspn(argument, "=");

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strlen(actions[i].name) == length &&
			strncmp(actions[i].name, argument, length) == 0) {
			actions[i].run(argument[length] ? atoi(argument + length + 1) : 0);
			return 0;
		}
	}
	fprintf(stderr, "no action %s\n", argument);
	return 64;
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc && status == 0; i++) {
		status = run(argv[i]);
	}
	return status;
}
