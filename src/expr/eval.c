/* SPDX-License-Identifier: MIT */
/*
 * Evaluates the nodes of an expression: the value of each, from those of its operands. A
 * value that is missing makes a comparison neither true nor false, as NULL does in SQL.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/glob.h"
#include "base/utf8.h"
#include "expr/nodes.h"

static const struct expr_value none = { .type = EXPR_NONE };

static inline struct expr_value of_bool(bool b)
{
	return (struct expr_value){ .as.integer = b, .type = EXPR_INTEGER };
}

static inline struct expr_value of_double(double d)
{
	return (struct expr_value){ .as.number = d, .type = EXPR_FLOAT };
}

/* Returns high * 2^64 + low, rounded once: a last bit of the 64 stands for all that follow. */
static double wide_double(uint64_t low, uint64_t high)
{
	unsigned int shift = 64 - (unsigned int)__builtin_clzll(high);
	bool is_whole = shift == 64;
	uint64_t top = is_whole ? high : high << (64 - shift) | low >> shift;
	uint64_t rest = is_whole ? low : low << (64 - shift);

	return (double)(top | (rest != 0)) * (is_whole ? 0x1p64 : (double)(UINT64_C(1) << shift));
}

struct expr_value expr_wide(uint64_t low, uint64_t high, bool is_signed)
{
	bool is_negative = is_signed && (int64_t)high < 0;

	if (high == 0 || (is_negative && high == UINT64_MAX && (int64_t)low < 0)) {
		return expr_integer(low, is_negative);
	}
	if (!is_negative) {
		return of_double(wide_double(low, high));
	}
	uint64_t magnitude = low ? ~high : 0 - high;

	return of_double(magnitude ? -wide_double(0 - low, magnitude) : -(double)(0 - low));
}

static inline bool is_number(const struct expr_value *v)
{
	return v->type == EXPR_INTEGER || v->type == EXPR_FLOAT;
}

static double to_double(const struct expr_value *v)
{
	if (v->type == EXPR_FLOAT) {
		return v->as.number;
	}
	return v->is_negative ? (double)(int64_t)v->as.integer : (double)v->as.integer;
}

static bool is_nan(const struct expr_value *v)
{
	return v->type == EXPR_FLOAT && v->as.number != v->as.number;
}

/* True or false; a text, a NaN and no value are neither. */
enum truth { NEITHER, FALSE, TRUE };

static inline enum truth truth_of(const struct expr_value *v)
{
	if (v->type == EXPR_INTEGER) {
		return v->as.integer ? TRUE : FALSE;
	}
	if (v->type == EXPR_FLOAT && !is_nan(v)) {
		return v->as.number != 0 ? TRUE : FALSE;
	}
	return NEITHER;
}

/* ---- Comparisons ---- */

/* Returns a character as a text of the bytes in `room`, and any other value as it is. */
static struct expr_value as_text(const struct expr_value *v, char room[UTF8_MAX])
{
	struct expr_value text = { .as.text = room, .length = 1, .type = EXPR_TEXT };

	if (v->type != EXPR_INTEGER || !v->character) {
		return *v;
	}
	if (v->character == EXPR_BYTE) {
		room[0] = (char)v->as.integer;
	} else {
		text.length = (uint32_t)utf8_encode(room, (uint32_t)v->as.integer);
	}
	return text;
}

