/* SPDX-License-Identifier: MIT */
/* Values as text, for the tracers outside that take nothing else; see waymark/record_value.h. */
#include <string.h>

#include <waymark/record.h>

#include "brace/brace.h"

static const char cut[] = "...";

/* Not into the middle of a character of UTF-8. */
static size_t character_start(const char *text, size_t at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80) {
		at--;
	}
	return at;
}

void waymark_debug_print(const struct waymark_debug *value, char *buffer, size_t size)
{
	const struct brace_spec spec = {
		.type = BRACE_DEBUG, .fill = ' ', .width = -1, .precision = -1
	};
	struct brace_sink s;

	brace_sink_buffer(&s, buffer, size);
	s.wanted = size;
	brace_render(&s, &spec, value);
	if (s.length > s.used && size > sizeof(cut)) {
		size_t room = size - sizeof(cut);
		size_t at = s.used < room ? s.used : character_start(buffer, room);

		memcpy(buffer + at, cut, sizeof(cut));
	}
}
