/* SPDX-License-Identifier: MIT */
/*
 * The backends that record into memory: ctf, whose packets are the native trace, and simple.
 *
 * The size of a record is known before it begins: twice a scalar's size is room for it and its
 * alignment, and strings are measured first. All strings of an event share half of the longest
 * record. Only the runtime's function applies a smaller limit of the run, and all events of a
 * program with a smaller limit call it.
 *
 * Events whose arguments have the same sizes share one function, `to_ctf_u32_string()`: its name is
 * the event's signature, and its last parameter is the event, so that an event with at most five
 * arguments passes the others on in the registers that they are in.
 *
 * waymark_emit_X() is cold, so that compilers move its calls out of the callers' main path. The
 * compiler optimizes a function that only cold code calls for size, which makes recording three
 * times as slow, so these functions are declared hot. They make no calls; if one is needed, they
 * pass the arguments to the runtime's function, which knows them by the descriptor.
 */
#include "emit/backend/record.h"

#include <string.h>

#include "base/hash.h"
#include "emit/c_code.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char begin[] =
	"\n"
	"WAYMARK_INLINE bool record_${signature}("
	"enum waymark_recorder to, const struct waymark_event *event${comma}${parameters})\n"
	"{\n"
	"\tstruct waymark_record r;\n"
	"\tsize_t room = 0;\n";

static const char max_line[] =
	"\tconst uint32_t max = ${max};\n";

static const char string_length[] =
	"\tuint32_t length_${arg} = waymark_string_length(${arg}, max);\n";

/* Measures only the part that printf reads. */
static const char part_length[] =
	"\tuint32_t length_${arg} = waymark_string_part(${arg}, ${precision}, max);\n";

/* A string that is NULL, or cut, is stored by the runtime's function. */
static const char string_check[] =
	"\tif (WAYMARK_UNLIKELY(length_${arg} > max)) {\n"
	"\t\treturn false;\n"
	"\t}\n";

static const char string_room[] =
	"\troom += waymark_string_room(length_${arg}, max);\n";

static const char value_room[] = "\troom += 2 * sizeof(${arg});\n";

static const char wide_room[] = "\troom += WAYMARK_WIDE_ROOM;\n";

static const char text_size[] =
	"\tuint32_t size_${arg} = waymark_text_size(${value});\n";

static const char bytes_size[] =
	"\tuint32_t size_${arg} = waymark_bytes_size(${value});\n";

static const char counted_room[] =
	"\troom += waymark_counted_room(size_${arg}, max);\n";

static const char debug_room[] =
	"\troom += waymark_debug_room(&${arg}, max);\n";

/* A callback is called before the record is begun, by the function that may make calls. */
static const char debug_check[] =
	"\tif (waymark_debug_is_call(&${arg})) {\n"
	"\t\treturn false;\n"
	"\t}\n";

static const char reserve[] =
	"\tif (!waymark_record_try(&r, to, event, room)) {\n"
	"\t\treturn false;\n"
	"\t}\n";

static const char string_store[] =
	"\twaymark_record_string(&r, ${arg}, length_${arg}, max);\n";

/* For a string of which the event prints only the address. */
static const char address_room[] = "\troom += WAYMARK_ADDRESS_ROOM;\n";

static const char address_store[] = "\twaymark_record_address(&r, ${arg});\n";

static const char value_store[] =
	"\twaymark_record_value(&r, &${arg}, sizeof(${arg}));\n";

static const char wide_store[] =
	"\twaymark_record_wide(&r, WAYMARK_LOW64(${arg}), WAYMARK_HIGH64(${arg}));\n";

static const char counted_store[] =
	"\twaymark_record_counted(&r, ${arg}, size_${arg}, max);\n";

static const char debug_store[] =
	"\twaymark_record_debug(&r, &${arg}, max);\n";

/* For text of old declarations: simple records it as that release did. */
static const char old_store[] =
	"\tif (to == WAYMARK_RECORDER_SIMPLE) {\n"
	"${simple}"
	"\t} else {\n"
	"\t${line}"
	"\t}\n";

