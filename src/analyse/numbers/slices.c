/* SPDX-License-Identifier: MIT */
/* Slices grow by joining neighbours, so the length of the trace need not be known before. */
#include "analyse/numbers/slices.h"

#include <string.h>

#define SHIFT_FIRST 10 /* a slice of 1 us */

void slices_fini(struct slices *s)
{
	vec_fini(&s->classes);
}

static void join(struct slices *s)
{
	vec_foreach (struct slices_class *, class, &s->classes) {
		for (size_t i = 0; i < SLICES_MAX / 2; i++) {
			class->counts[i] = class->counts[2 * i] + class->counts[2 * i + 1];
		}
		memset(&class->counts[SLICES_MAX / 2], 0, sizeof(class->counts) / 2);
	}
	s->shift++;
}

void slices_reach(struct slices *s, uint64_t ns)
{
	if (!s->has_time) {
		s->first_ns = s->last_ns = ns;
		s->shift = SHIFT_FIRST;
		s->has_time = true;
	}
	while ((int64_t)(ns - s->first_ns) > 0 && (ns - s->first_ns) >> s->shift >= SLICES_MAX) {
		join(s);
	}
}

void slices_examine(struct slices *s, const struct event_class *class)
{
	vec_reach(&s->classes, class->index);
}
