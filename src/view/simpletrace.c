/* SPDX-License-Identifier: MIT */
/*
 * The simpletrace view: a table of differences between QEMU's releases, Python's rounding of times
 * and its text of bytes, and the lines, whose fixed texts are made once for each class.
 */
#include "view/simpletrace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/message/number.h"

struct simpletrace_style {
	unsigned int major; /* the first release with this style */
	unsigned int minor;
	bool repr; /* prints strings as Python's bytes, else as they are */
	bool blank; /* prints a blank after an event without arguments */
};

static const struct simpletrace_style styles[] = {
	{ 8, 2, true, true },
	{ 8, 0, true, false },
	{ 0, 0, false, false },
};

/* The known releases: major, first and last minor number. */
static const struct {
	unsigned int major;
	unsigned int first;
	unsigned int last;
} releases[] = { { 2, 8, 12 }, { 3, 0, 1 }, { 4, 0, 2 }, { 5, 0, 2 }, { 6, 0, 2 }, { 7, 0, 2 },
	{ 8, 0, 2 }, { 9, 0, 2 }, { 10, 0, 2 } };

/* The text before an argument: ` name=`. */
struct simpletrace_field {
	const char *text;
	size_t length;
};

struct simpletrace_line {
	const char *name;
	size_t name_length;
	size_t room; /* bytes of everything except strings */
	struct simpletrace_field *fields;
	size_t count;
};

/* Accepts a major number without a minor one if any of its releases is known. */
static bool is_known(unsigned long major, unsigned long minor, bool has_minor)
{
	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		if (releases[i].major == major) {
			return !has_minor ||
			       (minor >= releases[i].first && minor <= releases[i].last);
		}
	}
	return false;
}

const struct simpletrace_style *simpletrace_style_find(const char *version)
{
	char *end;
	unsigned long major = strtoul(version, &end, 10);
	unsigned long minor = 0;
	bool has_minor = *end == '.';

	if (version[strspn(version, "0123456789.")] || end == version) {
		return NULL;
	}
	if (has_minor) {
		version = end + 1;
		minor = strtoul(version, &end, 10);
	}
	if (end == version || (*end && *end != '.') || !is_known(major, minor, has_minor)) {
		return NULL;
	}
	const struct simpletrace_style *s = styles;

	while (major < s->major || (major == s->major && minor < s->minor)) {
		s++;
	}
	return s;
}

void simpletrace_view_init(struct simpletrace_view *v, struct out *out, struct reader *r,
	const struct simpletrace_style *style)
{
	*v = (struct simpletrace_view){ .out = out, .reader = r, .style = style };
	arena_init(&v->arena);
}

void simpletrace_view_fini(struct simpletrace_view *v)
{
	vec_fini(&v->lines);
	arena_fini(&v->arena);
}

/*
 * At this value and above, a double cannot represent thousandths exactly, and Python's rounding is
 * visible.
 */
#define EXACT_NS (UINT64_C(1) << 52)

/*
 * Returns the double nearest to ns / 1000, for ns >= EXACT_NS: Python divides integers exactly and
 * rounds once. The quotient is made with 63 bits, more than a double has, and a mark for the
 * remainder.
 */
static double divide_by_1000(uint64_t ns)
{
	uint64_t whole = ns / 1000;
	int shift = __builtin_clzll(whole) - 1;
	uint64_t rest = ns % 1000 << shift;
	uint64_t bits = whole << shift | rest / 1000 | (rest % 1000 != 0);

	return ldexp((double)bits, -shift);
}

char *simpletrace_delta(char *out, uint64_t from, uint64_t to)
{
	uint64_t ns = to < from ? from - to : to - from;

	*out = '-';
	out += to < from;
	if (UNLIKELY(ns >= EXACT_NS)) {
		return out + snprintf(out, NUMBER_ROOM, "%.3f", divide_by_1000(ns));
	}
	uint64_t us = ns / 1000;
	uint64_t rest = ns - us * 1000;

	out = number_decimal(out, us);
	*out++ = '.';
	memcpy(out, number_fours[rest] + 1, 3);
	return out + 3;
}

