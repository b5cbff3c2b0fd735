/* SPDX-License-Identifier: MIT */
/*
 * Spans for OpenTelemetry: OTLP in JSON, a request a line. Scopes are spans, as by `waymark
 * scopes`, and lives of objects, as by `waymark track`. Any other event is part of the life or the
 * asynchronous scope that it is a step of, else of the scope that its thread is in. A scope that
 * may have ended among lost events is not taken for that: what comes after them may be outside.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/export/otlp.h"
#include "view/message/message.h"

/* ---- Lives ---- */

/* Takes a record that is a step of a life: begins its span, or adds an event to that. */
static void on_step(void *otlp, struct life *life, const struct record *rec)
{
	struct otlp *o = otlp;
	const struct life_class *class = life_kinds_get(&o->lives.kinds, rec->class);

	if (life->mark == 0) {
		life->mark = otlp_open(o, rec, lives_kind_name(&o->lives, life), true) + 1;
	} else if (pairs_kind_of(&o->pairs, rec->class).part == PAIRS_OTHER) {
		otlp_add(o, life->mark - 1, rec, class->is_end);
	} else {
		otlp_select(o, life->mark - 1, rec); /* a scope, with a span of its own */
	}
	o->life = o->spans.items[life->mark - 1].at;
}

static void on_life_end(void *otlp, const struct life *life)
{
	struct otlp *o = otlp;

	otlp_close(o, life->mark - 1, life->end_ns, life->outcome);
}

static void begin_lives(struct otlp *o)
{
	o->lives_options = (struct lives_options){
		.rules.filter = o->export->filter,
		.text = message_value_text,
		.max_open = SIZE_MAX,
		.data = o,
		.stepped = on_step,
		.ended = on_life_end,
	};
	lives_init(&o->lives, &o->lives_options, o->export->reader);
}

/* A scope with a key is the span of its object, unless it is declared as a part of a life. */
static bool is_object_itself(struct otlp *o, const struct record *rec)
{
	const struct event *e = rec->class->event;

	return e && !e->life && pairs_kind_of(&o->pairs, rec->class).part == PAIRS_BEGIN;
}

static void add_to_lives(struct otlp *o, const struct record *rec)
{
	o->life = (struct otlp_place){ .span = 0 };
	if (*o->lives.error) {
		return;
	}
	if (is_object_itself(o, rec)) {
		return;
	}
	lives_add(&o->lives, rec);
	if (UNLIKELY(o->lives.open.count > OTLP_LIVES_MAX)) {
		error_set(o->lives.error,
			"more than %zu lives are open: declare their end with @end, or leave them out "
			"with --event=-NAME",
			OTLP_LIVES_MAX);
	}
}

/* ---- Scopes ---- */

/* Returns the scope that a record's thread is in; NULL: none, or lost events may have ended it. */
static const struct scope_span *find_around(struct otlp *o, const struct record *rec)
{
	const struct scope_span *s = pairs_inside(&o->pairs, rec);

	return s && !pairs_is_doubtful(&o->pairs, s) ? s : NULL;
}

static struct key flow_key(const struct record *rec, uint64_t number)
{
	return (struct key){ .trace = rec->trace, .pid = rec->pid, .scope = (int64_t)number };
}

static void begin_scope(struct otlp *o, const struct record *rec)
{
	struct scope_span *s = pairs_begun(&o->pairs);

	s->mark = otlp_open(o, rec, rec->class->name, false);
	if (!s->is_nested) {
		const struct key key = flow_key(rec, (uint64_t)s->key.scope);

		keys_swap(&o->by_flow, &key, s->mark);
	}
}

/* Ends a scope by a record: its end, or another begin of the same scope. */
static void end_scope(struct otlp *o, const struct record *rec, enum life_outcome outcome)
{
	const struct scope_span *s = &o->pairs.span;
	const struct key key = flow_key(rec, (uint64_t)s->key.scope);

	if (keys_get(&o->by_flow, &key) == s->mark) {
		keys_take(&o->by_flow, &key);
	}
	otlp_select(o, s->mark, rec);
	otlp_close(o, s->mark, rec->ns, outcome);
}

static void end_unfinished(void *otlp, const struct scope_span *s)
{
	struct otlp *o = otlp;

	otlp_close(o, s->mark, o->last_ns.items[s->key.trace],
		s->is_lost ? LIFE_END_LOST : LIFE_UNFINISHED);
}

/* ---- Records ---- */

/* Returns the span of an asynchronous scope that an event is a step of; OTLP_NONE: it is none. */
static uint32_t find_flow(const struct otlp *o, const struct record *rec)
{
	const struct event *e = rec->class->event;

	if (!e || e->arg_count == 0 || strcmp(e->args[0].name, "flow") != 0 ||
		rec->values[0].kind != VALUE_NUMBER) {
		return OTLP_NONE;
	}
	const struct key key = flow_key(rec, rec->values[0].number);

	return keys_get(&o->by_flow, &key);
}

