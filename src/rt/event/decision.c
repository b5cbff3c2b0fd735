/* SPDX-License-Identifier: MIT */
/* Decisions of events: see decision.h. */
#include <stdlib.h>
#include <string.h>

#include "expr/program.h"
#include "rt/event/decision.h"
#include "rt/event/own.h"
#include "rt/event/trigger.h"

uint16_t waymark_conditional[REGISTRY_IDS_MAX];
struct decided *waymark_decided[REGISTRY_IDS_MAX];

/* ---- What is decided about an event ---- */

/* Returns the test that a condition begins with, if it compares an integer; otherwise NULL. */
static const struct expr_test *first_integer(const struct decision *d)
{
	const struct expr_program *p = d->program;
	const struct expr_test *t = p->begin < TEST_FALSE ? &p->tests[p->begin] : NULL;

	return t && t->kind == TEST_INTEGER && !d->pairing ? t : NULL;
}

/* Returns true if the test can refuse a call alone. */
static bool refuses(const struct expr_test *t)
{
	bool is_never = t->of.integer.span == t->of.integer.width;

	return t->yes == TEST_FALSE || (t->no == TEST_FALSE && !is_never);
}

/* Stores the range of values that the test refuses. */
static void store_test(struct decided *d, const struct expr_test *t)
{
	uint64_t width = t->of.integer.width;
	uint64_t low = t->of.integer.low;
	uint64_t span = t->of.integer.span;

	if (t->yes != TEST_FALSE) { /* all values but those */
		low = (low + span + 1) & width;
		span = width - span - 1;
	}
	__atomic_store_n(&d->word, t->word, __ATOMIC_RELAXED);
	__atomic_store_n(&d->mask, t->of.integer.mask, __ATOMIC_RELAXED);
	__atomic_store_n(&d->low, low, __ATOMIC_RELAXED);
	__atomic_store_n(&d->width, width, __ATOMIC_RELAXED);
	__atomic_store_n(&d->span, span, __ATOMIC_RELAXED);
}

/* Returns the only watch; NULL: there is none, or several. */
static struct watch *only_watch(const struct watches *all)
{
	struct watch *only = NULL;

	for (size_t i = 0; all && i < all->count; i++) {
		struct watch *w = all->items[i];

		if (w && only) {
			return NULL;
		}
		only = w ? w : only;
	}
	return only;
}

static enum decide_way way_of_watch(const struct watch *w)
{
	bool aggregates = w->aggregate.aggregation && !w->pairing && w->program == &expr_always;

	if (!aggregates || !w->aggregate.is_plain || w->aggregate.function_count > 2) {
		return DECIDE_WATCH;
	}
	return w->aggregate.function_count == 1 ? DECIDE_COUNT : DECIDE_VALUE;
}

static enum decide_way way_of(
	const struct decision *d, const struct watches *watches, const struct watch *alone)
{
	if (alone) {
		return way_of_watch(alone);
	}
	const struct expr_test *t = d && !d->limits && !watches ? first_integer(d) : NULL;

	if (!t) {
		return DECIDE_ALL;
	}
	return t->yes >= TEST_FALSE && t->no >= TEST_FALSE && t->yes != t->no ? DECIDE_FIRST
									      : DECIDE_INTEGERS;
}

/*
 * Until both are there, calls are decided in full. The way is stored last, so that a thread which
 * finds DECIDE_FIRST and a test finds its own.
 */
void waymark_decided_store(struct decided *d, struct decision *decision, struct watches *watches)
{
	const struct expr_test *t = decision && !watches ? first_integer(decision) : NULL;
	struct watch *alone = only_watch(watches);
	uint32_t turn = d->turn | 1;

	__atomic_store_n(&d->turn, turn, __ATOMIC_RELAXED);
	__atomic_store_n(&d->way, DECIDE_ALL, __ATOMIC_RELAXED);
	__atomic_store_n(&d->alone, alone, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&d->decision, decision, __ATOMIC_RELEASE);
	__atomic_store_n(&d->watches, watches, __ATOMIC_RELEASE);
	if (t && refuses(t)) {
		store_test(d, t);
		__atomic_store_n(&d->turn, turn + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&d->way, (uint8_t)way_of(decision, watches, alone), __ATOMIC_RELEASE);
}

struct decided *waymark_decided_prepare(uint32_t id)
{
	struct decided *d = waymark_decided[id];

	if (!d) {
		d = aligned_alloc(64, 64);
		if (d) {
			*d = (struct decided){ .turn = 1, .way = DECIDE_ALL };
			__atomic_store_n(&waymark_decided[id], d, __ATOMIC_RELEASE);
		}
	}
	return d;
}

void waymark_decided_watch(uint32_t id, struct watches *watches)
{
	struct decided *d = waymark_decided[id];

	waymark_decided_store(d, d->decision, watches);
}

_Static_assert(sizeof(struct decided) <= 64, "it is in one cache line");

/* ---- Decisions ---- */

static void decision_free(struct decision *d)
{
	if (d->program != &expr_always) {
		expr_program_free((struct expr_program *)d->program);
	}
	waymark_fields_fini(&d->fields);
	waymark_pairing_release(d->pairing);
	free(d->limits);
	free(d);
}

/* Returns false if the terms do not fit, or memory ran out. */
static bool fill(struct decision *d, const struct terms *t)
{
	struct expr_error why;

	d->program = t->condition ? waymark_condition_compile(t->condition, &d->fields, &why)
				  : &expr_always;
	d->limits = t->limits ? waymark_limits_copy(t->limits) : NULL;
	d->pairing = waymark_pairing_use(t->pairing);
	if (d->pairing && !waymark_field_named(d->fields.event, d->pairing->field, &d->paired)) {
		return false;
	}
	return d->program && (!t->limits || d->limits) &&
	       (!t->limits || !t->limits->field ||
		       waymark_limits_field(d->limits, &d->fields, &d->sampled));
}

static struct decision *decision_new(const struct waymark_event *event, const struct terms *t)
{
	static uint32_t serial; /* under the control lock */
	const char *text = t->condition ? expr_text(t->condition) : "";
	struct decision *d = calloc(1, sizeof(*d) + strlen(text) + 1);

	if (!d || !waymark_terms_fields(t, event, &d->fields)) {
		free(d);
		return NULL;
	}
	strcpy(d->condition, text);
	if (!fill(d, t)) {
		decision_free(d);
		return NULL;
	}
	d->fields.event = NULL; /* it may be unloaded */
	serial += serial == UINT32_MAX ? 2 : 1;
	d->serial = serial;
	return d;
}

static void release(struct retired *r)
{
	decision_free((struct decision *)r);
}

bool waymark_decision_set(const struct waymark_event *event, const struct terms *t)
{
	struct decided *of_event = waymark_decided_prepare(event->id);

	if (!of_event || (t->limits && !waymark_own_prepare())) {
		return false;
	}
	struct decision *d = decision_new(event, t);
	struct decision *before = of_event->decision;

	if (!d) {
		return false;
	}
	waymark_decided_store(of_event, d, of_event->watches);
	if (before) {
		waymark_retire(&before->retired, release);
	}
	return true;
}

const struct decision *waymark_decision_in_force(const struct waymark_event *event)
{
	return state_get_conditional(event) ? decided_decision(decided_of(event)) : NULL;
}
