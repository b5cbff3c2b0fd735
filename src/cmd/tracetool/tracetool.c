/* SPDX-License-Identifier: MIT */
/*
 * tracetool: generates C from declarations of trace events. Goes from the command line to the
 * output in the order of QEMU's tracetool; run.c checks, files.c reads and writes.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/tracetool/files.h"

static void print_diagnostics(const struct diag *d)
{
	if (d->out.len > 0) {
		fwrite(d->out.data, 1, d->out.len, stderr);
	}
}

static bool read_model(struct run *r)
{
	struct diag d;

	if (!run_read_max_args(r) || !run_check_warn(r)) {
		return false;
	}
	r->decl.old = run_option(r, OPTION_ACCEPT_OLD);
	diag_init(&d);
	bool good = inputs_read(r, &d);

	good = decl_finish(&r->model, &d) && good;
	if (run_option(r, OPTION_WARN)) {
		decl_warn_of_names(&r->model, &d);
	}
	print_diagnostics(&d);
	if (good && d.warnings && run_option(r, OPTION_WERROR)) {
		good = run_fail(r, "warnings are errors (--werror)", "");
	}
	diag_fini(&d);
	return good;
}

/*
 * Returns the header that a generated source includes: an option's value, or a name made from the
 * group.
 */
static const char *header_name(struct run *r, enum tracetool_option option, const char *begin)
{
	const char *header = run_option(r, option);

	return header ? header : arena_printf(&r->model.arena, "%s%s.h", begin, r->group);
}

/* True for a build of QEMU, which gives the target or the prefix of SystemTap's probes. */
static bool is_qemu(const struct run *r)
{
	const char *prefix = run_option(r, OPTION_PROBE_PREFIX);

	return run_option(r, OPTION_TARGET_TYPE) || run_option(r, OPTION_TARGET_NAME) ||
	       (prefix && strncmp(prefix, "qemu.", strlen("qemu.")) == 0);
}

/* Returns the provider of probes and tracepoints: the option's, or the group as an identifier. */
static const char *provider(struct run *r)
{
	const char *given = run_option(r, OPTION_PROVIDER);

	if (given || is_qemu(r)) {
		return given ? given : "qemu";
	}
	char *name = arena_printf(
		&r->model.arena, "%s%s", isdigit((unsigned char)*r->group) ? "_" : "", r->group);

	for (char *s = name; *s; s++) {
		*s = isalnum((unsigned char)*s) ? *s : '_';
	}
	return name;
}

/* Checks the limits of the backends and the format, such as the number of arguments. */
static bool check_events(struct run *r, const struct emit_context *c)
{
	struct diag d;

	diag_init(&d);
	emit_check_words(c, &d);
	bool good = emit_check(c, &d) && emit_check_format(r->format, c, &d) && d.errors == 0;

	print_diagnostics(&d);
	diag_fini(&d);
	return good;
}

/* Returns a name with a newline, which a make rule cannot have; NULL if there is none. */
static const char *name_with_newline(const struct run *r)
{
	vec_foreach (struct run_input **, input, &r->read) {
		if (strchr((*input)->path, '\n')) {
			return (*input)->path;
		}
	}
	return strchr(r->output, '\n') ? r->output : NULL;
}

/*
 * Call before writing the output: without a depfile, a build would not notice that it is out of
 * date.
 */
static bool write_depfile(struct run *r)
{
	const char *depfile = run_option(r, OPTION_DEPFILE);
	struct out text;

	if (!depfile) {
		return true;
	}
	if (name_with_newline(r)) {
		return run_fail(
			r, "a depfile cannot have a name with a newline: ", name_with_newline(r));
	}
	if (file_is_same(r->output, depfile)) {
		return run_fail_usage(r, "the output and the depfile are one file: ", depfile);
	}
	out_init(&text, OUT_TO_MEMORY);
	inputs_write_rule(r, &text);
	bool good = file_write(depfile, &text, run_option(r, OPTION_ALWAYS), &r->error);

	out_fini(&text);
	if (good && file_is_same(r->output, depfile)) { /* two names for one new file */
		unlink(r->output);
		return run_fail_usage(r, "the output and the depfile are one file: ", depfile);
	}
	return good;
}

