/* SPDX-License-Identifier: MIT */
/*
 * See analyse/pairs.h. The synchronous scopes that a thread has open are a stack; the time
 * from one record of its scopes to the next belongs to the one on top. Scopes may end in any
 * order: whatever ends leaves the stack.
 */
#include "analyse/pairs.h"

#include <stdlib.h>
#include <string.h>

#define END "_end"

enum class_kind { CLASS_UNKNOWN, CLASS_OTHER, CLASS_BEGIN, CLASS_END };

struct pairs_class {
	enum class_kind kind;
	uint32_t name;
};

struct pairs_thread {
	uint64_t gaps; /* of a process, which is thread 0: those that are no thread's */
	uint64_t all_gaps; /* of a process */
	uint64_t last_ns; /* when its stack has changed */
	uint32_t top; /* PAIRS_NONE: it has no scope open */
};

void pairs_init(struct pairs *p, const struct class_table *known)
{
	*p = (struct pairs){ .known = known, .free = PAIRS_NONE };
	hash_init(&p->by_name);
}

void pairs_fini(struct pairs *p)
{
	vec_foreach (char **, name, &p->names) {
		free(*name);
	}
	vec_fini(&p->names);
	vec_fini(&p->classes);
	vec_fini(&p->spans);
	vec_fini(&p->threads);
	hash_fini(&p->by_name);
	keys_fini(&p->open);
	keys_fini(&p->by_key);
}

static bool is_integer(const struct arg *a, const char *name, unsigned int size)
{
	return strcmp(a->name, name) == 0 && a->type.class == TYPE_INTEGER &&
	       a->type.size64 == size;
}

static bool has_scope(const struct event_class *c)
{
	return c->event && c->event->arg_count > 0 && is_integer(c->event->args, "scope", 8);
}

/* The length of the scope's name whose end this is; 0: it is none. */
static size_t end_of(const struct event_class *c)
{
	size_t length = strlen(c->name);
	size_t tail = strlen(END);
	bool is_end = has_scope(c) && c->event->arg_count == 2 &&
		      is_integer(&c->event->args[1], "scope_tid", 4);

	return is_end && length > tail && strcmp(c->name + length - tail, END) == 0 ? length - tail
										    : 0;
}

/* Events that are no scope may have a first field of that name, too, but no end. */
static bool is_begin(const struct pairs *p, const struct event_class *c)
{
	if (!has_scope(c) || c->event->properties & EVENT_SCOPE) {
		return has_scope(c);
	}
	vec_foreach (struct event_class **, it, &p->known->all) {
		size_t length = end_of(*it);

		if (length == strlen(c->name) && memcmp((*it)->name, c->name, length) == 0) {
			return true;
		}
	}
	return false;
}

static uint32_t name_index(struct pairs *p, const char *text, size_t length)
{
	char *name = xcalloc(length + 1, 1);

	memcpy(name, text, length);
	uintptr_t index = (uintptr_t)hash_get(&p->by_name, name);

	if (index) {
		free(name);
		return (uint32_t)index - 1;
	}
	vec_push(&p->names, name);
	hash_add(&p->by_name, name, (void *)(uintptr_t)p->names.count);
	return (uint32_t)p->names.count - 1;
}

/* An end is looked for first: the scope `x_end` of no arguments ends by `x_end_end`. */
static struct pairs_class classify(struct pairs *p, const struct event_class *c)
{
	size_t length = end_of(c);

	if (length > 0) {
		return (struct pairs_class){ CLASS_END, name_index(p, c->name, length) };
	}
	if (is_begin(p, c)) {
		return (struct pairs_class){ CLASS_BEGIN, name_index(p, c->name, strlen(c->name)) };
	}
	return (struct pairs_class){ .kind = CLASS_OTHER };
}

