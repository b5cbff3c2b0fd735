/* SPDX-License-Identifier: MIT */
/*
 * The probes in D, for builds that run dtrace(1) on them; our builds do not. The file is empty if
 * no event is on, as dtrace(1) has no use for a provider without probes.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/words.h"
#include "emit/c_code.h"

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"provider ${provider} {\n";

static const char probe[] = "\tprobe ${name}(${parameters});\n";

static const char file_end[] = "};\n";
/* clang-format on */

/* Words of D that are legal as arguments' names in C. */
static const char *const keywords[] = {
#define KEYWORD(name) #name,
#include "emit/d_keywords.def"
#undef KEYWORD
	NULL,
};

/*
 * C's integers whose type has several words, in a form that all parsers of D read, by their length
 * in printf.
 */
static const struct {
	const char *length;
	const char *of_signed;
	const char *of_unsigned;
} integers[] = {
	{ "", "int", "unsigned int" },
	{ "hh", "int8_t", "uint8_t" },
	{ "h", "short", "unsigned short" },
	{ "l", "long", "unsigned long" },
	{ "ll", "int64_t", "uint64_t" },
};

static const char *integer_name(const struct type *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		if (strcmp(integers[i].length, t->length) == 0) {
			return t->is_signed ? integers[i].of_signed : integers[i].of_unsigned;
		}
	}
	return t->c_text;
}

/*
 * D has no bool: it becomes an int. Values too large for a register become addresses, floats their
 * bits.
 */
static const char *type_name(const struct type *t)
{
	if (t->is_bool || t->is_char) {
		return t->is_bool ? "int" : "char";
	}
	if (t->class == TYPE_FLOAT) {
		return "uint64_t";
	}
	if (t->class == TYPE_DEBUG || type_is_pair(t)) {
		return "void *";
	}
	/* Not all parsers of D accept several words, or a const between stars. */
	static const char prefix[] = "const ";
	size_t skipped = strncmp(t->c_text, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
	const char *blank = strchr(t->c_text + skipped, ' ');

	if ((!blank || blank[1] == '*') && !strstr(t->c_text, "*const")) {
		return t->c_text;
	}
	return t->class == TYPE_INTEGER ? integer_name(t) : "void *";
}

/* Returns `int fd, const char *path`, or nothing where C has `void`. */
static const char *parameters(struct emit_context *c, const struct event *e)
{
	struct out *o = c_begin(c);

	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *a = &e->args[i];
		const char *type = type_name(&a->type);

		out_str(o, i ? ", " : "");
		out_str(o, type);
		out_str(o, type[strlen(type) - 1] == '*' ? "" : " ");
		out_str(o, words_have(keywords, a->name) ? c_renamed(c, e, a->name) : a->name);
		if (type_is_counted(&a->type)) {
			out_str(o, ", size_t ");
			out_str(o, c_length_name(c, e, i));
		}
	}
	return c_end(c);
}

void emit_format_d(struct emit_context *c)
{
	bool is_empty = true;

	vec_foreach (struct event **, e, &c->model->events) {
		if ((*e)->properties & EVENT_DISABLE) {
			continue;
		}
		if (is_empty) {
			OUT(c->out, file_begin, { "banner", c_banner(c) },
				{ "provider", c->provider });
			is_empty = false;
		}
		OUT(c->out, probe, { "name", (*e)->name }, { "parameters", parameters(c, *e) });
	}
	out_str(c->out, is_empty ? "" : file_end);
}
