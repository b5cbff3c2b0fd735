/* SPDX-License-Identifier: MIT */
/*
 * Compiles a bound expression for traced programs: `&&`, `||` and `!` become jumps between tests. A
 * test of a field's integer, `(word & mask) >= low && <= high`, takes some instructions, and so
 * does the comparison of a string; all others are evaluated as eval.c does. A program has copies of
 * all that it needs, and no test follows an earlier one, so that it ends.
 *
 * A test that is neither true nor false counts as not true where it is wanted, and as not false
 * where its negation is: `!` is moved to the tests by De Morgan's laws, which hold for three
 * values.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "expr/nodes.h"
#include "expr/program.h"

/* ---- Compiling ---- */

struct compiler {
	struct expr_program *program;
	const struct expr_bound *bound;
	expr_word_of *word_of;
	const void *data;
	uint16_t free; /* tests below are free: a test is compiled after those that follow it */
	size_t text_bytes;
	struct expr_error *error;
};

/* The range of a field's values, or of those of some bits, for which a comparison is true. */
struct range {
	uint64_t low;
	uint64_t high;
	bool is_outside; /* true outside of it */
};

static uint64_t bits_of(const struct expr_word *w)
{
	return w->bits < 64 ? (UINT64_C(1) << w->bits) - 1 : UINT64_MAX;
}

/* Returns true if the field can have the value. */
static bool can_be(const struct expr_word *w, const struct expr_value *v)
{
	uint64_t most = w->is_signed ? bits_of(w) >> 1 : bits_of(w);

	return v->is_negative ? w->is_signed && ~v->as.integer <= most : v->as.integer <= most;
}

/* Gives the range of `field op v`. Returns false if it has none: never true, or always. */
static bool range_of(
	uint8_t op, const struct expr_word *w, const struct expr_value *v, struct range *r)
{
	uint64_t least = w->is_signed ? ~(bits_of(w) >> 1) : 0;
	uint64_t most = w->is_signed ? bits_of(w) >> 1 : bits_of(w);

	if (!can_be(w, v)) {
		return false;
	}
	switch (op) {
	case OP_EQUAL:
	case OP_UNEQUAL:
		*r = (struct range){ v->as.integer, v->as.integer, op == OP_UNEQUAL };
		return true;
	case OP_LESS:
	case OP_GREATER_EQUAL:
		*r = (struct range){ v->as.integer, most, op == OP_LESS };
		return true;
	case OP_GREATER:
	case OP_LESS_EQUAL:
		*r = (struct range){ least, v->as.integer, op == OP_GREATER };
		return true;
	default:
		return false;
	}
}

/* Returns the operator for exchanged sides. */
static uint8_t mirrored(uint8_t op)
{
	static const uint8_t mirror[] = {
		[OP_LESS] = OP_GREATER,
		[OP_LESS_EQUAL] = OP_GREATER_EQUAL,
		[OP_GREATER] = OP_LESS,
		[OP_GREATER_EQUAL] = OP_LESS_EQUAL,
	};

	return op >= OP_LESS && op <= OP_GREATER_EQUAL ? mirror[op] : op;
}

/* A comparison of one side with a constant. */
struct comparison {
	uint8_t op;
	const struct expr_node *side;
	const struct expr_value *constant;
};

static bool compares_constant(
	const struct compiler *c, const struct expr_node *n, struct comparison *found)
{
	const struct expr_node *left = &c->bound->nodes[n->left];
	const struct expr_node *right = &c->bound->nodes[n->right];

	if (n->op < OP_EQUAL || n->op > OP_GREATER_EQUAL) {
		return false;
	}
	if (right->op == OP_CONSTANT) {
		*found = (struct comparison){ n->op, left, &right->value };
		return true;
	}
	*found = (struct comparison){ mirrored(n->op), right, &left->value };
	return left->op == OP_CONSTANT;
}

/* A field, or some of its bits: `field & 0xff`. */
struct operand {
	const struct expr_node *field; /* NULL: it is something else */
	const struct expr_node *mask; /* NULL: none */
};

static struct operand operand_of(const struct compiler *c, const struct expr_node *n)
{
	const struct expr_node *left = &c->bound->nodes[n->left];
	const struct expr_node *right = &c->bound->nodes[n->right];
	struct operand o = { .field = n->op == OP_FIELD ? n : NULL };

	if (n->op == OP_BIT_AND && (left->op == OP_FIELD || right->op == OP_FIELD)) {
		o.field = left->op == OP_FIELD ? left : right;
		o.mask = left->op == OP_FIELD ? right : left;
	}
	return o;
}

/* Gives the bits of a mask. Returns false if it has bits that the field has not, or its sign. */
static bool mask_of(const struct expr_node *n, const struct expr_word *w, uint64_t *mask)
{
	uint64_t sign = w->is_signed ? UINT64_C(1) << (w->bits - 1) : 0;

	*mask = n->value.as.integer;
	return n->op == OP_CONSTANT && n->value.type == EXPR_INTEGER && !n->value.is_negative &&
	       !(*mask & (sign | ~bits_of(w)));
}

/* Compiles `field op constant`. Returns false if it is something else. */
static bool compile_integer(const struct compiler *c, const struct comparison *cmp,
	struct expr_test *t, bool *is_outside)
{
	struct operand o = operand_of(c, cmp->side);
	struct expr_word w;
	struct range r;
	uint64_t mask = UINT64_MAX;

