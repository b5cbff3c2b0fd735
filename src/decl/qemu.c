/* SPDX-License-Identifier: MIT */
/*
 * The trace-events grammar of QEMU 2.8 to 10.2. One event a line:
 *
 *	[disable] [tcg] [vcpu] name(type argument, ...) ["format" [, "format"]]
 *
 * Each line stands for itself: an error in one hides nothing in the next.
 */
#include "decl/qemu.h"

#include <string.h>

#include "base/compiler.h"
#include "model/name.h"
#include "text/nearest.h"
#include "base/utf8.h"

#define GRAMMAR_HELP "an event is declared as: [disable] name(type argument, ...) \"format\""

static const char *const property_names[] = { "disable", "tcg", "vcpu" };
static const unsigned int property_bits[] = { EVENT_DISABLE, QEMU_TCG, EVENT_VCPU };

static struct arena *arena(struct front_end *fe)
{
	return &fe->model->arena;
}

static void read_property(struct front_end *fe, struct event *e, struct span word)
{
	for (size_t i = 0; i < ARRAY_SIZE(property_names); i++) {
		if (span_equals(word, property_names[i])) {
			e->properties |= property_bits[i];
			return;
		}
	}
	const char *nearest = nearest_name(word, property_names, ARRAY_SIZE(property_names));
	const char *help = nearest ? arena_printf(arena(fe), "did you mean '%s'?", nearest)
				   : "known are disable, tcg and vcpu";

	diag_error(fe->rules, span_location(fe->source, word), help, "unknown property '%.*s'",
		SPAN_ARGS(word));
}

const char *qemu_write_help(struct front_end *fe, const char *line, const char *otherwise)
{
	const char *text = arena_printf(arena(fe), "%s\n", line);
	const struct source source = { "", text, strlen(text) };
	const struct decl_options options = { .max_args = fe->max_args, .old = fe->old };
	struct model m;
	struct diag d;

	model_init(&m);
	diag_init(&d);
	bool accepted = decl_read(&m, &d, &source, &options) && m.events.count > 0;

	diag_fini(&d);
	model_fini(&m);
	return accepted ? arena_printf(arena(fe), "write: %s", line) : otherwise;
}

/* `name "format"`: shows the line with the argument list that it lacks. */
static void report_no_args(struct front_end *fe, struct span line, struct span name)
{
	size_t head = (size_t)(name.text + name.len - line.text);
	struct span tail = span_trim((struct span){ line.text + head, line.len - head });
	const char *mended = arena_printf(arena(fe), "%.*s(void)%s%.*s", (int)head, line.text,
		tail.len ? " " : "", SPAN_ARGS(tail));
	struct span behind = { name.text + name.len, 0 };

	diag_error(fe->diag, span_location(fe->source, behind),
		qemu_write_help(fe, mended, GRAMMAR_HELP), "the event '%.*s' has no argument list",
		SPAN_ARGS(name));
}

/* Reads up to and with the `(`: properties, then the name. */
static bool read_head(struct front_end *fe, struct event *e, struct span *name, struct scan *s)
{
	struct span line = { s->source->text + s->pos, s->end - s->pos };
	struct span last = { line.text, 0 };

	for (;; scan_skip_blanks(s)) {
		struct span word = scan_word(s);

		if (word.len == 0) {
			break;
		}
		if (last.len > 0) {
			read_property(fe, e, last);
		}
		last = word;
	}
	*name = last;
	if (last.len > 0 && (scan_peek(s) == SCAN_END || scan_peek(s) == '"')) {
		report_no_args(fe, line, last);
		return false;
	}
	if (last.len == 0 || scan_peek(s) != '(') {
		diag_error(fe->diag, scan_location(s), GRAMMAR_HELP,
			"expected the event's name and its argument list");
		return false;
	}
	if (last.text + last.len != s->source->text + s->pos) {
		diag_error(fe->rules, scan_location(s), "remove the blank",
			"a blank between the event's name and its argument list");
	}
	s->pos++;
	return true;
}

static void read_format(struct front_end *fe, struct qemu_line *line, struct scan *s)
{
	struct format *f = &line->formats[line->format_count++];
	const struct format_reading r = { &line->event, arena(fe), fe->rules, fe->old };

	if (!format_parse(f, &r, s)) {
		line->formats_ok = false;
	}
}

static void read_formats(struct front_end *fe, struct qemu_line *line, struct scan *s)
{
	line->formats_ok = true;
	scan_skip_blanks(s);
	if (scan_peek(s) == SCAN_END) {
		return;
	}
	if (scan_peek(s) != '"') {
		diag_error(fe->rules, scan_location(s),
			memchr(s->source->text + s->pos, '"', s->end - s->pos)
				? "remove it: with it the format would be lost"
				: "remove it, or make it a format in double quotes",
			"unexpected text after the argument list");
		line->formats_ok = false;
		return;
	}
	read_format(fe, line, s);
	if (!scan_accept(s, ',')) {
		return;
	}
	scan_skip_blanks(s);
	if (scan_peek(s) != '"') {
		diag_error(fe->rules, scan_location(s), "remove the comma, or add a second format",
			"expected a format after the comma");
		line->formats_ok = false;
		return;
	}
	read_format(fe, line, s);
	if (line->formats_ok && scan_peek(s) != SCAN_END) {
		diag_error(fe->rules, scan_location(s), "remove it",
			"unexpected text after the second format");
		line->formats_ok = false;
	}
}

/* Bytes that no declaration can contain. */
static bool check_bytes(struct front_end *fe, const struct scan *s)
{
	const char *text = s->source->text + s->pos;
	size_t len = s->end - s->pos;
	size_t invalid = utf8_invalid(text, len);

	if (invalid < len) {
		diag_error(fe->rules, ((struct location){ s->source, s->pos + invalid }),
			"save the file as UTF-8", "the line is not UTF-8");
	}
	return invalid == len || fe->lenient;
}

static void read_line(struct front_end *fe, struct scan *s, unsigned int number)
{
	struct qemu_line line = { .event.line = number };
	struct event *e = &line.event;
	struct span name;

	scan_skip_blanks(s);
	if (scan_peek(s) == SCAN_END || scan_peek(s) == '#') {
		return;
	}
	if (!check_bytes(fe, s) || !read_head(fe, e, &name, s)) {
		return;
	}
	name_check_event(name, span_location(fe->source, name), fe->rules);
	e->name = arena_strndup(arena(fe), name.text, name.len);
	e->at = span_location(fe->source, name);
	bool args_ok = qemu_read_args(fe, e, s);

	read_formats(fe, &line, s);
	if (args_ok) {
		qemu_expand(fe, &line);
	}
}

static size_t skip_byte_order_mark(const struct source *source)
{
	return source->len >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

void decl_read_qemu(struct front_end *fe)
{
	const struct source *source = fe->source;
	size_t pos = skip_byte_order_mark(source);
	unsigned int number = 0;

	while (pos < source->len) {
		const char *newline = memchr(source->text + pos, '\n', source->len - pos);
		size_t end = newline ? (size_t)(newline - source->text) : source->len;
		struct scan s = { source, pos, end };

		if (s.end > s.pos && source->text[s.end - 1] == '\r') {
			s.end--;
		}
		read_line(fe, &s, ++number);
		pos = end + 1;
	}
	if (source->len > 0 && source->text[source->len - 1] != '\n') {
		diag_error(fe->rules, ((struct location){ source, source->len }),
			"end the last line with a newline", "the file does not end with a newline");
	}
}
