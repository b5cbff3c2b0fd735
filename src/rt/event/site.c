/* SPDX-License-Identifier: MIT */
/*
 * Trace points of waymark/scope.h: splits the source text of their arguments, and makes
 * declarations from it. Called when a trace point is first switched on, and by text backends for
 * each event, in any context.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "rt/event/registry.h"
#include "rt/event/site.h"

const struct waymark_arg waymark_site_end_args[2] = {
	{ WAYMARK_SIGNED, sizeof(int64_t), 0 },
	{ WAYMARK_UNSIGNED, sizeof(uint32_t), 0 },
};

#define VALUE "&dyn fmt::Debug"

/* The declared type of each kind of value; by enum waymark_debug_kind. */
static const struct {
	const char *type;
	struct waymark_arg arg;
} types[WAYMARK_DEBUG_KINDS] = {
	[WAYMARK_DEBUG_U8] = { "u8", { WAYMARK_UNSIGNED, 1, 0 } },
	[WAYMARK_DEBUG_U16] = { "u16", { WAYMARK_UNSIGNED, 2, 0 } },
	[WAYMARK_DEBUG_U32] = { "u32", { WAYMARK_UNSIGNED, 4, 0 } },
	[WAYMARK_DEBUG_U64] = { "u64", { WAYMARK_UNSIGNED, 8, 0 } },
	[WAYMARK_DEBUG_I8] = { "i8", { WAYMARK_SIGNED, 1, 0 } },
	[WAYMARK_DEBUG_I16] = { "i16", { WAYMARK_SIGNED, 2, 0 } },
	[WAYMARK_DEBUG_I32] = { "i32", { WAYMARK_SIGNED, 4, 0 } },
	[WAYMARK_DEBUG_I64] = { "i64", { WAYMARK_SIGNED, 8, 0 } },
	[WAYMARK_DEBUG_U128] = { "u128", { WAYMARK_UNSIGNED, 16, 0 } },
	[WAYMARK_DEBUG_I128] = { "i128", { WAYMARK_SIGNED, 16, 0 } },
	[WAYMARK_DEBUG_F32] = { "f32", { WAYMARK_FLOAT, 4, 0 } },
	[WAYMARK_DEBUG_F64] = { "f64", { WAYMARK_FLOAT, 8, 0 } },
	[WAYMARK_DEBUG_BOOL] = { "bool", { WAYMARK_UNSIGNED, 1, 0 } },
	[WAYMARK_DEBUG_CHAR] = { VALUE, { WAYMARK_DEBUG, 0, 0 } },
	[WAYMARK_DEBUG_POINTER] = { VALUE, { WAYMARK_DEBUG, 0, 0 } },
	[WAYMARK_DEBUG_STRING] = { "String", { WAYMARK_STRING, 0, 0 } },
	[WAYMARK_DEBUG_OBJECT] = { VALUE, { WAYMARK_DEBUG, 0, 0 } },
};

/* ---- The source text ---- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Returns the end of the literal at `p`, in which `\` escapes quotes. */
static const char *skip_literal(const char *p)
{
	char quote = *p++;

	while (*p && *p != quote) {
		p += p[0] == '\\' && p[1] ? 2 : 1;
	}
	return *p ? p + 1 : p;
}

/* Returns the end of `"delimiter(text)delimiter"`, whose text may have quotes and `\`. */
static const char *skip_raw(const char *p)
{
	const char *delimiter = p + 1;
	size_t length = strcspn(delimiter, "(");

	for (p = strchr(p, ')'); p; p = strchr(p + 1, ')')) {
		if (strncmp(p + 1, delimiter, length) == 0 && p[1 + length] == '"') {
			return p + length + 2;
		}
	}
	return delimiter + strlen(delimiter);
}

/*
 * Returns the end of a name or number, which may have `'` between its digits, or of a raw literal
 * that begins with R, LR, uR, UR or u8R.
 */
static const char *skip_word(const char *p)
{
	const char *word = p;
	bool is_number = *p >= '0' && *p <= '9';

	while (is_word(*p) || *p == '_' || (is_number && *p == '\'' && is_word(p[1]))) {
		p++;
	}
	bool is_raw = *p == '"' && p[-1] == 'R' && p - word <= 3 && strchr("RLuU", *word);

	return is_raw ? skip_raw(p) : p;
}

/* Returns the end of the argument at `p`: a comma outside parentheses and literals. */
static const char *find_end(const char *p)
{
	int depth = 0;

	while (*p && (*p != ',' || depth > 0)) {
		if (*p == '"' || *p == '\'') {
			p = skip_literal(p);
		} else if (is_word(*p) || *p == '_') {
			p = skip_word(p);
		} else {
			depth += (*p == '(') - (*p == ')');
			p++;
		}
	}
	return p;
}

