/* SPDX-License-Identifier: MIT */
/*
 * ust: a tracepoint of LTTng-UST for each event, which LTTng's sessions switch. A call site reads
 * the tracepoint's own state under a name of ours, so that the header includes nothing of
 * LTTng-UST; format/ust_events_h.c makes the tracepoints.
 */
#include <string.h>

#include "emit/c_code.h"

/* Limit of the length of `provider:event`. */
#define NAME_MAX_LEN 255

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char begin[] =
	"\n"
	"#include \"${header}\"\n";

static const char declaration[] = "WAYMARK_TRACEPOINT(${provider}, ${name});\n";

static const char rust_begin[] =
	"    // The beginning of LTTng-UST's tracepoint: its size, two names, its state.\n"
	"    #[repr(C)]\n"
	"    struct Tracepoint {\n"
	"        before: [usize; 3],\n"
	"        state: AtomicU32,\n"
	"    }\n"
	"\n";

static const char rust_declaration[] =
	"        #[link_name = \"lttng_ust_tracepoint_${provider}___${name}\"]\n"
	"        static waymark_ust_${name}: Tracepoint;\n";

static const char function_begin[] =
	"\n"
	"static void ust_${name}(${parameters})\n"
	"{\n";

static const char text[] = "\tchar waymark_text_${name}[WAYMARK_TEXT_MAX];\n";

static const char print[] =
	"\twaymark_debug_print(&${name}, waymark_text_${name}, sizeof(waymark_text_${name}));\n";

static const char function_end[] =
	"\tlttng_ust_do_tracepoint(${provider}, ${name}, ${arguments});\n"
	"}\n";
/* clang-format on */

static void emit_begin(struct emit_context *c)
{
	OUT(c->out, begin, { "header", c->ust_header });
}

/* Writes a line for each argument of a waymark/debug.h type; returns false if there is none. */
static bool emit_of_debug(struct emit_context *c, const struct event *e, const char *line)
{
	bool any = false;

	for (size_t i = 0; i < e->arg_count; i++) {
		if (e->args[i].type.class == TYPE_DEBUG) {
			OUT(c->out, line, { "name", e->args[i].c_name });
			any = true;
		}
	}
	return any;
}

static void emit_function(
	struct emit_context *c, const struct event *e, const struct emit_backend_row *row)
{
	(void)row;
	OUT(c->out, function_begin, { "name", e->name }, { "parameters", c_parameters(c, e) });
	if (emit_of_debug(c, e, text)) {
		out_char(c->out, '\n');
	}
	emit_of_debug(c, e, print);
	const char *arguments = "";

	for (size_t i = 0; i < e->arg_count; i++) {
		bool is_debug = e->args[i].type.class == TYPE_DEBUG;

		arguments = arena_printf(&c->texts, "%s%s%s%s", arguments, i ? ", " : "",
			is_debug ? "waymark_text_" : "", c_value(c, e, i));
	}
	OUT(c->out, function_end, { "name", e->name }, { "provider", c->provider },
		{ "arguments", arguments });
}

static bool check(const struct emit_context *c, const struct event *e, struct diag *d)
{
	size_t len = strlen(c->provider) + strlen(":") + strlen(e->name);

	if (len > NAME_MAX_LEN) {
		diag_error(d, e->at, "choose a shorter name, or a shorter --provider",
			"'%s:%s' has %zu characters, but LTTng-UST takes %d", c->provider, e->name,
			len, NAME_MAX_LEN);
		return false;
	}
	return true;
}

const struct emit_backend emit_backend_ust = {
	.mask = "WAYMARK_UST",
	.emit_function = emit_function,
	.watched = "WAYMARK_TRACED(waymark_ust_${name})",
	.declaration = declaration,
	.rust_begin = rust_begin,
	.rust_declaration = rust_declaration,
	.rust_word = "waymark_ust_${name}.state",
	.emit_begin = emit_begin,
	.max_args = 10,
	.macros = MACRO_LTTNG,
	.check = check,
};
