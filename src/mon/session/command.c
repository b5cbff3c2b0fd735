/* SPDX-License-Identifier: MIT */
/*
 * The table of commands, the types of their parameters, and errors of calls. Arguments are checked
 * here, so that a command never gets an argument of another type and never lacks one.
 */
#include "mon/session/command.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

const struct command commands[] = {
#define COMMAND(name, dialects, parameters, run, print, help) \
	{ name, dialects, parameters, run, print, help },
#include "mon/session/commands.def"
#undef COMMAND
	{ 0 },
};

/* The types of parameters as in QMP; a list of words is a string. */
static const struct {
	const char *name;
	const char *expected;
	json_type type;
	const char *shown; /* text in a line of help; NULL: the parameter's name */
} types[] = {
	{ "event", "string", JSON_STRING, NULL },
	{ "word", "string", JSON_STRING, NULL },
	{ "path", "string", JSON_STRING, NULL },
	{ "line", "string", JSON_STRING, NULL },
	{ "limits", "string", JSON_STRING, "LIMIT..." },
	{ "condition", "string", JSON_STRING, "if CONDITION" },
	{ "int", "integer", JSON_INTEGER, NULL },
	{ "bool", "boolean", JSON_TRUE, NULL },
	{ "switch", "boolean", JSON_TRUE, "on|off" },
	{ "list", "array", JSON_ARRAY, NULL },
};

static size_t type_index(const struct param *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcmp(types[i].name, p->type) == 0) {
			return i;
		}
	}
	return 0; /* a list of words is a string */
}

bool param_next(struct param *p, const char **parameters)
{
	const char *at = *parameters + strspn(*parameters, " ");
	size_t name = strcspn(at, ":");
	size_t type = at[name] ? strcspn(at + name + 1, " ?") : 0;

	if (!*at || name >= sizeof(p->name) || type >= sizeof(p->type)) {
		return false;
	}
	memcpy(p->name, at, name);
	p->name[name] = '\0';
	memcpy(p->type, at + name + 1, type);
	p->type[type] = '\0';
	at += name + 1 + type;
	p->optional = *at == '?';
	*parameters = at + p->optional;
	return true;
}

bool param_is_choice(const struct param *p)
{
	return strchr(p->type, '|') != NULL;
}

bool param_has_word(const struct param *p, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = p->type; *at; at += *at == '|') {
		size_t n = strcspn(at, "|");

		if (n == length && strncmp(at, word, n) == 0) {
			return true;
		}
		at += n;
	}
	return false;
}

void command_print_usage(FILE *out, const struct command *command)
{
	const char *parameters = command->parameters;
	struct param p;

	while (param_next(&p, &parameters)) {
		const char *shown = param_is_choice(&p) ? p.type : types[type_index(&p)].shown;

		fprintf(out, p.optional ? " [%s]" : " %s", shown ? shown : p.name);
	}
}

const struct command *command_find(const char *name, unsigned int dialect)
{
	commands_foreach(c)
	{
		if (c->dialects & dialect && strcmp(c->name, name) == 0) {
			return c;
		}
	}
	return NULL;
}

static bool check_param(struct call *call, const struct param *p)
{
	const json_t *value = json_object_get(call->arguments, p->name);

	if (!value) {
		return p->optional || call_fail(call, "Parameter '%s' is missing", p->name);
	}
	json_type type = types[type_index(p)].type;

	if (!(json_typeof(value) == type || (type == JSON_TRUE && json_is_false(value)))) {
		return call_fail(call, "Invalid parameter type for '%s', expected: %s", p->name,
			types[type_index(p)].expected);
	}
	if (strcmp(p->type, "path") == 0 && !*json_string_value(value)) {
		return call_fail(call, "Parameter '%s' expects the name of a file", p->name);
	}
	if (param_is_choice(p) && !param_has_word(p, json_string_value(value))) {
		return call_fail(call, "Parameter '%s' does not accept value '%.100s'", p->name,
			json_string_value(value));
	}
	return true;
}

static bool is_known(const struct command *command, const char *name)
{
	const char *parameters = command->parameters;
	struct param p;

	while (param_next(&p, &parameters)) {
		if (strcmp(p.name, name) == 0) {
			return true;
		}
	}
	return false;
}

bool command_check(struct call *call)
{
	const char *parameters = call->command->parameters;
	struct param p;
	const char *name;
	json_t *value;

	while (param_next(&p, &parameters)) {
		if (!check_param(call, &p)) {
			return false;
		}
	}
	json_object_foreach(call->arguments, name, value)
	{
		if (!is_known(call->command, name)) {
			return call_fail(call, "Parameter '%.100s' is unexpected", name);
		}
	}
	return true;
}

/* Copies as much as fits into `size` bytes, with a NUL. */
static void text_copy(char *out, size_t size, const char *text)
{
	size_t length = strlen(text);
	size_t used = 0;

	for (size_t i = 0; i < length;) {
		char escape[ESCAPE_MAX];
		size_t taken = utf8_length(text + i, length - i);
		const char *from = taken ? text + i : escape;
		size_t n = taken ? taken : escape_byte(escape, (unsigned char)text[i]);

		if (used + n >= size) {
			break;
		}
		memcpy(out + used, from, n);
		used += n;
		i += taken ? taken : 1;
	}
	out[used] = '\0';
}

json_t *text_as_json(const char *text)
{
	size_t size = ESCAPE_MAX * strlen(text) + 1;
	char *copy = malloc(size);

	if (!copy) {
		return NULL;
	}
	text_copy(copy, size, text);
	json_t *result = json_string(copy);

	free(copy);
	return result;
}

json_t *call_fail(struct call *call, const char *fmt, ...)
{
	char text[sizeof(call->error)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_copy(call->error, sizeof(call->error), text);
	call->error_class = GENERIC_ERROR;
	return NULL;
}

json_t *call_return(struct call *call, json_t *result)
{
	return result ? result : call_fail(call, "out of memory");
}

const char *call_string(const struct call *call, const char *name)
{
	return json_string_value(json_object_get(call->arguments, name));
}

bool call_bool(const struct call *call, const char *name, bool otherwise)
{
	const json_t *value = json_object_get(call->arguments, name);

	return value ? json_is_true(value) : otherwise;
}
