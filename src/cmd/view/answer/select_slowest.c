/* SPDX-License-Identifier: MIT */
/* The slowest of many spans, in bounded memory. */
#include "cmd/view/answer/select.h"

#include <stdlib.h>

void slowest_fini(struct slowest *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->all[i].rest);
	}
}

/* True if `a` comes before `b`. */
static bool is_before(const struct slow_span *a, const struct slow_span *b)
{
	return a->ns != b->ns ? a->ns > b->ns : a->number < b->number;
}

struct slow_span *slowest_offer(struct slowest *s, const struct slow_span *span)
{
	if (s->count == s->limit) {
		if (s->limit == 0 || !is_before(span, &s->all[s->limit - 1])) {
			return NULL;
		}
		free(s->all[--s->count].rest);
	}
	size_t at = s->count++;

	for (; at > 0 && is_before(span, &s->all[at - 1]); at--) {
		s->all[at] = s->all[at - 1];
	}
	s->all[at] = *span;
	return &s->all[at];
}
