/* SPDX-License-Identifier: MIT */
/*
 * Tapsets of SystemTap: the file and its probes, shared by all three formats, and the plain and the
 * printing tapset. The third is at the end.
 */
#include "emit/format/stap.h"

#include "emit/c_code.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"/* ${about} */\n"
	"${macros}";

static const char probe_begin[] =
	"\n"
	"/* ${file}:${line} */\n"
	"probe ${prefix}.${infix}${name} = ${source}?\n"
	"{\n";

static const char argument[] = "\t${name} = $arg${number}\n";

static const char probe_end[] = "}\n";
/* clang-format on */

/*
 * Returns the filter for a probe's provider. The provider is certain only where the program's
 * sources are generated; here it is used only if --provider is given, because one tapset may cover
 * several groups.
 */
static const char *provider(struct emit_context *c)
{
	if (!c->provider_is_given) {
		return "";
	}
	return arena_printf(&c->texts, ".provider(\"%s\")", c->provider);
}

/*
 * True if the probe is based on the plain tapset's. Without a program, a printing tapset gets its
 * arguments from there, so both must be installed, as QEMU has one of each for all of its programs.
 */
static bool is_on_plain(struct emit_context *c, const struct stap_tapset *tapset)
{
	return tapset->emit_body && !*c->binary;
}

/*
 * Returns the probe that an alias stands for. Without a program, that is one of the program that
 * `stap -c` runs.
 */
static const char *source(
	struct emit_context *c, const struct stap_tapset *tapset, const struct event *e)
{
	if (is_on_plain(c, tapset)) {
		return arena_printf(&c->texts, "%s.%s", c->probe_prefix, e->name);
	}
	const char *binary =
		*c->binary ? arena_printf(&c->texts, "(%s)", c_literal(c, c->binary)) : "";

	return arena_printf(&c->texts, "process%s%s.mark(\"%s\")", binary, provider(c), e->name);
}

static void emit_event(
	struct emit_context *c, const struct stap_tapset *tapset, const struct event *e, size_t id)
{
	OUT(c->out, probe_begin, { "file", c_file_comment(c, e) }, { "line", c_number(c, e->line) },
		{ "prefix", c->probe_prefix }, { "infix", tapset->infix }, { "name", e->name },
		{ "source", source(c, tapset, e) });
	if (!is_on_plain(c, tapset)) {
		for (size_t i = 0; i < e->arg_count; i++) {
			size_t word = emit_word(e, i) + 1;

			OUT(c->out, argument, { "name", stap_name(c, e, i) },
				{ "number", c_number(c, word) });
			if (type_is_counted(&e->args[i].type)) {
				OUT(c->out, argument, { "name", stap_length_name(c, e, i) },
					{ "number", c_number(c, word + 1) });
			}
		}
	}
	if (tapset->emit_body) {
		tapset->emit_body(c, e, id);
	}
	out_str(c->out, probe_end);
}

void stap_emit(struct emit_context *c, const struct stap_tapset *tapset)
{
	OUT(c->out, file_begin, { "banner", c_banner(c) }, { "about", tapset->about },
		{ "macros", tapset->macros });
	for (size_t id = 0; id < c->model->events.count; id++) {
		const struct event *e = c->model->events.items[id];

		if (!(e->properties & EVENT_DISABLE)) {
			emit_event(c, tapset, e, id);
		}
	}
}

/* Writes the plain tapset: a probe for each event, whose arguments have their names. */
void emit_format_stap(struct emit_context *c)
{
	static const struct stap_tapset tapset = {
		.about = "For scripts of SystemTap: each event as a probe, with its arguments.",
		.infix = "",
		.macros = "",
	};

	stap_emit(c, &tapset);
}

static void emit_print(struct emit_context *c, const struct event *e, size_t id)
{
	(void)id;
	OUT(c->out, "\tprintf(${printf})\n", { "printf", stap_printf(c, e) });
}

/* Writes the printing tapset: `<pid>@<ns since 1970> <name> <message>`, one line for each event. */
void emit_format_log_stap(struct emit_context *c)
{
	static const struct stap_tapset tapset = {
		.about = "For SystemTap: prints a line for each event.",
		.infix = "log.",
		.macros = STAP_PRINTF_MACROS,
		.emit_body = emit_print,
	};

	stap_emit(c, &tapset);
}

/* ---- The tapset of simpletrace ---- */

/*
 * The tapset that prints simpletrace's records (format/simple.h), without a header and without
 * names: an event's number is its index among all declarations, including disabled ones, and
 * `simpletrace --no-header` reads them.
 */

