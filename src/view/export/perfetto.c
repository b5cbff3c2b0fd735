/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's traces: a packet for each record, process, thread and lane. Names are written once, in
 * the packet before the first event that uses them, and numbered; a packet of any other trace may
 * follow, because the numbers belong to our sequence of packets. Times are of CLOCK_MONOTONIC,
 * which the first packet declares as the clock of the trace.
 */
#include "view/export/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "view/gap.h"

/* ---- The first packet ---- */

static char *put_clock(char *out, uint64_t id, uint64_t ns)
{
	char *clock = out = protobuf_open(out, SNAPSHOT_CLOCK);

	out = protobuf_number(out, CLOCK_ID, id);
	out = protobuf_number(out, CLOCK_TIME, ns);
	return protobuf_close(clock, out);
}

/* Writes the first packet: which clocks the trace has, and what all later packets share. */
static void begin_trace(struct perfetto *p, const struct record *rec)
{
	const struct trace_info *info = &p->export->reader->traces[0];
	char *packet;
	char *out = perfetto_begin(p, 0, &packet);
	char *part;

	out = protobuf_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NAMES_CLEARED);
	out = protobuf_number(out, PACKET_IS_FIRST, 1);
	part = out = protobuf_open(out, PACKET_DEFAULTS);
	out = protobuf_number(out, DEFAULTS_CLOCK, CLOCK_ID_MONOTONIC);
	out = protobuf_close(part, out);
	part = out = protobuf_open(out, PACKET_CLOCK_SNAPSHOT);
	out = put_clock(out, CLOCK_ID_MONOTONIC, rec->ns);
	if (info->has_realtime) {
		out = put_clock(out, CLOCK_ID_REALTIME, rec->ns + info->realtime);
	}
	out = protobuf_number(out, SNAPSHOT_PRIMARY, CLOCK_ID_MONOTONIC);
	out = protobuf_close(part, out);
	perfetto_end(p, packet, out);
	p->has_begun = true;
}

/* ---- Names ---- */

/* Returns the number of a name; *is_new: it must be written. */
static uint64_t number_name(struct hash *names, const char *name, bool *is_new)
{
	uintptr_t next = names->count + 1;
	uintptr_t number = (uintptr_t)hash_add(names, name, (void *)next);

	*is_new = number == next && names->count == next;
	return number;
}

static char *put_interned(char *out, unsigned int field, uint64_t number, const char *name)
{
	char *entry = out = protobuf_open(out, field);

	out = protobuf_number(out, NAME_ID, number);
	out = perfetto_put_name(out, NAME_TEXT, name);
	return protobuf_close(entry, out);
}

static size_t room_of_names(const struct event_class *class)
{
	size_t room = 2 * (ESCAPE_MAX * strlen(class->name) + ARGUMENT_ROOM);

	for (size_t i = 0; class->event && i < class->event->arg_count; i++) {
		room += ESCAPE_MAX * strlen(class->event->args[i].name) + ARGUMENT_ROOM;
	}
	return room;
}

static char *intern_category(
	struct perfetto *p, char *out, struct perfetto_class *c, const char *name)
{
	size_t length = timeline_category(name);
	char *category = arena_strndup(&p->arena, name, length);
	bool is_new;

	if (length == 0) {
		return out;
	}
	c->category = number_name(&p->categories, category, &is_new);
	return is_new ? put_interned(out, INTERNED_CATEGORY, c->category, category) : out;
}

/* Writes the names that the class uses first. */
static COLD void describe(struct perfetto *p, const struct event_class *class)
{
	const struct event *e = class->event;
	struct perfetto_class c = { .is_ready = true };
	char *packet;
	char *out = perfetto_begin(p, room_of_names(class), &packet);
	char *part;

	out = protobuf_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_NAMES);
	part = out = protobuf_open(out, PACKET_INTERNED);
	out = intern_category(p, out, &c, class->name);
	out = put_interned(out, INTERNED_EVENT, class->index + 1, class->name);
	c.arguments = arena_array(&p->arena, uint64_t, e ? e->arg_count + 1 : 1);
	for (size_t i = 0; e && i < e->arg_count; i++) {
		bool is_new;

		c.arguments[i] = number_name(&p->arguments, e->args[i].name, &is_new);
		if (is_new) {
			out = put_interned(out, INTERNED_ARGUMENT, c.arguments[i], e->args[i].name);
		}
		if (p->cells.count <= i) {
			vec_push(&p->cells, ((struct cell){ 0 }));
		}
	}
	perfetto_end(p, packet, protobuf_close(part, out));
	vec_reach(&p->classes, class->index);
	p->classes.items[class->index] = c;
}

static inline const struct perfetto_class *class_of(
	struct perfetto *p, const struct event_class *class)
{
	if (UNLIKELY(
		    class->index >= p->classes.count || !p->classes.items[class->index].is_ready)) {
		describe(p, class);
	}
	return &p->classes.items[class->index];
}

