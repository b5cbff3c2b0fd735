/* SPDX-License-Identifier: MIT */
/* Conditions of events: see decision.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/event/decision.h"
#include "rt/host/error.h"
#include "rt/record/cursor.h"

/* How long after a store other processors see it at the latest. */
#define GRACE_NS UINT64_C(100000000)

struct condition {
	struct expr *expr;
};

struct decision *waymark_decisions[REGISTRY_IDS_MAX];
uint16_t waymark_conditional[REGISTRY_IDS_MAX];

/* Replaced ones, the last first. Under the control lock. */
static struct decision *retired;

/* ---- Conditions ---- */

/* Fails with an error in an expression. Returns -1. */
static int fail_at(struct waymark_error *error, const char *text, const struct expr_error *why)
{
	return waymark_fail(error, "condition '%s': column %zu: %s%s%s", text, why->at + 1,
		why->text, *why->help ? "; " : "", why->help);
}

struct condition *waymark_condition_new(const char *text, struct waymark_error *error)
{
	struct expr_error why;
	struct condition *c = malloc(sizeof(*c));

	if (!c) {
		waymark_fail(error, "out of memory");
		return NULL;
	}
	c->expr = expr_parse(text, &why);
	if (!c->expr) {
		fail_at(error, text, &why);
		free(c);
		return NULL;
	}
	return c;
}

void waymark_condition_free(struct condition *c)
{
	if (c) {
		expr_free(c->expr);
		free(c);
	}
}

const char *waymark_condition_text(const struct condition *c)
{
	return expr_text(c->expr);
}

bool waymark_condition_same(const struct condition *a, const struct condition *b)
{
	return a == b ||
	       (a && b && strcmp(waymark_condition_text(a), waymark_condition_text(b)) == 0);
}

/* Sets the error for a name that the event lacks; false if it has all of them. */
static bool lacks_name(const struct expr *e, const struct expr_bound *b,
	const struct waymark_event *event, struct expr_error *why)
{
	for (size_t i = 0; i < expr_name_count(e); i++) {
		if (expr_bound_knows(b, i)) {
			continue;
		}
		const char *name = expr_name(e, i, &why->at, &why->length);
		const char *near = waymark_field_near(event, name, why->length);

		snprintf(why->text, sizeof(why->text), "event '%s' has no field or value '%.*s'",
			event->name, (int)why->length, name);
		snprintf(why->help, sizeof(why->help), near ? "did you mean '%s'?" : "%s",
			near ? near : "");
		return true;
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

/* Returns the condition as a program for the event; NULL, with the error, if it does not fit. */
static struct expr_program *compile(
	const struct expr *e, const struct fields *f, struct expr_error *why)
{
	struct expr_bound *b = bind_to(e, f, why);
	struct expr_program *p = b ? expr_compile(b, waymark_field_word, f, why) : NULL;

	expr_bound_free(b);
	return p;
}

bool waymark_condition_fits(
	const struct condition *c, const struct waymark_event *event, struct waymark_error *error)
{
	struct fields f;
	struct expr_error why;

	if (event->flags & WAYMARK_EVENT_SITE) {
		return waymark_fail(error,
			       "condition '%s': trace point '%s' has no declared fields",
			       expr_text(c->expr), event->name) == 0;
	}
	if (!waymark_fields_init(&f, event)) {
		return waymark_fail(error, "out of memory") == 0;
	}
	struct expr_program *p = compile(c->expr, &f, &why);

	if (!p) {
		fail_at(error, expr_text(c->expr), &why);
	}
	expr_program_free(p);
	waymark_fields_fini(&f);
	return p;
}

/* ---- Decisions ---- */

static void decision_free(struct decision *d)
{
	expr_program_free(d->program);
	waymark_fields_fini(&d->fields);
	free(d);
}

static struct decision *decision_new(const struct waymark_event *event, const struct condition *c)
{
	const char *text = expr_text(c->expr);
	struct decision *d = calloc(1, sizeof(*d) + strlen(text) + 1);
	struct expr_error why;

	if (!d || !waymark_fields_init(&d->fields, event)) {
		free(d);
		return NULL;
	}
	strcpy(d->text, text);
	d->program = compile(c->expr, &d->fields, &why);
	d->fields.event = NULL; /* it may be unloaded */
	if (!d->program) {
		decision_free(d);
		return NULL;
	}
	return d;
}

static void retire(struct decision *d)
{
	d->retired_ns = waymark_clock_ns();
	d->next = retired;
	retired = d;
}

bool waymark_decision_set(const struct waymark_event *event, const struct condition *c)
{
	struct decision *d = decision_new(event, c);

	if (!d) {
		return false;
	}
	struct decision *before = waymark_decisions[event->id];

	/* Release: pairs with decision_of(). */
	__atomic_store_n(&waymark_decisions[event->id], d, __ATOMIC_RELEASE);
	if (before) {
		retire(before);
	}
	return true;
}

void waymark_decision_collect(void)
{
	struct decision **place = &retired;
	uint64_t now = waymark_clock_ns();

	while (*place && now - (*place)->retired_ns < GRACE_NS) {
		place = &(*place)->next;
	}
	struct decision *old = *place;

	if (!old || !waymark_slots_were_left()) {
		return;
	}
	*place = NULL;
	while (old) {
		struct decision *next = old->next;

		decision_free(old);
		old = next;
	}
}

const char *waymark_decision_text(const struct waymark_event *event)
{
	const struct decision *d = event->id ? waymark_decisions[event->id] : NULL;

	return d ? d->text : "";
}
