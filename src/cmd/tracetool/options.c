/* SPDX-License-Identifier: MIT */
/*
 * Reads the command line of tracetool, and writes --help, both by the table options.def. The first
 * line of an error is QEMU's, as build systems may look for it.
 */
#include "cmd/tracetool/run.h"

#include <string.h>
#include <unistd.h>

#include "emit/emit.h"
#include "text/nearest.h"

struct option_row {
	const char *name;
	const char *argument;
	const char *help;
};

static const struct option_row rows[] = {
#define TRACETOOL_OPTION(id, name, argument, help) [OPTION_##id] = { name, argument, help },
#include "cmd/tracetool/options.def"
#undef TRACETOOL_OPTION
};

/* Letters of options. */
static const char letters[OPTION_COUNT] = {
	[OPTION_OUTPUT] = 'o',
	[OPTION_HELP] = 'h',
	[OPTION_VERSION] = 'V',
};

struct command_line {
	char **argv;
	int argc;
	int next;
	struct out *error;
};

/* Adds a proposal as a separate line, since the first line is QEMU's. */
static void add_nearest(struct span word, struct out *error)
{
	const char *names[OPTION_COUNT];

	for (int i = 0; i < OPTION_COUNT; i++) {
		names[i] = rows[i].name;
	}
	const char *nearest = nearest_name(word, names, OPTION_COUNT);

	if (nearest) {
		out_printf(error, "\nDid you mean '--%s'?", nearest);
	}
}

/*
 * Finds an option by its name or an unambiguous prefix of it; -1 with the reason in `error`. QEMU's
 * options come first, so that ours do not make them ambiguous.
 */
static int find_long(const char *name, size_t len, struct out *error)
{
	int found = -1;

	for (int i = 0; i < OPTION_COUNT; i++) {
		if (strncmp(rows[i].name, name, len) != 0) {
			continue;
		}
		if (rows[i].name[len] == '\0') {
			return i;
		}
		if (found == -1) {
			found = i;
		} else if (i <= OPTION_HELP || found > OPTION_HELP) {
			found = OPTION_COUNT;
		}
	}
	if (found == OPTION_COUNT) {
		out_printf(error, "option --%.*s not a unique prefix", (int)len, name);
		return -1;
	}
	if (found == -1) {
		out_printf(error, "option --%.*s not recognized", (int)len, name);
		add_nearest((struct span){ name, len }, error);
	}
	return found;
}

static bool parse_long(struct tracetool_options *o, struct command_line *c, const char *text)
{
	size_t len = strcspn(text, "=");
	const char *value = text[len] ? text + len + 1 : NULL;
	int option = find_long(text, len, c->error);

	if (option < 0) {
		return false;
	}
	if (value && !rows[option].argument) {
		out_printf(c->error, "option --%s must not have an argument", rows[option].name);
		return false;
	}
	if (!value && rows[option].argument) {
		if (c->next == c->argc) {
			out_printf(c->error, "option --%s requires argument", rows[option].name);
			return false;
		}
		value = c->argv[c->next++];
	}
	o->values[option] = value ? value : "";
	return true;
}

/* Parses `-o FILE`, `-oFILE` and `-h`. */
static bool parse_short(struct tracetool_options *o, struct command_line *c, const char *text)
{
	const char *value = text + 1;
	int option = 0;

	while (option < OPTION_COUNT && (!letters[option] || letters[option] != *text)) {
		option++;
	}
	if (option == OPTION_COUNT || (*value && !rows[option].argument)) {
		out_printf(c->error, "option -%s not recognized", text);
		return false;
	}
	if (!*value && rows[option].argument) {
		if (c->next == c->argc) {
			out_printf(c->error, "option -%c requires argument", *text);
			return false;
		}
		value = c->argv[c->next++];
	}
	o->values[option] = value;
	return true;
}

/* All words after a file are files. Fails if one looks like an option and does not exist. */
static bool check_files(const struct tracetool_options *o, struct out *error)
{
	for (size_t i = 0; i + 1 < o->file_count; i++) {
		if (o->files[i][0] == '-' && o->files[i][1] && access(o->files[i], F_OK) != 0) {
			out_printf(error, "options go before the files: %s", o->files[i]);
			return false;
		}
	}
	return true;
}

bool tracetool_options_are_about(const struct tracetool_options *o)
{
	return o->values[OPTION_HELP] || o->values[OPTION_VERSION] ||
	       o->values[OPTION_LIST_BACKENDS] || o->values[OPTION_LIST_FORMATS];
}

bool tracetool_options_parse(struct tracetool_options *o, int argc, char **argv, struct out *error)
{
	struct command_line c = { .argv = argv, .argc = argc, .next = 1, .error = error };

	*o = (struct tracetool_options){ 0 };
	while (c.next < argc && argv[c.next][0] == '-' && argv[c.next][1] &&
		!tracetool_options_are_about(o)) {
		const char *text = argv[c.next++] + 1;

		if (strcmp(text, "-") == 0) {
			break;
		}
		bool good = *text == '-' ? parse_long(o, &c, text + 1) : parse_short(o, &c, text);

		if (!good) {
			return false;
		}
	}
	o->files = (const char *const *)argv + c.next;
	o->file_count = (size_t)(argc - c.next);
	return tracetool_options_are_about(o) || check_files(o, error);
}

#define HELP_COLUMN 33

static void help_row(struct out *out, size_t start, const char *help)
{
	size_t width = out->len - start;

	for (size_t i = width; i < HELP_COLUMN; i++) {
		out_char(out, ' ');
	}
	OUT(out, "${help}\n", { "help", help });
}

static void help_options(struct out *out)
{
	for (int i = 0; i < OPTION_COUNT; i++) {
		size_t start = out->len;

		if (letters[i]) {
			out_printf(out, "  -%c, --%s", letters[i], rows[i].name);
		} else {
			out_printf(out, "  --%s", rows[i].name);
		}
		if (rows[i].argument) {
			out_printf(out, "=%s", rows[i].argument);
		}
		help_row(out, start, rows[i].help);
	}
}

void tracetool_options_help(struct out *out)
{
	out_str(out,
		"Usage: tracetool --format=FORMAT --backends=NAME[,NAME...] --group=NAME\n"
		"                 trace-events... OUTPUT\n"
		"       tracetool --format=FORMAT --backends=NAME[,NAME...] [trace-events]\n"
		"       tracetool --check [trace-events...]\n"
		"\n"
		"Generates C from declarations of trace events. With at most one trace-events,\n"
		"or with --target-type or --target-name, it writes to standard output.\n"
		"`-` is standard input or output. Files *.toml are read as TOML; a directory\n"
		"means the *.toml files in it.\n"
		"\n"
		"Options:\n");
	help_options(out);
	out_str(out, "\nFormats:\n");
	for (const struct emit_format *f = emit_formats; f->name; f++) {
		size_t start = out->len;

		OUT(out, "  ${name}", { "name", f->name });
		help_row(out, start, f->help);
	}
	out_str(out, "\nBackends:\n");
	for (const struct emit_backend_row *b = emit_backends; b->name; b++) {
		size_t start = out->len;

		OUT(out, "  ${name}", { "name", b->name });
		help_row(out, start, b->help);
	}
}
