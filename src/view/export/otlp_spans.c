/* SPDX-License-Identifier: MIT */
/*
 * Open spans: their ids, where each is in the traces, its attributes and events. Which record
 * begins or ends one is decided in otlp.c. Ids depend only on what is recorded, so each export of a
 * trace has the same ones.
 */
#include <inttypes.h>
#include <stdio.h>

#include "format/uuid.h"
#include "read/where.h"
#include "view/export/otlp.h"
#include "view/lists.h"

/* ---- Ids ---- */

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* FNV-1a, ended as MurmurHash3 ends, so that each bit depends on all; never 0. */
static uint64_t hash(uint64_t x, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		x = (x ^ (unsigned char)text[i]) * FNV_PRIME;
	}
	x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
	x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	x ^= x >> 33;
	return x ? x : 1;
}

static struct otlp_id make_id(const struct out *text)
{
	return (struct otlp_id){ hash(FNV_BASIS ^ 1, text->data, text->len),
		hash(FNV_BASIS, text->data, text->len) };
}

/* Adds what distinguishes a process from all others to the text of an id. */
static void add_process(struct otlp *o, struct otlp_process process)
{
	const struct trace_info *info = &o->export->reader->traces[process.trace];
	struct out *out = &o->made;
	char uuid[UUID_TEXT_SIZE];

	if (info->uuid) {
		out_str(out, uuid_text(uuid, info->uuid));
	} else {
		out_printf(out, "%s %s %s", info->hostname ? info->hostname : "",
			info->boot_id ? info->boot_id : "", info->procname ? info->procname : "");
	}
	out_printf(out, " %u ", process.pid);
}

/* Reads an id of OpenTelemetry: 32 digits, as in a `traceparent`. False if the text is none. */
static bool read_id(const struct cell *cell, struct otlp_id *id)
{
	char text[33] = "";

	if (cell->kind != CELL_TEXT || cell->length != 32) {
		return false;
	}
	memcpy(text, cell->text, 32);
	return strspn(text, "0123456789abcdef") == 32 &&
	       sscanf(text, "%16" SCNx64 "%16" SCNx64, &id->high, &id->low) == 2 &&
	       (id->high || id->low);
}

/* Sets the cell to the value that names the object of a record; NULL if there is none to send. */
static const struct arg *find_key(const struct record *rec, struct cell *cell)
{
	const struct event *e = rec->class->event;
	int key = life_kinds_key(e);
	const struct arg *arg = key < 0 ? NULL : &e->args[key];

	*cell = (struct cell){ .kind = CELL_NULL };
	if (!arg || arg->is_secret ||
		(rec->values[key].kind == VALUE_STRING && rec->values[key].is_cut)) {
		return NULL;
	}
	cell_set(cell, arg, &rec->values[key], false);
	return cell->kind == CELL_NULL ? NULL : arg;
}

/*
 * Makes the id of the trace that a record's key names: that of all spans, of any process and host,
 * with a key of this name and value. A pointer names an object of its process only.
 */
static bool find_trace(struct otlp *o, const struct record *rec, struct otlp_id *id)
{
	struct cell cell;
	const struct arg *arg = find_key(rec, &cell);

	if (arg && !read_id(&cell, id)) {
		o->made.len = 0;
		if (cell.kind == CELL_POINTER) {
			add_process(o, (struct otlp_process){ rec->trace, rec->pid });
		}
		otlp_put_cell(&o->made, arg->name, &cell);
		*id = make_id(&o->made);
	}
	cell_fini(&cell);
	return arg != NULL;
}

static void put_held(struct out *out, const char *held, size_t count)
{
	if (count > 0) {
		out_bytes(out, held, count);
	}
}

static struct otlp_id make_span_id(
	struct otlp *o, const struct otlp_span *s, const struct record *rec, bool is_life)
{
	struct out *out = &o->made;

	out->len = 0;
	add_process(o, s->process);
	out_printf(out, "%u %" PRIu64 " %s ", rec->tid, rec->ns, s->name);
	if (!is_life) {
		out_printf(out, "%" PRIu64, rec->values[0].number);
	}
	put_held(out, s->attributes.items, s->attributes.count);
	return make_id(out);
}

static bool is_of(const struct otlp_place *place, const struct otlp_id *trace)
{
	return place->span && place->trace.low == trace->low && place->trace.high == trace->high;
}

/* Finds the trace of a new span, and its parent there. */
static void set_place(struct otlp *o, struct otlp_span *s, const struct record *rec, bool is_life)
{
	const struct otlp_place life = is_life ? (struct otlp_place){ .span = 0 } : o->life;
	const struct otlp_id id = make_span_id(o, s, rec, is_life);

	s->at.span = id.low;
	if (!find_trace(o, rec, &s->at.trace)) {
		s->at.trace = life.span ? life.trace : o->around.span ? o->around.trace : id;
	}
	if (is_of(&o->around, &s->at.trace)) {
		s->parent = o->around.span;
	} else {
		s->parent = is_of(&life, &s->at.trace) ? life.span : 0;
		s->link = o->around;
	}
}

