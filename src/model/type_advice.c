/* SPDX-License-Identifier: MIT */
/*
 * What to declare instead of types that people try and that events do not have.
 * Only texts of messages: nothing here makes a type allowed.
 */
#include "base/compiler.h"
#include "model/type.h"
#include "text/scan.h"

#define INSTEAD(type) "declare it as '" type "'"

/* By a word of the type; the first row that matches says it. */
static const struct {
	const char *word;
	const char *advice;
} by_word[] = {
	{ "volatile", "remove 'volatile': an argument is a value" },
	{ "enum", "declare an enum as 'int'" },
	{ "float", "events have no floating point: declare 'int64_t' and pass a scaled integer" },
	{ "double", "events have no floating point: declare 'int64_t' and pass a scaled integer" },
	{ "struct", "pass its members, or a pointer to it as 'void *'" },
	{ "union", "pass its members, or a pointer to it as 'void *'" },
	{ "_Bool", INSTEAD("bool") },
	{ "time_t", INSTEAD("int64_t") },
	{ "suseconds_t", INSTEAD("int64_t") },
	{ "off_t", INSTEAD("int64_t") },
	{ "intmax_t", INSTEAD("int64_t") },
	{ "intptr_t", INSTEAD("ptrdiff_t") },
	{ "pid_t", INSTEAD("int") },
	{ "clockid_t", INSTEAD("int") },
	{ "wchar_t", INSTEAD("int") },
	{ "uid_t", INSTEAD("unsigned int") },
	{ "gid_t", INSTEAD("unsigned int") },
	{ "mode_t", INSTEAD("unsigned int") },
	{ "socklen_t", INSTEAD("uint32_t") },
	{ "dev_t", INSTEAD("uint64_t") },
	{ "ino_t", INSTEAD("uint64_t") },
	{ "uintmax_t", INSTEAD("uint64_t") },
	{ "hwaddr", INSTEAD("uint64_t") },
	{ "uint", INSTEAD("unsigned int") },
	{ "ulong", INSTEAD("unsigned long") },
	{ "u8", INSTEAD("uint8_t") },
	{ "u16", INSTEAD("uint16_t") },
	{ "u32", INSTEAD("uint32_t") },
	{ "u64", INSTEAD("uint64_t") },
};

static const char *advice_of_word(struct span word)
{
	for (size_t i = 0; i < ARRAY_SIZE(by_word); i++) {
		if (span_equals(word, by_word[i].word)) {
			return by_word[i].advice;
		}
	}
	return NULL;
}

const char *type_advice(const char *text, size_t len)
{
	const struct source source = { .text = text, .len = len };
	struct scan s = { &source, 0, len };
	const char *advice = NULL;

	if (memchr(text, '*', len) && !memchr(text, '(', len)) {
		return "declare a pointer to anything but a plain type as 'void *'";
	}
	while (!advice && scan_peek(&s) != SCAN_END) {
		struct span word = scan_word(&s);

		advice = advice_of_word(word);
		s.pos += word.len == 0;
	}
	return advice;
}
