/* SPDX-License-Identifier: MIT */
/*
 * The size of a record is known before it begins: twice a scalar's size is room
 * for it and its alignment, and strings are measured first. All strings of an
 * event share half of the longest record.
 *
 * waymark_emit_X() is cold, for the sake of its call sites; a function that only
 * cold code calls is compiled for size, which makes recording three times as
 * slow. So this one says that it is hot.
 */
#include "emit/record.h"

#include "emit/c_code.h"

/* The templates read like what they make. */
/* clang-format off */
static const char begin[] =
	"\n"
	"WAYMARK_HOT static void ${backend}_${name}(${parameters})\n"
	"{\n"
	"\tstruct waymark_record waymark_r;\n"
	"\tsize_t waymark_room = 0;\n";

static const char string_length[] =
	"\tuint32_t waymark_length_${arg} = waymark_string_length(${arg}, ${max});\n";

static const char string_room[] =
	"\twaymark_room += waymark_string_room(waymark_length_${arg}, ${max});\n";

static const char value_room[] = "\twaymark_room += 2 * sizeof(${arg});\n";

static const char reserve[] =
	"\tif (!waymark_record_begin(\n"
	"\t\t    &waymark_r, ${recorder}, &waymark_event_${name}, waymark_room)) {\n"
	"\t\treturn;\n"
	"\t}\n";

static const char string_store[] =
	"\twaymark_record_string(&waymark_r, ${arg}, waymark_length_${arg}, ${max});\n";

static const char value_store[] =
	"\twaymark_record_value(&waymark_r, &${arg}, sizeof(${arg}));\n";

static const char end[] =
	"\twaymark_record_end(&waymark_r);\n"
	"}\n";
/* clang-format on */

/* Writes a line for each argument: `string` for a string, `value` for a scalar; NULL: none. */
static void emit_each(
	struct emit_context *c, const struct event *e, const char *string, const char *value)
{
	size_t strings = 0;

	for (size_t i = 0; i < e->arg_count; i++) {
		strings += e->args[i].type.class == TYPE_STRING;
	}
	out_printf(c_begin(c), "WAYMARK_RECORD_MAX / %zu", 2 * strings);
	const char *max = c_end(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		const char *line = e->args[i].type.class == TYPE_STRING ? string : value;

		if (line) {
			OUT(c->out, line, { "arg", e->args[i].c_name }, { "max", max });
		}
	}
}

void emit_record(
	struct emit_context *c, const struct event *e, const char *backend, const char *recorder)
{
	OUT(c->out, begin, { "backend", backend }, { "name", e->name },
		{ "parameters", c_parameters(c, e) });
	emit_each(c, e, string_length, NULL);
	out_char(c->out, '\n');
	emit_each(c, e, string_room, value_room);
	OUT(c->out, reserve, { "recorder", recorder }, { "name", e->name });
	emit_each(c, e, string_store, value_store);
	out_str(c->out, end);
}
