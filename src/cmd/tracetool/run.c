/* SPDX-License-Identifier: MIT */
/*
 * Checks the options of tracetool, and finds which files to read and to write. Called by
 * tracetool.c in QEMU's order, so that the first error is the same.
 */
#include "cmd/tracetool/run.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/tracetool/files.h"

#define BLANKS " \t\n"

bool run_fail(struct run *r, const char *message, const char *subject)
{
	out_str(&r->error, message);
	out_str(&r->error, subject);
	return false;
}

bool run_fail_usage(struct run *r, const char *message, const char *subject)
{
	run_fail(r, message, subject);
	return run_fail(r, "\nTry 'tracetool --help'.", "");
}

bool run_read_max_args(struct run *r)
{
	const char *text = run_option(r, OPTION_MAX_ARGS);
	char *end;

	if (!text) {
		return true;
	}
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n < 1 || n > EVENT_ARGS_LIMIT) {
		return run_fail_usage(r, "--max-args takes a number from 1 to 32, not ", text);
	}
	r->decl.max_args = n;
	return true;
}

bool run_check_warn(struct run *r)
{
	const char *what = run_option(r, OPTION_WARN);

	return !what || strcmp(what, "names") == 0 ||
	       run_fail_usage(r, "--warn takes names, not ", what);
}

bool run_read_format(struct run *r)
{
	const char *name = run_option(r, OPTION_FORMAT);

	if (!name || !*name) {
		return run_fail_usage(r, "format not set", "");
	}
	r->format = emit_find_format(name);
	return r->format ? true : run_fail_usage(r, "unknown format: ", name);
}

/* Requires the path of the program with the probes for a bpftrace script. */
bool run_check_binary(struct run *r)
{
	const char *binary = run_option(r, OPTION_BINARY);

	if (strcmp(r->format->name, "bpftrace") != 0) {
		return true;
	}
	if (!binary || !*binary) {
		return run_fail_usage(r, "--binary is required for a script of bpftrace", "");
	}
	return !strpbrk(binary, "\"\\\n") ||
	       run_fail_usage(r, "--binary takes a path without quotes, not ", binary);
}

/* Writes the words of a list, separated by `between`. */
static void list_words(struct out *o, const char *list, const char *between)
{
	const char *before = "";

	for (const char *word = list; *(word += strspn(word, BLANKS ","));) {
		size_t len = strcspn(word, BLANKS ",");

		out_str(o, before);
		out_bytes(o, word, len);
		before = between;
		word += len;
	}
}

/* Fails with a proposal: to use commas instead of blanks, or the existing names. */
static bool fail_backend(struct run *r, const char *name)
{
	const char *all = run_option(r, OPTION_BACKENDS);

	run_fail(r, "unknown backend: ", name);
	if (strpbrk(all, BLANKS)) {
		run_fail(r, "\nWrite commas between backends, and no blanks: ", "");
		list_words(&r->error, all, ",");
		return false;
	}
	run_fail(r, "\nThere are: ", "");
	for (int i = 0; emit_backends[i].name; i++) {
		run_fail(r, i > 0 ? ", " : "", emit_backends[i].name);
	}
	return false;
}

/* Reads a list such as `log,simple`; a backend may be named twice. */
bool run_read_backends(struct run *r)
{
	char *copy = strdup(run_option(r, OPTION_BACKENDS));
	char *rest = copy;
	bool good = copy != NULL;

	for (char *name; good && (name = strsep(&rest, ","));) {
		int backend = emit_find_backend(name);

		if (backend < 0) {
			good = fail_backend(r, name);
		} else {
			r->backends |= 1u << backend;
		}
	}
	free(copy);
	return good;
}

/*
 * Sets inputs and output. QEMU's old form, with at most one input or the target's name, writes to
 * standard output.
 */
void run_arrange_files(struct run *r)
{
	bool old_form = r->options->file_count <= 1 || run_option(r, OPTION_TARGET_TYPE) ||
			run_option(r, OPTION_TARGET_NAME);

	r->inputs = r->options->files;
	r->input_count = r->options->file_count;
	r->output = run_option(r, OPTION_OUTPUT);
	r->group = run_option(r, OPTION_GROUP);
	if (r->output || run_option(r, OPTION_CHECK)) {
		return;
	}
	if (old_form) {
		r->output = "-";
		r->group = r->group ? r->group : "common";
	} else {
		r->output = r->inputs[--r->input_count];
	}
}

static bool is_header(const char *name)
{
	return !name || (*name && !strpbrk(name, "\"\n"));
}

