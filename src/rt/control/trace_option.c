/* SPDX-License-Identifier: MIT */
/*
 * The functions of trace/control.h and trace/simple.h that print: main() calls them while it reads
 * its command line, or for a command of a monitor. As in QEMU they print on standard error and
 * output, or with the program's own functions, and exit after an error in an option; no other file
 * of the runtime does.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <trace/control.h>
#include <trace/simple.h>

#include "base/compiler.h"
#include "rt/control/config.h"
#include "rt/control/declare.h"
#include "rt/control/sinks.h"
#include "rt/event/registry.h"
#include "rt/host/error.h"
#include "rt/host/hooks.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"
#include "rt/host/path.h"

/* Reports an error or warning. `option` is the argument that it is about; NULL: none. */
static void report(
	enum waymark_severity severity, const char *option, const struct waymark_error *error)
{
	const struct waymark_host *host = waymark_hooks_enter();

	if (host && host->report) {
		host->report(severity, option, error->text, host->user);
	} else {
		fprintf(stderr, "%s: %s%s\n", program_invocation_short_name,
			severity == WAYMARK_SEVERITY_WARNING ? "warning: " : "", error->text);
	}
	if (host) {
		waymark_hooks_leave();
	}
}

static NORETURN void die(const char *option, const struct waymark_error *error)
{
	report(WAYMARK_SEVERITY_ERROR, option, error);
	exit(EXIT_FAILURE);
}

/*
 * Prints a line, given without its newline. Returns whether the program continues after a list: it
 * does if its own function printed the line for a monitor.
 */
static bool print_line(const char *line)
{
	const struct waymark_host *host = waymark_hooks_enter();
	bool is_printed = host && host->print;
	bool goes_on = is_printed && host->print(line, host->user);

	if (host) {
		waymark_hooks_leave();
	}
	if (!is_printed) {
		puts(line);
	}
	return goes_on;
}

/* Under the control lock, except for what the fork handlers read. */
static struct {
	char *file; /* of -trace, until trace_init_file() takes it */
	char *path; /* the same, absolute, because the program may change its directory */
	unsigned int later; /* backends whose own key came after the file */
	const struct waymark_sink *holder; /* atomic: has the events before trace_init_file() */
	bool named; /* trace_init_file() was called */
	pid_t pid; /* process whose option with the file is in force; or 0 */
	bool forked; /* atomic: a child may call trace_init_file() */
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

/* Prints the list of events. Returns if a monitor asked for the list; exits on a command line. */
static void list(void)
{
	TraceEventIter iter;
	bool goes_on;

	trace_event_iter_init_all(&iter);
	TraceEvent *ev = trace_event_iter_next(&iter);

	/*
	 * The program decides by printing a line whether to continue, so print one even without
	 * events.
	 */
	do {
		goes_on = print_line(ev ? ev->name : "no trace events are loaded");
	} while (ev && (ev = trace_event_iter_next(&iter)));
	if (!goes_on) {
		exit(EXIT_SUCCESS);
	}
}

static void warn(const struct waymark_error *error, const void *option)
{
	report(WAYMARK_SEVERITY_WARNING, option, error);
}

/* Warns about a name that no event has, in QEMU's words; ignores a pattern, as QEMU does. */
static void warn_unmet(struct waymark_rules *rules, const char *option)
{
	struct waymark_error warning; /* waymark_fail() escapes control characters of the name */

	waymark_rules_match(rules);
	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		if (rule_is_exact(r) && !r->matched && !r->misfits) {
			waymark_fail(&warning, "trace event '%s' does not exist", r->pattern);
			warn(&warning, option);
		}
	}
}

/* Warns about events that a condition does not fit. */
static void warn_misfits(const struct waymark_match *match, const char *option)
{
	if (*match->misfits.text) {
		warn(&match->misfits, option);
	}
}

/* These two are not inlined, because a match and an error are large. */
static NOINLINE int commit(
	struct waymark_rules *rules, const char *option, struct waymark_error *error)
{
	struct waymark_match match = { 0 };
	int result = waymark_rules_commit(rules, &match, error);

	warn_misfits(&match, option);
	return result;
}

static NOINLINE int apply(struct waymark_config *c, const char *option, struct waymark_error *error)
{
	struct waymark_match match = { 0 };
	int result = waymark_config_apply(c, &match, error);

	warn_misfits(&match, option);
	return result;
}

/* Prints the hints that follow an option without effect. */
static NOINLINE void hint_unmet(const struct waymark_rules *rules, const char *option)
{
	struct waymark_error hint;
	char name[256];

	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		if (r->matched || r->misfits) {
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
 * `-d trace:` asks for log lines, not for a trace. In QEMU only that option calls
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
		result = commit(&rules, line_buf, &error);
	}
	if (result < 0) {
		warn(&error, line_buf);
	}
	waymark_rules_fini(&rules);
}

static void about_to_fork(void)
{
	const struct waymark_sink *holder = __atomic_load_n(&pending.holder, __ATOMIC_ACQUIRE);

	if (holder) {
		holder->share();
	}
}

static void parent_forked(void)
{
	__atomic_store_n(&pending.forked, true, __ATOMIC_RELAXED); /* several threads may fork */
}

static void follow_forks(void)
{
	pthread_atfork(about_to_fork, parent_forked, NULL);
}

/* Keeps the file until trace_init_file(). Takes over `file`. */
static void keep_file(char *file, unsigned int later)
{
	char *path = path_absolute(file);

	waymark_lock();
	char *old = pending.file;
	char *old_path = pending.path;

	pending.file = file;
	pending.path = path;
	pending.later = later;
	waymark_unlock();
	free(old);
	free(old_path);
}

