/* SPDX-License-Identifier: MIT */
/* Adds calls up: see aggregate.h. */
#include <string.h>

#include "base/compiler.h"
#include "format/own_events.h"
#include "rt/event/own.h"
#include "rt/host/guard.h"
#include "rt/host/line.h"
#include "rt/record/standing.h"
#include "rt/site/aggregate.h"
#include "rt/site/aggregate_map.h"

/* The cells of a map that new keys, and new buckets, may use. */
#define CELLS_FOR_KEYS (CELLS / 2)
#define CELLS_FOR_BUCKETS (CELLS - CELLS / 8)

/* The longest text of a key, and the bytes of a text that are shown in it. */
#define KEY_TEXT_BYTES 512u
#define KEY_VALUE_BYTES 80u

/* ---- Values ---- */

/* A value of a call: an integer, or a fraction. */
struct number {
	int64_t integer;
	double fraction;
	bool is_float;
};

static int64_t integer_near(double d)
{
	if (d >= 0x1p63) {
		return INT64_MAX;
	}
	return d < -0x1p63 ? INT64_MIN : (int64_t)d;
}

/* Returns false if the call has no such value. */
static bool number_of(const struct aggregate_field *f, struct field_call *call, struct number *n)
{
	struct expr_value v;

	if (LIKELY(f->ref.mask)) {
		*n = (struct number){ .integer = value_of(f, call->words) };
		return true;
	}
	waymark_field_get(call, f->ref.slot, &v);
	*n = (struct number){ .is_float = f->is_float };
	if (v.type == EXPR_INTEGER) {
		n->integer = integer_of(v.as.integer, v.is_negative);
		n->fraction = (double)n->integer;
	} else if (v.type == EXPR_FLOAT && v.as.number == v.as.number) {
		n->fraction = v.as.number;
		n->integer = integer_near(v.as.number);
	} else {
		return false;
	}
	return true;
}

/* ---- Cells ---- */

static const struct part other_text = { OWN_AGGREGATE_OTHER, sizeof(OWN_AGGREGATE_OTHER) - 1 };
static const struct part left_out_text = { "left_out", sizeof("left_out") - 1 };

/* What is added up: a function's value of a call. */
struct item {
	const struct aggregate_binding *binding;
	unsigned int function;
	uint64_t key;
	int64_t bucket;
	uint64_t value; /* the first one */
	bool is_float;
};

static void put_part(struct waymark_record *r, struct part p)
{
	waymark_record_string(r, p.text, (uint32_t)p.length, KEY_TEXT_BYTES + (uint32_t)p.length);
}

/* Makes the record of a cell, with its first value. Returns false if there is no memory. */
static bool make_record(
	const struct map *m, struct cell *c, const struct item *i, struct part key_text)
{
	const struct aggregation *a = i->binding->aggregation;
	const struct part function =
		i->function == LEFT_OUT ? left_out_text : a->functions[i->function].text;
	const uint32_t numbers[] = { m->number, 0 };
	struct waymark_record r;

	if (!waymark_standing_begin(&r,
		    i->is_float ? &waymark_own_aggregate_float : &waymark_own_aggregate,
		    a->event.length + function.length + a->terms.length + key_text.length + 64)) {
		return false;
	}
	put_part(&r, a->event);
	put_part(&r, function);
	put_part(&r, a->terms);
	put_part(&r, key_text);
	waymark_record_value(&r, &i->bucket, sizeof(i->bucket));
	waymark_record_value(&r, &i->value, sizeof(i->value));
	waymark_record_bytes(&r, numbers, sizeof(numbers));
	c->bytes = (uint32_t)(r.used - sizeof(uint64_t));
	c->function = (uint16_t)i->function;
	c->is_float = i->is_float;
	/* Release: pairs with waymark_aggregates_record(). */
	__atomic_store_n(&c->value, (waymark_count *)(void *)(r.start + r.used - TAIL_BYTES),
		__ATOMIC_RELEASE);
	waymark_standing_end(&r);
	return true;
}

