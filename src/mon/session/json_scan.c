/* SPDX-License-Identifier: MIT */
/*
 * Reads one byte at a time and keeps all state in struct json_scan, so that input may be cut
 * anywhere. Called by qmp.c; never stores more than the caller's maximum.
 */
#include "mon/session/dialect.h"

#include <stdlib.h>
#include <string.h>

/* Maximum nesting, as in QEMU. */
#define DEPTH_MAX 1024u

static void restart(struct json_scan *s)
{
	s->length = 0;
	s->depth = 0;
	s->quote = '\0';
	s->escaped = s->is_word = false;
}

static bool make_room(struct json_scan *s, size_t bytes)
{
	size_t capacity = s->capacity ? 2 * s->capacity : 256;

	if (s->length + bytes <= s->capacity) {
		return true;
	}
	char *text = realloc(s->text, capacity);

	if (text) {
		s->text = text;
		s->capacity = capacity;
	}
	return text != NULL;
}

static void put(struct json_scan *s, char c)
{
	s->text[s->length++] = c;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Reads a byte of a string. `text` has room for two bytes. */
static enum json_found take_quoted(struct json_scan *s, char c)
{
	if ((unsigned char)c < 0x20) {
		s->skips = c != '\n';
		return JSON_BROKEN;
	}
	if (s->escaped) {
		s->escaped = false;
		if (c == '\'') {
			s->length--; /* JSON allows no backslash before ' */
		}
		put(s, c);
	} else if (c == s->quote) {
		s->quote = '\0';
		put(s, '"');
		return s->depth ? JSON_NOTHING : JSON_VALUE;
	} else {
		s->escaped = c == '\\';
		if (c == '"') {
			put(s, '\\');
		}
		put(s, c);
	}
	return JSON_NOTHING;
}

/* Reads a byte that is outside of strings and does not end a word. */
static enum json_found take_plain(struct json_scan *s, char c)
{
	bool opens = c == '{' || c == '[';
	bool closes = c == '}' || c == ']';

	if (c == '"' || c == '\'') {
		s->quote = c;
		put(s, '"');
		return JSON_NOTHING;
	}
	if (is_blank(c) && !s->depth) {
		return JSON_NOTHING;
	}
	put(s, c);
	s->depth += opens;
	if (s->depth > DEPTH_MAX) {
		return JSON_TOO_LONG;
	}
	if (closes) {
		s->depth -= s->depth > 0;
		return s->depth ? JSON_NOTHING : JSON_VALUE;
	}
	/* Single punctuation is returned as a value, so that the parser reports it. */
	s->is_word = !opens && !s->depth && c != ',' && c != ':';
	return s->depth || s->is_word ? JSON_NOTHING : JSON_VALUE;
}

static bool ends_word(char c)
{
	return is_blank(c) || (c && strchr("{}[]\"',:", c));
}

void json_scan_skip(struct json_scan *s)
{
	s->skips = true;
}

enum json_found json_scan(struct json_scan *s, const char **bytes, const char *end, size_t max)
{
	enum json_found found = JSON_NOTHING;

	if (s->length && !s->depth && !s->quote && !s->is_word) {
		restart(s); /* drops the last value */
	}
	/* Moves to the possible start of the next request. */
	while (s->skips && *bytes < end) {
		s->skips = **bytes != '\n' && **bytes != '{';
		*bytes += s->skips;
	}
	while (*bytes < end && found == JSON_NOTHING) {
		char c = **bytes;

		if (s->is_word && !s->quote && ends_word(c)) {
			s->is_word = false;
			return JSON_VALUE;
		}
		if (!make_room(s, 2)) {
			restart(s);
			return JSON_NO_MEMORY;
		}
		++*bytes;
		found = s->quote ? take_quoted(s, c) : take_plain(s, c);
		if (s->length > max) {
			found = JSON_TOO_LONG;
		}
	}
	if (found >= JSON_BROKEN) {
		restart(s);
	}
	return found;
}

void json_scan_fini(struct json_scan *s)
{
	free(s->text);
	*s = (struct json_scan){ 0 };
}
