/* SPDX-License-Identifier: MIT */
/*
 * Parses an expression into its array of nodes: a scanner for operands, and one function for all
 * binary operators, which climbs their levels.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "expr/nodes.h"

#define DEPTH_MAX 100u /* of parentheses and operators before an operand */

struct binary {
	char text[3];
	uint8_t level;
	uint8_t op;
};

/* Operators with two operands; longer ones precede their beginnings. */
static const struct binary binaries[] = {
	{ "||", 1, OP_OR },
	{ "&&", 2, OP_AND },
	{ "==", 3, OP_EQUAL },
	{ "!=", 3, OP_UNEQUAL },
	{ "=~", 3, OP_MATCH },
	{ "!~", 3, OP_MISMATCH },
	{ "<=", 3, OP_LESS_EQUAL },
	{ ">=", 3, OP_GREATER_EQUAL },
	{ "<<", 7, OP_SHIFT_LEFT },
	{ ">>", 7, OP_SHIFT_RIGHT },
	{ "<", 3, OP_LESS },
	{ ">", 3, OP_GREATER },
	{ "|", 4, OP_BIT_OR },
	{ "^", 5, OP_BIT_XOR },
	{ "&", 6, OP_BIT_AND },
	{ "+", 8, OP_ADD },
	{ "-", 8, OP_SUBTRACT },
	{ "*", 9, OP_MULTIPLY },
	{ "/", 9, OP_DIVIDE },
	{ "%", 9, OP_MODULO },
};

#define LEVEL_COMPARISON 3

/* Suffixes of numbers. */
struct unit {
	const char *text;
	uint64_t factor; /* to bytes or nanoseconds */
	enum expr_dimension dimension;
};

static const struct unit units[] = {
	{ "", 1, EXPR_PLAIN },
	{ "K", UINT64_C(1) << 10, EXPR_COUNT },
	{ "M", UINT64_C(1) << 20, EXPR_COUNT },
	{ "G", UINT64_C(1) << 30, EXPR_COUNT },
	{ "T", UINT64_C(1) << 40, EXPR_COUNT },
	{ "B", 1, EXPR_BYTES },
	{ "KiB", UINT64_C(1) << 10, EXPR_BYTES },
	{ "MiB", UINT64_C(1) << 20, EXPR_BYTES },
	{ "GiB", UINT64_C(1) << 30, EXPR_BYTES },
	{ "TiB", UINT64_C(1) << 40, EXPR_BYTES },
	{ "ns", 1, EXPR_TIME },
	{ "us", 1000, EXPR_TIME },
	{ "ms", 1000000, EXPR_TIME },
	{ "s", 1000000000, EXPR_TIME },
	{ "min", UINT64_C(60000000000), EXPR_TIME },
	{ "h", UINT64_C(3600000000000), EXPR_TIME },
};

#define UNITS_HELP "there are K M G T, B KiB MiB GiB TiB, ns us ms s min h"

struct parser {
	struct expr *e;
	const char *p;
	char *string; /* where the next decoded string goes */
	unsigned int depth;
	struct expr_error *error;
};

bool expr_fail(
	struct expr_error *error, size_t at, size_t length, const char *help, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	snprintf(error->help, sizeof(error->help), "%s", help);
	error->at = at;
	error->length = length;
	return false;
}

static void skip_blanks(struct parser *s)
{
	while (*s->p == ' ' || (*s->p >= '\t' && *s->p <= '\r')) {
		s->p++;
	}
}

