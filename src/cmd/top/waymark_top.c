/* SPDX-License-Identifier: MIT */
/*
 * `waymark top`: shows how many events a process records, by event, thread and category, while it
 * records them. This file has the command line and --once; screen.c shows the same on a terminal.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/nearest.h"
#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/selection.h"
#include "cmd/top/top.h"
#include "cmd/waymark.h"

#define INTERVAL_MAX 86400.0

/* Added to the nice value. */
#define NICE 5

/* Width of a table without the numbers of all windows: here there is only one. */
#define ONE_WINDOW 99

enum {
	KEY_ONCE = ARGUMENT_LONG,
	KEY_INTERVAL,
	KEY_BY,
	KEY_SORT,
	KEY_FILTER,
	KEY_PER,
	KEY_JSON,
};

static const struct argument rows[] = {
	{ KEY_BY, "by", "WHAT", "event: a line for each event (default); thread; category" },
	{ KEY_SORT, "sort", "ORDER", "rate: the fastest first (default); events; lost; p99; name" },
	{ KEY_FILTER, "filter", "PATTERN", "only events whose name matches" },
	{ KEY_PER, "per", "FIELD",
		"count the values of this field of events; @key: of declared keys" },
	{ KEY_INTERVAL, "interval", "SECONDS", "time between two updates, 1 by default" },
	{ KEY_ONCE, "once", NULL, "measure for one interval, print, and end" },
	{ KEY_JSON, "json", NULL, "print JSON; needs --once" },
	{ 0 },
};

static const struct command command = {
	.name = TOP_NAME,
	.usage = "[OPTION...] [PID | NAME | TRACE]",
	.about =
		"Shows how many events a running process records in a second, of each event, thread\n"
		"or category; how many it loses; how long scopes and declared lives take; and what\n"
		"it adds up. The events are read out of its memory, which does not disturb it; it\n"
		"needs no monitor. Without an argument it lists all processes that record. q ends it.",
	.arguments = rows,
};

/* ---- The command line ---- */

static int take_interval(struct top_options *o)
{
	double seconds;

	if (!arguments_seconds(optarg, INTERVAL_MAX, &seconds) || seconds < 0.01) {
		return arguments_bad(
			&command, "'%s' is not a number of seconds from 0.01 up to a day", optarg);
	}
	o->interval_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static int take(struct top_options *o, int key)
{
	int word = 0;

	switch (key) {
	case KEY_ONCE:
		o->is_once = true;
		return 0;
	case KEY_JSON:
		o->is_json = true;
		return 0;
	case KEY_INTERVAL:
		return take_interval(o);
	case KEY_BY:
		word = arguments_word(optarg, top_bys, TOP_BYS);
		o->view.by = (enum rates_by)word;
		return word >= 0
			       ? 0
			       : arguments_bad(&command,
					 "--by takes event, thread or category, not '%s'", optarg);
	case KEY_SORT:
		word = arguments_word(optarg, top_orders, TOP_ORDERS);
		o->view.order = (enum rates_order)word;
		return word >= 0 ? 0
				 : arguments_bad(&command,
					   "--sort takes rate, events, lost, p99 or name, not '%s'",
					   optarg);
	case KEY_FILTER:
		o->view.filter = &o->filter;
		return selection_take_name(&o->filter, &command, optarg);
	case KEY_PER:
		o->per = optarg;
		return 0;
	default:
		return key;
	}
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct top_options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(o, key);

		if (failed) {
			return failed;
		}
	}
	if (o->is_json && !o->is_once) {
		return arguments_bad(&command, "--json needs --once");
	}
	if (o->per && o->is_once && o->view.by != RATES_BY_EVENT) {
		return arguments_bad(&command, "--per needs --by=event: only events have values");
	}
	o->view.has_values = o->per && o->is_once;
	if (argc - optind > 1) {
		return arguments_bad(
			&command, "it takes one process, not also '%s'", argv[optind + 1]);
	}
	o->target = argc > optind ? argv[optind] : NULL;
	if (o->per && o->is_once && !o->target) {
		return arguments_bad(&command, "--per needs a process: the list has no events");
	}
	return 0;
}

/* ---- Once ---- */

/* Waits for at most `ns`; false if a signal ended the wait. */
static bool wait_ns(int signals, uint64_t ns)
{
	return top_pause(signals, -1, (unsigned int)((ns + 999999) / 1000000)) != TOP_END;
}

/* Counts for one interval, or until the process ends. */
static void measure(struct watch *w, const struct top_options *o, int signals)
{
	int64_t end = w->at_ns + (int64_t)o->interval_ns;
	bool goes_on = true;

	while (goes_on && w->state < WATCH_ENDED && w->at_ns < end) {
		watch_read(w, clock_now_ns() + (uint64_t)TOP_ROUND_MS * 1000000);
		uint64_t left = w->at_ns < end ? (uint64_t)(end - w->at_ns) : 0;
		uint64_t pause = watch_pause(w) * UINT64_C(1000000);

		goes_on = left == 0 || wait_ns(signals, left < pause ? left : pause);
	}
	watch_turn(w);
}