/* Fills the free cell. Returns its value; NULL if there is no memory. */
static waymark_count *make_cell(
	struct map *m, struct cell *c, const struct item *i, struct part key_text)
{
	c->key = cell_key(i->key, i->function + (i->is_float ? OF_FRACTION : 0), i->bucket);
	if (!make_record(m, c, i, key_text)) {
		c->key = 0;
		return NULL;
	}
	m->used++;
	return c->value;
}

/* ---- Keys ---- */

static const struct value_name *name_of(const struct value_name *names, const struct expr_value *v)
{
	for (; names && names->name; names++) {
		if (names->value == v->as.integer && names->is_negative == v->is_negative) {
			return names;
		}
	}
	return NULL;
}

/* Writes a number that stands for the end of a text that was cut. */
static void put_hash(struct line *l, uint64_t key)
{
	waymark_line_put(l, "~%llu", (unsigned long long)key);
}

/* Writes a text in quotes; a long one is cut, and ends with its hash. */
static void put_quoted(struct line *l, const char *text, uint32_t whole, uint64_t key)
{
	uint32_t length = whole;

	if (whole > KEY_VALUE_BYTES) { /* not inside of a character */
		for (length = KEY_VALUE_BYTES;
			length > 0 && ((uint8_t)text[length] & 0xc0) == 0x80;) {
			length--;
		}
	}
	waymark_line_add(l, "\"", 1);
	for (uint32_t from = 0, i = 0; i <= length; i++) {
		if (i == length || text[i] == '"' || text[i] == '\\') {
			waymark_line_add(l, text + from, i - from);
			waymark_line_add(l, "\\", i < length);
			from = i;
		}
	}
	if (length < whole) {
		put_hash(l, key);
	}
	waymark_line_add(l, "\"", 1);
}

static void put_value(
	struct line *l, const struct value_name *names, const struct expr_value *v, uint64_t key)
{
	const struct value_name *name = v->type == EXPR_INTEGER ? name_of(names, v) : NULL;

	if (name) {
		waymark_line_put(l, "%s", name->name);
	} else if (v->type == EXPR_TEXT) { /* NULL is as an empty text, see waymark_field_key() */
		put_quoted(l, v->as.text ? v->as.text : "", v->length, key);
	} else if (v->is_negative) {
		waymark_line_put(l, "%lld", (long long)v->as.integer);
	} else {
		waymark_line_put(l, "%llu", (unsigned long long)v->as.integer);
	}
}

/* Writes the call's key as text: `op=read, disk="vda"`. */
static struct part write_key(const struct aggregate_binding *b, const struct fields *fields,
	struct field_call *call, char *text)
{
	const struct aggregation *a = b->aggregation;
	struct line l;

	line_init(&l, text, KEY_TEXT_BYTES);
	for (unsigned int i = 0; i < a->key_count; i++) {
		unsigned int slot = b->keys[i].slot;
		struct expr_value v;

		waymark_field_get(call, slot, &v);
		waymark_line_put(&l, "%s", i ? ", " : "");
		waymark_line_add(&l, a->keys[i].text, a->keys[i].length);
		waymark_line_put(&l, "=");
		put_value(&l, slot < fields->count ? fields->names[slot] : NULL, &v,
			field_key(&b->keys[i], call));
	}
	if (l.cut) { /* many characters were escaped */
		l.cut = false;
		l.len = KEY_TEXT_BYTES - 32;
		put_hash(&l, key_of(b, call->words, call));
	}
	return (struct part){ text, l.len };
}

/* ---- A call ---- */