static const char simple_bytes[] =
	"\t\twaymark_record_value(&r, &${arg}, sizeof(${arg}));\n";

static const char end[] =
	"\twaymark_record_end(&r);\n"
	"\treturn true;\n"
	"}\n";

static const char to_backend[] =
	"\n"
	"WAYMARK_HOT static void to_${backend}_${signature}("
	"${parameters}${comma}const struct waymark_event *event)\n"
	"{\n"
	"\tif (!record_${signature}(${recorder}, event${comma}${arguments})) {\n"
	"\t\twaymark_${backend}(event${comma}${promoted});\n"
	"\t}\n"
	"}\n";

/* For an event with a condition. */
static const char decided_begin[] =
	"\n"
	"WAYMARK_HOT static void decided_${signature}("
	"${parameters}${comma}const struct waymark_event *event)\n"
	"{\n"
	"${words}"
	"\tunsigned int on = WAYMARK_BACKENDS(*event->state);\n"
	"\n"
	"\ton = waymark_decide(event, on, ${array});\n";

/* For printf. */
static const char words_array[] = "\tconst uint64_t words[] = { %s };\n";

static const char decided_call[] =
	"\tif (on & ${mask}) {\n"
	"\t\tto_${backend}_${signature}(${arguments}${comma}event);\n"
	"\t}\n";

static const char decided_function[] =
	"\n"
	"WAYMARK_INLINE void decided_${name}(${parameters})\n"
	"{\n"
	"\tdecided_${signature}(${arguments}&waymark_event_${name});\n"
	"}\n";

static const char decide[] =
	"\tif (WAYMARK_IS_CONDITIONAL(waymark_on)) {\n"
	"${array}"
	"\t\twaymark_on = waymark_decide(&waymark_event_${name}, waymark_on, ${words});\n"
	"${none}"
	"\t}\n";

/* For printf. */
static const char decide_array[] = "\t\tconst uint64_t waymark_words[] = { %s };\n\n";

static const char backend_function[] =
	"\n"
	"WAYMARK_INLINE void ${backend}_${name}(${parameters})\n"
	"{\n"
	"\tto_${backend}_${signature}(${arguments}&waymark_event_${name});\n"
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

/* ---- Signatures ---- */

/* The types that arguments have in a shared function, by what the record depends on. */
enum word {
	WORD_U8,
	WORD_U16,
	WORD_U32,
	WORD_U64,
	WORD_U128,
	WORD_I128, /* a struct on some hosts, which no cast converts */
	WORD_NATIVE, /* as wide as an address */
	WORD_F32,
	WORD_F64,
	WORD_STRING,
	WORD_ADDRESS,
	WORD_TEXT,
	WORD_BYTES,
	WORD_DEBUG,
};

static const struct {
	const char *name; /* in the signature */
	const char *c_text;
} words[] = {
	[WORD_U8] = { "u8", "uint8_t" },
	[WORD_U16] = { "u16", "uint16_t" },
	[WORD_U32] = { "u32", "uint32_t" },
	[WORD_U64] = { "u64", "uint64_t" },
	[WORD_U128] = { "u128", "waymark_u128" },
	[WORD_I128] = { "i128", "waymark_i128" },
	[WORD_NATIVE] = { "word", "uintptr_t" },
	[WORD_F32] = { "f32", "float" },
	[WORD_F64] = { "f64", "double" },
	[WORD_STRING] = { "string", "const char *" },
	[WORD_ADDRESS] = { "address", "const char *" },
	[WORD_TEXT] = { "text", "const char *" },
	[WORD_BYTES] = { "bytes", "const void *" },
	[WORD_DEBUG] = { "debug", "struct waymark_debug" },
};

static enum word word_of(const struct event *e, size_t arg)
{
	static const enum word of_class[] = {
		[TYPE_POINTER] = WORD_NATIVE,
		[TYPE_STRING] = WORD_STRING,
		[TYPE_TEXT] = WORD_TEXT,
		[TYPE_BYTES] = WORD_BYTES,
		[TYPE_DEBUG] = WORD_DEBUG,
		[TYPE_TCG] = WORD_NATIVE,
	};
	static const enum word of_size[] = {
		[1] = WORD_U8, [2] = WORD_U16, [4] = WORD_U32, [8] = WORD_U64, [16] = WORD_U128
	};
	const struct type *t = &e->args[arg].type;

