/* SPDX-License-Identifier: MIT */
/*
 * A program as program.c makes it, for the caller that runs it for each call of an event: tests of
 * integers inline, without a call.
 */
#ifndef EXPR_PROGRAM_H
#define EXPR_PROGRAM_H

#include <string.h>

#include "expr/nodes.h"

/* A test leads to a later one, or to the result. */
#define TEST_TRUE UINT16_MAX
#define TEST_FALSE (UINT16_MAX - 1u)

enum test_kind {
	TEST_INTEGER, /* a field of at most 64 bits */
	TEST_OWN, /* the same of one of the caller's own words */
	TEST_STRING, /* a string, with a constant */
	TEST_NODES, /* everything else */
};

struct expr_test {
	uint8_t kind; /* of enum test_kind */
	bool yes_if_missing; /* the way to go if the caller's own words have no value */
	uint16_t word;
	uint16_t yes;
	uint16_t no;
	union {
		struct {
			uint64_t mask;
			uint64_t low;
			uint64_t width; /* the bits of the field */
			uint64_t span; /* highest - lowest */
		} integer;
		const char *text; /* of a string */
		struct expr_part nodes;
	} of;
};

struct expr_program {
	uint16_t begin; /* a test, or a result */
	struct expr_test *tests;
	struct expr_node *nodes;
	char *texts;
};

/* The program that is always true. */
extern const struct expr_program expr_always;

static inline bool expr_test_integer(const struct expr_test *t, const uint64_t *words)
{
	uint64_t value = words[t->word] & t->of.integer.mask;

	return ((value - t->of.integer.low) & t->of.integer.width) <= t->of.integer.span;
}

static inline bool expr_test_own(const struct expr_test *t, const uint64_t *own)
{
	return own ? expr_test_integer(t, own) : t->yes_if_missing;
}

static inline bool expr_test_string(const struct expr_test *t, const uint64_t *words)
{
	const char *s = (const char *)(uintptr_t)words[t->word];

	return s && strcmp(s, t->of.text) == 0;
}

/* Returns true if the nodes' result is the one that the test wants. */
bool expr_test_nodes(
	const struct expr_program *p, const struct expr_test *t, expr_get *get, void *data);

/* Returns the result, or the first test that does not compare an integer. */
static inline uint16_t expr_run_integers(const struct expr_program *p, const uint64_t *words)
{
	uint16_t next = p->begin;

	while (next < TEST_FALSE && p->tests[next].kind == TEST_INTEGER) {
		const struct expr_test *t = &p->tests[next];

		next = expr_test_integer(t, words) ? t->yes : t->no;
	}
	return next;
}

/*
 * Returns what expr_is_true() returns. Evaluates only what decides; gets fields that `word_of` did
 * not give by `get`. `own`: the caller's own words; NULL: they have no value. Any thread, any
 * signal handler; takes less than 1 KiB of stack.
 */
static inline bool expr_run(const struct expr_program *p, const uint64_t *words,
	const uint64_t *own, expr_get *get, void *data)
{
	uint16_t next = p->begin;

	while (next < TEST_FALSE) {
		const struct expr_test *t = &p->tests[next];
		bool is_true = t->kind == TEST_INTEGER	? expr_test_integer(t, words)
			       : t->kind == TEST_OWN	? expr_test_own(t, own)
			       : t->kind == TEST_STRING ? expr_test_string(t, words)
							: expr_test_nodes(p, t, get, data);

		next = is_true ? t->yes : t->no;
	}
	return next == TEST_TRUE;
}

#endif