static size_t place(const struct parser *s, const char *p)
{
	return (size_t)(p - s->e->text);
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static const char *end_of_word(const char *p)
{
	while (is_name_char(*p)) {
		p++;
	}
	return p;
}

/* Fails at the word at `p`, or at its character. */
#define FAIL(s, p, length, help, ...) expr_fail((s)->error, place(s, p), length, help, __VA_ARGS__)

/* Adds a node; NULL, with the error, if there is no room. */
static struct expr_node *add(struct parser *s, enum expr_op op, const char *from)
{
	struct expr *e = s->e;

	if (e->count == EXPR_NODES) {
		FAIL(s, from, 1, "divide it into several", "more than %u operands and operators",
			EXPR_NODES);
		return NULL;
	}
	struct expr_node *n = &e->nodes[e->count];

	*n = (struct expr_node){
		.op = (uint8_t)op, .first = (uint16_t)e->count, .at = (uint32_t)place(s, from)
	};
	n->length = (uint32_t)(s->p - from);
	e->count++;
	return n;
}

/* ---- Operands ---- */

/* Reads the digits of an integer; returns false if it has more than 64 bits. */
static bool read_integer(const char *p, uint64_t *value, const char **end)
{
	bool is_hex = p[0] == '0' && (p[1] | 0x20) == 'x' && isxdigit((unsigned char)p[2]);
	bool is_binary = p[0] == '0' && (p[1] | 0x20) == 'b' && (p[2] == '0' || p[2] == '1');
	char *after;

	errno = 0;
	*value = strtoull(is_binary ? p + 2 : p, &after, is_hex ? 16 : is_binary ? 2 : 10);
	*end = after;
	return errno == 0;
}

/* True if the number at `p` has a fraction or exponent. */
static bool is_fraction(const char *p)
{
	if (p[0] == '0' && (p[1] | 0x20) == 'x') {
		return false;
	}
	p += strspn(p, "0123456789");
	return *p == '.' ||
	       ((*p | 0x20) == 'e' &&
		       (isdigit((unsigned char)p[1]) ||
			       ((p[1] == '-' || p[1] == '+') && isdigit((unsigned char)p[2]))));
}

/* Returns the unit at `p`, which may be empty, and its end; NULL if there is none of that name. */
static const struct unit *read_unit(const char *p, const char **end)
{
	*end = end_of_word(p);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].text) == (size_t)(*end - p) &&
			strncmp(units[i].text, p, (size_t)(*end - p)) == 0) {
			return &units[i];
		}
	}
	return NULL;
}

static bool parse_number(struct parser *s)
{
	const char *from = s->p;
	bool is_float = is_fraction(from);
	struct expr_value v = { .type = EXPR_INTEGER };
	const char *suffix;

	if (is_float) {
		char *after;

		v.as.number = strtod(from, &after);
		v.type = EXPR_FLOAT;
		suffix = after;
	} else if (!read_integer(from, &v.as.integer, &suffix)) {
		return FAIL(s, from, (size_t)(end_of_word(from) - from), "",
			"a number has at most 64 bits");
	}
	const struct unit *unit = read_unit(suffix, &s->p);

	if (!unit) {
		return FAIL(s, suffix, (size_t)(s->p - suffix), UNITS_HELP, "'%.*s' is no unit",
			(int)(s->p - suffix), suffix);
	}
	if (is_float) {
		v.as.number *= (double)unit->factor;
		if (unit->dimension != EXPR_PLAIN && v.as.number < 9e15 &&
			v.as.number == (double)(uint64_t)v.as.number) {
			v.as.integer = (uint64_t)v.as.number; /* 1.5K is 1536 */
			v.type = EXPR_INTEGER;
		}
	} else if (__builtin_mul_overflow(v.as.integer, unit->factor, &v.as.integer)) {
		return FAIL(s, from, (size_t)(s->p - from), "", "a number has at most 64 bits");
	}
	struct expr_node *n = add(s, OP_CONSTANT, from);

	if (n) {
		n->value = v;
		n->dimension = (uint8_t)unit->dimension;
	}
	return n;
}

/* Decodes `\n`, `\t`, `\x41` and `\` before any other character. */
static char read_escape(const char **p)
{
	static const char letters[] = "nrt0";
	static const char meant[] = "\n\r\t\0";
	const char *found = strchr(letters, **p);

	if (**p == 'x' && isxdigit((unsigned char)p[0][1]) && isxdigit((unsigned char)p[0][2])) {
		const char digits[] = { p[0][1], p[0][2], '\0' };

		*p += 3;
		return (char)strtoul(digits, NULL, 16);
	}
	char c = found && **p ? meant[found - letters] : **p;

	*p += 1;
	return c;
}

