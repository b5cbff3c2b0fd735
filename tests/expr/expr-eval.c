/* SPDX-License-Identifier: MIT */
/*
 * expr-eval: reads lines of `i u f e us s`, divided by blanks, then a tab and an expression; prints
 * its value for an event with these fields: i and u are integers, f is a float, e has names of its
 * values, us has the unit microsecond, s is text. An event has no field `n`, and `any` has a value
 * without a type; c is the `char` 'c', and mark has the value U+00E9, a character. Prints `! OFFSET
 * LENGTH MESSAGE; HELP` for an error.
 *
 * Also runs the expression as a program for traced programs, and ends with an error if that finds
 * another truth.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/program.h"

enum { SLOT_I, SLOT_U, SLOT_F, SLOT_E, SLOT_US, SLOT_S, SLOT_ANY, SLOT_C, SLOT_MARK, SLOTS };

static const struct value_name names_of_e[] = { { "read", 0, false }, { "write", 1, false },
	{ "flush", 7, false }, { NULL, 0, false } };

static const struct {
	const char *name;
	struct expr_field field;
} fields[SLOTS] = {
	{ "i", { SLOT_I, EXPR_INTEGER, NULL, EXPR_PLAIN, 0, false } },
	{ "u", { SLOT_U, EXPR_INTEGER, NULL, EXPR_PLAIN, 0, false } },
	{ "f", { SLOT_F, EXPR_FLOAT, NULL, EXPR_PLAIN, 0, false } },
	{ "e", { SLOT_E, EXPR_INTEGER, names_of_e, EXPR_PLAIN, 0, false } },
	{ "us", { SLOT_US, EXPR_INTEGER, NULL, EXPR_TIME, 1000, false } },
	{ "s", { SLOT_S, EXPR_TEXT, NULL, EXPR_PLAIN, 0, false } },
	{ "any", { SLOT_ANY, EXPR_ANY, NULL, EXPR_PLAIN, 0, false } },
	{ "c", { SLOT_C, EXPR_INTEGER, NULL, EXPR_PLAIN, 0, true } },
	{ "mark", { SLOT_MARK, EXPR_ANY, NULL, EXPR_PLAIN, 0, false } },
};

static bool find(const void *data, const char *name, size_t length, struct expr_field *field)
{
	(void)data;
	for (size_t i = 0; i < SLOTS; i++) {
		if (strlen(fields[i].name) == length &&
			strncmp(fields[i].name, name, length) == 0) {
			*field = fields[i].field;
			return true;
		}
	}
	return false;
}

static void get(void *data, unsigned int slot, struct expr_value *value)
{
	*value = ((const struct expr_value *)data)[slot];
}

static char *read_values(char *line, struct expr_value *v)
{
	memset(v, 0, SLOTS * sizeof(*v));
	v[SLOT_I].as.integer = (uint64_t)strtoll(line, &line, 10);
	v[SLOT_I].is_negative = (int64_t)v[SLOT_I].as.integer < 0;
	v[SLOT_U].as.integer = strtoull(line, &line, 10);
	v[SLOT_F].as.number = strtod(line, &line);
	v[SLOT_E].as.integer = strtoull(line, &line, 10);
	v[SLOT_US].as.integer = strtoull(line, &line, 10);
	for (size_t i = 0; i < SLOTS; i++) {
		v[i].type = (uint8_t)fields[i].field.type;
	}
	line += strspn(line, " ");
	size_t length = strcspn(line, "\t");

	v[SLOT_S].as.text = strncmp(line, "NULL\t", 5) ? line : NULL;
	v[SLOT_S].length = (uint32_t)length;
	v[SLOT_ANY] = v[SLOT_I];
	v[SLOT_C].as.integer = 'c';
	v[SLOT_C].character = EXPR_BYTE;
	v[SLOT_MARK] = (struct expr_value){
		.as.integer = 0xe9, .type = EXPR_INTEGER, .character = EXPR_CODE_POINT
	};
	return line[length] ? line + length + 1 : line + length;
}

static void print_value(struct expr_value v)
{
	if (v.type == EXPR_INTEGER && v.is_negative) {
		printf("%" PRId64 "\n", (int64_t)v.as.integer);
	} else if (v.type == EXPR_INTEGER) {
		printf("%" PRIu64 "\n", v.as.integer);
	} else if (v.type == EXPR_FLOAT) {
		printf("%.17g\n", v.as.number);
	} else if (v.type == EXPR_TEXT) {
		printf("\"%.*s\"\n", (int)v.length, v.as.text ? v.as.text : "");
	} else {
		puts("none");
	}
}

/* The words of the values; `f`, `any` and `mark` have none. */
static bool word_of(const void *data, unsigned int slot, struct expr_word *word)
{
	static const struct expr_word words[SLOTS] = {
		[SLOT_I] = { SLOT_I, 64, true, false },
		[SLOT_U] = { SLOT_U, 64, false, false },
		[SLOT_E] = { SLOT_E, 32, false, false },
		[SLOT_US] = { SLOT_US, 64, false, false },
		[SLOT_S] = { SLOT_S, 0, false, true },
		[SLOT_C] = { SLOT_C, 8, true, false },
	};

	(void)data;
	*word = words[slot];
	return word->bits || word->is_string;
}

/* Ends with an error if the program finds another truth than the evaluation. */
static void check_program(const struct expr_bound *b, const char *text, struct expr_value *values)
{
	struct expr_error error;
	uint64_t words[SLOTS] = { 0 };
	char string[4096];
	struct expr_program *p = expr_compile(b, word_of, NULL, &error);

	if (!p) {
		if (strstr(error.text, "too long")) {
			return;
		}
		fprintf(stderr, "%s: not compiled: %s\n", text, error.text);
		exit(1);
	}
	for (size_t i = 0; i < SLOTS; i++) {
		words[i] = values[i].as.integer;
	}
	snprintf(string, sizeof(string), "%.*s", (int)values[SLOT_S].length,
		values[SLOT_S].as.text ? values[SLOT_S].as.text : "");
	words[SLOT_S] = values[SLOT_S].as.text ? (uintptr_t)string : 0;
	bool is_true = expr_is_true(b, get, values);

	if (expr_run(p, words, NULL, get, values) != is_true) {
		fprintf(stderr, "%s: the program finds %s\n", text, is_true ? "false" : "true");
		exit(1);
	}
	expr_program_free(p);
}

static void run(const char *text, struct expr_value *values)
{
	static const struct expr_scope scope = { find, NULL };
	struct expr_error error = { 0 };
	struct expr *e = expr_parse(text, &error);
	struct expr_bound *b = e ? expr_bind(e, &scope, &error) : NULL;

	if (b) {
		print_value(expr_eval(b, get, values));
		check_program(b, text, values);
	} else {
		printf("! %zu %zu %s; %s\n", error.at, error.length, error.text, error.help);
	}
	expr_bound_free(b);
	expr_free(e);
}

int main(void)
{
	struct expr_value values[SLOTS];
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while ((length = getline(&line, &room, stdin)) > 0) {
		if (line[length - 1] == '\n') {
			line[length - 1] = '\0';
		}
		const char *text = read_values(line, values);

		run(text, values);
	}
	free(line);
	return 0;
}
