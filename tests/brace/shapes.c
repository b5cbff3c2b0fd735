/* SPDX-License-Identifier: MIT */
/* Shapes by name; rust.py declares the same ones in Rust. */
#include <string.h>

#include "base/compiler.h"
#include "shapes.h"

static void some_three(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug three = waymark_debug_u8(3);

	(void)object;
	waymark_debug_some(f, three);
}

static void none(struct waymark_formatter *f, const void *object)
{
	(void)object;
	waymark_debug_none(f);
}

static void packet(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, "P");
	waymark_debug_field(&g, "len", waymark_debug_u32(64));
	waymark_debug_field(&g, "opcode", waymark_debug_u16(18));
	waymark_debug_field(&g, "name", text_value("x\"y"));
	waymark_debug_field(&g, "opt", waymark_debug_object(some_three, NULL));
	waymark_debug_field(&g, "arr", waymark_debug_bytes("\1\2\3", 3));
	waymark_debug_field(&g, "f", waymark_debug_f64(1.0));
	waymark_debug_field(&g, "b", waymark_debug_bool(true));
	waymark_debug_end(&g);
}

static void tuple(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_tuple(&g, f, "T");
	waymark_debug_entry(&g, waymark_debug_i32(1));
	waymark_debug_entry(&g, waymark_debug_i32(-2));
	waymark_debug_end(&g);
}

static void unit_struct(struct waymark_formatter *f, const void *object)
{
	(void)object;
	waymark_debug_name(f, "U");
}

static void unit(struct waymark_formatter *f, const void *object)
{
	(void)object;
	waymark_debug_unit(f);
}

static void variant_plain(struct waymark_formatter *f, const void *object)
{
	(void)object;
	waymark_debug_name(f, "A");
}

static void variant_tuple(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug ten = waymark_debug_u32(10);

	(void)object;
	waymark_debug_variant(f, "B", ten);
}

static void variant_struct(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, "C");
	waymark_debug_field(&g, "x", waymark_debug_u8(16));
	waymark_debug_field(&g, "y", waymark_debug_bytes("\1\xff", 2));
	waymark_debug_end(&g);
}

static void variant_decimal(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, "C");
	waymark_debug_field(&g, "x", waymark_debug_u8(10));
	waymark_debug_field(&g, "y", waymark_debug_bytes("\1\xff", 2));
	waymark_debug_end(&g);
}

static void error_bad(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug bad = text_value("bad");

	(void)object;
	waymark_debug_variant(f, "Err", bad);
}

static void some_text(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug a = text_value("a");

	(void)object;
	waymark_debug_some(f, a);
}

static void some_number(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug n = waymark_debug_u8(255);

	(void)object;
	waymark_debug_some(f, n);
}

static void some_cstring(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug s = cstring_value("日本é", strlen("日本é"));

	(void)object;
	waymark_debug_some(f, s);
}

static void strings(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_list(&g, f);
	waymark_debug_entry(&g, text_value("a"));
	waymark_debug_entry(&g, text_value("b\""));
	waymark_debug_end(&g);
}

static void single(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug n = waymark_debug_i8(-1);

	(void)object;
	waymark_debug_variant(f, "", n);
}

/* (-1, "q", 'c', (), None) */
static void mixed(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_tuple(&g, f, "");
	waymark_debug_entry(&g, waymark_debug_i8(-1));
	waymark_debug_entry(&g, text_value("q\n"));
	waymark_debug_entry(&g, waymark_debug_char('c'));
	waymark_debug_entry(&g, waymark_debug_object(unit, NULL));
	waymark_debug_entry(&g, waymark_debug_object(none, NULL));
	waymark_debug_end(&g);
}

/* {"k": P { .. }, "l": P { .. }}, nested in a list in an Option. */
static void map(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug keys[] = { text_value("k"), text_value("l") };
	struct waymark_debug p = waymark_debug_object(packet, NULL);
	struct waymark_group g;

	(void)object;
	waymark_debug_map(&g, f);
	waymark_debug_pair(&g, keys[0], p);
	waymark_debug_pair(&g, keys[1], p);
	waymark_debug_end(&g);
}

static void set(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_set(&g, f);
	waymark_debug_entry(&g, waymark_debug_object(single, NULL));
	waymark_debug_end(&g);
}

static void nested(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_list(&g, f);
	waymark_debug_entry(&g, waymark_debug_object(map, NULL));
	waymark_debug_entry(&g, waymark_debug_object(map, NULL));
	waymark_debug_end(&g);
}

static void empty_list(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_list(&g, f);
	waymark_debug_end(&g);
}

static void empty_map(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_map(&g, f);
	waymark_debug_end(&g);
}

static void more(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, "M");
	waymark_debug_field(&g, "a", waymark_debug_object(tuple, NULL));
	waymark_debug_end_more(&g);
}

static void only_more(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, "N");
	waymark_debug_end_more(&g);
}

static void durations(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug timeout = waymark_debug_duration(1, 500000000);
	struct waymark_group g;

	(void)object;
	waymark_debug_tuple(&g, f, "Some");
	waymark_debug_entry(&g, timeout);
	waymark_debug_end(&g);
}

static void mutex(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, "Mutex");
	waymark_debug_field(&g, "data", waymark_debug_object(durations, NULL));
	waymark_debug_field(&g, "poisoned", waymark_debug(false));
	waymark_debug_end_more(&g);
}

static void guest_address(struct waymark_formatter *f, const void *object)
{
	struct waymark_debug address = waymark_debug_u64(4096);

	(void)object;
	waymark_debug_variant(f, "GuestAddress", address);
}

waymark_debug_fn *shape_find(const char *name)
{
	static const struct {
		const char *name;
		waymark_debug_fn *render;
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
		{ "Some(1.5s)", durations },
		{ "mutex", mutex },
		{ "guest address", guest_address },
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

const char *rendered(const char *message, struct waymark_debug value)
{
	static char text[1 << 20];
	struct brace_sink s;

	brace_sink_buffer(&s, text, sizeof(text));
	brace_format(&s, message, strlen(message), &value, 1);
	return text;
}
