/* SPDX-License-Identifier: MIT */
/*
 * Makes segments from the units of a format. Whatever printf ignores or leaves undefined is an
 * error or a warning here, and never enters the model, so that no compiler warns of a format
 * written from it.
 */
#include "model/format.h"

#include "base/compiler.h"
#include "base/vec.h"
#include "model/format_lexer.h"
#include "model/mend.h"

/* A width that every C library can print in one conversion. */
#define WIDTH_MAX 4095

/* The text of a format in the file, which mending changes. */
struct format_text {
	char *text;
	size_t begin; /* start of the text in the file */
	size_t len;
};

struct parser {
	struct format_lexer lexer;
	struct arena *arena;
	struct diag *diag;
	const struct event *event;
	bool old;
	struct format_text written; /* result for format.source */
	struct scan start;
	VEC(struct segment) segments;
	struct segment open; /* unfinished segment */
	char *text; /* place for the next character of literal text */
	int args;
	size_t newline; /* start of the last run of newlines */
	bool has_newline;
	bool ends_in_newline;
};

static const char *const lengths[] = { "h", "hh", "l", "ll", "j", "z", "t" };

static const struct {
	const char *letters;
	const char *message;
	const char *help;
} forbidden[] = {
	{ "m", "'%m' is forbidden in a format: errno may have changed before it is printed",
		"pass the error as an argument of the event and print that" },
	{ "n", "'%n' is forbidden in a format: it writes to memory", "remove it" },
	{ "aAeEfFgGL", "a format cannot print floating point: events have no such arguments",
		"pass a scaled integer" },
	{ "CS", "a format cannot print wide characters", "pass a string of bytes and use %s" },
};

static bool PRINTF(4, 5) fail(struct parser *p, size_t at, const char *help, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_vreport(
		p->diag, SEVERITY_ERROR, (struct location){ p->start.source, at }, help, fmt, ap);
	va_end(ap);
	return false;
}

/* Accepts a letter that only an old format has, floating point or `%m`; false for any other. */
static bool accept_old_letter(struct conversion *c, int unit)
{
	bool is_long = strcmp(c->length, "l") == 0; /* `l` has no meaning for a double */

	if (unit == 'm' && !*c->length) {
		c->letter = 's';
		c->is_errno = true;
	} else if (unit > 0 && strchr(FORMAT_FLOATS, unit) && (is_long || !*c->length)) {
		c->letter = (char)unit;
		c->length = "";
	} else {
		return false;
	}
	return true;
}

static void next(struct parser *p)
{
	format_lexer_next(&p->lexer);
}

static bool accept(struct parser *p, int c)
{
	if (p->lexer.unit != c) {
		return false;
	}
	next(p);
	return true;
}

static void add_text(struct parser *p, int c)
{
	if (c == '\n' && !p->ends_in_newline) {
		p->has_newline = true;
		p->newline = p->lexer.at;
	}
	p->ends_in_newline = c == '\n';
	*p->text++ = (char)c;
	p->open.len++;
}

static void close_segment(struct parser *p)
{
	vec_push(&p->segments, p->open);
	p->open = (struct segment){ .text = p->text };
}

/* Reads a width or precision: a number, or `*` for an argument. */
static bool parse_number(struct parser *p, int *value, int *arg)
{
	size_t at = p->lexer.at;

	if (accept(p, '*')) {
		*arg = p->args++;
		return true;
	}
	for (; is_digit(p->lexer.unit); next(p)) {
		*value = (*value < 0 ? 0 : *value * 10) + p->lexer.unit - '0';
		if (*value > WIDTH_MAX) {
			return fail(p, at, NULL, "a width or precision is at most %d", WIDTH_MAX);
		}
	}
	return true;
}

static const char *parse_length(struct parser *p)
{
	int c = p->lexer.unit;

	if (c <= 0 || !strchr("hljzt", c)) {
		return "";
	}
	next(p);
	bool is_double = (c == 'h' || c == 'l') && accept(p, c);
	const char *const *length = lengths;

	while ((*length)[0] != c || ((*length)[1] != '\0') != is_double) {
		length++;
	}
	return *length;
}

