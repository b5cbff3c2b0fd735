/* SPDX-License-Identifier: MIT */
/*
 * The trace-events grammar of QEMU 2.8 to 10.2. One event a line:
 *
 *	[disable] [tcg] [vcpu] name(type argument, ...) ["format" [, "format"]]
 *
 * Lines are independent: an error in one hides nothing in the next. An argument list ends at its
 * first `)`. The last `*` of an argument, or else the last blank, separates its type from its name.
 */
#include "decl/qemu.h"

#include <string.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "model/meaning.h"
#include "model/name.h"
#include "text/nearest.h"

#define GRAMMAR_HELP "an event is declared as: [disable] name(type argument, ...) \"format\""

#define ARG_HELP "write it as type and name, for example 'uint32_t bytes'"

static struct arena *arena(struct front_end *fe)
{
	return &fe->model->arena;
}

/* Returns a whole line as a proposal if it would be accepted; else `otherwise`. */
static const char *write_help(struct front_end *fe, const char *line, const char *otherwise)
{
	const char *text = arena_printf(arena(fe), "%s\n", line);
	const struct source source = { "", text, strlen(text) };
	struct model m;
	struct diag d;

	model_init(&m);
	diag_init(&d);
	struct front_end line_of = {
		.model = &m,
		.diag = &d,
		.rules = &d,
		.source = &source,
		.max_args = fe->max_args,
		.old = fe->old,
	};

	decl_read_qemu(&line_of);
	bool accepted = d.errors == 0 && m.events.count > 0;

	diag_fini(&d);
	model_fini(&m);
	return accepted ? arena_printf(arena(fe), "write: %s", line) : otherwise;
}

struct args {
	struct front_end *fe;
	const struct event *event;
	struct arg_list list;
	bool failed;
};

/* One argument's text, split. */
struct parts {
	struct span type;
	struct span name;
};

/* Reports an error for every reader, as the arguments stay unknown. */
static void fail(struct args *args, struct span at, const char *help, const char *message)
{
	struct front_end *fe = args->fe;

	diag_error(fe->diag, span_location(fe->source, at), help, "%s", message);
	args->failed = true;
}

static struct parts part(struct span text)
{
	const char *star = memrchr(text.text, '*', text.len);
	size_t i = star ? (size_t)(star - text.text) + 1 : text.len;

	while (!star && i > 0 && !is_blank((unsigned char)text.text[i - 1])) {
		i--;
	}
	return (struct parts){
		span_trim((struct span){ text.text, i }),
		span_trim((struct span){ text.text + i, text.len - i }),
	};
}

static bool is_type(struct args *args, struct span text)
{
	struct type ignored;

	return type_parse(&ignored, &args->fe->model->arena, text.text, text.len);
}

static void guess_type(struct args *args, struct type *type, struct span text)
{
	struct arena *a = &args->fe->model->arena;
	bool is_tcg = args->event->properties & QEMU_TCG;

	if (args->fe->old && type_parse_old(type, a, text.text, text.len) &&
		type->class == TYPE_FLOAT) {
		return;
	}
	(is_tcg ? type_guess : type_guess_host)(type, a, text.text, text.len);
}

/*
 * Reads a type that only old declarations have. Guest values cannot have it, as the code for them
 * does not support it.
 */
static bool read_old_type(struct args *args, struct type *type, struct span text)
{
	struct front_end *fe = args->fe;

	if (!fe->old || args->event->properties & QEMU_TCG ||
		!type_parse_old(type, &fe->model->arena, text.text, text.len)) {
		return false;
	}
	diag_warning(fe->rules, span_location(fe->source, text), type_advice(text.text, text.len),
		"the type '%.*s' is one of old declarations", SPAN_ARGS(text));
	return true;
}

/*
 * Finds the place of a missing comma. In `int x int y`, everything before the last blank was read
 * as one type. Returns a text if a name and more follow the first type; NULL if there is no such
 * place.
 */