static const struct pairs_class *class_of(struct pairs *p, const struct event_class *c)
{
	while (p->classes.count <= c->index) {
		vec_push(&p->classes, ((struct pairs_class){ 0 }));
	}
	struct pairs_class *class = &p->classes.items[c->index];

	if (class->kind == CLASS_UNKNOWN) {
		*class = classify(p, c);
	}
	return class;
}

bool pairs_wants(struct pairs *p, const struct record *rec)
{
	return rec->kind == RECORD_EVENT && class_of(p, rec->class)->kind != CLASS_OTHER;
}

static uint32_t thread_of(struct pairs *p, const struct key *of, uint32_t tid)
{
	const struct key key = { .trace = of->trace, .pid = of->pid, .tid = tid };
	uint32_t index = keys_get(&p->by_key, &key);

	if (index == KEYS_NONE) {
		index = (uint32_t)p->threads.count;
		vec_push(&p->threads, ((struct pairs_thread){ .top = PAIRS_NONE }));
		keys_add(&p->by_key, &key, index);
	}
	return index;
}

static void add_gap(struct pairs *p, const struct record *rec)
{
	const struct key key = { .trace = rec->trace, .pid = rec->pid };
	uint32_t thread = thread_of(p, &key, rec->tid);
	uint32_t process = thread_of(p, &key, 0);

	p->threads.items[thread].gaps++;
	p->threads.items[process].all_gaps++;
}

/* How often events were lost so far where a scope is recorded that begins, or ends, by `tid`. */
static uint64_t gaps_of(struct pairs *p, const struct key *key, uint32_t tid)
{
	uint32_t process = thread_of(p, key, 0);
	uint32_t thread = thread_of(p, key, tid);

	return p->threads.items[process].gaps + (tid ? p->threads.items[thread].gaps : 0);
}

/* The same for ends: an asynchronous scope may end on any thread. */
static uint64_t end_gaps_of(struct pairs *p, const struct scope_span *s)
{
	if (s->is_nested) {
		return gaps_of(p, &s->key, s->key.tid);
	}
	return p->threads.items[thread_of(p, &s->key, 0)].all_gaps;
}

/* The time until now belongs to the thread's scope on top. */
static void pass_time(struct pairs *p, struct pairs_thread *t, uint64_t ns)
{
	if (t->top != PAIRS_NONE && ns > t->last_ns) {
		p->spans.items[t->top].self_ns += ns - t->last_ns;
	}
	t->last_ns = ns;
}

static void push(struct pairs *p, uint32_t index)
{
	struct scope_span *s = &p->spans.items[index];
	struct pairs_thread *t = &p->threads.items[s->thread];

	pass_time(p, t, s->begin_ns);
	s->below = t->top;
	s->above = PAIRS_NONE;
	if (t->top != PAIRS_NONE) {
		p->spans.items[t->top].above = index;
	}
	t->top = index;
}

static void leave_stack(struct pairs *p, uint32_t index)
{
	struct scope_span *s = &p->spans.items[index];
	struct pairs_thread *t = &p->threads.items[s->thread];

	if (s->above != PAIRS_NONE) {
		p->spans.items[s->above].below = s->below;
	} else if (t->top == index) {
		t->top = s->below;
	}
	if (s->below != PAIRS_NONE) {
		p->spans.items[s->below].above = s->above;
	}
	s->above = s->below = PAIRS_NONE;
}

/* Those above one that ends, whose own ends a gap may have swallowed: they take no more time. */
static void leave_lost(struct pairs *p, uint32_t index)
{
	uint32_t at = p->spans.items[index].above;

	while (at != PAIRS_NONE) {
		uint32_t above = p->spans.items[at].above;

		if (p->spans.items[at].gaps != end_gaps_of(p, &p->spans.items[at])) {
			leave_stack(p, at);
		}
		at = above;
	}
}

