/* SPDX-License-Identifier: MIT */
/*
 * The program's API, waymark/control.h, over the registry, the rules and the sinks. A call that
 * fails returns the reason. Called by the program and the monitor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/control/config.h"
#include "rt/control/declare.h"
#include "rt/control/events_file.h"
#include "rt/control/sinks.h"
#include "rt/control/environment.h"
#include "rt/ctf/control.h"
#include "rt/event/registry.h"
#include "rt/event/rule.h"
#include "rt/event/state.h"
#include "rt/event/vcpu.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"
#include "rt/host/path.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/record/stats.h"
#include "rt/site/aggregate.h"
#include "rt/text/loss.h"

int waymark_configure(const char *options, struct waymark_error *error)
{
	struct waymark_config c = { 0 };
	int result = waymark_option_parse(&c, options, error);

	if (result == 0 && c.help) {
		result = waymark_fail(error, "help is for the -trace option of a command line");
	}
	if (result == 0) {
		result = waymark_config_apply(&c, NULL, error);
	}
	waymark_config_fini(&c);
	if (result == 0) {
		error_clear(error);
	}
	return result;
}

/* Puts rules into force for `backends` only; finishes the list. */
static int commit(struct waymark_rules *rules, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error)
{
	int result = 0;

	error_clear(error);
	if (match) {
		*match = (struct waymark_match){ 0 };
	}
	if (!(backends & WAYMARK_ANY_BACKEND)) {
		result = waymark_fail(error, "no backend is given");
	}
	for (size_t i = 0; i < rules->count; i++) {
		rules->items[i].backends = (uint16_t)backends;
	}
	if (result == 0) {
		waymark_declare_rules(rules);
		result = waymark_rules_commit(rules, match, error);
	}
	waymark_rules_fini(rules);
	return result;
}

static int set_pattern(bool on, const char *pattern, unsigned int backends,
	struct waymark_match *match, struct waymark_error *error)
{
	struct waymark_rules rules = { 0 };

	if (*pattern == '-') {
		return waymark_fail(error, "'%s' is not the name or pattern of an event", pattern);
	}
	if (waymark_rules_add(&rules, pattern, backends, error) < 0) {
		waymark_rules_fini(&rules);
		return -1;
	}
	if (!on && rules.items[0].terms && !rules.items[0].trigger) {
		waymark_rules_fini(&rules);
		return waymark_fail(
			error, "'%s': what switches off has no condition or limit", pattern);
	}
	rules.items[0].on = on;
	return commit(&rules, backends, match, error);
}

int waymark_enable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error)
{
	return set_pattern(true, pattern, backends, match, error);
}

int waymark_disable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error)
{
	return set_pattern(false, pattern, backends, match, error);
}

int waymark_enable_from_file(const char *path, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error)
{
	struct waymark_rules rules = { 0 };

	if (waymark_events_file_read(&rules, path, error) < 0) {
		waymark_rules_fini(&rules);
		return -1;
	}
	return commit(&rules, backends, match, error);
}

const struct waymark_event *waymark_find(const char *name)
{
	return waymark_registry_find(name);
}

const struct waymark_event *waymark_iter_next(struct waymark_iter *iter)
{
	return waymark_registry_next(iter);
}

const char *waymark_get_name(const struct waymark_event *event)
{
	return event->name;
}

const char *waymark_get_format(const struct waymark_event *event)
{
	return event_format(event);
}

const char *waymark_get_source(const struct waymark_event *event, unsigned int *line)
{
	if (line) {
		*line = event->line;
	}
	return event->file;
}

unsigned int waymark_get_backends(const struct waymark_event *event)
{
	return event->backends;
}

unsigned int waymark_get_state(const struct waymark_event *event)
{
	return state_get(event);
}

/* Copies a text of the decision in force. Returns its length. */
static size_t copy_text(const struct waymark_event *event,
	const char *(*text_of)(const struct decision *d), char *text, size_t size)
{
	waymark_lock();
	const char *own = text_of(waymark_decision_in_force(event));
	size_t length = strlen(own);

	snprintf(text, size, "%s", own);
	waymark_unlock();
	return length;
}

size_t waymark_get_condition(const struct waymark_event *event, char *text, size_t size)
{
	return copy_text(event, decision_condition, text, size);
}

size_t waymark_get_limits(const struct waymark_event *event, char *text, size_t size)
{
	return copy_text(event, decision_limits, text, size);
}

unsigned int waymark_get_watchers(const struct waymark_event *event)
{
	return state_watchers(event);
}

int waymark_set_state(const struct waymark_event *event, unsigned int backends, bool on,
	struct waymark_error *error)
{
	/* Descriptors are const only for their users: the object itself can be changed. */
	struct waymark_event *own = (struct waymark_event *)event;

	error_clear(error);
	if (!(event_backends(event) & backends) && event->backends & backends) {
		return waymark_fail(error, EVENT_NOT_SIMPLE, event->name);
	}
	if (!(state_switchable(event) & backends)) {
		return waymark_fail(error, "trace event '%s' was built without %s", event->name,
			event->backends & backends ? "a backend that this process switches"
						   : "that backend");
	}
	if (on) {
		waymark_declare_event(own, backends);
	}
	waymark_lock();
	bool done = !on || waymark_entry_prepare(own, backends);

