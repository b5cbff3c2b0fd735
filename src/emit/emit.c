/* SPDX-License-Identifier: MIT */
/*
 * The table of formats, the checks of a model against formats and backends, and emit(), which
 * tracetool calls for each generated file.
 */
#include "emit/emit.h"

#include <ctype.h>
#include <string.h>

#include "base/compiler.h"
#include "base/glob.h"
#include "emit/wrap.h"
#include "model/name.h"

const struct emit_format emit_formats[] = {
#define EMIT_FORMAT(id, name, help) { name, help, emit_format_##id },
#include "emit/formats.def"
#undef EMIT_FORMAT
	{ NULL, NULL, NULL },
};

const struct emit_format *emit_find_format(const char *name)
{
	for (const struct emit_format *f = emit_formats; f->name; f++) {
		if (strcmp(f->name, name) == 0) {
			return f;
		}
	}
	return NULL;
}

bool emit_group_is_valid(const char *group)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_-.";

	return *group && group[strspn(group, allowed)] == '\0';
}

/* The characters of an identifier of C. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

bool emit_provider_is_valid(const char *provider)
{
	return *provider && provider[strspn(provider, letters)] == '\0' &&
	       !strchr("0123456789", *provider);
}

/*
 * Returns the place after a word at the start of the text and its blanks; the text if it starts
 * otherwise.
 */
static const char *skip_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncmp(text, word, len) == 0 ? text + len + strspn(text + len, " \t") : text;
}

const char *emit_vcpu_tag(struct arena *a, const char *type)
{
	const char *tag = type ? type + strspn(type, " \t") : "CPUState";

	tag = skip_word(skip_word(tag, "struct "), "struct\t");
	size_t len = strspn(tag, letters);
	const char *end = tag + len + strspn(tag + len, " \t");
	const char *name = arena_strndup(a, tag, len);
	bool is_name = len > 0 && !strchr("0123456789", *tag) && name_is_free(name);

	return is_name && !*skip_word(end, "*") ? name : NULL;
}

#define SDT MACRO_SDT
#define LTTNG MACRO_LTTNG
#define BOTH (SDT | LTTNG)

static const struct {
	unsigned int places; /* of enum macro_place */
	const char *header;
	const char *const *names; /* patterns; the last is NULL */
} headers[] = {
#define MACROS(where, header, ...) { where, header, (const char *const[]){ __VA_ARGS__, NULL } },
#include "emit/macros.def"
#undef MACROS
};

/* Returns the header that reserves `name` for a macro in one of these places; NULL if none does. */
static const char *macro_header(const char *name, unsigned int places)
{
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		const char *const *pattern = headers[i].names;

		while (*pattern && !glob_match(*pattern, name)) {
			pattern++;
		}
		if (*pattern && headers[i].places & places) {
			return headers[i].header;
		}
	}
	return NULL;
}

/* Reports, once, if the name at `at` is a macro for some backend of this run. */
static bool check_macro(const struct emit_context *c, const char *name, const char *help,
	struct location at, struct diag *d)
{
	chosen_foreach (c, NULL, row) {
		const char *header = macro_header(name, row->backend->macros);

		if (header) {
			diag_error(d, at, help,
				"<%s>, which the backend %s includes, reserves '%s' for a macro",
				header, row->name, name);
			return false;
		}
	}
	return true;
}

void emit_check_words(const struct emit_context *c, struct diag *d)
{
	vec_foreach (struct event **, e, &c->model->events) {
		chosen_foreach (c, NULL, row) {
			size_t max = row->backend->max_args;

			if (max && emit_words(*e) > max && !((*e)->properties & EVENT_DISABLE)) {
				diag_error(d, (*e)->at, "take some out, or declare two events",
					"'%s' has %zu arguments, but the backend %s takes %zu at most",
					(*e)->name, emit_words(*e), row->name, max);
			}
		}
	}
}