bool waymark_site_next(const char **source, struct site_span *argument)
{
	const char *p = find_end(*source);

	if (!*p) {
		*source = p;
		*argument = (struct site_span){ p, 0 };
		return false;
	}
	for (p++; is_blank(*p); p++) {
	}
	const char *end = find_end(p);

	*source = end;
	while (end > p && is_blank(end[-1])) {
		end--;
	}
	*argument = (struct site_span){ p, (size_t)(end - p) };
	return true;
}

size_t waymark_site_category(const struct waymark_event *event, const char **name)
{
	if (!site_of(event)->category) {
		*name = event->name;
		return 0;
	}
	size_t length = strcspn(event->name, ":");

	*name = event->name + length + (event->name[length] == ':');
	return length;
}

/* ---- The declaration ---- */

/* The declaration being made: one block of memory. */
struct declaration {
	struct waymark_event event;
	struct waymark_arg args[UINT8_MAX];
	char *text; /* the end of `texts` */
	const char *names; /* and types of the arguments, in `texts` */
	char texts[]; /* of the event */
};

/* True if an argument before `name` has that name. */
static bool is_taken(const struct declaration *m, const char *name)
{
	for (const char *n = m->names; n < name; n = event_next_text(event_next_text(n))) {
		if (strcmp(n, name) == 0) {
			return true;
		}
	}
	return false;
}

static void put(struct declaration *m, const char *text)
{
	m->text = stpcpy(m->text, text);
}

/* Does the same, and ends the text. */
static void put_text(struct declaration *m, const char *text)
{
	put(m, text);
	m->text++;
}

/*
 * Makes a name from an expression: `self->tag` becomes self_tag. Appends `_` to a name that is
 * taken.
 */
static void put_name(struct declaration *m, struct site_span expression)
{
	char *name = m->text;
	char *p = name;

	for (size_t i = 0; i < expression.length; i++) {
		char c = expression.text[i];

		if (is_word(c)) {
			*p++ = c;
		} else if (p > name && p[-1] != '_') {
			*p++ = '_';
		}
	}
	while (p > name && p[-1] == '_') {
		p--;
	}
	if (p == name || (*name >= '0' && *name <= '9')) {
		memmove(name + 1, name, (size_t)(p - name));
		*name = 'v';
		p++;
	}
	for (*p = '\0'; is_taken(m, name); *p = '\0') {
		*p++ = '_';
	}
	m->text = p + 1;
}

/* Appends literal text of a message. */
static void put_literal(struct declaration *m, struct site_span s)
{
	for (size_t i = 0; i < s.length; i++) {
		if (s.text[i] == '{' || s.text[i] == '}') {
			*m->text++ = s.text[i];
		}
		*m->text++ = s.text[i];
	}
}

/*
 * Puts the message: `(expression: {:?})` for each argument, after the number of a step's flow; or
 * only the text of WAYMARK_PRINT().
 */
static void put_message(struct declaration *m, const struct waymark_event *event)
{
	const char *source = event_format(event);
	uint32_t kind = site_of(event)->kind;
	struct site_span s;

	if (kind == WAYMARK_SITE_PRINT) {
		put(m, "{}");
	} else {
		put(m, kind == WAYMARK_SITE_STEP ? "(flow: {})" : "");
		while (waymark_site_next(&source, &s)) {
			put(m, "(");
			put_literal(m, s);
			put(m, ": {:?})");
		}
	}
	m->text++;
}

static void put_args(struct declaration *m, const struct waymark_event *event)
{
	const char *source = event_format(event);
	unsigned int first = site_has_number(site_of(event));
	struct site_span s;

	m->names = m->text;
	if (first) {
		m->args[0] = event->args[0];
		put_text(m, site_of(event)->kind == WAYMARK_SITE_STEP ? "flow" : "scope");
		put_text(m, "i64");
	}
	for (unsigned int i = first; i < event->arg_count; i++) {
		unsigned int kind = event->args[i].kind;

		kind = kind < ARRAY_SIZE(types) ? kind : WAYMARK_DEBUG_OBJECT;
		waymark_site_next(&source, &s);
		m->args[i] = types[kind].arg;
		put_name(m, s);
		put_text(m, types[kind].type);
	}
	put_text(m, ""); /* the meaning */
}

struct waymark_event *waymark_site_declare(const struct waymark_event *event)
{
	/* A name takes the bytes of its expression, and one `_` for each name before it. */
	size_t arg_bytes = (size_t)event->arg_count * (event->arg_count + 10u + sizeof(VALUE));
	size_t bytes = strlen(event->name) + 3 * strlen(event_format(event)) + arg_bytes + 32;
	struct declaration *m = malloc(sizeof(*m) + bytes);

	if (!m) {
		return NULL;
	}
	m->text = m->texts;
	put_text(m, event->name);
	put_message(m, event);
	put_args(m, event);
	m->event = *event;
	m->event.name = m->texts;
	m->event.args = m->args;
	return &m->event;
}
