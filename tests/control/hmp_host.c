/* SPDX-License-Identifier: MIT */
/*
 * A program with monitor commands of QEMU's kind, over trace/control.h and trace/simple.h:
 *
 *	hmp_host OPTION... -- COMMAND...
 *
 * Commands: `monitor` (from now on the program prints messages itself), `fire`, `status`, `on`,
 * `off`, `set=FILE`, `set`, `flush`, `trace:PATTERN` as after -d, `option:TEXT` as after -trace.
 */
#include <stdio.h>
#include <string.h>

#include <trace/control.h>
#include <trace/simple.h>
#include <waymark/host.h>

#include "events.h"

EVENT(disk_read, BACKENDS, 1)
EVENT(disk_write, BACKENDS, 2)
#ifndef NO_EVENTS
EVENT_LIST(&waymark_event_disk_read, &waymark_event_disk_write)
#endif

static void report(enum waymark_severity severity, const char *option, const char *text, void *user)
{
	printf("%s%s of '%s': %s\n", (const char *)user,
		severity == WAYMARK_SEVERITY_WARNING ? "warning" : "error", option ? option : "",
		text);
	fflush(stdout);
}

static bool print(const char *line, void *user)
{
	printf("%s%s\n", (const char *)user, line);
	return true;
}

static void monitor(const char *argument)
{
	static char prompt[] = "(hmp) ";
	static const struct waymark_host host = {
		.report = report, .print = print, .user = prompt
	};

	(void)argument;
	waymark_set_host(&host);
}

static void fire(const char *argument)
{
	(void)argument;
	trace_disk_read(1);
	trace_disk_write(2);
}

static void print_status(const char *argument)
{
	(void)argument;
	st_print_trace_file_status();
}

static void switch_on(const char *argument)
{
	(void)argument;
	printf("it was %s\n", st_set_trace_file_enabled(true) ? "on" : "off");
}

static void switch_off(const char *argument)
{
	(void)argument;
	printf("it was %s\n", st_set_trace_file_enabled(false) ? "on" : "off");
}

static void set_default(const char *argument)
{
	(void)argument;
	st_set_trace_file(NULL);
}

static void flush(const char *argument)
{
	(void)argument;
	st_flush_trace_buffer();
}

static const struct {
	const char *name;
	void (*run)(const char *argument);
} commands[] = {
	{ "monitor", monitor },
	{ "fire", fire },
	{ "status", print_status },
	{ "on", switch_on },
	{ "off", switch_off },
	{ "set=", st_set_trace_file },
	{ "set", set_default },
	{ "flush", flush },
	{ "trace:", trace_enable_events },
	{ "option:", trace_opt_parse },
};

static int run(const char *command)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		size_t length = strlen(commands[i].name);

		if (strncmp(command, commands[i].name, length) == 0) {
			commands[i].run(command + length);
			return 0;
		}
	}
	fprintf(stderr, "hmp_host: no command '%s'\n", command);
	return 2;
}

int main(int argc, char **argv)
{
	int i = 1;
	int result = 0;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		trace_opt_parse(argv[i]);
	}
	trace_init_backends();
	trace_init_file();
	for (i++; i < argc && result == 0; i++) {
		result = run(argv[i]);
	}
	return result;
}