static double double_of(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static uint64_t bits_of(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* A call while it is added up. */
struct adding {
	const struct aggregate_binding *binding;
	const struct fields *fields;
	struct field_call *call;
	struct map *map;
	uint64_t key;
};

/* Makes the cell of an item. Returns its value; NULL if there is no room, or no memory. */
static NOINLINE waymark_count *add_cell(
	const struct adding *a, struct cell *c, const struct item *i, uint32_t most)
{
	char text[KEY_TEXT_BYTES];
	struct guard guard;

	if (a->map->used >= most) {
		return NULL;
	}
	/* No handler forks, or jumps away, while the map and a packet are half changed. */
	waymark_guard_begin(&guard);
	waymark_count *value = make_cell(a->map, c, i,
		i->key == OTHER ? other_text : write_key(a->binding, a->fields, a->call, text));

	waymark_guard_end(&guard);
	return value;
}

_Static_assert(PROCESS_AGGREGATIONS == AGGREGATIONS_MAX, "each has a place");

/* Counts a value that the aggregation lacks: for readers, and for the end of the process. */
static void leave_out(const struct aggregate_binding *b)
{
	struct process *p = waymark_process();
	waymark_count *value =
		p ? __atomic_load_n(&p->left_out_of[b->index], __ATOMIC_ACQUIRE) : NULL;

	if (value) {
		__atomic_fetch_add(value, 1, __ATOMIC_RELAXED);
	}
	if (p) {
		__atomic_fetch_add(&p->left_out, 1, __ATOMIC_RELAXED);
	}
}

/* Makes the value of a function's bucket. Counts it as left out if there is no room. */
static NOINLINE waymark_count *add_value(const struct adding *a, struct cell *c,
	unsigned int function, int64_t bucket, const struct number *first)
{
	bool is_float = first && first->is_float;
	const struct item i = { .binding = a->binding,
		.function = function,
		.key = a->key,
		.bucket = bucket,
		.value = !first	    ? 0
			 : is_float ? bits_of(first->fraction)
				    : (uint64_t)first->integer,
		.is_float = is_float };
	waymark_count *value = add_cell(a, c, &i, a->key == OTHER ? CELLS - 1 : CELLS_FOR_BUCKETS);

	if (!value) {
		leave_out(a->binding);
	}
	return value;
}

/* Adds to an integer of a function's bucket, of the call's key. */
static void add_integer(const struct adding *a, unsigned int function, int64_t bucket, uint64_t n)
{
	struct cell *c = cell_at(a->map, cell_key(a->key, function, bucket));
	waymark_count *value = LIKELY(c->key) ? c->value : add_value(a, c, function, bucket, NULL);

	add_to(value, n);
}

/* Returns the cell of a function's value that has no buckets, of that type. */
static struct cell *cell_of(const struct adding *a, unsigned int function, const struct number *n)
{
	return cell_at(a->map, cell_key(a->key, function + (n->is_float ? OF_FRACTION : 0), 0));
}

static void add_sum(const struct adding *a, unsigned int function, const struct number *n)
{
	if (LIKELY(!n->is_float)) {
		add_integer(a, function, 0, (uint64_t)n->integer);
		return;
	}
	struct cell *c = cell_of(a, function, n);

	if (!c->key) {
		add_value(a, c, function, 0, n);
	} else if (c->value) {
		store(c->value, bits_of(double_of(*c->value) + n->fraction));
	}
}

static void add_avg(const struct adding *a, unsigned int function, const struct number *n)
{
	add_sum(a, function, n);
	add_integer(a, function, 1, 1);
}

static bool exceeds(const struct number *n, uint64_t bits)
{
	return n->is_float ? n->fraction > double_of(bits) : n->integer > (int64_t)bits;
}

static bool is_below(const struct number *n, uint64_t bits)
{
	return n->is_float ? n->fraction < double_of(bits) : n->integer < (int64_t)bits;
}

/* Keeps the greatest or least value. */
static void add_extreme(const struct adding *a, unsigned int function, const struct number *n,
	bool (*passes)(const struct number *n, uint64_t bits))
{
	struct cell *c = cell_of(a, function, n);

	if (!c->key) {
		add_value(a, c, function, 0, n);
	} else if (c->value && passes(n, *c->value)) {
		store(c->value, n->is_float ? bits_of(n->fraction) : (uint64_t)n->integer);
	}
}

static void add_min(const struct adding *a, unsigned int function, const struct number *n)
{
	add_extreme(a, function, n, is_below);
}

static void add_max(const struct adding *a, unsigned int function, const struct number *n)
{
	add_extreme(a, function, n, exceeds);
}

static void add_bucket(const struct adding *a, unsigned int function, const struct number *n)
{
	add_integer(a, function, bucket_of(n->integer, a->binding->values[function].digits), 1);
}

static void (*const adders[AGGREGATE_KINDS])(
	const struct adding *a, unsigned int function, const struct number *n) = {
	[AGGREGATE_COUNT] = NULL,
	[AGGREGATE_SUM] = add_sum,
	[AGGREGATE_MIN] = add_min,
	[AGGREGATE_MAX] = add_max,
	[AGGREGATE_AVG] = add_avg,
	[AGGREGATE_HIST] = add_bucket,
	[AGGREGATE_QUANTILE] = add_bucket,
};

/* Counts a call with a new key, or under `other`, which becomes its key, if that has no room. */
static NOINLINE void count_new(struct adding *a)
{
	struct cell *c = cell_at(a->map, cell_key(a->key, 0, 0));
	const struct item i = { .binding = a->binding, .key = a->key };

	if (!add_cell(a, c, &i, CELLS_FOR_KEYS)) {
		a->key = OTHER;
	}
	add_integer(a, 0, 0, 1);
}

/* Adds up what is not plain. */
static void add_odd(const struct adding *a, unsigned int function)
{
	struct number n;

	if (number_of(&a->binding->values[function], a->call, &n)) {
		adders[a->binding->aggregation->functions[function].kind](a, function, &n);
	}
}

static void add_plain(const struct adding *a, unsigned int function)
{
	struct plain p = plain_of(&a->binding->values[function], a->call->words);

	add_integer(a, function, p.bucket, p.amount);
}

/* Returns a number that no other map has, neither of this process nor of its next image. */
static uint32_t next_number(struct process *p)
{
	uint32_t none = 0;
	uint32_t first = (uint32_t)(waymark_clock_ns() / 1000) | 1;

	__atomic_compare_exchange_n(
		&p->maps, &none, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return __atomic_add_fetch(&p->maps, 1, __ATOMIC_RELAXED);
}

/* Makes a cell of the key `other` that must exist when memory ends; returns its value, or NULL. */
static waymark_count *make_spare(const struct adding *a, unsigned int function)
{
	const struct item i = { .binding = a->binding, .key = OTHER, .function = function };

	return add_cell(a, cell_at(a->map, cell_key(OTHER, function, 0)), &i, CELLS);
}

/* Makes the thread's map. Returns NULL if there is no memory. */
static NOINLINE struct map *make_map(struct slot *s, struct adding *a, uint32_t depth)
{
	unsigned int index = a->binding->index;
	struct maps *all = waymark_wiped_at(&s->aggregated, sizeof(*all));
	void **place = all ? (void **)&all->items[index][depth] : NULL;
	struct process *p = waymark_process();

	a->map = place ? waymark_wiped_at(place, sizeof(*a->map)) : NULL;
	if (!a->map) {
		return NULL;
	}
	a->map->number = next_number(p);
	make_spare(a, 0);
	if (!__atomic_load_n(&p->left_out_of[index], __ATOMIC_RELAXED)) {
		/* Release: pairs with leave_out(). If several threads do this, one record is used.
		 */
		__atomic_store_n(&p->left_out_of[index], make_spare(a, LEFT_OUT), __ATOMIC_RELEASE);
	}
	return a->map;
}

/* Adds up in the map of that depth. */
static void add_in(struct slot *s, const struct watch *w, struct field_call *call, uint32_t depth)
{
	const struct aggregate_binding *b = &w->aggregate;
	struct adding a = { b, &w->fields, call, map_of(s, b, depth),
		key_of(b, call->words, call) };

	if (UNLIKELY(!a.map) && !make_map(s, &a, depth)) {
		leave_out(b);
		return;
	}
	if (UNLIKELY(!count_known(a.map, a.key))) {
		count_new(&a);
	}
	for (unsigned int f = 1; f < b->function_count; f++) {
		if (LIKELY(b->values[f].is_plain)) {
			add_plain(&a, f);
		} else {
			add_odd(&a, f);
		}
	}
}

void waymark_aggregate(
	struct slot *s, const struct watch *w, struct field_call *call, uint32_t turn)
{
	if (LIKELY(!(turn & 1))) {
		add_in(s, w, call, 0);
		return;
	}
	uint32_t depth = s->aggregating + 1;

	__atomic_store_n(&s->aggregating, depth, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (depth < DEPTHS) {
		add_in(s, w, call, depth);
	} else {
		leave_out(&w->aggregate);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&s->aggregating, depth - 1, __ATOMIC_RELAXED);
}
