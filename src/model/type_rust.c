/* SPDX-License-Identifier: MIT */
/*
 * Parses Rust's types of arguments: removes references, lifetimes and boxes; the rest is a row of
 * type_rust.def. Called by the front end for TOML.
 */
#include <string.h>

#include "base/compiler.h"
#include "brace/brace.h"
#include "model/type.h"
#include "text/nearest.h"
#include "text/scan.h"

static const struct type rust_types[] = {
#define RUST_TYPE(rust, c, kind, sign, bytes32, bytes64, made_by) \
	{ .text = (rust),                                         \
		.c_text = (c),                                    \
		.class = (kind),                                  \
		.is_signed = (sign),                              \
		.size32 = (bytes32),                              \
		.size64 = (bytes64),                              \
		.maker = (made_by),                               \
		.length = "" },
#include "model/type_rust.def"
#undef RUST_TYPE
};

/* Wrappers without effect in C: the start and the end of each. */
static const char *const boxes[][2] = { { "Arc<", ">" }, { "Rc<", ">" }, { "Box<", ">" } };

static bool begins(struct span s, const char *word)
{
	size_t len = strlen(word);

	return s.len >= len && memcmp(s.text, word, len) == 0;
}

static struct span skip(struct span s, size_t n)
{
	return span_trim((struct span){ s.text + n, s.len - n });
}

static size_t lifetime_length(struct span s)
{
	size_t n = s.len > 0 && *s.text == '\'';

	while (n > 0 && n < s.len && is_word((unsigned char)s.text[n])) {
		n++;
	}
	return n;
}

/* Returns T for `&'static mut T`. */
static struct span dereference(struct span s)
{
	s = skip(s, 1);
	s = skip(s, lifetime_length(s));
	return begins(s, "mut ") ? skip(s, 4) : s;
}

static bool unbox(struct span *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(boxes); i++) {
		if (begins(*s, boxes[i][0]) && s->text[s->len - 1] == '>') {
			*s = skip(*s, strlen(boxes[i][0]));
			s->len--;
			*s = span_trim(*s);
			return true;
		}
	}
	return false;
}

/* Removes references and boxes; returns false if there are none. */
static bool strip(struct span *s)
{
	struct span before = *s;

	do {
		while (s->len > 0 && *s->text == '&') {
			*s = dereference(*s);
		}
	} while (unbox(s));
	return s->len != before.len;
}

/* Finds a type. Paths may have blanks around `::`, the table has none. */
static const struct type *find(struct span s)
{
	for (size_t i = 0; i < ARRAY_SIZE(rust_types); i++) {
		if (span_equals(s, rust_types[i].text)) {
			return &rust_types[i];
		}
	}
	return NULL;
}

/* Returns the kind that {:?} prints for a descriptor, 0 for a number. */
static uint8_t descriptor_of(const char *maker)
{
	static const struct {
		const char *maker;
		uint8_t kind;
	} descriptors[] = {
		{ "file", WAYMARK_DEBUG_FILE },
		{ "owned_fd", WAYMARK_DEBUG_OWNED_FD },
		{ "borrowed_fd", WAYMARK_DEBUG_BORROWED_FD },
		{ "eventfd", WAYMARK_DEBUG_EVENTFD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(descriptors); i++) {
		if (strcmp(maker, descriptors[i].maker) == 0) {
			return descriptors[i].kind;
		}
	}
	return 0;
}

bool type_parse_rust(struct type *t, struct arena *a, const char *text, size_t len)
{
	struct span whole = span_trim((struct span){ text, len });
	struct span bare = whole;
	bool is_behind = strip(&bare);
	bool is_str = span_equals(bare, "str");
	const struct type *known = is_str ? find((struct span){ "String", 6 }) : find(bare);

	if (!known) {
		return false;
	}
	struct type c;

	*t = *known;
	/* Uses printf's length of the C type. */
	if (t->class == TYPE_INTEGER && type_parse(&c, a, t->c_text, strlen(t->c_text))) {
		t->length = c.length;
	}
	t->text = arena_strndup(a, whole.text, whole.len);
	t->is_bool = strcmp(known->text, "bool") == 0;
	t->descriptor = descriptor_of(t->maker);
	if (is_str && !is_behind) {
		t->class = TYPE_TEXT;
		t->maker = "text";
	}
	return true;
}

/* Returns the form that a type of the table has as an argument. */
static const char *as_argument(const char *bare)
{
	static const char *const behind[][2] = { { "String", "&str" }, { "[u8]", "&[u8]" },
		{ "dyn Debug", "&dyn fmt::Debug" }, { "dyn fmt::Debug", "&dyn fmt::Debug" } };

	for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
		if (strcmp(bare, behind[i][0]) == 0) {
			return behind[i][1];
		}
	}
	return bare;
}

const char *type_rust_nearest(const char *text, size_t len)
{
	struct span bare = span_trim((struct span){ text, len });
	const char *names[ARRAY_SIZE(rust_types) + 1];

	strip(&bare);
	for (size_t i = 0; i < ARRAY_SIZE(rust_types); i++) {
		if (span_equals(bare, rust_types[i].c_text)) {
			return as_argument(rust_types[i].text);
		}
		names[i] = rust_types[i].text;
	}
	names[ARRAY_SIZE(rust_types)] = "str";
	const char *nearest = nearest_name(bare, names, ARRAY_SIZE(names));

	return nearest && strcmp(nearest, "str") == 0 ? "&str"
	       : nearest && bare.text == text	      ? as_argument(nearest)
						      : nearest;
}
