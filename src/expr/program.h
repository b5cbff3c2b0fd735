/* SPDX-License-Identifier: MIT */
/*
 * A program as program.c makes it, for the caller that runs it for each call of an event: tests of
 * integers inline, without a call.
 */
#ifndef EXPR_PROGRAM_H
#define EXPR_PROGRAM_H

#include "expr/nodes.h"

/* A test leads to a later one, or to the result. */
#define TEST_TRUE UINT16_MAX
#define TEST_FALSE (UINT16_MAX - 1u)

enum test_kind {
	TEST_INTEGER, /* a field of at most 64 bits */
	TEST_STRING, /* a string, with a constant */
	TEST_NODES, /* everything else */
};

struct expr_test {
	uint8_t kind; /* of enum test_kind */
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
		struct {
			const char *text;
			size_t bytes; /* with its NUL */
		} string;
		struct expr_part nodes;
	} of;
};

struct expr_program {
	uint16_t begin; /* a test, or a result */
	struct expr_test *tests;
	struct expr_node *nodes;
	char *texts;
};

static inline bool expr_test_integer(const struct expr_test *t, const uint64_t *words)
{
	uint64_t value = words[t->word] & t->of.integer.mask;

	return ((value - t->of.integer.low) & t->of.integer.width) <= t->of.integer.span;
}

/* Returns the result, or the first test that is none of an integer, where expr_run_from() goes on.
 */
static inline uint16_t expr_run_integers(const struct expr_program *p, const uint64_t *words)
{
	uint16_t next = p->begin;

	while (next < TEST_FALSE && p->tests[next].kind == TEST_INTEGER) {
		const struct expr_test *t = &p->tests[next];

		next = expr_test_integer(t, words) ? t->yes : t->no;
	}
	return next;
}

/* Does what expr_run() does, from a test on. */
bool expr_run_from(const struct expr_program *p, uint16_t next, const uint64_t *words,
	expr_get *get, void *data);

#endif