static bool write_output(struct run *r)
{
	const char *binary = run_option(r, OPTION_BINARY);
	char *directory = getcwd(NULL, 0);
	struct out text;
	struct emit_context c = {
		.out = &text,
		.model = &r->model,
		.group = r->group,
		.header = header_name(r, OPTION_HEADER, "trace-"),
		.ust_header = header_name(r, OPTION_UST_HEADER, "trace-ust-"),
		.directory = directory,
		.backends = r->backends,
		.binary = binary ? binary : "",
		.probe_prefix = run_probe_prefix(r),
		.provider = provider(r),
		.vcpu_tag = r->vcpu_tag,
		.provider_is_given = run_option(r, OPTION_PROVIDER),
	};

	out_init(&text, OUT_TO_MEMORY);
	bool good = check_events(r, &c);

	if (good) {
		emit(r->format, &c);
		good = write_depfile(r) &&
		       file_write(r->output, &text, run_option(r, OPTION_ALWAYS), &r->error);
	}
	out_fini(&text);
	free(directory);
	return good;
}

/* Writes `nop, ctf, log, simple`, in the form of QEMU's list. */
static void write_names(struct run *r, struct out *to)
{
	const char *comma = "";

	for (const struct emit_format *f = emit_formats;
		run_option(r, OPTION_LIST_FORMATS) && f->name; f++) {
		OUT(to, "${comma}${name}", { "comma", comma }, { "name", f->name });
		comma = ", ";
	}
	for (const struct emit_backend_row *b = emit_backends;
		run_option(r, OPTION_LIST_BACKENDS) && b->name; b++) {
		OUT(to, "${comma}${name}", { "comma", comma }, { "name", b->name });
		comma = ", ";
	}
	out_char(to, '\n');
}

/* Runs an option that only prints. */
static bool print_about(struct run *r)
{
	struct out text;

	out_init(&text, OUT_TO_MEMORY);
	if (run_option(r, OPTION_HELP)) {
		tracetool_options_help(&text);
	} else if (run_option(r, OPTION_VERSION)) {
		out_str(&text, "tracetool (Waymark) " WAYMARK_VERSION "\n");
	} else {
		write_names(r, &text);
	}
	bool good = file_write("-", &text, true, &r->error);

	out_fini(&text);
	return good;
}

static bool run(struct run *r)
{
	const char *backends = run_option(r, OPTION_BACKENDS);

	if (tracetool_options_are_about(r->options)) {
		return print_about(r);
	}
	run_arrange_files(r);
	if (run_option(r, OPTION_CHECK)) {
		return read_model(r);
	}
	if (!backends || !*backends) {
		return run_fail_usage(r, "no backends specified", "");
	}
	if (run_option(r, OPTION_CHECK_BACKENDS)) {
		bool good = run_read_backends(r);

		r->error.len = 0; /* scripts need the exit status only */
		return good;
	}
	return run_check_names(r) && read_model(r) && run_read_format(r) && run_check_binary(r) &&
	       run_read_backends(r) && write_output(r);
}

int main(int argc, char **argv)
{
	struct tracetool_options options;
	struct run r = { .options = &options };

	out_init(&r.error, OUT_TO_MEMORY);
	model_init(&r.model);
	bool good = tracetool_options_parse(&options, argc, argv, &r.error)
			    ? run(&r)
			    : run_fail_usage(&r, "", "");

	if (r.error.len > 0) {
		fprintf(stderr, "Error: %.*s\n", (int)r.error.len, r.error.data);
	}
	inputs_fini(&r);
	model_fini(&r.model);
	out_fini(&r.error);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
