/* SPDX-License-Identifier: MIT */
/*
 * Reads the kernel's trace line by line for the events that begin and end what takes time. The
 * words are from the events' `print fmt` in tracefs, and from trace-cmd where it prints them
 * differently. For flame graphs.
 */
#include "read/kernel/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* Bytes of a line that are parsed. Programs' names have at most 15 bytes. */
#define LINE_MAX_BYTES 1024

/* ---- Events ---- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static void set_name(struct kernel_event *e, const char *before, const char *name, size_t length)
{
	snprintf(e->name, sizeof(e->name), "%s%.*s", before, (int)length, name);
}

/* Reads `NR 1 (...)` and `NR 1 = 0`. Numbers are this host's. */
static void take_number(struct kernel_event *e, const char *text)
{
	const char *number = strstr(text, "NR ");
	unsigned long nr = number ? strtoul(number + 3, NULL, 10) : 0;
	const char *name = number ? kernel_syscall_name(nr) : NULL;

	e->edge = number ? e->edge : KERNEL_NOTHING;
	if (name) {
		set_name(e, "sys_", name, strlen(name));
	} else {
		snprintf(e->name, sizeof(e->name), "system call %lu", nr);
	}
}

/* Reads `sys_enter_read: ...`, as trace-cmd prints it; `text` begins after `sys_enter_`. */
static void take_call(struct kernel_event *e, const char *text)
{
	set_name(e, "sys_", text, strcspn(text, ":"));
}

/* Reads `sys_read(fd: 3, ...)` and `sys_read -> 0x0`, as in tracefs. */
static void take_plain_call(struct kernel_event *e, const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_') {
		length++;
	}
	if (text[length] == '(') {
		set_name(e, "sys_", text, length);
	} else {
		e->edge = begins(text + length, " -> ") ? KERNEL_END : KERNEL_NOTHING;
	}
}

/* Finds the last `what` in `text`, as names before it may contain any text. */
static const char *find_last(const char *text, const char *what)
{
	const char *found = NULL;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) {
		found = at;
	}
	return found;
}

/* Reads the number of the other thread, after `word`, or `NAME:N [PRIORITY]`. */
static bool take_next(struct kernel_event *e, const char *text, const char *word)
{
	const char *at = find_last(text, word);

	if (at) {
		e->next = (uint32_t)strtoul(at + strlen(word), NULL, 10);
		return true;
	}
	at = find_last(text, " [");
	while (at && at > text && isdigit((unsigned char)at[-1])) {
		at--;
	}
	if (!at || at == text || at[-1] != ':') {
		return false;
	}
	e->next = (uint32_t)strtoul(at, NULL, 10);
	return true;
}

/* Reads a switch. A thread that leaves its processor in state R, runnable, was preempted. */
static void take_switch(struct kernel_event *e, const char *text)
{
	const char *arrow = find_last(text, " ==> ");
	const char *state = arrow;

	while (state && state > text && state[-1] != ' ' && state[-1] != '=') {
		state--;
	}
	if (!arrow || !take_next(e, arrow, " next_pid=")) {
		e->edge = KERNEL_NOTHING;
		return;
	}
	snprintf(e->name, sizeof(e->name), "%s", *state == 'R' ? "off-CPU (preempted)" : "off-CPU");
}

static void take_wake(struct kernel_event *e, const char *text)
{
	e->edge = take_next(e, text, " pid=") ? KERNEL_WAKE : KERNEL_NOTHING;
}

static void take_irq(struct kernel_event *e, const char *text)
{
	const char *name = strstr(text, "name=");

	name = name ? name + strlen("name=") : "";
	set_name(e, "irq ", name, strlen(name));
}

static void take_softirq(struct kernel_event *e, const char *text)
{
	const char *name = strstr(text, "action=");

	name = name ? name + strlen("action=") : "";
	set_name(e, "softirq ", name, strcspn(name, "]"));
}

static const struct {
	const char *begin;
	enum kernel_edge edge;
	enum kernel_kind kind;
	void (*take)(struct kernel_event *e, const char *text);
} rows[] = {
	{ "sys_enter:", KERNEL_BEGIN, KERNEL_SYSCALL, take_number },
	{ "sys_exit:", KERNEL_END, KERNEL_SYSCALL, take_number },
	{ "sys_enter_", KERNEL_BEGIN, KERNEL_SYSCALL, take_call },
	{ "sys_exit_", KERNEL_END, KERNEL_SYSCALL, take_call },
	{ "sys_", KERNEL_BEGIN, KERNEL_SYSCALL, take_plain_call },
	{ "sched_switch:", KERNEL_SWITCH, KERNEL_OFF_CPU, take_switch },
	{ "sched_waking:", KERNEL_WAKE, KERNEL_OFF_CPU, take_wake },
	{ "sched_wakeup:", KERNEL_WAKE, KERNEL_OFF_CPU, take_wake },
	{ "sched_wakeup_new:", KERNEL_WAKE, KERNEL_OFF_CPU, take_wake },
	{ "irq_handler_entry:", KERNEL_BEGIN, KERNEL_IRQ, take_irq },
	{ "irq_handler_exit:", KERNEL_END, KERNEL_IRQ, take_irq },
	{ "softirq_entry:", KERNEL_BEGIN, KERNEL_SOFTIRQ, take_softirq },
	{ "softirq_exit:", KERNEL_END, KERNEL_SOFTIRQ, take_softirq },
};