	if (t->class == TYPE_FLOAT) {
		return t->size64 == sizeof(float) ? WORD_F32 : WORD_F64;
	}
	if (type_is_pair(t)) {
		return t->is_signed ? WORD_I128 : WORD_U128;
	}
	if (t->class == TYPE_INTEGER) {
		return t->size32 == t->size64 ? of_size[t->size64] : WORD_NATIVE;
	}
	return c_is_address(e, arg) ? WORD_ADDRESS : of_class[t->class];
}

/*
 * Returns `u32_string`, in which all is said that the record depends on; `none` for an event
 * without arguments.
 */
static const char *signature(struct emit_context *c, const struct event *e)
{
	static const char *const sources[] = {
		[ARG_FROM_CALL] = "", [ARG_FROM_BYTES] = "old", [ARG_FROM_ERRNO] = "errno"
	};
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		const struct conversion *v = c_precise(e, i);

		out_str(o, i ? "_" : "");
		out_str(o, sources[e->args[i].source]);
		out_str(o, words[word_of(e, i)].name);
		if (v && v->precision_arg != FORMAT_NO_ARG) {
			out_printf(o, "_by_a%d", v->precision_arg + 1);
		} else if (v) {
			out_printf(o, "%d", v->precision);
		}
	}
	return o->len ? c_end(c) : "none";
}

/* Returns the event with arguments `uint32_t a1, const char *a2`, as its signature has them. */
static struct event generic(struct emit_context *c, const struct event *e)
{
	struct event g = *e;

	g.args = arena_alloc(&c->texts, (e->arg_count + 1) * sizeof(*g.args));
	for (size_t i = 0; i < e->arg_count; i++) {
		g.args[i] = e->args[i];
		g.args[i].is_cpu = false;
		g.args[i].c_name = arena_printf(&c->texts, "a%zu", i + 1);
		g.args[i].type.c_text = words[word_of(e, i)].c_text;
	}
	return g;
}

/* Returns `(uint32_t)n, name, `: the arguments, in the types of the signature. */
static const char *converted(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		const char *to = words[word_of(e, i)].c_text;
		const struct type *t = &e->args[i].type;
		bool casts = t->class == TYPE_INTEGER || t->class == TYPE_POINTER;

		if (casts && strcmp(t->c_text, to) != 0) {
			out_printf(o, "(%s)", to);
		}
		out_str(o, c_value(c, e, i));
		out_str(o, ", ");
	}
	return c_end(c);
}

/*
 * Returns the arguments as the words of a call, see rt/event/field.h: `(uint32_t)n,
 * (uintptr_t)name`;
 * "" for an event without arguments.
 */
static const char *record_words(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		const char *name = e->args[i].c_name;
		enum word word = word_of(e, i);

		out_str(o, i ? ", " : "");
		if (word == WORD_U128 || word == WORD_I128) {
			out_printf(o, "WAYMARK_LOW64(%s), WAYMARK_HIGH64(%s)", name, name);
		} else if (word == WORD_F32 || word == WORD_F64) {
			out_printf(o, "waymark_word_of_double(%s)", name);
		} else if (word == WORD_DEBUG) {
			out_printf(o, "(uintptr_t)&%s", name);
		} else if (word <= WORD_U64) {
			out_printf(o, "(%s)%s", words[word].c_text, name);
		} else {
			out_printf(o, "(uintptr_t)%s", c_value(c, e, i)); /* and its length */
		}
	}
	return o->len ? c_end(c) : "";
}