static const char *find_missing_comma(struct args *args, struct span text)
{
	const struct source source = { .text = text.text, .len = text.len };
	struct scan s = { &source, 0, text.len };

	while (scan_peek(&s) != SCAN_END) {
		struct span before = span_trim(scan_since(&s, 0));
		struct span name = scan_word(&s);

		s.pos += name.len == 0;
		scan_skip_blanks(&s);
		struct span word = scan_word(&(struct scan){ &source, s.pos, s.end });

		if (name.len > 0 && word.len > 0 && !type_is_word(name.text, name.len) &&
			is_type(args, before)) {
			return arena_printf(&args->fe->model->arena,
				"is a comma missing between '%.*s' and '%.*s'?", SPAN_ARGS(name),
				SPAN_ARGS(word));
		}
	}
	return NULL;
}

static const char *type_help(struct args *args, struct span text)
{
	const char *help = find_missing_comma(args, text);

	help = help ? help : type_advice(text.text, text.len);
	if (help) {
		return help;
	}
	return arg_type_help(args->fe->diag, TYPE_HELP);
}

static bool read_type(struct args *args, struct type *type, struct span text)
{
	struct front_end *fe = args->fe;
	struct arena *a = &fe->model->arena;

	if (fe->lenient) {
		guess_type(args, type, text);
		return true;
	}
	if (!type_parse(type, a, text.text, text.len) && !read_old_type(args, type, text)) {
		fail(args, text, type_help(args, text),
			arena_printf(a, "the type '%.*s' is not allowed", SPAN_ARGS(text)));
		return false;
	}
	if (type->class == TYPE_TCG && !(args->event->properties & QEMU_TCG)) {
		fail(args, text, "declare the event with the property tcg",
			"an argument of the translated guest in an event without 'tcg'");
		return false;
	}
	return true;
}

/* Returns advice for `int *x int y`, given the first name and the text after it. */
static const char *two_names_help(struct args *args, struct span first, struct span second)
{
	const struct source source = { .text = second.text, .len = second.len };
	struct span word = scan_word(&(struct scan){ &source, 0, second.len });

	if (!type_is_word(word.text, word.len)) {
		return ARG_HELP;
	}
	return arena_printf(&args->fe->model->arena,
		"is a comma missing between '%.*s' and '%.*s'?", SPAN_ARGS(first), SPAN_ARGS(word));
}

/* Refuses arrays, `const` and second names, which are legal in declarators of C. */
static bool check_declarator(struct args *args, struct parts parts)
{
	struct front_end *fe = args->fe;
	struct location at = span_location(fe->source, parts.name);
	struct span first = parts.name;
	size_t i = 0;

	while (i < first.len && !is_blank((unsigned char)first.text[i])) {
		i++;
	}
	first.len = i;
	if (memchr(parts.name.text, '[', parts.name.len)) {
		diag_error(fe->rules, at, "pass a pointer to the first element",
			"an argument cannot be an array");
		return false;
	}
	if (span_equals(first, "const")) {
		diag_error(fe->rules, at, "remove it: an argument never changes",
			"'const' between '*' and the name");
		return false;
	}
	if (first.len < parts.name.len) {
		struct span second = span_trim(
			(struct span){ first.text + first.len, parts.name.len - first.len });

		diag_error(fe->rules, at, two_names_help(args, first, second),
			"an argument has more than one name");
		return false;
	}
	return name_check_arg(parts.name, at, fe->rules);
}

static void add_arg(struct args *args, struct span text, struct parts parts)
{
	struct front_end *fe = args->fe;
	struct arg arg = { .at = span_location(fe->source, text) };

	if (!read_type(args, &arg.type, parts.type)) {
		return;
	}
	if (!check_declarator(args, parts) && !fe->lenient) {
		args->failed = true;
		return;
	}
	arg_list_is_new(&args->list, parts.name, span_location(fe->source, parts.name), fe->rules);
	arg_list_add(&args->list, &fe->model->arena, &arg, parts.name);
}