/* Writes text that was printed to memory. */
static void put_text(struct out *out, const struct watch *w, const struct top_options *o)
{
	struct rates_rows table;
	char *text = NULL;
	size_t size;
	FILE *to = memory_stream(&text, &size);

	watch_rows(w, &o->view, &table);
	top_put_state(to, w, &o->view);
	top_put_rows(to, &table, ONE_WINDOW);
	top_put_aggregates(to, w);
	rates_rows_fini(&table);
	fclose(to);
	out_bytes(out, text, size);
	free(text);
}

bool top_open(struct watch *w, const struct top_options *o)
{
	struct leftover process;
	struct read_error error;

	if (!top_process_find(o->target, &process, &error)) {
		escaped_say(TOP_NAME, "%s", error.text);
		return false;
	}
	watch_init(w, &process, o->per);
	watch_read(w, clock_now_ns());
	if (w->state == WATCH_FAILED || (w->state == WATCH_ENDED && !w->rates.events)) {
		escaped_say(TOP_NAME, "%s: %s", process.directory,
			w->state == WATCH_FAILED ? w->error.text
						 : "its process has ended: 'waymark info' counts "
						   "the events of a trace");
		watch_fini(w);
		return false;
	}
	return true;
}

/* Returns false if no event has the field, reported with the nearest name. */
static bool check_field(const struct watch *w, const char *per)
{
	bool is_key = per && strcmp(per, RATES_PER_KEY) == 0;
	struct nearest near = nearest_begin(per ? per : "", per ? strlen(per) : 0);
	bool is_found = !per || !w->reader || w->reader->classes.all.count == 0;

	for (size_t i = 0; !is_found && i < w->reader->classes.all.count; i++) {
		const struct event_class *c = w->reader->classes.all.items[i];

		is_found = !is_key && field_find(c, per) != FIELD_NONE;
		for (size_t arg = 0; c->event && arg < c->event->arg_count; arg++) {
			is_found |= is_key && c->event->args[arg].is_key;
			nearest_offer(&near, c->event->args[arg].name);
		}
	}
	if (!is_found && is_key) {
		escaped_say(TOP_NAME, "no event declares a @key");
	} else if (!is_found) {
		bool is_near = nearest_is_near(&near);

		escaped_say(TOP_NAME, "no event has a field '%s'%s%s%s", per,
			is_near ? "; did you mean '" : "", is_near ? near.name : "",
			is_near ? "'?" : "");
	}
	return is_found;
}

/* Reports that no event matches the filter, with the nearest name; one may come later. */
static void explain_filter(const struct watch *w, const struct name_pattern *filter)
{
	struct nearest near = nearest_begin(filter->text, strlen(filter->text));

	vec_foreach (struct event_class *const *, c, &w->reader->classes.all) {
		if (name_pattern_meets(filter, (*c)->name)) {
			return;
		}
		nearest_offer(&near, (*c)->name);
	}
	bool is_near = nearest_is_near(&near);

	escaped_say(TOP_NAME, "no event's name matches '%s'%s%s%s", filter->text,
		is_near ? ": did you mean '" : "", is_near ? near.name : "", is_near ? "'?" : "");
}

static int watch_once(struct out *out, const struct top_options *o, int signals)
{
	struct watch w;

	if (!top_open(&w, o)) {
		return EXIT_FAILURE;
	}
	measure(&w, o, signals);
	if (o->is_json) {
		top_put_json(out, &w, &o->view);
	} else {
		put_text(out, &w, o);
	}
	if (o->view.filter && w.reader) {
		explain_filter(&w, o->view.filter);
	}
	bool is_bad = w.state == WATCH_FAILED || w.problems || !check_field(&w, o->per);

	watch_fini(&w);
	return is_bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int list_once(struct out *out, const struct top_options *o, int signals)
{
	struct top_processes list = { 0 };
	char *text = NULL;
	size_t size;

	top_processes_find(&list);
	wait_ns(signals, o->interval_ns);
	top_processes_find(&list);
	top_processes_sort(&list, o->view.order);
	FILE *to = memory_stream(&text, &size);

	top_put_processes(to, &list, INT_MAX);
	fclose(to);
	if (o->is_json) {
		top_put_processes_json(out, &list);
	} else {
		out_bytes(out, text, size);
	}
	if (list.all.count == 0) {
		escaped_say(
			TOP_NAME, "no process%s records", geteuid() == 0 ? "" : " of this user");
	}
	free(text);
	top_processes_fini(&list);
	return EXIT_SUCCESS;
}

static int once(const struct top_options *o)
{
	int signals = top_catch_signals();
	struct out out;

	out_init(&out, STDOUT_FILENO);
	int status = (o->target ? watch_once : list_once)(&out, o, signals);
	int error = out_flush(&out);

	if (error && error != EPIPE) {
		escaped_say(TOP_NAME, "cannot write the output: %s", strerror(error));
		status = EXIT_FAILURE;
	}
	out_fini(&out);
	close(signals);
	return status;
}

int waymark_top(int argc, char **argv)
{
	struct top_options o = { .interval_ns = CLOCK_NS_PER_S };
	int failed = parse(&o, argc, argv);
	int status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;

	if (!failed) {
		signal(SIGPIPE, SIG_IGN);
		leftover_survive_cuts();
		nice(NICE); /* the watched process goes first */
		status = o.is_once ? once(&o) : top_screen(&o);
	}
	name_pattern_fini(&o.filter);
	vec_fini(&o.view.expanded);
	return status;
}
