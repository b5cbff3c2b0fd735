/* SPDX-License-Identifier: MIT */
/* Shapes by name; rust.py declares the same ones in Rust. */
#include <string.h>

#include "base/compiler.h"
#include "shapes.h"

static void field(struct brace_group *g, const char *name, struct brace_value v)
{
	brace_field(g, name, &v);
}

static void entry(struct brace_group *g, struct brace_value v)
{
	brace_entry(g, &v);
}

static void some_three(struct brace_debug *d, const void *context)
{
	struct brace_value three = brace_unsigned(3, 8);

	(void)context;
	brace_option(d, &three);
}

static void none(struct brace_debug *d, const void *context)
{
	(void)context;
	brace_option(d, NULL);
}

static void packet(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_struct(&g, d, "P");
	field(&g, "len", brace_unsigned(64, 32));
	field(&g, "opcode", brace_unsigned(18, 16));
	field(&g, "name", text_value("x\"y"));
	field(&g, "opt", brace_callback(some_three, NULL));
	field(&g, "arr", brace_text(BRACE_BYTES, "\1\2\3", 3));
	field(&g, "f", brace_f64(1.0));
	field(&g, "b", brace_bool(true));
	brace_group_end(&g);
}

static void tuple(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_tuple(&g, d, "T");
	entry(&g, brace_signed(1, 32));
	entry(&g, brace_signed(-2, 32));
	brace_group_end(&g);
}

static void unit_struct(struct brace_debug *d, const void *context)
{
	(void)context;
	brace_name(d, "U");
}

static void unit(struct brace_debug *d, const void *context)
{
	(void)context;
	brace_unit(d);
}

static void variant_plain(struct brace_debug *d, const void *context)
{
	(void)context;
	brace_name(d, "A");
}

static void variant_tuple(struct brace_debug *d, const void *context)
{
	struct brace_value ten = brace_unsigned(10, 32);

	(void)context;
	brace_variant(d, "B", &ten);
}

static void variant_struct(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_struct(&g, d, "C");
	field(&g, "x", brace_unsigned(16, 8));
	field(&g, "y", brace_text(BRACE_BYTES, "\1\xff", 2));
	brace_group_end(&g);
}

static void variant_decimal(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_struct(&g, d, "C");
	field(&g, "x", brace_unsigned(10, 8));
	field(&g, "y", brace_text(BRACE_BYTES, "\1\xff", 2));
	brace_group_end(&g);
}

static void error_bad(struct brace_debug *d, const void *context)
{
	struct brace_value bad = text_value("bad");

	(void)context;
	brace_variant(d, "Err", &bad);
}

static void some_text(struct brace_debug *d, const void *context)
{
	struct brace_value a = text_value("a");

	(void)context;
	brace_option(d, &a);
}

static void some_number(struct brace_debug *d, const void *context)
{
	struct brace_value n = brace_unsigned(255, 8);

	(void)context;
	brace_option(d, &n);
}

static void some_cstring(struct brace_debug *d, const void *context)
{
	struct brace_value s = brace_text(BRACE_CSTRING, "日本é", strlen("日本é"));

	(void)context;
	brace_option(d, &s);
}

static void strings(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_list(&g, d);
	entry(&g, text_value("a"));
	entry(&g, text_value("b\""));
	brace_group_end(&g);
}

static void single(struct brace_debug *d, const void *context)
{
	struct brace_value n = brace_signed(-1, 8);

	(void)context;
	brace_variant(d, "", &n);
}

/* (-1, "q", 'c', (), None) */
static void mixed(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_tuple(&g, d, "");
	entry(&g, brace_signed(-1, 8));
	entry(&g, text_value("q\n"));
	entry(&g, brace_char('c'));
	entry(&g, brace_callback(unit, NULL));
	entry(&g, brace_callback(none, NULL));
	brace_group_end(&g);
}

/* {"k": P { .. }, "l": P { .. }}, nested in a list in an Option. */
static void map(struct brace_debug *d, const void *context)
{
	struct brace_value keys[] = { text_value("k"), text_value("l") };
	struct brace_value p = brace_callback(packet, NULL);
	struct brace_group g;

	(void)context;
	brace_map(&g, d);
	brace_pair(&g, &keys[0], &p);
	brace_pair(&g, &keys[1], &p);
	brace_group_end(&g);
}

static void set(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_set(&g, d);
	entry(&g, brace_callback(single, NULL));
	brace_group_end(&g);
}

static void nested(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_list(&g, d);
	entry(&g, brace_callback(map, NULL));
	entry(&g, brace_callback(map, NULL));
	brace_group_end(&g);
}

static void empty_list(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_list(&g, d);
	brace_group_end(&g);
}

static void empty_map(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_map(&g, d);
	brace_group_end(&g);
}

static void more(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_struct(&g, d, "M");
	field(&g, "a", brace_callback(tuple, NULL));
	brace_struct_end_more(&g);
}

static void only_more(struct brace_debug *d, const void *context)
{
	struct brace_group g;

	(void)context;
	brace_struct(&g, d, "N");
	brace_struct_end_more(&g);
}

brace_debug_fn *shape_find(const char *name)
{
	static const struct {
		const char *name;
		brace_debug_fn *render;
	} shapes[] = {
		{ "P", packet },
		{ "T(1,-2)", tuple },
		{ "U", unit_struct },
		{ "()", unit },
		{ "A", variant_plain },
		{ "B", variant_tuple },
		{ "C", variant_struct },
		{ "C10", variant_decimal },
		{ "Err(bad)", error_bad },
		{ "Some(\"a\")", some_text },
		{ "Some(255)", some_number },
		{ "utf8", some_cstring },
		{ "a,b\"", strings },
		{ "None", none },
		{ "single", single },
		{ "mixed", mixed },
		{ "map", map },
		{ "set", set },
		{ "nested", nested },
		{ "empty list", empty_list },
		{ "empty map", empty_map },
		{ "more", more },
		{ "only more", only_more },
	};

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (strcmp(shapes[i].name, name) == 0) {
			return shapes[i].render;
		}
	}
	return NULL;
}

const char *rendered(const char *message, struct brace_value value)
{
	static char text[1 << 20];
	struct brace_sink s;

	brace_sink_buffer(&s, text, sizeof(text));
	brace_format(&s, message, strlen(message), &value, 1);
	return text;
}
