/* SPDX-License-Identifier: MIT */
/*
 * The commands of `waymark ctl`, by subject: events, categories, statistics, files, and plain
 * commands in HMP and QMP. Called from the table in waymark_ctl.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cmd/columns.h"
#include "cmd/ctl/ctl.h"
#include "cmd/ctl/monitor_patterns.h"
#include "cmd/escaped.h"
#include "cmd/report/aggregates.h"

/* ---- Events ---- */

json_t *ctl_list(struct ctl *ctl)
{
	struct event_scope scope = { .is_of_vcpu = ctl->has_vcpu, .vcpu = ctl->vcpu };
	char *pattern = monitor_patterns(&ctl->client, ctl->words, ctl->count, scope);
	json_t *events =
		pattern ? client_call(&ctl->client, "trace-event-get-state",
				  event_scope_add(json_pack("{s:s}", "name", pattern), scope))
			: NULL;

	free(pattern);
	for (size_t i = ctl->only_on ? json_array_size(events) : 0; i-- > 0;) {
		const char *state = member_text(json_array_get(events, i), "state", "");

		if (strcmp(state, "enabled") != 0) {
			json_array_remove(events, i);
		}
	}
	return events;
}

/* Returns the command line's word for a word of QMP. */
static const char *short_state(const char *state)
{
	static const char *const words[][2] = {
		{ "enabled", "on" },
		{ "disabled", "off" },
		{ "unavailable", "outside" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		state = strcmp(state, words[i][0]) == 0 ? words[i][1] : state;
	}
	return state;
}

void ctl_print_list(const struct ctl *ctl, const json_t *result)
{
	size_t i;
	json_t *event;

	json_array_foreach(result, i, event)
	{
		const char *limits = member_text(event, "limits", "");
		const char *condition = member_text(event, "condition", "");

		if (!ctl->only_names) {
			escaped_printf(
				stdout, "%-8s", short_state(member_text(event, "state", "")));
		}
		escaped_put(stdout, member_text(event, "name", ""));
		if (!ctl->only_names && *limits) {
			escaped_printf(stdout, " %s", limits);
		}
		if (!ctl->only_names && *condition) {
			escaped_printf(stdout, " if %s", condition);
		}
		putchar('\n');
	}
	if (!json_array_size(result) && !ctl->only_names) {
		escaped_say("waymark ctl", "%s",
			ctl->only_on	? "no event that matches is on"
			: ctl->has_vcpu ? "the process has no events of single vCPUs"
					: "the process has no events");
	}
}

/* ---- Categories ---- */

json_t *ctl_categories(struct ctl *ctl)
{
	return client_call(&ctl->client, "trace-categories", json_object());
}

static void put_count(struct columns *c, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	columns_put(c, text);
}

static void print_category_table(const json_t *categories)
{
	struct columns c;
	size_t i;
	json_t *category;

	columns_init(&c, "-STATE ON EVENTS LIVE -CATEGORY -DESCRIPTION");
	json_array_foreach(categories, i, category)
	{
		bool is_in = json_is_true(json_object_get(category, "compiled-in"));
		uint64_t on = member_number(category, "events-on");
		uint64_t events = member_number(category, "events");

		columns_put(&c, !is_in ? "out" : !on ? "off" : on < events ? "some" : "on");
		put_count(&c, on);
		put_count(&c, events);
		put_count(&c, member_number(category, "live"));
		columns_put(&c, member_text(category, "name", "?"));
		columns_put(&c, member_text(category, "description", "?"));
	}
	columns_print(&c, stdout);
	columns_fini(&c);
}

void ctl_print_categories(const struct ctl *ctl, const json_t *result)
{
	size_t i;
	json_t *category;

	if (!ctl->only_names) {
		print_category_table(result);
		if (!json_array_size(result)) {
			escaped_say("waymark ctl", "the process has no categories");
		}
		return;
	}
	json_array_foreach(result, i, category)
	{
		escaped_put(stdout, member_text(category, "name", ""));
		putchar('\n');
	}
}

/* ---- Statistics ---- */

json_t *ctl_stats(struct ctl *ctl)
{
	return client_call(&ctl->client, "trace-stats",
		json_pack("{s:b, s:b}", "events", ctl->events, "threads", ctl->threads));
}

static int by_recorded(const void *a, const void *b)
{
	uint64_t x = member_number(*(json_t *const *)a, "recorded");
	uint64_t y = member_number(*(json_t *const *)b, "recorded");

	return (x < y) - (x > y);
}

static void put_event(struct columns *c, const json_t *event)
{
	const json_t *state = json_object_get(event, "state");

	columns_put_number(c, member_number(event, "left-out"));
	columns_put_bytes(c, member_number(event, "bytes"));
	columns_put(c, json_is_true(state) || json_integer_value(state) ? "on" : "off");
	columns_put(c, member_text(event, "name", "?"));
}

static void put_thread(struct columns *c, const json_t *thread)
{
	uint64_t tid = member_number(thread, "tid");

	columns_put_bytes(c, member_number(thread, "bytes"));
	if (tid) {
		put_count(c, tid);
		columns_put(c, member_text(thread, "name", "?"));
	} else {
		columns_put(c, "-");
		columns_put(c, "(threads that have ended)");
	}
}

/*
 * Prints rows of events or threads, the largest number of records first; nothing if there are none.
 */
static void print_stats_table(const json_t *list, const char *titles,
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
		columns_put_number(&c, member_number(sorted[i], "recorded"));
		columns_put_number(&c, member_number(sorted[i], "lost"));
		put(&c, sorted[i]);
	}
	fputs(count ? "\n" : "", stdout);
	columns_print(&c, stdout);
	columns_fini(&c);
	free(sorted);
}

