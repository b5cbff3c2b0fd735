/* SPDX-License-Identifier: MIT */
/*
 * The probes in D, for the builds that run dtrace(1) on them; ours need it not. No
 * byte at all where no event is on: dtrace(1) has no use for a provider without probes.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/words.h"
#include "emit/c_code.h"

/* The templates read like what they make. */
/* clang-format off */
static const char file_begin[] =
	"${banner}"
	"provider ${provider} {\n";

static const char probe[] = "\tprobe ${name}(${parameters});\n";

static const char file_end[] = "};\n";
/* clang-format on */

/* Words of D that an argument in C may be named after. */
static const char *const keywords[] = {
#define KEYWORD(name) #name,
#include "emit/d_keywords.def"
#undef KEYWORD
	NULL,
};

/* C's integers of several words, as all parsers of D read them: by their length in printf. */
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

/* D knows no bool: it arrives as an int. What no register holds is an address, a float its bits. */
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
	/* Several words, or a const between stars: not all parsers of D take that. */
	static const char prefix[] = "const ";
	size_t skipped = strncmp(t->c_text, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
	const char *blank = strchr(t->c_text + skipped, ' ');

	if ((!blank || blank[1] == '*') && !strstr(t->c_text, "*const")) {
		return t->c_text;
	}
	return t->class == TYPE_INTEGER ? integer_name(t) : "void *";
}

/* `int fd, const char *path`, and nothing where C says `void`. */
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