	if (!o.field || cmp->constant->type != EXPR_INTEGER ||
		!c->word_of(c->data, o.field->slot, &w) || w.bits == 0 ||
		(o.mask && !mask_of(o.mask, &w, &mask))) {
		return false;
	}
	w.is_signed = w.is_signed && !o.mask;
	if (!range_of(cmp->op, &w, cmp->constant, &r)) {
		return false;
	}
	t->kind = w.is_own ? TEST_OWN : TEST_INTEGER;
	t->word = w.index;
	t->of.integer.mask = mask;
	t->of.integer.low = r.low;
	t->of.integer.width = bits_of(&w);
	t->of.integer.span = (r.high - r.low) & bits_of(&w);
	*is_outside = r.is_outside;
	return true;
}

/* Compiles `string == "text"`. Returns false if it is something else. */
static bool compile_string(
	struct compiler *c, const struct comparison *cmp, struct expr_test *t, bool *is_outside)
{
	const struct expr_value *v = cmp->constant;
	struct expr_word w;

	if ((cmp->op != OP_EQUAL && cmp->op != OP_UNEQUAL) || cmp->side->op != OP_FIELD ||
		v->type != EXPR_TEXT || !v->as.text || memchr(v->as.text, '\0', v->length) ||
		!c->word_of(c->data, cmp->side->slot, &w) || !w.is_string) {
		return false;
	}
	char *text = memcpy(c->program->texts + c->text_bytes, v->as.text, v->length);

	text[v->length] = '\0';
	c->text_bytes += v->length + 1u;
	t->kind = TEST_STRING;
	t->word = w.index;
	t->of.text = text;
	*is_outside = cmp->op == OP_UNEQUAL;
	return true;
}

/* Compiles a test: `yes` follows if it is `wants`, else `no`. Returns its place. */
static uint16_t compile_test(
	struct compiler *c, const struct expr_node *n, bool wants, uint16_t yes, uint16_t no)
{
	struct expr_test *t = &c->program->tests[--c->free];
	struct comparison cmp;
	bool is_outside;

	if (compares_constant(c, n, &cmp) && (compile_integer(c, &cmp, t, &is_outside) ||
						     compile_string(c, &cmp, t, &is_outside))) {
		t->yes = is_outside == wants ? no : yes;
		t->no = is_outside == wants ? yes : no;
		t->yes_if_missing = is_outside == wants;
		return c->free;
	}
	*t = (struct expr_test){ .kind = TEST_NODES, .yes = yes, .no = no };
	t->of.nodes = (struct expr_part){ n->first, (uint16_t)(n - c->bound->nodes), wants };
	if (t->of.nodes.last >= n->first + EXPR_TEST_NODES) {
		expr_fail(c->error, n->at, n->length, "divide it by && or ||",
			"too long to be evaluated in a program");
	}
	return c->free;
}

/* Compiles a node, and those below: what follows if it is `wants`, and otherwise. */
static uint16_t compile(
	struct compiler *c, const struct expr_node *n, bool wants, uint16_t yes, uint16_t no)
{
	const struct expr_node *nodes = c->bound->nodes;

	if (n->op == OP_NOT) {
		return compile(c, &nodes[n->left], !wants, yes, no);
	}
	if (n->op != OP_AND && n->op != OP_OR) {
		return compile_test(c, n, wants, yes, no);
	}
	bool needs_both = (n->op == OP_AND) == wants;
	uint16_t right = compile(c, &nodes[n->right], wants, yes, no);

	return needs_both ? compile(c, &nodes[n->left], wants, right, no)
			  : compile(c, &nodes[n->left], wants, yes, right);
}

/* Copies the texts of constants, so that the expression may go. */
static void copy_texts(struct compiler *c)
{
	for (size_t i = 0; i < c->bound->count; i++) {
		struct expr_value *v = &c->program->nodes[i].value;

		if (c->bound->nodes[i].op == OP_CONSTANT && v->type == EXPR_TEXT && v->as.text) {
			v->as.text =
				memcpy(c->program->texts + c->text_bytes, v->as.text, v->length);
			c->text_bytes += v->length;
		}
	}
}

/* Returns twice the bytes of all texts: for the nodes, and for tests, with a NUL. */
static size_t text_room(const struct expr_bound *b)
{
	size_t bytes = 0;

	for (size_t i = 0; i < b->count; i++) {
		const struct expr_node *n = &b->nodes[i];

		if (n->op == OP_CONSTANT && n->value.type == EXPR_TEXT) {
			bytes += 2 * (size_t)n->value.length + 1;
		}
	}
	return bytes;
}

static struct expr_program *allocate(const struct expr_bound *b)
{
	size_t tests = b->count * sizeof(struct expr_test);
	size_t nodes = b->count * sizeof(struct expr_node);
	struct expr_program *p = malloc(sizeof(*p) + tests + nodes + text_room(b));

	if (p) {
		p->tests = (void *)(p + 1);
		p->nodes = (void *)((char *)p->tests + tests);
		p->texts = (char *)p->nodes + nodes;
		memcpy(p->nodes, b->nodes, nodes);
	}
	return p;
}

struct expr_program *expr_compile(const struct expr_bound *b, expr_word_of *word_of,
	const void *data, struct expr_error *error)
{
	struct expr_program *p = allocate(b);

	if (!p) {
		expr_fail(error, 0, 1, "", "no memory for the expression");
		return NULL;
	}
	struct compiler c = { p, b, word_of, data, (uint16_t)b->count, 0, error };

	*error->text = '\0';
	copy_texts(&c);
	p->begin = compile(&c, &b->nodes[b->count - 1], true, TEST_TRUE, TEST_FALSE);
	if (*error->text) {
		free(p);
		return NULL;
	}
	return p;
}

void expr_program_free(struct expr_program *p)
{
	free(p);
}

/* ---- Running ---- */

const struct expr_program expr_always = { .begin = TEST_TRUE };

bool expr_test_nodes(
	const struct expr_program *p, const struct expr_test *t, expr_get *get, void *data)
{
	return expr_truth_is(p->nodes, &t->of.nodes, get, data);
}
