/* SPDX-License-Identifier: MIT */
/*
 * Puts an option into force in two phases. All checks precede the first change, because an option
 * with an error changes nothing. The checks open no output, because that may truncate a file, and
 * the reader of a FIFO would see its end. A failure in the second phase (a disk that fills
 * meanwhile) is reported, and the changes before it stay.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/control/config.h"
#include "rt/control/declare.h"
#include "rt/control/sinks.h"
#include "rt/control/environment.h"
#include "rt/ctf/control.h"
#include "rt/event/registry.h"
#include "rt/host/error.h"
#include "rt/host/line.h"
#include "rt/host/path.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/record/stats.h"
#include "rt/text/ftrace.h"
#include "rt/text/ftrace_marker.h"
#include "rt/text/log_prefix.h"
#include "rt/text/syslog.h"

const struct waymark_sink *waymark_config_sink(const char *file, struct waymark_error *error)
{
	const struct waymark_sink *sink = waymark_sink_first(waymark_registry_backends());

	if (!sink) {
		waymark_fail(error,
			"file=%s: option not supported by the selected tracing backends: no loaded "
			"event was built with ctf, simple or log",
			file);
	}
	return sink;
}

static bool is_on(const char *word)
{
	return strcmp(word, "on") == 0;
}

static bool replaces(const struct waymark_config *c)
{
	return c->replace ? is_on(c->replace) : waymark_ctf_replaces();
}

/* Checks whether `path`, the value of a key, could be the sink's file; NULL is allowed. */
static int check_output(const struct waymark_config *c, const struct waymark_sink *sink,
	const char *key, const char *path, struct waymark_error *error)
{
	struct waymark_error reason;

	if (!path || sink->check_file(path, c->yields, replaces(c), &reason) == 0) {
		return 0;
	}
	return waymark_fail(error, "%s: %s", key, reason.text);
}

/* Checks only the place of the environment's file=, because its sink may be loaded later. */
static int check_place(const char *path, struct waymark_error *error)
{
	if (access(path, F_OK) == 0 || (errno == ENOENT && path_is_creatable(path))) {
		return 0;
	}
	return waymark_fail(error, "file=: %s: %s", path, strerror(errno));
}

static int check_file(const struct waymark_config *c, struct waymark_error *error)
{
	if (!c->file) {
		return 0;
	}
	if (c->yields) {
		return check_place(c->file, error);
	}
	const struct waymark_sink *sink = waymark_config_sink(c->file, error);

	return sink ? check_output(c, sink, "file=", c->file, error) : -1;
}

static int check_outputs(const struct waymark_config *c, struct waymark_error *error)
{
	if (check_file(c, error) < 0 ||
		check_output(c, &waymark_sink_ctf, "ctf.file=", c->ctf_file, error) < 0 ||
		check_output(c, &waymark_sink_simple, "simple.file=", c->simple_file, error) < 0) {
		return -1;
	}
	return check_output(c, &waymark_sink_log, "log.file=", c->log_file, error);
}

static enum recorder_policy policy_of(const char *word)
{
	return *word == 'o' ? RECORDER_OVERWRITE : *word == 'b' ? RECORDER_BLOCK : RECORDER_DISCARD;
}

/* The signal that has our handler; 0: none. Changed by atomic exchange. */
static int installed;

static void on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	waymark_recorder_snapshot();
	errno = saved;
}

static bool is_ours(const struct sigaction *act)
{
	return !(act->sa_flags & SA_SIGINFO) && act->sa_handler == on_signal;
}

/* Refuses a signal that the program itself handles or ignores. */
static int check_signal(int sig, struct waymark_error *error)
{
	struct sigaction now;

	if (sigaction(sig, NULL, &now) < 0) {
		return waymark_fail(error, "snapshot=: signal %d: %s", sig, strerror(errno));
	}
	if (is_ours(&now) || (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)) {
		return 0;
	}
	return waymark_fail(error,
		"snapshot=: the program handles or ignores signal %d itself; choose another", sig);
}

/* Restores an earlier signal, unless the program has its own handler now. */
static void uninstall_signal(int sig)
{
	struct sigaction act = { .sa_handler = SIG_DFL };
	struct sigaction now;

	if (sigaction(sig, NULL, &now) == 0 && is_ours(&now)) {
		sigaction(sig, &act, NULL);
	}
}

/* Installs the handler, and uninstalls that of an earlier signal. */
static int install_signal(int sig, struct waymark_error *error)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (check_signal(sig, error) < 0) {
		return -1;
	}
	sigemptyset(&act.sa_mask);
	sigaction(sig, &act, NULL);
	int before = __atomic_exchange_n(&installed, sig, __ATOMIC_RELAXED);

	if (before && before != sig) {
		uninstall_signal(before);
	}
	return 0;
}

static int check_snapshot(const struct waymark_config *c, struct waymark_error *error)
{
	if ((c->full ? policy_of(c->full) : waymark_recorder_policy()) != RECORDER_OVERWRITE) {
		return waymark_fail(
			error, "snapshot= needs full=overwrite, in this option or an earlier one");
	}
	return check_signal(c->snapshot, error);
}

