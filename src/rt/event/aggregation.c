/* SPDX-License-Identifier: MIT */
/* Aggregations as text, and the events that they fit: see aggregation.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "rt/event/aggregation.h"
#include "rt/event/pairing.h"
#include "rt/host/error.h"

static const char *const names[AGGREGATE_KINDS] = OWN_AGGREGATE_NAMES;

/* As of struct aggregate_field. */
static const struct {
	bool is_plain;
	uint8_t digits;
} kinds[AGGREGATE_KINDS] = {
	[AGGREGATE_SUM] = { true, AGGREGATE_NO_BUCKETS },
	[AGGREGATE_HIST] = { true, 0 },
	[AGGREGATE_QUANTILE] = { true, OWN_QUANTILE_DIGITS },
};

#define FORM                                                                                 \
	"write aggregate EVENT FUNCTION, ... [by FIELD, ...] [if CONDITION]; functions are " \
	"count, sum(FIELD), min(), max(), avg(), hist() and quantile()"

/* ---- Parts ---- */

/* Takes the part before a comma off, which is not inside of parentheses. */
static struct part take_item(struct part *rest)
{
	const char *end = rest->text + rest->length;
	const char *s = rest->text;
	int depth = 0;

	for (; s < end && (*s != ',' || depth > 0); s++) {
		depth += (*s == '(') - (*s == ')');
	}
	const struct part item = part_of(rest->text, s);

	*rest = part_of(s < end ? s + 1 : s, end);
	return item;
}

/* Returns the first ` by ` outside of parentheses; NULL: there is none. */
static const char *find_by(struct part p)
{
	static const char by[] = " by ";
	const char *end = p.text + p.length;
	int depth = 0;

	for (const char *s = p.text; s + strlen(by) <= end; s++) {
		depth += (*s == '(') - (*s == ')');
		if (depth == 0 && memcmp(s, by, strlen(by)) == 0) {
			return s;
		}
	}
	return NULL;
}

/* ---- Functions ---- */

static bool is_name(struct part p)
{
	for (size_t i = 0; i < p.length; i++) {
		if (strchr(" ,()", p.text[i])) {
			return false;
		}
	}
	return p.length > 0;
}

static bool is_value(struct part p)
{
	return is_name(p) || (waymark_pairing_is(p.text, p.length) && p.text[p.length - 1] == ')');
}

/* Reads `count` or `sum(bytes)`. Returns false if it is wrong. */
static bool read_function(struct aggregate_function *f, struct part text)
{
	const char *open = memchr(text.text, '(', text.length);
	const char *end = text.text + text.length;
	const struct part name = part_of(text.text, open ? open : end);

	*f = (struct aggregate_function){ .text = text };
	for (; f->kind < AGGREGATE_LEFT_OUT && !part_is(&name, names[f->kind]); f->kind++) {
	}
	if (f->kind == AGGREGATE_LEFT_OUT || (f->kind == AGGREGATE_COUNT) == (open != NULL)) {
		return false;
	}
	if (open) {
		f->value = part_of(open + 1, end - 1);
	}
	return !open || (end[-1] == ')' && is_value(f->value));
}

/* Notes an elapsed(). Returns false if another one is there. */
static bool note_elapsed(struct aggregation *a, struct part value)
{
	if (!value.text || !waymark_pairing_is(value.text, value.length)) {
		return true;
	}
	if (a->elapsed.text && (a->elapsed.length != value.length ||
				       memcmp(a->elapsed.text, value.text, value.length) != 0)) {
		return false;
	}
	a->elapsed = value;
	return true;
}

static int add_function(struct aggregation *a, struct part text, struct waymark_error *error)
{
	struct aggregate_function f;

	if (!read_function(&f, text)) {
		return waymark_fail(error, "aggregation '%s': '%.*s' is wrong; " FORM, a->text,
			(int)text.length, text.text);
	}
	if (!note_elapsed(a, f.value)) {
		return waymark_fail(error, "aggregation '%s': two different elapsed()", a->text);
	}
	if (f.kind == AGGREGATE_COUNT) {
		a->functions[0] = f;
		return 0;
	}
	if (a->function_count == AGGREGATE_FUNCTIONS_MAX) {
		return waymark_fail(error, "aggregation '%s': more than %u functions", a->text,
			AGGREGATE_FUNCTIONS_MAX - 1);
	}
	a->functions[a->function_count++] = f;
	return 0;
}

static int add_key(struct aggregation *a, struct part text, struct waymark_error *error)
{
	if (!is_name(text)) {
		return waymark_fail(error, "aggregation '%s': '%.*s' is no field; " FORM, a->text,
			(int)text.length, text.text);
	}
	for (unsigned int i = 0; i < a->key_count; i++) {
		if (a->keys[i].length == text.length &&
			memcmp(a->keys[i].text, text.text, text.length) == 0) {
			return waymark_fail(error, "aggregation '%s': '%.*s' is given twice",
				a->text, (int)text.length, text.text);
		}
	}
	if (a->key_count == AGGREGATE_KEYS_MAX) {
		return waymark_fail(error, "aggregation '%s': more than %u fields after 'by'",
			a->text, AGGREGATE_KEYS_MAX);
	}
	a->keys[a->key_count++] = text;
	return 0;
}

/* Calls a function for each item of a list, of which there must be one. */
static int each_item(struct aggregation *a, struct part list,
	int (*add)(struct aggregation *a, struct part item, struct waymark_error *error),
	struct waymark_error *error)
{
	bool ends = list.length && list.text[list.length - 1] == ',';