/* Notes backends whose own keys came after the file and override it. */
static void note_later(unsigned int backends)
{
	waymark_lock();
	pending.later |= backends;
	waymark_unlock();
}

/* Before the first event: passes the name so far to the sink that file= names, or would name. */
static void hold(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct waymark_sink *sink = waymark_sink_first(waymark_registry_backends());

	pthread_once(&once, follow_forks);
	if (pending.named || !sink || !sink->hold || (pending.later & sink->backend)) {
		return;
	}
	sink->hold(pending.path);
	__atomic_store_n(&pending.holder, sink, __ATOMIC_RELEASE);
}

/* Returns the file's path from the directory in which the option was given. */
static char *choose_file(char *file, char *path)
{
	char *now = file ? path_absolute(file) : NULL;
	bool is_same = !path || (now && strcmp(now, path) == 0);

	free(now);
	free(is_same ? path : file);
	return is_same ? file : path;
}

static void take_file(struct waymark_config *c)
{
	waymark_lock();
	char *file = pending.file;
	char *path = pending.path;

	c->after_file = pending.later;
	pending.file = pending.path = NULL;
	pending.named = true;
	waymark_unlock();
	c->file = choose_file(file, path);
}

/* Removes the file from the option, before the option switches events on. */
static void keep_name(struct waymark_config *c)
{
	unsigned int outputs = waymark_config_outputs(c);
	unsigned int after_file = c->after_file;

	waymark_config_settle(c);
	if (c->file) {
		keep_file(c->file, after_file);
	} else {
		note_later(outputs);
	}
	c->file = NULL;
	hold();
}

void trace_opt_parse(const char *optarg)
{
	struct waymark_config c = { 0 };
	struct waymark_wants wants = { 0 };
	struct waymark_error error;

	if (waymark_option_parse(&c, optarg, &error) < 0) {
		die(optarg, &error);
	}
	if (c.help) {
		list();
		waymark_config_fini(&c);
		return;
	}
	keep_name(&c);
	warn_unmet(&c.rules, optarg);
	hint_unmet(&c.rules, optarg);
	waymark_config_want(&wants, &c);
	if (apply(&c, optarg, &error) < 0) {
		die(optarg, &error);
	}
	pending.pid = pending.file ? getpid() : 0;
	waymark_config_report_vain(&wants, waymark_registry_backends(), warn, optarg);
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
	const struct waymark_sink *holder =
		__atomic_exchange_n(&pending.holder, NULL, __ATOMIC_ACQ_REL);

	if (c.file && waymark_config_apply(&c, NULL, &error) < 0) {
		die(c.file, &error);
	}
	if (holder) {
		holder->release();
	}
	waymark_config_fini(&c);
}

/* Events may have created the file, or another one, without the call of trace_init_file(). */
static void report_unnamed(struct waymark_output *output)
{
	if (pending.holder) {
		pending.holder->flush();
		pending.holder->describe(output);
	}
	if (!output->begun || !pending.path || strcmp(output->path, pending.path) != 0) {
		waymark_message(
			"file=%s was not opened: the program never called trace_init_file()%s%s",
			pending.file, output->begun ? "; its events are in " : "",
			output->begun ? output->path : "");
	}
}

/*
 * Reports a file that the program forgot to open. A daemon's first process leaves that to its
 * child, a helper process to its parent.
 */
__attribute__((destructor)) static void report_unopened(void)
{
	bool forgot = pending.file && pending.pid == getpid() &&
		      !__atomic_load_n(&pending.forked, __ATOMIC_RELAXED);
	struct waymark_output *output = forgot ? calloc(1, sizeof(*output)) : NULL;

	if (output) {
		report_unnamed(output);
	}
	free(output);
}

/*
 * Returns the backend that has the trace file; reports an error and returns NULL if there is none.
 */
static const char *backend(void)
{
	const unsigned int recording = WAYMARK_CTF | WAYMARK_SIMPLE;
	const struct waymark_sink *sink =
		waymark_sink_first(waymark_registry_backends() & recording);
	struct waymark_error error;

	if (!sink) {
		waymark_fail(&error, "there is no trace file: no loaded event was built with "
				     "ctf or simple");
		report(WAYMARK_SEVERITY_ERROR, NULL, &error);
	}
	return sink ? sink->name : NULL;
}

static void report_failure(int result, const char *option, const struct waymark_error *error)
{
	if (result < 0) {
		report(WAYMARK_SEVERITY_ERROR, option, error);
	}
}

void st_print_trace_file_status(void)
{
	const char *name = backend();
	int length = name ? waymark_get_output_status(name, NULL, 0) : -1;
	char *line = length >= 0 ? malloc((size_t)length + 1) : NULL;

	if (line) {
		waymark_get_output_status(name, line, (size_t)length + 1);
		print_line(line);
	}
	free(line);
}

bool st_set_trace_file_enabled(bool enable)
{
	const char *name = backend();
	struct waymark_error error;
	bool was_on = false;

	if (name) {
		report_failure(waymark_set_output_on(name, enable, &was_on, &error), NULL, &error);
	}
	return was_on;
}

void st_set_trace_file(const char *file)
{
	const char *name = backend();
	struct waymark_error error;

	if (name) {
		report_failure(waymark_set_output(name, file, &error), file, &error);
	}
}

void st_flush_trace_buffer(void)
{
	struct waymark_error error;

	report_failure(waymark_flush(&error), NULL, &error);
}