static enum recorder_crash crash_of(const char *word)
{
	return strcmp(word, "all") == 0 ? RECORDER_CRASH_ALL
	       : is_on(word)		? RECORDER_CRASH_ON
					: RECORDER_CRASH_OFF;
}

/* Checks settings that are fixed once any backend, or ctf, has recorded events. */
static int check_time(const struct waymark_config *c, struct waymark_error *error)
{
	const struct process *p = waymark_process_current();
	const char *late = NULL;

	if (p && process_has_recorded(p)) {
		late = c->buffer ? "buffer=" : c->full ? "full=" : c->string ? "string=" : NULL;
	}
	if (c->rotate && waymark_ctf_has_begun()) {
		late = "rotate=";
	}
	if (!late) {
		return 0;
	}
	return waymark_fail(error, "%s cannot change any more: events have been recorded", late);
}

/* Keys that are fixed once waymark_init() has made the jail, in which no thread can overwrite. */
static int check_jailed(const struct waymark_config *c, struct waymark_error *error)
{
	bool overwrites = c->full && policy_of(c->full) == RECORDER_OVERWRITE;
	const char *late = overwrites ? "full=overwrite" : c->buffer ? "buffer=" : NULL;

	late = c->jail ? "jail=" : late;
	if (!late || !waymark_jail_is_on()) {
		return 0;
	}
	return waymark_fail(error, "%s is too late: the jail exists already", late);
}

static int check_recorder(const struct waymark_config *c, struct waymark_error *error)
{
	if (c->buffer && (c->buffer < RECORDER_BUFFER_MIN || c->buffer > RECORDER_BUFFER_MAX)) {
		return waymark_fail(error, "buffer=: a buffer must have 1M to 64G");
	}
	if (c->string && (c->string < RECORDER_STRING_MIN || c->string > RECORDER_STRING_MAX)) {
		return waymark_fail(error, "string=: a string may have 8 to 16K");
	}
	if (check_jailed(c, error) < 0) {
		return -1;
	}
	if (c->keep && !c->rotate) {
		return waymark_fail(error, "keep= needs rotate=SIZE in the same option");
	}
	if (check_time(c, error) < 0) {
		return -1;
	}
	return c->snapshot ? check_snapshot(c, error) : 0;
}

static int check_instance(const char *name, struct waymark_error *error)
{
	if (!name) {
		return 0;
	}
	if (!waymark_ftrace_is_instance(name)) {
		return waymark_fail(error,
			"ftrace.instance=: '%s' is not the name of a directory in instances/",
			name);
	}
	return !waymark_ftrace_has_begun()
		       ? 0
		       : waymark_fail(error,
				 "ftrace.instance= cannot change any more: events have been "
				 "written");
}

/*
 * The environment's monitor is started later. If it is missing then, the rest of the option stays
 * in force.
 */
static int check_monitor(const struct waymark_config *c, struct waymark_error *error)
{
	const struct monitor_wish *wish = &c->monitor;

	if (!wish->where) {
		const char *key = wish->mode	 ? "control-mode"
				  : wish->prompt ? "control-prompt"
						 : NULL;

		return key ? waymark_fail(error, "%s= needs control=WHERE in the same option", key)
			   : 0;
	}
	return c->yields || monitor_is_optional(wish) ? 0 : waymark_monitor_find(error);
}

int waymark_config_check(const struct waymark_config *c, struct waymark_error *error)
{
	if (waymark_dialect_check(&c->use, error) < 0 || check_recorder(c, error) < 0 ||
		check_instance(c->ftrace_instance, error) < 0 || check_outputs(c, error) < 0) {
		return -1;
	}
	return check_monitor(c, error);
}

static int apply_file(const struct waymark_config *c, struct waymark_error *error)
{
	if (!c->file) {
		return 0;
	}
	const struct waymark_sink *sink = waymark_config_sink(c->file, error);

	waymark_startup_file_forget();
	struct waymark_error reason;

	if (!sink) {
		return -1;
	}
	return sink->set_file(c->file, c->yields, &reason) == 0
		       ? 0
		       : waymark_fail(error, "file=: %s", reason.text);
}

static int apply_output(const struct waymark_config *c, const struct waymark_sink *sink,
	const char *path, struct waymark_error *error)
{
	return path ? waymark_output_set(sink, path, c->yields, error) : 0;
}

static int apply_outputs(const struct waymark_config *c, struct waymark_error *error)
{
	if (apply_file(c, error) < 0 ||
		apply_output(c, &waymark_sink_ctf, c->ctf_file, error) < 0 ||
		apply_output(c, &waymark_sink_simple, c->simple_file, error) < 0) {
		return -1;
	}
	return apply_output(c, &waymark_sink_log, c->log_file, error);
}

