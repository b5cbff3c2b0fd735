/* SPDX-License-Identifier: MIT */
/*
 * Open spans: found by key, and in a stack for each thread. A thread's stack is its open
 * synchronous scopes; the time between its records belongs to the scope on top. Scopes may end in
 * any order, and leave the stack from any place.
 */
#include "analyse/match/pairs.h"

#include <stdlib.h>

struct pairs_thread {
	uint64_t gaps; /* of this thread; for thread 0, of the process without a known thread */
	uint64_t all_gaps; /* for thread 0: all gaps of the process */
	uint64_t last_ns; /* time of the stack's last change */
	uint32_t top; /* PAIRS_NONE: no scope is open */
};

void pairs_init(struct pairs *p, const struct class_table *known)
{
	*p = (struct pairs){ .known = known, .free = PAIRS_NONE };
}

void pairs_fini(struct pairs *p)
{
	texts_fini(&p->names);
	vec_fini(&p->classes);
	vec_fini(&p->spans);
	vec_fini(&p->left);
	vec_fini(&p->threads);
	keys_fini(&p->open);
	keys_fini(&p->by_key);
}

static uint32_t find_thread(struct pairs *p, const struct key *key)
{
	uint32_t index = keys_get(&p->by_key, key);

	if (index == KEYS_NONE) {
		index = (uint32_t)p->threads.count;
		vec_push(&p->threads, ((struct pairs_thread){ .top = PAIRS_NONE }));
		keys_swap(&p->by_key, key, index);
	}
	return index;
}

/* Finds the index of a thread, which is usually among the recent ones. */
static uint32_t thread_of(struct pairs *p, const struct key *of, uint32_t tid)
{
	struct pairs_recent *recent = &p->recent[tid % PAIRS_RECENT];

	if (recent->trace != of->trace || recent->pid != of->pid || recent->tid != tid ||
		!recent->is_known) {
		const struct key key = { .trace = of->trace, .pid = of->pid, .tid = tid };

		*recent = (struct pairs_recent){ of->trace, of->pid, tid, find_thread(p, &key),
			true };
	}
	return recent->index;
}

void pairs_gap(struct pairs *p, const struct record *rec)
{
	const struct key key = { .trace = rec->trace, .pid = rec->pid };
	uint32_t thread = thread_of(p, &key, rec->tid);
	uint32_t process = thread_of(p, &key, 0);

	p->has_gaps = true;
	p->threads.items[thread].gaps++;
	p->threads.items[process].all_gaps++;
}

/*
 * Returns the number of gaps without a known process, such as of a processor's buffer: each may
 * have lost events of the key.
 */
static uint64_t gaps_of_trace(struct pairs *p, const struct key *key)
{
	const struct key nobody = { .trace = key->trace };

	return key->pid ? p->threads.items[thread_of(p, &nobody, 0)].gaps : 0;
}

/*
 * Returns the number of gaps so far that may have lost records of the key's scope by thread `tid`.
 */
static uint64_t gaps_of(struct pairs *p, const struct key *key, uint32_t tid)
{
	if (!p->has_gaps) {
		return 0;
	}
	uint32_t process = thread_of(p, key, 0);
	uint32_t thread = thread_of(p, key, tid);

	return gaps_of_trace(p, key) + p->threads.items[process].gaps +
	       (tid ? p->threads.items[thread].gaps : 0);
}

/* Returns that number for the end of a span, which may be on any thread. */
static uint64_t end_gaps_of(struct pairs *p, const struct scope_span *s)
{
	if (s->place != PAIRS_ANYWHERE || !p->has_gaps) {
		return gaps_of(p, &s->key, s->key.tid);
	}
	uint32_t process = thread_of(p, &s->key, 0);

	return gaps_of_trace(p, &s->key) + p->threads.items[process].all_gaps;
}