static void read_arg(struct args *args, struct span text)
{
	struct front_end *fe = args->fe;
	struct parts parts = part(text);

	if (text.len == 0) {
		fail(args, text, "remove the comma, or add an argument", "an empty argument");
	} else if (span_equals(text, "void")) {
		diag_error(fe->rules, span_location(fe->source, text), "remove it",
			"'void' among other arguments");
	} else if (parts.name.len == 0 || (parts.type.len > 0 && is_type(args, text))) {
		fail(args, text, ARG_HELP, "an argument has a type but no name");
	} else if (parts.type.len == 0) {
		fail(args, text, ARG_HELP,
			is_type(args, text) ? "an argument has a type but no name"
					    : "an argument needs a type and a name");
	} else {
		add_arg(args, text, parts);
	}
}

/* Splits at commas; does not read arguments beyond the limit. */
static void read_list(struct args *args, struct span text)
{
	struct front_end *fe = args->fe;
	bool has_cpu = args->event->properties & EVENT_VCPU;
	size_t room = fe->max_args - has_cpu;

	for (size_t n = 0;; n++) {
		const char *comma = memchr(text.text, ',', text.len);
		size_t len = comma ? (size_t)(comma - text.text) : text.len;
		struct span arg = span_trim((struct span){ text.text, len });

		if (n == room) {
			fail(args, arg, "pass fewer, or raise the limit (to 32 at most)",
				arena_printf(&fe->model->arena, "more than %zu arguments%s", room,
					has_cpu ? " and the CPU" : ""));
			return;
		}
		read_arg(args, arg);
		if (!comma) {
			return;
		}
		text = (struct span){ comma + 1, text.len - len - 1 };
	}
}

/* Reads the text of the list, and moves the cursor past its `)`. */
static bool take_list(struct front_end *fe, struct scan *s, struct span *list)
{
	const char *text = s->source->text + s->pos;
	const char *end = memchr(text, ')', s->end - s->pos);
	size_t len = end ? (size_t)(end - text) : s->end - s->pos;

	if (!end || memchr(text, '"', len)) {
		s->pos--;
		diag_error(fe->diag, scan_location(s), "add the closing ')'",
			"the argument list is not closed");
		s->pos = s->end;
		return false;
	}
	*list = span_trim((struct span){ text, len });
	s->pos += len + 1;
	return true;
}

/* Returns the line with `void` in its empty list, which ends before the cursor. */
static const char *void_help(struct front_end *fe, struct span list, const struct scan *s)
{
	const char *text = s->source->text;
	size_t begin = (size_t)(list.text - text);
	size_t from = begin;

	while (text[begin - 1] != '(') {
		begin--;
	}
	while (from > 0 && text[from - 1] != '\n') {
		from--;
	}
	const char *line = arena_printf(&fe->model->arena, "%.*svoid)%.*s", (int)(begin - from),
		text + from, (int)(s->end - s->pos), text + s->pos);

	return write_help(fe, line, "write (void), or the arguments that the format prints");
}

/*
 * Reads an argument list from after its `(` to after its `)`. Returns false after an error that
 * leaves the arguments unknown; then the cursor is after the list, or at the end of the line if the
 * list has no end.
 */
static bool read_args(struct front_end *fe, struct event *e, struct scan *s)
{
	struct args args = { .fe = fe, .event = e };
	struct span list;

	if (!take_list(fe, s, &list)) {
		return false;
	}
	if (list.len == 0) {
		fail(&args, list, void_help(fe, list, s), "an empty argument list");
	} else if (!span_equals(list, "void")) {
		read_list(&args, list);
	}
	arg_list_move(&args.list, &fe->model->arena, e);
	return !args.failed;
}

static const char *const property_names[] = { "disable", "tcg", "vcpu" };
static const unsigned int property_bits[] = { EVENT_DISABLE, QEMU_TCG, EVENT_VCPU };

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

