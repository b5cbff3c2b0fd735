/* SPDX-License-Identifier: MIT */
/*
 * The backends that record into memory: ctf, whose packets are the native trace, and simple.
 *
 * The size of a record is known before it begins: twice a scalar's size is room for it and its
 * alignment, and strings are measured first. All strings of an event share half of the longest
 * record. Only the runtime's function applies a smaller limit of the run, and all events of a
 * program with a smaller limit call it.
 *
 * waymark_emit_X() is cold, so that compilers move its calls out of the callers' main path. The
 * compiler optimizes a function that only cold code calls for size, which makes recording three
 * times as slow, so each backend's function is declared hot. It makes no calls; if one is needed,
 * it passes the arguments to the runtime's function, which knows them by the descriptor.
 */
#include "emit/backend/record.h"

#include "emit/c_code.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char begin[] =
	"\n"
	"WAYMARK_INLINE bool record_${name}("
	"enum waymark_recorder waymark_to${comma}${parameters})\n"
	"{\n"
	"\tstruct waymark_record waymark_r;\n"
	"\tsize_t waymark_room = 0;\n";

static const char max_line[] =
	"\tconst uint32_t waymark_max = ${max};\n";

static const char string_length[] =
	"\tuint32_t waymark_length_${arg} = waymark_string_length(${arg}, waymark_max);\n";

/* Measures only the part that printf reads. */
static const char part_length[] =
	"\tuint32_t waymark_length_${arg} = waymark_string_part(${arg}, ${precision}, waymark_max);\n";

/* A string that is NULL, or cut, is stored by the runtime's function. */
static const char string_check[] =
	"\tif (WAYMARK_UNLIKELY(waymark_length_${arg} > waymark_max)) {\n"
	"\t\treturn false;\n"
	"\t}\n";

static const char string_room[] =
	"\twaymark_room += waymark_string_room(waymark_length_${arg}, waymark_max);\n";

static const char value_room[] = "\twaymark_room += 2 * sizeof(${arg});\n";

static const char wide_room[] = "\twaymark_room += WAYMARK_WIDE_ROOM;\n";

static const char text_size[] =
	"\tuint32_t waymark_size_${arg} = waymark_text_size(${value});\n";

static const char bytes_size[] =
	"\tuint32_t waymark_size_${arg} = waymark_bytes_size(${value});\n";

static const char counted_room[] =
	"\twaymark_room += waymark_counted_room(waymark_size_${arg}, waymark_max);\n";

static const char debug_room[] =
	"\twaymark_room += waymark_debug_room(&${arg}, waymark_max);\n";

/* A callback is called before the record is begun, by the function that may make calls. */
static const char debug_check[] =
	"\tif (waymark_debug_is_call(&${arg})) {\n"
	"\t\treturn false;\n"
	"\t}\n";

static const char reserve[] =
	"\tif (!waymark_record_try("
	"&waymark_r, waymark_to, &waymark_event_${name}, waymark_room)) {\n"
	"\t\treturn false;\n"
	"\t}\n";

static const char string_store[] =
	"\twaymark_record_string(&waymark_r, ${arg}, waymark_length_${arg}, waymark_max);\n";

/* For a string of which the event prints only the address. */
static const char address_room[] = "\twaymark_room += WAYMARK_ADDRESS_ROOM;\n";

static const char address_store[] = "\twaymark_record_address(&waymark_r, ${arg});\n";

static const char value_store[] =
	"\twaymark_record_value(&waymark_r, &${arg}, sizeof(${arg}));\n";

static const char wide_store[] =
	"\twaymark_record_wide(&waymark_r, WAYMARK_LOW64(${arg}), WAYMARK_HIGH64(${arg}));\n";

static const char counted_store[] =
	"\twaymark_record_counted(&waymark_r, ${arg}, waymark_size_${arg}, waymark_max);\n";

static const char debug_store[] =
	"\twaymark_record_debug(&waymark_r, &${arg}, waymark_max);\n";

/* For text of old declarations: simple records it as that release did. */
static const char old_store[] =
	"\tif (waymark_to == WAYMARK_RECORDER_SIMPLE) {\n"
	"${simple}"
	"\t} else {\n"
	"\t${line}"
	"\t}\n";

static const char simple_bytes[] =
	"\t\twaymark_record_value(&waymark_r, &${arg}, sizeof(${arg}));\n";

static const char end[] =
	"\twaymark_record_end(&waymark_r);\n"
	"\treturn true;\n"
	"}\n";

static const char backend_function[] =
	"\n"
	"WAYMARK_HOT static void ${backend}_${name}(${parameters})\n"
	"{\n"
	"\tif (!record_${name}(${recorder}${comma}${arguments})) {\n"
	"\t\twaymark_${backend}(&waymark_event_${name}${comma}${promoted});\n"
	"\t}\n"
	"}\n";

/* clang-format on */

/* The parts of the function. Each has a statement for some of the arguments. */
enum part {
	PART_MEASURE, /* measures arguments of varying length */
	PART_CHECK, /* checks that generated code can record it */
	PART_ROOM,
	PART_STORE,
	PARTS
};