/* Adds the time until `ns` to the scope on top of the thread's stack. */
static void pass_time(struct pairs *p, struct pairs_thread *t, uint64_t ns)
{
	if (ns <= t->last_ns) {
		return;
	}
	if (t->top != PAIRS_NONE) {
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

static void free_span(struct pairs *p, uint32_t index)
{
	p->spans.items[index].class = NULL;
	p->spans.items[index].below = p->free;
	p->free = index;
}

/* Moves a span whose key was removed to p->span. */
static void take_out(struct pairs *p, uint32_t index, uint64_t ns)
{
	struct scope_span *s = &p->spans.items[index];

	p->left.count = 0;
	if (s->is_nested) {
		pass_time(p, &p->threads.items[s->thread], ns);
		/* Spans above it whose ends may be lost get no more time. */
		uint32_t at = s->above;

		while (at != PAIRS_NONE) {
			uint32_t above = p->spans.items[at].above;

			if (p->spans.items[at].gaps != end_gaps_of(p, &p->spans.items[at])) {
				leave_stack(p, at);
				vec_push(&p->left, at);
			}
			at = above;
		}
	}
	p->span = *s;
	if (s->is_nested) {
		leave_stack(p, index);
	}
	free_span(p, index);
}

static uint32_t new_span(struct pairs *p)
{
	uint32_t index = p->free;

	if (index != PAIRS_NONE) {
		p->free = p->spans.items[index].below;
		return index;
	}
	vec_push(&p->spans, ((struct scope_span){ 0 }));
	return (uint32_t)p->spans.count - 1;
}

enum pairs_result pairs_begin(struct pairs *p, const struct record *rec, const struct key *key,
	enum pairs_place place, uint32_t tag)
{
	uint32_t index = new_span(p);
	uint32_t other = keys_swap(&p->open, key, index);
	struct scope_span *s = &p->spans.items[index];

	*s = (struct scope_span){
		.class = rec->class,
		.key = *key,
		.begin_ns = rec->ns,
		.is_nested = place == PAIRS_STACKED,
		.place = place,
		.tag = tag,
		.mark = PAIRS_NONE,
		.part = PAIRS_NONE,
		.held = PAIRS_NONE,
		.thread = PAIRS_NONE,
		.below = PAIRS_NONE,
		.above = PAIRS_NONE,
	};
	s->gaps = p->has_gaps ? end_gaps_of(p, s) : 0;
	if (other != KEYS_NONE) {
		take_out(p, other, rec->ns);
	} else {
		p->span = *s;
	}
	p->begun = index;
	if (place == PAIRS_STACKED) {
		s->thread = thread_of(p, key, key->tid);
		push(p, index);
	}
	return other == KEYS_NONE ? PAIRS_BEGUN : PAIRS_BEGUN_TWICE;
}

enum pairs_result pairs_end(struct pairs *p, const struct record *rec, const struct key *key)
{
	uint32_t index = keys_take(&p->open, key);

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

struct scope_span *pairs_begun(struct pairs *p)
{
	return &p->spans.items[p->begun];
}

static struct scope_span *span_at(const struct pairs *p, uint32_t index)
{
	return index == PAIRS_NONE ? NULL : &p->spans.items[index];
}

struct scope_span *pairs_find(const struct pairs *p, const struct key *key)
{
	return span_at(p, keys_get(&p->open, key));
}

struct scope_span *pairs_around(struct pairs *p, const struct scope_span *span)
{
	return span_at(p, span->below);
}

struct scope_span *pairs_above(struct pairs *p, const struct scope_span *span)
{
	return span_at(p, span->above);
}

bool pairs_is_doubtful(struct pairs *p, const struct scope_span *open)
{
	return p->has_gaps && open->class && end_gaps_of(p, open) != open->gaps;
}

struct scope_span *pairs_inside(struct pairs *p, const struct record *rec)
{
	const struct key key = { .trace = rec->trace, .pid = rec->pid };

	if (rec->tid == 0) {
		return NULL;
	}
	uint32_t thread = thread_of(p, &key, rec->tid); /* may move the array */

	return span_at(p, p->threads.items[thread].top);
}

const struct scope_span *pairs_top(const struct pairs *p, uint32_t thread)
{
	return span_at(p, p->threads.items[thread].top);
}

uint32_t pairs_enter(struct pairs *p, uint32_t thread, uint32_t mark, uint64_t ns)
{
	uint32_t index = new_span(p);

	p->spans.items[index] = (struct scope_span){
		.begin_ns = ns,
		.mark = mark,
		.held = PAIRS_NONE,
		.thread = thread,
	};
	push(p, index);
	return index;
}

uint64_t pairs_leave(struct pairs *p, uint32_t index, uint64_t ns)
{
	struct scope_span *s = &p->spans.items[index];

	pass_time(p, &p->threads.items[s->thread], ns);
	leave_stack(p, index);
	free_span(p, index);
	return s->self_ns;
}

void pairs_cancel(struct pairs *p, uint32_t index, uint64_t ns)
{
	uint32_t below = p->spans.items[index].below;
	uint64_t self_ns = pairs_leave(p, index, ns);

	if (below != PAIRS_NONE) {
		p->spans.items[below].self_ns += self_ns;
	}
}

void pairs_pass(struct pairs *p, uint64_t ns)
{
	vec_foreach (struct pairs_thread *, t, &p->threads) {
		pass_time(p, t, ns);
	}
}

void pairs_unfinished(
	struct pairs *p, void (*found)(void *data, const struct scope_span *span), void *data)
{
	for (size_t i = 0; i < p->spans.count; i++) {
		struct scope_span *s = &p->spans.items[i];

		if (s->class) {
			s->is_lost = pairs_is_doubtful(p, s);
			found(data, s);
		}
	}
}