/* Prints notes about the rows of events. */
static void print_stats_notes(const struct ctl *ctl, const json_t *result)
{
	const json_t *events = json_object_get(result, "per-event");
	uint64_t recorded = member_number(result, "recorded");
	uint64_t counted = 0;
	bool has_scope = false;
	size_t i;
	json_t *event;

	json_array_foreach(events, i, event)
	{
		counted += member_number(event, "recorded");
		has_scope |= json_is_true(json_object_get(event, "scope"));
	}
	if (events && counted < recorded) {
		printf("\n%" PRIu64 " more are in no row: they are still in memory "
		       "('waymark ctl %s flush' writes and counts them), or were recorded before "
		       "the first 'stats --events', which starts the counts\n",
			recorded - counted, ctl->target);
	}
	if (has_scope) {
		printf("\nA scope counts twice: its begin and its end are events.\n");
	}
}

static void print_total(const char *title, uint64_t n, const char *what)
{
	printf("%s %" PRIu64 " event%s%s", title, n, n == 1 ? "" : "s", what);
}

void ctl_print_stats(const struct ctl *ctl, const json_t *result)
{
	uint64_t unwritten = member_number(result, "unwritten");

	escaped_printf(stdout, "process %" PRIu64 ", %s", member_number(result, "pid"),
		member_text(result, "program", "?"));
	printf("\non        %" PRIu64 " of", member_number(result, "events-on"));
	print_total("", member_number(result, "events"), "\n");
	print_total("recorded ", member_number(result, "recorded"), "");
	printf(", %" PRIu64 " bytes\n", member_number(result, "bytes"));
	print_total("lost     ", member_number(result, "lost"), ", for which no memory was free\n");
	if (unwritten) {
		print_total("unwritten", unwritten, ", which the file did not accept\n");
	}
	if (member_number(result, "pairs-forgotten")) {
		printf("pairs     %" PRIu64 " begins forgotten, for which elapsed() had no place\n",
			member_number(result, "pairs-forgotten"));
	}
	if (json_object_get(result, "problem")) {
		escaped_printf(stdout,
			"problem   %s; 'waymark ctl %s file set' names another place",
			member_text(result, "problem", "?"), ctl->target);
		putchar('\n');
	}
	print_stats_table(json_object_get(result, "per-event"),
		"RECORDED LOST LEFT-OUT BYTES -STATE -EVENT", put_event);
	print_stats_table(json_object_get(result, "per-thread"), "RECORDED LOST BYTES TID -THREAD",
		put_thread);
	print_stats_notes(ctl, result);
}

/* ---- Files ---- */

/* Makes a path absolute, as the program has another directory. Returns NULL if the call failed. */
static char *absolute(struct ctl *ctl, const char *path)
{
	char *folder = *path == '/' ? NULL : getcwd(NULL, 0);
	char *text = NULL;

	if (!*path) {
		free(folder);
		return client_fail(&ctl->client, CLIENT_REFUSED, "the path is empty");
	}
	if (*path != '/' && !folder) {
		return client_fail(&ctl->client, CLIENT_REFUSED,
			"%s: cannot find the current directory: %s", path, strerror(errno));
	}
	if (asprintf(&text, "%s%s%s", folder ? folder : "", folder && folder[1] ? "/" : "", path) <
		0) {
		abort();
	}
	free(folder);
	return text;
}

/* Calls a command whose argument `key`, if present, is a path; takes ownership of `arguments`. */
static json_t *call_with_path(
	struct ctl *ctl, const char *command, const char *key, json_t *arguments)
{
	const char *given = member_text(arguments, key, NULL);

	if (given) {
		char *path = absolute(ctl, given);

		if (!path) {
			json_decref(arguments);
			return NULL;
		}
		json_object_set_new(arguments, key, json_string(path));
		free(path);
	}
	return client_call(&ctl->client, command, arguments);
}

json_t *ctl_snapshot(struct ctl *ctl)
{
	return call_with_path(ctl, "trace-snapshot", "directory",
		json_pack("{s:s*}", "directory", ctl->count ? ctl->words[0] : NULL));
}

void ctl_print_path(const struct ctl *ctl, const json_t *result)
{
	(void)ctl;
	escaped_put(stdout, member_text(result, "path", ""));
	putchar('\n');
}