/* Reads `local_timer_entry: vector=236` and the like. Each architecture has its own. */
static bool take_vector(struct kernel_event *e, const char *text)
{
	static const char *const tails[] = { "_entry", "_exit" };
	const char *colon = strchr(text, ':');

	if (!colon || !begins(colon, ": vector=")) {
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(tails); i++) {
		size_t length = strlen(tails[i]);

		if (colon > text + length && begins(colon - length, tails[i])) {
			e->edge = i == 0 ? KERNEL_BEGIN : KERNEL_END;
			e->kind = KERNEL_VECTOR;
			set_name(e, "irq ", text, (size_t)(colon - text) - length);
			return true;
		}
	}
	return false;
}

void kernel_event_parse(struct kernel_event *e, const struct kernel_line *line)
{
	*e = (struct kernel_event){ .tid = line->tid, .ns = line->ns, .cpu = line->cpu };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (begins(line->event, rows[i].begin)) {
			e->edge = rows[i].edge;
			e->kind = rows[i].kind;
			rows[i].take(e, line->event + strlen(rows[i].begin));
			return;
		}
	}
	take_vector(e, line->event);
}

/* ---- The file ---- */

/* Reads the file's text from trace-cmd, with all digits of times. */
static bool open_through_trace_cmd(struct kernel_text *k, struct read_error *error)
{
	int fd = trace_cmd_open(&k->child, fileno(k->file), error);

	if (k->file != stdin) {
		fclose(k->file);
	}
	k->file = fd < 0 ? NULL : fdopen(fd, "r");
	return k->file != NULL;
}

bool kernel_text_open(struct kernel_text *k, const char *path, struct read_error *error)
{
	char begin[TRACE_CMD_MAGIC_BYTES];

	k->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (!k->file) {
		read_error_set(error, "cannot open: %s", strerror(errno));
		return false;
	}
	/* The text is not read further here, as a pipe cannot be read twice. */
	int first = getc(k->file);

	if (first == EOF && ferror(k->file)) {
		read_error_set(error, "cannot read: %s", strerror(errno));
		return false;
	}
	ungetc(first, k->file);
	if (first != (unsigned char)TRACE_CMD_MAGIC[0]) {
		return true;
	}
	if (fread(begin, 1, sizeof(begin), k->file) != sizeof(begin) ||
		memcmp(begin, TRACE_CMD_MAGIC, sizeof(begin)) != 0) {
		read_error_set(error, "is not text");
		return false;
	}
	return open_through_trace_cmd(k, error);
}

/* Reads a line and keeps its first bytes; false at the end. */
static bool next_line(struct kernel_text *k, char line[LINE_MAX_BYTES])
{
	size_t length = 0;
	int c = getc_unlocked(k->file);

	if (c == EOF) {
		return false;
	}
	for (; c != EOF && c != '\n'; c = getc_unlocked(k->file)) {
		if (length < LINE_MAX_BYTES - 1) {
			line[length++] = c ? (char)c : '\x01';
		}
	}
	line[length] = '\0';
	k->line++;
	return true;
}

bool kernel_text_next(struct kernel_text *k, struct kernel_event *event)
{
	char text[LINE_MAX_BYTES];
	struct kernel_line line;

	while (next_line(k, text)) {
		if (kernel_line_is_loss(text)) {
			*event = (struct kernel_event){ .edge = KERNEL_LOST };
			return true;
		}
		if (kernel_line_parse(&line, text)) {
			k->events++;
			k->ticks += line.is_ticks;
			k->is_continued = kernel_line_may_continue(line.event);
			kernel_event_parse(event, &line);
			if (k->offset_ns < 0 && event->ns < -(uint64_t)k->offset_ns) {
				event->ns = 0;
			} else {
				event->ns += (uint64_t)k->offset_ns;
			}
			return true;
		}
		if (!kernel_line_is_remark(text) && !k->is_continued) {
			k->bad++;
			k->on_bad(k->data, k->line, text);
		}
	}
	return false;
}

bool kernel_text_close(struct kernel_text *k, struct read_error *error)
{
	bool ok = true;

	if (k->file && ferror(k->file)) {
		read_error_set(error, "cannot read: %s", strerror(errno));
		ok = false;
	}
	if (k->file && k->file != stdin) {
		fclose(k->file);
	}
	k->file = NULL;
	return trace_cmd_close(&k->child, error) && ok;
}
