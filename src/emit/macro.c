/* SPDX-License-Identifier: MIT */
/* Names against macros.def. */
#include "emit/macro.h"

#include <stddef.h>

#include "base/compiler.h"
#include "base/glob.h"

#define SDT MACRO_SDT
#define LTTNG MACRO_LTTNG
#define BOTH (SDT | LTTNG)

static const struct {
	unsigned int places;
	const char *header;
	const char *const *names; /* patterns, ends with NULL */
} headers[] = {
#define MACROS(where, header, ...) { where, header, (const char *const[]){ __VA_ARGS__, NULL } },
#include "emit/macros.def"
#undef MACROS
};

static bool has_macro(const char *const *names, const char *name)
{
	while (*names && !glob_match(*names, name)) {
		names++;
	}
	return *names != NULL;
}

const char *macro_header(const char *name, unsigned int places)
{
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		if (headers[i].places & places && has_macro(headers[i].names, name)) {
			return headers[i].header;
		}
	}
	return NULL;
}
