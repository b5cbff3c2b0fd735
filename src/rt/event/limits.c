/* SPDX-License-Identifier: MIT */
/* Limits as text: see limits.h. */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "rt/event/limits.h"
#include "rt/event/part.h"
#include "rt/host/error.h"

/* An event that is recorded more often than every 100 ns has no use for a limit of its rate. */
#define INTERVAL_MIN_NS 100u

/* Reads the value of a limit. Returns false if it is wrong. */
typedef bool read_value(struct limits *l, struct part value);

/* Takes a number from 1 to UINT32_MAX off. */
static bool take_count(struct part *value, uint64_t *count)
{
	return part_take_number(value, UINT32_MAX, count) && *count > 0;
}

static bool read_sample(struct limits *l, struct part value)
{
	uint64_t count;

	if (value.length < 2 || memcmp(value.text, "1/", 2) != 0) {
		return false;
	}
	value = (struct part){ value.text + 2, value.length - 2 };
	if (!take_count(&value, &count) || value.length) {
		return false;
	}
	l->sample = (uint32_t)count;
	return true;
}

static bool read_every(struct limits *l, struct part value)
{
	uint64_t count;

	if (!take_count(&value, &count) || value.length) {
		return false;
	}
	l->every = (uint32_t)count;
	return true;
}

static bool read_rate(struct limits *l, struct part value)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "/ms", UINT64_C(1000000) },
		{ "/s", UINT64_C(1000000000) },
		{ "/min", UINT64_C(60000000000) },
		{ "/h", UINT64_C(3600000000000) },
	};
	uint64_t count;

	if (!take_count(&value, &count)) {
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (part_is(&value, units[i].name)) {
			l->period_ns = units[i].ns;
			l->interval_ns = units[i].ns / count;
			return l->interval_ns >= INTERVAL_MIN_NS;
		}
	}
	return false;
}

static bool read_first(struct limits *l, struct part value)
{
	return take_count(&value, &l->first) && !value.length;
}

static const struct keyword {
	const char *name; /* with its `=` */
	read_value *read;
	const char *form; /* for messages */
} keywords[] = {
	{ "sample=", read_sample, "sample=1/N by FIELD" },
	{ "every=", read_every, "every=N" },
	{ "rate=", read_rate, "rate=N/s, N/ms, N/min or N/h, at most 10000000/s" },
	{ "first=", read_first, "first=N" },
};

static const struct keyword *keyword_of(const char *text, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		size_t own = strlen(keywords[i].name);

		if (length >= own && memcmp(text, keywords[i].name, own) == 0) {
			return &keywords[i];
		}
	}
	return NULL;
}

const char *waymark_limits_find(const char *text, const char *end)
{
	for (const char *s = text; s < end; s++) {
		if (s > text && s[-1] == ' ' && keyword_of(s, (size_t)(end - s))) {
			return s;
		}
	}
	return NULL;
}

/* Takes `by FIELD` off, which follows sample=. */
static bool take_field(struct limits *l, struct part *rest)
{
	const struct part by = part_take_word(rest);
	const struct part field = part_take_word(rest);

	l->field = field.text;
	l->field_length = field.length;
	return part_is(&by, "by") && field.length > 0;
}

/* Reads one limit. `seen`: bits of the keywords before. Returns 0, or -1. */
static int read_limit(struct limits *l, const struct part *w, unsigned int *seen, struct part *rest,
	struct waymark_error *error)
{
	const struct keyword *k = keyword_of(w->text, w->length);

	if (!k) {
		return waymark_fail(error,
			"'%.*s' is no limit; limits are sample=, every=, rate= and first=",
			(int)w->length, w->text);
	}
	unsigned int bit = 1u << (k - keywords);
	size_t name = strlen(k->name);
	const struct part value = { w->text + name, w->length - name };

	if (*seen & bit) {
		return waymark_fail(
			error, "'%.*s': %s is given twice", (int)w->length, w->text, k->name);
	}
	*seen |= bit;
	if (!k->read(l, value) || (k->read == read_sample && !take_field(l, rest))) {
		return waymark_fail(
			error, "'%.*s' is wrong; write %s", (int)w->length, w->text, k->form);
	}
	return 0;
}

static int read_limits(struct limits *l, struct waymark_error *error)
{
	struct part rest = { l->text, strlen(l->text) };
	unsigned int seen = 0;

	while (rest.length) {
		const struct part w = part_take_word(&rest);

		if (read_limit(l, &w, &seen, &rest, error) < 0) {
			return -1;
		}
	}
	return 0;
}

/* Copies words with single blanks between them. */
static void copy_words(char *to, struct part rest)
{
	while (rest.length) {
		const struct part w = part_take_word(&rest);

		to = (char *)memcpy(to, w.text, w.length) + w.length;
		*to++ = rest.length ? ' ' : '\0';
	}
}

struct limits *waymark_limits_new(const char *text, size_t length, struct waymark_error *error)
{
	if (length > LIMITS_TEXT_MAX) {
		waymark_fail(error, "limits of more than %u bytes", LIMITS_TEXT_MAX);
		return NULL;
	}
	struct limits *l = calloc(1, sizeof(*l) + length + 1);

	if (!l) {
		waymark_fail(error, "out of memory");
		return NULL;
	}
	copy_words(l->text, part_of(text, text + length));
	if (read_limits(l, error) < 0) {
		free(l);
		return NULL;
	}
	return l;
}

struct limits *waymark_limits_copy(const struct limits *l)
{
	size_t size = sizeof(*l) + strlen(l->text) + 1;
	struct limits *copy = malloc(size);

	if (copy) {
		memcpy(copy, l, size);
		copy->field = l->field ? copy->text + (l->field - l->text) : NULL;
	}
	return copy;
}
