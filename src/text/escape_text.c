/* SPDX-License-Identifier: MIT */
/* Characters that are not shown as they are, see text/escape_text.h. */
#include "text/escape_text.h"

#include <string.h>

#include "base/utf8.h"

bool escape_misleads(const char *text, size_t n, uint32_t *code)
{
	*code = escape_decode(text, n);
	return escape_is_misleading(*code);
}

char *escape_character(char *out, const char **text, size_t left)
{
	const char *p = *text;
	size_t n = utf8_length(p, left);
	uint32_t code;

	*text += n ? n : 1;
	if (n == 0 || escape_needed((unsigned char)*p)) {
		return out + escape_byte(out, (unsigned char)*p);
	}
	if (n > 1 && escape_misleads(p, n, &code)) {
		return out + escape_code(out, code);
	}
	memcpy(out, p, n);
	return out + n;
}
