/* SPDX-License-Identifier: MIT */
/* See rt/text/site_text.h. */
#include <inttypes.h>

#include "base/compiler.h"
#include "brace/brace.h"
#include "rt/event/site.h"
#include "rt/text/site_text.h"

/* What happens, by enum waymark_site_kind; of scopes and flows at their end. */
static const struct {
	const char *begin;
	const char *end;
} words[] = {
	[WAYMARK_SITE_SCOPE] = { "Enter", "Exit" },
	[WAYMARK_SITE_FLOW] = { "Flow begin", "Flow end" },
	[WAYMARK_SITE_STEP] = { "Flow step", NULL },
	[WAYMARK_SITE_INSTANT] = { "Instant", NULL },
	[WAYMARK_SITE_COUNTER] = { "Counter", NULL },
	[WAYMARK_SITE_PRINT] = { NULL, NULL },
};

static void put_rendered(void *line, const char *text, size_t length)
{
	waymark_line_add(line, text, length);
}

static bool is_null(const struct waymark_debug *v)
{
	return v->kind == WAYMARK_DEBUG_STRING && !v->as.pointer;
}

static void put_value(struct line *l, enum brace_type type, const struct waymark_debug *v)
{
	struct brace_spec spec = BRACE_SPEC_DEFAULT;
	struct brace_sink sink;

	if (is_null(v)) {
		waymark_line_put(l, "NULL");
		return;
	}
	spec.type = type;
	brace_sink_callback(&sink, put_rendered, l);
	sink.escapes_lines = true;
	sink.wanted = l->size;
	brace_render(&sink, &spec, v);
}

/* A name is any text: newlines in it make no line. */
static void put_name(struct line *l, const char *name)
{
	const struct waymark_debug text = waymark_debug_string(name);

	put_value(l, BRACE_DISPLAY, &text);
}

static void put_arguments(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m)
{
	const char *source = event->format;
	struct site_span s;

	for (uint32_t i = 0; i < m->count && waymark_site_next(&source, &s); i++) {
		waymark_line_put(l, i ? "(" : " - (");
		waymark_line_add(l, s.text, s.length);
		waymark_line_put(l, ": ");
		put_value(l, BRACE_DEBUG, &m->values[i]);
		waymark_line_put(l, ")");
	}
}

static bool is_print(const struct waymark_event *event)
{
	return site_of(event)->kind == WAYMARK_SITE_PRINT;
}

bool waymark_site_is_counter(const struct waymark_event *event)
{
	return event->flags & WAYMARK_EVENT_SITE && site_of(event)->kind == WAYMARK_SITE_COUNTER;
}

void waymark_site_put_value(struct line *l, const struct waymark_message *m)
{
	const struct waymark_debug *v = &m->values[0];

	if (v->kind == WAYMARK_DEBUG_BOOL) {
		waymark_line_put(l, v->as.u ? "1" : "0");
	} else {
		put_value(l, BRACE_DISPLAY, v);
	}
}

void waymark_site_put_body(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m)
{
	bool is_flow = m->mark == WAYMARK_MARK_ASYNC_START || m->mark == WAYMARK_MARK_ASYNC_END;

	if (is_print(event)) {
		put_value(l, BRACE_DISPLAY, &m->values[0]);
		return;
	}
	put_name(l, event->name);
	if (!is_flow && !waymark_site_is_counter(event)) {
		put_arguments(l, event, m);
	}
}

void waymark_site_put(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m)
{
	const struct waymark_site *site = site_of(event);
	bool is_end = m->mark == WAYMARK_MARK_END || m->mark == WAYMARK_MARK_ASYNC_END;
	const char *word = is_end ? words[site->kind].end : words[site->kind].begin;
	const char *name;
	size_t length = waymark_site_category(event, &name);

	if (is_print(event)) {
		put_value(l, BRACE_DISPLAY, &m->values[0]);
		return;
	}
	if (site_has_number(site)) {
		waymark_line_put(l, "%" PRId64 " ", m->id);
	}
	waymark_line_add(l, event->name, length);
	waymark_line_put(l, " %s: ", word);
	put_name(l, name);
	put_arguments(l, event, m);
}

typedef void take_message(const struct waymark_event *event, const struct waymark_message *m);

static const struct {
	unsigned int backend;
	take_message *take;
} takers[] = {
	{ WAYMARK_LOG, waymark_log_message },
	{ WAYMARK_FTRACE, waymark_ftrace_message },
	{ WAYMARK_SYSLOG, waymark_syslog_message },
	{ WAYMARK_HITRACE, waymark_hitrace_message },
};

void waymark_site_hand_over(
	const struct waymark_event *event, const struct waymark_message *m, unsigned int on)
{
	for (size_t i = 0; i < ARRAY_SIZE(takers); i++) {
		if (on & takers[i].backend) {
			takers[i].take(event, m);
		}
	}
}
