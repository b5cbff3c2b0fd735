/* SPDX-License-Identifier: MIT */
/*
 * Patterns for event names: a name, a category's name (VirtioFs matches all names that begin with
 * `VirtioFs:`), a glob (`*`, `?`), or between slashes a POSIX extended regular expression, which
 * may match any part of a name. An expression without operators, except `^` before it and `$` after
 * it, is searched as plain text, because lists of thousands consist of such expressions. A pattern
 * is compiled once and matched often. Matching may allocate, but calls no function of ours, so the
 * control lock may be held. A fork takes that lock, so no match is under way then.
 *
 * Expressions mean the same in every locale. Expressions that could take much time or memory are
 * refused: back-references, unbounded repetitions of a part that may be empty, and expressions
 * larger than REGEX_SIZE_MAX.
 */
#ifndef RT_EVENT_PATTERN_H
#define RT_EVENT_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/control.h>

/* The most bytes of an expression, and the most positions with all repetitions written out. */
#define REGEX_BYTES_MAX 1024u
#define REGEX_SIZE_MAX 1024u
/* The most nested groups. */
#define REGEX_DEPTH_MAX 32u

enum pattern_kind { PATTERN_EXACT, PATTERN_GLOB, PATTERN_PART, PATTERN_REGEX };

struct pattern {
	enum pattern_kind kind;
	uint32_t hash; /* of the text: saves most comparisons of exact names */
	const char *text; /* borrowed */
	regex_t *regex; /* NULL unless there is one */
	const char *part; /* PATTERN_PART: the part of `text` that a name must have */
	size_t part_length;
	bool at_begin; /* the name must begin with it */
	bool at_end;
};

/* A name to match with patterns. */
struct pattern_name {
	const char *text;
	size_t category; /* bytes before the name's first colon; 0: none */
	uint32_t hash;
	uint32_t category_hash; /* equal to `hash` if there is no category */
};

/* Returns true if the text is a pattern, valid or not, rather than a plain name. */
bool waymark_pattern_is(const char *text);

/* Returns the name, prepared once for all patterns. Borrows the text. */
struct pattern_name waymark_pattern_name(const char *text);

/*
 * Compiles a pattern, whose text must outlive it. Returns 0; or -1 with the reason, and
 * waymark_pattern_fini() need not be called.
 */
int waymark_pattern_init(struct pattern *p, const char *text, struct waymark_error *error);

void waymark_pattern_fini(struct pattern *p);

/* Does what waymark_pattern_matches() does, without the hashes. */
bool waymark_pattern_compare(const struct pattern *p, const struct pattern_name *name);

/* Returns true if the name matches. Only one thread at a time may use a pattern. */
static inline bool waymark_pattern_matches(const struct pattern *p, const struct pattern_name *name)
{
	bool may_be_named = p->hash == name->hash || p->hash == name->category_hash;

	return (may_be_named || p->kind != PATTERN_EXACT) && waymark_pattern_compare(p, name);
}

/* Returns the same for a name that is matched with one pattern only. */
bool waymark_pattern_matches_text(const struct pattern *p, const char *name);

/*
 * Checks that regcomp() takes little time and memory for `length` bytes, which a slash or NUL must
 * follow. Returns 0, or -1 with the reason. Does not check that they are a valid expression, which
 * regcomp() does.
 */
int waymark_regex_check(const char *text, size_t length, struct waymark_error *error);

#endif
