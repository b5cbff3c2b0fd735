/* SPDX-License-Identifier: MIT */
/*
 * The tree of paths. The path after a step is searched for repetitions only once: then it is an
 * entry of a table, and a loop leads back to the shorter path.
 */
#include "analyse/life/paths.h"

#include <string.h>

#define NO_NAME UINT32_MAX

static void add(struct paths *p, uint32_t before, uint32_t name, uint32_t depth)
{
	vec_push(&p->all, ((struct path){
				  .before = before,
				  .name = name,
				  .depth = depth,
				  .next_name = NO_NAME,
			  }));
}

void paths_init(struct paths *p)
{
	*p = (struct paths){ 0 };
	add(p, PATHS_ROOT, NO_NAME, 0);
	add(p, PATHS_ROOT, NO_NAME, 0);
}

void paths_fini(struct paths *p)
{
	vec_fini(&p->all);
	texts_fini(&p->names);
	keys_fini(&p->next);
}

/* Writes the numbers of the names of all steps. */
static void list(const struct paths *p, uint32_t path, uint32_t *names)
{
	for (uint32_t i = p->all.items[path].depth; i-- > 0; path = p->all.items[path].before) {
		names[i] = p->all.items[path].name;
	}
}

/* Returns the steps of the shortest part that is repeated at the end; 0: none. */
static uint32_t repeated(const uint32_t *names, uint32_t count)
{
	for (uint32_t n = 1; 2 * n <= count; n++) {
		const uint32_t *end = names + count;

		if (memcmp(end - n, end - 2 * n, n * sizeof(*names)) == 0) {
			return n;
		}
	}
	return 0;
}

/* Returns the path with one more step, which is not in the table yet. */
static uint32_t make(struct paths *p, uint32_t path, uint32_t name)
{
	uint32_t names[PATHS_STEPS_MAX + 1];
	uint32_t depth = p->all.items[path].depth;

	list(p, path, names);
	names[depth] = name;
	uint32_t loop = repeated(names, depth + 1);

	if (loop) {
		for (uint32_t i = 1; i < loop; i++) {
			path = p->all.items[path].before;
		}
		return path;
	}
	if (depth == PATHS_STEPS_MAX || p->all.count == PATHS_MAX) {
		return PATHS_OTHER;
	}
	add(p, path, name, depth + 1);
	return (uint32_t)p->all.count - 1;
}

uint32_t paths_next_slowly(struct paths *p, uint32_t path, uint32_t name)
{
	const struct key key = { .tid = path, .name = name };

	if (path == PATHS_OTHER) {
		return PATHS_OTHER;
	}
	uint32_t next = keys_get(&p->next, &key);

	if (next == KEYS_NONE) {
		next = make(p, path, name);
		/* At the limit, steps that are refused use no memory. */
		if (next != PATHS_OTHER) {
			keys_swap(&p->next, &key, next);
		}
	}
	p->all.items[path].next_name = name;
	p->all.items[path].next = next;
	return next;
}

size_t paths_steps(const struct paths *p, uint32_t path, const char *names[PATHS_STEPS_MAX])
{
	uint32_t numbers[PATHS_STEPS_MAX];
	size_t count = p->all.items[path].depth;

	list(p, path, numbers);
	for (size_t i = 0; i < count; i++) {
		names[i] = p->names.items[numbers[i]];
	}
	return count;
}
