/* SPDX-License-Identifier: MIT */
/* Commands about the monitor itself: help, list of commands, version, quit. */
#include <stdlib.h>
#include <string.h>

#include "mon/session/command.h"
#include "mon/session/dialect.h"

/* True if `name` is the command's name, or its first word. "" matches all commands. */
static bool has_name(const struct command *command, const char *name)
{
	size_t n = strlen(name);

	return n == 0 || (strncmp(command->name, name, n) == 0 &&
				 (!command->name[n] || command->name[n] == ' '));
}

json_t *help(struct call *call)
{
	const char *given = call_string(call, "command");
	const char *name = given ? given : "";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *result = NULL;

	commands_foreach(c)
	{
		if (out && c->dialects & HMP && has_name(c, name)) {
			fputs(c->name, out);
			command_print_usage(out, c);
			fprintf(out, " -- %s\n", c->help);
		}
	}
	if (out && fclose(out) == 0) {
		result = *text ? json_string(text)
			       : call_fail(call, "unknown command: '%.500s'", name);
	}
	free(text);
	return result || call->error_class ? result : call_return(call, NULL);
}

void print_text(FILE *out, const json_t *result)
{
	fputs(json_string_value(result), out);
}

json_t *query_commands(struct call *call)
{
	json_t *list = json_array();

	commands_foreach(c)
	{
		if (c->dialects & call->session->dialect->bit) {
			json_array_append_new(list, json_pack("{s:s}", "name", c->name));
		}
	}
	return call_return(call, list);
}

json_t *version_as_json(void)
{
	int major = 0;
	int minor = 0;
	int micro = 0;

	sscanf(WAYMARK_VERSION, "%d.%d.%d", &major, &minor, &micro);
	return json_pack("{s:{s:i, s:i, s:i}, s:s}", "qemu", "micro", micro, "minor", minor,
		"major", major, "package", "Waymark-" WAYMARK_VERSION);
}

json_t *query_version(struct call *call)
{
	return call_return(call, version_as_json());
}

void print_version(FILE *out, const json_t *result)
{
	fprintf(out, "%s\n", member_text(result, "package"));
}

json_t *quit(struct call *call)
{
	call->session->ended = true;
	return call_return(call, json_object());
}
