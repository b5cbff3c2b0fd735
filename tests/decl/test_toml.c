/* SPDX-License-Identifier: MIT */
/* The reader of TOML: values, their positions in the file, and continuing after an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "decl/toml.h"
#include "model/event.h"
#include "model/type.h"

struct fixture {
	struct arena arena;
	struct diag diag;
	struct source source;
	struct toml_document doc;
};

static int set_up(void **state)
{
	static struct fixture f;

	f = (struct fixture){ 0 };
	arena_init(&f.arena);
	diag_init(&f.diag);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	vec_fini(&f->doc.tables);
	diag_fini(&f->diag);
	arena_fini(&f->arena);
	return 0;
}

static void read_text(struct fixture *f, const char *text)
{
	vec_fini(&f->doc.tables);
	f->diag.errors = 0;
	f->source = (struct source){ "t.toml", text, strlen(text) };
	toml_read(&f->doc, &f->arena, &f->diag, &f->source);
}

/* Returns the value of the only key before all headers; the text must be valid. */
static const struct toml_value *value_of(struct fixture *f, const char *text)
{
	read_text(f, text);
	assert_int_equal(f->diag.errors, 0);
	assert_non_null(f->doc.tables.items[0]->entries);
	return &f->doc.tables.items[0]->entries->value;
}

static void is_string(struct fixture *f, const char *text, const char *expected)
{
	const struct toml_value *v = value_of(f, text);

	assert_int_equal(v->kind, TOML_STRING);
	assert_int_equal(v->string.span.len, strlen(expected));
	assert_memory_equal(v->string.span.text, expected, strlen(expected));
}

static void strings_have_four_forms(void **state)
{
	struct fixture *f = *state;

	is_string(f, "k = \"\"", "");
	is_string(f, "k = ''", "");
	is_string(f, "k = 'a\\n\"b'", "a\\n\"b");
	is_string(f, "k = \"\"\"\"\"\"", "");
	is_string(f, "k = ''''''", "");
	is_string(f, "k = \"\"\"\na\r\nb\n\"\"\"", "a\nb\n");
	is_string(f, "k = '''\r\n\\a'\n'''''", "\\a'\n''");
	is_string(f, "k = \"\"\"\"a\"\" \"\"\"\"\"", "\"a\"\" \"\"");
	is_string(f, "k = \"\"\"a \\  \n\n \t b\\\n\"\"\"", "a b");
}

static void escapes_become_characters(void **state)
{
	struct fixture *f = *state;

	is_string(f, "k = \"\\b\\t\\n\\f\\r\\\"\\\\\"", "\b\t\n\f\r\"\\");
	is_string(f, "k = \"\\u0041\\u00e9\\u20AC\\U0001F600\"",
		"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	is_string(
		f, "k = \"\\ud7ff\\ue000\\U0010ffff\"", "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

/* Each `E` in a decoded string has the position of an `E` in the file. */
static void each_byte_knows_its_place(void **state)
{
	static const char *const texts[] = { "k = \"E\"", "k = \"\\u00e9\\tE\\n\"",
		"# c\n\nk = '''\n\n'E'''", "k = \"\"\"a \\\n    \n E\"\"\"",
		"\xef\xbb\xbfk = \"\\U0001f600\xc3\xa9"
		"E\"" };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct placed *s = &value_of(f, texts[i])->string;
		const char *e = memchr(s->span.text, 'E', s->span.len);

		assert_non_null(e);
		size_t at = placed_location(s, (size_t)(e - s->span.text)).offset;

		assert_int_equal(texts[i][at], 'E');
	}
	const struct placed *s = &value_of(f, "k = \"ab\" ")->string;

	assert_int_equal(placed_location(s, 2).offset, 7);
}

static void other_values_are_known_by_their_kind(void **state)
{
	static const struct {
		const char *text;
		enum toml_kind kind;
	} rows[] = {
		{ "k = true", TOML_BOOLEAN },
		{ "k = false # no", TOML_BOOLEAN },
		{ "k = 0", TOML_NUMBER },
		{ "k = -1_000", TOML_NUMBER },
		{ "k = 0xdead_beef", TOML_NUMBER },
		{ "k = 6.626e-34", TOML_NUMBER },
		{ "k = +inf", TOML_NUMBER },
		{ "k = nan", TOML_NUMBER },
		{ "k = 1979-05-27T07:32:00.5-07:00", TOML_DATE },
		{ "k = 1979-05-27", TOML_DATE },
		{ "k = 07:32:00", TOML_DATE },
		{ "k = []", TOML_ARRAY },
		{ "k = [ 1, 'a', # c\n\n [ true ], ]", TOML_ARRAY },
		{ "k = {}", TOML_TABLE },
		{ "k = { a = 1, b.c = [\n2 ] }", TOML_TABLE },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(value_of(f, rows[i].text)->kind, rows[i].kind);
	}
	assert_true(value_of(f, "k = true")->truth);
	assert_false(value_of(f, "k = false")->truth);
}

static void keys_are_bare_quoted_or_dotted(void **state)
{
	static const char text[] = "a-1_B = 1\n\"\\u0061 b\" = 2\n'' = 3\nx . \"y\".z = 4\n7 = 5";
	static const char *const keys[] = { "a-1_B", "a b", "", "x . \"y\".z", "7" };
	struct fixture *f = *state;
	size_t i = 0;

	read_text(f, text);
	assert_int_equal(f->diag.errors, 0);
	for (const struct toml_entry *e = f->doc.tables.items[0]->entries; e; e = e->next, i++) {
		assert_true(span_equals(e->key.span, keys[i]));
		assert_int_equal(e->is_dotted, i == 3);
	}
	assert_int_equal(i, ARRAY_SIZE(keys));
}

static void tables_come_in_order(void **state)
{
	struct fixture *f = *state;

	read_text(f, "[[a]]\nk = 1\n[ b . c ]\n[[ 'a' ]] # again\nk = 2\nl = 3");
	assert_int_equal(f->diag.errors, 0);
	assert_int_equal(f->doc.tables.count, 4);
	struct toml_table **t = f->doc.tables.items;

	assert_null(t[0]->entries);
	assert_true(t[1]->is_element && span_equals(t[1]->name.span, "a"));
	assert_true(!t[2]->is_element && t[2]->is_dotted);
	assert_true(t[3]->is_element && span_equals(t[3]->name.span, "a"));
	assert_non_null(t[3]->entries->next);
	assert_int_equal(location_line(t[3]->at), 4);
}

/* One fault each; the next line is read in any case. */
static void a_fault_ends_with_its_line(void **state)
{
	static const char *const faults[] = { "k", "k =", "= 1", "k = 1 2", "k = \"a", "k = 'a",
		"k = \"\\x41\"", "k = \"\\u12\"", "k = \"\\ud800\"", "k = \"\\U00110000\"",
		"k = tru", "k = 'a' b", "k = {", "k = { a }", "k = { a = 1, }", "k = [1 2]",
		"k = [1", "[a", "[[a]", "[]", "[a]]", "k.= 1", "k = \"\"\"a", "k = '''a", "# \x01",
		"k = 'a\x7f'", "k = \"a\rb\"", "k = 1 # \ra", "\v", "k = \"a\\ \nb\"",
		"\"\"\"k\"\"\" = 1", "k = [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]" };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		const struct toml_entry *e = NULL;

		read_text(f, arena_printf(&f->arena, "%s\nlast = true", faults[i]));
		if (f->diag.errors == 0) {
			fail_msg("'%s' is taken", faults[i]);
		}
		for (e = f->doc.tables.items[f->doc.tables.count - 1]->entries; e && e->next;) {
			e = e->next;
		}
		if (!e || !span_equals(e->key.span, "last") || !e->value.truth) {
			fail_msg("'%s' hides the next line", faults[i]);
		}
	}
}

