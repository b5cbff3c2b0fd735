/* SPDX-License-Identifier: MIT */
/*
 * The first test of a condition, copied as the range that it refuses (src/rt/event/decision.h), and
 * programs with words of the caller's own, beside the evaluation of the expression: random
 * comparisons of fields of 1 to 64 bits, with and without a sign, masked, joined by !, && and ||.
 *
 * test_first [EXPRESSIONS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "expr/program.h"
#include "rt/event/decision.h"

#define VALUES 60 /* for each expression */

/* Two fields of the event, and one of the caller's own, which may have no value. */
enum { FIELD_A, FIELD_B, FIELD_OWN, FIELDS };

static struct expr_word shape[FIELDS];
static uint64_t words[FIELDS];
static bool is_missing;
static uint64_t state;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t bits(int field)
{
	return UINT64_MAX >> (64 - shape[field].bits);
}

static bool find(const void *data, const char *name, size_t length, struct expr_field *field)
{
	(void)data;
	*field = (struct expr_field){ .slot = (unsigned int)(*name - 'a'), .type = EXPR_INTEGER };
	return length == 1 && *name >= 'a' && *name <= 'c';
}

static bool word_of(const void *data, unsigned int slot, struct expr_word *word)
{
	(void)data;
	*word = shape[slot];
	return true;
}

static void get(void *data, unsigned int slot, struct expr_value *v)
{
	uint64_t value = words[slot];
	bool is_negative = shape[slot].is_signed && value >> (shape[slot].bits - 1) & 1;

	(void)data;
	*v = expr_integer(is_negative ? value | ~bits((int)slot) : value, shape[slot].is_signed);
	if (slot == FIELD_OWN && is_missing) {
		v->type = EXPR_NONE;
	}
}

/* Returns a value of the field, mostly near an end of its range. */
static uint64_t value_of(int field)
{
	const uint64_t most = bits(field);
	const uint64_t some[] = { 0, most, most >> 1, (most >> 1) + 1, next() % 6, next() };

	return (some[next() % ARRAY_SIZE(some)] + next() % 2) & most;
}

static void put_comparison(char *text)
{
	static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=" };
	int field = (int)(next() % FIELDS);
	char name = (char)('a' + field);
	char left[60];

	snprintf(left, sizeof(left), next() % 4 ? "%c" : "(%c & 0x%llx)", name,
		(unsigned long long)(next() >> next() % 64));
	sprintf(text, "%s %s %s%llu", left, operators[next() % ARRAY_SIZE(operators)],
		next() % 3 ? "" : "-", (unsigned long long)(value_of(field) & INT64_MAX));
}

static void put_expression(char *text, unsigned int depth)
{
	char left[4000];
	char right[4000];

	if (depth == 0 || next() % 3 == 0) {
		put_comparison(text);
		return;
	}
	put_expression(left, depth - 1);
	put_expression(right, depth - 1);
	switch (next() % 3) {
	case 0:
		sprintf(text, "!(%s)", left);
		break;
	case 1:
		sprintf(text, "(%s) && (%s)", left, right);
		break;
	default:
		sprintf(text, "(%s) || (%s)", left, right);
		break;
	}
}

static void choose_shapes(void)
{
	for (int i = 0; i < FIELD_OWN; i++) {
		static const uint8_t usual[] = { 1, 8, 16, 32, 64 };

		shape[i] = (struct expr_word){ .index = (uint16_t)i,
			.bits = next() % 2 ? usual[next() % ARRAY_SIZE(usual)]
					   : (uint8_t)(1 + next() % 64),
			.is_signed = next() % 2 };
	}
	shape[FIELD_OWN] = (struct expr_word){ .bits = 64, .is_own = true };
}

/* Counts of what the first test alone decided. */
static unsigned long refused;
static unsigned long passed;

/* Returns false, and prints the values, if an evaluation is wrong. */
static bool check_values(const char *text, const struct expr_bound *b, const struct expr_program *p,
	const struct decided *d)
{
	const uint64_t *own = is_missing ? NULL : &words[FIELD_OWN];
	bool wanted = expr_is_true(b, get, NULL);
	bool found = expr_run(p, words, own, get, NULL);
	enum first_test first = decided_first(d, words);

	refused += first == FIRST_REFUSES;
	passed += first == FIRST_PASSES;
	if (found == wanted && first != (wanted ? FIRST_REFUSES : FIRST_PASSES)) {
		return true;
	}
	printf("%s: is %d, program %d, first test %d; a=%llu (%u bits), b=%llu (%u), c=%llu, missing %d\n",
		text, wanted, found, first, (unsigned long long)words[0], shape[0].bits,
		(unsigned long long)words[1], shape[1].bits, (unsigned long long)words[2],
		is_missing);
	return false;
}

static bool check_expression(const char *text)
{
	static const struct expr_scope scope = { find, NULL };
	struct expr_error error;
	struct expr *e = expr_parse(text, &error);
	struct expr_bound *b = e ? expr_bind(e, &scope, &error) : NULL;
	struct expr_program *p = b ? expr_compile(b, word_of, NULL, &error) : NULL;
	bool is_good = p;

	if (!p) {
		printf("%s: %s\n", text, error.text);
		return false;
	}
	struct decision decision = { .program = p };
	struct decided decided = { .turn = 1, .way = DECIDE_ALL };

	waymark_decided_store(&decided, &decision, NULL);
	for (int i = 0; i < VALUES && is_good; i++) {
		for (int field = 0; field < FIELDS; field++) {
			words[field] = value_of(field);
		}
		is_missing = next() % 3 == 0;
		is_good = check_values(text, b, p, &decided);
	}
	expr_program_free(p);
	expr_bound_free(b);
	expr_free(e);
	return is_good;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 50000;
	unsigned long bad = 0;
	char text[16000];

	state = (uint64_t)time(NULL) << 20 | 1;
	printf("seed %llu\n", (unsigned long long)state);
	for (unsigned long i = 0; i < count; i++) {
		choose_shapes();
		put_expression(text, (unsigned int)(next() % 4));
		bad += !check_expression(text);
	}
	printf("%lu expressions, the first test refused %lu and passed %lu evaluations; %lu wrong\n",
		count, refused, passed, bad);
	return bad != 0 || refused == 0 || passed == 0;
}
