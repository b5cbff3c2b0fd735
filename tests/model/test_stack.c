/* SPDX-License-Identifier: MIT */
/*
 * The stacks of free sub-buffers (src/rt/record/buffer.c): every interleaving of
 * threads that take two sub-buffers and free them again. No sub-buffer is ever owned
 * by two threads, none gets lost. Without the tag of the top, the model finds a fault.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>

#include "explore.h"

#define THREADS_MAX 3
#define SUBBUFS 3 /* numbered from 1 */

/* The operations of a thread, in turn. */
enum { TAKE, TAKE_OTHER, GIVE, GIVE_OTHER, OPS };

struct thread {
	uint8_t op; /* index into the operations; OPS: finished */
	uint8_t at; /* the step within it */
	uint8_t seen; /* the loaded top */
	uint8_t seen_tag;
	uint8_t next; /* the loaded successor of the seen sub-buffer */
	uint8_t has[2];
};

struct state {
	uint8_t top, tag;
	uint8_t next[SUBBUFS + 1];
	uint8_t owner[SUBBUFS + 1]; /* 0: on the stack, else a thread from 1 */
	struct thread threads[THREADS_MAX];
};

static uint8_t threads;
static bool tagged;

static void load_top(struct state *s, struct thread *t)
{
	t->seen = s->top;
	t->seen_tag = s->tag;
}

static bool swap_top(struct state *s, struct thread *t, uint8_t to)
{
	if (s->top != t->seen || (tagged && s->tag != t->seen_tag)) {
		load_top(s, t);
		return false;
	}
	s->top = to;
	s->tag++;
	return true;
}

static void op_done(struct thread *t)
{
	t->op++;
	t->at = t->seen = t->seen_tag = t->next = 0;
}

static void take(struct explorer *e, struct state *s, struct thread *t, uint8_t me)
{
	switch (t->at) {
	case 0:
		load_top(s, t);
		t->at = 1;
		return;
	case 1:
		if (!t->seen) { /* the stack is empty: continue without a sub-buffer */
			op_done(t);
			return;
		}
		t->next = s->next[t->seen];
		t->at = 2;
		return;
	default:
		if (!swap_top(s, t, t->next)) {
			t->at = 1;
			return;
		}
		if (s->owner[t->seen]) {
			explore_fail(e, "two threads have a chunk");
		}
		s->owner[t->seen] = me;
		t->has[t->op - TAKE] = t->seen;
		s->next[t->seen] = 0;
		op_done(t);
	}
}

static void give(struct state *s, struct thread *t)
{
	uint8_t *mine = &t->has[t->op - GIVE];

	switch (t->at) {
	case 0:
		load_top(s, t);
		t->at = 1;
		if (!*mine) {
			op_done(t);
		}
		return;
	case 1:
		s->next[*mine] = t->seen;
		t->at = 2;
		return;
	default:
		s->owner[*mine] = 0; /* before the swap makes it visible to others */
		if (!swap_top(s, t, *mine)) {
			t->at = 1;
			return;
		}
		*mine = 0;
		op_done(t);
	}
}

static void check_end(struct explorer *e, const struct state *s)
{
	unsigned int found = 0;

	for (uint8_t c = s->top; c && found <= SUBBUFS; c = s->next[c]) {
		found++;
	}
	if (found != SUBBUFS) {
		explore_fail(e, "chunks are lost");
	}
}

static void step(struct explorer *e, const void *now)
{
	bool through = true;

	for (uint8_t i = 0; i < threads; i++) {
		struct state s = *(const struct state *)now;
		struct thread *t = &s.threads[i];

		if (t->op == OPS) {
			continue;
		}
		through = false;
		if (t->op <= TAKE_OTHER) {
			take(e, &s, t, i + 1);
		} else {
			give(&s, t);
		}
		explore_offer(e, &s);
	}
	if (through) {
		check_end(e, now);
	}
}

static const char *run_model(void)
{
	struct state first = { .top = 1, .next = { 0, 2, 3, 0 } };
	size_t states;
	const char *failure = explore(&first, sizeof(first), step, &states);

	printf("%u threads, %s: %zu states, %s\n", threads, tagged ? "tagged" : "no tag", states,
		failure ? failure : "no fault");
	return failure;
}

static void no_subbuf_has_two_owners(void **state)
{
	(void)state;
	tagged = true;
	for (threads = 2; threads <= THREADS_MAX; threads++) {
		assert_null(run_model());
	}
}

static void without_the_tag_the_model_finds_the_fault(void **state)
{
	(void)state;
	tagged = false;
	threads = 2;
	assert_non_null(run_model());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_subbuf_has_two_owners),
		cmocka_unit_test(without_the_tag_the_model_finds_the_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
