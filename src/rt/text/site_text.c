/* SPDX-License-Identifier: MIT */
/*
 * Trace points of waymark/scope.h as text. Called by text.c and the backends that print, in any
 * thread and any signal handler.
 */
#include <inttypes.h>

#include "brace/brace.h"
#include "rt/event/registry.h"
#include "rt/event/site.h"
#include "rt/text/site_text.h"

/*
 * The word in a line, by enum waymark_site_kind: for the begin and, of scopes and flows, the end.
 */
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

void waymark_line_put_rendered(void *line, const char *text, size_t length)
{
	waymark_line_add(line, text, length);
}

static void put_value(struct line *l, enum brace_type type, const struct waymark_debug *v)
{
	struct brace_spec spec = BRACE_SPEC_DEFAULT;
	struct brace_sink sink;

	if (v->kind == WAYMARK_DEBUG_STRING && !v->as.pointer) {
		waymark_line_put(l, "NULL");
		return;
	}
	spec.type = type;
	line_sink(&sink, l);
	brace_render(&sink, &spec, v);
}

/* Appends a name, which may be any text, with newlines escaped. */
static void put_name(struct line *l, const char *name)
{
	const struct waymark_debug text = waymark_debug_string(name);

	put_value(l, BRACE_DISPLAY, &text);
}

static void put_arguments(
	struct line *l, const struct waymark_event *event, const struct waymark_message *m)
{
	const char *source = event_format(event);
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
