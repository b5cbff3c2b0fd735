/* SPDX-License-Identifier: MIT */
/* Writes losses as text and as JSON, from one table of their names. */
#include "view/gap.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/compiler.h"

static const struct word {
	size_t at; /* offset of the number in struct losses */
	const char *key;
	const char *before;
	const char *what;
	const char *after;
} words[] = {
	{ offsetof(struct losses, lost), "lost", "lost ", "event", "" },
	{ offsetof(struct losses, overwritten), "overwritten", "", "event", " overwritten" },
	{ offsetof(struct losses, rotated), "rotated_packets", "", "packet", " rotated away" },
	{ offsetof(struct losses, missing), "missing_packets", "", "packet", " missing" },
};

static uint64_t number_of(const struct losses *l, const struct word *w)
{
	return *(const uint64_t *)((const char *)l + w->at);
}

static void put_word(struct out *out, const struct word *w, uint64_t n)
{
	out_printf(out, "%s%" PRIu64 " %s%s%s", w->before, n, w->what, n == 1 ? "" : "s", w->after);
}

void gap_put_text(struct out *out, const struct losses *l)
{
	bool any = false;

	for (const struct word *w = words; w < words + ARRAY_SIZE(words); w++) {
		uint64_t n = number_of(l, w);

		if (n > 0) {
			out_str(out, any ? ", " : "");
			put_word(out, w, n);
			any = true;
		}
	}
	if (!any) {
		put_word(out, &words[0], 0);
	}
}

void gap_put_json(struct out *out, const struct losses *l)
{
	for (const struct word *w = words; w < words + ARRAY_SIZE(words); w++) {
		out_printf(
			out, "%s\"%s\":%" PRIu64, w == words ? "" : ",", w->key, number_of(l, w));
	}
}