/* Takes an open span out of all tables, to p->span. */
static void take_out(struct pairs *p, uint32_t index, uint64_t ns)
{
	struct scope_span *s = &p->spans.items[index];

	if (s->is_nested) {
		pass_time(p, &p->threads.items[s->thread], ns);
		leave_lost(p, index);
		leave_stack(p, index);
	}
	keys_remove(&p->open, &s->key);
	p->span = *s;
	s->class = NULL;
	s->below = p->free;
	p->free = index;
}

static uint32_t put_in(struct pairs *p, const struct scope_span *s)
{
	uint32_t index = p->free;

	if (index == PAIRS_NONE) {
		index = (uint32_t)p->spans.count;
		vec_push(&p->spans, *s);
	} else {
		p->free = p->spans.items[index].below;
		p->spans.items[index] = *s;
	}
	keys_add(&p->open, &s->key, index);
	return index;
}

static enum pairs_result begin(struct pairs *p, const struct record *rec, const struct key *key)
{
	struct scope_span s = {
		.class = rec->class,
		.key = *key,
		.begin_ns = rec->ns,
		.is_nested = key->scope >= PAIRS_FIRST_SYNC && key->tid != 0,
		.below = PAIRS_NONE,
		.above = PAIRS_NONE,
	};
	uint32_t other = keys_get(&p->open, key);

	if (other != KEYS_NONE) {
		take_out(p, other, rec->ns);
	}
	s.thread = thread_of(p, key, key->tid);
	s.gaps = end_gaps_of(p, &s);
	uint32_t index = put_in(p, &s);

	if (s.is_nested) {
		push(p, index);
	}
	if (other != KEYS_NONE) {
		return PAIRS_BEGUN_TWICE;
	}
	p->span = s;
	return PAIRS_BEGUN;
}

static enum pairs_result end(struct pairs *p, const struct record *rec, const struct key *key)
{
	uint32_t index = keys_get(&p->open, key);

	if (index == KEYS_NONE) {
		p->span =
			(struct scope_span){ .key = *key, .end_tid = rec->tid, .end_ns = rec->ns };
		return gaps_of(p, key, key->tid) ? PAIRS_UNBEGUN_LOST : PAIRS_UNBEGUN;
	}
	take_out(p, index, rec->ns);
	struct scope_span *s = &p->span;

	s->end_tid = rec->tid;
	s->end_ns = rec->ns > s->begin_ns ? rec->ns : s->begin_ns;
	if (rec->tid != key->tid || !s->is_nested) {
		s->is_nested = false;
		s->self_ns = s->end_ns - s->begin_ns;
	}
	return PAIRS_ENDED;
}

/* A damaged record of an old format may lack some. */
static bool are_numbers(const struct value *values, enum class_kind kind)
{
	return values && values[0].kind == VALUE_NUMBER &&
	       (kind == CLASS_BEGIN || values[1].kind == VALUE_NUMBER);
}

enum pairs_result pairs_add(struct pairs *p, const struct record *rec, const struct value *values)
{
	if (rec->kind == RECORD_GAP) {
		add_gap(p, rec);
		return PAIRS_NOTHING;
	}
	const struct pairs_class *class = class_of(p, rec->class);

	if (class->kind == CLASS_OTHER || !are_numbers(values, class->kind)) {
		return PAIRS_NOTHING;
	}
	struct key key = {
		.trace = rec->trace,
		.pid = rec->pid,
		.tid = rec->tid,
		.name = class->name,
		.scope = (int64_t)values[0].number,
	};

	if (class->kind == CLASS_BEGIN) {
		return begin(p, rec, &key);
	}
	/* Where records do not say their threads, beginnings have none to compare with. */
	key.tid = rec->tid ? (uint32_t)values[1].number : 0;
	return end(p, rec, &key);
}

void pairs_unfinished(
	struct pairs *p, void (*found)(void *data, const struct scope_span *span), void *data)
{
	for (size_t i = 0; i < p->spans.count; i++) {
		struct scope_span *s = &p->spans.items[i];

		if (s->class) {
			s->is_lost = end_gaps_of(p, s) != s->gaps;
			found(data, s);
		}
	}
}
