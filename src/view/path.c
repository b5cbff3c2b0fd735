/* SPDX-License-Identifier: MIT */
/*
 * Writes paths, with brackets around loops of several steps. Loops that overlap without one being
 * inside the other cannot have brackets: the later one has none, and each of its steps shows how
 * often it was taken.
 */
#include "view/path.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define LOOP_STEPS_MAX (PATHS_STEPS_MAX / 2)

/* The loops that begin and end at each step. */
struct brackets {
	unsigned int begin[PATHS_STEPS_MAX]; /* their number */
	unsigned int end[PATHS_STEPS_MAX];
	uint32_t loops[PATHS_STEPS_MAX]; /* that end, as in struct path_part */
};

/* True if a loop from `first` to `last` would overlap another one that is not inside it. */
static bool crosses(const struct brackets *b, size_t first, size_t last)
{
	unsigned int depth = 0;

	for (size_t i = first; i <= last; i++) {
		depth += b->begin[i];
		if (b->end[i] > depth) {
			return true;
		}
		depth -= b->end[i];
	}
	return depth > 0;
}

static void find_brackets(struct brackets *b, const struct path_part *parts, size_t count)
{
	for (size_t last = 0; last < count; last++) {
		for (size_t n = 2; n <= last + 1 && n <= LOOP_STEPS_MAX; n++) {
			bool is_loop = parts[last].loops >> (n - 1) & 1;

			if (is_loop && !crosses(b, last + 1 - n, last)) {
				b->begin[last + 1 - n]++;
				b->end[last]++;
				b->loops[last] |= UINT32_C(1) << (n - 1);
			}
		}
	}
}

static void put_times(struct out *out, const struct path_part *part)
{
	out_printf(out, " x%" PRIu32, part->min);
	if (part->min != part->max) {
		out_printf(out, "..%" PRIu32, part->max);
	}
}

/* Closes the loops that end at step `last`. A loop had no more rounds than any of its steps. */
static void put_ends(
	struct out *out, const struct brackets *b, const struct path_part *parts, size_t last)
{
	for (size_t n = 2; n <= LOOP_STEPS_MAX; n++) {
		struct path_part rounds = parts[last];

		if (!(b->loops[last] >> (n - 1) & 1)) {
			continue;
		}
		for (size_t i = last + 1 - n; i < last; i++) {
			rounds.min = parts[i].min < rounds.min ? parts[i].min : rounds.min;
			rounds.max = parts[i].max < rounds.max ? parts[i].max : rounds.max;
		}
		out_char(out, ')');
		put_times(out, &rounds);
	}
}

/* A step in brackets shows its own number only if it is a loop itself. */
static void put_steps(
	struct out *out, const char *const *names, const struct path_part *parts, size_t count)
{
	struct brackets b = { 0 };
	unsigned int depth = 0;

	find_brackets(&b, parts, count);
	for (size_t i = 0; i < count; i++) {
		depth += b.begin[i];
		out_str(out, i ? " > " : "");
		for (unsigned int n = 0; n < b.begin[i]; n++) {
			out_char(out, '(');
		}
		out_str(out, names[i]);
		if (parts[i].max > 1 && (parts[i].loops & 1 || depth == 0)) {
			put_times(out, &parts[i]);
		}
		put_ends(out, &b, parts, i);
		depth -= b.end[i];
	}
}

void path_put(struct out *out, const struct paths *p, uint32_t path, const struct path_part *parts)
{
	static const struct path_part once[PATHS_STEPS_MAX];
	const char *names[PATHS_STEPS_MAX];
	size_t count = paths_steps(p, path, names);

	put_steps(out, names, parts ? parts : once, count);
	out_str(out, path == PATHS_OTHER ? "other paths" : "");
}

char *path_text(const struct paths *p, uint32_t path, const struct path_part *parts)
{
	struct out out;

	out_init(&out, OUT_TO_MEMORY);
	path_put(&out, p, path, parts);
	char *text = strndup(out.data, out.len);

	out_fini(&out);
	return text;
}