static bool refuse_incomplete(struct parser *p, const struct conversion *c)
{
	struct span text = { p->start.source->text + c->at.offset, p->lexer.at - c->at.offset };
	const char *help = mend_letters(p->arena, p->event, &p->start);

	while (is_blank((unsigned char)text.text[text.len - 1]) || text.text[text.len - 1] == '"') {
		text.len--;
	}
	return fail(p, c->at.offset,
		help ? help : "end it with a letter, such as %d or %x, or write %% for a '%'",
		"the conversion '%.*s' has no letter", SPAN_ARGS(text));
}

static bool refuse_letter(struct parser *p, const struct conversion *c)
{
	int unit = p->lexer.unit;

	if (p->lexer.failed) {
		return false;
	}
	if (unit == UNIT_MACRO) {
		return fail(p, c->at.offset, "remove the length",
			"a length before PRI%c%s, which brings its own", p->lexer.letter,
			p->lexer.length);
	}
	if (unit == '$') {
		return fail(p, c->at.offset, "print the arguments in their order",
			"a format cannot number its arguments");
	}
	if (unit == '\'') {
		return fail(p, c->at.offset, "remove it",
			"a format cannot group digits: grouping depends on the locale");
	}
	if (!is_letter(unit)) {
		return refuse_incomplete(p, c);
	}
	for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++) {
		if (strchr(forbidden[i].letters, unit)) {
			return fail(p, c->at.offset,
				mend_is_percent(c->at) ? MEND_PERCENT : forbidden[i].help, "%s",
				forbidden[i].message);
		}
	}
	struct span text = scan_since(&p->lexer.in, c->at.offset);

	return fail(p, c->at.offset, "known are %d %i %u %x %X %o %c %s %p, and %% for a '%'",
		"'%.*s' is not a conversion that a format may have", SPAN_ARGS(text));
}

/* Reads the length and the letter in either spelling: `lx` or PRIx64. */
static bool parse_letter(struct parser *p, struct conversion *c)
{
	c->length = parse_length(p);
	if (p->lexer.unit == UNIT_MACRO && !*c->length) {
		c->length = p->lexer.length;
		c->letter = p->lexer.letter;
	} else if (p->lexer.unit > 0 && strchr("diouxX", p->lexer.unit)) {
		c->letter = (char)p->lexer.unit;
	} else if (p->lexer.unit > 0 && strchr("csp", p->lexer.unit) && !*c->length) {
		c->letter = (char)p->lexer.unit;
	} else if (p->old && accept_old_letter(c, p->lexer.unit)) {
		if (c->is_errno) {
			/* `%m` becomes `%s` in the text. */
			p->written.text[p->lexer.at - p->written.begin] = 's';
			diag_warning(p->diag, c->at,
				"pass the error as an argument of the event and print that",
				"'%%m' prints errno, which becomes an argument that no call passes");
		}
	} else {
		return refuse_letter(p, c);
	}
	next(p);
	return true;
}

/* Drops flags that printf ignores or leaves undefined, as compilers warn of them. */
static void drop_idle_flags(struct parser *p, struct conversion *c)
{
	char kept[sizeof(c->flags)] = "";
	size_t n = 0;

	for (const char *flag = c->flags; *flag; flag++) {
		if (conversion_heeds(c, *flag)) {
			kept[n++] = *flag;
			continue;
		}
		diag_warning(p->diag, c->at,
			*flag == ' ' ? "remove it, or " MEND_PERCENT : "remove it",
			"the flag '%c' has no effect in '%s'", *flag, conversion_text(p->arena, c));
	}
	memcpy(c->flags, kept, sizeof(kept));
}

static bool parse_conversion(struct parser *p)
{
	struct conversion c = {
		CONVERSION_PLAIN,
		.at = { p->start.source, p->lexer.at },
	};

	next(p);
	if (p->lexer.unit == '%') {
		add_text(p, '%');
		next(p);
		return true;
	}
	while (p->lexer.unit > 0 && strchr("-+ #0", p->lexer.unit)) {
		size_t n = strlen(c.flags);

		if (!strchr(c.flags, p->lexer.unit)) {
			c.flags[n] = (char)p->lexer.unit;
		}
		next(p);
	}
	if (!parse_number(p, &c.width, &c.width_arg)) {
		return false;
	}
	if (accept(p, '.')) {
		c.precision = 0;
		if (!parse_number(p, &c.precision, &c.precision_arg)) {
			return false;
		}
	}
	if (!parse_letter(p, &c)) {
		return false;
	}
	if ((c.precision >= 0 || c.precision_arg != FORMAT_NO_ARG) && strchr("cp", c.letter)) {
		return fail(p, c.at.offset, "remove it", "'%%%c' takes no precision", c.letter);
	}
	drop_idle_flags(p, &c);
	c.arg = p->args++;
	p->open.has_conversion = true;
	p->open.conversion = c;
	p->ends_in_newline = false;
	close_segment(p);
	return true;
}

