/* SPDX-License-Identifier: MIT */
/*
 * Reads rows of type, message, input and output, divided by tabs; renders each input and compares
 * it with the output. With --hex all outputs and text inputs are hexadecimal bytes; without it,
 * only those of str and char with {}. Prints the differences and the number of rows.
 *
 *	brace_rows [--hex] FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "shapes.h"

static bool all_hex;

/* An input as a value, with the memory that the value points to. */
struct input {
	struct waymark_debug value;
	char text[1 << 20];
	size_t length;
};

static void from_hex(struct input *in, const char *hex)
{
	in->length = strlen(hex) / 2;
	for (size_t i = 0; i < in->length; i++) {
		char pair[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		in->text[i] = (char)strtoul(pair, NULL, 16);
	}
}

/* Replaces \n, \\ and \xff; all other bytes stay. */
static size_t unescape(char *out, const char *s)
{
	size_t n = 0;

	for (; *s; s++) {
		if (*s != '\\' || !s[1]) {
			out[n++] = *s;
		} else if (*++s == 'x') {
			char pair[3] = { s[1], s[2], '\0' };

			out[n++] = (char)strtoul(pair, NULL, 16);
			s += 2;
		} else {
			out[n++] = (char)(*s == 'n' ? '\n' : *s);
		}
	}
	out[n] = '\0';
	return n;
}

static void read_unsigned(struct input *in, const char *text, unsigned int kind)
{
	in->value = waymark_debug_u64(strtoull(text, NULL, 10));
	in->value.kind = kind;
}

static void read_signed(struct input *in, const char *text, unsigned int kind)
{
	in->value = waymark_debug_i64(strtoll(text, NULL, 10));
	in->value.kind = kind;
}

static void read_wide(struct input *in, const char *text, unsigned int kind)
{
	__extension__ unsigned __int128 n = 0;

	for (const char *c = text + (*text == '-'); *c; c++) {
		n = n * 10 + (unsigned int)(*c - '0');
	}
	n = *text == '-' ? -n : n;
	in->value = waymark_debug_u128(n);
	in->value.kind = kind;
}

static void read_f32(struct input *in, const char *text, unsigned int unused)
{
	uint32_t bits = (uint32_t)strtoul(text, NULL, 16);
	float f;

	(void)unused;
	memcpy(&f, &bits, sizeof(f));
	in->value = waymark_debug_f32(f);
}

static void read_f64(struct input *in, const char *text, unsigned int unused)
{
	uint64_t bits = strtoull(text, NULL, 16);
	double f;

	(void)unused;
	memcpy(&f, &bits, sizeof(f));
	in->value = waymark_debug_f64(f);
}

static void read_bool(struct input *in, const char *text, unsigned int unused)
{
	(void)unused;
	in->value = waymark_debug_bool(strcmp(text, "true") == 0);
}

static void read_char(struct input *in, const char *text, unsigned int unused)
{
	(void)unused;
	in->value = waymark_debug_char((uint32_t)strtoul(text, NULL, 16));
}

static void read_text(struct input *in, const char *text, unsigned int kind)
{
	if (all_hex) {
		from_hex(in, text);
	} else {
		static char once[1 << 16];

		unescape(once, text);
		in->length = unescape(in->text, once);
	}
	in->value = waymark_debug_text(in->text, in->length);
	in->value.kind = kind;
}

/* Reads a number N; the value is the first N of some bytes. */
static void read_slice(struct input *in, const char *text, unsigned int unused)
{
	static const unsigned char bytes[] = { 0, 1, 9, 10, 15, 16, 255 };

	(void)unused;
	in->value = waymark_debug_bytes(bytes, strtoul(text, NULL, 10));
}

static void read_bytes(struct input *in, const char *text, unsigned int unused)
{
	(void)unused;
	in->length = 0;
	while (*text) {
		char *end;

		in->text[in->length++] = (char)strtoul(text, &end, 10);
		text = *end ? end + 1 : end;
	}
	in->value = waymark_debug_bytes(in->text, in->length);
}

static void read_pointer(struct input *in, const char *text, unsigned int unused)
{
	(void)unused;
	in->value = waymark_debug_pointer((const void *)(uintptr_t)strtoull(text, NULL, 16));
}

/* Reads seconds and nanoseconds. */
static void read_duration(struct input *in, const char *text, unsigned int unused)
{
	char *end;
	uint64_t seconds = strtoull(text, &end, 10);

	(void)unused;
	in->value = waymark_debug_duration(seconds, strtoull(end, NULL, 10));
}

static void read_descriptor(struct input *in, const char *text, unsigned int around)
{
	in->value = waymark_debug_file((int)strtol(text, NULL, 10));
	in->value.kind = around;
}

static void read_shape(struct input *in, const char *text, unsigned int unused)
{
	waymark_debug_fn *render = shape_find(text);

	(void)unused;
	if (!render) {
		fprintf(stderr, "brace_rows: no shape %s\n", text);
		exit(1);
	}
	in->value = waymark_debug_object(render, NULL);
}

static const struct {
	const char *type;
	void (*read)(struct input *in, const char *text, unsigned int argument);
	unsigned int argument;
} readers[] = {
	{ "u8", read_unsigned, WAYMARK_DEBUG_U8 },
	{ "u16", read_unsigned, WAYMARK_DEBUG_U16 },
	{ "u32", read_unsigned, WAYMARK_DEBUG_U32 },
	{ "u64", read_unsigned, WAYMARK_DEBUG_U64 },
	{ "usize", read_unsigned, WAYMARK_DEBUG_U64 },
	{ "i8", read_signed, WAYMARK_DEBUG_I8 },
	{ "i16", read_signed, WAYMARK_DEBUG_I16 },
	{ "i32", read_signed, WAYMARK_DEBUG_I32 },
	{ "i64", read_signed, WAYMARK_DEBUG_I64 },
	{ "u128", read_wide, WAYMARK_DEBUG_U128 },
	{ "i128", read_wide, WAYMARK_DEBUG_I128 },
	{ "f32", read_f32, 0 },
	{ "f64", read_f64, 0 },
	{ "bool", read_bool, 0 },
	{ "char", read_char, 0 },
	{ "str", read_text, WAYMARK_DEBUG_STRING },
	{ "CStr", read_text, BRACE_CSTRING },
	{ "&[u8]", read_slice, 0 },
	{ "Vec<u8>", read_bytes, 0 },
	{ "ptr", read_pointer, 0 },
	{ "Duration", read_duration, 0 },
	{ "OwnedFd", read_descriptor, WAYMARK_DEBUG_OWNED_FD },
	{ "BorrowedFd", read_descriptor, WAYMARK_DEBUG_BORROWED_FD },
	{ "EventFd", read_descriptor, WAYMARK_DEBUG_EVENTFD },
	{ "&dyn Debug(str)", read_text, WAYMARK_DEBUG_STRING },
	{ "&dyn Debug(u32)", read_unsigned, WAYMARK_DEBUG_U32 },
	{ "msg", read_text, WAYMARK_DEBUG_STRING },
};

static void read_input(struct input *in, const char *type, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		if (strcmp(readers[i].type, type) == 0) {
			readers[i].read(in, text, readers[i].argument);
			return;
		}
	}
	read_shape(in, text, 0);
}

