/* SPDX-License-Identifier: MIT */
/*
 * The reader of events files. Lines have any length, may end in CRLF, and the last may lack its
 * newline. A line that cannot be a pattern is an error, reported with its number, so that a wrong
 * file (a trace, a declaration file) is not mistaken for an empty one.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rust_regex.h"
#include "rt/control/events_file.h"
#include "rt/host/error.h"

/* Longer than any list of events; stops reading /dev/zero or a wrong file. */
#define FILE_MAX ((size_t)64 << 20)

/* Adds a line, without the blanks around it, to the rules. */
typedef int add_line(
	struct waymark_rules *rules, const char *line, size_t len, struct waymark_error *error);

struct text {
	const char *path;
	char *data;
	size_t len;
	size_t capacity;
};

static bool is_pattern_char(unsigned char c)
{
	return isalnum(c) || c == '_' || c == '*' || c == '?' || c >= 0x80;
}

/* True if there are no control characters, which would show that the file is a wrong one. */
static bool is_text(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && (unsigned char)text[i] >= ' ' && text[i] != 0x7f) {
		i++;
	}
	return i == len;
}

static bool is_regex(const char *pattern, size_t len)
{
	return len > 0 && *pattern == '/' && is_text(pattern, len);
}

/* After a category's colon a name may be any text. */
static bool is_valid(const char *pattern, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (pattern[i] == ':' && i > 0) {
			return is_text(pattern + i, len - i);
		}
		if (!is_pattern_char((unsigned char)pattern[i])) {
			return false;
		}
	}
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

static int add_pattern(
	struct waymark_rules *rules, const char *line, size_t len, struct waymark_error *error)
{
	char *text = strndup(line, len);

	if (!text) {
		return waymark_fail(error, "out of memory");
	}
	const struct part pattern = waymark_rule_split(text).pattern;
	bool is_whole = strlen(text) == len; /* without a NUL byte */
	int result = is_whole && (is_valid(pattern.text, pattern.length) ||
					 is_regex(pattern.text, pattern.length))
			     ? waymark_rules_add(rules, text, WAYMARK_ANY_BACKEND, error)
			     : waymark_fail(error, "not the name or pattern of an event: '%.*s'",
				       len > 80 ? 80 : (int)len, line);

	free(text);
	return result;
}

int waymark_regex_add(struct waymark_rules *rules, const char *regex, struct waymark_error *error)
{
	char why[160];
	char *pattern = waymark_rust_regex_pattern(regex, why, sizeof(why));

	if (!pattern) {
		return waymark_fail(error, "regular expression '%.80s': %s", regex, why);
	}
	int result = waymark_rules_add(rules, pattern, WAYMARK_ANY_BACKEND, error);

	free(pattern);
	return result;
}

/*
 * True if a comment follows the expression, as other formats allow: the line would match nothing.
 */
static bool has_comment(const char *line, size_t len)
{
	const char *number = memchr(line, '#', len);

	return number && number > line && is_blank(number[-1]);
}

static int add_regex(
	struct waymark_rules *rules, const char *line, size_t len, struct waymark_error *error)
{
	if (*line == '-') {
		return waymark_fail(error,
			"'%.*s': no name has a '-', and a list of this dialect only switches on",
			len > 80 ? 80 : (int)len, line);
	}
	if (memchr(line, '\0', len)) {
		return waymark_fail(error, "a NUL byte: this is not a list of events");
	}
	if (has_comment(line, len)) {
		return waymark_fail(error, "'%.*s': a comment needs its own line",
			len > 80 ? 80 : (int)len, line);
	}
	char *regex = strndup(line, len);
	int result = regex ? waymark_regex_add(rules, regex, error)
			   : waymark_fail(error, "out of memory");

	free(regex);
	return result;
}

/* Passes on one line, without its end and without blanks at both ends. */
static int take_line(add_line *add, struct waymark_rules *rules, const char *line, size_t len,
	struct waymark_error *error)
{
	while (len > 0 && is_blank(line[len - 1])) {
		len--;
	}
	while (len > 0 && is_blank(*line)) {
		line++;
		len--;
	}
	return len == 0 || *line == '#' ? 0 : add(rules, line, len, error);
}

static int parse(struct waymark_rules *rules, add_line *add, const struct text *t,
	struct waymark_error *error)
{
	const char *text = t->data;
	const char *end = text + t->len;

	for (unsigned int line = 1; text < end; line++) {
		struct waymark_error reason;
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		if (take_line(add, rules, text, (size_t)(stop - text), &reason) < 0) {
			return waymark_fail(error, "%s:%u: %s", t->path, line, reason.text);
		}
		text = stop + 1;
	}
	return 0;
}

static bool grow(struct text *t)
{
	size_t capacity = t->capacity ? 2 * t->capacity : 16384;
	char *data = realloc(t->data, capacity);

	if (!data) {
		return false;
	}
	t->data = data;
	t->capacity = capacity;
	return true;
}

/* Reads until the end of the file; returns 0 or an errno. */
static int read_all(struct text *t, int fd)
{
	for (;;) {
		if (t->len == t->capacity && !grow(t)) {
			return ENOMEM;
		}
		ssize_t n = read(fd, t->data + t->len, t->capacity - t->len);

		if (n == 0) {
			return 0;
		}
		if (n < 0 && errno != EINTR) {
			return errno;
		}
		t->len += n > 0 ? (size_t)n : 0;
		if (t->len > FILE_MAX) {
			return EFBIG;
		}
	}
}

static int read_lines(
	struct waymark_rules *rules, add_line *add, const char *path, struct waymark_error *error)
{
	struct text t = { .path = path };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		return waymark_fail(error, "%s: %s", path, strerror(errno));
	}
	int failure = read_all(&t, fd);
	int result = failure ? waymark_fail(error, "%s: %s", path, strerror(failure))
			     : parse(rules, add, &t, error);

	close(fd);
	free(t.data);
	return result;
}

int waymark_events_file_read(
	struct waymark_rules *rules, const char *path, struct waymark_error *error)
{
	return read_lines(rules, add_pattern, path, error);
}

int waymark_events_file_parse(struct waymark_rules *rules, const char *path, const char *text,
	size_t len, struct waymark_error *error)
{
	const struct text t = { .path = path, .data = (char *)text, .len = len };

	return parse(rules, add_pattern, &t, error);
}

int waymark_regex_file_read(
	struct waymark_rules *rules, const char *path, struct waymark_error *error)
{
	return read_lines(rules, add_regex, path, error);
}

int waymark_regex_file_parse(struct waymark_rules *rules, const char *path, const char *text,
	size_t len, struct waymark_error *error)
{
	const struct text t = { .path = path, .data = (char *)text, .len = len };

	return parse(rules, add_regex, &t, error);
}
