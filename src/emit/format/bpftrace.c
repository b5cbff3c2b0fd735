/* SPDX-License-Identifier: MIT */
/*
 * A script for bpftrace that prints each event when it happens: its time, process and thread, its
 * name and its message. Parts of C's printf that bpftrace lacks are replaced by the nearest
 * equivalent. bpftrace reads only the first arguments, and few strings at a time.
 */
#include <string.h>

#include "emit/c_code.h"

/* bpftrace 0.17 reads the arguments that are in registers: 6 on x86-64. */
#define ARGS_MAX 6

/* Limit of strings in one printf: a BPF program's stack has 512 bytes. */
#define STRINGS_MAX 3

/* Default limit of probes that bpftrace attaches. */
#define PROBES_MAX 512

/* Not formatted, so that the templates look like their output. */
/* clang-format off */
static const char file_begin[] =
	"#!/usr/bin/env bpftrace\n"
	"${banner}"
	"/*\n"
	" * Prints the ${count} events of ${provider} in ${file}. As root:\n"
	" *\n"
	" *\t${command} FILE               of every process that runs it, until ctrl-c\n"
	" *\t${command} -p PID FILE        of one process\n"
	" *\t${command} -c 'PROGRAM' FILE  of one process from its start\n"
	" *\n"
	" * Each event that has a probe here is on while this runs, and off again after it.\n"
	" * Strings are cut to BPFTRACE_STRLEN (64) bytes; `?` is an argument that bpftrace\n"
	" * cannot read, which are all after the sixth.\n"
	" */\n"
	"BEGIN\n"
	"{\n"
	"\tprintf(\"%-15s %7s %7s %s\\n\", \"TIME\", \"PID\", \"TID\", \"EVENT\");\n"
	"}\n";

static const char probe_begin[] =
	"\n"
	"usdt:${quote}${binary}${quote}:${provider}:${name}\n"
	"{\n";

static const char probe_end[] = "}\n";
/* clang-format on */

/* The printf of an event, while it is built. */
struct message {
	struct out literal;
	struct out values; /* `, pid, tid, arg0` */
	unsigned int strings; /* number in this call */
};

/* Writes one character inside a literal. bpftrace needs only octal escapes of three digits. */
static void write_char(struct out *o, char ch)
{
	if (ch == '"' || ch == '\\') {
		out_char(o, '\\');
		out_char(o, ch);
	} else if ((unsigned char)ch < ' ' || (unsigned char)ch >= 0x7f) {
		out_printf(o, "\\%03o", (unsigned char)ch);
	} else {
		out_char(o, ch);
	}
}

static void begin_call(struct message *m)
{
	m->literal.len = m->values.len = 0;
	m->strings = 0;
}

static void end_call(struct emit_context *c, struct message *m, const char *end)
{
	if (m->literal.len == 0 && !*end) {
		return;
	}
	out_printf(c->out, "\tprintf(\"%.*s%s\"%.*s);\n", (int)m->literal.len, m->literal.data, end,
		(int)m->values.len, m->values.data ? m->values.data : "");
}

/* Writes `%-8`, `%08`, `%.3`: what bpftrace accepts between the percent sign and the length. */
static void write_size(struct out *o, const struct conversion *v, int width)
{
	out_char(o, '%');
	if (width > 0 && strchr(v->flags, '-')) {
		out_char(o, '-');
	} else if (width > 0 && strchr(v->flags, '0')) {
		out_char(o, '0');
	}
	if (width > 0) {
		out_printf(o, "%d", width);
	}
	if (v->precision_arg == FORMAT_NO_ARG && v->precision >= 0) {
		out_printf(o, ".%d", v->precision);
	}
}

/* Returns the width in bits that an integer's conversion prints. */
static unsigned int printed_bits(const struct conversion *v, const struct type *t)
{
	unsigned int narrow = c_narrowed_to(v);

	if (narrow) {
		return narrow;
	}
	return t->class == TYPE_INTEGER && t->size32 == t->size64 && t->size64 <= 4 ? 32 : 64;
}

/*
 * Writes an integer. bpftrace has arguments as 64 bits, with their sign extended. printf prints the
 * same unless the conversion is narrower or of the other sign.
 */
static void write_integer(
	struct message *m, const struct conversion *v, const struct arg *a, size_t word)
{
	bool is_signed = v->letter == 'd' || v->letter == 'i';
	bool is_hex = v->letter == 'x' || v->letter == 'X' || v->letter == 'o';
	unsigned int bits = printed_bits(v, &a->type);
	const char *prefix = v->letter == 'X' ? "0X" : "0x";
	bool has_prefix = v->letter == 'o' || (is_hex && strchr(v->flags, '#'));

