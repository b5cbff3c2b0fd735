/* SPDX-License-Identifier: MIT */
/*
 * Binds an expression to one kind of event: names become fields or the values of a field, types are
 * checked, and numbers with a unit are converted to the unit of the field that they meet.
 */
#include <stdlib.h>
#include <string.h>

#include "expr/nodes.h"

struct binder {
	struct expr_bound *b;
	const struct expr *e;
	const struct expr_scope *scope;
	struct expr_error *error;
};

/* Fails at a node. */
#define FAIL_AT(s, n, help, ...) expr_fail((s)->error, (n)->at, (n)->length, help, __VA_ARGS__)

static const char *text_of(const struct binder *s, const struct expr_node *n)
{
	return s->e->text + n->at;
}

/* ---- Names ---- */

static void bind_name(struct binder *s, struct expr_node *n)
{
	struct expr_field field = { 0 };

	if (!s->scope->find(s->scope->data, text_of(s, n), n->length, &field)) {
		n->type = EXPR_NONE;
		return;
	}
	n->op = OP_FIELD;
	n->type = (uint8_t)field.type;
	n->slot = field.slot;
	n->names = field.names;
	n->unit = field.unit;
	n->dimension = (uint8_t)field.dimension;
	n->is_character = field.is_character;
}

static const struct value_name *find_value(
	const struct value_name *names, const char *text, size_t length)
{
	for (; names->name; names++) {
		if (strlen(names->name) == length && strncmp(names->name, text, length) == 0) {
			return names;
		}
	}
	return NULL;
}

/* Replaces a name by the value that it means; NULL: it has none. */
static void bind_value(struct expr_node *n, const struct value_name *found)
{
	n->op = found ? OP_CONSTANT : OP_NAME;
	n->type = found ? EXPR_INTEGER : EXPR_NONE;
	if (found) {
		n->value = (struct expr_value){
			.as.integer = found->value,
			.type = EXPR_INTEGER,
			.is_negative = found->is_negative,
		};
	}
}

/* Looks a name or text up as the value of a field. */
static void bind_operand(
	const struct binder *s, struct expr_node *n, const struct value_name *names)
{
	if (n->op == OP_NAME && *text_of(s, n) != '@') {
		bind_value(n, find_value(names, text_of(s, n), n->length));
	} else if (n->op == OP_CONSTANT && n->type == EXPR_TEXT && n->value.as.text) {
		bind_value(n, find_value(names, n->value.as.text, n->value.length));
	}
}

/*
 * Looks the unknown names and texts among the operands up as values of the other side's field. A
 * truth value among them has operands of its own, `op == (name =~ "w*")`, and so has a constant
 * that was calculated.
 */
static void bind_values(struct binder *s, uint16_t side, const struct value_name *names)
{
	struct expr_node *nodes = s->b->nodes;
	unsigned int first = nodes[side].first;

	for (unsigned int end = side + 1u; end > first;) {
		struct expr_node *n = &nodes[end - 1];
		bool is_truth = n->op == OP_OR || n->op == OP_AND || op_is_comparison(n->op);

		if (!is_truth) {
			bind_operand(s, n, names);
		}
		end = is_truth || n->op == OP_CONSTANT ? n->first : end - 1;
	}
}

/* ---- Types ---- */

static bool is_number(uint8_t type)
{
	return type == EXPR_INTEGER || type == EXPR_FLOAT;
}

/* Returns true if the operator can have the operand. */
static bool check_operand(
	struct binder *s, const struct expr_node *n, const struct expr_node *operand)
{
	bool needs_integer = (n->op >= OP_BIT_OR && n->op <= OP_SHIFT_RIGHT) ||
			     n->op == OP_MODULO || n->op == OP_INVERT;
	const char *why = operand->type == EXPR_TEXT ? "a number, and this is text"
			  : operand->type == EXPR_FLOAT && needs_integer
				  ? "an integer, and this is a fraction"
				  : NULL;

	return !why || FAIL_AT(s, operand, operand->type == EXPR_TEXT ? "compare it with ==" : "",
			       "'%.*s' needs %s", (int)n->length, text_of(s, n), why);
}

