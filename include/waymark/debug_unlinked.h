/* SPDX-License-Identifier: MIT */
/*
 * waymark/debug_unlinked.h - the builder of waymark/debug.h in a program that may lack the library
 * (waymark/linked.h): callbacks are linked even if no trace point calls them. Part of
 * waymark/debug.h; not for hand-written code.
 */
#ifndef WAYMARK_DEBUG_UNLINKED_H
#define WAYMARK_DEBUG_UNLINKED_H

#include <waymark/linked.h>
#include <waymark/value.h>

struct waymark_formatter;
struct waymark_group;

/* clang-format off */
WAYMARK_UNLINKED_VOID(waymark_debug_struct,
	(struct waymark_group *g, struct waymark_formatter *f, const char *name), (g, f, name))
WAYMARK_UNLINKED_VOID(waymark_debug_tuple,
	(struct waymark_group *g, struct waymark_formatter *f, const char *name), (g, f, name))
WAYMARK_UNLINKED_VOID(waymark_debug_list,
	(struct waymark_group *g, struct waymark_formatter *f), (g, f))
WAYMARK_UNLINKED_VOID(waymark_debug_set,
	(struct waymark_group *g, struct waymark_formatter *f), (g, f))
WAYMARK_UNLINKED_VOID(waymark_debug_map,
	(struct waymark_group *g, struct waymark_formatter *f), (g, f))
WAYMARK_UNLINKED_VOID(waymark_debug_field,
	(struct waymark_group *g, const char *name, struct waymark_debug value), (g, name, value))
WAYMARK_UNLINKED_VOID(waymark_debug_entry,
	(struct waymark_group *g, struct waymark_debug value), (g, value))
WAYMARK_UNLINKED_VOID(waymark_debug_pair,
	(struct waymark_group *g, struct waymark_debug key, struct waymark_debug value), (g, key, value))
WAYMARK_UNLINKED_VOID(waymark_debug_end, (struct waymark_group *g), (g))
WAYMARK_UNLINKED_VOID(waymark_debug_end_more, (struct waymark_group *g), (g))
WAYMARK_UNLINKED_VOID(waymark_debug_name,
	(struct waymark_formatter *f, const char *name), (f, name))
WAYMARK_UNLINKED_VOID(waymark_debug_unit, (struct waymark_formatter *f), (f))
WAYMARK_UNLINKED_VOID(waymark_debug_some,
	(struct waymark_formatter *f, struct waymark_debug value), (f, value))
WAYMARK_UNLINKED_VOID(waymark_debug_none, (struct waymark_formatter *f), (f))
WAYMARK_UNLINKED_VOID(waymark_debug_variant,
	(struct waymark_formatter *f, const char *name, struct waymark_debug value), (f, name, value))
WAYMARK_UNLINKED_VOID(waymark_debug_value,
	(struct waymark_formatter *f, struct waymark_debug value), (f, value))
WAYMARK_UNLINKED_VOID(waymark_debug_verbatim,
	(struct waymark_formatter *f, const char *text, size_t length), (f, text, length))
WAYMARK_UNLINKED(bool, waymark_debug_is_pretty, (const struct waymark_formatter *f), (f), false)
WAYMARK_UNLINKED(bool, waymark_debug_is_hex, (const struct waymark_formatter *f), (f), false)

#define waymark_debug_struct waymark_debug_struct_or_not
#define waymark_debug_tuple waymark_debug_tuple_or_not
#define waymark_debug_list waymark_debug_list_or_not
#define waymark_debug_set waymark_debug_set_or_not
#define waymark_debug_map waymark_debug_map_or_not
#define waymark_debug_field waymark_debug_field_or_not
#define waymark_debug_entry waymark_debug_entry_or_not
#define waymark_debug_pair waymark_debug_pair_or_not
#define waymark_debug_end waymark_debug_end_or_not
#define waymark_debug_end_more waymark_debug_end_more_or_not
#define waymark_debug_name waymark_debug_name_or_not
#define waymark_debug_unit waymark_debug_unit_or_not
#define waymark_debug_some waymark_debug_some_or_not
#define waymark_debug_none waymark_debug_none_or_not
#define waymark_debug_variant waymark_debug_variant_or_not
#define waymark_debug_value waymark_debug_value_or_not
#define waymark_debug_verbatim waymark_debug_verbatim_or_not
#define waymark_debug_is_pretty waymark_debug_is_pretty_or_not
#define waymark_debug_is_hex waymark_debug_is_hex_or_not
/* clang-format on */

#endif
