/* SPDX-License-Identifier: MIT */
/*
 * Recognizes markers by trying their grammars in order; a text that fits none is plain. Allocates
 * no memory: parts point into the text. scope.c makes records of markers.
 */
#include "read/kernel/marker.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* Numbers of synchronous scopes begin here; crosvm's begin at 0. */
#define FIRST_SYNC (INT64_C(1) << 31)

/* Limit of the separators tried between name and arguments, as more would only cost time. */
#define SEPARATORS_MAX 16

static struct span span_of(const char *begin, const char *end)
{
	return (struct span){ begin, (size_t)(end - begin) };
}

static struct span span_to_end(const char *begin)
{
	return (struct span){ begin, strlen(begin) };
}

static bool take(const char **p, const char *text)
{
	size_t length = strlen(text);
	bool found = strncmp(*p, text, length) == 0;

	*p += found ? length : 0;
	return found;
}

static bool take_number(const char **p, int64_t *number)
{
	const char *at = *p;
	bool is_negative = *at == '-';
	uint64_t n = 0;

	at += is_negative;
	if (!is_digit(*at)) {
		return false;
	}
	for (; is_digit(*at); at++) {
		n = n * 10 + (uint64_t)(*at - '0');
	}
	n &= INT64_MAX;
	*number = is_negative ? -(int64_t)n : (int64_t)n;
	*p = at;
	return true;
}

static struct span take_word(const char **p)
{
	const char *begin = *p;

	while (is_word((unsigned char)**p)) {
		(*p)++;
	}
	return span_of(begin, *p);
}

/* `<name>`, or `<name> - (<expression>: <value>)...`. */
static void set_name(struct marker *m, const char *text)
{
	static const char separator[] = " - (";
	const char *at = strstr(text, separator);

	for (int i = 1; at && !marker_expression_end(at + strlen(" - ")); i++) {
		at = i < SEPARATORS_MAX ? strstr(at + 1, separator) : NULL;
	}
	m->name = at ? span_of(text, at) : span_to_end(text);
	m->arguments = at ? span_to_end(at + strlen(" - ")) : (struct span){ text, 0 };
}

/* Parses `[<name>] <message>`, of an event that was declared in TOML. */
static bool set_declared(struct marker *m, const char *text)
{
	const char *p = text + (*text == '[');
	struct span name = take_word(&p);

	if (*text != '[' || name.len == 0 || !take(&p, "] ")) {
		return false;
	}
	m->name = name;
	m->message = span_to_end(p);
	return true;
}

/* ---- crosvm's lines, and those that waymark/scope.h adds ---- */

static const struct {
	const char *word;
	enum marker_kind kind;
	bool has_number;
	bool has_arguments; /* false: the rest of the line is the name, as in ends */
} words[] = {
	{ " Enter: ", MARKER_ENTER, true, true },
	{ " Exit: ", MARKER_EXIT, true, false },
	{ " Flow begin: ", MARKER_ASYNC, true, true },
	{ " Flow step: ", MARKER_STEP, true, true },
	{ " Flow end: ", MARKER_ASYNC_END, true, false },
	{ " Instant: ", MARKER_INSTANT, false, true },
	{ " Counter: ", MARKER_COUNTER, false, true },
};

/* `[<number> ]<category> <word>: <name>[ - <arguments>]` */
static bool parse_site(struct marker *m, const char *text)
{
	bool has_number = take_number(&text, &m->number) && take(&text, " ");
	struct span category = take_word(&text);

	for (size_t i = 0; i < ARRAY_SIZE(words) && category.len > 0; i++) {
		if (words[i].has_number != has_number || !take(&text, words[i].word)) {
			continue;
		}
		m->kind = words[i].kind;
		m->category = category;
		set_name(m, text);
		if (!words[i].has_arguments) {
			m->name = span_to_end(text);
			m->arguments.len = 0;
		}
		bool is_sync = m->kind == MARKER_ENTER || m->kind == MARKER_EXIT;

		m->number += is_sync && m->number < FIRST_SYNC ? FIRST_SYNC : 0;
		return true;
	}
	return false;
}

/* ---- Scopes declared in TOML ---- */

