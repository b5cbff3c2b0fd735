/* SPDX-License-Identifier: MIT */
/* Numbers with a declared unit, for people: exact, in the largest unit that needs no fraction. */
#include <string.h>

#include "model/meaning.h"
#include "view/message/number.h"
#include "view/message/putters.h"

/* Units from the smallest on; each is `factor` of the one before. */
struct larger {
	const char *name;
	uint64_t factor;
};

static const struct larger bytes[] = { { " B", 1 }, { " KiB", 1024 }, { " MiB", 1024 },
	{ " GiB", 1024 }, { " TiB", 1024 }, { NULL, 0 } };
static const struct larger times[] = { { " ns", 1 }, { " us", 1000 }, { " ms", 1000 },
	{ " s", 1000 }, { NULL, 0 } };

char *message_put_unit(char *out, const struct message_step *step, uint64_t v)
{
	const struct larger *l = step->unit->is_time ? times : bytes;
	bool is_negative = step->digits && (int64_t)v < 0;
	uint64_t n = is_negative ? 0 - v : v;
	const char *name;
	size_t length;

	if (__builtin_mul_overflow(n, step->unit->scale, &n)) {
		/* Too large for the smallest unit, so it is printed as declared. */
		out = number_decimal(out, is_negative ? 0 - v : v);
		*out++ = ' ';
		return stpcpy(out, step->unit->name);
	}
	for (; n > 0 && l[1].name && n % l[1].factor == 0; l++) {
		n /= l[1].factor;
	}
	name = l->name;
	length = strlen(name);
	*out = '-';
	out = number_decimal(out + is_negative, n);
	memcpy(out, name, length);
	return out + length;
}
