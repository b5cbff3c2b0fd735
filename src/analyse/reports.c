/* SPDX-License-Identifier: MIT */
/* Reports of traced programs: see reports.h. */
#include "analyse/reports.h"

void reports_init(struct reports *r)
{
	*r = (struct reports){ 0 };
	arena_init(&r->arena);
	hash_init(&r->left_out_by_name);
	hash_init(&r->triggers_by_text);
}

void reports_fini(struct reports *r)
{
	vec_fini(&r->triggers);
	vec_fini(&r->left_out);
	hash_fini(&r->left_out_by_name);
	hash_fini(&r->triggers_by_text);
	arena_fini(&r->arena);
}

/* Returns a copy of a text; "" if the trace has none there. */
static const char *text_of(struct reports *r, const struct value *v)
{
	bool is_text = v->kind == VALUE_STRING && v->text;

	return is_text ? arena_strndup(&r->arena, v->text, v->length) : "";
}

static void add_trigger(struct reports *r, const struct record *rec, const struct value *values)
{
	const char *text = text_of(r, &values[TRIGGER_TEXT]);
	struct fired_trigger *t = hash_get(&r->triggers_by_text, text);
	int64_t ns = (int64_t)rec->ns;

	if (!t) {
		t = arena_new(&r->arena, struct fired_trigger);
		*t = (struct fired_trigger){ .text = text, .first_ns = INT64_MAX };
		hash_add(&r->triggers_by_text, text, t);
		vec_push(&r->triggers, t);
	}
	if (ns < t->first_ns) {
		t->event = text_of(r, &values[TRIGGER_EVENT]);
		t->first_ns = ns;
		t->pid = rec->pid;
		t->tid = rec->tid;
	}
	t->last_ns = t->times == 0 || ns > t->last_ns ? ns : t->last_ns;
	t->times++;
}

static void add_left_out(struct reports *r, const struct value *values)
{
	const char *event = text_of(r, &values[LEFT_OUT_EVENT]);
	const char *limits = text_of(r, &values[LEFT_OUT_LIMITS]);
	const char *name = arena_printf(&r->arena, "%s %s", event, limits);
	struct left_out *l = hash_get(&r->left_out_by_name, name);

	if (!l) {
		l = arena_new(&r->arena, struct left_out);
		*l = (struct left_out){ event, limits, 0 };
		hash_add(&r->left_out_by_name, name, l);
		vec_push(&r->left_out, l);
	}
	l->calls += values[LEFT_OUT_COUNT].number;
}

void reports_add_own(struct reports *r, struct reader *reader, const struct record *rec)
{
	const struct event *e = rec->class->event;
	const char *name = rec->class->name;

	if (e && e->arg_count == LEFT_OUT_ARGS && strcmp(name, OWN_LEFT_OUT) == 0) {
		add_left_out(r, reader_values(reader, rec));
	} else if (e && e->arg_count == TRIGGER_ARGS && strcmp(name, OWN_TRIGGER) == 0) {
		add_trigger(r, rec, reader_values(reader, rec));
	}
}

uint64_t reports_left_out(const struct reports *r)
{
	uint64_t calls = 0;

	vec_foreach (struct left_out *const *, l, &r->left_out) {
		calls += (*l)->calls;
	}
	return calls;
}
