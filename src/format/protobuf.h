/* SPDX-License-Identifier: MIT */
/*
 * The encoding of protocol buffers: a message is a row of fields, each a tag and a value; a tag is
 * the field's number and the type of its value. Numbers are stored seven bits a byte, the lowest
 * first. Each function writes to `out`, where the caller has reserved the bytes, and returns the
 * end. Pure functions.
 *
 *	char *part = out = protobuf_open(out, NUMBER);
 *	out = protobuf_number(out, OTHER, 42);
 *	out = protobuf_close(part, out);
 */
#ifndef FORMAT_PROTOBUF_H
#define FORMAT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Maximum bytes of a number, and of a field that is one, with its tag. */
#define PROTOBUF_NUMBER_MAX 10
#define PROTOBUF_FIELD_MAX (PROTOBUF_NUMBER_MAX + 5)

enum protobuf_type { PROTOBUF_NUMBER = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_BYTES = 2 };

static inline char *protobuf_varint(char *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7) {
		*out++ = (char)(v | 0x80);
	}
	*out = (char)v;
	return out + 1;
}

static inline char *protobuf_tag(char *out, unsigned int field, enum protobuf_type type)
{
	return protobuf_varint(out, field << 3 | type);
}

/* Writes an integer, enumeration or bool; a negative one as its 64 bits. */
static inline char *protobuf_number(char *out, unsigned int field, uint64_t v)
{
	return protobuf_varint(protobuf_tag(out, field, PROTOBUF_NUMBER), v);
}

static inline char *protobuf_fixed64(char *out, unsigned int field, uint64_t v)
{
	out = protobuf_tag(out, field, PROTOBUF_FIXED64);
	for (int i = 0; i < 8; i++) {
		out[i] = (char)(v >> 8 * i);
	}
	return out + 8;
}

static inline char *protobuf_double(char *out, unsigned int field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return protobuf_fixed64(out, field, bits);
}

static inline char *protobuf_bytes(char *out, unsigned int field, const char *bytes, size_t n)
{
	out = protobuf_varint(protobuf_tag(out, field, PROTOBUF_BYTES), n);
	memcpy(out, bytes, n);
	return out + n;
}

static inline char *protobuf_text(char *out, unsigned int field, const char *text)
{
	return protobuf_bytes(out, field, text, strlen(text));
}

/* Begins a message or text that is a field; returns the place of its content. */
static inline char *protobuf_open(char *out, unsigned int field)
{
	return protobuf_tag(out, field, PROTOBUF_BYTES) + 1;
}

/*
 * Ends the message whose content began at `begin`, and sets its length. A length of more than one
 * byte moves the content up.
 */
static inline char *protobuf_close(char *begin, char *end)
{
	size_t length = (size_t)(end - begin);
	char bytes[PROTOBUF_NUMBER_MAX];

	if (length < 0x80) {
		begin[-1] = (char)length;
		return end;
	}
	size_t more = (size_t)(protobuf_varint(bytes, length) - bytes) - 1;

	memmove(begin + more, begin, length);
	memcpy(begin - 1, bytes, more + 1);
	return end + more;
}

#endif
