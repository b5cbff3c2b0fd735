/* SPDX-License-Identifier: MIT */
/*
 * Bounds of a regular expression, checked before regcomp() sees it: an expression of few bytes may
 * take all memory or many minutes. There are two such cases in glibc. Repetitions are written out:
 * ((a{255}){255}){255} has 16 million positions. And for an unbounded repetition of a part that may
 * be empty all paths through it are walked: ((a?|b?)(a?|b?)...)* takes a second at 18 groups, and
 * twice as long for each further group. So limits on length and nesting are not enough: the
 * positions are counted, and such repetitions are refused.
 *
 * If an expression can be read in two ways, the larger result counts. Allocates nothing.
 */
#include <string.h>

#include "rt/event/pattern.h"
#include "rt/host/error.h"

/*
 * One level of parentheses. The alternative being read has two parts: its last atom and everything
 * before it.
 */
struct group {
	size_t size; /* positions */
	size_t last_size; /* positions of the last atom, which an operator would repeat */
	bool empty_before; /* the alternative may be empty up to the last atom */
	bool last_empty; /* the last atom may be empty */
	bool empty_alternative; /* one of the alternatives before may be empty */
};

#define EMPTY_GROUP ((struct group){ .empty_before = true, .last_empty = true })

struct repetition {
	size_t times; /* copies of the atom */
	bool may_be_none;
	bool is_endless;
};

struct regex_scan {
	const char *at;
	const char *end;
	size_t depth;
	struct group groups[REGEX_DEPTH_MAX + 1];
};

static int add_atom(struct group *g, size_t size, bool may_be_empty)
{
	g->size += size;
	g->last_size = size;
	g->empty_before &= g->last_empty;
	g->last_empty = may_be_empty;
	return 0;
}

/*
 * Repeats the last atom as its operator says. Both factors are at most about REGEX_SIZE_MAX, so the
 * product does not overflow.
 */
static int repeat(struct group *g, struct repetition by, struct waymark_error *error)
{
	size_t size = g->last_size * by.times + 1;

	if (by.is_endless && g->last_size && g->last_empty) {
		return waymark_fail(error,
			"an unbounded repetition of something that may be empty, as in (a*)+, "
			"is not supported: remove one of the two");
	}
	g->size += size - g->last_size;
	g->last_size = size;
	g->last_empty |= by.may_be_none;
	return 0;
}

/*
 * Reads the rest of `{m,n}`. Counts the higher number of copies plus one, for the rest of `{m,}`.
 * The result does not matter for an expression that regcomp() refuses.
 */
static struct repetition read_times(struct regex_scan *s)
{
	size_t zeros = strspn(s->at, "0");
	struct repetition by = { .may_be_none = !strchr("123456789", s->at[zeros]) };
	const char *p = s->at;
	size_t n = 0;

	for (; p < s->end && strchr("0123456789,", *p); p++) {
		by.is_endless = *p == ',';
		n = *p == ',' ? 0 : 10 * n + (size_t)(*p - '0');
		n = n < REGEX_SIZE_MAX ? n : REGEX_SIZE_MAX;
		by.times = n > by.times ? n : by.times;
	}
	if (p < s->end && *p == '}') {
		s->at = p + 1;
	}
	by.times++;
	return by;
}

/* Skips the rest of a bracket expression; `kind` is set inside [:alpha:], [.x.] and [=x=]. */
static void skip_bracket(struct regex_scan *s)
{
	char kind = '\0';

	s->at += s->at < s->end && *s->at == '^';
	s->at += s->at < s->end && *s->at == ']';
	while (s->at < s->end) {
		char c = *s->at++;
		char next = s->at < s->end ? *s->at : '\0';

		if (!kind && c == ']') {
			return;
		}
		if (!kind && c == '[' && next && strchr(":.=", next)) {
			kind = next;
			s->at++;
		} else if (kind && c == kind && next == ']') {
			kind = '\0';
			s->at++;
		}
	}
}

static int read_escape(struct regex_scan *s, struct group *g, struct waymark_error *error)
{
	char c = s->at < s->end ? *s->at++ : '\\';

	if (c >= '1' && c <= '9') {
		return waymark_fail(error, "back-references are not supported");
	}
	/*
	 * GNU's escapes for positions, such as the ends of words and of the text, match no
	 * character.
	 */
	return add_atom(g, 1, strchr("bB<>`'", c) != NULL);
}

static int read_next(struct regex_scan *s, struct waymark_error *error)
{
	struct group *g = &s->groups[s->depth];

	switch (*s->at++) {
	case '\\':
		return read_escape(s, g, error);
	case '(':
		if (s->depth == REGEX_DEPTH_MAX) {
			return waymark_fail(error, "more than %u nested groups", REGEX_DEPTH_MAX);
		}
		s->groups[++s->depth] = EMPTY_GROUP;
		return 0;
	case ')':
		if (s->depth == 0) { /* without an open group it is a character */
			return add_atom(g, 1, false);
		}
		s->depth--;
		return add_atom(g - 1, g->size + 1,
			g->empty_alternative || (g->empty_before && g->last_empty));
	case '|':
		g->empty_alternative |= g->empty_before && g->last_empty;
		g->empty_before = g->last_empty = true;
		g->size++;
		g->last_size = 0;
		return 0;
	case '[':
		skip_bracket(s);
		return add_atom(g, 1, false);
	case '^':
	case '$':
		return add_atom(g, 1, true);
	case '*':
		return repeat(g, (struct repetition){ 1, true, true }, error);
	case '?':
		return repeat(g, (struct repetition){ 1, true, false }, error);
	case '+':
		return repeat(g, (struct repetition){ 2, false, true }, error);
	case '{':
		return repeat(g, read_times(s), error);
	default:
		return add_atom(g, 1, false);
	}
}

int waymark_regex_check(const char *text, size_t length, struct waymark_error *error)
{
	struct regex_scan s = { .at = text, .end = text + length, .groups = { EMPTY_GROUP } };

	while (s.at < s.end) {
		if (read_next(&s, error) < 0) {
			return -1;
		}
		if (s.groups[s.depth].size > REGEX_SIZE_MAX) {
			return waymark_fail(error,
				"with its repetitions written out it has more than %u positions",
				REGEX_SIZE_MAX);
		}
	}
	return 0;
}