/* ---- Events ---- */

static void put_time(
	struct otlp *o, struct out *out, const struct otlp_span *s, const char *name, uint64_t ns)
{
	const struct trace_info *info = &o->export->reader->traces[s->process.trace];

	out_printf(out, "\"%s\":\"%" PRIu64 "\",", name,
		ns + (info->has_realtime ? info->realtime : 0));
}

void otlp_select(struct otlp *o, uint32_t span, const struct record *rec)
{
	struct otlp_span *s = &o->spans.items[span];

	if (!s->is_selected) {
		s->is_selected = where_passes(o->export->where, o->export->reader, rec);
	}
}

void otlp_add(struct otlp *o, uint32_t span, const struct record *rec, bool is_last)
{
	struct otlp_span *s = &o->spans.items[span];
	bool is_full = s->events.count >= OTLP_EVENTS_MAX || o->held >= OTLP_HELD_MAX;
	struct out *out = &o->made;

	otlp_select(o, span, rec);
	if (is_full && !is_last) {
		s->dropped++;
		return;
	}
	out->len = 0;
	out_str(out, s->events.count ? ",{" : "{");
	put_time(o, out, s, "timeUnixNano", rec->ns);
	out_str(out, "\"name\":");
	otlp_put_string(out, rec->class->name);
	out_str(out, ",\"attributes\":[");
	if (rec->tid && rec->tid != s->tid) {
		otlp_put_number(out, "thread.id", rec->tid);
	}
	otlp_put_fields(out, rec, 0);
	out_str(out, "]}");
	vec_append(&s->events, out->data, out->len);
	o->held += out->len;
}

/* ---- Spans ---- */

static uint32_t take_span(struct otlp *o)
{
	uint32_t index = o->free;

	if (index == OTLP_NONE) {
		vec_push(&o->spans, ((struct otlp_span){ .next = OTLP_NONE }));
		return (uint32_t)o->spans.count - 1;
	}
	o->free = o->spans.items[index].next;
	return index;
}

uint32_t otlp_open(struct otlp *o, const struct record *rec, const char *name, bool is_life)
{
	uint32_t index = take_span(o);
	struct otlp_span *s = &o->spans.items[index];

	*s = (struct otlp_span){
		.name = name,
		.begin_ns = rec->ns,
		.process = { rec->trace, rec->pid },
		.tid = rec->tid,
		.is_selected = !o->export->where,
	};
	o->made.len = 0;
	if (rec->tid) {
		otlp_put_number(&o->made, "thread.id", rec->tid);
	}
	if (is_life) {
		otlp_put_text(&o->made, "waymark.event", rec->class->name);
	}
	otlp_put_fields(&o->made, rec, is_life ? 0 : 1); /* without the number of a scope */
	vec_append(&s->attributes, o->made.data, o->made.len);
	set_place(o, s, rec, is_life);
	otlp_select(o, index, rec);
	return index;
}

static void put_place(struct out *out, const struct otlp_place *at)
{
	out_printf(out,
		"\"traceId\":\"%016" PRIx64 "%016" PRIx64 "\",\"spanId\":\"%016" PRIx64 "\"",
		at->trace.high, at->trace.low, at->span);
}

static void put_span(
	struct otlp *o, const struct otlp_span *s, uint64_t ns, enum life_outcome outcome)
{
	struct out *out = otlp_begin_span(o, s->process);

	out_char(out, '{');
	put_place(out, &s->at);
	if (s->parent) {
		out_printf(out, ",\"parentSpanId\":\"%016" PRIx64 "\"", s->parent);
	}
	out_str(out, ",\"name\":");
	otlp_put_string(out, s->name);
	out_str(out, ",\"kind\":1,"); /* internal */
	put_time(o, out, s, "startTimeUnixNano", s->begin_ns);
	put_time(o, out, s, "endTimeUnixNano", ns > s->begin_ns ? ns : s->begin_ns);
	out_str(out, "\"attributes\":[");
	put_held(out, s->attributes.items, s->attributes.count);
	if (outcome != LIFE_ENDED) {
		otlp_put_text(out, "waymark.outcome", list_outcomes[outcome]);
	}
	out_str(out, "],\"events\":[");
	put_held(out, s->events.items, s->events.count);
	out_printf(out, "],\"droppedEventsCount\":%u,\"links\":[", s->dropped);
	if (s->link.span) {
		out_char(out, '{');
		put_place(out, &s->link);
		out_char(out, '}');
	}
	out_str(out, "]}");
	otlp_end_span(o);
}

void otlp_close(struct otlp *o, uint32_t span, uint64_t ns, enum life_outcome outcome)
{
	struct otlp_span *s = &o->spans.items[span];

	if (s->is_selected) {
		put_span(o, s, ns, outcome);
		o->counts.unfinished += outcome != LIFE_ENDED;
		o->counts.dropped += s->dropped;
	}
	o->held -= s->events.count;
	vec_fini(&s->attributes);
	vec_fini(&s->events);
	s->next = o->free;
	o->free = span;
}
