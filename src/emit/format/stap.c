/* SPDX-License-Identifier: MIT */
/*
 * Tapsets of SystemTap: the file and its probes, shared by all three formats, and the plain and the
 * printing tapset. simpletrace_stap.c makes the third.
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
