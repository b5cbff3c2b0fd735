/* SPDX-License-Identifier: MIT */
/*
 * The parser of option strings: `key=value` parts between commas, where `,,` is a comma inside a
 * value. After reading all parts, it applies keys that affect other keys. control.c, environment.c
 * and trace_option.c call it.
 */
#include <stdlib.h>
#include <string.h>

#include "rt/control/option.h"
#include "rt/control/sinks.h"
#include "rt/host/error.h"

/* Copies one part of an option to `part`, `,,` as a comma; returns where the next begins. */
static const char *copy_part(char *part, const char *text)
{
	while (*text) {
		if (*text == ',' && *++text != ',') {
			break;
		}
		*part++ = *text++;
	}
	*part = '\0';
	return text;
}

/* True if a part without a value is a key of the dialect rather than an expression. */
static bool lacks_value(const char *part)
{
	return strcmp(part, "events") == 0 || strcmp(part, "file") == 0 ||
	       strcmp(part, "type") == 0;
}

static int check_bare(const char *part, struct waymark_error *error)
{
	return lacks_value(part)
		       ? waymark_fail(error,
				 "'%s' needs a value: %s=%s; an expression of that text is "
				 "written enable=%s",
				 part, part,
				 strcmp(part, "type") == 0 ? "all, events or scopes" : "FILE", part)
		       : 0;
}

static bool is_stratovirt(const struct waymark_config *c)
{
	return c->use.dialect == WAYMARK_DIALECT_STRATOVIRT;
}

/*
 * Returns the `=` after a key; NULL if there is none. A name after a category's colon may have one,
 * and so may a condition after a blank, which are not meant.
 */
static char *find_value(char *part)
{
	char *end = strpbrk(part, "=: ");

	return end && *end == '=' ? end : NULL;
}

static int take_part(struct waymark_config *c, char *part, bool first, struct waymark_error *error)
{
	char *equals = find_value(part);

	c->begins = first && !c->use.is_named;

	if (equals) {
		*equals = '\0';
		return waymark_option_take(c, part, equals + 1, error);
	}
	if (is_stratovirt(c) && check_bare(part, error) < 0) {
		return -1;
	}
	if (first || waymark_option_is_help(part)) {
		return waymark_option_take(c, "enable", part, error);
	}
	return waymark_fail(error, "Invalid parameter '%s'; a further pattern is written enable=%s",
		part, part);
}

/*
 * Applies StratoVirt's rules for a whole option: it must not be empty, and type= precedes the rest.
 */
static int end_stratovirt(struct waymark_config *c, bool is_empty, struct waymark_error *error)
{
	if (is_empty && !c->yields) {
		return waymark_fail(error,
			"nothing is given: write type=all, events or scopes, events=FILE, or an "
			"expression");
	}
	if (c->monitor.where && !c->monitor.mode) {
		c->monitor.mode = "stratovirt";
	}
	if (!c->type) {
		return 0;
	}
	return waymark_rules_begin_with(&c->rules,
		*c->type == 'a'	  ? RULE_ALL
		: *c->type == 'e' ? RULE_EVENTS
				  : RULE_SCOPES,
		error);
}

static char **own_file(struct waymark_config *c, unsigned int backend)
{
	return backend == WAYMARK_CTF	   ? &c->ctf_file
	       : backend == WAYMARK_SIMPLE ? &c->simple_file
					   : &c->log_file;
}

unsigned int waymark_config_outputs(const struct waymark_config *c)
{
	return (c->ctf_file ? WAYMARK_CTF : 0u) | (c->simple_file ? WAYMARK_SIMPLE : 0u) |
	       (c->log_file ? WAYMARK_LOG : 0u);
}

void waymark_config_settle_file(struct waymark_config *c, unsigned int backend)
{
	if (c->file) {
		char **loser = c->after_file & backend ? &c->file : own_file(c, backend);

		free(*loser);
		*loser = NULL;
	}
}

static void limit_file(struct waymark_config *c)
{
	const struct waymark_sink *sink = waymark_sink_first(c->backends);

	if (!sink) {
		return;
	}
	waymark_config_settle_file(c, sink->backend);
	if (c->file) {
		*own_file(c, sink->backend) = c->file;
		c->file = NULL;
	}
}

int waymark_option_parse(struct waymark_config *c, const char *text, struct waymark_error *error)
{
	char *part = malloc(strlen(text) + 1);
	int result = part ? 0 : waymark_fail(error, "out of memory");
	bool is_empty = !*text;
	bool first = true;

	c->was_read = true;
	c->use = (struct dialect_use){
		.dialect = waymark_dialect_get(),
		.is_variable = c->yields,
	};
	while (result == 0 && *text) {
		text = copy_part(part, text);
		if (*part) {
			result = take_part(c, part, first, error);
		}
		/* The text after dialect= begins like an option of that dialect. */
		first = c->begins && c->use.is_named;
	}
	free(part);
	if (result == 0 && is_stratovirt(c)) {
		result = end_stratovirt(c, is_empty, error);
	}
	for (size_t i = 0; c->backends && i < c->rules.count; i++) {
		c->rules.items[i].backends = (uint16_t)c->backends;
	}
	limit_file(c);
	return result;
}

void waymark_config_fini(struct waymark_config *c)
{
	waymark_rules_fini(&c->rules);
	free(c->file);
	free(c->ctf_file);
	free(c->simple_file);
	free(c->log_file);
	free(c->ftrace_instance);
	free(c->monitor.where);
	free(c->monitor.prompt);
	*c = (struct waymark_config){ 0 };
}
