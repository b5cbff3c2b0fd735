/* SPDX-License-Identifier: MIT */
/*
 * The size of a record is known before it begins: twice a scalar's size is room
 * for it and its alignment, and strings are measured first. All strings of an
 * event share half of the longest record; whoever sets less has it only in the
 * function that waits, and every event of a program that is told so goes there.
 *
 * waymark_emit_X() is cold, for the sake of its call sites; a function that only
 * cold code calls is compiled for size, which makes recording three times as
 * slow. So the one of each backend says that it is hot. It makes no calls; what
 * needs some is done by a second one.
 */
#include "emit/record.h"

#include "emit/c_code.h"

/* The templates read like what they make. */
/* clang-format off */
static const char begin[] =
	"\n"
	"WAYMARK_INLINE bool record_${name}("
	"enum waymark_recorder waymark_to, bool waymark_wait${comma}${parameters})\n"
	"{\n"
	"\tstruct waymark_record waymark_r;\n"
	"\tsize_t waymark_room = 0;\n";

static const char string_max[] =
	"\tuint32_t waymark_max = waymark_string_limit(${max}, waymark_wait);\n";

static const char string_length[] =
	"\tuint32_t waymark_length_${arg} = waymark_string_length(${arg}, waymark_max);\n";

static const char string_room[] =
	"\twaymark_room += waymark_string_room(waymark_length_${arg}, waymark_max);\n";

static const char value_room[] = "\twaymark_room += 2 * sizeof(${arg});\n";

static const char reserve[] =
	"\tif (!waymark_record_open("
	"&waymark_r, waymark_to, &waymark_event_${name}, waymark_room, waymark_wait)) {\n"
	"\t\treturn false;\n"
	"\t}\n";

static const char string_store[] =
	"\twaymark_record_string(&waymark_r, ${arg}, waymark_length_${arg}, waymark_max);\n";

static const char value_store[] =
	"\twaymark_record_value(&waymark_r, &${arg}, sizeof(${arg}));\n";

static const char end[] =
	"\twaymark_record_end(&waymark_r);\n"
	"\treturn true;\n"
	"}\n";

static const char backend_functions[] =
	"\n"
	"WAYMARK_COLD static void wait_${backend}_${name}(${parameters})\n"
	"{\n"
	"\trecord_${name}(${recorder}, true${comma}${arguments});\n"
	"}\n"
	"\n"
	"WAYMARK_HOT static void ${backend}_${name}(${parameters})\n"
	"{\n"
	"\tif (!record_${name}(${recorder}, false${comma}${arguments})) {\n"
	"\t\twait_${backend}_${name}(${arguments});\n"
	"\t}\n"
	"}\n";
/* clang-format on */

/* Writes a line for each argument: `string` for a string, `value` for a scalar; NULL: none. */
static void emit_each(
	struct emit_context *c, const struct event *e, const char *string, const char *value)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		const char *line = e->args[i].type.class == TYPE_STRING ? string : value;

		if (line) {
			OUT(c->out, line, { "arg", e->args[i].c_name });
		}
	}
}

/* What each string may have, known to the compiler where nothing is called. */
static void emit_max(struct emit_context *c, const struct event *e)
{
	size_t strings = 0;

	for (size_t i = 0; i < e->arg_count; i++) {
		strings += e->args[i].type.class == TYPE_STRING;
	}
	if (strings) {
		out_printf(c_begin(c), "WAYMARK_RECORD_MAX / %zu", 2 * strings);
		OUT(c->out, string_max, { "max", c_end(c) });
	}
}

static const char *comma(const struct event *e)
{
	return e->arg_count ? ", " : "";
}

void emit_record(struct emit_context *c, const struct event *e)
{
	OUT(c->out, begin, { "name", e->name }, { "comma", comma(e) },
		{ "parameters", e->arg_count ? c_parameters(c, e) : "" });
	emit_max(c, e);
	emit_each(c, e, string_length, NULL);
	out_char(c->out, '\n');
	emit_each(c, e, string_room, value_room);
	OUT(c->out, reserve, { "name", e->name });
	emit_each(c, e, string_store, value_store);
	out_str(c->out, end);
}

void emit_recorder(
	struct emit_context *c, const struct event *e, const char *backend, const char *recorder)
{
	OUT(c->out, backend_functions, { "backend", backend }, { "recorder", recorder },
		{ "name", e->name }, { "comma", comma(e) }, { "parameters", c_parameters(c, e) },
		{ "arguments", c_arguments(c, e) });
}
