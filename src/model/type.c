/* SPDX-License-Identifier: MIT */
/*
 * Parses the texts of types. The words of a C integer type may be in any order, so each has a
 * weight of four bits, and the sum of the weights is looked up in type.def: `long unsigned int`
 * needs no grammar.
 */
#include "model/type.h"

#include <string.h>

#include "base/compiler.h"
#include "text/scan.h"

/* More words than any legal type has, but not enough for a sum to overflow. */
#define WORDS_MAX 7

enum weight {
	INT = 1 << 0,
	SIGNED = 1 << 4,
	UNSIGNED = 1 << 8,
	SHORT = 1 << 12,
	LONG = 1 << 16,
	CHAR = 1 << 20,
	VOID = 1 << 24,
	NAMED = 1 << 28, /* a type of one word, which combines with no other */
};

static const struct {
	const char *word;
	int weight;
} weighted_words[] = {
	{ "int", INT },
	{ "signed", SIGNED },
	{ "unsigned", UNSIGNED },
	{ "short", SHORT },
	{ "long", LONG },
	{ "char", CHAR },
	{ "void", VOID },
};

struct base {
	const char *name; /* NULL: a sum of weighted words */
	int sum;
	const char *host; /* for a TCG type only: its type at execution */
	struct type type; /* except the text */
};

#define BASE(name_, sum_, length_, is_signed_, size32_, size64_) \
	{ .name = name_,                                         \
		.sum = sum_,                                     \
		.type = { .length = length_,                     \
			.class = TYPE_INTEGER,                   \
			.is_signed = is_signed_,                 \
			.size32 = size32_,                       \
			.size64 = size64_ } },
#define TYPE_NAME(name, ...) BASE(#name, NAMED, __VA_ARGS__)
#define TYPE_WORDS(sum, ...) BASE(NULL, sum, __VA_ARGS__)
#define TYPE_INT(sum, ...) BASE(NULL, sum, __VA_ARGS__) BASE(NULL, (sum) + INT, __VA_ARGS__)
#define TYPE_OLD(name_, maker_, size_)       \
	{ .name = #name_,                    \
		.sum = NAMED,                \
		.type = { .length = "",      \
			.maker = maker_,     \
			.class = TYPE_FLOAT, \
			.is_signed = true,   \
			.size32 = size_,     \
			.size64 = size_ } },
#define TYPE_TCG(name_, host_) \
	{ .name = #name_,      \
		.sum = NAMED,  \
		.host = host_, \
		.type = { .length = "", .class = TYPE_TCG } },

static const struct base bases[] = {
#include "model/type.def"
};

static const struct type pointer = {
	.length = "", .class = TYPE_POINTER, .size32 = 4, .size64 = 8
};

/* The part of a type that was read so far. */
struct reading {
	const struct base *named;
	int sum;
	unsigned int words;
	unsigned int stars;
	bool is_const; /* since the last star */
};

static int weight_of(struct span word)
{
	for (size_t i = 0; i < ARRAY_SIZE(weighted_words); i++) {
		if (span_equals(word, weighted_words[i].word)) {
			return weighted_words[i].weight;
		}
	}
	return 0;
}

static const struct base *base_named(struct span word)
{
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		if (bases[i].name && span_equals(word, bases[i].name)) {
			return &bases[i];
		}
	}
	return NULL;
}

static const struct base *base_of_sum(int sum)
{
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		if (!bases[i].name && bases[i].sum == sum) {
			return &bases[i];
		}
	}
	return NULL;
}

static bool read_word(struct reading *r, struct span word)
{
	if (span_equals(word, "const")) {
		bool repeated = r->is_const;

		r->is_const = true;
		return !repeated;
	}
	if (r->stars > 0 || r->words == WORDS_MAX) {
		return false;
	}
	int weight = weight_of(word);

	if (weight == 0) {
		r->named = base_named(word);
		weight = r->named ? NAMED : 0;
	}
	r->sum += weight;
	r->words++;
	return weight != 0;
}