/* All variants have the input E, so only the output names the variant. */
static const char *variant_of(const char *output)
{
	static char name[2];

	name[0] = *output;
	return strstr(output, "x: 10") ? "C10" : name;
}

static bool check(char *type, char *message, char *text, char *output)
{
	static struct input in;
	static struct input expected;
	bool hex = all_hex || (strcmp(message, "{}") == 0 &&
				      (strcmp(type, "char") == 0 || strcmp(type, "str") == 0));

	read_input(&in, type, strcmp(type, "enum") == 0 ? variant_of(output) : text);
	if (hex && !all_hex && strcmp(type, "str") == 0) {
		from_hex(&in, text);
		in.value.length = (uint32_t)in.length;
	}
	if (hex) {
		from_hex(&expected, output);
	} else {
		expected.length = unescape(expected.text, output);
	}
	expected.text[expected.length] = '\0';

	const char *got = rendered(message, in.value);

	if (memcmp(got, expected.text, expected.length + 1) == 0) {
		return true;
	}
	printf("%s of %s %s:\n  expected %s\n  got      %s\n", message, type, text, expected.text,
		got);
	return false;
}

/* Splits a line at its tabs; NULL if fields are missing. */
static char *split(char *line, char *fields[4])
{
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 4; i++) {
		fields[i] = line ? line : NULL;
		line = line && i < 3 ? strchr(line, '\t') : NULL;
		if (line) {
			*line++ = '\0';
		}
	}
	return fields[3];
}

int main(int argc, char **argv)
{
	static char line[1 << 21];
	char *fields[4];
	unsigned int good = 0;
	unsigned int all = 0;

	all_hex = argc == 3 && strcmp(argv[1], "--hex") == 0;
	FILE *f = argc > 1 ? fopen(argv[argc - 1], "r") : NULL;

	if (!f) {
		fprintf(stderr, "usage: brace_rows [--hex] FILE\n");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		if (split(line, fields)) {
			all++;
			good += check(fields[0], fields[1], fields[2], fields[3]);
		}
	}
	fclose(f);
	printf("%u of %u rows\n", good, all);
	return good == all && all ? 0 : 1;
}
