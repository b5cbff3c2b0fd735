/* SPDX-License-Identifier: MIT */
/* Terms of rules: see terms.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/event/terms.h"
#include "rt/host/error.h"

/* ---- The text of a rule ---- */

#define THEN " then "

/* Returns the first ` then ` outside of quotes; NULL: there is none. */
static const char *find_then(const char *text, const char *end)
{
	bool is_quoted = false;

	for (const char *s = text; s + strlen(THEN) <= end; s++) {
		if (!is_quoted && memcmp(s, THEN, strlen(THEN)) == 0) {
			return s;
		}
		is_quoted ^= *s == '"';
		s += is_quoted && *s == '\\'; /* the next character is escaped */
	}
	return NULL;
}

/* Moves `begin` behind a word and a blank. Returns false if it does not begin with them. */
static bool skip_word(const char **begin, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*begin, word, length) != 0 || (*begin)[length] != ' ') {
		return false;
	}
	*begin += length + 1;
	return true;
}

/* Returns a regular expression's second slash, because it may have blanks; or the pattern's begin.
 */
static const char *skip_regex(const char *begin, const char *end)
{
	const char *slash = *begin == '/' ? strchr(begin + 1, '/') : NULL;

	return slash && slash < end ? slash : begin;
}

static const char *end_of_word(const char *begin)
{
	begin += strspn(begin, " ");
	return begin + strcspn(begin, " ");
}

struct rule_text waymark_rule_split(const char *text)
{
	struct rule_text parts = { .off = *text == '-' };
	const char *begin = text + parts.off;
	const char *end = begin + strlen(begin);
	bool aggregates = skip_word(&begin, "aggregate");

	if (!aggregates && skip_word(&begin, "when")) {
		const char *then = find_then(begin, end);

		parts.actions = part_of(then ? then + strlen(THEN) : end, end);
		end = then ? then : end;
	}
	const char *pattern = skip_regex(begin, end);
	const char *word = memmem(pattern, (size_t)(end - pattern), " if ", strlen(" if "));

	if (word) {
		parts.condition = part_of(word + strlen(" if "), end);
		end = word;
	}
	if (aggregates) {
		pattern = end_of_word(pattern);
		parts.functions = part_of(pattern < end ? pattern : end, end);
		end = pattern < end ? pattern : end;
	}
	const char *limits = waymark_limits_find(pattern, end);

	if (limits) {
		parts.limits = part_of(limits, end);
		end = limits;
	}
	parts.pattern = part_of(begin, end);
	if (!parts.limits.text && !parts.condition.text && !rule_text_watches(&parts)) {
		parts.pattern = (struct part){ begin, strlen(begin) }; /* it may end in a blank */
	}
	return parts;
}

/* ---- Parsing ---- */

/* The bytes of a condition that an error shows, which leave room for the reason. */
#define SHOWN 120

/* Fails with an error in an expression. Returns -1. */
static int fail_at(struct waymark_error *error, const char *text, const struct expr_error *why)
{
	return waymark_fail(error, "condition '%.*s%s': column %zu: %s%s%s", SHOWN, text,
		strlen(text) > SHOWN ? "..." : "", why->at + 1, why->text, *why->help ? "; " : "",
		why->help);
}

static int parse_condition(struct terms *t, const struct part *part, struct waymark_error *error)
{
	struct expr_error why;
	char *text = strndup(part->text, part->length);

	if (!text) {
		return waymark_fail(error, "out of memory");
	}
	t->condition = expr_parse(text, &why);
	int result = t->condition ? 0 : fail_at(error, text, &why);

	free(text);
	return result;
}

/* Makes the pairing of an elapsed(), if there is one. */
static int parse_pairing(struct terms *t, struct waymark_error *error)
{
	const char *first = t->aggregation ? t->aggregation->elapsed.text : NULL;
	size_t first_length = first ? t->aggregation->elapsed.length : 0;
	size_t at, length;

	for (size_t i = 0; t->condition && i < expr_name_count(t->condition); i++) {
		const char *name = expr_name(t->condition, i, &at, &length);

		if (!waymark_pairing_is(name, length)) {
			continue;
		}
		if (first && (length != first_length || memcmp(name, first, length) != 0)) {
			return waymark_fail(error, "condition '%s': two different elapsed()",
				expr_text(t->condition));
		}
		first = name;
		first_length = length;
	}
	t->pairing = first ? waymark_pairing_new(first, first_length, error) : NULL;
	return t->pairing || !first ? 0 : -1;
}

static int parse(struct terms *t, const struct rule_text *text, struct waymark_error *error)
{
	if (text->condition.text && parse_condition(t, &text->condition, error) < 0) {
		return -1;
	}
	if (text->functions.text) {
		t->aggregation = waymark_aggregation_new(
			text->pattern.text, text->pattern, text->functions, error);
		if (!t->aggregation) {
			return -1;
		}
	}
	if (parse_pairing(t, error) < 0) {
		return -1;
	}
	if (text->limits.text) {
		t->limits = waymark_limits_new(text->limits.text, text->limits.length, error);
		return t->limits ? 0 : -1;
	}
	return 0;
}

int waymark_terms_new(
	struct terms **terms, const struct rule_text *text, struct waymark_error *error)
{
	*terms = NULL;
	if (!text->condition.text && !text->limits.text && !text->functions.text) {
		return 0;
	}
	struct terms *t = calloc(1, sizeof(*t));

