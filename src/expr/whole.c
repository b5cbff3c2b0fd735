/* SPDX-License-Identifier: MIT */
/* Evaluates a whole bound expression, for readers: node after node. Needs 4 KiB of stack. */
#include "expr/nodes.h"

struct expr_value expr_eval(const struct expr_bound *b, expr_get *get, void *data)
{
	struct expr_value values[EXPR_NODES];

	for (size_t i = 0; i < b->count; i++) {
		values[i] = expr_node_value(&b->nodes[i], values, 0, get, data);
	}
	return values[b->count - 1];
}

bool expr_is_true(const struct expr_bound *b, expr_get *get, void *data)
{
	struct expr_value v = expr_eval(b, get, data);

	return expr_value_is(&v, true);
}
