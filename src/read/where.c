/* SPDX-License-Identifier: MIT */
/*
 * Connects expressions with records: finds names among the fields of a class, and converts decoded
 * values to those of an expression.
 */
#include "read/where.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/unit.h"
#include "base/vec.h"
#include "format/debug.h"

/* The expression for one class. */
struct fit {
	struct expr_bound *bound; /* NULL: not bound yet, or it does not fit */
	bool is_known;
	bool has_names; /* it fits, and the class has all its names */
};

struct where {
	struct expr *expr;
	VEC(struct fit) fits; /* by class index */
};

/* ---- Names of every event ---- */

/* Slots of the names of every event, above the fields. */
enum common_slot {
	SLOT_EVENT = 1 << 16,
	SLOT_TIME,
	SLOT_PID,
	SLOT_TID,
	SLOT_PROCESS,
	SLOT_HOST,
};

static const struct {
	const char *name;
	enum expr_type type;
	enum expr_dimension dimension;
} commons[] = {
	{ "@event", EXPR_TEXT, EXPR_PLAIN },
	{ "@time", EXPR_INTEGER, EXPR_TIME },
	{ "@pid", EXPR_INTEGER, EXPR_PLAIN },
	{ "@tid", EXPR_INTEGER, EXPR_PLAIN },
	{ "@process", EXPR_TEXT, EXPR_PLAIN },
	{ "@host", EXPR_TEXT, EXPR_PLAIN },
};

static bool is_name(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && strncmp(name, text, length) == 0;
}

static bool find_common(const char *name, size_t length, struct expr_field *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(commons); i++) {
		if (is_name(commons[i].name, name, length)) {
			*field = (struct expr_field){
				.slot = SLOT_EVENT + (unsigned int)i,
				.type = commons[i].type,
				.dimension = commons[i].dimension,
				.unit = commons[i].dimension == EXPR_TIME,
			};
			return true;
		}
	}
	return false;
}

static enum expr_type type_of(const struct type *t)
{
	switch (t->class) {
	case TYPE_FLOAT:
		return EXPR_FLOAT;
	case TYPE_STRING:
	case TYPE_TEXT:
	case TYPE_BYTES:
		return EXPR_TEXT;
	case TYPE_DEBUG:
		return EXPR_ANY;
	default:
		return EXPR_INTEGER;
	}
}

static struct expr_field field_of(const struct arg *arg, int slot)
{
	const struct unit *unit = arg->unit ? unit_find(arg->unit, strlen(arg->unit)) : NULL;

	return (struct expr_field){
		.slot = (unsigned int)slot,
		.type = type_of(&arg->type),
		.names = arg->names,
		.dimension = !unit	     ? EXPR_PLAIN
			     : unit->is_time ? EXPR_TIME
					     : EXPR_BYTES,
		.unit = unit ? unit->scale : 0,
		.is_character = arg->type.is_char,
	};
}

/* Finds a name among the fields of an event. */
static bool find(const void *data, const char *name, size_t length, struct expr_field *field)
{
	const struct event *e = data;
	int i = e ? event_find_arg(e, name, length) : -1;

	if (i >= 0) {
		*field = field_of(&e->args[i], i);
		return true;
	}
	return find_common(name, length, field);
}

/* ---- Values ---- */

struct source_record {
	struct reader *reader;
	const struct record *rec;
	const struct value *values; /* NULL until a field is needed */
};

static struct expr_value of_text(const char *text, size_t length)
{
	return (struct expr_value){
		.as.text = text, .length = (uint32_t)length, .type = EXPR_TEXT
	};
}

static struct expr_value of_float(uint64_t bits, size_t bytes)
{
	return (struct expr_value){ .as.number = value_double(bits, bytes), .type = EXPR_FLOAT };
}

static struct expr_value of_pair(const struct value *value, bool is_signed)
{
	struct value_pair pair = value_pair(value);

	return expr_wide(pair.low, pair.high, is_signed);
}

