/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an expression: it is refused with a place inside of it, or bound and evaluated for
 * an event with fields of each type.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct value_name names[] = { { "read", 0, false }, { "write", 1, false },
	{ NULL, 0, false } };

static const struct {
	char name;
	struct expr_field field;
	struct expr_value value;
} fields[] = {
	{ 'i', { 0, EXPR_INTEGER, NULL, EXPR_PLAIN, 0, false },
		{ .as.integer = UINT64_MAX, .type = EXPR_INTEGER, .is_negative = true } },
	{ 'f', { 1, EXPR_FLOAT, NULL, EXPR_PLAIN, 0, false },
		{ .as.number = -2.5, .type = EXPR_FLOAT } },
	{ 's', { 2, EXPR_TEXT, NULL, EXPR_PLAIN, 0, false },
		{ .as.text = "text", .length = 4, .type = EXPR_TEXT } },
	{ 'e', { 3, EXPR_INTEGER, names, EXPR_PLAIN, 0, false },
		{ .as.integer = 1, .type = EXPR_INTEGER } },
	{ 't', { 4, EXPR_INTEGER, NULL, EXPR_TIME, 1000, false },
		{ .as.integer = 7, .type = EXPR_INTEGER } },
	{ 'z', { 5, EXPR_TEXT, NULL, EXPR_PLAIN, 0, false },
		{ .as.text = NULL, .type = EXPR_TEXT } },
	{ 'a', { 6, EXPR_ANY, NULL, EXPR_PLAIN, 0, false }, { .type = EXPR_NONE } },
	{ 'c', { 7, EXPR_INTEGER, NULL, EXPR_PLAIN, 0, true },
		{ .as.integer = 'c', .type = EXPR_INTEGER, .character = EXPR_BYTE } },
	{ 'm', { 8, EXPR_ANY, NULL, EXPR_PLAIN, 0, false },
		{ .as.integer = 0xe9, .type = EXPR_INTEGER, .character = EXPR_CODE_POINT } },
};

static bool find(const void *data, const char *name, size_t length, struct expr_field *field)
{
	(void)data;
	for (size_t i = 0; length == 1 && i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].name == *name) {
			*field = fields[i].field;
			return true;
		}
	}
	return false;
}

static void get(void *data, unsigned int slot, struct expr_value *value)
{
	(void)data;
	*value = fields[slot].value;
}

/* The words of the fields; `f`, `z`, `a` and `m` have none. */
static bool word_of(const void *data, unsigned int slot, struct expr_word *word)
{
	static const struct expr_word words[] = {
		{ 0, 64, true, false },
		{ 0, 0, false, false },
		{ 1, 0, false, true },
		{ 2, 8, false, false },
		{ 3, 16, false, false },
		{ 0, 0, false, false },
		{ 0, 0, false, false },
		{ 4, 8, true, false },
		{ 0, 0, false, false },
	};

	(void)data;
	*word = words[slot];
	return word->bits || word->is_string;
}

/* The program for traced programs finds the same truth. */
static void check_program(const struct expr_bound *b)
{
	const uint64_t words[] = { UINT64_MAX, (uintptr_t) "text", 1, 7, 'c' };
	struct expr_error error;
	struct expr_program *p = expr_compile(b, word_of, NULL, &error);

	if (p && expr_run(p, words, NULL, get, NULL) != expr_is_true(b, get, NULL)) {
		abort();
	}
	expr_program_free(p);
}

static void check_error(const struct expr_error *error, size_t size)
{
	if (error->at > size || !error->text[0] ||
		!memchr(error->text, '\0', sizeof(error->text)) ||
		!memchr(error->help, '\0', sizeof(error->help))) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct expr_scope scope = { find, NULL };
	char *text = calloc(1, size + 1);
	struct expr_error error;

	if (!text) {
		return 0;
	}
	memcpy(text, data, size);
	struct expr *e = expr_parse(text, &error);
	struct expr_bound *b = e ? expr_bind(e, &scope, &error) : NULL;

	if (b) {
		expr_eval(b, get, NULL);
		check_program(b);
	} else {
		check_error(&error, size);
	}
	expr_bound_free(b);
	expr_free(e);
	free(text);
	return 0;
}
