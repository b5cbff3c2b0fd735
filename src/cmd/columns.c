/* SPDX-License-Identifier: MIT */
/*
 * Keeps cells as text until all are known, since the widest cell sets the width of its column.
 * Escapes every cell, so that a row stays one line.
 */
#include "cmd/columns.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "cmd/escaped.h"

#define COLUMNS_MAX 40
#define GAP 2

/* The largest number that is not rounded. */
#define EXACT_MAX 99999u

static const char *next_title(const char *title)
{
	title += strcspn(title, " ");
	return title + strspn(title, " ");
}

void columns_init(struct columns *c, const char *titles)
{
	*c = (struct columns){ .titles = titles };
	for (const char *t = titles; *t; t = next_title(t)) {
		c->count++;
	}
}

void columns_fini(struct columns *c)
{
	vec_foreach (char **, cell, &c->cells) {
		free(*cell);
	}
	vec_fini(&c->cells);
}

void columns_put(struct columns *c, const char *text)
{
	char *cell = NULL;
	size_t size;
	FILE *out = memory_stream(&cell, &size);

	escaped_put(out, text);
	fclose(out);
	vec_push(&c->cells, cell);
}

static void put_rounded(struct columns *c, uint64_t n, double step, const char *units)
{
	char text[32];
	double value = (double)n;

	if (n <= EXACT_MAX) {
		snprintf(text, sizeof(text), "%u", (unsigned int)n);
		columns_put(c, text);
		return;
	}
	for (; value >= step && units[1]; units++) {
		value /= step;
	}
	snprintf(text, sizeof(text),
		value < 9.995	? "%.2f%c"
		: value < 99.95 ? "%.1f%c"
				: "%.0f%c",
		value, *units);
	columns_put(c, text);
}

void columns_put_number(struct columns *c, uint64_t n)
{
	put_rounded(c, n, 1000, " kMGTPE");
}

void columns_put_bytes(struct columns *c, uint64_t n)
{
	put_rounded(c, n, 1024, " KMGTPE");
}

void columns_time(char text[COLUMNS_TIME_SIZE], uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	size_t unit = 0;

	while (unit + 1 < ARRAY_SIZE(units) && value >= 999.5) {
		value /= 1000;
		unit++;
	}
	int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;

	snprintf(text, COLUMNS_TIME_SIZE, "%.*f %s", digits, value, units[unit]);
}

void columns_put_time(struct columns *c, uint64_t ns)
{
	char text[COLUMNS_TIME_SIZE];

	columns_time(text, ns);
	columns_put(c, text);
}

void columns_put_age(struct columns *c, time_t then)
{
	time_t age = time(NULL) - then;
	char text[32];

	age = age > 0 ? age : 0;
	snprintf(text, sizeof(text), "%lld%c",
		(long long)(age >= 86400  ? age / 86400
			    : age >= 3600 ? age / 3600
			    : age >= 60	  ? age / 60
					  : age),
		age >= 86400  ? 'd'
		: age >= 3600 ? 'h'
		: age >= 60   ? 'm'
			      : 's');
	columns_put(c, text);
}

const char *user_name(char *text, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (user) {
		snprintf(text, USER_NAME_SIZE, "%s", user->pw_name);
	} else {
		snprintf(text, USER_NAME_SIZE, "%u", (unsigned int)uid);
	}
	return text;
}

void columns_put_user(struct columns *c, uid_t uid)
{
	char text[USER_NAME_SIZE];

	columns_put(c, user_name(text, uid));
}

struct measure {
	size_t count;
	size_t widths[COLUMNS_MAX];
	bool is_left[COLUMNS_MAX];
};

static void measure(const struct columns *c, struct measure *m)
{
	const char *title = c->titles;

	m->count = c->count;
	for (size_t i = 0; i < c->count; i++, title = next_title(title)) {
		m->is_left[i] = *title == '-';
		m->widths[i] = strcspn(title, " ") - m->is_left[i];
	}
	for (size_t i = 0; i < c->cells.count; i++) {
		const char *cell = c->cells.items[i];
		size_t needed = utf8_count(cell, strlen(cell));
		size_t *width = &m->widths[i % c->count];

		*width = needed > *width ? needed : *width;
	}
}

/* Prints a cell, without blanks before the line's end. */
static void print_cell(
	FILE *out, const struct measure *m, size_t column, const char *text, size_t length)
{
	int padding = (int)(m->widths[column] - utf8_count(text, length));
	bool is_last = column + 1 == m->count;
	bool is_left = m->is_left[column];

	fprintf(out, "%*s", column && (length || !is_last) ? GAP : 0, "");
	fprintf(out, "%*s%.*s%*s%s", is_left ? 0 : padding, "", (int)length, text,
		is_left && !is_last ? padding : 0, "", is_last ? "\n" : "");
}

void columns_print(const struct columns *c, FILE *out)
{
	struct measure m;
	const char *title = c->titles;

	if (!c->cells.count) {
		return;
	}
	measure(c, &m);
	for (size_t i = 0; i < c->count; i++, title = next_title(title)) {
		print_cell(out, &m, i, title + m.is_left[i], strcspn(title, " ") - m.is_left[i]);
	}
	for (size_t i = 0; i < c->cells.count; i++) {
		const char *text = c->cells.items[i];

		print_cell(out, &m, i % c->count, text, strlen(text));
	}
}

void columns_print_tabs(const struct columns *c, FILE *out)
{
	const char *title = c->titles;

	for (size_t i = 0; i < c->count; i++, title = next_title(title)) {
		bool is_left = *title == '-';

		fprintf(out, "%s%.*s", i ? "\t" : "", (int)strcspn(title, " ") - is_left,
			title + is_left);
	}
	for (size_t i = 0; i < c->cells.count; i++) {
		fprintf(out, "%s%s", i % c->count ? "\t" : "\n", c->cells.items[i]);
	}
	fputc('\n', out);
}
