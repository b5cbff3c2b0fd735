/* SPDX-License-Identifier: MIT */
/* See text.h. */
#include "mon/session/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

void text_copy(char *out, size_t size, const char *text)
{
	size_t length = strlen(text);
	size_t used = 0;

	for (size_t i = 0; i < length;) {
		char escape[ESCAPE_MAX];
		size_t taken = utf8_length(text + i, length - i);
		const char *from = taken ? text + i : escape;
		size_t n = taken ? taken : escape_byte(escape, (unsigned char)text[i]);

		if (used + n >= size) {
			break;
		}
		memcpy(out + used, from, n);
		used += n;
		i += taken ? taken : 1;
	}
	out[used] = '\0';
}

json_t *text_as_json(const char *text)
{
	size_t size = ESCAPE_MAX * strlen(text) + 1;
	char *copy = malloc(size);

	if (!copy) {
		return NULL;
	}
	text_copy(copy, size, text);
	json_t *result = json_string(copy);

	free(copy);
	return result;
}
