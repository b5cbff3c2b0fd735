/* SPDX-License-Identifier: MIT */
/* A bound expression: what bind.c makes and eval.c reads. */
#ifndef EXPR_BOUND_H
#define EXPR_BOUND_H

#include "expr/nodes.h"

struct expr_bound {
	size_t count;
	struct expr_node nodes[];
};

#endif