/*
 * A string of SystemTap is shorter than simpletrace's 512 bytes, so two strings share them. An
 * unreadable string becomes empty, like NULL.
 */
#define MACROS                                                           \
	"@define waymark_part(address, most) %(\n"                       \
	"\tuser_string_n(@address, (@most < 256 ? @most : 256), \"\")\n" \
	"%)\n"                                                           \
	"@define waymark_head(address, most) %(\n"                       \
	"\t(@address ? @waymark_part(@address, @most) : \"\")\n"         \
	"%)\n"                                                           \
	"@define waymark_tail(address, head, most) %(\n"                 \
	"\t(strlen(@head) == 256\n"                                      \
	"\t\t? @waymark_part(@address + 256, @most - 256)\n"             \
	"\t\t: \"\")\n"                                                  \
	"%)\n"                                                           \
	"@define waymark_pointer(address) %(\n"                          \
	"\t(@address ? sprintf(\"0x%x\", @address) : \"(nil)\")\n"       \
	"%)\n"

/* Maximum bytes of both parts of a string. */
#define ALL "512"

/* Size without arguments and type word. */
#define RECORD_SIZE 24

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char text[] =
	"\twaymark_head_${n} = @waymark_head(${name}, ${most})\n"
	"\twaymark_tail_${n} = @waymark_tail(${name}, waymark_head_${n}, ${most})\n"
	"\twaymark_length_${n} = strlen(waymark_head_${n}) + strlen(waymark_tail_${n})\n";

/* For a string of which the event prints only the address. */
static const char address[] =
	"\twaymark_head_${n} = @waymark_pointer(${name})\n"
	"\twaymark_tail_${n} = \"\"\n"
	"\twaymark_length_${n} = strlen(waymark_head_${n})\n";

static const char text_values[] =
	", waymark_length_${n}, waymark_head_${n}, waymark_tail_${n}";

static const char wide_values[] = ", 16, user_uint64(${name}), user_uint64(${name} + 8)";

static const char record[] =
	"\tprintf(\"%8b%8b%8b%4b%4b${conversions}\", "
	"1, ${id}, ktime_get_ns(), ${size}, pid()${values})\n";
/* clang-format on */

static bool is_text(const struct event *e, size_t arg)
{
	return e->args[arg].type.class == TYPE_STRING;
}

/* True for a number of 128 bits, which is recorded like a string of 16 bytes. */
static bool is_wide(const struct event *e, size_t arg)
{
	return type_is_pair(&e->args[arg].type);
}

/* Returns `32 + 4 + waymark_length_1`. */
static const char *size(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);
	size_t fixed = RECORD_SIZE;

	for (size_t i = 0; i < e->arg_count; i++) {
		fixed += is_text(e, i) ? 4 : is_wide(e, i) ? 4 + 16 : 8;
	}
	out_printf(o, "%zu", fixed);
	for (size_t i = 0; i < e->arg_count; i++) {
		if (is_text(e, i)) {
			out_printf(o, " + waymark_length_%zu", i + 1);
		}
	}
	return c_end(c);
}

static const char *values(struct emit_context *c, const struct event *e)
{
	const char *all = "";

	for (size_t i = 0; i < e->arg_count; i++) {
		const char *n = c_number(c, i + 1);
		struct out *o = c_begin(c);

		out_str(o, all);
		OUT(o,
			is_text(e, i)	? text_values
			: is_wide(e, i) ? wide_values
					: ", ${name}",
			{ "n", n }, { "name", stap_name(c, e, i) });
		all = c_end(c);
	}
	return all;
}

static void emit_body(struct emit_context *c, const struct event *e, size_t id)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		const char *most = stap_most(c, e, i);

		if (is_text(e, i)) {
			OUT(c->out, c_is_address(e, i) ? address : text,
				{ "n", c_number(c, i + 1) }, { "name", stap_name(c, e, i) },
				{ "most", most ? most : ALL });
		}
	}
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		out_str(o, is_text(e, i) ? "%4b%s%s" : is_wide(e, i) ? "%4b%8b%8b" : "%8b");
	}
	const char *conversions = c_end(c);

	OUT(c->out, record, { "conversions", conversions }, { "id", c_number(c, id) },
		{ "size", size(c, e) }, { "values", values(c, e) });
}

void emit_format_simpletrace_stap(struct emit_context *c)
{
	static const struct stap_tapset tapset = {
		.about = "For SystemTap: prints binary records for simpletrace --no-header.",
		.infix = "simpletrace.",
		.macros = MACROS,
		.emit_body = emit_body,
	};

	stap_emit(c, &tapset);
}
