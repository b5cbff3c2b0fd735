/* SPDX-License-Identifier: MIT */
/*
 * Binds an expression to one kind of event: names become fields or the values of a field, types are
 * checked, and numbers with a unit are converted to the unit of the field that they meet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "expr/bound.h"

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

/* Replaces a node by the value that the field calls `text`. */
static bool bind_value(struct binder *s, struct expr_node *n, const struct value_name *names,
	const char *text, size_t length)
{
	const struct value_name *found = find_value(names, text, length);

	if (found) {
		n->op = OP_CONSTANT;
		n->type = EXPR_INTEGER;
		n->value = (struct expr_value){
			.as.integer = found->value,
			.type = EXPR_INTEGER,
			.is_negative = found->is_negative,
		};
		return true;
	}
	struct nearest near = nearest_begin(text, length);
	char help[sizeof(s->error->help)] = "";

	for (const struct value_name *v = names; v->name; v++) {
		nearest_offer(&near, v->name);
	}
	if (nearest_is_near(&near)) {
		snprintf(help, sizeof(help), "write %s", near.name);
	}
	return FAIL_AT(s, n, help, "the field has no value '%.*s'", (int)length, text);
}

/* Looks the unknown names among the operands up as values of the other side's field. */
static bool bind_values(struct binder *s, uint16_t side, const struct value_name *names)
{
	struct expr_node *nodes = s->b->nodes;

	for (unsigned int i = nodes[side].first; i <= side; i++) {
		struct expr_node *n = &nodes[i];
		bool is_text = n->op == OP_CONSTANT && n->type == EXPR_TEXT && n->value.as.text;

		if (n->op == OP_NAME && *text_of(s, n) != '@' &&
			!bind_value(s, n, names, text_of(s, n), n->length)) {
			return false;
		}
		if (is_text && !bind_value(s, n, names, n->value.as.text, n->value.length)) {
			return false;
		}
		n->names = n->op == OP_FIELD ? n->names : names;
	}
	return true;
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

/* Converts a number with a unit to the unit of a field. */
static void convert(struct expr_node *number, const struct expr_node *field)
{
	struct expr_value *v = &number->value;

	if (!number->has_unit || number->op != OP_CONSTANT || field->unit < 2) {
		return;
	}
	if (v->type == EXPR_INTEGER && v->as.integer % field->unit == 0) {
		v->as.integer /= field->unit;
		return;
	}
	double number_of = v->type == EXPR_FLOAT ? v->as.number : (double)v->as.integer;

	v->as.number = number_of / (double)field->unit;
	v->type = number->type = EXPR_FLOAT;
}

/* The unit of the field goes up through sums: `end - begin > 10ms`. */
static void convert_sides(struct expr_node *n, struct expr_node *left, struct expr_node *right)
{
	convert(left, right);
	convert(right, left);
	if (n->op == OP_ADD || n->op == OP_SUBTRACT) {
		n->unit = left->unit ? left->unit : right->unit;
	}
}

static bool bind_match(struct binder *s, struct expr_node *n, const struct expr_node *left,
	const struct expr_node *right)
{
	if (right->op != OP_CONSTANT || right->type != EXPR_TEXT || !right->value.as.text) {
		return FAIL_AT(s, right, "write =~ \"virtio*\"", "a pattern is text in quotes");
	}
	if (is_number(left->type) && !left->names) {
		return FAIL_AT(s, left, "", "a pattern matches text, and this is a number");
	}
	n->names = left->names;
	n->type = EXPR_INTEGER;
	return true;
}

static bool bind_comparison(struct binder *s, struct expr_node *n, const struct expr_node *left,
	const struct expr_node *right)
{
	if ((is_number(left->type) && right->type == EXPR_TEXT) ||
		(is_number(right->type) && left->type == EXPR_TEXT)) {
		const struct expr_node *text = left->type == EXPR_TEXT ? left : right;

		return FAIL_AT(s, text, "", "text is compared with a number");
	}
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
	if (!is_logic && left->names && !right->names && !bind_values(s, n->right, left->names)) {
		return false;
	}
	if (!is_logic && right->names && !left->names && !bind_values(s, n->left, right->names)) {
		return false;
	}
	convert_sides(n, left, right);
	if (op_is_comparison(n->op)) {
		return bind_comparison(s, n, left, right);
	}
	if (!check_operand(s, n, left) || !check_operand(s, n, right)) {
		return false;
	}
	bool is_float = left->type == EXPR_FLOAT || right->type == EXPR_FLOAT;

	n->type = !is_logic && n->op >= OP_ADD && is_float ? EXPR_FLOAT : EXPR_INTEGER;
	n->names = n->op == OP_BIT_AND || n->op == OP_BIT_OR ? left->names : NULL;
	return true;
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
		n->type = n->op == OP_NEGATE && s->b->nodes[n->left].type == EXPR_FLOAT
				  ? EXPR_FLOAT
				  : EXPR_INTEGER;
		return check_operand(s, n, &s->b->nodes[n->left]);
	default:
		return bind_binary(s, n);
	}
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
