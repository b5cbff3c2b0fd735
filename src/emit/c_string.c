/* SPDX-License-Identifier: MIT */
/* See emit/c_string.h. */
#include "emit/c_string.h"

#include <string.h>

#include "emit/c_code.h"

const struct conversion *c_conversion(const struct event *e, size_t arg)
{
	for (size_t i = 0; i < e->format.count; i++) {
		const struct segment *s = &e->format.segments[i];

		if (s->has_conversion && s->conversion.arg == (int)arg) {
			return &s->conversion;
		}
	}
	return NULL;
}

bool c_is_address(const struct event *e, size_t arg)
{
	const struct conversion *v = c_conversion(e, arg);

	return e->args[arg].type.class == TYPE_STRING && v && v->letter == 'p';
}

const char *c_precision(struct emit_context *c, const struct event *e, size_t arg)
{
	const struct conversion *v = c_conversion(e, arg);

	if (e->args[arg].type.class != TYPE_STRING || !v || v->letter != 's') {
		return NULL;
	}
	if (v->precision_arg != FORMAT_NO_ARG) {
		return c_int(c, &e->args[v->precision_arg]);
	}
	return v->precision >= 0 ? c_number(c, (size_t)v->precision) : NULL;
}
