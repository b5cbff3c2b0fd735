/* SPDX-License-Identifier: MIT */
/*
 * The dialect of typed lines: words separated by blanks, or in double quotes with escapes. The
 * arguments become JSON by the types in the table; a command's `print` makes text from its result.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "mon/session/command.h"
#include "mon/session/dialect.h"
#include "mon/session/session.h"

#define BLANKS " \t\r\n\v\f"

/* ---- Arguments ---- */

/* Returns the character that a letter after a backslash stands for; 0 if none. */
static char unescape(char c)
{
	static const char letters[] = "nr\\'\"";
	static const char characters[] = "\n\r\\'\"";
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? characters[at - letters] : '\0';
}

/* Reads a quoted word, in place. Returns NULL after failing the call, if the word does not end. */
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

/*
 * Reads the first word of a line; only a quoted one can be empty. Returns NULL after failing the
 * call.
 */
static char *take_word(struct call *call, char **line)
{
	if (**line == '"') {
		return take_quoted(call, line);
	}
	char *word = *line;

	*line += strcspn(word, BLANKS);
	if (**line) {
		*(*line)++ = '\0';
	}
	return word;
}

/* Returns the last word of a command's name, for messages. */
static const char *short_name(const struct command *command)
{
	const char *blank = strrchr(command->name, ' ');

	return blank ? blank + 1 : command->name;
}

static json_t *read_string(struct call *call, const struct param *p, const char *word)
{
	(void)p;
	json_t *value = json_string(word);

	return value ? value : call_fail(call, "the line is not UTF-8");
}

static json_t *read_condition(struct call *call, const struct param *p, const char *word)
{
	return *word ? read_string(call, p, word)
		     : call_fail(call, "%s: a condition is expected after 'if'",
			       short_name(call->command));
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

/* The readers of types, and the errors for missing arguments. */
static const struct {
	const char *type;
	const char *missing; /* %s is the command's short name */
	json_t *(*read)(struct call *call, const struct param *p, const char *word);
} readers[] = {
	{ "event", "%s: string expected", read_string },
	{ "line", "%s: string expected", read_string },
	{ "limits", "%s: a limit is expected", read_string },
	{ "condition", "%s: a condition is expected after 'if'", read_condition },
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

/* Returns the rest of a line, without the blanks around it. */
static char *take_line(char **line)
{
	char *text = *line + strspn(*line, BLANKS);
	char *end = text + strlen(text);

	while (end > text && strchr(BLANKS, end[-1])) {
		end--;
	}
	*end = '\0';
	*line = end;
	return text;
}

/* Returns the text after `if`; NULL if the line does not begin with that. */
static char *after_if(char *line)
{
	return strncmp(line, "if", 2) == 0 && (!line[2] || strchr(BLANKS, line[2])) ? line + 2
										    : NULL;
}

/* Returns true if the line begins with a limit: `every=10`. */
static bool begins_with_limit(const char *line)
{
	return line[strcspn(line, BLANKS "=")] == '=';
}

/* Returns the text before ` if `, and moves the line there. */
static char *take_limits(char **line)
{
	char *text = *line;
	char *condition = strstr(text, " if ");

	if (!condition) {
		return take_line(line);
	}
	*condition = '\0';
	*line = condition + 1;
	return text;
}

/*
 * Returns true if the line begins with an argument of that type: the optional arguments of a
 * command have different forms, so that any can be left out.
 */
static bool begins_with_type(const struct param *p, char *line)
{
	bool is_condition = after_if(line);
	bool is_limits = !is_condition && begins_with_limit(line);

	return strcmp(p->type, "line") == 0 ||
	       ((strcmp(p->type, "condition") == 0) == is_condition &&
		       (strcmp(p->type, "limits") == 0) == is_limits);
}

/* Reads the word of one argument; NULL if the call failed, or there is no such argument. */
static char *take_typed(struct call *call, const struct param *p, char **line)
{
	if (strcmp(p->type, "condition") == 0) {
		*line += 2;
		return take_line(line);
	}
	if (strcmp(p->type, "limits") == 0) {
		return take_limits(line);
	}
	return strcmp(p->type, "line") == 0 ? take_line(line) : take_word(call, line);
}

/* Reads one argument of the line. Returns false after failing the call. */
static bool take_argument(struct call *call, const struct param *p, char **line)
{
	size_t reader = reader_of(p);

	*line += strspn(*line, BLANKS);
	if (!**line) {
		return p->optional ||
		       call_fail(call, readers[reader].missing, short_name(call->command));
	}
	if (p->optional && !begins_with_type(p, *line)) {
		return true; /* it is the next parameter's, or there is too much */
	}
	char *word = take_typed(call, p, line);

	if (!word) {
		return false;
	}
	json_t *value = readers[reader].read(call, p, word);

	return value && json_object_set_new(call->arguments, p->name, value) == 0;
}

/*
 * Reads the rest of a line as the call's arguments; changes the line. Returns false after failing
 * the call.
 */
static bool take_arguments(struct call *call, char *line)
{
	const char *parameters = call->command->parameters;
	struct param p;

	while (param_next(&p, &parameters)) {
		if (!take_argument(call, &p, &line)) {
			return false;
		}
	}
	if (line[strspn(line, BLANKS)]) {
		call_fail(call, "%s: extraneous characters at the end of line",
			short_name(call->command));
		return false;
	}
	return true;
}

/* ---- Lines ---- */

/* True if a line begins with the words of a command; `*rest` is the text after them. */
static bool begins_with(char *line, const char *command, char **rest)
{
	size_t n = strlen(command);

	if (strncmp(line, command, n) != 0 || (line[n] && !strchr(BLANKS, line[n]))) {
		return false;
	}
	*rest = line + n;
	return true;
}

/* Finds the command with the longest name that the line begins with. */
static const struct command *find(char *line, char **arguments)
{
	const struct command *best = NULL;
	char *rest;

	commands_foreach(c)
	{
		if (c->dialects & HMP && begins_with(line, c->name, &rest) &&
			(!best || strlen(c->name) > strlen(best->name))) {
			best = c;
			*arguments = rest;
		}
	}
	return best;
}

static void run_command(struct call *call, char *arguments, FILE *out)
{
	if (!call->arguments || !take_arguments(call, arguments)) {
		fprintf(out, "%s\nTry \"help %s\" for more information\n", call->error,
			call->command->name);
		return;
	}
	json_t *result = call->command->run(call);

	if (!result) {
		fprintf(out, "%s\n", call->error);
	} else if (call->command->print) {
		call->command->print(out, result);
	}
	json_decref(result);
}

/* Runs one line, which it changes. Newlines in its output have no carriage return. */
static void run_line(struct monitor_session *s, char *line, FILE *out)
{
	struct call call = { .session = s, .error = "out of memory" };
	char *arguments = NULL;

	line += strspn(line, BLANKS);
	if (!*line) {
		return;
	}
	call.command = find(line, &arguments);
	if (!call.command && strcmp(take_line(&(char *){ line }), "info") == 0) {
		char all[] = "help info";

		run_line(s, all, out);
		return;
	}
	if (!call.command) {
		/* Names an unknown command by its first word, or by two after "info". */
		static const char info[] = "info";
		size_t first = strcspn(line, BLANKS);
		size_t length = first;

		if (first == strlen(info) && strncmp(line, info, first) == 0) {
			length += strspn(line + length, BLANKS);
			length += strcspn(line + length, BLANKS);
		}
		fprintf(out, "unknown command: '%.*s'\n", (int)length, line);
		return;
	}
	call.arguments = json_object();
	run_command(&call, arguments, out);
	json_decref(call.arguments);
}

/* Sends a carriage return before each newline, as terminals want. */
static void send_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n') {
			putc('\r', out);
		}
		putc(*text, out);
	}
}