static struct expr_value of_debug(const struct value *value)
{
	if (value->kind == VALUE_PAIR) {
		return of_pair(value, value->debug == DEBUG_I128);
	}
	if (value->kind == VALUE_STRING) {
		return value->debug == DEBUG_STRING ? of_text(value->text, value->length)
						    : (struct expr_value){ .type = EXPR_NONE };
	}
	if (value->debug == DEBUG_F32 || value->debug == DEBUG_F64) {
		return of_float(value->number, debug_shapes[value->debug].bytes);
	}
	struct expr_value v =
		expr_integer(value->number, debug_shapes[value->debug].form == DEBUG_SIGNED);

	v.character = value->debug == DEBUG_CHAR ? EXPR_CODE_POINT : EXPR_NO_CHARACTER;
	return v;
}

struct expr_value where_value(const struct type *t, const struct value *value)
{
	if (value->kind == VALUE_ABSENT) {
		return (struct expr_value){ .type = EXPR_NONE };
	}
	if (UNLIKELY(t->class == TYPE_DEBUG)) {
		return of_debug(value);
	}
	if (value->kind == VALUE_STRING) {
		return of_text(value->text, value->length);
	}
	if (value->kind == VALUE_PAIR) {
		return of_pair(value, t->is_signed);
	}
	if (t->class == TYPE_FLOAT) {
		return of_float(value->number, t->size64);
	}
	struct expr_value v = expr_integer(value_extend(t, value->number), t->is_signed);

	v.character = t->is_char ? EXPR_BYTE : EXPR_NO_CHARACTER;
	return v;
}

static struct expr_value get_common(const struct source_record *s, unsigned int slot)
{
	const struct record *rec = s->rec;
	const struct trace_info *trace = &s->reader->traces[rec->trace];

	switch (slot) {
	case SLOT_EVENT:
		return of_text(rec->class->name, strlen(rec->class->name));
	case SLOT_TIME:
		return expr_integer(rec->ns, true);
	case SLOT_PID:
		return expr_integer(rec->pid, false);
	case SLOT_TID:
		return expr_integer(rec->tid, false);
	case SLOT_PROCESS:
		return of_text(trace->procname, strlen(trace->procname));
	default:
		return of_text(trace->hostname, strlen(trace->hostname));
	}
}

static void get(void *data, unsigned int slot, struct expr_value *value)
{
	struct source_record *s = data;

	if (UNLIKELY(slot >= SLOT_EVENT)) {
		*value = get_common(s, slot);
		return;
	}
	if (!s->values) {
		s->values = reader_values(s->reader, s->rec);
	}
	*value = where_value(&s->rec->class->event->args[slot].type, &s->values[slot]);
}

/* ---- Selection ---- */

struct where *where_parse(const char *text, struct expr_error *error)
{
	struct expr *e = expr_parse(text, error);

	if (!e) {
		return NULL;
	}
	struct where *w = xcalloc(1, sizeof(*w));

	w->expr = e;
	return w;
}

void where_restart(struct where *w)
{
	vec_foreach (struct fit *, fit, &w->fits) {
		expr_bound_free(fit->bound);
	}
	w->fits.count = 0;
}

void where_free(struct where *w)
{
	if (w) {
		where_restart(w);
		vec_fini(&w->fits);
		expr_free(w->expr);
		free(w);
	}
}

const char *where_text(const struct where *w)
{
	return expr_text(w->expr);
}

/* Binds the expression; NULL, with the error, if it does not fit the class. */
static struct expr_bound *bind_to(
	const struct where *w, const struct event_class *class, struct expr_error *error)
{
	const struct expr_scope scope = { find, class->event };
	struct expr_bound *bound = expr_bind(w->expr, &scope, error);

	if (bound && expr_bound_type(bound) == EXPR_TEXT) {
		expr_bound_free(bound);
		*error = (struct expr_error){ .at = 0, .length = strlen(where_text(w)) };
		snprintf(error->text, sizeof(error->text), "a text is neither true nor false");
		snprintf(error->help, sizeof(error->help), "compare it with ==");
		return NULL;
	}
	return bound;
}

bool where_fits(const struct where *w, const struct event_class *class)
{
	struct expr_error error;
	struct expr_bound *bound = bind_to(w, class, &error);

	expr_bound_free(bound);
	return bound != NULL;
}

