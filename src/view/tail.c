/* SPDX-License-Identifier: MIT */
/* A ring of the last lines, whose memory is reused. */
#include "view/tail.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void tail_init(struct tail *t, uint64_t limit)
{
	*t = (struct tail){ .limit = limit };
}

void tail_fini(struct tail *t)
{
	vec_foreach (struct tail_line *, line, &t->lines) {
		free(line->data);
	}
	vec_fini(&t->lines);
}

void tail_take(struct tail *t, struct out *from)
{
	if (t->lines.count < t->limit) {
		vec_push(&t->lines, ((struct tail_line){ 0 }));
	}
	struct tail_line *line = &t->lines.items[t->seen++ % t->limit];

	if (from->len > line->capacity) {
		line->capacity = 2 * from->len;
		line->data = xrealloc(line->data, line->capacity);
	}
	memcpy(line->data, from->data, from->len);
	line->length = from->len;
	from->len = 0;
}

void tail_put(const struct tail *t, struct out *out)
{
	for (uint64_t n = t->seen - t->lines.count; n < t->seen; n++) {
		const struct tail_line *line = &t->lines.items[n % t->limit];

		out_bytes(out, line->data, line->length);
	}
}