	if (done) {
		waymark_registry_switch(own,
			(struct switching){ .on = on ? backends : 0, .off = on ? 0 : backends });
	}
	waymark_registry_unlock();
	return done ? 0
		    : waymark_fail(error, "trace event '%s' stays off: memory or ids ran out",
			      event->name);
}

static const struct waymark_sink *find_sink(const char *backend, struct waymark_error *error)
{
	const struct waymark_sink *sink = backend ? waymark_sink_by_name(backend)
						  : waymark_sink_first(waymark_registry_backends());

	error_clear(error);
	if (!sink) {
		waymark_fail(error,
			backend ? "'%s' is not a backend that has a file"
				: "no backend that has a file is built in%s",
			backend ? backend : "");
	}
	return sink;
}

int waymark_set_output(const char *backend, const char *path, struct waymark_error *error)
{
	const struct waymark_sink *sink = find_sink(backend, error);

	if (!sink) {
		return -1;
	}
	waymark_startup_file_forget();
	waymark_output_forget(sink);
	waymark_aggregates_record(); /* the former trace ends with them */
	return sink->set_file(path, false, error);
}

int waymark_set_output_on(const char *backend, bool on, bool *was_on, struct waymark_error *error)
{
	const struct waymark_sink *sink = find_sink(backend, error);

	return sink ? sink->set_on(on, was_on, error) : -1;
}

int waymark_get_output_status(const char *backend, char *text, size_t size)
{
	const struct waymark_sink *sink = find_sink(backend, NULL);
	struct waymark_output *output = sink ? calloc(1, sizeof(*output)) : NULL;

	if (!output) {
		return -1;
	}
	sink->describe(output);
	int result = snprintf(text, size, "%s file \"%s\" %s.", sink->title,
		output->path[0] ? output->path : "/dev/stderr", output->on ? "on" : "off");

	free(output);
	return result;
}

/* Completes a relative path with the current directory. */
static int make_absolute(struct waymark_output *output, struct waymark_error *error)
{
	char *path = path_absolute(output->path);
	size_t length = path ? strlen(path) : 0;

	if (!path) {
		return waymark_fail(error, "out of memory");
	}
	if (length >= sizeof(output->path)) {
		free(path);
		return waymark_fail(error, "%s: %s", output->backend, strerror(ENAMETOOLONG));
	}
	memcpy(output->path, path, length + 1);
	free(path);
	return 0;
}

int waymark_get_output(
	const char *backend, struct waymark_output *output, struct waymark_error *error)
{
	const struct waymark_sink *sink = find_sink(backend, error);

	*output = (struct waymark_output){ 0 };
	if (!sink) {
		return -1;
	}
	strcpy(output->backend, sink->name);
	sink->describe(output);
	output->held = sink->backend & (WAYMARK_CTF | WAYMARK_SIMPLE) &&
		       waymark_recorder_policy() == RECORDER_OVERWRITE;
	return output->path[0] ? make_absolute(output, error) : 0;
}

int waymark_flush(struct waymark_error *error)
{
	error_clear(error);
	if (waymark_recorder_flush() == 0) {
		return 0;
	}
	if (errno == ETIMEDOUT) {
		return waymark_fail(error, "the trace file accepts no data: events wait in memory");
	}
	return waymark_fail(error, "some events could not be written: %s", strerror(errno));
}

void waymark_end(void)
{
	waymark_recorder_end();
}

int waymark_snapshot(struct waymark_error *error)
{
	return waymark_flush(error);
}

int waymark_snapshot_to(const char *directory, struct waymark_error *error)
{
	waymark_aggregates_record(); /* the snapshot has them as they are now */
	if (!directory) {
		return waymark_snapshot(error);
	}
	error_clear(error);
	return waymark_ctf_snapshot(directory, error);
}

static uint64_t pairs_forgotten(void)
{
	struct process *p = waymark_process();

	return p ? __atomic_load_n(&p->pairs_forgotten, __ATOMIC_RELAXED) : 0;
}

void waymark_get_stats(struct waymark_stats *stats)
{
	static const unsigned int backends[WAYMARK_RECORDERS] = {
		[WAYMARK_RECORDER_CTF] = WAYMARK_CTF,
		[WAYMARK_RECORDER_SIMPLE] = WAYMARK_SIMPLE,
	};
	struct waymark_recorder_stats recorder;

	waymark_recorder_get_stats(&recorder);
	*stats = (struct waymark_stats){
		.recorded = recorder.recorded,
		.lost = recorder.lost,
		.unwritten = recorder.unwritten,
		.log_lost = waymark_loss(LOSS_LOG),
		.syslog_lost = waymark_loss(LOSS_SYSLOG),
		.syslog_withheld = waymark_loss(LOSS_SYSLOG_WITHHELD),
		.ftrace_lost = waymark_loss(LOSS_FTRACE),
		.bytes = recorder.bytes,
		.counting = waymark_counts_state(),
		.pairs_forgotten = pairs_forgotten(),
		.write_error = (uint64_t)recorder.error,
		.write_backend = recorder.error ? backends[recorder.failed] : 0,
	};
}

int waymark_count_events(bool on, struct waymark_error *error)
{
	error_clear(error);
	waymark_counts_switch(on);
	return 0;
}
