/* SPDX-License-Identifier: MIT */
/*
 * JSON in the Trace Event format of Chromium, an object a line, in the order of time. Slices of
 * threads are B and E, which nest; asynchronous scopes b and e, with the number of their lane as
 * id; other events are instants, or slices without length if they have flows, which are drawn
 * between slices only.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "view/export/cell.h"
#include "view/export/export.h"
#include "view/gap.h"
#include "view/message/json.h"
#include "view/message/message.h"
#include "view/message/number.h"
#include "view/message/steps.h"

/* Bytes of a line without its message and names. */
#define LINE_ROOM 512

/* Processes of the n-th trace have n times this added to their number if hosts differ. */
#define GUEST_PIDS UINT64_C(10000000000)

/* Flows that began are remembered in a table, so that memory is bounded: a power of two. */
#define FLOWS_KNOWN (1u << 16)

struct chrome {
	struct export *export;
	struct timeline timeline;
	struct arena arena;
	VEC(struct message *) messages; /* by class index; NULL until needed */
	uint64_t *flows; /* numbers of flows, by their lowest bits */
	bool has_lines;
};

static char *put_text(char *out, const char *text)
{
	size_t length = strlen(text);

	memcpy(out, text, length);
	return out + length;
}

/* ---- Names and arguments ---- */

/* Ends the hex of an undeclared event's payload. */
static char *put_raw(char *out, const struct message *m, const struct record *rec)
{
	(void)m;
	for (size_t i = 0; i < rec->payload_size; i++) {
		out = number_hex(out, rec->payload[i], 2);
	}
	return put_text(out, "\"}}");
}

/* Compiles `"name":"x","cat":"y","args":{...}}`. */
static COLD struct message *make_message(struct chrome *c, const struct event_class *class)
{
	const struct message_look look = { .has_names = true };
	struct message *m = arena_new(&c->arena, struct message);
	size_t category = timeline_category(class->name);
	enum value_form form = c->export->reader->form;
	struct steps s;

	steps_init(&s, m, &c->arena, class);
	m->put_raw = class->event ? NULL : put_raw;
	m->expansion = JSON_EXPANSION;
	out_str(&s.text, "\"name\":");
	json_out_string(&s.text, class->name);
	if (category > 0) {
		out_str(&s.text, ",\"cat\":");
		json_out_string(&s.text, arena_strndup(&c->arena, class->name, category));
	}
	out_str(&s.text, class->event ? ",\"args\":{" : ",\"args\":{\"raw\":\"");
	message_add_members(&s, &look, form);
	message_add_cut(&s);
	out_str(&s.text, class->event ? "}}" : "");
	steps_add(&s, (struct message_step){ .op = MESSAGE_END });
	steps_link(&s, form);
	vec_reach(&c->messages, class->index);
	c->messages.items[class->index] = m;
	return m;
}

static inline const struct message *message_of(struct chrome *c, const struct event_class *class)
{
	const struct message *m =
		class->index < c->messages.count ? c->messages.items[class->index] : NULL;

	return LIKELY(m != NULL) ? m : make_message(c, class);
}

/* ---- Lines ---- */

static uint64_t shown_pid(const struct timeline_process *p)
{
	return p->pid + (p->is_guest ? p->trace * GUEST_PIDS : 0);
}

/* Begins a line of that phase, for which `room` more bytes are reserved. */
static char *begin_line(struct chrome *c, size_t room, const char *phase)
{
	char *out = out_reserve(c->export->out, LINE_ROOM + room);

	out = put_text(out, c->has_lines ? ",\n{\"ph\":" : "\n{\"ph\":");
	c->has_lines = true;
	return put_text(out, phase);
}

static void end_line(struct chrome *c, char *out)
{
	c->export->out->len = (size_t)(out - c->export->out->data);
}

/* Writes the time in microseconds. */
static char *put_time(char *out, uint64_t ns)
{
	bool is_negative = (int64_t)ns < 0;
	uint64_t n = is_negative ? 0 - ns : ns;

	out = put_text(out, is_negative ? ",\"ts\":-" : ",\"ts\":");
	out = number_decimal(out, n / 1000);
	*out = '.';
	number_fixed4(out + 1, (uint32_t)(n % 1000 * 10));
	return out + 4;
}