static int order_of_texts(const struct expr_value *a, const struct expr_value *b)
{
	if (!a->as.text || !b->as.text) {
		return (a->as.text != NULL) - (b->as.text != NULL);
	}
	uint32_t common = a->length < b->length ? a->length : b->length;
	int order = common ? memcmp(a->as.text, b->as.text, common) : 0;

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Compares an integer with a fraction, without rounding the integer. */
static int order_of_mixed(const struct expr_value *a, double d)
{
	if (d >= 0x1p64 || (d >= 0 && a->is_negative)) {
		return -1;
	}
	if (d < -0x1p63 || (d < 0 && !a->is_negative)) {
		return 1;
	}
	/* Both have one sign now; the whole part is rounded down. */
	uint64_t whole = d < 0 ? (uint64_t)(int64_t)d : (uint64_t)d;

	if (d < 0 && (double)(int64_t)whole > d) {
		whole--;
	}
	if (a->as.integer != whole) {
		return a->as.integer < whole ? -1 : 1;
	}
	return (d < 0 ? (double)(int64_t)whole : (double)whole) < d ? -1 : 0;
}

/* A NaN is neither less, equal nor greater. */
static bool order_of_numbers(const struct expr_value *a, const struct expr_value *b, int *order)
{
	if (is_nan(a) || is_nan(b)) {
		return false;
	}
	if (a->type == EXPR_INTEGER) {
		*order = order_of_mixed(a, b->as.number);
	} else if (b->type == EXPR_INTEGER) {
		*order = -order_of_mixed(b, a->as.number);
	} else {
		*order = (a->as.number > b->as.number) - (a->as.number < b->as.number);
	}
	return true;
}

/* Compares two values; false if they are of two kinds, or one has no value. */
static bool order_of(const struct expr_value *a, const struct expr_value *b, int *order)
{
	if (LIKELY(a->type == EXPR_INTEGER && b->type == EXPR_INTEGER)) {
		uint64_t x = a->as.integer;
		uint64_t y = b->as.integer;

		*order = a->is_negative != b->is_negative ? (a->is_negative ? -1 : 1)
							  : (x > y) - (x < y);
		return true;
	}
	if (is_number(a) && is_number(b)) {
		return order_of_numbers(a, b, order);
	}
	char rooms[2][UTF8_MAX];
	const struct expr_value x = as_text(a, rooms[0]);
	const struct expr_value y = as_text(b, rooms[1]);

	if (x.type != EXPR_TEXT || y.type != EXPR_TEXT) {
		return false;
	}
	*order = order_of_texts(&x, &y);
	return true;
}

static struct expr_value compare(uint8_t op, const struct expr_value *a, const struct expr_value *b)
{
	int order;

	if (UNLIKELY(!order_of(a, b, &order))) {
		return none;
	}
	switch (op) {
	case OP_EQUAL:
		return of_bool(order == 0);
	case OP_UNEQUAL:
		return of_bool(order != 0);
	case OP_LESS:
		return of_bool(order < 0);
	case OP_LESS_EQUAL:
		return of_bool(order <= 0);
	case OP_GREATER:
		return of_bool(order > 0);
	default:
		return of_bool(order >= 0);
	}
}

/* Returns the name of a value, as text. */
static struct expr_value name_of(const struct value_name *names, const struct expr_value *v)
{
	for (; names->name; names++) {
		if (names->value == v->as.integer && names->is_negative == v->is_negative) {
			return (struct expr_value){ .as.text = names->name,
				.length = (uint32_t)strlen(names->name),
				.type = EXPR_TEXT };
		}
	}
	return none;
}

static struct expr_value match(
	const struct expr_node *n, struct expr_value v, const struct expr_value *pattern)
{
	char room[UTF8_MAX];

	if (n->names && v.type == EXPR_INTEGER) {
		v = name_of(n->names, &v);
	}
	v = as_text(&v, room);
	if (v.type != EXPR_TEXT) {
		return none;
	}
	bool found = v.as.text &&
		     glob_match_text(pattern->as.text, pattern->length, v.as.text, v.length);

	return of_bool(found == (n->op == OP_MATCH));
}

/* ---- Arithmetic ---- */

static struct expr_value of_floats(uint8_t op, double x, double y)
{
	switch (op) {
	case OP_ADD:
		return of_double(x + y);
	case OP_SUBTRACT:
		return of_double(x - y);
	case OP_MULTIPLY:
		return of_double(x * y);
	case OP_DIVIDE:
		return y != 0 ? of_double(x / y) : none;
	default: /* bits of a fraction */
		return none;
	}
}

/* Returns the magnitude of an integer. */
static uint64_t magnitude(const struct expr_value *v)
{
	return v->is_negative ? 0 - v->as.integer : v->as.integer;
}

/* The quotient is rounded to zero, and the remainder has the sign of `a`, as in C. */
static struct expr_value divide(uint8_t op, const struct expr_value *a, const struct expr_value *b)
{
	uint64_t y = magnitude(b);

	if (y == 0) {
		return none;
	}
	uint64_t v = op == OP_DIVIDE ? magnitude(a) / y : magnitude(a) % y;
	bool is_minus = op == OP_DIVIDE ? a->is_negative != b->is_negative : a->is_negative;

	return is_minus ? expr_integer(0 - v, true) : expr_integer(v, false);
}

static struct expr_value shift(uint8_t op, const struct expr_value *a, const struct expr_value *b)
{
	uint64_t x = a->as.integer;
	uint64_t by = b->as.integer;

	if (b->is_negative) {
		return none;
	}
	if (op == OP_SHIFT_LEFT) {
		return expr_integer(by < 64 ? x << by : 0, a->is_negative);
	}
	by = by < 64 ? by : 63;
	if (a->is_negative) {
		return expr_integer((uint64_t)((int64_t)x >> by), true);
	}
	return expr_integer(b->as.integer < 64 ? x >> by : 0, false);
}

/* Returns a sum by its sign: the magnitudes are added, or the smaller is taken from the larger. */
static struct expr_value add(const struct expr_value *a, const struct expr_value *b)
{
	uint64_t sum = a->as.integer + b->as.integer;

	if (a->is_negative == b->is_negative) {
		return expr_integer(sum, a->is_negative);
	}
	const struct expr_value *minus = a->is_negative ? a : b;
	const struct expr_value *plus = a->is_negative ? b : a;

	return expr_integer(sum, plus->as.integer < magnitude(minus));
}

static struct expr_value negate(const struct expr_value *a)
{
	return expr_integer(0 - a->as.integer, !a->is_negative);
}

/* `a - b` is not `a + -b` for a large b, which has no negative. */
static struct expr_value subtract(const struct expr_value *a, const struct expr_value *b)
{
	if (!a->is_negative && !b->is_negative) {
		return expr_integer(a->as.integer - b->as.integer, a->as.integer < b->as.integer);
	}
	if (a->is_negative == b->is_negative) {
		return expr_integer(a->as.integer - b->as.integer, true);
	}
	return expr_integer(a->as.integer - b->as.integer, a->is_negative);
}

static struct expr_value multiply(const struct expr_value *a, const struct expr_value *b)
{
	uint64_t product = magnitude(a) * magnitude(b);

	return a->is_negative == b->is_negative ? expr_integer(product, false)
						: expr_integer(0 - product, true);
}

static struct expr_value of_integers(
	uint8_t op, const struct expr_value *a, const struct expr_value *b)
{
	uint64_t x = a->as.integer;
	uint64_t y = b->as.integer;

	switch (op) {
	case OP_ADD:
		return add(a, b);
	case OP_SUBTRACT:
		return subtract(a, b);
	case OP_MULTIPLY:
		return multiply(a, b);
	case OP_DIVIDE:
	case OP_MODULO:
		return divide(op, a, b);
	case OP_BIT_OR:
		return expr_integer(x | y, a->is_negative || b->is_negative);
	case OP_BIT_XOR:
		return expr_integer(x ^ y, a->is_negative != b->is_negative);
	case OP_BIT_AND:
		return expr_integer(x & y, a->is_negative && b->is_negative);
	default:
		return shift(op, a, b);
	}
}

static struct expr_value calculate(
	uint8_t op, const struct expr_value *a, const struct expr_value *b)
{
	if (a->type == EXPR_INTEGER && b->type == EXPR_INTEGER) {
		return of_integers(op, a, b);
	}
	if (is_number(a) && is_number(b)) {
		return of_floats(op, to_double(a), to_double(b));
	}
	return none;
}

static struct expr_value of_one(uint8_t op, const struct expr_value *a)
{
	if (op == OP_NOT) {
		enum truth t = truth_of(a);

		return t == NEITHER ? none : of_bool(t == FALSE);
	}
	if (a->type == EXPR_INTEGER) {
		return op == OP_INVERT ? expr_integer(~a->as.integer, !a->is_negative) : negate(a);
	}
	return a->type == EXPR_FLOAT && op == OP_NEGATE ? of_double(-a->as.number) : none;
}

/* `is_and`: else `or`. One operand decides alone if it is false for `and`, true for `or`. */
static struct expr_value connect(
	bool is_and, const struct expr_value *a, const struct expr_value *b)
{
	enum truth x = truth_of(a);
	enum truth y = truth_of(b);
	enum truth deciding = is_and ? FALSE : TRUE;

	if (x == deciding || y == deciding) {
		return of_bool(!is_and);
	}
	return x == NEITHER || y == NEITHER ? none : of_bool(is_and);
}

/* ---- All ---- */

struct expr_value expr_apply(
	const struct expr_node *n, const struct expr_value *a, const struct expr_value *b)
{
	switch (n->op) {
	case OP_NOT:
	case OP_INVERT:
	case OP_NEGATE:
		return of_one(n->op, a);
	case OP_AND:
	case OP_OR:
		return connect(n->op == OP_AND, a, b);
	case OP_MATCH:
	case OP_MISMATCH:
		return match(n, *a, b);
	default:
		return op_is_comparison(n->op) ? compare(n->op, a, b) : calculate(n->op, a, b);
	}
}

struct expr_value expr_node_value(const struct expr_node *n, const struct expr_value *values,
	unsigned int first, expr_get *get, void *data)
{
	struct expr_value v;

	switch (n->op) {
	case OP_CONSTANT:
		return n->value;
	case OP_FIELD:
		get(data, n->slot, &v);
		return v;
	case OP_NAME:
		return none;
	default:
		return expr_apply(n, &values[n->left - first],
			&values[op_is_unary(n->op) ? 0 : n->right - first]);
	}
}

bool expr_value_is(const struct expr_value *v, bool wanted)
{
	return truth_of(v) == (wanted ? TRUE : FALSE);
}

bool expr_truth_is(
	const struct expr_node *nodes, const struct expr_part *part, expr_get *get, void *data)
{
	struct expr_value values[EXPR_TEST_NODES];

	for (unsigned int i = part->first; i <= part->last; i++) {
		values[i - part->first] =
			expr_node_value(&nodes[i], values, part->first, get, data);
	}
	return expr_value_is(&values[part->last - part->first], part->wants);
}
