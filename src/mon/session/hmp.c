/* SPDX-License-Identifier: MIT */
/*
 * The dialect of typed lines: words between blanks, or between double quotes with escapes.
 * The arguments become JSON by the types of the table; a command's `print` makes text of
 * its result.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "mon/session/command.h"
#include "mon/session/dialect.h"
#include "mon/session/session.h"

/* Whether a line begins with the word or words of a command; `*rest` is what follows. */
static bool begins_with(char *line, const char *command, char **rest)
{
	size_t n = strlen(command);

	if (strncmp(line, command, n) != 0 || (line[n] && !strchr(HMP_BLANKS, line[n]))) {
		return false;
	}
	*rest = line + n;
	return true;
}

/* The command with the longest name that the line begins with. */
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
	if (!call->arguments || !hmp_take_arguments(call, arguments)) {
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

/* Names an unknown command by its first word, or by two after "info". */
static void print_unknown(FILE *out, const char *line)
{
	static const char info[] = "info";
	size_t first = strcspn(line, HMP_BLANKS);
	size_t length = first;

	if (first == strlen(info) && strncmp(line, info, first) == 0) {
		length += strspn(line + length, HMP_BLANKS);
		length += strcspn(line + length, HMP_BLANKS);
	}
	fprintf(out, "unknown command: '%.*s'\n", (int)length, line);
}

/* Runs one line, which it changes. Its text has newlines as in C. */
static void run_line(struct session *s, char *line, FILE *out)
{
	struct call call = { .session = s, .error = "out of memory" };
	char *arguments = NULL;

	line += strspn(line, HMP_BLANKS);
	if (!*line) {
		return;
	}
	call.command = find(line, &arguments);
	if (!call.command && strcmp(hmp_take_line(&(char *){ line }), "info") == 0) {
		char all[] = "help info";

		run_line(s, all, out);
		return;
	}
	if (!call.command) {
		print_unknown(out, line);
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

/* Runs a line; returns the printed text, which the caller frees. NULL: no memory. */
static char *run_to_text(struct session *s, char *line)
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

static void answer(struct session *s, char *line, FILE *out)
{
	char *text = run_to_text(s, line);

	send_text(out, text ? text : "out of memory\n");
	free(text);
	if (!s->ended) {
		fputs(s->prompt, out);
	}
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

void hmp_greet(struct session *s, FILE *out)
{
	fprintf(out, "Waymark %s monitor - type 'help' for more information\r\n%s", WAYMARK_VERSION,
		s->prompt);
}

static int refuse(FILE *out, const char *reason)
{
	fprintf(out, "%s\r\n", reason);
	return -1;
}

/* Runs a complete line. Returns 0, or -1: the connection is to be closed. */
static int take(struct session *s, FILE *out)
{
	size_t length = s->length;

	s->length = 0;
	if (length && s->line[length - 1] == '\r') {
		length--;
	}
	s->line[length] = '\0';
	if (strlen(s->line) != length || utf8_invalid(s->line, length) != length) {
		return refuse(out, "the line is no UTF-8 text");
	}
	answer(s, s->line, out);
	return s->ended ? -1 : 0;
}

/* Appends to the line, and keeps room for a NUL. */
static bool keep(struct session *s, const char *bytes, size_t size)
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

int hmp_feed(struct session *s, const char *bytes, size_t size, FILE *out)
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