	if (!t) {
		return waymark_fail(error, "out of memory");
	}
	if (parse(t, text, error) < 0) {
		waymark_terms_free(t);
		return -1;
	}
	*terms = t;
	return 0;
}

void waymark_terms_free(struct terms *t)
{
	if (t) {
		expr_free(t->condition);
		waymark_pairing_release(t->pairing);
		waymark_aggregation_release(t->aggregation);
		free(t->limits);
		free(t);
	}
}

/* ---- Terms and events ---- */

/* Sets the error for a name that the event lacks. */
static void fail_unknown(
	struct expr_error *why, const struct waymark_event *event, const char *name, size_t length)
{
	const char *near = waymark_field_near(event, name, length);

	why->length = length;
	snprintf(why->text, sizeof(why->text), "event '%s' has no field or value '%.*s'",
		event->name, (int)length, name);
	snprintf(
		why->help, sizeof(why->help), near ? "did you mean '%s'?" : "%s", near ? near : "");
}

/* Sets the error for a name that the event lacks; false if it has all of them. */
static bool lacks_name(const struct expr *e, const struct expr_bound *b,
	const struct waymark_event *event, struct expr_error *why)
{
	size_t length;

	for (size_t i = 0; i < expr_name_count(e); i++) {
		if (!expr_bound_knows(b, i)) {
			const char *name = expr_name(e, i, &why->at, &length);

			fail_unknown(why, event, name, length);
			return true;
		}
	}
	return false;
}

/* Returns the expression bound to the event; NULL, with the error, if it does not fit. */
static struct expr_bound *bind_to(
	const struct expr *e, const struct fields *f, struct expr_error *why)
{
	const struct expr_scope scope = { waymark_field_find, f };
	struct expr_bound *b = expr_bind(e, &scope, why);
	bool good = b && !lacks_name(e, b, f->event, why);

	if (good && expr_bound_type(b) == EXPR_TEXT) {
		*why = (struct expr_error){ .length = strlen(expr_text(e)),
			.text = "a text is neither true nor false",
			.help = "compare it with ==" };
		good = false;
	}
	if (!good) {
		expr_bound_free(b);
		return NULL;
	}
	return b;
}

struct expr_program *waymark_condition_compile(
	const struct expr *condition, const struct fields *f, struct expr_error *why)
{
	struct expr_bound *b = bind_to(condition, f, why);
	struct expr_program *p = b ? expr_compile(b, waymark_field_word, f, why) : NULL;

	expr_bound_free(b);
	return p;
}

bool waymark_limits_field(const struct limits *l, const struct fields *f, struct field_ref *ref)
{
	struct expr_field field;

	if (!waymark_field_find(f, l->field, l->field_length, &field)) {
		return false;
	}
	*ref = waymark_field_ref(f->event, field.slot);
	return true;
}

bool waymark_terms_fields(
	const struct terms *t, const struct waymark_event *event, struct fields *f)
{
	if (!waymark_fields_init(f, event)) {
		return false;
	}
	f->pairing = t ? t->pairing : NULL;
	return true;
}

/* Returns false, with the error, if the event lacks the field by which elapsed() pairs. */
static bool has_pairing_field(const struct fields *f, struct expr_error *why)
{
	const struct pairing *p = f->pairing;
	unsigned int slot;

	if (!p || waymark_field_slot(f->event, p->field, strlen(p->field), &slot)) {
		return true;
	}
	why->at = 0;
	fail_unknown(why, f->event, p->field, strlen(p->field));
	return false;
}

static bool condition_fits(
	const struct expr *e, const struct fields *f, struct waymark_error *error)
{
	struct expr_error why;
	struct expr_program *p =
		has_pairing_field(f, &why) ? waymark_condition_compile(e, f, &why) : NULL;

	if (!p) {
		fail_at(error, expr_text(e), &why);
	}
	expr_program_free(p);
	return p;
}

static bool limits_fit(const struct limits *l, const struct fields *f, struct waymark_error *error)
{
	struct expr_error why;
	struct field_ref ref;

	if (!l->field || waymark_limits_field(l, f, &ref)) {
		return true;
	}
	fail_unknown(&why, f->event, l->field, l->field_length);
	return waymark_fail(error, "limit '%s': %s%s%s", l->text, why.text, *why.help ? "; " : "",
		       why.help) == 0;
}

static bool aggregation_fits(
	const struct aggregation *a, const struct fields *f, struct waymark_error *error)
{
	struct expr_error why;
	struct aggregate_binding b;

	if (!has_pairing_field(f, &why)) {
		return waymark_fail(error, "aggregation '%s': %s", a->text, why.text) == 0;
	}
	return waymark_aggregation_bind(a, f, &b, error);
}

bool waymark_terms_fit(
	const struct terms *t, const struct waymark_event *event, struct waymark_error *error)
{
	struct fields f;

	if (event->flags & WAYMARK_EVENT_SITE) {
		return waymark_fail(error,
			       "trace point '%s' is not declared: it has no conditions, limits or "
			       "triggers",
			       event->name) == 0;
	}
	if (!t) {
		return true;
	}
	if (!waymark_terms_fields(t, event, &f)) {
		return waymark_fail(error, "out of memory") == 0;
	}
	bool fits = (!t->condition || condition_fits(t->condition, &f, error)) &&
		    (!t->limits || limits_fit(t->limits, &f, error)) &&
		    (!t->aggregation || aggregation_fits(t->aggregation, &f, error));

	waymark_fields_fini(&f);
	return fits;
}