/* Applies the settings of memory and of the trace's shape, before the output is opened. */
static int apply_recorder(const struct waymark_config *c, struct waymark_error *error)
{
	if ((c->buffer && waymark_recorder_set_buffer(c->buffer, error) < 0) ||
		(c->string && waymark_recorder_set_string(c->string, error) < 0) ||
		(c->full && waymark_recorder_set_policy(policy_of(c->full), error) < 0)) {
		return -1;
	}
	if (c->has_leftovers) {
		waymark_recorder_set_leftovers(c->leftovers);
	}
	if (c->jail || c->jail_off) {
		waymark_jail_want((uint32_t)c->jail);
	}
	if (c->flush_ns) {
		waymark_recorder_set_delay(c->flush_ns);
	}
	if (c->crash) {
		waymark_recorder_set_crash_signals(crash_of(c->crash));
	}
	if (c->stats) {
		waymark_counts_switch(is_on(c->stats));
	}
	if (c->replace) {
		waymark_ctf_set_replace(is_on(c->replace));
	}
	if (c->rotate && waymark_ctf_set_pieces(c->rotate, (uint32_t)c->keep, error) < 0) {
		return -1;
	}
	return c->snapshot ? install_signal(c->snapshot, error) : 0;
}

void waymark_config_settle(struct waymark_config *c)
{
	const struct waymark_sink *sink = waymark_sink_first(waymark_registry_backends());

	if (sink) {
		waymark_config_settle_file(c, sink->backend);
	}
}

int waymark_config_apply(
	struct waymark_config *c, struct waymark_match *match, struct waymark_error *error)
{
	waymark_config_settle(c);
	/* The monitor is started first, because only that shows whether it can get its socket. */
	if (waymark_config_check(c, error) < 0 ||
		waymark_rules_prepare(&c->rules, NULL, error) < 0 ||
		(c->monitor.where && waymark_monitor_begin(&c->monitor, error) < 0) ||
		apply_recorder(c, error) < 0 || apply_outputs(c, error) < 0) {
		return -1;
	}
	if (c->log_prefix) {
		waymark_log_prefix_choose(c->log_prefix);
	}
	if (c->syslog_rate) {
		waymark_syslog_set_rate(c->syslog_rate);
	}
	if (c->ftrace_style) {
		waymark_ftrace_choose_style(c->ftrace_style);
	}
	if (c->ftrace_instance) {
		waymark_ftrace_set_instance(c->ftrace_instance);
	}
	waymark_declare_rules(&c->rules);
	if (waymark_rules_commit(&c->rules, match, error) < 0) {
		return -1;
	}
	if (c->was_read) {
		waymark_dialect_keep(&c->use);
	}
	return 0;
}

/* Keys that only one backend reads. */
static const struct {
	const char *key;
	unsigned int backend;
} own_keys[] = {
	{ "snapshot=", WAYMARK_CTF },
	{ "rotate=", WAYMARK_CTF },
	{ "replace=", WAYMARK_CTF },
	{ "flush=", WAYMARK_CTF },
	{ "syslog.rate=", WAYMARK_SYSLOG },
};

void waymark_config_want(struct waymark_wants *wants, const struct waymark_config *c)
{
	const bool has_key[ARRAY_SIZE(own_keys)] = { c->snapshot != 0, c->rotate != 0,
		c->replace != NULL, c->flush_ns != 0, c->syslog_rate != 0 };

	wants->limits |= c->backends;
	wants->outputs |= waymark_config_outputs(c);
	for (size_t i = 0; i < ARRAY_SIZE(own_keys); i++) {
		wants->keys |= (unsigned int)has_key[i] << i;
	}
}

/* Appends the keys by which options named the backend. */
static void put_wanted(struct line *l, const struct waymark_wants *wants, size_t backend)
{
	unsigned int bit = waymark_backend_names[backend].backend;

	if (wants->limits & bit) {
		waymark_line_put(l, "backend=");
	}
	if (wants->outputs & bit) {
		waymark_line_put(l, "%s%s.file=", l->len > 0 ? ", " : "",
			waymark_backend_names[backend].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(own_keys); i++) {
		if (own_keys[i].backend == bit && wants->keys & 1u << i) {
			waymark_line_put(l, "%s%s", l->len > 0 ? ", " : "", own_keys[i].key);
		}
	}
}

static void put_built(struct line *l, unsigned int built)
{
	const char *between = ", only with '";

	for (size_t i = 0; i < waymark_backend_count; i++) {
		if (built & waymark_backend_names[i].backend) {
			waymark_line_put(l, "%s%s'", between, waymark_backend_names[i].name);
			between = ", '";
		}
	}
}

void waymark_config_report_vain(const struct waymark_wants *wants, unsigned int built,
	void (*warn)(const struct waymark_error *warning, const void *option), const void *option)
{
	for (size_t i = 0; i < waymark_backend_count; i++) {
		struct waymark_error warning;
		struct line l;

		line_init(&l, warning.text, sizeof(warning.text));
		put_wanted(&l, wants, i);
		if (l.len == 0 || built & waymark_backend_names[i].backend) {
			continue;
		}
		waymark_line_put(&l,
			": no effect so far: no loaded event was built with the backend '%s'",
			waymark_backend_names[i].name);
		put_built(&l, built);
		warn(&warning, option);
	}
}
