/* SPDX-License-Identifier: MIT */
/* The memory that ended processes left, behind the processes of `waymark ls`. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/columns.h"
#include "cmd/ctl/ls_leftovers.h"
#include "write/leftover.h"

static bool is_shown(const struct leftover *o)
{
	return o->state != LEFTOVER_ALIVE && (o->uid == geteuid() || geteuid() == 0);
}

/* Whether a shell takes it as one word as it is. */
static bool is_plain(const char *text)
{
	return !text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:,@%")];
}

/* Another user chose the name, and root may paste the line. */
static void put_quoted(FILE *to, const char *text)
{
	if (is_plain(text)) {
		fputs(text, to);
		return;
	}
	putc('\'', to);
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\'", to);
		}
		putc(*text, to);
	}
	putc('\'', to);
}

static void put_advice(FILE *to, const struct leftover *o)
{
	if (o->error == EBADMSG) {
		fputs("damaged: waymark recover --discard ", to);
		put_quoted(to, o->path);
	} else if (o->error) {
		fprintf(to, "%s: %s", o->path, strerror(o->error));
	} else if (o->is_jailed) {
		fputs("waymark recover --all -o DIR", to);
	} else if (!o->directory[0]) {
		fputs("no trace was made of it: waymark recover --discard-gone", to);
	} else if (!o->has_trace) {
		fputs("waymark recover it where its trace is now; gone: --discard-gone", to);
	} else {
		fputs("waymark recover ", to);
		put_quoted(to, o->directory);
	}
}

/* The command that brings it into its trace, or what else is to be done; the caller frees it. */
static char *advice_on(const struct leftover *o)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to) {
		abort();
	}
	put_advice(to, o);
	fclose(to);
	return text;
}

static uint64_t age_of(const struct leftover *o)
{
	time_t age = time(NULL) - o->seen;

	return age > 0 ? (uint64_t)age : 0;
}

static void put_age(struct columns *c, uint64_t seconds)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 "%c",
		seconds >= 86400  ? seconds / 86400
		: seconds >= 3600 ? seconds / 3600
		: seconds >= 60	  ? seconds / 60
				  : seconds,
		seconds >= 86400  ? 'd'
		: seconds >= 3600 ? 'h'
		: seconds >= 60	  ? 'm'
				  : 's');
	columns_put(c, text);
}

static void put_user(struct columns *c, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	char number[16];

	snprintf(number, sizeof(number), "%u", (unsigned int)uid);
	columns_put(c, user ? user->pw_name : number);
}

static void put(struct columns *c, const struct leftover *o)
{
	char pid[16] = "?";
	char *advice = advice_on(o);

	if (!o->error) {
		snprintf(pid, sizeof(pid), "%" PRIu32, o->pid);
	}
	columns_put(c, pid);
	if (geteuid() == 0) {
		put_user(c, o->uid);
	}
	columns_put(c, o->command[0] ? o->command : "?");
	columns_put_bytes(c, o->bytes);
	put_age(c, age_of(o));
	columns_put(c, advice);
	free(advice);
}

static json_t *text_or_null(const char *text)
{
	json_t *string = *text ? json_string(text) : NULL; /* what is no UTF-8 is none in JSON */

	return string ? string : json_null();
}

static void print_json(const struct leftover *o)
{
	char *advice = advice_on(o);
	json_t *memory = json_pack("{s:o, s:I, s:I, s:o, s:b}", "path", text_or_null(o->path),
		"bytes", (json_int_t)o->bytes, "age", (json_int_t)age_of(o), "trace",
		text_or_null(o->directory), "trace-is-there", o->has_trace);
	json_t *line = json_pack("{s:o, s:o, s:n, s:s, s:o, s:I, s:o}", "pid",
		o->error ? json_null() : json_integer(o->pid), "program", text_or_null(o->command),
		"socket", "problem", "has ended and left memory", "to-do", text_or_null(advice),
		"uid", (json_int_t)o->uid, "leftover", memory);

	json_dumpf(line, stdout, JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(line);
	free(advice);
}

static void print_table(const struct columns *c, bool is_behind_another)
{
	if (c->cells.count == 0) {
		return;
	}
	printf("%sMemory that ended processes left:\n", is_behind_another ? "\n" : "");
	columns_print(c, stdout);
}

void ls_leftovers(bool json, bool is_behind_another)
{
	struct leftovers l;
	struct columns c;

	columns_init(&c, geteuid() == 0 ? "PID -USER -PROGRAM MEMORY AGE -WHAT-TO-DO"
					: "PID -PROGRAM MEMORY AGE -WHAT-TO-DO");
	leftovers_find(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		if (!is_shown(o)) {
			continue;
		}
		if (json) {
			print_json(o);
		} else {
			put(&c, o);
		}
	}
	print_table(&c, is_behind_another);
	columns_fini(&c);
	leftovers_fini(&l);
}