/* ---- Units ---- */

/* Converts a number with a unit to the unit of a field. */
static bool convert(struct binder *s, struct expr_node *number, const struct expr_node *field)
{
	struct expr_value *v = &number->value;
	bool is_count = number->dimension == EXPR_COUNT;

	if (number->op != OP_CONSTANT || !is_number(v->type) || number->dimension == EXPR_PLAIN ||
		!field->unit || (is_count && field->dimension != EXPR_BYTES)) {
		return true;
	}
	if (!is_count && number->dimension != field->dimension) {
		return FAIL_AT(s, number, "",
			number->dimension == EXPR_TIME ? "a time is compared with bytes"
						       : "bytes are compared with a time");
	}
	if (v->type == EXPR_INTEGER && !v->is_negative && v->as.integer % field->unit == 0) {
		v->as.integer /= field->unit;
		return true;
	}
	double wide = v->type == EXPR_FLOAT ? v->as.number
		      : v->is_negative	    ? (double)(int64_t)v->as.integer
					    : (double)v->as.integer;

	v->as.number = wide / (double)field->unit;
	v->type = number->type = EXPR_FLOAT;
	return true;
}

static void take_unit(struct expr_node *n, const struct expr_node *operand)
{
	n->unit = operand->unit;
	n->dimension = operand->dimension;
}

/* Takes the unit of a field, or else of a number. */
static void take_either_unit(
	struct expr_node *n, const struct expr_node *left, const struct expr_node *right)
{
	bool is_left = left->unit || (!right->unit && left->dimension != EXPR_PLAIN);

	take_unit(n, is_left ? left : right);
}

/* The unit goes up: `end - begin > 10ms`, `2 * us > 10ms`. */
static bool bind_units(
	struct binder *s, struct expr_node *n, struct expr_node *left, struct expr_node *right)
{
	bool is_sum = n->op == OP_ADD || n->op == OP_SUBTRACT;

	if ((is_sum || op_is_comparison(n->op)) &&
		(!convert(s, left, right) || !convert(s, right, left))) {
		return false;
	}
	if (is_sum) {
		take_either_unit(n, left, right);
	} else if (n->op == OP_MULTIPLY && (!left->dimension || !right->dimension)) {
		take_either_unit(n, left, right);
	} else if (n->op == OP_DIVIDE && !right->dimension) {
		take_unit(n, left);
	}
	return true;
}

static bool bind_match(struct binder *s, struct expr_node *n, const struct expr_node *left,
	const struct expr_node *right)
{
	if (right->op != OP_CONSTANT || right->type != EXPR_TEXT || !right->value.as.text) {
		return FAIL_AT(s, right, "write =~ \"virtio*\"", "a pattern is text in quotes");
	}
	if (is_number(left->type) && !left->names && !left->is_character) {
		return FAIL_AT(s, left, "", "a pattern matches text, and this is a number");
	}
	n->names = left->names;
	n->type = EXPR_INTEGER;
	return true;
}

/* A text that meets a missing field may be the name of its value, in another kind of event. */
static void leave_open(struct expr_node *text, const struct expr_node *other)
{
	if (text->op == OP_CONSTANT && text->type == EXPR_TEXT && other->type == EXPR_NONE) {
		bind_value(text, NULL);
	}
}

/* Checks a number that is compared with text: only a character can be, with one character. */
static bool check_text(struct binder *s, const struct expr_node *n, const struct expr_node *text,
	const struct expr_node *number)
{
	bool is_equality = n->op == OP_EQUAL || n->op == OP_UNEQUAL;

	if (text->type != EXPR_TEXT || !is_number(number->type)) {
		return true;
	}
	if (!number->is_character) {
		return FAIL_AT(s, text, "", "text is compared with a number");
	}
	return !is_equality || text->op != OP_CONSTANT || text->value.length == 1 ||
	       FAIL_AT(s, text, "write one, as in \"c\"",
		       "the other side is a single character of one byte");
}