/* Returns a message in printf's form: its conversions, with the text around them. */
static const char *as_printf(struct fixture *f, const char *type, const char *message)
{
	const char *text = arena_printf(&f->arena, "k = '%s'", message);
	struct arg arg = { .name = "a" };
	struct event e = { .args = &arg, .arg_count = 1 };
	struct out o;

	assert_true(type_parse_rust(&arg.type, &f->arena, type, strlen(type)));
	assert_true(
		format_parse_braces(&e.format, &f->arena, &f->diag, &value_of(f, text)->string));
	const struct format *format = format_as_printf(&f->arena, &e, '?');

	out_init(&o, OUT_TO_MEMORY);
	for (size_t i = 0; i < format->count; i++) {
		const struct segment *s = &format->segments[i];

		out_bytes(&o, s->text, s->len);
		out_str(&o, s->has_conversion ? conversion_text(&f->arena, &s->conversion) : "");
	}
	const char *printed = arena_strndup(&f->arena, o.data, o.len);

	out_fini(&o);
	return printed;
}

static void printf_comes_as_near_as_it_can(void **state)
{
	static const struct {
		const char *type;
		const char *message;
		const char *expected;
	} rows[] = {
		{ "u32", "a {} b", "a %\" PRIu32 b" },
		{ "i32", "{:?}", "%\" PRId32" },
		{ "RawFd", "{:+}", "%+d" },
		{ "usize", "{:04x}", "%04zx" },
		{ "u8", "{:#X}", "0x%hhX" },
		{ "u8", "{:#06x}", "0x%04hhx" },
		{ "u8", "{:<4}|", "%-4hhu|" },
		{ "u16", "{:X?}", "%hX" },
		{ "bool", "{}", "%u" },
		{ "&str", "{}", "%s" },
		{ "&str", "{:8.3}", "%-8.3s" },
		{ "&str", "{:>8}", "%8s" },
		{ "&str", "a {:?} b", "a \"%s\" b" },
		{ "String", "{:?}", "\"%s\"" },
		{ "f64", "{:.3}", "%?" },
		{ "u128", "{:#x}", "%?" },
		{ "&[u8]", "{:x?}", "%?" },
		{ "&dyn fmt::Debug", "{:#?}", "%?" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(as_printf(f, rows[i].type, rows[i].message), rows[i].expected);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(strings_have_four_forms),
		TEST(escapes_become_characters),
		TEST(each_byte_knows_its_place),
		TEST(other_values_are_known_by_their_kind),
		TEST(keys_are_bare_quoted_or_dotted),
		TEST(tables_come_in_order),
		TEST(a_fault_ends_with_its_line),
		TEST(printf_comes_as_near_as_it_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
