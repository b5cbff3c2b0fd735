/* SPDX-License-Identifier: MIT */
/*
 * The part of trace/control.h that a main() calls while it reads its command
 * line. As in QEMU it prints and exits (report.h).
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <trace/control.h>

#include "base/compiler.h"
#include "rt/control/config.h"
#include "rt/control/declare.h"
#include "rt/control/report.h"
#include "rt/event/registry.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"

/* Under the control lock. */
static struct {
	char *file; /* of -trace, until trace_init_file() takes it */
	unsigned int later; /* backends whose own key came after it */
	bool forked; /* it may be the child that does */
} pending;

void trace_list_events(FILE *f)
{
	TraceEventIter iter;
	TraceEvent *ev;

	trace_event_iter_init_all(&iter);
	while ((ev = trace_event_iter_next(&iter))) {
		fprintf(f, "%s\n", ev->name);
	}
}

/* Prints the list of events. Returns if a monitor asked for it; on a command line it exits. */
static void list(void)
{
	TraceEventIter iter;
	TraceEvent *ev;
	bool goes_on = false;

	trace_event_iter_init_all(&iter);
	while ((ev = trace_event_iter_next(&iter))) {
		goes_on = waymark_print_line(ev->name);
	}
	if (!goes_on) {
		exit(EXIT_SUCCESS);
	}
}

static void warn(const struct waymark_error *error, const void *option)
{
	waymark_report(WAYMARK_SEVERITY_WARNING, option, error);
}

/* QEMU's words for a name that no event has; a pattern it passes over in silence. */
static void warn_unmet(struct waymark_rules *rules, const char *option)
{
	struct waymark_error warning; /* which escapes what came in with a name */

	waymark_rules_meet(rules);
	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		if (rule_is_exact(r) && !r->met) {
			waymark_fail(&warning, "trace event '%s' does not exist", r->pattern);
			warn(&warning, option);
		}
	}
}

/* What the option gets besides. */
static NOINLINE void hint_unmet(const struct waymark_rules *rules, const char *option)
{
	struct waymark_error hint;
	char name[256];

	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		if (r->met) {
			continue;
		}
		if (rule_is_exact(r) && waymark_rules_suggest(r->pattern, name, sizeof(name))) {
			waymark_fail(&hint, "did you mean '%s' instead of '%s'?", name, r->pattern);
			warn(&hint, option);
		} else if (!rule_is_exact(r) && r->on) {
			waymark_fail(&hint, "no trace event matches '%s'", waymark_rule_name(r));
			warn(&hint, option);
		}
	}
}

/*
 * `-d trace:` asks for log lines, and for no trace. In QEMU only that option calls
 * trace_enable_events(), and only in builds with log.
 */
static unsigned int log_or_all(void)
{
	return waymark_registry_backends() & WAYMARK_LOG ? WAYMARK_LOG : WAYMARK_ANY_BACKEND;
}

void trace_enable_events(const char *line_buf)
{
	struct waymark_rules rules = { 0 };
	struct waymark_error error;

	if (strcmp(line_buf, "help") == 0 || strcmp(line_buf, "?") == 0) {
		list();
		return;
	}
	int result = waymark_rules_add(&rules, line_buf, log_or_all(), &error);

	if (result == 0) {
		warn_unmet(&rules, line_buf);
		waymark_declare_rules(&rules);
		result = waymark_rules_commit(&rules, NULL, &error);
	}
	if (result < 0) {
		warn(&error, line_buf);
	}
	waymark_rules_fini(&rules);
}

static void parent_forked(void)
{
	pending.forked = true;
}

static void follow_forks(void)
{
	pthread_atfork(NULL, parent_forked, NULL);
}

/* Keeps the file until trace_init_file(). Takes it over. */
static void keep_file(char *file, unsigned int later)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, follow_forks);
	waymark_lock();
	char *old = pending.file;

	pending.file = file;
	pending.later = later;
	waymark_unlock();
	free(old);
}

/* The own keys of backends that came after the file count. */
static void note_later(unsigned int backends)
{
	waymark_lock();
	pending.later |= backends;
	waymark_unlock();
}

static void take_file(struct waymark_config *c)
{
	waymark_lock();
	c->file = pending.file;
	c->after_file = pending.later;
	pending.file = NULL;
	waymark_unlock();
}

void trace_opt_parse(const char *optarg)
{
	struct waymark_config c = { 0 };
	struct waymark_wants wants = { 0 };
	struct waymark_error error;

	if (waymark_option_parse(&c, optarg, &error) < 0) {
		waymark_die(optarg, &error);
	}
	if (c.help) {
		list();
		waymark_config_fini(&c);
		return;
	}
	unsigned int outputs = waymark_config_outputs(&c);
	unsigned int after_file = c.after_file;

	waymark_config_settle(&c);
	char *file = c.file;

	c.file = NULL;
	warn_unmet(&c.rules, optarg);
	hint_unmet(&c.rules, optarg);
	waymark_config_want(&wants, &c);
	if (waymark_config_apply(&c, NULL, &error) < 0) {
		waymark_die(optarg, &error);
	}
	waymark_config_report_vain(&wants, waymark_registry_backends(), warn, optarg);
	if (file) {
		keep_file(file, after_file);
	} else {
		note_later(outputs);
	}
	waymark_config_fini(&c);
}

bool trace_init_backends(void)
{
	return true;
}

void trace_init_file(void)
{
	struct waymark_config c = { 0 };
	struct waymark_error error;

	take_file(&c);
	if (c.file && waymark_config_apply(&c, NULL, &error) < 0) {
		waymark_die(c.file, &error);
	}
	waymark_config_fini(&c);
}

/* A daemon's first process leaves the file to its child; any other forgot it. */
__attribute__((destructor)) static void report_unopened(void)
{
	if (pending.file && !pending.forked) {
		waymark_message(
			"file=%s was not opened: the program never called trace_init_file()",
			pending.file);
	}
}