static bool read_type(struct reading *r, struct span text)
{
	struct source source = { NULL, text.text, text.len };
	struct scan s = { &source, 0, text.len };

	for (scan_skip_blanks(&s); scan_peek(&s) != SCAN_END; scan_skip_blanks(&s)) {
		if (scan_accept(&s, '*')) {
			r->stars++;
			r->is_const = false;
		} else if (!read_word(r, scan_word(&s))) {
			return false;
		}
	}
	return r->words > 0;
}

/* Puts one blank between words and before the first star, none after a star: `const char **`. */
static const char *regular_text(struct arena *a, struct span text)
{
	char *regular = arena_alloc(a, 2 * text.len + 1);
	char *to = regular;
	bool blank = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.text[i];

		if (is_blank(c)) {
			blank = true;
			continue;
		}
		if (to > regular && (c == '*' || blank) && to[-1] != '*') {
			*to++ = ' ';
		}
		*to++ = c;
		blank = false;
	}
	return regular;
}

static const struct base *base_of(const struct reading *r)
{
	if (r->named) {
		return r->words == 1 ? r->named : NULL;
	}
	return base_of_sum(r->sum);
}

static bool parse(struct type *t, struct arena *a, struct span span, bool old)
{
	struct reading r = { 0 };

	if (!read_type(&r, span)) {
		return false;
	}
	const struct base *base = base_of(&r);

	if (base && base->type.class == TYPE_FLOAT && !old) {
		return false;
	}
	if (r.stars == 0 && base) {
		*t = base->type;
	} else if (r.stars > 0 && (base ? !base->host : r.sum == VOID)) {
		*t = pointer;
		if (r.stars == 1 && r.sum == CHAR) {
			t->class = TYPE_STRING;
		}
	} else {
		return false;
	}
	t->is_bool = r.stars == 0 && r.named && strcmp(r.named->name, "bool") == 0;
	t->is_char = r.stars == 0 && r.sum == CHAR;
	t->text = t->c_text = t->class == TYPE_TCG ? base->name : regular_text(a, span);
	return true;
}

bool type_parse(struct type *t, struct arena *a, const char *text, size_t len)
{
	return parse(t, a, (struct span){ text, len }, false);
}

bool type_parse_old(struct type *t, struct arena *a, const char *text, size_t len)
{
	return parse(t, a, (struct span){ text, len }, true);
}

bool type_is_bytes(const struct type *t)
{
	struct span text = { t->text, strlen(t->text) };
	struct reading r = { 0 };

	if (t->class != TYPE_POINTER || !read_type(&r, text) || r.stars != 1) {
		return false;
	}
	const struct base *base = base_of(&r);

	return base && base->type.size64 == 1 && strcmp(base->type.length, "hh") == 0;
}

void type_guess(struct type *t, struct arena *a, const char *text, size_t len)
{
	if (type_parse(t, a, text, len)) {
		return;
	}
	if (memchr(text, '*', len)) {
		*t = pointer;
	} else {
		*t = base_named((struct span){ "uint64_t", 8 })->type;
	}
	t->text = t->c_text = regular_text(a, (struct span){ text, len });
}

void type_guess_host(struct type *t, struct arena *a, const char *text, size_t len)
{
	type_guess(t, a, text, len);
	if (t->class == TYPE_TCG) {
		const char *host = type_of_execution(t);

		type_parse(t, a, host, strlen(host));
	}
}

bool type_is_word(const char *text, size_t len)
{
	struct span word = { text, len };

	return span_equals(word, "const") || weight_of(word) != 0 || base_named(word);
}

const char *type_of_execution(const struct type *t)
{
	return base_named((struct span){ t->text, strlen(t->text) })->host;
}

#define INSTEAD(type) "declare it as '" type "'"

/* Advice by a word of the type; the first match is used. */
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
