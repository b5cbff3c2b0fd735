/* SPDX-License-Identifier: MIT */
/*
 * random-fire: fires the events that the generated glue.h lists, as its input asks:
 *
 *	call EVENT VALUE...     fires the event with these values, and keeps them
 *	write DIRECTORY         writes a trace of the events so far
 *	rule TEXT               waymark_enable(); `-rule`: waymark_disable()
 *	if EVENT CONDITION      fires it under the condition with all values kept
 *	await COUNT             waits until COUNT signals 40 have come
 *
 * Prints a line for `rule`: `ok` or `! reason`; and for `if` a digit for each call: 1 if it was
 * recorded. `if` does all twice: the second time a trigger of the event, which never fires, has
 *each call decided in full.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/control.h>
#include <waymark/debug.h>

#define ARGS_MAX 10
#define LINE_MAX_BYTES 65536
#define AWAIT_STEP_US 50
#define AWAIT_STEPS 1000000
#define WAKING 40 /* a signal that is queued: none is lost */

/* A value of any type. Text has no bytes after its length, but for the NUL of a string. */
struct value {
	uint64_t low;
	uint64_t high; /* of 128 bits */
	double number;
	char *text; /* owned; NULL: none */
	size_t length;
	char kind; /* of a struct waymark_debug; see debug_of() */
};

/* An event as glue.h lists it; `args`: the kind of each argument. */
struct event {
	const char *name;
	const char *args;
	void (*fire)(const struct value *v);
	struct value (*calls)[ARGS_MAX];
	size_t count;
};

static struct waymark_debug debug_of(const struct value *v);
static volatile sig_atomic_t signals;

#include "glue.h"

/* ---- Values ---- */

static void describe(struct waymark_formatter *f, const void *object)
{
	(void)object;
	waymark_debug_name(f, "Object");
}

static struct waymark_debug debug_integer(const struct value *v)
{
	switch (v->kind) {
	case 'h':
		return waymark_debug_i8((int8_t)v->low);
	case 'j':
		return waymark_debug_i16((int16_t)v->low);
	case 'k':
		return waymark_debug_i32((int32_t)v->low);
	case 'l':
		return waymark_debug_i64((int64_t)v->low);
	case 'm':
		return waymark_debug_u8((uint8_t)v->low);
	case 'n':
		return waymark_debug_u16((uint16_t)v->low);
	case 'o':
		return waymark_debug_u32((uint32_t)v->low);
	case 'p':
		return waymark_debug_u64(v->low);
	case 'I':
		return waymark_debug_isize((ptrdiff_t)v->low);
	case 'U':
		return waymark_debug_usize((size_t)v->low);
	case 'P':
		return waymark_debug_pointer((void *)(uintptr_t)v->low);
	case 'B':
		return waymark_debug_bool(v->low != 0);
	case 'L':
		return waymark_debug_file((int)v->low);
	default:
		return waymark_debug_owned_fd((int)v->low);
	}
}

/* Returns a value that is described at run time, by its kind. */
static struct waymark_debug debug_of(const struct value *v)
{
	switch (v->kind) {
	case 'F':
		return waymark_debug_f32((float)v->number);
	case 'G':
		return waymark_debug_f64(v->number);
	case 'W':
		return waymark_debug_u128(waymark_u128_of(v->high, v->low));
	case 'X':
		return waymark_debug_i128(waymark_i128_of(v->high, v->low));
	case 's':
		return waymark_debug_string(v->text);
	case 't':
		return waymark_debug_text(v->text, v->length);
	case 'y':
		return waymark_debug_bytes(v->text, v->length);
	case 'C':
		return waymark_debug_char((uint32_t)v->low);
	case 'D':
		return waymark_debug_duration(v->low, 7);
	case 'O':
		return waymark_debug_object(describe, v);
	default:
		return debug_integer(v);
	}
}

/* Reads `:` and bytes in hexadecimal, or `-` for NULL. */
static void read_text(struct value *v, const char *word, bool is_string)
{
	if (*word == '-') {
		return;
	}
	v->length = strlen(word + 1) / 2;
	v->text = malloc(v->length + is_string + !v->length);
	for (size_t i = 0; i < v->length; i++) {
		const char digits[] = { word[1 + 2 * i], word[2 + 2 * i], '\0' };

		v->text[i] = (char)strtoul(digits, NULL, 16);
	}
	if (is_string) {
		v->text[v->length] = '\0';
	}
}