static char *put_thread_of(char *out, const struct chrome *c, const struct timeline_thread *t)
{
	const struct timeline_process *p = timeline_process_of(&c->timeline, t);

	out = number_decimal(put_text(out, ",\"pid\":"), shown_pid(p));
	out = number_decimal(put_text(out, ",\"tid\":"), t->tid);
	*out = ',';
	return out + 1;
}

/* Writes a line of metadata, that names a process or thread. */
static void put_metadata(struct chrome *c, const struct timeline_process *p, uint32_t tid,
	const char *what, const char *name)
{
	size_t length = strlen(name);
	char *out = begin_line(c, JSON_EXPANSION * length + JSON_QUOTES, "\"M\"");

	out = number_decimal(put_text(out, ",\"pid\":"), shown_pid(p));
	out = number_decimal(put_text(out, ",\"tid\":"), tid);
	out = put_text(put_text(out, ",\"name\":\""), what);
	out = put_text(out, "\",\"args\":{\"name\":");
	out = json_put_string(out, name, length);
	end_line(c, put_text(out, "}}"));
}

static void put_process(void *view, const struct timeline_process *p)
{
	put_metadata(view, p, 0, "process_name", p->name);
}

static void put_thread(void *view, const struct timeline_thread *t)
{
	struct chrome *c = view;
	char name[40] = "thread unknown";

	if (t->tid) {
		*number_decimal(put_text(name, "thread "), t->tid) = '\0';
	}
	put_metadata(c, timeline_process_of(&c->timeline, t), t->tid, "thread_name", name);
}

/* ---- Flows ---- */

/* Returns s, t or f: whether the flow begins, goes on, or ends. */
static const char *step_of(struct chrome *c, uint64_t id, enum life_part part)
{
	uint64_t *known = &c->flows[id % FLOWS_KNOWN];
	bool begins = *known != id || part == LIFE_BEGIN;

	*known = part == LIFE_END ? 0 : id;
	return begins ? "\"s\"" : part == LIFE_END ? "\"f\"" : "\"t\"";
}

static void put_flows(struct chrome *c, const struct timeline_event *e)
{
	for (size_t i = 0; i < e->flows.count; i++) {
		uint64_t id = e->flows.ids[i];
		const char *step = step_of(c, id, e->flows.part);
		char *out = begin_line(c, 0, step);

		out = put_time(out, e->ns);
		out = put_thread_of(out, c, e->thread);
		out = put_text(out, "\"bp\":\"e\",\"name\":\"flow\",\"cat\":\"flow\",\"id\":\"0x");
		end_line(c, put_text(number_hex(out, id, 1), "\"}"));
	}
}

/* ---- Events ---- */

/* Writes the end of a line whose event has no arguments. */
static char *put_bare(char *out, const struct timeline_event *e)
{
	size_t category = timeline_category(e->class->name);

	out = put_text(out, "\"name\":");
	out = json_put_string(out, e->class->name, strlen(e->class->name));
	if (category > 0) {
		out = put_text(out, ",\"cat\":");
		out = json_put_string(out, e->class->name, category);
	}
	return put_text(out, e->is_continued ? ",\"args\":{\"continued\":true}}" : "}");
}

