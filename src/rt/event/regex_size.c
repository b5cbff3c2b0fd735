/* SPDX-License-Identifier: MIT */
/*
 * How large an expression is once regcomp() has written its repetitions out:
 * ((a{255}){255}){255} has twenty bytes, and sixteen million positions. What
 * may be read in two ways is counted as the larger one. No allocation.
 *
 * And whether it repeats without end what may be empty. glibc's regcomp() walks all ways
 * through such a circle anew for each position in it: h+?+?+?+?+?+?+?+? takes it half a second,
 * and each +? more twelve times as long.
 */
#include <string.h>

#include "rt/event/pattern.h"
#include "rt/host/error.h"

/* One level of parentheses. */
struct level {
	size_t total;
	size_t last; /* of it: what a repetition would be about */
	bool needs_before; /* a character, in this alternative, before the last */
	bool needs_last; /* and in the last itself */
	bool may_be_empty; /* another alternative */
};

/* What an operator does with what is before it. */
struct repetition {
	size_t times; /* it is written out */
	bool may_be_none;
	bool is_endless;
};

struct reader {
	const char *text;
	const char *end;
	size_t depth;
	struct level levels[REGEX_DEPTH_MAX + 1];
};

static struct level *top(struct reader *r)
{
	return &r->levels[r->depth];
}

static void put_atom(struct reader *r, size_t size, bool needs_one)
{
	struct level *l = top(r);

	l->total += size;
	l->last = size;
	l->needs_before |= l->needs_last;
	l->needs_last = needs_one;
}

static int put_character(struct reader *r)
{
	put_atom(r, 1, true);
	return 0;
}

/* An anchor, which takes no character. */
static int put_place(struct reader *r)
{
	put_atom(r, 1, false);
	return 0;
}

static bool alternative_is_needy(const struct level *l)
{
	return l->needs_before || l->needs_last;
}

static int next_alternative(struct reader *r)
{
	struct level *l = top(r);

	l->may_be_empty |= !alternative_is_needy(l);
	l->needs_before = false;
	l->needs_last = false;
	l->total++;
	l->last = 0;
	return 0;
}

/* The last atom, and the operator; both factors are small by now. */
static int repeat(struct reader *r, struct repetition by, struct waymark_error *error)
{
	struct level *l = top(r);
	size_t size = l->last * by.times + 1;

	if (by.is_endless && l->last && !l->needs_last) {
		return waymark_fail(error,
			"a repetition without end of what may be empty, as in (a*)+, is not "
			"supported: leave one of the two out");
	}
	l->total += size - l->last;
	l->last = size;
	l->needs_last &= !by.may_be_none;
	return 0;
}

/* Whether a number is missing, or 0. */
static bool begins_with_none(const char *p, const char *end)
{
	while (p < end && *p == '0') {
		p++;
	}
	return p == end || *p < '0' || *p > '9';
}

/*
 * `{m,n}`: the highest number of it, and one more for what `{m,}` may be; no more than needed.
 * What regcomp() refuses may be read as anything.
 */
static struct repetition read_times(const char **text, const char *end)
{
	struct repetition by = { .may_be_none = begins_with_none(*text, end) };
	const char *p = *text;
	size_t most = 0;
	size_t n = 0;

	for (; p < end && ((*p >= '0' && *p <= '9') || *p == ','); p++) {
		by.is_endless = *p == ',';
		n = *p == ',' ? 0 : 10 * n + (size_t)(*p - '0');
		n = n < REGEX_SIZE_MAX ? n : REGEX_SIZE_MAX;
		most = n > most ? n : most;
	}
	if (p < end && *p == '}') {
		*text = p + 1;
	}
	by.times = most + 1;
	return by;
}

/* Behind the end of `[:alpha:]`, `[.x.]` or `[=x=]`, from behind its first two bytes. */
static const char *skip_class(const char *p, const char *end, char kind)
{
	while (p < end && !(*p == kind && p + 1 < end && p[1] == ']')) {
		p++;
	}
	return p < end ? p + 2 : end;
}

/* Behind a bracket expression, from behind its `[`. */
static const char *skip_bracket(const char *p, const char *end)
{
	p += p < end && *p == '^';
	p += p < end && *p == ']';
	while (p < end && *p != ']') {
		if (*p == '[' && p + 1 < end && (p[1] == ':' || p[1] == '.' || p[1] == '=')) {
			p = skip_class(p + 2, end, p[1]);
		} else {
			p++;
		}
	}
	return p < end ? p + 1 : end;
}

static int open_group(struct reader *r, struct waymark_error *error)
{
	if (r->depth == REGEX_DEPTH_MAX) {
		return waymark_fail(
			error, "more than %u groups within each other", REGEX_DEPTH_MAX);
	}
	r->depth++;
	*top(r) = (struct level){ 0 };
	return 0;
}

/* One that was never opened is a character. */
static int close_group(struct reader *r)
{
	if (r->depth == 0) {
		return put_character(r);
	}
	bool needs_one = alternative_is_needy(top(r)) && !top(r)->may_be_empty;
	size_t size = 1 + top(r)->total;

	r->depth--;
	put_atom(r, size, needs_one);
	return 0;
}

static int read_bracket(struct reader *r)
{
	r->text = skip_bracket(r->text, r->end);
	return put_character(r);
}

/* GNU's escapes for places: the ends of words and of the text. */
static int read_escape(struct reader *r, struct waymark_error *error)
{
	char c = r->text < r->end ? *r->text++ : '\\';

	if (c >= '1' && c <= '9') {
		return waymark_fail(error, "back-references are not supported");
	}
	return strchr("bB<>`'", c) ? put_place(r) : put_character(r);
}

/* Reads what begins with `c`, which is behind us. */
static int read_next(struct reader *r, char c, struct waymark_error *error)
{
	switch (c) {
	case '\\':
		return read_escape(r, error);
	case '(':
		return open_group(r, error);
	case ')':
		return close_group(r);
	case '[':
		return read_bracket(r);
	case '|':
		return next_alternative(r);
	case '^':
	case '$':
		return put_place(r);
	case '*':
		return repeat(r, (struct repetition){ 1, true, true }, error);
	case '?':
		return repeat(r, (struct repetition){ 1, true, false }, error);
	case '+':
		return repeat(r, (struct repetition){ 2, false, true }, error);
	case '{':
		return repeat(r, read_times(&r->text, r->end), error);
	default:
		return put_character(r);
	}
}

size_t waymark_regex_size(const char *text, size_t length, struct waymark_error *error)
{
	struct reader r = { .text = text, .end = text + length };
	size_t size = 0;

	while (r.text < r.end) {
		if (read_next(&r, *r.text++, error) < 0) {
			return 0;
		}
		if (top(&r)->total > REGEX_SIZE_MAX) {
			waymark_fail(error,
				"with its repetitions written out it has more than %u positions",
				REGEX_SIZE_MAX);
			return 0;
		}
	}
	for (size_t i = 0; i <= r.depth; i++) {
		size += r.levels[i].total;
	}
	return size ? size : 1;
}