/*
 * Parses `[SCOPE_START][<name>] <message>` and `[SCOPE_END]`. With (id=N), any thread may end it.
 */
static bool parse_scope(struct marker *m, const char *text)
{
	bool is_begin = take(&text, "[SCOPE_START");

	if (!is_begin && !take(&text, "[SCOPE_END")) {
		return false;
	}
	bool has_id = take(&text, "(id=");

	if (has_id && take_number(&text, &m->number) && take(&text, ")]") &&
		set_declared(m, text)) {
		m->kind = is_begin ? MARKER_ASYNC : MARKER_ASYNC_END;
		return true;
	}
	if (has_id || !take(&text, "]")) {
		return false;
	}
	m->kind = is_begin ? MARKER_BEGIN : MARKER_END;
	return is_begin ? set_declared(m, text) : *text == '\0';
}

/* ---- Android's and OpenHarmony's ---- */

static const struct {
	char letter;
	enum marker_kind kind;
	bool has_tail; /* has a number after the name */
} letters[] = {
	{ 'B', MARKER_BEGIN, false },
	{ 'E', MARKER_END, false },
	{ 'S', MARKER_ASYNC, true },
	{ 'F', MARKER_ASYNC_END, true },
	{ 'C', MARKER_COUNTER, true },
	{ 'I', MARKER_INSTANT, false },
};

/* Cuts off the text after the last `separator`. */
static bool cut_tail(struct marker *m, char *name, char separator)
{
	char *tail = strrchr(name, separator);
	const char *p = tail ? tail + 1 : "";

	if (m->kind == MARKER_COUNTER) {
		m->value = span_to_end(p);
	} else if (!take_number(&p, &m->number) || *p) {
		return false;
	}
	m->number = (int32_t)m->number;
	if (tail) {
		*tail = '\0';
	}
	return tail != NULL;
}

static bool set_body(struct marker *m, const char *text)
{
	if (m->kind == MARKER_INSTANT) {
		set_name(m, text);
		/* An instant's name is one word, or has a category; any other text is a message. */
		const char *p = m->name.text;
		bool has_category = take_word(&p).len > 0 && p[0] == ':' && p[1] && !is_blank(p[1]);

		return has_category ||
		       (m->name.len > 0 && strcspn(m->name.text, " \t\n") >= m->name.len);
	}
	if (!set_declared(m, text)) {
		set_name(m, text);
	}
	return m->name.len > 0;
}

/* Parses the text after `<letter>|<pid>|`. */
static bool parse_named(struct marker *m, char *name, bool has_tail)
{
	bool is_hitrace = name[0] == 'H' && name[1] == ':';

	name += is_hitrace ? strlen("H:") : 0;
	if (has_tail && !cut_tail(m, name, is_hitrace ? ' ' : '|')) {
		return false;
	}
	if (!set_body(m, name)) {
		*m = (struct marker){
			.kind = MARKER_TEXT,
			.pid = m->pid,
			.message = span_to_end(name),
		};
	}
	return true;
}

static bool parse_letter(struct marker *m, char *text)
{
	const char *p = text + 2;
	int64_t pid = 0;
	size_t i = 0;

	while (i < ARRAY_SIZE(letters) && letters[i].letter != *text) {
		i++;
	}
	if (i == ARRAY_SIZE(letters) || text[1] != '|') {
		return false;
	}
	m->kind = letters[i].kind;
	bool has_pid = take_number(&p, &pid) && pid >= 0 && pid < UINT32_MAX;

	m->pid = has_pid ? (uint32_t)pid : 0;
	if (m->kind == MARKER_END) {
		return *p == '\0' || *p == '|';
	}
	return has_pid && *p == '|' && parse_named(m, text + (p + 1 - text), letters[i].has_tail);
}

void marker_parse(struct marker *m, char *text)
{
	*m = (struct marker){ .kind = MARKER_TEXT };
	if (parse_site(m, text) || parse_scope(m, text)) {
		return;
	}
	*m = (struct marker){ .kind = MARKER_TEXT };
	if (!parse_letter(m, text)) {
		*m = (struct marker){ .kind = MARKER_TEXT, .message = span_to_end(text) };
	}
}