static bool parse_string(struct parser *s)
{
	const char *from = s->p++;
	char *text = s->string;

	while (*s->p && *s->p != '"') {
		char c = *s->p++;

		if (c == '\\' && *s->p) {
			c = read_escape(&s->p);
		}
		*s->string++ = c;
	}
	if (*s->p != '"') {
		return FAIL(s, from, 1, "", "a string without its closing \"");
	}
	s->p++;
	struct expr_node *n = add(s, OP_CONSTANT, from);

	if (n) {
		n->is_name = true;
		n->value = (struct expr_value){
			.as.text = text, .length = (uint32_t)(s->string - text), .type = EXPR_TEXT
		};
	}
	return n;
}

/* The names that are no fields. */
static const struct {
	const char *name;
	struct expr_value value;
} constants[] = {
	{ "true", { .as.integer = 1, .type = EXPR_INTEGER } },
	{ "false", { .as.integer = 0, .type = EXPR_INTEGER } },
	{ "null", { .as.text = NULL, .type = EXPR_TEXT } },
};

/*
 * Returns the end of a name. `elapsed(io_submit by io)` is one: what it means is a matter of those
 * who bind it.
 */
static const char *end_of_name(const char *from)
{
	static const char elapsed[] = "elapsed(";
	const char *close = strncmp(from, elapsed, strlen(elapsed)) == 0 ? strchr(from, ')') : NULL;

	return close ? close + 1 : end_of_word(from + (*from == '@'));
}

static bool parse_name(struct parser *s)
{
	const char *from = s->p;

	s->p = end_of_name(from);
	size_t length = (size_t)(s->p - from);

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		if (strlen(constants[i].name) == length &&
			strncmp(constants[i].name, from, length) == 0) {
			struct expr_node *n = add(s, OP_CONSTANT, from);

			if (n) {
				n->value = constants[i].value;
			}
			return n;
		}
	}
	struct expr_node *n = add(s, OP_NAME, from);

	if (n) {
		n->is_name = true;
	}
	return n;
}

static bool parse_level(struct parser *s, unsigned int level);

static bool parse_parentheses(struct parser *s)
{
	const char *from = s->p++;

	if (!parse_level(s, 1)) {
		return false;
	}
	skip_blanks(s);
	if (*s->p != ')') {
		return FAIL(s, from, 1, "", "a ( without its )");
	}
	s->p++;
	return true;
}

static bool parse_operand(struct parser *s);

/* Parses an operand with the operator before it. */
static bool parse_prefixed(struct parser *s, enum expr_op op)
{
	const char *from = s->p++;
	uint16_t first = (uint16_t)s->e->count;

	if (!parse_operand(s)) {
		return false;
	}
	struct expr_node *n = add(s, op, from);

	if (n) {
		n->length = 1;
		n->first = first;
		n->left = (uint16_t)(s->e->count - 2);
	}
	return n;
}

static bool parse_operand_here(struct parser *s)
{
	char c = *s->p;

	if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)s->p[1]))) {
		return parse_number(s);
	}
	if (c == '"') {
		return parse_string(s);
	}
	if (is_name_char(c) || (c == '@' && is_name_char(s->p[1]))) {
		return parse_name(s);
	}
	if (c == '\'') {
		return FAIL(s, s->p, 1, "write \"...\"", "text is written in double quotes");
	}
	if (c == '\0') {
		return FAIL(s, s->p, 1, "", "the expression ends where an operand is expected");
	}
	return FAIL(s, s->p, 1, "", "expected a field, a number, \"text\" or (");
}