static void read_value(struct value *v, char kind, const char *word)
{
	char *end;

	if (kind == 'd') {
		v->kind = kind = *word++;
	}
	if (strchr("stby", kind)) {
		read_text(v, word, kind == 's');
	} else if (strchr("fgFG", kind)) {
		v->number = strtod(word, NULL);
	} else {
		v->high = strtoull(word, &end, 16);
		v->low = strtoull(end + 1, NULL, 16);
	}
}

/* ---- Requests ---- */

static _Noreturn void fail(const char *what, const char *which)
{
	fprintf(stderr, "random-fire: %s: %s\n", what, which);
	exit(1);
}

static struct event *find(const char *name)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (strcmp(events[i].name, name) == 0) {
			return &events[i];
		}
	}
	fail("no event", name);
}

static void call(char *rest)
{
	struct event *e = find(strsep(&rest, " "));
	struct value *v;

	e->calls = realloc(e->calls, (e->count + 1) * sizeof(*e->calls));
	v = e->calls[e->count++];
	memset(v, 0, sizeof(*e->calls));
	for (size_t i = 0; e->args[i]; i++) {
		const char *word = strsep(&rest, " ");

		if (!word) {
			fail("too few values", e->name);
		}
		read_value(&v[i], e->args[i], word);
	}
	e->fire(v);
}

static void write_trace(const char *directory)
{
	struct waymark_error error;

	if (waymark_snapshot_to(directory, &error)) {
		fail("no trace", error.text);
	}
}

static void rule(const char *text, bool off)
{
	struct waymark_error error;
	int failed = off ? waymark_disable(text, WAYMARK_ANY_BACKEND, NULL, &error)
			 : waymark_enable(text, WAYMARK_ANY_BACKEND, NULL, &error);

	printf(failed ? "! %s\n" : "ok\n", failed ? error.text : "");
}

static uint64_t recorded(void)
{
	struct waymark_stats stats;

	waymark_get_stats(&stats);
	return stats.recorded;
}

/* Fires the event with all values. `digits`: gets 1 for each call that is recorded, else 0. */
static void fire_all(const struct event *e, char *digits)
{
	uint64_t before = recorded();

	for (size_t k = 0; k < e->count; k++) {
		e->fire(e->calls[k]);
		uint64_t after = recorded();

		digits[k] = after > before ? '1' : '0';
		before = after;
	}
	digits[e->count] = '\0';
}

/* Returns false if the trigger is refused. It watches the event, and never fires. */
static bool watch(const char *event, bool on)
{
	char text[200];

	snprintf(text, sizeof(text), "when %s if 0 then flush", event);
	return (on ? waymark_enable(text, WAYMARK_ANY_BACKEND, NULL, NULL)
		   : waymark_disable(text, WAYMARK_ANY_BACKEND, NULL, NULL)) == 0;
}

static void fire_under(char *rest)
{
	static char digits[2][LINE_MAX_BYTES];
	static char text[LINE_MAX_BYTES + 100];
	struct event *e = find(strsep(&rest, " "));
	struct waymark_error error;

	snprintf(text, sizeof(text), "%s if %s", e->name, rest);
	if (waymark_enable(text, WAYMARK_ANY_BACKEND, NULL, &error)) {
		printf("! %s\n", error.text);
		return;
	}
	fire_all(e, digits[0]);
	if (!watch(e->name, true)) {
		fail("no trigger", e->name);
	}
	fire_all(e, digits[1]);
	watch(e->name, false);
	if (strcmp(digits[0], digits[1]) != 0) {
		printf("! the first test differs: %s, in full %s\n", digits[0], digits[1]);
		return;
	}
	puts(digits[0]);
}

static void in_handler(int sig)
{
	(void)sig;
	signals++;
}

static void await(long count)
{
	for (int i = 0; signals < count; i++) {
		if (i == AWAIT_STEPS) {
			fail("a trigger did nothing", "timeout");
		}
		usleep(AWAIT_STEP_US);
	}
}

static void serve(char *line)
{
	const char *verb = strsep(&line, " ");

	if (strcmp(verb, "call") == 0) {
		call(line);
	} else if (strcmp(verb, "write") == 0) {
		write_trace(line);
	} else if (strcmp(verb, "if") == 0) {
		fire_under(line);
	} else if (strcmp(verb, "await") == 0) {
		await(strtol(line, NULL, 10));
	} else if (strcmp(verb, "rule") == 0 || strcmp(verb, "-rule") == 0) {
		rule(line, *verb == '-');
	} else {
		fail("no request", verb);
	}
}

int main(void)
{
	static char line[LINE_MAX_BYTES];

	signal(WAKING, in_handler);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		serve(line);
	}
	return 0;
}