static const struct fit *fit_of(
	struct where *w, const struct event_class *class, struct expr_error *error)
{
	vec_reach(&w->fits, class->index);
	struct fit *fit = &w->fits.items[class->index];

	if (!fit->is_known) {
		fit->is_known = true;
		fit->bound = bind_to(w, class, error);
		fit->has_names = fit->bound != NULL;
		for (size_t i = 0; fit->has_names && i < expr_name_count(w->expr); i++) {
			fit->has_names = expr_bound_knows(fit->bound, i);
		}
	}
	return fit;
}

bool where_passes(struct where *w, struct reader *r, const struct record *rec)
{
	struct source_record source = { r, rec, NULL };
	struct expr_error error;
	const struct expr_bound *bound = fit_of(w, rec->class, &error)->bound;

	return bound && expr_is_true(bound, get, &source);
}

bool where_refuses(struct where *w, struct reader *r, const struct record *rec)
{
	struct expr_error error;

	return fit_of(w, rec->class, &error)->has_names && !where_passes(w, r, rec);
}

/* ---- Errors ---- */

/* Offers all names of fields and of their values. */
static void offer_names(struct nearest *near, const struct reader *r)
{
	vec_foreach (struct event_class *const *, it, &r->classes.all) {
		for (size_t i = 0; (*it)->event && i < (*it)->event->arg_count; i++) {
			const struct arg *arg = &(*it)->event->args[i];

			nearest_offer(near, arg->name);
			for (const struct value_name *v = arg->names; v && v->name; v++) {
				nearest_offer(near, v->name);
			}
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(commons); i++) {
		nearest_offer(near, commons[i].name);
	}
}

/* Reports a name that no event has, or a text that is no value of the field it is compared with. */
static void set_unknown(
	struct expr_error *error, const struct reader *r, const struct expr *e, size_t which)
{
	const char *name = expr_name(e, which, &error->at, &error->length);
	bool is_text = *name == '"';
	size_t length = is_text ? error->length - 2 : error->length;
	struct nearest near = nearest_begin(name + is_text, length);

	offer_names(&near, r);
	snprintf(error->text, sizeof(error->text),
		is_text ? "no field has the value '%.*s'" : "no event has a field or value '%.*s'",
		(int)length, name + is_text);
	*error->help = '\0';
	if (nearest_is_near(&near) && near.distance > 0) {
		snprintf(error->help, sizeof(error->help), "did you mean '%s'?", near.name);
	}
}

/* Returns the first name that is not known, or else the first such text; the count if all are. */
static size_t first_unknown(const struct expr *e, const bool *is_known)
{
	size_t count = expr_name_count(e);
	size_t found = count;
	size_t at;
	size_t length;

	for (size_t i = 0; i < count; i++) {
		bool is_text = *expr_name(e, i, &at, &length) == '"';

		if (!is_known[i] && !is_text) {
			return i;
		}
		found = !is_known[i] && found == count ? i : found;
	}
	return found;
}

bool where_check(struct where *w, struct reader *r, struct expr_error *error, const char **misfit)
{
	size_t count = expr_name_count(w->expr);
	bool is_known[EXPR_NODES] = { false };
	bool fits = r->classes.all.count == 0;

	*misfit = NULL;
	vec_foreach (struct event_class *const *, it, &r->classes.all) {
		struct expr_error why = { 0 };
		struct expr_bound *bound = bind_to(w, *it, &why);

		for (size_t i = 0; bound && i < count; i++) {
			is_known[i] |= expr_bound_knows(bound, i);
		}
		if (!bound && !*misfit) {
			*misfit = (*it)->name;
			*error = why;
		}
		fits |= bound != NULL;
		expr_bound_free(bound);
	}
	if (!fits || r->classes.all.count == 0) {
		return fits;
	}
	size_t which = first_unknown(w->expr, is_known);

	if (which < count) {
		struct expr_error unknown = { 0 };

		set_unknown(&unknown, r, w->expr, which);
		if (!*misfit || *unknown.help) { /* a mistyped value explains more than the types */
			*error = unknown;
			*misfit = NULL;
		}
	}
	return which == count;
}