/* ---- Events ---- */

/* Begins an event's packet: its time, type and track. */
static char *begin_event(struct perfetto *p, uint64_t ns, size_t room, char *parts[2])
{
	char *out = perfetto_begin(p, room, &parts[0]);

	out = protobuf_number(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_NAMES);
	out = protobuf_number(out, PACKET_TIMESTAMP, ns);
	out = parts[1] = protobuf_open(out, PACKET_EVENT);
	return out;
}

static void end_event(struct perfetto *p, char *parts[2], char *out)
{
	perfetto_end(p, parts[0], protobuf_close(parts[1], out));
}

static char *put_hex(char *out, const struct cell *c)
{
	static const char digits[] = "0123456789abcdef";
	char *text = out = protobuf_open(out, ARGUMENT_TEXT);

	for (size_t i = 0; i < c->length; i++) {
		unsigned char byte = (unsigned char)c->text[i];

		*out++ = digits[byte >> 4];
		*out++ = digits[byte & 15];
	}
	return protobuf_close(text, out);
}

static char *put_cell(char *out, const struct cell *c)
{
	static const unsigned int fields[] = {
		[CELL_UNSIGNED] = ARGUMENT_UNSIGNED,
		[CELL_SIGNED] = ARGUMENT_SIGNED,
		[CELL_BOOL] = ARGUMENT_BOOL,
		[CELL_POINTER] = ARGUMENT_POINTER,
	};

	switch (c->kind) {
	case CELL_NULL:
		return protobuf_text(out, ARGUMENT_TEXT, "(null)");
	case CELL_DOUBLE:
		return protobuf_double(out, ARGUMENT_DOUBLE, c->real);
	case CELL_TEXT:
		return protobuf_bytes(out, ARGUMENT_TEXT, c->text, c->length);
	case CELL_BYTES:
		return put_hex(out, c);
	default:
		return protobuf_number(out, fields[c->kind], c->number);
	}
}

static char *put_argument(char *out, uint64_t name, const struct cell *c)
{
	char *part = out = protobuf_open(out, EVENT_ARGUMENT);

	out = protobuf_number(out, ARGUMENT_NAME_ID, name);
	return protobuf_close(part, put_cell(out, c));
}

/* Sets a cell for each argument; returns the bytes of their packet. */
static size_t set_cells(struct cell *cells, const struct record *rec)
{
	const struct event *e = rec->class->event;
	size_t room = 0;

	for (size_t i = 0; i < e->arg_count; i++) {
		cell_set(&cells[i], &e->args[i], &rec->values[i], true);
		room += ARGUMENT_ROOM;
		room += cells[i].kind >= CELL_TEXT ? 2 * cells[i].length : 0;
	}
	return room;
}

/* Writes an argument whose name is not numbered. */
static char *put_note(char *out, const char *name, const struct cell *c)
{
	char *part = out = protobuf_open(out, EVENT_ARGUMENT);

	out = protobuf_text(out, ARGUMENT_NAME, name);
	return protobuf_close(part, put_cell(out, c));
}

static char *put_flows(char *out, const struct timeline_flows *flows)
{
	unsigned int field = flows->part == LIFE_END ? EVENT_LAST_FLOW : EVENT_FLOW;

	for (size_t i = 0; i < flows->count; i++) {
		out = protobuf_fixed64(out, field, flows->ids[i]);
	}
	return out;
}

/* Writes the payload of an event that is not declared. */
static char *put_raw(char *out, const struct record *rec)
{
	return put_note(out, "raw",
		&(struct cell){ .kind = CELL_BYTES,
			.text = (const char *)rec->payload,
			.length = rec->payload_size });
}

static char *put_arguments(char *out, const struct timeline_event *e,
	const struct perfetto_class *c, struct cell *cells)
{
	const struct event *event = e->class->event;

	for (size_t i = 0; event && i < event->arg_count; i++) {
		out = put_argument(out, c->arguments[i], &cells[i]);
		cell_fini(&cells[i]);
	}
	return event ? out : put_raw(out, e->rec);
}

