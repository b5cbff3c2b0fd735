/* SPDX-License-Identifier: MIT */
/*
 * The command trace-stats: events recorded and lost, in total, for each event and for each thread.
 * Counting has a cost, so the first request for single events begins it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <waymark/control.h>

#include "mon/session/command.h"

static json_t *numbers(uint64_t recorded, uint64_t lost, uint64_t bytes)
{
	return json_pack("{s:I, s:I, s:I}", "recorded", (json_int_t)recorded, "lost",
		(json_int_t)lost, "bytes", (json_int_t)bytes);
}

/*
 * Makes an object with a name and a number before the three counts; takes ownership of `counted`.
 */
static json_t *row(const char *name, const char *key, json_int_t value, json_t *counted)
{
	json_t *object = json_pack("{s:o, s:I}", "name", text_as_json(name), key, value);

	if (json_object_update(object, counted) < 0) {
		json_decref(object);
		object = NULL;
	}
	json_decref(counted);
	return object;
}

static json_t *events_as_json(const struct waymark_event_list *list)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < list->count; i++) {
		const struct waymark_event_info *e = &list->events[i];

		if (e->state || e->recorded || e->lost || e->left_out) {
			json_t *one = row(e->name, "state", e->state != 0,
				numbers(e->recorded, e->lost, e->bytes));

			json_object_set_new(one, "scope", json_boolean(e->scope));
			if (e->left_out) {
				json_object_set_new(
					one, "left-out", json_integer((json_int_t)e->left_out));
			}
			json_array_append_new(rows, one);
		}
	}
	return rows;
}

static json_t *threads_as_json(const struct waymark_thread_list *list)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < list->count; i++) {
		const struct waymark_thread_info *t = &list->threads[i];

		json_array_append_new(
			rows, row(t->name, "tid", t->tid, numbers(t->recorded, t->lost, t->bytes)));
	}
	return rows;
}

/* Repeats the writer's error, as a daemon's standard error is /dev/null. */
static void add_problem(json_t *result, const struct waymark_stats *stats)
{
	bool is_ctf = stats->write_backend == WAYMARK_CTF;
	struct waymark_output output;
	char text[sizeof(output.path) + 100];

	if (!stats->write_error ||
		waymark_get_output(is_ctf ? "ctf" : "simple", &output, NULL) != 0) {
		return;
	}
	snprintf(text, sizeof(text), "cannot write %s: %s; %s", output.path,
		strerror((int)stats->write_error),
		is_ctf ? "events wait in memory" : "events are lost");
	json_object_set_new(result, "problem", text_as_json(text));
}

static json_t *totals(const struct waymark_event_list *list)
{
	struct waymark_stats stats;
	size_t on = 0;

	for (size_t i = 0; i < list->count; i++) {
		on += list->events[i].state != 0;
	}
	waymark_get_stats(&stats);
	json_t *result = json_pack("{s:i, s:o, s:i, s:i}", "pid", (int)getpid(), "program",
		text_as_json(program_invocation_short_name), "events", (int)list->count,
		"events-on", (int)on);
	json_t *counted = numbers(stats.recorded, stats.lost, stats.bytes);

	json_object_update(result, counted);
	json_decref(counted);
	json_object_set_new(result, "unwritten", json_integer((json_int_t)stats.unwritten));
	json_object_set_new(
		result, "counting", json_boolean(stats.counting == WAYMARK_COUNTING_ON));
	if (stats.pairs_forgotten) {
		json_object_set_new(
			result, "pairs-forgotten", json_integer((json_int_t)stats.pairs_forgotten));
	}
	add_problem(result, &stats);
	return result;
}

static json_t *add_threads(struct call *call, json_t *result)
{
	struct waymark_thread_list list;
	struct waymark_error error;

	if (waymark_list_threads(&list, &error) < 0) {
		json_decref(result);
		return call_fail(call, "%s", error.text);
	}
	json_object_set_new(result, "per-thread", threads_as_json(&list));
	waymark_free_threads(&list);
	return result;
}

static json_t *collect(struct call *call, bool events, bool threads)
{
	struct waymark_event_list list;
	struct waymark_error error;

	if (events) {
		/* The first request begins to count each event, unless stats= forbids it. */
		struct waymark_stats stats;

		waymark_get_stats(&stats);
		if (stats.counting == WAYMARK_COUNTING_NOT_YET) {
			waymark_count_events(true, NULL);
		}
		if (stats.counting != WAYMARK_COUNTING_OFF) {
			/*
			 * Events are counted when they are drained, so drains them, except for a
			 * flight recorder.
			 */
			struct waymark_output output;

			if (waymark_get_output(NULL, &output, NULL) == 0 && !output.held) {
				waymark_flush(NULL); /* the totals include its error */
			}
		}
	}
	if (waymark_list_events(NULL, &list, &error) < 0) {
		return call_fail(call, "%s", error.text);
	}
	json_t *result = totals(&list);

	if (events) {
		json_object_set_new(result, "per-event", events_as_json(&list));
	}
	waymark_free_events(&list);
	return threads ? add_threads(call, result) : call_return(call, result);
}

json_t *stats(struct call *call)
{
	return collect(call, call_bool(call, "events", false), call_bool(call, "threads", false));
}

json_t *stats_in_full(struct call *call)
{
	return collect(call, true, true);
}

static void print_numbers(FILE *out, const json_t *object)
{
	long long left_out = member_number(object, "left-out");

	fprintf(out, "%lld recorded, %lld lost, %lld bytes", member_number(object, "recorded"),
		member_number(object, "lost"), member_number(object, "bytes"));
	if (left_out) {
		fprintf(out, ", %lld left out", left_out);
	}
	fputc('\n', out);
}

void print_stats(FILE *out, const json_t *result)
{
	size_t i;
	json_t *item;

	fprintf(out, "events: %lld on of %lld, ", member_number(result, "events-on"),
		member_number(result, "events"));
	print_numbers(out, result);
	if (member_number(result, "pairs-forgotten")) {
		fprintf(out, "pairs: %lld begins forgotten\n",
			member_number(result, "pairs-forgotten"));
	}
	json_array_foreach(json_object_get(result, "per-thread"), i, item)
	{
		fprintf(out, "thread %lld %s: ", member_number(item, "tid"),
			member_text(item, "name"));
		print_numbers(out, item);
	}
	json_array_foreach(json_object_get(result, "per-event"), i, item)
	{
		fprintf(out, "%s : state %lld, ", member_text(item, "name"),
			member_number(item, "state"));
		print_numbers(out, item);
	}
}
