/* SPDX-License-Identifier: MIT */
/* Commands of `waymark ctl` about files, and those that go to the monitor as they are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/ctl/ctl.h"
#include "cmd/escaped.h"

/* A path that means the same in the program's directory. NULL, and failed, without one here. */
static char *absolute(struct ctl *ctl, const char *path)
{
	char *folder = *path == '/' ? NULL : getcwd(NULL, 0);
	char *text = NULL;

	if (!*path) {
		free(folder);
		ctl_fail(ctl, "the path is empty");
		return NULL;
	}
	if (*path != '/' && !folder) {
		ctl_fail(ctl, "%s: cannot tell the current directory: %s", path, strerror(errno));
		return NULL;
	}
	if (asprintf(&text, "%s%s%s", folder ? folder : "", folder && folder[1] ? "/" : "", path) <
		0) {
		abort();
	}
	free(folder);
	return text;
}

/* Calls a command with a path as one of its arguments, which it takes over. */
static json_t *call_with_path(
	struct ctl *ctl, const char *command, const char *key, json_t *arguments)
{
	const char *given = json_string_value(json_object_get(arguments, key));

	if (given) {
		char *path = absolute(ctl, given);

		if (!path) {
			json_decref(arguments);
			return NULL;
		}
		json_object_set_new(arguments, key, json_string(path));
		free(path);
	}
	return ctl_call(ctl, command, arguments);
}

json_t *ctl_snapshot(struct ctl *ctl)
{
	return call_with_path(ctl, "trace-snapshot", "directory",
		json_pack("{s:s*}", "directory", ctl->count ? ctl->words[0] : NULL));
}

void ctl_print_path(const struct ctl *ctl, const json_t *result)
{
	const char *path = json_string_value(json_object_get(result, "path"));

	(void)ctl;
	escaped_put(stdout, path ? path : "");
	putchar('\n');
}

json_t *ctl_file(struct ctl *ctl)
{
	const char *action = ctl->count ? ctl->words[0] : "status";

	if (strcmp(action, "on") != 0 && strcmp(action, "off") != 0 && strcmp(action, "set") != 0 &&
		ctl->count) {
		return ctl_fail(ctl, "file takes on, off or set, not '%s'", action);
	}
	if (ctl->count > 1 && strcmp(action, "set") != 0) {
		return ctl_fail(ctl, "only 'file set' takes a path");
	}
	return call_with_path(ctl, "trace-file", "path",
		json_pack("{s:s, s:s*, s:s*}", "action", action, "path",
			ctl->count > 1 ? ctl->words[1] : NULL, "backend", ctl->backend));
}

void ctl_print_file(const struct ctl *ctl, const json_t *result)
{
	const char *backend = json_string_value(json_object_get(result, "backend"));
	const char *path = json_string_value(json_object_get(result, "path"));

	(void)ctl;
	escaped_printf(stdout, "%s %s %s%s", backend ? backend : "?",
		json_is_true(json_object_get(result, "on")) ? "on" : "off",
		path && *path ? path : "standard error",
		json_is_false(json_object_get(result, "begun")) && path && *path
			? " (does not exist yet)"
			: "");
	putchar('\n');
}

json_t *ctl_flush(struct ctl *ctl)
{
	json_t *done = ctl_call(ctl, "trace-file",
		json_pack("{s:s, s:s*}", "action", "flush", "backend", ctl->backend));

	return done || ctl->client.failure != CLIENT_REFUSED
		       ? done
		       : ctl_fail(ctl,
				 "%s; 'waymark ctl %s file' shows where to, 'file set' names "
				 "another place",
				 ctl->client.error, ctl->target);
}

/* The line that the words make, with a blank between. The caller frees it. */
static char *join(const struct ctl *ctl)
{
	char *line = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&line, &size);

	if (!out) {
		abort();
	}
	for (int i = 0; i < ctl->count; i++) {
		fprintf(out, "%s%s", i ? " " : "", ctl->words[i]);
	}
	fclose(out);
	return line;
}

json_t *ctl_monitor(struct ctl *ctl)
{
	char *line = join(ctl);
	json_t *result =
		ctl_call(ctl, "human-monitor-command", json_pack("{s:s}", "command-line", line));

	free(line);
	return result;
}

/* Text of several lines: nothing in it but newlines and tabs can command a terminal. */
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
		return ctl_fail(ctl,
			"it takes an object of JSON, such as '{\"execute\": \"query-version\"}'%s%s",
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
