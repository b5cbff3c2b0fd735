/* SPDX-License-Identifier: MIT */
/*
 * Reads declaration files and prints the model and the diagnostics as text, so
 * that the golden tests can compare them.
 *
 *	dump_model [--lenient] [--quiet] [--max-args=N] FILE...
 *
 * Exits with 1 after an error in a file.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decl/decl.h"

struct dump {
	struct model model;
	struct diag diag;
	struct decl_options options;
	bool quiet;
};

static void read_file(struct source *source, const char *path, struct arena *a)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(path);
		exit(2);
	}
	char *text = arena_alloc(a, (size_t)st.st_size + 1);
	const char *slash = strrchr(path, '/');

	if (read(fd, text, (size_t)st.st_size) != st.st_size) {
		perror(path);
		exit(2);
	}
	close(fd);
	*source = (struct source){ slash ? slash + 1 : path, text, (size_t)st.st_size };
}

static void print_bytes(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		printf(c < 0x20 || c == '"' || c == '\\' ? "\\x%02x" : "%c", c);
	}
}

static void print_placeholder(const struct conversion *c)
{
	const struct brace_spec *s = c->spec;

	printf(" {} type=%d align=%d fill=%#x width=%d precision=%d%s%s%s arg=%d at=%u:%u", s->type,
		s->align, s->fill, s->width, s->precision, s->plus ? " plus" : "",
		s->alternate ? " alternate" : "", s->zero ? " zero" : "", c->arg,
		location_line(c->at), location_column(c->at));
}

static void print_segment(const struct segment *s)
{
	const struct conversion *c = &s->conversion;

	fputs("    \"", stdout);
	print_bytes(s->text, s->len);
	fputs("\"", stdout);
	if (s->has_conversion && c->spec) {
		print_placeholder(c);
	} else if (s->has_conversion) {
		printf(" %%%c length=%s flags='%s' arg=%d", c->letter, c->length, c->flags, c->arg);
		if (c->width >= 0 || c->width_arg >= 0) {
			printf(" width=%d/%d", c->width, c->width_arg);
		}
		if (c->precision >= 0 || c->precision_arg >= 0) {
			printf(" precision=%d/%d", c->precision, c->precision_arg);
		}
	}
	putchar('\n');
}

static void print_meaning(const struct arg *a)
{
	for (const struct value_name *v = a->names; v && v->name; v++) {
		printf("    %s %" PRIu64 " is '%s'\n", a->is_flags ? "flag" : "value", v->value,
			v->name);
	}
	if (a->unit) {
		printf("    in '%s'\n", a->unit);
	}
	if (a->is_key) {
		puts("    names an object");
	}
}

static void print_event(size_t id, const struct event *e)
{
	static const char *const parts[] = {
		[LIFE_BEGIN] = "begin", [LIFE_STEP] = "step", [LIFE_END] = "end"
	};
	static const char classes[] = { [TYPE_INTEGER] = 'i',
		[TYPE_FLOAT] = 'F',
		[TYPE_POINTER] = 'P',
		[TYPE_STRING] = 'S',
		[TYPE_TEXT] = 'X',
		[TYPE_BYTES] = 'B',
		[TYPE_DEBUG] = 'D',
		[TYPE_TCG] = 'T' };

	printf("%zu %s %s line=%u%s%s%s%s%s%s\n", id, e->name, e->upper, e->line,
		e->properties & EVENT_DISABLE ? " disable" : "",
		e->properties & EVENT_VCPU ? " vcpu" : "",
		e->properties & EVENT_TCG_TRANS ? " trans" : "",
		e->properties & EVENT_TCG_EXEC ? " exec" : "", e->end ? " scope" : "",
		e->begin ? " scope-end" : "");
	if (e->whole) {
		printf("  of %s, beside %s\n", e->whole, e->exec ? e->exec->name : e->trans->name);
	}
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct type *t = &e->args[i].type;

		printf("  '%s' %s", t->text, e->args[i].name);
		if (strcmp(e->args[i].name, e->args[i].c_name) != 0) {
			printf(" (%s)", e->args[i].c_name);
		}
		printf(" %c%s %u/%u '%s'", classes[t->class], t->is_signed ? "s" : "", t->size32,
			t->size64, t->length);
		if (t->maker) {
			printf(" is '%s' by %s", t->c_text, t->maker);
		}
		printf(e->args[i].guest_type ? " at translation %s\n" : "\n",
			e->args[i].guest_type);
		print_meaning(&e->args[i]);
	}
	if (e->life) {
		printf("  %s of '%s'\n", parts[e->life_part], e->life);
	}
	if (e->format.source) {
		printf("  format %s\n", e->format.source);
	}
	for (size_t i = 0; i < e->format.count; i++) {
		print_segment(&e->format.segments[i]);
	}
}

static void take_option(struct dump *d, const char *option)
{
	if (strcmp(option, "--lenient") == 0) {
		d->options.lenient = true;
	} else if (strcmp(option, "--quiet") == 0) {
		d->quiet = true;
	} else if (strncmp(option, "--max-args=", 11) == 0) {
		d->options.max_args = (size_t)atoi(option + 11);
	} else {
		fprintf(stderr, "unknown option %s\n", option);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct dump d = { 0 };

	model_init(&d.model);
	diag_init(&d.diag);
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--", 2) == 0) {
			take_option(&d, argv[i]);
			continue;
		}
		struct source *source = arena_new(&d.model.arena, struct source);

		read_file(source, argv[i], &d.model.arena);
		decl_read(&d.model, &d.diag, source, &d.options);
	}
	if (!d.options.lenient) {
		decl_finish(&d.model, &d.diag);
	}
	for (size_t i = 0; i < d.model.events.count && !d.quiet; i++) {
		print_event(i, d.model.events.items[i]);
	}
	if (d.diag.out.len > 0) {
		fwrite(d.diag.out.data, 1, d.diag.out.len, stdout);
	}
	int status = d.diag.errors > 0;

	model_fini(&d.model);
	diag_fini(&d.diag);
	return status;
}