static char *repr_byte(char *out, unsigned char c, char quote)
{
	static const char letters[] = { ['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r' };

	if (c == quote || c == '\\') {
		*out++ = '\\';
		*out++ = (char)c;
	} else if (c >= 0x20 && c < 0x7f) {
		*out++ = (char)c;
	} else if (c < sizeof(letters) && letters[c]) {
		*out++ = '\\';
		*out++ = letters[c];
	} else {
		memcpy(out, "\\x", 2);
		out = number_hex(out + 2, c, 2);
	}
	return out;
}

char *simpletrace_repr(char *out, const char *text, size_t length)
{
	text = text ? text : ""; /* simpletrace files cannot store NULL */
	bool single = memchr(text, '\'', length) != NULL;
	bool twice = memchr(text, '"', length) != NULL;
	char quote = single && !twice ? '"' : '\'';

	*out++ = 'b';
	*out++ = quote;
	for (size_t i = 0; i < length; i++) {
		out = repr_byte(out, (unsigned char)text[i], quote);
	}
	*out++ = quote;
	return out;
}

static COLD struct simpletrace_line *make_line(
	struct simpletrace_view *v, const struct event_class *class)
{
	struct simpletrace_line *line = arena_new(&v->arena, struct simpletrace_line);
	const struct event *event = class->event;

	line->name = arena_printf(&v->arena, "%s ", class->name);
	line->name_length = strlen(line->name);
	line->count = event->arg_count;
	line->fields = arena_array(&v->arena, struct simpletrace_field, line->count);
	line->room = line->name_length + 4 * NUMBER_ROOM;
	for (size_t i = 0; i < line->count; i++) {
		struct simpletrace_field *field = &line->fields[i];

		field->text = arena_printf(&v->arena, "%s%s=", i ? " " : "", event->args[i].name);
		field->length = strlen(field->text);
		line->room += field->length + 2 * NUMBER_ROOM;
	}
	vec_reach(&v->lines, class->index);
	v->lines.items[class->index] = line;
	return line;
}

static const struct simpletrace_line *get_line(
	struct simpletrace_view *v, const struct event_class *class)
{
	if (LIKELY(class->index < v->lines.count && v->lines.items[class->index])) {
		return v->lines.items[class->index];
	}
	return make_line(v, class);
}

static char *copy(char *out, const char *text, size_t length)
{
	memcpy(out, text, length);
	return out + length;
}

/* Writes `<delta> pid=<pid>`, without a blank after it. */
static char *put_head(struct simpletrace_view *v, char *out, const struct record *rec)
{
	out = simpletrace_delta(out, v->started ? v->last_ns : rec->ns, rec->ns);
	v->started = true;
	v->last_ns = rec->ns;
	out = copy(out, " pid=", 5);
	return number_decimal(out, rec->pid);
}

static char *put_value(const struct simpletrace_view *v, char *out, const struct value *value)
{
	if (value->kind == VALUE_PAIR) {
		struct value_pair pair = value_pair(value);

		out = copy(out, "0x", 2);
		out = pair.high ? number_hex(out, pair.high, 1) : out;
		return number_hex(out, pair.low, pair.high ? 16 : 1);
	}
	if (value->kind != VALUE_STRING) {
		out = copy(out, "0x", 2);
		return number_hex(out, value->kind == VALUE_NUMBER ? value->number : 0, 1);
	}
	return v->style->repr ? simpletrace_repr(out, value->text, value->length)
			      : copy(out, value->text, value->length);
}

static size_t line_room(const struct simpletrace_line *line, const struct value *values)
{
	size_t room = line->room;

	for (size_t i = 0; i < line->count; i++) {
		room += values[i].kind == VALUE_STRING ? ESCAPE_MAX * (size_t)values[i].length : 0;
	}
	return room;
}

static void put_event(struct simpletrace_view *v, const struct record *rec)
{
	const struct simpletrace_line *line = get_line(v, rec->class);
	const struct value *values = reader_values(v->reader, rec);
	char *begin = out_reserve(v->out, line_room(line, values));
	char *out = copy(begin, line->name, line->name_length);

	out = put_head(v, out, rec);
	if (line->count > 0 || v->style->blank) {
		*out++ = ' ';
	}
	for (size_t i = 0; i < line->count; i++) {
		out = copy(out, line->fields[i].text, line->fields[i].length);
		out = put_value(v, out, &values[i]);
	}
	*out++ = '\n';
	out_advance(v->out, (size_t)(out - begin));
}

void simpletrace_view_put(struct simpletrace_view *v, const struct record *rec)
{
	if (LIKELY(rec->kind == RECORD_EVENT)) {
		put_event(v, rec);
		return;
	}
	char *begin = out_reserve(v->out, 8 * NUMBER_ROOM);
	char *out = put_head(v, copy(begin, "Dropped_Event ", 14), rec);

	out = copy(out, " num_events_dropped=0x", 22);
	out = number_hex(out, losses_events(&rec->gap), 1);
	*out++ = '\n';
	out_advance(v->out, (size_t)(out - begin));
}
