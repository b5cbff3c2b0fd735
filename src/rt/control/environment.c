/* SPDX-License-Identifier: MIT */
/*
 * Options from the environment, several of them separated by `;` or newlines (`;;` is a semicolon).
 * Each is independent: an error in one does not affect the others. Names that no event has, and
 * outputs that no event can write to, are reported once the main program's events have registered,
 * because until then libraries still register theirs; if the program itself has no events, at exit.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/control/config.h"
#include "rt/control/environment.h"
#include "rt/event/loaded.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/host/message.h"
#include "rt/text/log.h"

#define VARIABLE "WAYMARK_TRACE"
#define LEVEL_VARIABLE "WAYMARK_LOG_LEVEL"

/* Written by one constructor at a time. */
static struct {
	pid_t pid; /* of the process that read the variable; 0: it is not set */
	bool over; /* the main program has registered */
	bool asks; /* an option switches events on */
	bool names_file;
	struct waymark_wants wants;
} startup;

static void ask_for_events(struct waymark_config *c)
{
	for (size_t i = 0; i < c->rules.count; i++) {
		c->rules.items[i].ask = c->rules.items[i].on;
		startup.asks |= c->rules.items[i].on;
	}
}

static void load_option(const char *text)
{
	struct waymark_config c = { .yields = true };
	struct waymark_error error;
	int result = waymark_option_parse(&c, text, &error);

	if (result == 0) {
		result = waymark_config_check(&c, &error);
	}
	if (result == 0 && c.monitor.where) {
		result = waymark_monitor_postpone(&c.monitor, &error);
	}
	if (result == 0) {
		ask_for_events(&c);
		waymark_config_want(&startup.wants, &c);
		startup.names_file |= c.file != NULL;
		waymark_startup_file_keep(&c);
		result = waymark_config_apply(&c, NULL, &error);
	}
	if (result < 0) {
		waymark_message(VARIABLE ": %s", error.text);
	} else if (c.help) {
		waymark_message(VARIABLE ": help is for the -trace option");
	}
	waymark_config_fini(&c);
}

/* Copies one option to `part`, `;;` as a semicolon; returns where the next begins. */
static const char *copy_option(char *part, const char *text)
{
	while (*text && *text != '\n') {
		if (*text == ';' && *++text != ';') {
			*part = '\0';
			return text;
		}
		*part++ = *text++;
	}
	*part = '\0';
	return *text ? text + 1 : text;
}

/* An empty variable means the same as none. */
static void load_level(void)
{
	const char *text = secure_getenv(LEVEL_VARIABLE);

	if (text && *text && !waymark_log_level_set(text)) {
		waymark_message(LEVEL_VARIABLE ": '%s' is not one of " LOG_LEVELS
					       "; everything is printed",
			text);
	}
}

static void load_options(void)
{
	const char *text = secure_getenv(VARIABLE);
	char *part = text ? malloc(strlen(text) + 1) : NULL;

	if (!part) {
		return;
	}
	startup.pid = getpid();
	while (*text) {
		text = copy_option(part, text);
		load_option(part);
	}
	free(part);
}

static void load(void)
{
	load_level();
	load_options();
}

void waymark_environment_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
}

static void report_unplaced(void)
{
	char *file = waymark_startup_file_waiting();
	struct waymark_error error;

	if (file && !waymark_config_sink(file, &error)) {
		waymark_message(VARIABLE ": %s", error.text);
	}
	free(file);
}

static void say(const struct waymark_error *warning)
{
	waymark_message(VARIABLE ": %s", warning->text);
}

/* True if the program has events that could be on, and all are off. */
static bool is_all_off(void)
{
	const struct waymark_event *event;
	struct waymark_iter iter;
	unsigned int built = 0;
	unsigned int on = 0;

	waymark_iter_init(&iter, NULL);
	while ((event = waymark_registry_next(&iter))) {
		built |= state_switchable(event);
		on |= state_get(event);
	}
	return built && !on;
}

/*
 * An output without a pattern is usually a mistake. Settings without an output may be meant for
 * events that the program or a client of the monitor switches on.
 */
static void report_all_off(void)
{
	bool names = startup.names_file || startup.wants.outputs || startup.wants.limits;

	if (names && !startup.asks && !waymark_monitor_is_postponed() && is_all_off()) {
		waymark_message(VARIABLE ": no event is switched on so far: an option %s",
			waymark_dialect_get() == WAYMARK_DIALECT_STRATOVIRT
				? "of the dialect stratovirt has type=, events=FILE or an expression"
				: "begins with a pattern, as in '*,file=...'");
	}
}

static void say_vain(const struct waymark_error *warning, const void *option)
{
	(void)option;
	say(warning);
}

/*
 * Counts unloaded plug-ins too: if only plug-ins have events, the report is at exit, when they may
 * be unloaded.
 */
static void report_vain(void)
{
	waymark_config_report_vain(
		&startup.wants, waymark_registry_backends_ever(), say_vain, NULL);
	waymark_rules_report_unmatched();
}

void waymark_environment_follow(bool is_program)
{
	if (!startup.pid || startup.over) {
		return;
	}
	waymark_startup_file_place();
	if (!is_program) {
		/* A program without events never registers; only its libraries do. */
		if (waymark_monitor_is_postponed() && !waymark_loaded_program_registers()) {
			waymark_monitor_begin_postponed(say);
		}
		return;
	}
	startup.over = true;
	report_unplaced();
	report_vain();
	report_all_off();
	waymark_monitor_begin_postponed(say);
}

/* A child of fork() inherits the options and must not report them again. */
__attribute__((destructor)) static void report_at_exit(void)
{
	if (startup.pid == getpid() && !startup.over) {
		report_vain();
	}
}