/* Adds an event that is no scope and no step of a life. */
static void add_event(struct otlp *o, const struct record *rec)
{
	uint32_t flow = find_flow(o, rec);
	uint32_t span = flow != OTLP_NONE ? flow : o->inside;

	if (span != OTLP_NONE) {
		otlp_add(o, span, rec, false);
	} else {
		o->counts.outside += !rec->class->is_own;
	}
}

static void add_record(struct otlp *o, const struct record *rec)
{
	const struct scope_span *around = find_around(o, rec);

	o->inside = around ? around->mark : OTLP_NONE;
	o->around = around ? o->spans.items[around->mark].at : (struct otlp_place){ .span = 0 };
	add_to_lives(o, rec);
	switch (pairs_take(&o->pairs, o->export->reader, rec)) {
	case PAIRS_BEGUN_TWICE:
		end_scope(o, rec, LIFE_BEGUN_TWICE);
		begin_scope(o, rec);
		break;
	case PAIRS_BEGUN:
		begin_scope(o, rec);
		break;
	case PAIRS_ENDED:
		end_scope(o, rec, LIFE_ENDED);
		break;
	case PAIRS_UNBEGUN:
	case PAIRS_UNBEGUN_LOST:
		o->counts.unbegun++;
		break;
	case PAIRS_NOTHING:
		if (!o->life.span) {
			add_event(o, rec);
		}
		break;
	}
}

static void add_gap(struct otlp *o, const struct record *rec)
{
	losses_add(&o->export->unreported, &rec->gap);
	lives_add(&o->lives, rec);
	pairs_gap(&o->pairs, rec);
}

static bool put(void *state, const struct record *records, size_t count)
{
	struct otlp *o = state;

	for (size_t i = 0; i < count && !o->has_failed; i++) {
		struct record rec = records[i];

		vec_reach(&o->last_ns, rec.trace);
		if (rec.ns > o->last_ns.items[rec.trace]) {
			o->last_ns.items[rec.trace] = rec.ns;
		}
		if (UNLIKELY(rec.kind == RECORD_GAP)) {
			add_gap(o, &rec);
			continue;
		}
		if (LIKELY(rec.class->event)) {
			rec.values = reader_values(o->export->reader, &records[i]);
		}
		add_record(o, &rec);
	}
	return !o->has_failed;
}

/* ---- What is left out ---- */

static void add_note(struct out *note, uint64_t count, const char *what)
{
	if (count > 0) {
		out_printf(note, "%s%" PRIu64 " %s", note->len ? "; " : "", count, what);
	}
}

static bool has_realtime(const struct reader *r)
{
	for (size_t i = 0; i < r->trace_count; i++) {
		if (!r->traces[i].has_realtime) {
			return false;
		}
	}
	return true;
}

static void note_missing(struct otlp *o)
{
	const struct otlp_counts *c = &o->counts;
	struct out note;

	out_init(&note, OUT_TO_MEMORY);
	if (c->spans == 0) {
		out_str(&note,
			"there are no spans: no scope, and no event with a key (# @key), was "
			"selected");
	} else if (!has_realtime(o->export->reader)) {
		out_str(&note, "times are since boot: a trace does not have the real time");
	}
	add_note(&note, c->unfinished, "spans did not end, and have waymark.outcome");
	add_note(&note, c->unbegun, "ends of scopes without their begin are left out");
	add_note(&note, c->outside, "events outside of all spans are left out");
	add_note(&note, c->dropped, "events of full spans are left out");
	error_set(o->export->note, "%.*s", (int)note.len, note.data ? note.data : "");
	out_fini(&note);
}

/* ---- The format ---- */

static void *begin(struct export *e)
{
	struct otlp *o = xcalloc(1, sizeof(*o));

	o->export = e;
	o->free = OTLP_NONE;
	out_init(&o->request, OUT_TO_MEMORY);
	out_init(&o->made, OUT_TO_MEMORY);
	pairs_init(&o->pairs, &e->reader->classes);
	begin_lives(o);
	return o;
}

static bool end(void *state)
{
	struct otlp *o = state;
	bool is_ok;

	if (*o->lives.error) {
		error_set(o->export->problem, "spans of lives are missing: %s", o->lives.error);
	}
	if (!o->has_failed) {
		lives_end(&o->lives);
		pairs_unfinished(&o->pairs, end_unfinished, o);
		otlp_flush(o);
		note_missing(o);
	}
	is_ok = !o->has_failed;
	pairs_fini(&o->pairs);
	lives_fini(&o->lives);
	keys_fini(&o->by_flow);
	vec_fini(&o->last_ns);
	vec_foreach (struct otlp_span *, s, &o->spans) {
		vec_fini(&s->attributes);
		vec_fini(&s->events);
	}
	vec_fini(&o->spans);
	out_fini(&o->made);
	out_fini(&o->request);
	free(o);
	return is_ok;
}

const struct export_format export_otlp = {
	.name = "otlp",
	.help = "spans in OTLP's JSON, for OpenTelemetry; -o http://HOST:4318 sends them",
	.is_sent = true,
	.has_spans = true,
	.begin = begin,
	.put = put,
	.end = end,
};
