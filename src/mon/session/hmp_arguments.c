/* SPDX-License-Identifier: MIT */
/* The arguments of a line of HMP: splits it into words, which become JSON by their types. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mon/session/command.h"
#include "mon/session/dialect.h"

/* The character that a letter after a backslash means; 0: none. */
static char unescape(char c)
{
	static const char letters[] = "nr\\'\"";
	static const char meant[] = "\n\r\\'\"";
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? meant[at - letters] : '\0';
}

/* Takes a quoted word, in place; NULL: it does not end, the call failed. */
static char *take_quoted(struct call *call, char **line)
{
	char *word = ++*line;
	char *to = word;

	while (**line != '"') {
		char c = *(*line)++;

		if (c == '\\') {
			char letter = **line;

			c = unescape(letter);
			if (letter && !c) {
				call_fail(call, "unsupported escape code: '\\%c'", letter);
				return NULL;
			}
			*line += letter != '\0';
		}
		if (c == '\0') {
			call_fail(call, "unterminated string");
			return NULL;
		}
		*to++ = c;
	}
	++*line;
	*to = '\0';
	return word;
}

/* Takes the first word of a line; only a quoted one can be empty. NULL: the call failed. */
static char *take_word(struct call *call, char **line)
{
	if (**line == '"') {
		return take_quoted(call, line);
	}
	char *word = *line;

	*line += strcspn(word, HMP_BLANKS);
	if (**line) {
		*(*line)++ = '\0';
	}
	return word;
}

/* The last word of a command's name, as messages have it. */
static const char *short_name(const struct command *command)
{
	const char *blank = strrchr(command->name, ' ');

	return blank ? blank + 1 : command->name;
}

static json_t *read_string(struct call *call, const struct param *p, const char *word)
{
	(void)p;
	json_t *value = json_string(word);

	return value ? value : call_fail(call, "the line is no UTF-8");
}

static json_t *read_path(struct call *call, const struct param *p, const char *word)
{
	return *word ? read_string(call, p, word)
		     : call_fail(call, "%s: filename expected", short_name(call->command));
}

static json_t *read_switch(struct call *call, const struct param *p, const char *word)
{
	(void)p;
	if (strcmp(word, "on") != 0 && strcmp(word, "off") != 0) {
		return call_fail(call, "Expected 'on' or 'off'");
	}
	return json_boolean(strcmp(word, "on") == 0);
}

static json_t *read_int(struct call *call, const struct param *p, const char *word)
{
	char *end;

	(void)p;
	errno = 0;
	long long value = strtoll(word, &end, 0);

	if (*end) {
		return call_fail(call, "invalid char '%c' in expression", *end);
	}
	if (end == word) {
		return call_fail(call, "%s: integer expected", short_name(call->command));
	}
	if (errno) {
		return call_fail(call, "number too large");
	}
	if (value < 0 || value > UINT32_MAX) {
		return call_fail(call, "'%s' has failed: integer is for 32-bit values",
			short_name(call->command));
	}
	return json_integer(value);
}

static json_t *read_choice(struct call *call, const struct param *p, const char *word)
{
	return param_has_word(p, word) ? json_string(word)
				       : call_fail(call, "unexpected argument \"%.100s\"", word);
}

/* The readers of types, and the errors where an argument is missing. */
static const struct {
	const char *type;
	const char *missing; /* %s is the command's short name */
	json_t *(*read)(struct call *call, const struct param *p, const char *word);
} readers[] = {
	{ "event", "%s: string expected", read_string },
	{ "line", "%s: string expected", read_string },
	{ "word", "%s: string expected", read_string },
	{ "path", "%s: filename expected", read_path },
	{ "switch", "Expected 'on' or 'off'", read_switch },
	{ "int", "%s: integer expected", read_int },
	{ NULL, "%s: a word is expected", read_choice },
};

static size_t reader_of(const struct param *p)
{
	size_t i = 0;

	while (readers[i].type && strcmp(readers[i].type, p->type) != 0) {
		i++;
	}
	return i;
}

char *hmp_take_line(char **line)
{
	char *text = *line + strspn(*line, HMP_BLANKS);
	char *end = text + strlen(text);

	while (end > text && strchr(HMP_BLANKS, end[-1])) {
		end--;
	}
	*end = '\0';
	*line = end;
	return text;
}

/* Takes one argument off the line; false: the call failed. */
static bool take_argument(struct call *call, const struct param *p, char **line)
{
	size_t reader = reader_of(p);

	*line += strspn(*line, HMP_BLANKS);
	if (!**line) {
		return p->optional ||
		       call_fail(call, readers[reader].missing, short_name(call->command));
	}
	char *word = strcmp(p->type, "line") == 0 ? hmp_take_line(line) : take_word(call, line);

	if (!word) {
		return false;
	}
	json_t *value = readers[reader].read(call, p, word);

	return value && json_object_set_new(call->arguments, p->name, value) == 0;
}

bool hmp_take_arguments(struct call *call, char *line)
{
	const char *parameters = call->command->parameters;
	struct param p;

	while (param_next(&p, &parameters)) {
		if (!take_argument(call, &p, &line)) {
			return false;
		}
	}
	if (line[strspn(line, HMP_BLANKS)]) {
		call_fail(call, "%s: extraneous characters at the end of line",
			short_name(call->command));
		return false;
	}
	return true;
}