	do {
		if (add(a, take_item(&list), error) < 0) {
			return -1;
		}
	} while (list.length);
	return ends ? add(a, list, error) : 0; /* nothing follows the comma */
}

static int parse(struct aggregation *a, struct part functions, struct waymark_error *error)
{
	static const char count[] = "count";
	const char *end = functions.text + functions.length;
	const char *by = find_by(functions);

	a->functions[a->function_count++] =
		(struct aggregate_function){ .text = { count, strlen(count) } };
	if (each_item(a, part_of(functions.text, by ? by : end), add_function, error) < 0) {
		return -1;
	}
	a->terms = part_of(by ? by : end, a->text + strlen(a->text));
	return by ? each_item(a, part_of(by + strlen(" by "), end), add_key, error) : 0;
}

/* Returns the same part of another copy of the text. */
static struct part moved(struct part p, const char *from, const char *to)
{
	return (struct part){ to + (p.text - from), p.length };
}

struct aggregation *waymark_aggregation_new(
	const char *text, struct part pattern, struct part functions, struct waymark_error *error)
{
	struct aggregation *a = calloc(1, sizeof(*a) + strlen(text) + 1);

	if (!a) {
		waymark_fail(error, "out of memory");
		return NULL;
	}
	strcpy(a->text, text);
	a->users = 1;
	a->event = moved(pattern, text, a->text);
	if (parse(a, moved(functions, text, a->text), error) < 0) {
		free(a);
		return NULL;
	}
	return a;
}

struct aggregation *waymark_aggregation_use(struct aggregation *a)
{
	if (a) {
		__atomic_fetch_add(&a->users, 1, __ATOMIC_RELAXED);
	}
	return a;
}

void waymark_aggregation_release(struct aggregation *a)
{
	if (a && __atomic_sub_fetch(&a->users, 1, __ATOMIC_ACQ_REL) == 0) {
		free(a);
	}
}

/* ---- Events ---- */

static int fail_unknown(const struct aggregation *a, const struct fields *f, struct part name,
	struct waymark_error *error)
{
	const char *near = waymark_field_near(f->event, name.text, name.length);

	return waymark_fail(error, "aggregation '%s': event '%s' has no field '%.*s'%s%s%s",
		a->text, f->event->name, (int)name.length, name.text,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int fail_type(const struct aggregation *a, const struct fields *f, struct part name,
	struct waymark_error *error)
{
	return waymark_fail(error, "aggregation '%s': field '%.*s' of event '%s' is no number",
		a->text, (int)name.length, name.text, f->event->name);
}

static int bind_value(const struct aggregation *a, const struct fields *f, unsigned int i,
	struct aggregate_field *to, struct waymark_error *error)
{
	const struct part name = a->functions[i].value;
	enum aggregate_kind kind = a->functions[i].kind;
	struct expr_field field;

	if (!waymark_field_find(f, name.text, name.length, &field)) {
		return fail_unknown(a, f, name, error);
	}
	if (field.type == EXPR_TEXT || field.type == EXPR_ANY) {
		return fail_type(a, f, name, error);
	}
	to->ref = waymark_field_ref(f->event, field.slot);
	to->is_float = field.type == EXPR_FLOAT;
	to->is_plain = kinds[kind].is_plain && to->ref.mask;
	to->digits = kinds[kind].digits;
	return 0;
}

static int bind_key(const struct aggregation *a, const struct fields *f, unsigned int i,
	struct field_ref *to, struct waymark_error *error)
{
	const struct part name = a->keys[i];
	struct expr_field field;

	if (!waymark_field_find(f, name.text, name.length, &field)) {
		return fail_unknown(a, f, name, error);
	}
	*to = waymark_field_ref(f->event, field.slot);
	/* A fraction, 128 bits, or a value of any type. */
	bool is_wide = field.slot < f->event->arg_count && field.type == EXPR_INTEGER && !to->mask;

	if (field.type == EXPR_ANY || field.type == EXPR_FLOAT || is_wide) {
		return waymark_fail(error,
			"aggregation '%s': field '%.*s' of event '%s' is no key: take an integer "
			"of at most 64 bits, or a text",
			a->text, (int)name.length, name.text, f->event->name);
	}
	return 0;
}

bool waymark_aggregation_bind(const struct aggregation *a, const struct fields *f,
	struct aggregate_binding *b, struct waymark_error *error)
{
	b->function_count = a->function_count;
	b->key_count = a->key_count;
	b->is_plain = true;
	for (unsigned int i = 1; i < a->function_count; i++) {
		if (bind_value(a, f, i, &b->values[i], error) < 0) {
			return false;
		}
		b->is_plain &= b->values[i].is_plain;
	}
	for (unsigned int i = 0; i < a->key_count; i++) {
		if (bind_key(a, f, i, &b->keys[i], error) < 0) {
			return false;
		}
		b->is_plain &= b->keys[i].mask != 0;
	}
	return true;
}

unsigned int waymark_aggregation_index(const struct aggregation *a)
{
	static char *texts[AGGREGATIONS_MAX]; /* under the control lock */
	unsigned int i = 0;

	while (i < AGGREGATIONS_MAX && texts[i] && strcmp(texts[i], a->text) != 0) {
		i++;
	}
	if (i < AGGREGATIONS_MAX && !texts[i]) {
		texts[i] = strdup(a->text);
		return texts[i] ? i : AGGREGATIONS_MAX;
	}
	return i;
}