static bool bind_comparison(
	struct binder *s, struct expr_node *n, struct expr_node *left, struct expr_node *right)
{
	if (!check_text(s, n, left, right) || !check_text(s, n, right, left)) {
		return false;
	}
	leave_open(left, right);
	leave_open(right, left);
	n->type = EXPR_INTEGER;
	return true;
}

static bool bind_binary(struct binder *s, struct expr_node *n)
{
	struct expr_node *left = &s->b->nodes[n->left];
	struct expr_node *right = &s->b->nodes[n->right];
	bool is_logic = n->op == OP_AND || n->op == OP_OR;
	bool is_match = n->op == OP_MATCH || n->op == OP_MISMATCH;

	if (is_match) {
		return bind_match(s, n, left, right);
	}
	if (!is_logic && left->names && !right->names) {
		bind_values(s, n->right, left->names);
	}
	if (!is_logic && right->names && !left->names) {
		bind_values(s, n->left, right->names);
	}
	if (!bind_units(s, n, left, right)) {
		return false;
	}
	if (op_is_comparison(n->op)) {
		return bind_comparison(s, n, left, right);
	}
	if (!check_operand(s, n, left) || !check_operand(s, n, right)) {
		return false;
	}
	bool is_float = left->type == EXPR_FLOAT || right->type == EXPR_FLOAT;

	n->type = !is_logic && n->op >= OP_ADD && is_float ? EXPR_FLOAT : EXPR_INTEGER;
	if (n->op == OP_BIT_AND || n->op == OP_BIT_OR) {
		n->names = left->names ? left->names : right->names;
	}
	return true;
}

static bool bind_unary(struct binder *s, struct expr_node *n)
{
	const struct expr_node *operand = &s->b->nodes[n->left];
	bool is_float = n->op == OP_NEGATE && operand->type == EXPR_FLOAT;

	n->type = is_float ? EXPR_FLOAT : EXPR_INTEGER;
	if (n->op == OP_NEGATE) {
		take_unit(n, operand);
	}
	return check_operand(s, n, operand);
}

/* Replaces an operator on constants by its value, which may then have a unit: `-10ms`. */
static void fold(struct binder *s, struct expr_node *n)
{
	const struct expr_node *left = &s->b->nodes[n->left];
	const struct expr_node *right = &s->b->nodes[n->right];
	bool is_unary = n->op <= OP_NEGATE;

	if (left->op == OP_CONSTANT && (is_unary || right->op == OP_CONSTANT)) {
		n->value = expr_apply(n, &left->value, &right->value);
		n->type = n->value.type;
		n->op = OP_CONSTANT;
	}
}

static bool bind_node(struct binder *s, struct expr_node *n)
{
	switch (n->op) {
	case OP_CONSTANT:
		n->type = n->value.type;
		return true;
	case OP_NAME:
		bind_name(s, n);
		return true;
	case OP_NOT:
	case OP_INVERT:
	case OP_NEGATE:
		if (!bind_unary(s, n)) {
			return false;
		}
		break;
	default:
		if (!bind_binary(s, n)) {
			return false;
		}
	}
	fold(s, n);
	return true;
}

struct expr_bound *expr_bind(
	const struct expr *e, const struct expr_scope *scope, struct expr_error *error)
{
	struct expr_bound *b = malloc(sizeof(*b) + e->count * sizeof(b->nodes[0]));

	if (!b) {
		expr_fail(error, 0, 1, "", "no memory for the expression");
		return NULL;
	}
	b->count = e->count;
	memcpy(b->nodes, e->nodes, e->count * sizeof(b->nodes[0]));
	struct binder s = { b, e, scope, error };

	for (size_t i = 0; i < b->count; i++) {
		if (!bind_node(&s, &b->nodes[i])) {
			free(b);
			return NULL;
		}
	}
	return b;
}

void expr_bound_free(struct expr_bound *b)
{
	free(b);
}

bool expr_bound_knows(const struct expr_bound *b, size_t i)
{
	const struct expr_node *n = b->nodes;

	while (!n->is_name || i-- > 0) {
		n++;
	}
	return n->op != OP_NAME;
}

enum expr_type expr_bound_type(const struct expr_bound *b)
{
	return (enum expr_type)b->nodes[b->count - 1].type;
}