static void put_event(void *view, const struct timeline_event *e)
{
	static const unsigned int types[] = {
		[TIMELINE_INSTANT] = EVENT_TYPE_INSTANT,
		[TIMELINE_BEGIN] = EVENT_TYPE_BEGIN,
		[TIMELINE_END] = EVENT_TYPE_END,
		[TIMELINE_ASYNC_BEGIN] = EVENT_TYPE_BEGIN,
		[TIMELINE_ASYNC_END] = EVENT_TYPE_END,
	};
	struct perfetto *p = view;
	const struct perfetto_class *c = class_of(p, e->class);
	struct cell *cells = p->cells.items;
	size_t room = 0;
	char *parts[2];

	if (e->rec) {
		room = e->class->event ? set_cells(cells, e->rec) : 2 * e->rec->payload_size;
	}
	char *out = begin_event(p, e->ns, room, parts);

	out = protobuf_number(out, EVENT_TYPE, types[e->kind]);
	out = protobuf_number(
		out, EVENT_TRACK, perfetto_track(e->lane ? e->lane->id : e->thread->id));
	if (types[e->kind] != EVENT_TYPE_END) {
		out = protobuf_number(out, EVENT_NAME_ID, e->class->index + 1);
		out = c->category ? protobuf_number(out, EVENT_CATEGORY_ID, c->category) : out;
		out = put_flows(out, &e->flows);
	}
	if (e->rec) {
		out = put_arguments(out, e, c, cells);
	}
	if (e->is_continued) {
		out = put_note(out, "continued", &(struct cell){ .kind = CELL_BOOL, .number = 1 });
	}
	end_event(p, parts, out);
}

static void put_gap(void *view, const struct timeline_thread *thread, const struct record *rec)
{
	const struct {
		const char *name;
		uint64_t count;
	} notes[] = {
		{ "lost", rec->gap.lost },
		{ "overwritten", rec->gap.overwritten },
		{ "rotated_packets", rec->gap.rotated },
		{ "missing_packets", rec->gap.missing },
	};
	struct perfetto *p = view;
	char *parts[2];
	struct out name;

	out_init(&name, OUT_TO_MEMORY);
	gap_put_text(&name, &rec->gap);
	char *out =
		begin_event(p, rec->ns, name.len + ARRAY_SIZE(notes) * 2 * ARGUMENT_ROOM, parts);

	out = protobuf_number(out, EVENT_TYPE, EVENT_TYPE_INSTANT);
	out = protobuf_number(out, EVENT_TRACK, perfetto_track(thread->id));
	out = protobuf_bytes(out, EVENT_NAME, name.data, name.len);
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
		out = put_note(out, notes[i].name,
			&(struct cell){ .kind = CELL_UNSIGNED, .number = notes[i].count });
	}
	end_event(p, parts, out);
	out_fini(&name);
}

/* ---- Counters ---- */

static bool is_described(const struct perfetto *p, uint64_t id)
{
	for (size_t i = 0; i < p->values.count; i++) {
		if (p->values.items[i] == id) {
			return true;
		}
	}
	return false;
}

static void put_value(void *view, const struct timeline_value *v)
{
	struct perfetto *p = view;
	struct cell cell;
	char *parts[2];
	double real;

	cell_set(&cell, v->arg, v->value, false);
	bool is_number = cell_real(&cell, &real);
	bool is_real =
		cell.kind == CELL_DOUBLE || (cell.kind != CELL_SIGNED && cell.number > INT64_MAX);

	if (is_number) {
		if (!is_described(p, v->id)) {
			perfetto_put_counter(p, v);
		}
		char *out = begin_event(p, v->ns, 0, parts);

		out = protobuf_number(out, EVENT_TYPE, EVENT_TYPE_COUNTER);
		out = protobuf_number(out, EVENT_TRACK, perfetto_track(v->id));
		out = is_real ? protobuf_double(out, EVENT_COUNTER_DOUBLE, real)
			      : protobuf_number(out, EVENT_COUNTER, cell.number);
		end_event(p, parts, out);
	}
	cell_fini(&cell);
}

/* ---- The format ---- */

static const struct timeline_style style = {
	.put_process = perfetto_put_process,
	.put_thread = perfetto_put_thread,
	.put_lane = perfetto_put_lane,
	.put_event = put_event,
	.put_gap = put_gap,
	.put_value = put_value,
};

static void *begin(struct export *e)
{
	struct perfetto *p = xcalloc(1, sizeof(*p));

	p->export = e;
	arena_init(&p->arena);
	hash_init(&p->categories);
	hash_init(&p->arguments);
	timeline_init(&p->timeline, e->reader, &e->counters, &style, p);
	return p;
}

static bool put(void *state, const struct record *records, size_t count)
{
	struct perfetto *p = state;

	if (UNLIKELY(!p->has_begun && count > 0)) {
		begin_trace(p, records);
	}
	for (size_t i = 0; i < count; i++) {
		timeline_add(&p->timeline, &records[i]);
	}
	return true;
}

static bool end(void *state)
{
	struct perfetto *p = state;

	timeline_fini(&p->timeline);
	vec_fini(&p->classes);
	vec_fini(&p->values);
	vec_fini(&p->cells);
	hash_fini(&p->categories);
	hash_fini(&p->arguments);
	arena_fini(&p->arena);
	free(p);
	return true;
}

const struct export_format export_perfetto = {
	.name = "perfetto",
	.help = "protobuf, for ui.perfetto.dev and trace_processor",
	.is_binary = true,
	.has_counters = true,
	.begin = begin,
	.put = put,
	.end = end,
};