	out_str(&m->literal, has_prefix ? prefix : "");
	write_size(&m->literal, v, v->width - (has_prefix ? 2 : 0));
	out_str(&m->literal, "ll");
	out_char(&m->literal, is_signed ? 'd' : v->letter == 'o' ? 'x' : v->letter);
	if (bits < 64 && (bits < 32 || is_signed != a->type.is_signed)) {
		out_printf(&m->values, ", (%sint%u)arg%zu", is_signed ? "" : "u", bits, word);
	} else {
		out_printf(&m->values, ", arg%zu", word);
	}
}

/* Returns the word that limits the bytes of a text; ARGS_MAX if none does. */
static size_t length_word(const struct conversion *v, const struct event *e)
{
	if (type_is_counted(&e->args[v->arg].type)) {
		return emit_word(e, (size_t)v->arg) + 1;
	}
	return v->precision_arg == FORMAT_NO_ARG ? ARGS_MAX
						 : emit_word(e, (size_t)v->precision_arg);
}

static void write_string(struct message *m, const struct conversion *v, const struct event *e)
{
	size_t word = emit_word(e, (size_t)v->arg);
	size_t length = length_word(v, e);

	m->strings++;
	write_size(&m->literal, v, v->width);
	out_char(&m->literal, 's');
	out_printf(&m->values, ", arg%zu == 0 ? \"(null)\" : str(arg%zu", word, word);
	if (length < ARGS_MAX) {
		out_printf(&m->values, ", arg%zu", length);
	}
	out_char(&m->values, ')');
}

static void write_conversion(struct message *m, const struct conversion *v, const struct event *e)
{
	const struct type *t = &e->args[v->arg].type;
	size_t word = emit_word(e, (size_t)v->arg);
	bool lacks_length = type_is_counted(t) && word + 1 >= ARGS_MAX;

	if (word >= ARGS_MAX || lacks_length || t->class == TYPE_FLOAT ||
		v->letter == C_NO_LETTER) {
		out_char(&m->literal, '?');
	} else if (v->letter == 's') {
		write_string(m, v, e);
	} else if (v->letter == 'p' || v->letter == 'c') {
		write_size(&m->literal, v, v->width);
		out_char(&m->literal, v->letter);
		out_printf(&m->values, ", %sarg%zu", v->letter == 'c' ? "(int8)" : "", word);
	} else {
		write_integer(m, v, &e->args[v->arg], word);
	}
}

static void emit_message(struct emit_context *c, struct message *m, const struct event *e)
{
	const struct format *f = c_format(c, e);

	begin_call(m);
	out_str(&m->literal, "%-15s %7d %7d ");
	out_str(&m->values, ", strftime(\"%H:%M:%S.%f\", nsecs), pid, tid");
	out_str(&m->literal, e->name);
	out_str(&m->literal, f->count ? " " : "");
	for (size_t i = 0; i < f->count; i++) {
		const struct segment *s = &f->segments[i];

		/* bpftrace's printf does not know `%%`. */
		for (size_t j = 0; j < s->len; j++) {
			if (s->text[j] == '%') {
				out_str(&m->literal, "%c");
				out_str(&m->values, ", 37");
			} else {
				write_char(&m->literal, s->text[j]);
			}
		}
		if (s->has_conversion && s->conversion.letter == 's' && m->strings == STRINGS_MAX) {
			end_call(c, m, "");
			begin_call(m);
		}
		if (s->has_conversion) {
			write_conversion(m, &s->conversion, e);
		}
	}
	end_call(c, m, "\\n");
}

/*
 * Returns the command to run the script. bpftrace refuses many probes unless their number is set.
 */
static const char *command(struct emit_context *c, size_t probes)
{
	if (probes <= PROBES_MAX) {
		return "bpftrace";
	}
	return arena_printf(&c->texts, "BPFTRACE_MAX_PROBES=%zu bpftrace", probes);
}

void emit_format_bpftrace(struct emit_context *c)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_./-";
	bool needs_quotes = c->binary[strspn(c->binary, plain)];
	struct message m;
	size_t count = 0;

	vec_foreach (struct event **, e, &c->model->events) {
		count += !((*e)->properties & EVENT_DISABLE);
	}
	OUT(c->out, file_begin, { "banner", c_banner(c) }, { "count", c_number(c, count) },
		{ "provider", c->provider }, { "file", c_comment(c, c->binary) },
		{ "command", command(c, count) });
	out_init(&m.literal, OUT_TO_MEMORY);
	out_init(&m.values, OUT_TO_MEMORY);
	vec_foreach (struct event **, e, &c->model->events) {
		if ((*e)->properties & EVENT_DISABLE) {
			continue;
		}
		OUT(c->out, probe_begin, { "quote", needs_quotes ? "\"" : "" },
			{ "binary", c->binary }, { "provider", c->provider },
			{ "name", (*e)->name });
		emit_message(c, &m, *e);
		out_str(c->out, probe_end);
	}
	out_fini(&m.values);
	out_fini(&m.literal);
}