json_t *ctl_file(struct ctl *ctl)
{
	const char *action = ctl->count ? ctl->words[0] : "status";
	bool is_set = strcmp(action, "set") == 0;

	if (ctl->count && !is_set && strcmp(action, "on") != 0 && strcmp(action, "off") != 0) {
		return client_fail(&ctl->client, CLIENT_REFUSED,
			"file takes on, off or set, not '%s'", action);
	}
	if (ctl->count > 1 && !is_set) {
		return client_fail(&ctl->client, CLIENT_REFUSED, "only 'file set' takes a path");
	}
	return call_with_path(ctl, "trace-file", "path",
		json_pack("{s:s, s:s*, s:s*}", "action", action, "path",
			ctl->count > 1 ? ctl->words[1] : NULL, "backend", ctl->backend));
}

void ctl_print_file(const struct ctl *ctl, const json_t *result)
{
	const char *path = member_text(result, "path", "");
	bool is_missing = *path && json_is_false(json_object_get(result, "begun"));

	(void)ctl;
	escaped_printf(stdout, "%s %s %s%s", member_text(result, "backend", "?"),
		json_is_true(json_object_get(result, "on")) ? "on" : "off",
		*path ? path : "standard error", is_missing ? " (does not exist yet)" : "");
	putchar('\n');
}

/* Reads the process's trace, and what is in its memory, and prints it. */
json_t *ctl_aggregates(struct ctl *ctl)
{
	json_t *file =
		client_call(&ctl->client, "trace-file", json_pack("{s:s}", "backend", "ctf"));
	struct session s;

	if (!file) {
		return NULL;
	}
	bool has_begun = json_is_true(json_object_get(file, "begun"));
	char *traces[] = { xstrdup(member_text(file, "path", "")), NULL };

	json_decref(file);
	if (!has_begun) {
		free(traces[0]);
		return client_fail(&ctl->client, CLIENT_REFUSED,
			"the process has added nothing up yet; see 'aggregate' in waymark-trace(7)");
	}
	session_init(&s, "waymark ctl");
	if (session_open_several(&s, traces, NULL)) {
		aggregates_show(&s, ctl->json ? AGGREGATES_JSON : AGGREGATES_TEXT);
	}
	bool is_read = session_end(&s) == EXIT_SUCCESS;

	free(traces[0]);
	return is_read ? json_null()
		       : client_fail(&ctl->client, CLIENT_REFUSED, "its trace could not be read");
}

/* They are printed already. */
void ctl_print_aggregates(const struct ctl *ctl, const json_t *result)
{
	(void)ctl;
	(void)result;
}

json_t *ctl_flush(struct ctl *ctl)
{
	struct monitor_client *c = &ctl->client;
	json_t *done = client_call(c, "trace-file",
		json_pack("{s:s, s:s*}", "action", "flush", "backend", ctl->backend));

	if (!done && c->failure == CLIENT_REFUSED) {
		client_fail(c, CLIENT_REFUSED,
			"%s; 'waymark ctl %s file' shows the file, 'file set' names another place",
			c->error, ctl->target);
	}
	return done;
}

/* ---- HMP and QMP ---- */

json_t *ctl_monitor(struct ctl *ctl)
{
	char *line = NULL;
	size_t size;
	FILE *out = memory_stream(&line, &size);

	for (int i = 0; i < ctl->count; i++) {
		fprintf(out, "%s%s", i ? " " : "", ctl->words[i]);
	}
	fclose(out);
	json_t *result = client_call(
		&ctl->client, "human-monitor-command", json_pack("{s:s}", "command-line", line));

	free(line);
	return result;
}

/*
 * Prints a text of several lines. Escapes all control characters except newlines and tabs, since
 * they could command a terminal.
 */
void ctl_print_text(const struct ctl *ctl, const json_t *result)
{
	const char *text = json_string_value(result);
	char piece[2] = "";

	(void)ctl;
	for (; text && *text; text++) {
		piece[0] = *text;
		if (*text == '\n' || *text == '\t') {
			putchar(*text);
		} else if (*text != '\r') {
			escaped_put(stdout, piece);
		}
	}
}

json_t *ctl_qmp(struct ctl *ctl)
{
	json_error_t error;
	json_t *request = json_loads(ctl->words[0], JSON_REJECT_DUPLICATES, &error);

	if (!json_is_object(request)) {
		json_decref(request);
		return client_fail(&ctl->client, CLIENT_REFUSED,
			"qmp takes an object of JSON, such as '{\"execute\": "
			"\"query-version\"}'%s%s",
			request ? "" : ": ", request ? "" : error.text);
	}
	json_t *result = client_send(&ctl->client, request);

	json_decref(request);
	return result;
}

void ctl_print_json(const struct ctl *ctl, const json_t *result)
{
	(void)ctl;
	json_dumpf(result, stdout, JSON_ENCODE_ANY | JSON_PRESERVE_ORDER);
	putchar('\n');
}
