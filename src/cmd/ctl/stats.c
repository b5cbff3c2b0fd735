/* SPDX-License-Identifier: MIT */
/* `waymark ctl TARGET stats`: what was recorded and lost, the most first. */
#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "cmd/columns.h"
#include "cmd/ctl/ctl.h"
#include "cmd/escaped.h"

json_t *ctl_stats(struct ctl *ctl)
{
	return ctl_call(ctl, "trace-stats",
		json_pack("{s:b, s:b}", "events", ctl->events, "threads", ctl->threads));
}

static uint64_t number(const json_t *object, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(object, key));

	return n > 0 ? (uint64_t)n : 0;
}

static const char *name_of(const json_t *object, const char *key)
{
	const char *name = json_string_value(json_object_get(object, key));

	return name ? name : "?";
}

static int by_recorded(const void *a, const void *b)
{
	uint64_t x = number(*(json_t *const *)a, "recorded");
	uint64_t y = number(*(json_t *const *)b, "recorded");

	return (x < y) - (x > y);
}

static void put_numbers(struct columns *c, const json_t *object)
{
	columns_put_number(c, number(object, "recorded"));
	columns_put_number(c, number(object, "lost"));
	columns_put_bytes(c, number(object, "bytes"));
}

static void put_event(struct columns *c, const json_t *event)
{
	const json_t *state = json_object_get(event, "state");
	bool on = json_is_true(state) || json_integer_value(state);

	put_numbers(c, event);
	columns_put(c, on ? "on" : "off");
	columns_put(c, name_of(event, "name"));
}

static void put_thread(struct columns *c, const json_t *thread)
{
	char text[32];
	uint64_t tid = number(thread, "tid");

	snprintf(text, sizeof(text), "%llu", (unsigned long long)tid);
	put_numbers(c, thread);
	columns_put(c, tid ? text : "-");
	columns_put(c, tid ? name_of(thread, "name") : "(threads that have ended)");
}

/* The parts that were asked for. */
static const struct {
	const char *key;
	const char *titles;
	void (*put)(struct columns *c, const json_t *object);
} tables[] = {
	{ "per-event", "RECORDED LOST BYTES -STATE -EVENT", put_event },
	{ "per-thread", "RECORDED LOST BYTES TID -THREAD", put_thread },
};

static void print_table(const json_t *list, const char *titles,
	void (*put)(struct columns *c, const json_t *object))
{
	size_t count = json_array_size(list);
	json_t **sorted = xcalloc(count + 1, sizeof(*sorted));
	struct columns c;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = json_array_get(list, i);
	}
	qsort(sorted, count, sizeof(*sorted), by_recorded);
	columns_init(&c, titles);
	for (size_t i = 0; i < count; i++) {
		put(&c, sorted[i]);
	}
	if (count) {
		putchar('\n');
	}
	columns_print(&c, stdout);
	columns_fini(&c);
	free(sorted);
}

/* How many events there are in one row or another, and whether any of them is a scope. */
static uint64_t count_rows(const json_t *events, bool *has_scope)
{
	uint64_t counted = 0;
	size_t i;
	json_t *event;

	*has_scope = false;
	json_array_foreach(events, i, event)
	{
		counted += number(event, "recorded");
		*has_scope |= json_is_true(json_object_get(event, "scope"));
	}
	return counted;
}

/* What the rows of events do not tell by themselves. */
static void print_notes(const struct ctl *ctl, const json_t *result)
{
	const json_t *events = json_object_get(result, "per-event");
	uint64_t recorded = number(result, "recorded");
	bool has_scope;
	uint64_t counted = count_rows(events, &has_scope);

	if (events && counted < recorded) {
		printf("\n%llu more are in no row: they are still in memory "
		       "('waymark ctl %s flush' writes and counts them), or were recorded before "
		       "the first 'stats --events', with which counting begins\n",
			(unsigned long long)(recorded - counted), ctl->target);
	}
	if (has_scope) {
		printf("\nA scope that began and ended is two: its begin and its end.\n");
	}
}

static void print_total(const char *title, uint64_t n, const char *what)
{
	printf("%s %llu event%s%s", title, (unsigned long long)n, n == 1 ? "" : "s", what);
}

static void print_totals(const struct ctl *ctl, const json_t *result)
{
	uint64_t unwritten = number(result, "unwritten");

	escaped_printf(stdout, "process %llu, %s", (unsigned long long)number(result, "pid"),
		name_of(result, "program"));
	printf("\non        %llu of", (unsigned long long)number(result, "events-on"));
	print_total("", number(result, "events"), "\n");
	print_total("recorded ", number(result, "recorded"), "");
	printf(", %llu bytes\n", (unsigned long long)number(result, "bytes"));
	print_total("lost     ", number(result, "lost"), ", for which no memory was free\n");
	if (unwritten) {
		print_total("unwritten", unwritten, ", which the file did not take\n");
	}
	if (json_object_get(result, "problem")) {
		escaped_printf(stdout,
			"problem   %s; 'waymark ctl %s file set' names another place",
			name_of(result, "problem"), ctl->target);
		putchar('\n');
	}
}

void ctl_print_stats(const struct ctl *ctl, const json_t *result)
{
	print_totals(ctl, result);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		print_table(
			json_object_get(result, tables[i].key), tables[i].titles, tables[i].put);
	}
	print_notes(ctl, result);
}
