/* SPDX-License-Identifier: MIT */
/*
 * Commands about files: the trace, snapshots of it, the log. After an action they return the file's
 * new state, as reported by the runtime.
 */
#include <stdlib.h>
#include <string.h>

#include "mon/session/command.h"
#include "mon/session/hold.h"
#include "mon/session/pattern.h"

/*
 * Carries out an action of the table; without an action does nothing, and the state is only shown.
 */
static int act(const char *name, const char *backend, const char *path, struct waymark_error *error)
{
	if (!name || strcmp(name, "status") == 0) {
		return 0;
	}
	if (strcmp(name, "flush") == 0) {
		return waymark_flush(error);
	}
	if (strcmp(name, "set") == 0) {
		return waymark_set_output(backend, path, error);
	}
	return waymark_set_output_on(backend, strcmp(name, "on") == 0, NULL, error);
}

json_t *output_control(struct call *call)
{
	const char *action = call_string(call, "action");
	const char *backend = call_string(call, "backend");
	const char *path = call_string(call, "path");
	struct waymark_output output;
	struct waymark_error error;

	if (path && (!action || strcmp(action, "set") != 0)) {
		return call_fail(call, "only 'set' takes the name of a file");
	}
	if (act(action, backend, path, &error) < 0 ||
		waymark_get_output(backend, &output, &error) < 0) {
		return call_fail(call, "%s", error.text);
	}
	return call_return(
		call, json_pack("{s:s, s:o, s:b, s:b}", "backend", output.backend, "path",
			      text_as_json(output.path), "on", output.on, "begun", output.begun));
}

/* Returns an empty result for an action, as HMP prints nothing for it. */
json_t *output_typed(struct call *call)
{
	json_t *result = output_control(call);

	if (!result || !call_string(call, "action")) {
		return result;
	}
	json_decref(result);
	return json_null();
}

void print_output(FILE *out, const json_t *result)
{
	const char *backend = member_text(result, "backend");
	const char *path = member_text(result, "path");

	if (backend) {
		fprintf(out, "%s file \"%s\" %s.\n", strcmp(backend, "log") == 0 ? "Log" : "Trace",
			*path ? path : "/dev/stderr",
			json_is_true(json_object_get(result, "on")) ? "on" : "off");
	}
}

/* Returns the path of a snapshot: its own directory, or the trace that it was added to. */
static json_t *snapshot_path(struct call *call, const char *directory)
{
	struct waymark_output output;
	struct waymark_error error;
	char *path = directory ? realpath(directory, NULL) : NULL;

	if (directory) {
		json_t *result = text_as_json(path ? path : directory);

		free(path);
		return result;
	}
	if (waymark_get_output(NULL, &output, &error) < 0) {
		return call_fail(call, "%s", error.text);
	}
	return output.begun ? text_as_json(output.path)
			    : call_fail(call, "nothing has been recorded yet");
}

json_t *snapshot(struct call *call)
{
	const char *directory = call_string(call, "directory");
	struct waymark_error error;

	if (waymark_snapshot_to(directory, &error) < 0) {
		return call_fail(call, "%s", error.text);
	}
	json_t *path = snapshot_path(call, directory);

	return path || !call->error_class ? call_return(call, json_pack("{s:o}", "path", path))
					  : NULL;
}

void print_snapshot(FILE *out, const json_t *result)
{
	fprintf(out, "Trace written to \"%s\".\n", member_text(result, "path"));
}

/* True if an event has the backend log. Returns false after failing the call. */
static bool has_log(struct call *call)
{
	struct waymark_event_list list;
	struct waymark_error error = { "no event is built with the backend log" };
	bool found = false;

	if (waymark_list_events(NULL, &list, &error) == 0) {
		for (size_t i = 0; i < list.count; i++) {
			found |= (list.events[i].backends & WAYMARK_LOG) != 0;
		}
		waymark_free_events(&list);
	}
	if (!found) {
		call_fail(call, "%s", error.text);
	}
	return found;
}

json_t *log_file(struct call *call)
{
	struct waymark_error error;

	if (!has_log(call)) {
		return NULL;
	}
	if (waymark_set_output("log", call_string(call, "filename"), &error) < 0) {
		return call_fail(call, "%s", error.text);
	}
	return call_return(call, json_object());
}

/* True if the pattern, without a leading `-` for off, matches an event. */
static bool check_pattern(struct call *call, const char *pattern)
{
	struct pattern p;

	if (!pattern_read(&p, call, strdup(pattern + (*pattern == '-')))) {
		return false;
	}
	bool is_good = !pattern_fail_unmet(&p, call);

	pattern_close(&p);
	return is_good;
}

/* Returns the pattern of an item `trace:PATTERN`; NULL for another item. */
static const char *pattern_of(const char *item)
{
	static const char trace[] = "trace:";
	const char *pattern = item + strlen(trace);

	return strncmp(item, trace, strlen(trace)) == 0 && *pattern ? pattern : NULL;
}

/*
 * True if the item exists and its pattern matches an event. Returns false after failing the call.
 */
static bool check_item(struct call *call, const char *item)
{
	const char *pattern = pattern_of(item);

	if (strcmp(item, "none") == 0) {
		return true;
	}
	if (!pattern) {
		call_fail(
			call, "unknown log item '%.200s'; there are trace:PATTERN and none", item);
		return false;
	}
	return check_pattern(call, pattern);
}

/* Returns the next item of a comma-separated list; `,,` is a comma in an item. */
static char *next_item(char **items)
{
	char *item = *items;
	char *from = item;
	char *to = item;

	while (*from && (*from != ',' || from[1] == ',')) {
		from += *from == ',';
		*to++ = *from++;
	}
	*items = from + (*from == ',');
	*to = '\0';
	return item;
}

/* Switches events directly, and not by an option, as the program chooses the dialect of options. */
static int apply_item(const char *item, struct waymark_error *error)
{
	struct waymark_event_list list;
	const char *pattern = pattern_of(item);

	if (!pattern || *pattern == '-') {
		return waymark_disable(pattern ? pattern + 1 : "*", WAYMARK_LOG, NULL, error);
	}
	int result = waymark_enable(pattern, WAYMARK_LOG, NULL, error);

	if (result == 0 && waymark_list_events(pattern, &list, NULL) == 0) {
		holds_note_log(&list);
		waymark_free_events(&list);
	}
	return result;
}

/* Check all items before any is applied. Both functions change the text. */
static bool check_items(struct call *call, char *items)
{
	bool good = true;

	while (good && *items) {
		good = check_item(call, next_item(&items));
	}
	return good;
}

static int apply_items(char *items, struct waymark_error *error)
{
	int result = 0;

	holds_lock();
	while (result == 0 && *items) {
		result = apply_item(next_item(&items), error);
	}
	holds_unlock();
	return result;
}

json_t *log_items(struct call *call)
{
	const char *given = call_string(call, "items");
	char *checked = strdup(given);
	char *applied = strdup(given);
	struct waymark_error error = { "out of memory" };
	json_t *result = NULL;

	if (checked && applied && has_log(call) && check_items(call, checked) &&
		apply_items(applied, &error) == 0) {
		result = call_return(call, json_object());
	} else if (!call->error_class) {
		call_fail(call, "%s", error.text);
	}
	free(checked);
	free(applied);
	return result;
}