/* Runs a line; returns the printed text, which the caller frees, or NULL without memory. */
static char *run_to_text(struct monitor_session *s, char *line)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		return NULL;
	}
	run_line(s, line, out);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

json_t *human_command(struct call *call)
{
	const char *given = call_string(call, "command-line");
	char *line = strdup(given);
	char *text = line ? run_to_text(call->session, line) : NULL;
	char *sent = NULL;
	size_t size;
	FILE *out = text ? open_memstream(&sent, &size) : NULL;
	json_t *result = NULL;

	if (out) {
		send_text(out, text);
		result = fclose(out) == 0 ? json_string(sent) : NULL;
	}
	free(sent);
	free(text);
	free(line);
	return call_return(call, result);
}

void hmp_greet(struct monitor_session *s, FILE *out)
{
	fprintf(out, "Waymark %s monitor - type 'help' for more information\r\n%s", WAYMARK_VERSION,
		s->prompt);
}

static int refuse(FILE *out, const char *reason)
{
	fprintf(out, "%s\r\n", reason);
	return -1;
}

/* Runs a complete line. Returns 0, or -1 to close the connection. */
static int take(struct monitor_session *s, FILE *out)
{
	size_t length = s->length;

	s->length = 0;
	if (length && s->line[length - 1] == '\r') {
		length--;
	}
	s->line[length] = '\0';
	if (strlen(s->line) != length || utf8_invalid(s->line, length) != length) {
		return refuse(out, "the line is not UTF-8 text");
	}
	char *text = run_to_text(s, s->line);

	send_text(out, text ? text : "out of memory\n");
	free(text);
	if (!s->ended) {
		fputs(s->prompt, out);
	}
	return s->ended ? -1 : 0;
}

/* Appends to the line; keeps room for a NUL. */
static bool keep(struct monitor_session *s, const char *bytes, size_t size)
{
	char *line = realloc(s->line, s->length + size + 1);

	if (!line) {
		return false;
	}
	memcpy(line + s->length, bytes, size);
	s->line = line;
	s->length += size;
	return true;
}

int hmp_feed(struct monitor_session *s, const char *bytes, size_t size, FILE *out)
{
	const char *end = bytes + size;

	while (bytes < end) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
		size_t n = (size_t)((newline ? newline : end) - bytes);

		if (s->length + n > SESSION_COMMAND_MAX) {
			return refuse(out, "the line is too long");
		}
		if (!keep(s, bytes, n)) {
			return refuse(out, "out of memory");
		}
		if (newline && take(s, out) < 0) {
			return -1;
		}
		bytes += n + (newline != NULL);
	}
	return 0;
}