/*
 * Handles a macro outside of a conversion. QEMU 10.2 has `"%u" PRIx8`, where C prints the macro's
 * letters after the number: a macro after a whole conversion is dropped with a warning.
 */
static bool parse_stray_macro(struct parser *p)
{
	struct location at = { p->start.source, p->lexer.at };
	char letter = p->lexer.letter;
	const char *length = p->lexer.length;

	next(p);
	if (p->open.len > 0 || p->segments.count == 0) {
		return fail(p, at.offset,
			arena_printf(p->arena, "write it as \"%%\" PRI%c%s", letter, length),
			"the macro PRI%c%s needs a '%%' before it", letter, length);
	}
	diag_warning(p->diag, at, "remove the macro, or the letter before it",
		"the macro PRI%c%s follows a whole conversion and is ignored", letter, length);
	return true;
}

static bool parse_unit(struct parser *p)
{
	switch (p->lexer.unit) {
	case UNIT_MACRO:
		return parse_stray_macro(p);
	case '%':
		return parse_conversion(p);
	default:
		add_text(p, p->lexer.unit);
		next(p);
		return true;
	}
}

static bool parse_units(struct parser *p)
{
	while (p->lexer.unit != UNIT_END) {
		if (!parse_unit(p)) {
			return false;
		}
	}
	if (p->open.len > 0 && !p->lexer.failed) {
		close_segment(p);
	}
	return !p->lexer.failed;
}

/* Rejects a newline at the end, as one event is one line: text backends print a newline as `\n`. */
static bool check_newlines(struct parser *p)
{
	bool is_dropped = p->ends_in_newline && (p->old || !p->diag);

	if (p->ends_in_newline && !is_dropped) {
		return fail(p, p->newline, "remove the newline: each event has its own line",
			"the format ends with a newline");
	}
	if (is_dropped) {
		struct segment *last = &p->segments.items[p->segments.count - 1];

		while (last->len > 0 && last->text[last->len - 1] == '\n') {
			last->len--;
		}
		p->written.text[p->newline - p->written.begin] = '"';
		p->written.len = p->newline - p->written.begin + 1;
		p->segments.count -= last->len == 0;
		diag_warning(p->diag, ((struct location){ p->start.source, p->newline }),
			"remove the newline: each event has its own line",
			"the newline at the format's end is not printed");
	} else if (p->has_newline) {
		diag_warning(p->diag, ((struct location){ p->start.source, p->newline }),
			"split the event, or use a blank",
			"a newline inside the format is printed as \\n");
	}
	return true;
}

bool format_parse(struct format *f, const struct format_reading *r, struct scan *in)
{
	struct parser p = {
		.arena = r->arena, .diag = r->diag, .event = r->event, .old = r->old, .start = *in
	};
	struct span rest = { in->source->text + in->pos, in->end - in->pos };

	*f = (struct format){ .at = scan_location(in) };
	p.text = arena_alloc(r->arena, rest.len + 1);
	p.open.text = p.text;
	p.written =
		(struct format_text){ arena_strndup(r->arena, rest.text, rest.len), in->pos, 0 };
	format_lexer_init(&p.lexer, r->diag, in);
	bool ok = parse_units(&p);

	p.written.len = p.lexer.at - p.written.begin;
	ok = ok && check_newlines(&p);
	if (ok) {
		struct span written = { p.written.text, p.written.len };

		in->pos = p.lexer.at;
		f->count = p.segments.count;
		f->segments = arena_array(p.arena, struct segment, f->count);
		if (f->count > 0) {
			memcpy(f->segments, p.segments.items, f->count * sizeof(*f->segments));
		}
		f->args = (size_t)p.args;
		f->source = format_regular_source(r->arena, span_trim(written));
	} else {
		rest = span_trim(rest);
		f->source = arena_strndup(r->arena, rest.text, rest.len);
		in->pos = in->end;
	}
	vec_fini(&p.segments);
	return ok;
}
