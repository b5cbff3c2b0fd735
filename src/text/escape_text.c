/* SPDX-License-Identifier: MIT */
/* Characters that are not shown as they are, see text/escape_text.h. */
#include "text/escape_text.h"

#include <string.h>

#include "base/compiler.h"
#include "text/utf8.h"

static const struct {
	uint32_t first;
	uint32_t last;
} misleading[] = {
	{ 0x80, 0x9f }, /* C1: controls of eight bits */
	{ 0x61c, 0x61c }, /* the mark of Arabic letters */
	{ 0x200e, 0x200f }, /* marks of direction */
	{ 0x2028, 0x202e }, /* ends of lines and paragraphs; embeddings and overrides */
	{ 0x2066, 0x2069 }, /* isolates */
};

/* The code of a character of two or three bytes; of four, where nothing misleads, 0. */
static uint32_t decode(const unsigned char *p, size_t n)
{
	if (n == 2) {
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	}
	return n == 3 ? (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu) : 0;
}

bool escape_misleads(const char *text, size_t n, uint32_t *code)
{
	*code = decode((const unsigned char *)text, n);
	for (size_t i = 0; i < ARRAY_SIZE(misleading); i++) {
		if (*code >= misleading[i].first && *code <= misleading[i].last) {
			return true;
		}
	}
	return false;
}

static char *put_code(char *out, uint32_t code)
{
	memcpy(out, "\\u", 2);
	for (int i = 0; i < 4; i++) {
		out[2 + i] = "0123456789abcdef"[code >> (12 - 4 * i) & 15];
	}
	return out + 6;
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
		return put_code(out, code);
	}
	memcpy(out, p, n);
	return out + n;
}
