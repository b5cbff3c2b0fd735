/* SPDX-License-Identifier: MIT */
/*
 * An expression as an array of nodes: operands precede their operator, so evaluation goes through
 * the array once and needs no recursion.
 */
#ifndef EXPR_NODES_H
#define EXPR_NODES_H

#include "expr/expr.h"

enum expr_op {
	OP_CONSTANT,
	OP_NAME, /* of a field, or of a field's value, until it is bound */
	OP_FIELD,
	OP_NOT,
	OP_INVERT,
	OP_NEGATE,
	OP_OR,
	OP_AND,
	OP_EQUAL,
	OP_UNEQUAL,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_GREATER,
	OP_GREATER_EQUAL,
	OP_MATCH,
	OP_MISMATCH,
	OP_BIT_OR,
	OP_BIT_XOR,
	OP_BIT_AND,
	OP_SHIFT_LEFT,
	OP_SHIFT_RIGHT,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_MODULO,
};

static inline bool op_is_unary(uint8_t op)
{
	return op >= OP_NOT && op <= OP_NEGATE;
}

static inline bool op_is_comparison(uint8_t op)
{
	return op >= OP_EQUAL && op <= OP_MISMATCH;
}

struct expr_node {
	uint8_t op; /* of enum expr_op */
	uint8_t type; /* of enum expr_type, once bound */
	bool is_name; /* it was parsed as one, or as a text */
	bool is_character; /* of a field */
	uint8_t dimension; /* of enum expr_dimension: of a number's suffix, or of a field's unit */
	uint16_t first; /* the first node of its operands */
	uint16_t left; /* of an operator with one operand: that operand */
	uint16_t right;
	uint32_t at; /* place in the text */
	uint32_t length;
	const struct value_name *names; /* of the values; once bound */
	struct expr_value value; /* of a constant */
	unsigned int slot; /* of a field */
	uint64_t unit; /* of a field */
};

struct expr {
	struct expr_node nodes[EXPR_NODES];
	size_t count; /* the last node is the result */
	char *strings; /* decoded string literals */
	char text[];
};

/* Sets the error. Returns false. */
bool expr_fail(struct expr_error *error, size_t at, size_t length, const char *help,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Returns the value of an operator with these operands; `b` is ignored if it has one. */
struct expr_value expr_apply(
	const struct expr_node *n, const struct expr_value *a, const struct expr_value *b);

/* Returns the value of a node. `values`: of those from `first` on. */
struct expr_value expr_node_value(const struct expr_node *n, const struct expr_value *values,
	unsigned int first, expr_get *get, void *data);

/* Returns true if the value is true or, not `wanted`, if it is false. */
bool expr_value_is(const struct expr_value *v, bool wanted);

/* Nodes that are evaluated together, at most EXPR_TEST_NODES: a node, and all below it. */
struct expr_part {
	uint16_t first;
	uint16_t last;
	bool wants; /* the truth that is asked for */
};

/* Returns true if the part's value is true or, not `wants`, if it is false. */
bool expr_truth_is(
	const struct expr_node *nodes, const struct expr_part *part, expr_get *get, void *data);

/* A bound expression: bind.c makes it, and eval.c reads it. */

struct expr_bound {
	size_t count;
	struct expr_node nodes[];
};

#endif
