/* SPDX-License-Identifier: MIT */
/*
 * A path from nothing but blocks. A jump to a function's first instruction is a call,
 * one into the middle of a function that has called is a return; so a function that
 * jumps to its own beginning is taken for a loop. What an interrupt or a trap breaks
 * off is below the handler's frame, and stays as it is until mret.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

#define ROWS 40 /* of a hart's tree: a screen */

static struct node *current(const struct path *path)
{
	return path->depth ? path->frames[path->depth - 1].node : NULL;
}

static struct node *child(struct node *parent, const struct function *function, bool trap)
{
	struct node **link = &parent->children;

	while (*link && ((*link)->function != function || (*link)->trap != trap)) {
		link = &(*link)->next;
	}
	if (!*link) {
		*link = report_resize(NULL, sizeof(**link));
		**link = (struct node){ .function = function, .trap = trap, .parent = parent };
	}
	return *link;
}

static void call(struct path *path, const struct function *function, bool trap)
{
	struct node *from = path->depth ? current(path) : &path->root;

	if (path->depth == PATH_DEPTH) {
		return;
	}
	struct node *node = child(from, function, trap);

	node->calls++;
	path->frames[path->depth++] = (struct frame){ node, path->block_end, trap };
}

/* A handler returns by mret alone, so nobody looks below its frame. */
static bool return_to_function(struct path *path, const struct function *function)
{
	for (unsigned int i = path->depth; i-- > 0;) {
		if (path->frames[i].node->function == function) {
			path->depth = i + 1;
			return true;
		}
		if (path->frames[i].trap) {
			break;
		}
	}
	return false;
}

/* To a caller that was there before the trace, or in a gap of it. */
static void return_to_unknown(struct path *path)
{
	while (path->depth && !path->frames[path->depth - 1].trap) {
		path->depth--;
	}
}

static void move(struct path *path, const struct function *function, uint64_t pc)
{
	bool jumped = pc != path->block_end;
	bool inside = path->depth && current(path)->function == function;

	if (path->trapped) {
		call(path, function, true);
		path->trapped = false;
	} else if (path->depth && jumped && !inside && pc == function->address) {
		call(path, function, false);
	} else if (!inside && !return_to_function(path, function)) {
		if (pc != function->address) {
			return_to_unknown(path);
		}
		call(path, function, false);
	}
}

static uint64_t pass(struct path *path, uint64_t ns)
{
	uint64_t took = path->since && ns > path->since ? ns - path->since : 0;

	path->since = ns;
	return took;
}

/* Time up to now is of the function where the hart was. */
static void spend(struct path *path, uint64_t ns)
{
	uint64_t took = pass(path, ns);

	if (path->depth) {
		current(path)->ns += took;
	}
}

void path_block(struct path *path, const struct record *record, const struct function *function,
	uint64_t pc, uint64_t instructions)
{
	spend(path, record->ns);
	move(path, function, pc);
	current(path)->instructions += instructions;
	path->block = pc;
	path->block_end = pc + 4 * instructions;
}

uint64_t path_trap(struct path *path, uint64_t pc)
{
	uint64_t missing = 0;

	if (path->depth && pc >= path->block && pc < path->block_end) {
		missing = (path->block_end - pc) / 4;
		current(path)->instructions -= missing;
		path->block = path->block_end = pc + 4;
	}
	path->trapped = true;
	return missing;
}

void path_interrupt(struct path *path)
{
	path->trapped = true;
}

void path_return(struct path *path)
{
	for (unsigned int i = path->depth; i-- > 0;) {
		if (path->frames[i].trap) {
			path->block = path->block_end = path->frames[i].from;
			path->depth = i;
			return;
		}
	}
}

void path_pause(struct path *path, uint64_t ns)
{
	spend(path, ns);
}

uint64_t path_resume(struct path *path, uint64_t ns)
{
	return pass(path, ns);
}

void path_forget(struct path *path)
{
	path->depth = 0;
	path->since = 0;
	path->trapped = false;
}

/* The node behind this one, from top to bottom; NULL behind the last. */
static const struct node *after(const struct node *node, unsigned int *depth)
{
	if (node->children) {
		++*depth;
		return node->children;
	}
	while (node->parent && !node->next) {
		--*depth;
		node = node->parent;
	}
	return node->parent ? node->next : NULL;
}

/* Calls do not nest deeper than PATH_DEPTH. */
static void add_up(const struct node *node, struct node *sum)
{
	sum->instructions += node->instructions;
	sum->ns += node->ns;
	for (const struct node *n = node->children; n; n = n->next) {
		add_up(n, sum);
	}
}

static void print_row(const struct node *node, unsigned int depth)
{
	struct node sum = { 0 };

	add_up(node, &sum);
	printf("%10" PRIu64 " %13" PRIu64 " %13" PRIu64 " %12.1f  %*s%s%s\n", node->calls,
		node->instructions, sum.instructions, sum.ns / 1e3, 2 * (int)(depth - 1), "",
		node->function->name, node->trap ? " (trap or interrupt)" : "");
}

void path_print(const struct path *path)
{
	unsigned int depth = 0, rows = 0;

	if (!path->root.children) {
		printf("it has executed nothing\n");
		return;
	}
	printf("%10s %13s %13s %12s  %s\n", "calls", "instructions", "with callees", "time us",
		"function");
	for (const struct node *n = &path->root; (n = after(n, &depth));) {
		if (++rows <= ROWS) {
			print_row(n, depth);
		}
	}
	if (rows > ROWS) {
		printf("%10s and %u more\n", "...", rows - ROWS);
	}
}

static void destroy(struct node *node)
{
	while (node) {
		struct node *next = node->next;

		destroy(node->children);
		free(node);
		node = next;
	}
}

void path_fini(struct path *path)
{
	destroy(path->root.children);
}