/* Reports a `name "format"`, and shows the line with the missing argument list. */
static void report_no_args(struct front_end *fe, struct span line, struct span name)
{
	size_t head = (size_t)(name.text + name.len - line.text);
	struct span tail = span_trim((struct span){ line.text + head, line.len - head });
	const char *mended = arena_printf(arena(fe), "%.*s(void)%s%.*s", (int)head, line.text,
		tail.len ? " " : "", SPAN_ARGS(tail));
	struct span behind = { name.text + name.len, 0 };

	diag_error(fe->diag, span_location(fe->source, behind),
		write_help(fe, mended, GRAMMAR_HELP), "the event '%.*s' has no argument list",
		SPAN_ARGS(name));
}

/* Reads everything up to and including the `(`: properties, then the name. */
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

/* Statements of model/meaning.h that were read, and no event yet. */
typedef VEC(struct span) statements;

/* Keeps a comment that begins with `@`. */
static void read_comment(statements *meaning, struct scan *s)
{
	s->pos++;
	scan_skip_blanks(s);
	if (scan_peek(s) == '@') {
		vec_push(meaning, ((struct span){ s->source->text + s->pos, s->end - s->pos }));
	}
}

/* Adds to the event what the comments above it say. */
static void read_meaning(struct front_end *fe, statements *meaning, struct event *e)
{
	vec_foreach (const struct span *, span, meaning) {
		struct placed text = { .span = *span, .source = fe->source };
		size_t *places = arena_array(arena(fe), size_t, span->len + 1);

		for (size_t i = 0; i <= span->len; i++) {
			places[i] = (size_t)(span->text - fe->source->text) + i;
		}
		text.places = places;
		meaning_read(e, arena(fe), fe->rules, &text, true);
	}
	meaning->count = 0;
}

static void read_line(
	struct front_end *fe, statements *meaning, struct scan *s, unsigned int number)
{
	struct qemu_line line = { .event.line = number };
	struct event *e = &line.event;
	struct span name;

	scan_skip_blanks(s);
	if (scan_peek(s) == '#') {
		read_comment(meaning, s);
		return;
	}
	if (scan_peek(s) == SCAN_END) {
		return;
	}
	/* Bytes that no declaration can contain. */
	const char *text = s->source->text + s->pos;
	size_t len = s->end - s->pos;
	size_t invalid = utf8_invalid(text, len);

	if (invalid < len) {
		diag_error(fe->rules, ((struct location){ s->source, s->pos + invalid }),
			"save the file as UTF-8", "the line is not UTF-8");
	}
	if (!(invalid == len || fe->lenient) || !read_head(fe, e, &name, s)) {
		return;
	}
	name_check_event(name, span_location(fe->source, name), fe->rules);
	e->name = arena_strndup(arena(fe), name.text, name.len);
	e->at = span_location(fe->source, name);
	bool args_ok = read_args(fe, e, s);

	if (args_ok) {
		read_meaning(fe, meaning, e);
	}
	read_formats(fe, &line, s);
	if (args_ok) {
		qemu_expand(fe, &line);
	}
}

void decl_read_qemu(struct front_end *fe)
{
	const struct source *source = fe->source;
	bool has_mark = source->len >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0;
	size_t pos = has_mark ? 3 : 0; /* after a byte order mark */
	unsigned int number = 0;
	statements meaning = { 0 };

	while (pos < source->len) {
		const char *newline = memchr(source->text + pos, '\n', source->len - pos);
		size_t end = newline ? (size_t)(newline - source->text) : source->len;
		struct scan s = { source, pos, end };

		if (s.end > s.pos && source->text[s.end - 1] == '\r') {
			s.end--;
		}
		read_line(fe, &meaning, &s, ++number);
		pos = end + 1;
	}
	vec_foreach (const struct span *, span, &meaning) {
		diag_error(fe->rules, span_location(source, *span), "write it above the event",
			"no event follows");
	}
	vec_fini(&meaning);
	if (source->len > 0 && source->text[source->len - 1] != '\n') {
		diag_error(fe->rules, ((struct location){ source, source->len }),
			"end the last line with a newline", "the file does not end with a newline");
	}
}