/* Writes `decided_<signature>()`, unless an event before had the same. */
static void emit_decided(struct emit_context *c, const struct event *e, struct hash *written)
{
	const char *name = signature(c, e);
	struct event g = generic(c, e);
	const char *list = record_words(c, &g);
	const char *array = *list ? arena_printf(&c->texts, words_array, list) : "";

	if (hash_get(written, name)) {
		return;
	}
	hash_add(written, name, written);
	OUT(c->out, decided_begin, { "signature", name }, { "comma", comma(e) },
		{ "parameters", e->arg_count ? c_parameters(c, &g) : "" }, { "words", array },
		{ "array", *list ? "words" : "NULL" });
	chosen_foreach (c, NULL, row) {
		if (row->backend->recorder) {
			OUT(c->out, decided_call, { "mask", row->backend->mask },
				{ "backend", row->name }, { "signature", name },
				{ "arguments", c_arguments(c, &g) }, { "comma", comma(e) });
		}
	}
	out_str(c->out, "}\n");
}

/* Writes `record_<signature>()`, the body that all recording backends share. */
static void emit_body(struct emit_context *c, const struct event *e, const char *name)
{
	OUT(c->out, begin, { "signature", name }, { "comma", comma(e) },
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
	out_str(c->out, reserve);
	emit_each(c, e, PART_STORE);
	out_str(c->out, end);
}

/* Writes the functions of the event's signature, unless an event before had the same. */
static void emit_signature(struct emit_context *c, const struct event *e, struct hash *written)
{
	const char *name = signature(c, e);
	struct event g = generic(c, e);

	if (hash_get(written, name)) {
		return;
	}
	hash_add(written, name, written);
	emit_body(c, &g, name);
	chosen_foreach (c, NULL, row) {
		if (row->backend->recorder) {
			OUT(c->out, to_backend, { "signature", name }, { "backend", row->name },
				{ "recorder", row->backend->recorder }, { "comma", comma(e) },
				{ "parameters", e->arg_count ? c_parameters(c, &g) : "" },
				{ "arguments", c_arguments(c, &g) },
				{ "promoted", c_promoted(c, &g) });
		}
	}
}

bool emit_record_is_alone(struct emit_context *c, const struct event *e)
{
	size_t backends = 0;

	chosen_foreach (c, e, row) {
		backends++;
	}
	return backends == 1 && emit_first_recorder(c) && !e->end && !e->begin &&
	       !(e->properties & EVENT_VCPU);
}

void emit_recorders(struct emit_context *c)
{
	struct hash written, decided;

	if (!emit_first_recorder(c)) {
		return;
	}
	hash_init(&written);
	hash_init(&decided);
	vec_foreach (struct event **, e, &c->model->events) {
		if (event_is_on(c, *e)) {
			emit_signature(c, *e, &written);
		}
		if (event_is_on(c, *e) && emit_record_is_alone(c, *e)) {
			emit_decided(c, *e, &decided);
		}
	}
	hash_fini(&written);
	hash_fini(&decided);
}

/* True if the process switches a backend of the event. */
static bool is_switched(struct emit_context *c, const struct event *e)
{
	chosen_foreach (c, e, row) {
		if (row->backend->recorder || row->backend->prints) {
			return true;
		}
	}
	return false;
}

const char *emit_record_decide(struct emit_context *c, const struct event *e, const char *none)
{
	if (!is_switched(c, e)) {
		return "";
	}
	const char *list = record_words(c, e);
	const char *array = *list ? arena_printf(&c->texts, decide_array, list) : "";

	OUT(c_begin(c), decide, { "name", e->name }, { "array", array },
		{ "words", *list ? "waymark_words" : "NULL" }, { "none", none });
	return c_end(c);
}

void emit_record_decided(struct emit_context *c, const struct event *e)
{
	OUT(c->out, decided_function, { "name", e->name }, { "signature", signature(c, e) },
		{ "parameters", c_parameters(c, e) }, { "arguments", converted(c, e) });
}

/* Writes `<backend>_<event>()`, which passes the arguments to the function of its signature. */
static void emit_function(
	struct emit_context *c, const struct event *e, const struct emit_backend_row *row)
{
	OUT(c->out, backend_function, { "backend", row->name }, { "name", e->name },
		{ "signature", signature(c, e) }, { "parameters", c_parameters(c, e) },
		{ "arguments", converted(c, e) });
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