static bool check_names(struct run *r)
{
	const char *header = run_option(r, OPTION_HEADER);
	const char *ust_header = run_option(r, OPTION_UST_HEADER);
	const char *provider = run_option(r, OPTION_PROVIDER);
	const char *vcpu_type = run_option(r, OPTION_VCPU_TYPE);

	if (!r->group || !*r->group) {
		return run_fail_usage(r, "group name is required", "");
	}
	if (!emit_group_is_valid(r->group)) {
		return run_fail_usage(
			r, "a group's name has letters, digits and _-. only: ", r->group);
	}
	if (!is_header(header)) {
		return run_fail_usage(r, "--header takes the name of a file, not ", header);
	}
	if (!is_header(ust_header)) {
		return run_fail_usage(r, "--ust-header takes the name of a file, not ", ust_header);
	}
	if (provider && !emit_provider_is_valid(provider)) {
		return run_fail_usage(r, "a provider's name is an identifier of C: ", provider);
	}
	r->vcpu_tag = emit_vcpu_tag(&r->model.arena, vcpu_type);
	return r->vcpu_tag || run_fail_usage(r,
				      "--vcpu-type takes a struct, as in 'CPUState *' or 'struct "
				      "hart', not ",
				      vcpu_type);
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s);
	size_t n = strlen(end);

	return len >= n && strcmp(s + len - n, end) == 0;
}

/* True if a file has declarations of any QEMU release. */
static bool holds_declarations(const struct source *src)
{
	const struct decl_options lenient = { .max_args = EVENT_ARGS_LIMIT, .lenient = true };
	struct model m;
	struct diag d;

	if (src->len >= strlen(EMIT_BANNER) &&
		memcmp(src->text, EMIT_BANNER, strlen(EMIT_BANNER)) == 0) {
		return false;
	}
	model_init(&m);
	diag_init(&d);
	bool good = decl_read(&m, &d, src, &lenient) && m.events.count > 0;

	model_fini(&m);
	diag_fini(&d);
	return good;
}

static bool is_declaration(const char *path)
{
	struct source src;
	struct out ignored;
	bool found = false;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (strcmp(name, "trace-events") == 0 || strcmp(name, "trace-events-all") == 0 ||
		ends_with(name, ".events") || ends_with(name, ".toml")) {
		return true;
	}
	out_init(&ignored, OUT_TO_MEMORY);
	if (file_is_regular(path) && file_read(&src, path, &ignored)) {
		found = holds_declarations(&src);
		free((char *)src.text);
	}
	out_fini(&ignored);
	return found;
}

/* Refuses an output that has declarations: without OUTPUT, the last input would be overwritten. */
static bool check_written(struct run *r, const char *path)
{
	if (strcmp(path, "-") == 0) {
		return true;
	}
	for (size_t i = 0; i < r->input_count; i++) {
		if (strcmp(r->inputs[i], "-") != 0 && file_is_same(r->inputs[i], path)) {
			return run_fail_usage(r, "the output is an input too: ", path);
		}
	}
	if (is_declaration(path)) {
		return run_fail_usage(r, "the output is a declaration of events: ", path);
	}
	return true;
}

const char *run_probe_prefix(struct run *r)
{
	const char *prefix = run_option(r, OPTION_PROBE_PREFIX);
	const char *type = run_option(r, OPTION_TARGET_TYPE);
	const char *name = run_option(r, OPTION_TARGET_NAME);

	if (prefix || !type || !name) {
		return prefix;
	}
	return arena_printf(&r->model.arena, "qemu.%s.%s", type, name);
}

/* True if it consists of identifiers with dots between them. */
static bool is_probe_prefix(const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				      "0123456789";

	while (*s && !strchr("0123456789", *s)) {
		size_t n = strspn(s, letters);

		if (n == 0 || s[n] != '.') {
			return n > 0 && s[n] == '\0';
		}
		s += n + 1;
	}
	return false;
}

/*
 * Requires a probe prefix for SystemTap's formats, and --binary, which may be empty, for the plain
 * one.
 */
static bool check_stap(struct run *r)
{
	const char *format = run_option(r, OPTION_FORMAT);
	const char *prefix = run_probe_prefix(r);

	if (!format || !ends_with(format, "stap")) {
		return true;
	}
	if (strcmp(format, "stap") == 0 && !run_option(r, OPTION_BINARY)) {
		return run_fail_usage(r, "--binary is required for SystemTAP tapset generator", "");
	}
	if (!prefix || !*prefix) {
		return run_fail_usage(
			r, "--probe-prefix is required for SystemTAP tapset generator", "");
	}
	if (!is_probe_prefix(prefix)) {
		return run_fail_usage(
			r, "a probe's prefix is identifiers with dots between them: ", prefix);
	}
	return true;
}

static bool check_output(struct run *r)
{
	const char *depfile = run_option(r, OPTION_DEPFILE);

	if (depfile && strcmp(r->output, "-") == 0) {
		return run_fail_usage(r, "--depfile needs an output file", "");
	}
	if (depfile && strcmp(r->output, depfile) == 0) {
		return run_fail_usage(r, "the output and the depfile are one file: ", depfile);
	}
	return check_written(r, r->output) && (!depfile || check_written(r, depfile));
}

bool run_check_names(struct run *r)
{
	return check_names(r) && check_stap(r) && check_output(r);
}
