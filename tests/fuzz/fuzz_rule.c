/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the text of a rule: its parts lie in the text, one behind the other; its terms and
 * actions are refused with a reason, or fit an event with fields of each kind or not, and the
 * condition is then evaluated for a call. The first byte chooses the call's values.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr/program.h"
#include "rt/event/action.h"
#include "rt/event/terms.h"
#include "rt/host/error.h"
#include "rt/record/process.h"

/* Nothing runs in a process of ours. */
struct process *waymark_process(void)
{
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

uint64_t waymark_clock_ns(void)
{
	return 1000;
}

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

/* ---- The event ---- */

static const struct waymark_arg args[] = {
	{ WAYMARK_SIGNED, 1, 0 },
	{ WAYMARK_UNSIGNED, 8, 0 },
	{ WAYMARK_SIGNED, 4, 0 },
	{ WAYMARK_STRING, 0, WAYMARK_FIRST_BY(2) },
	{ WAYMARK_STRING, 0, WAYMARK_WHOLE },
	{ WAYMARK_FLOAT, 8, 0 },
	{ WAYMARK_TEXT, 0, 0 },
	{ WAYMARK_SIGNED, 16, 0 },
	{ WAYMARK_DEBUG, 0, 0 },
};

static const struct waymark_event event = {
	.name = "io\0"
		"\0"
		"i\0int8_t\0u\0uint64_t\0n\0int\0p\0const char *\0s\0const char *\0f\0f64\0t\0str\0"
		"w\0i128\0d\0&dyn fmt::Debug\0"
		"@enum i -1=read 1=write\n@unit u KiB\n@unit n us\n",
	.args = args,
	.arg_count = sizeof(args) / sizeof(args[0]),
};

static struct waymark_debug debug_of(uint8_t choice)
{
	switch (choice % 4) {
	case 0:
		return waymark_debug_i64(-1);
	case 1:
		return waymark_debug_text("text", choice % 5);
	case 2:
		return waymark_debug_file(3);
	default:
		return waymark_debug_char(0xe9);
	}
}

static void run(const struct expr_program *p, uint8_t choice)
{
	struct waymark_debug debug = debug_of(choice);
	double number = choice / 2.0;
	uint64_t words[] = { choice, choice % 7 ? choice : UINT64_MAX, choice % 5,
		(uintptr_t) "read", choice % 3 ? (uintptr_t) "text" : 0, 0, (uintptr_t) "text",
		choice % 5, UINT64_C(1) << choice % 64, choice % 2 ? UINT64_MAX : 0,
		(uintptr_t)&debug };
	struct field_call call = { &event, words, choice & 1, choice };

	memcpy(&words[5], &number, sizeof(number));
	expr_run(p, words, field_own(&call), waymark_field_get, &call);
	for (unsigned int i = 0; i < event.arg_count; i++) {
		waymark_field_key(&call, i);
	}
}

/* ---- The text ---- */

static void check_error(const struct waymark_error *error)
{
	require(error->text[0] && memchr(error->text, '\0', sizeof(error->text)));
}

/* A part lies in the text, behind the one before. */
static const char *check_part(const struct part *p, const char *after, const char *end)
{
	if (!p->text) {
		return after;
	}
	require(p->text >= after && p->text <= end && p->length <= (size_t)(end - p->text));
	return p->text + p->length;
}

static struct rule_text split(const char *text)
{
	struct rule_text parts = waymark_rule_split(text);
	const char *end = text + strlen(text);
	const char *after = check_part(&parts.pattern, text, end);

	after = check_part(&parts.functions, after, end);
	after = check_part(&parts.limits, after, end);
	after = check_part(&parts.condition, after, end);
	check_part(&parts.actions, after, end);
	return parts;
}

static void try_actions(const struct rule_text *parts)
{
	struct waymark_error error;
	struct actions actions = { 0 };

	if (!parts->actions.text) {
		return;
	}
	if (waymark_actions_parse(&actions, parts->actions.text, &error) == 0) {
		require(actions.count > 0 && actions.count <= ACTIONS_MAX);
		waymark_actions_fini(&actions);
	} else {
		check_error(&error);
	}
}

static void try_condition(const struct terms *t, uint8_t choice)
{
	struct expr_error why;
	struct fields f;

	require(waymark_terms_fields(t, &event, &f));
	struct expr_program *p = waymark_condition_compile(t->condition, &f, &why);

	require(p);
	run(p, choice);
	expr_program_free(p);
	waymark_fields_fini(&f);
}

static void try_limits(const struct limits *l)
{
	uint64_t next = 0;
	uint64_t passed = 0;
	struct limits *copy = waymark_limits_copy(l);

	require(copy && strcmp(copy->text, l->text) == 0);
	require(!l->interval_ns || limits_rate(copy, 1000, &next));
	require(limits_first(copy, &passed));
	free(copy);
}

/* The functions and keys of an aggregation that fits are bound to fields of the event. */
static void try_aggregation(const struct terms *t)
{
	const struct aggregation *a = t->aggregation;
	struct aggregate_binding b;
	struct fields f;

	require(a->function_count > 0 && a->functions[0].kind == AGGREGATE_COUNT);
	require(waymark_terms_fields(t, &event, &f));
	require(waymark_aggregation_bind(a, &f, &b, NULL));
	require(b.function_count == a->function_count && b.key_count == a->key_count);
	require(waymark_aggregation_index(a) <= AGGREGATIONS_MAX);
	waymark_fields_fini(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct waymark_error error;
	struct terms *t;
	uint8_t choice = size ? *data : 0;
	char *text = size ? strndup((const char *)data + 1, size - 1) : calloc(1, 1);
	struct rule_text parts = split(text);

	try_actions(&parts);
	if (waymark_terms_new(&t, &parts, &error) < 0) {
		check_error(&error);
	} else if (t && !waymark_terms_fit(t, &event, &error)) {
		check_error(&error);
	} else if (t) {
		if (t->condition) {
			try_condition(t, choice);
		}
		if (t->aggregation) {
			try_aggregation(t);
		}
	}
	if (t && t->limits) {
		try_limits(t->limits);
	}
	waymark_terms_free(t);
	free(text);
	return 0;
}
