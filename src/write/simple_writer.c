/* SPDX-License-Identifier: MIT */
/*
 * Writes simpletrace files (format/simple.h) from records, see write/simple_writer.h. A name is
 * written before its first event. Payloads of simpletrace files are copied, others encoded from the
 * values.
 */
#include "write/simple_writer.h"

#include <string.h>

#include "format/debug.h"
#include "format/simple.h"
#include "write/number.h"

static const struct value null_text = { .text = "(null)", .length = 6, .kind = VALUE_STRING };

void simple_writer_init(struct simple_writer *w, struct out *out, const struct reader *r)
{
	const struct simple_header header = { SIMPLE_HEADER_ID, SIMPLE_MAGIC, SIMPLE_VERSION };

	*w = (struct simple_writer){ .out = out };
	w->copies = strcmp(r->format->name, "simpletrace") == 0 && !r->swap && r->version >= 2;
	out_bytes(out, &header, sizeof(header));
}

void simple_writer_fini(struct simple_writer *w)
{
	vec_fini(&w->named);
}

static COLD void put_name(struct simple_writer *w, const struct event_class *class)
{
	const uint64_t words[] = { SIMPLE_MAPPING, class->index };
	uint32_t length = (uint32_t)strlen(class->name);

	while (w->named.count <= class->index) {
		vec_push(&w->named, false);
	}
	w->named.items[class->index] = true;
	out_bytes(w->out, words, sizeof(words));
	out_bytes(w->out, &length, sizeof(length));
	out_bytes(w->out, class->name, length);
}

/* Writes the type word and the head of a record; returns the place of its payload. */
static inline char *put_head(
	struct simple_writer *w, const struct record *rec, uint64_t id, size_t payload)
{
	const uint64_t type = SIMPLE_EVENT;
	const struct simple_record head = {
		.id = id,
		.ns = rec->ns,
		.length = (uint32_t)(sizeof(head) + payload),
		.pid = rec->pid,
	};
	char *p = out_reserve(w->out, sizeof(type) + sizeof(head) + payload);

	memcpy(p, &type, sizeof(type));
	memcpy(p + sizeof(type), &head, sizeof(head));
	out_advance(w->out, sizeof(type) + sizeof(head) + payload);
	return p + sizeof(type) + sizeof(head);
}

static inline const struct value *text_of(const struct value *v)
{
	return v->kind == VALUE_STRING && v->text ? v : &null_text;
}

/*
 * Returns the bytes of an argument that is no number, after its length; debug pointers have 64
 * bits.
 */
static size_t text_size(const struct type *t, const struct value *v)
{
	if (type_is_pair(t)) {
		return 2 * sizeof(uint64_t);
	}
	size_t bytes = t->class == TYPE_DEBUG ? debug_bytes(v->debug, sizeof(uint64_t)) : 0;

	return (t->class == TYPE_DEBUG) + (bytes ? bytes : text_of(v)->length);
}

static inline size_t payload_size(const struct event *e, const struct value *values)
{
	size_t size = 0;

	for (size_t i = 0; i < e->arg_count; i++) {
		size += type_is_number(&e->args[i].type)
				? sizeof(uint64_t)
				: sizeof(uint32_t) + text_size(&e->args[i].type, &values[i]);
	}
	return size;
}

static char *put_pair(char *p, const struct value *v)
{
	struct value_pair pair = { 0 };

	if (v->kind == VALUE_PAIR) {
		pair = value_pair(v);
	}
	memcpy(p, &pair, sizeof(pair));
	return p + sizeof(pair);
}

/* Writes an argument that is neither a number nor a string. */
static COLD char *put_odd(char *p, const struct type *t, const struct value *v)
{
	uint32_t length = (uint32_t)text_size(t, v);

	memcpy(p, &length, sizeof(length));
	p += sizeof(length);
	if (t->class == TYPE_DEBUG) {
		*p++ = (char)v->debug;
		length--;
	}
	if (v->kind == VALUE_PAIR || type_is_pair(t)) {
		return put_pair(p, v);
	}
	if (v->kind == VALUE_NUMBER) {
		number_put((unsigned char *)p, v->number, length);
		return p + length;
	}
	memcpy(p, text_of(v)->text, length);
	return p + length;
}

static inline char *put_value(char *p, const struct arg *arg, const struct value *v)
{
	if (UNLIKELY(!type_is_number(&arg->type) && arg->type.class != TYPE_STRING)) {
		return put_odd(p, &arg->type, v);
	}
	if (arg->type.class != TYPE_STRING) {
		const uint64_t number = v->kind == VALUE_NUMBER ? v->number : 0;

		memcpy(p, &number, sizeof(number));
		return p + sizeof(number);
	}
	v = text_of(v);
	memcpy(p, &v->length, sizeof(v->length));
	memcpy(p + sizeof(v->length), v->text, v->length);
	return p + sizeof(v->length) + v->length;
}

static COLD void put_gap(struct simple_writer *w, const struct record *rec)
{
	uint64_t events = losses_events(&rec->gap);

	w->unreported.rotated += rec->gap.rotated;
	w->unreported.missing += rec->gap.missing;
	if (events > 0) {
		memcpy(put_head(w, rec, SIMPLE_DROPPED_ID, sizeof(events)), &events,
			sizeof(events));
	}
}

void simple_writer_put(
	struct simple_writer *w, const struct record *rec, const struct value *values)
{
	if (UNLIKELY(rec->kind == RECORD_GAP)) {
		put_gap(w, rec);
		return;
	}
	size_t index = rec->class->index;

	if (UNLIKELY(index >= w->named.count || !w->named.items[index])) {
		put_name(w, rec->class);
	}
	if (w->copies) {
		memcpy(put_head(w, rec, index, rec->payload_size), rec->payload, rec->payload_size);
		return;
	}
	const struct event *e = rec->class->event;
	char *p = put_head(w, rec, index, payload_size(e, values));

	for (size_t i = 0; i < e->arg_count; i++) {
		p = put_value(p, &e->args[i], &values[i]);
	}
}