bool emit_check(const struct emit_context *c, struct diag *d)
{
	struct location nowhere = { 0 };
	bool good = check_macro(c, c->provider, "give another name with --provider=", nowhere, d);

	vec_foreach (struct event **, e, &c->model->events) {
		if (!((*e)->properties & EVENT_DISABLE)) {
			good = check_macro(c, (*e)->name, "choose another name", (*e)->at, d) &&
			       good;
			chosen_foreach (c, NULL, row) {
				good = (!row->backend->check || row->backend->check(c, *e, d)) &&
				       good;
			}
		}
	}
	return good;
}

/* QEMU has DEF_HELPER_FLAGS_n() up to 7 since 5.0, up to 5 in 2.8. */
#define HELPER_ARGS_MAX 7

#define OF(class) (1u << (class))

/* Types that a format cannot express, and the rest of the error's sentence. */
static const struct {
	const char *format;
	unsigned int classes; /* of OF(enum type_class) */
	bool no_wide; /* also refuses numbers of 128 bits */
	bool no_disabled; /* refuses them even in events that are off */
	const char *why;
} refused[] = {
	{ "rs", OF(TYPE_TEXT) | OF(TYPE_BYTES) | OF(TYPE_DEBUG), true, true,
		"a module of Rust cannot pass to C" },
	{ "simpletrace-stap", OF(TYPE_TEXT) | OF(TYPE_BYTES) | OF(TYPE_DEBUG), false, false,
		"SystemTap cannot write as simpletrace records it" },
};

/* Reports, once for an event, the first argument that the format cannot express. */
static void check_types(const struct event *e, size_t row, struct diag *d)
{
	if (e->properties & EVENT_DISABLE && !refused[row].no_disabled) {
		return;
	}
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *a = &e->args[i];
		bool is_wide = refused[row].no_wide && type_is_pair(&a->type);

		if (is_wide || refused[row].classes & OF(a->type.class)) {
			diag_error(d, a->at, "declare another type, or generate from other files",
				"'%s' has an argument of type '%s', which %s", e->name,
				a->type.text, refused[row].why);
			return;
		}
	}
}

bool emit_check_format(
	const struct emit_format *format, const struct emit_context *c, struct diag *d)
{
	unsigned int errors = d->errors;

	vec_foreach (struct event **, e, &c->model->events) {
		if (strncmp(format->name, "tcg-", strlen("tcg-")) == 0) {
			if ((*e)->trans && event_is_on(c, *e) &&
				(*e)->arg_count > HELPER_ARGS_MAX) {
				diag_error(d, (*e)->at, "take some out, or declare two events",
					"'%s' has %zu arguments, but a helper of QEMU takes %d at most",
					(*e)->name, (*e)->arg_count, HELPER_ARGS_MAX);
			}
		}
		/* A scope is two events, and only generated C has the code that connects them. */
		if (strcmp(format->name, "rs") == 0 && (*e)->properties & EVENT_SCOPE) {
			diag_error(d, (*e)->at,
				"leave scopes to C: generate from files without [[scopes]]",
				"'%s' is a scope, which a module of Rust cannot begin", (*e)->name);
		}
		/*
		 * Event names become words of the script language, while probes' names are strings.
		 */
		if (strstr(format->name, "stap") && event_is_on(c, *e) &&
			isdigit((unsigned char)*(*e)->name)) {
			diag_error(d, (*e)->at, "rename it, or declare it disable",
				"'%s' begins with a digit, which no name of SystemTap does",
				(*e)->name);
		}
		for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
			if (strcmp(refused[i].format, format->name) == 0) {
				check_types(*e, i, d);
			}
		}
	}
	return d->errors == errors;
}

/* Emitters write lines of any length. Wrapping needs no knowledge of events. */
void emit(const struct emit_format *format, struct emit_context *c)
{
	struct out *to = c->out;
	struct out lines;

	arena_init(&c->texts);
	out_init(&c->scratch, OUT_TO_MEMORY);
	out_init(&lines, OUT_TO_MEMORY);
	c->out = &lines;
	format->emit(c);
	c->out = to;
	wrap_lines(to, lines.data, lines.len);
	out_fini(&lines);
	out_fini(&c->scratch);
	arena_fini(&c->texts);
}
