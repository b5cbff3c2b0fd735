/* SPDX-License-Identifier: MIT */
/*
 * How large an expression is once regcomp() has written its repetitions out:
 * ((a{255}){255}){255} has twenty bytes, and sixteen million positions. What
 * may be read in two ways is counted as the larger one. No allocation.
 */
#include "rt/event/pattern.h"
#include "rt/host/error.h"

/* One level of parentheses. */
struct level {
	size_t total;
	size_t last; /* of it: what a repetition would be about */
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

static void put_atom(struct reader *r, size_t size)
{
	top(r)->total += size;
	top(r)->last = size;
}

/* The last atom `times` times, and the operator; both factors are small by now. */
static void repeat(struct reader *r, size_t times)
{
	struct level *l = top(r);
	size_t size = l->last * times + 1;

	l->total += size - l->last;
	l->last = size;
}

/* The highest number of `{m,n}`, and one more for what `{m,}` may be; no more than needed. */
static size_t read_times(const char **text, const char *end)
{
	const char *p = *text;
	size_t most = 0;
	size_t n = 0;

	for (; p < end && ((*p >= '0' && *p <= '9') || *p == ','); p++) {
		n = *p == ',' ? 0 : 10 * n + (size_t)(*p - '0');
		n = n < REGEX_SIZE_MAX ? n : REGEX_SIZE_MAX;
		most = n > most ? n : most;
	}
	if (p < end && *p == '}') {
		*text = p + 1;
	}
	return most + 1;
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

static void close_group(struct reader *r)
{
	size_t size = 1;

	if (r->depth > 0) {
		size += top(r)->total;
		r->depth--;
	}
	put_atom(r, size);
}

static int read_escape(struct reader *r, struct waymark_error *error)
{
	if (r->text < r->end && *r->text >= '1' && *r->text <= '9') {
		return waymark_fail(error, "back-references are not supported");
	}
	r->text += r->text < r->end;
	put_atom(r, 1);
	return 0;
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
		close_group(r);
		return 0;
	case '[':
		r->text = skip_bracket(r->text, r->end);
		break;
	case '*':
	case '?':
		repeat(r, 1);
		return 0;
	case '+':
		repeat(r, 2);
		return 0;
	case '{':
		repeat(r, read_times(&r->text, r->end));
		return 0;
	default:
		break;
	}
	put_atom(r, 1);
	return 0;
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