static void put_event(void *view, const struct timeline_event *e)
{
	static const char *const phases[] = {
		[TIMELINE_INSTANT] = "\"i\",\"s\":\"t\"",
		[TIMELINE_BEGIN] = "\"B\"",
		[TIMELINE_END] = "\"E\"",
		[TIMELINE_ASYNC_BEGIN] = "\"b\"",
		[TIMELINE_ASYNC_END] = "\"e\"",
	};
	struct chrome *c = view;
	const struct message *m = message_of(c, e->class);
	const void *args = e->rec && m->direct ? (const void *)e->rec->payload
			   : e->rec	       ? e->rec->values
					       : NULL;
	size_t room = e->rec ? message_room(m, e->rec, args)
			     : 2 * (JSON_EXPANSION * strlen(e->class->name) + JSON_QUOTES);
	bool has_flows = e->kind == TIMELINE_INSTANT && e->flows.count > 0;
	char *out = begin_line(c, room, has_flows ? "\"X\",\"dur\":0" : phases[e->kind]);

	out = put_time(out, e->ns);
	out = put_thread_of(out, c, e->thread);
	if (e->lane) {
		out = number_hex(put_text(out, "\"id\":\"0x"), e->lane->id, 1);
		out = put_text(
			out, timeline_category(e->class->name) ? "\"," : "\",\"cat\":\"scope\",");
	}
	out = e->rec ? message_render(out, m, e->rec, args) : put_bare(out, e);
	end_line(c, out);
	if (e->kind == TIMELINE_INSTANT || e->kind == TIMELINE_BEGIN) {
		put_flows(c, e);
	}
}

static void put_gap(void *view, const struct timeline_thread *thread, const struct record *rec)
{
	struct chrome *c = view;
	char *out = begin_line(c, 0, "\"i\",\"s\":\"t\"");

	out = put_thread_of(put_time(out, rec->ns), c, thread);
	end_line(c, put_text(out, "\"name\":\""));
	gap_put_text(c->export->out, &rec->gap);
	out_str(c->export->out, "\",\"args\":{");
	gap_put_json(c->export->out, &rec->gap);
	out_str(c->export->out, "}}");
}

static char *put_number(char *out, const struct cell *cell, double real)
{
	switch (cell->kind) {
	case CELL_SIGNED:
		return number_signed(out, (int64_t)cell->number);
	case CELL_DOUBLE:
		return number_real(out, real);
	default:
		return number_decimal(out, cell->number);
	}
}

static void put_value(void *view, const struct timeline_value *v)
{
	struct chrome *c = view;
	const char *name = v->class->name;
	const char *field = v->arg->name;
	size_t room = 2 * JSON_EXPANSION * (strlen(name) + strlen(field));
	struct cell cell;
	double real;

	cell_set(&cell, v->arg, v->value, false);
	/* JSON has neither infinity nor NaN. */
	if (cell_real(&cell, &real) && real - real == 0) {
		char *out = put_time(begin_line(c, room, "\"C\""), v->ns);

		out = put_text(out, ",\"pid\":");
		out = number_decimal(out, shown_pid(&c->timeline.processes.items[v->process]));
		out = put_text(out, ",\"name\":\"");
		out = json_put_text(out, name, strlen(name));
		*out = '.';
		out = json_put_text(out + 1, field, strlen(field));
		out = put_text(out, "\",\"args\":{");
		out = json_put_string(out, field, strlen(field));
		*out = ':';
		end_line(c, put_text(put_number(out + 1, &cell, real), "}}"));
	}
	cell_fini(&cell);
}

/* ---- The format ---- */

static const struct timeline_style style = {
	.put_process = put_process,
	.put_thread = put_thread,
	.put_event = put_event,
	.put_gap = put_gap,
	.put_value = put_value,
};

static void *begin(struct export *e)
{
	struct chrome *c = xcalloc(1, sizeof(*c));

	c->export = e;
	c->flows = xcalloc(FLOWS_KNOWN, sizeof(*c->flows));
	arena_init(&c->arena);
	timeline_init(&c->timeline, e->reader, &e->counters, &style, c);
	out_str(e->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return c;
}

static bool put(void *state, const struct record *records, size_t count)
{
	struct chrome *c = state;

	for (size_t i = 0; i < count; i++) {
		timeline_add(&c->timeline, &records[i]);
	}
	return true;
}

static bool end(void *state)
{
	struct chrome *c = state;

	out_str(c->export->out, "\n]}\n");
	timeline_fini(&c->timeline);
	vec_fini(&c->messages);
	arena_fini(&c->arena);
	free(c->flows);
	free(c);
	return true;
}

const struct export_format export_chrome = {
	.name = "chrome",
	.help = "JSON of trace events, for chrome://tracing and speedscope",
	.has_counters = true,
	.begin = begin,
	.put = put,
	.end = end,
};