static bool parse_operand(struct parser *s)
{
	bool good;

	if (++s->depth > DEPTH_MAX) {
		return FAIL(s, s->p, 1, "", "more than %u levels", DEPTH_MAX);
	}
	skip_blanks(s);
	if (*s->p == '(') {
		good = parse_parentheses(s);
	} else if (*s->p == '!' && s->p[1] != '=') {
		good = parse_prefixed(s, OP_NOT);
	} else if (*s->p == '-') {
		good = parse_prefixed(s, OP_NEGATE);
	} else if (*s->p == '~') {
		good = parse_prefixed(s, OP_INVERT);
	} else {
		good = parse_operand_here(s);
	}
	s->depth--;
	return good;
}

/* ---- Operators ---- */

/* Returns the operator at the current place; NULL if there is none. */
static const struct binary *binary_here(const struct parser *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(binaries); i++) {
		if (strncmp(s->p, binaries[i].text, strlen(binaries[i].text)) == 0) {
			return &binaries[i];
		}
	}
	return NULL;
}

/* `a < b < c` means nothing useful in C. */
static bool check_chain(struct parser *s, const struct binary *o, bool is_second)
{
	if (o->level != LEVEL_COMPARISON || !is_second) {
		return true;
	}
	return FAIL(s, s->p, strlen(o->text), "write a < b && b < c",
		"a comparison follows a comparison");
}

/* Parses operands that operators of this level, or stronger ones, connect. */
static bool parse_level(struct parser *s, unsigned int level)
{
	uint16_t first = (uint16_t)s->e->count;
	bool compared = false;

	if (!parse_operand(s)) {
		return false;
	}
	for (skip_blanks(s);; skip_blanks(s)) {
		const struct binary *o = binary_here(s);

		if (!o || o->level < level) {
			return true;
		}
		if (!check_chain(s, o, compared)) {
			return false;
		}
		compared = o->level == LEVEL_COMPARISON;
		const char *at = s->p;
		uint16_t left = (uint16_t)(s->e->count - 1);

		s->p += strlen(o->text);
		if (!parse_level(s, o->level + 1u)) {
			return false;
		}
		const char *after = s->p;
		struct expr_node *n = add(s, o->op, at);

		if (!n) {
			return false;
		}
		n->length = (uint32_t)strlen(o->text);
		n->first = first;
		n->left = left;
		n->right = (uint16_t)(s->e->count - 2);
		s->p = after;
	}
}

/* Reports what follows a complete expression. */
static bool check_end(struct parser *s)
{
	if (*s->p == '\0') {
		return true;
	}
	if (*s->p == '=') {
		return FAIL(s, s->p, 1, "write ==", "'=' is no operator");
	}
	const char *end = end_of_word(s->p);

	return FAIL(s, s->p, end == s->p ? 1 : (size_t)(end - s->p), "",
		"expected an operator or the end");
}

struct expr *expr_parse(const char *text, struct expr_error *error)
{
	size_t size = strlen(text) + 1;
	struct expr *e = calloc(1, sizeof(*e) + 2 * size);

	if (!e || size > UINT32_MAX) {
		expr_fail(error, 0, 1, "", "no memory for the expression");
		free(e);
		return NULL;
	}
	memcpy(e->text, text, size);
	e->strings = e->text + size;
	struct parser s = { .e = e, .p = e->text, .string = e->strings, .error = error };

	if (!parse_level(&s, 1) || !check_end(&s)) {
		free(e);
		return NULL;
	}
	return e;
}

void expr_free(struct expr *e)
{
	free(e);
}

const char *expr_text(const struct expr *e)
{
	return e->text;
}

size_t expr_name_count(const struct expr *e)
{
	size_t count = 0;

	for (size_t i = 0; i < e->count; i++) {
		count += e->nodes[i].is_name;
	}
	return count;
}

const char *expr_name(const struct expr *e, size_t i, size_t *at, size_t *length)
{
	const struct expr_node *n = e->nodes;

	while (!n->is_name || i-- > 0) {
		n++;
	}
	*at = n->at;
	*length = n->length;
	return e->text + n->at;
}
