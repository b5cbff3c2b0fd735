/* SPDX-License-Identifier: MIT */
/*
 * Parses a line of the kernel's trace: COMM-TID, optionally a thread group in round brackets,
 * [CPU], optionally flags, TIME: EVENT. COMM may contain blanks, dashes and brackets: it ends at
 * the first place where all the columns follow. Source: the kernel's document trace/ftrace, and the
 * head of tracefs' file `trace`. Called by capture.c and text.c.
 */
#include <ctype.h>
#include <string.h>

#include "read/kernel/text.h"

#define SECONDS_MAX 10000000000u

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* Reads the digits at `s`, a number below `end`; returns their end, or NULL. */
static const char *take_number(const char *s, uint64_t end, uint64_t *number)
{
	const char *at = s;

	for (*number = 0; isdigit((unsigned char)*at); at++) {
		*number = *number * 10 + (uint64_t)(*at - '0');
		if (*number >= end) {
			return NULL;
		}
	}
	return at == s ? NULL : at;
}

/* Returns the end of a column between two characters; `s` if it does not begin with the first. */
static const char *skip_between(const char *s, char first, char last)
{
	const char *end = *s == first ? strchr(s, last) : NULL;

	return end ? end + 1 : s;
}

/* Reads the digits after the point as nanoseconds. */
static const char *take_fraction(const char *s, uint64_t *ns)
{
	unsigned int digits = 0;

	for (*ns = 0; isdigit((unsigned char)*s); s++) {
		if (digits < 9) {
			*ns = *ns * 10 + (uint64_t)(*s - '0');
			digits++;
		}
	}
	for (unsigned int i = digits; i < 9; i++) {
		*ns *= 10;
	}
	return digits > 0 ? s : NULL;
}

/*
 * Reads a time: seconds, a point and digits, then a colon. Clocks that count ticks have no point.
 */
static const char *take_time(const char *s, struct kernel_line *line)
{
	uint64_t seconds;
	uint64_t ns = 0;
	const char *digits = s;

	s += strspn(s, "0123456789");
	line->is_ticks = *s == ':' && s > digits;
	if (line->is_ticks) {
		return s + 1;
	}
	s = take_number(digits, SECONDS_MAX, &seconds);
	s = s && *s == '.' ? take_fraction(s + 1, &ns) : NULL;
	if (!s || *s != ':') {
		return NULL;
	}
	line->ns = seconds * 1000000000 + ns;
	return s + 1;
}

/* Reads the columns after the dash. */
static bool take_columns(struct kernel_line *line, const char *s)
{
	uint64_t tid;
	uint64_t cpu;
	const char *at = take_number(s, UINT32_MAX, &tid);

	if (!at || !*at || !strchr(" \t", *at)) {
		return false;
	}
	at = skip_blanks(at);
	if (*at != '(' || !take_number(skip_blanks(at + 1), UINT32_MAX, &line->tgid)) {
		line->tgid = 0;
	}
	at = skip_blanks(skip_between(at, '(', ')'));
	if (*at != '[' || !take_number(at + 1, UINT32_MAX, &cpu)) {
		return false;
	}
	at = skip_blanks(skip_between(at, '[', ']'));
	if (!isdigit((unsigned char)*at)) { /* flags, which only some captures have */
		at = skip_blanks(at + strcspn(at, " \t"));
	}
	at = take_time(at, line);
	if (!at) {
		return false;
	}
	line->tid = (uint32_t)tid;
	line->cpu = (uint32_t)cpu;
	line->event = skip_blanks(at);
	return true;
}

bool kernel_line_parse(struct kernel_line *line, const char *text)
{
	for (const char *dash = strchr(text, '-'); dash; dash = strchr(dash + 1, '-')) {
		if (take_columns(line, dash + 1)) {
			return true;
		}
	}
	return false;
}

/* `CPU:0 [LOST 12 EVENTS]`, and trace-cmd's `CPU:0 [12 EVENTS DROPPED]`. */
bool kernel_line_is_loss(const char *line)
{
	return strncmp(line, "CPU:", 4) == 0 &&
	       (strstr(line, "LOST") || strstr(line, "EVENTS DROPPED"));
}

static bool begins_with_any(const char *text, const char *const *words)
{
	while (*words && strncmp(text, *words, strlen(*words)) != 0) {
		words++;
	}
	return *words != NULL;
}

bool kernel_line_is_remark(const char *line)
{
	static const char *const remarks[] = { "#", "cpus=", "CPU ", "CPU:", "version = ", "=> ",
		"trace-cmd", "<stack trace>", NULL };

	line += strspn(line, " \t\r");
	return *line == '\0' || begins_with_any(line, remarks);
}

bool kernel_line_may_continue(const char *event)
{
	static const char *const events[] = { "tracing_mark_write", "print:", "bpf_trace_printk:",
		"bprint:", "kernel_stack:", "user_stack:", "<stack trace>", "<user stack trace>",
		NULL };

	return begins_with_any(event, events);
}
