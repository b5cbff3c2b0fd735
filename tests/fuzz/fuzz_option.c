/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a -trace option of either dialect and as an events file of each. Events files that
 * an option names are not read, so that no file of this machine becomes input.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rt/control/events_file.h"
#include "rt/control/option.h"
#include "rt/control/sinks.h"
#include "rt/host/error.h"
#include "rt/record/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The only call of an option into the sinks: the first named backend that has files. */
const struct waymark_sink *waymark_sink_first(unsigned int backends)
{
	static const struct waymark_sink sinks[] = {
		{ .backend = WAYMARK_CTF },
		{ .backend = WAYMARK_SIMPLE },
		{ .backend = WAYMARK_LOG },
	};

	for (size_t i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++) {
		if (sinks[i].backend & backends) {
			return &sinks[i];
		}
	}
	return NULL;
}

/* There are no events whose fields an expression could need. */
/* Nothing runs in a process of ours. */
struct process *waymark_process(void)
{
	return NULL;
}

uint64_t waymark_clock_ns(void)
{
	return 0;
}

/* A trigger whose actions are read, and which no event fires. */
struct trigger *waymark_trigger_new(const char *text, const struct rule_text *parts,
	const struct terms *terms, struct waymark_error *error)
{
	struct trigger *t = calloc(1, sizeof(*t) + strlen(text) + 1);

	(void)terms;
	if (t && waymark_actions_parse(&t->actions, parts->actions.text, error) == 0) {
		return t;
	}
	free(t);
	return NULL;
}

void waymark_trigger_free(struct trigger *t)
{
	if (t) {
		waymark_actions_fini(&t->actions);
		free(t);
	}
}

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

/* A refusal has a one-line reason without control characters. */
static void check_result(int result, const struct waymark_error *error)
{
	require(result == 0 || result == -1);
	if (result == 0) {
		return;
	}
	require(error->text[0] != '\0' && memchr(error->text, '\0', sizeof(error->text)));
	for (const char *c = error->text; *c; c++) {
		require((unsigned char)*c >= 0x20 || *c == '\t');
	}
}

static void check_rules(const struct waymark_rules *rules)
{
	require(rules->count <= rules->capacity);
	for (size_t i = 0; i < rules->count; i++) {
		const struct waymark_rule *r = &rules->items[i];

		require(r->pattern[0] != '\0' && r->backends != 0);
		require(rule_is_exact(r) == (*r->pattern != '/' && !strpbrk(r->pattern, "*?")));
		require((r->match.regex != NULL) == (r->match.kind == PATTERN_REGEX));
		require((r->match.kind >= PATTERN_PART) == (*r->pattern == '/'));
		waymark_pattern_matches_text(&r->match, "blk_read_or_write_2_done"); /* soon */
		require(r->match.hash == waymark_pattern_name(r->pattern).hash);
	}
}

static void parse_option(const char *text)
{
	struct waymark_config c = { 0 };
	struct waymark_error error;

	if (strstr(text, "events=") || (strstr(text, ",file=") && strstr(text, "stratovirt"))) {
		return;
	}
	int result = waymark_option_parse(&c, text, &error);

	check_result(result, &error);
	check_rules(&c.rules);
	require(!c.file || c.file[0]);
	waymark_config_fini(&c);
}

static void parse_list(const char *text, size_t size)
{
	struct waymark_rules rules = { 0 };
	struct waymark_error error;

	check_result(waymark_regex_file_parse(&rules, "list", text, size, &error), &error);
	check_rules(&rules);
	waymark_rules_fini(&rules);
}

static void parse_file(const char *text, size_t size)
{
	struct waymark_rules rules = { 0 };
	struct waymark_error error;

	check_result(waymark_events_file_parse(&rules, "list", text, size, &error), &error);
	check_rules(&rules);
	waymark_rules_fini(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	parse_option(text);
	free(text);
	parse_file((const char *)data, size);
	parse_list((const char *)data, size);
	return 0;
}