/* A line for each part; NULL: no line. */
static const char *const of_scalar[PARTS] = {
	[PART_ROOM] = value_room, [PART_STORE] = value_store
};
static const char *const of_wide[PARTS] = { [PART_ROOM] = wide_room, [PART_STORE] = wide_store };
static const char *const of_string[PARTS] = { string_length, string_check, string_room,
	string_store };
static const char *const of_part[PARTS] = { part_length, string_check, string_room, string_store };
static const char *const of_address[PARTS] = {
	[PART_ROOM] = address_room, [PART_STORE] = address_store
};
static const char *const of_text[PARTS] = { text_size, NULL, counted_room, counted_store };
static const char *const of_bytes[PARTS] = { bytes_size, NULL, counted_room, counted_store };
static const char *const of_debug[PARTS] = { NULL, debug_check, debug_room, debug_store };

static const char *const *lines_of(struct emit_context *c, const struct event *e, size_t arg)
{
	static const char *const *const by_class[] = {
		[TYPE_INTEGER] = of_scalar,
		[TYPE_FLOAT] = of_scalar,
		[TYPE_POINTER] = of_scalar,
		[TYPE_STRING] = of_string,
		[TYPE_TEXT] = of_text,
		[TYPE_BYTES] = of_bytes,
		[TYPE_DEBUG] = of_debug,
		[TYPE_TCG] = of_scalar,
	};
	const struct type *t = &e->args[arg].type;

	if (c_is_address(e, arg)) {
		return of_address;
	}
	if (c_precision(c, e, arg)) {
		return of_part;
	}
	return type_is_pair(t) ? of_wide : by_class[t->class];
}

/* Returns the line of an argument; NULL if it has none. */
static const char *line_of(
	struct emit_context *c, const struct event *e, size_t arg, enum part part)
{
	const char *line = lines_of(c, e, arg)[part];
	enum arg_source source = e->args[arg].source;

	if (source == ARG_FROM_CALL || part < PART_ROOM) {
		return line;
	}
	if (part == PART_ROOM) {
		return arena_printf(&c->texts, "%s%s", line, value_room);
	}
	OUT(c_begin(c), old_store, { "line", line },
		{ "simple", source == ARG_FROM_BYTES ? simple_bytes : "\t\t/* nothing */\n" });
	return c_end(c);
}

/* Writes the lines of a part, one for each argument that has one. */
static void emit_each(struct emit_context *c, const struct event *e, enum part part)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		const char *line = line_of(c, e, i, part);

		if (line) {
			OUT(c->out, line, { "arg", e->args[i].c_name },
				{ "value", c_value(c, e, i) },
				{ "precision", c_precision(c, e, i) });
		}
	}
}

static bool is_long(struct emit_context *c, const struct event *e, size_t arg)
{
	const char *const *lines = lines_of(c, e, arg);

	return lines[PART_MEASURE] || lines[PART_CHECK];
}

static const char *comma(const struct event *e)
{
	return e->arg_count ? ", " : "";
}

void emit_record(struct emit_context *c, const struct event *e)
{
	OUT(c->out, begin, { "name", e->name }, { "comma", comma(e) },
		{ "parameters", e->arg_count ? c_parameters(c, e) : "" });
	/* A constant, because the function makes no calls to look for a smaller limit. */
	size_t count = 0;

	for (size_t i = 0; i < e->arg_count; i++) {
		count += is_long(c, e, i);
	}
	if (count) {
		out_printf(c_begin(c), "WAYMARK_RECORD_MAX / %zu", 2 * count);
		OUT(c->out, max_line, { "max", c_end(c) });
	}
	emit_each(c, e, PART_MEASURE);
	out_char(c->out, '\n');
	emit_each(c, e, PART_CHECK);
	emit_each(c, e, PART_ROOM);
	OUT(c->out, reserve, { "name", e->name });
	emit_each(c, e, PART_STORE);
	out_str(c->out, end);
}

/* Writes `<backend>_<event>()`. */
static void emit_function(
	struct emit_context *c, const struct event *e, const struct emit_backend_row *row)
{
	const struct out_hole holes[] = {
		{ "backend", row->name },
		{ "recorder", row->backend->recorder },
		{ "name", e->name },
		{ "comma", comma(e) },
		{ "parameters", c_parameters(c, e) },
		{ "arguments", c_arguments(c, e) },
		{ "promoted", c_promoted(c, e) },
		{ NULL, NULL },
	};

	out_template(c->out, backend_function, holes);
}

const struct emit_backend emit_backend_ctf = {
	.mask = "WAYMARK_CTF",
	.recorder = "WAYMARK_RECORDER_CTF",
	.emit_function = emit_function,
};

const struct emit_backend emit_backend_simple = {
	.mask = "WAYMARK_SIMPLE",
	.recorder = "WAYMARK_RECORDER_SIMPLE",
	.emit_function = emit_function,
};
