/* SPDX-License-Identifier: MIT */
/*
 * What the traces of a reader are and declare, for programs that choose before they read.
 */
#include <string.h>

#include "api/reader.h"
#include "base/value_name.h"

/* Copies as many bytes of an answer as the caller's struct has, whose first member is its size. */
static void give(void *to, size_t room, const void *from, size_t size)
{
	memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t),
		(room < size ? room : size) - sizeof(size_t));
}

size_t waymark_reader_trace_count(const struct waymark_reader *r)
{
	return r->reader->trace_count;
}

int waymark_reader_trace_info(
	const struct waymark_reader *r, size_t trace, struct waymark_trace_info *info)
{
	if (trace >= r->reader->trace_count || info->size < sizeof(info->size)) {
		return -1;
	}
	const struct trace_info *t = &r->reader->traces[trace];
	const char *only = r->paths ? r->paths[0] : "";
	const struct waymark_trace_info full = {
		.path = reader_keep(r, t->path ? t->path : only),
		.process = reader_keep(r, t->procname),
		.host = reader_keep(r, t->hostname),
		.state = t->state ? t->state : "",
		.realtime = t->has_realtime ? t->realtime : 0,
		.pid = t->pid,
		.streams = (uint32_t)t->streams,
	};

	give(info, info->size, &full, sizeof(full));
	return 0;
}

size_t waymark_reader_event_count(const struct waymark_reader *r)
{
	return r->reader->classes.all.count;
}

int waymark_reader_event_info(
	const struct waymark_reader *r, size_t event, struct waymark_event_info *info)
{
	const struct event_class *class = reader_class_of(r, event);

	if (!class || info->size < sizeof(info->size)) {
		return -1;
	}
	const struct event *e = class->event;
	const struct waymark_event_info full = {
		.name = reader_keep(r, class->name),
		.format = e ? reader_keep(r, e->format.source) : NULL,
		.fields = e ? e->arg_count : 0,
	};

	give(info, info->size, &full, sizeof(full));
	return 0;
}

static const struct arg *arg_of(const struct waymark_reader *r, size_t event, size_t field)
{
	const struct event_class *class = reader_class_of(r, event);
	bool exists = class && class->event && field < class->event->arg_count;

	return exists ? &class->event->args[field] : NULL;
}

int waymark_reader_field_info(
	const struct waymark_reader *r, size_t event, size_t field, struct waymark_field_info *info)
{
	const struct arg *arg = arg_of(r, event, field);

	if (!arg || info->size < sizeof(info->size)) {
		return -1;
	}
	const struct waymark_field_info full = {
		.name = reader_keep(r, arg->name),
		.type = reader_keep(r, arg->type.text),
		.unit = reader_keep(r, arg->unit),
		.kind = reader_kind_of(&arg->type),
		.is_key = arg->is_key,
		.is_flags = arg->is_flags,
	};

	give(info, info->size, &full, sizeof(full));
	return 0;
}

const char *waymark_reader_value_name(
	const struct waymark_reader *r, size_t event, size_t field, uint64_t value)
{
	const struct arg *arg = arg_of(r, event, field);
	bool is_negative = arg && arg->type.is_signed && (int64_t)value < 0;

	for (const struct value_name *v = arg ? arg->names : NULL; v && v->name; v++) {
		if (v->value == value && v->is_negative == is_negative) {
			return reader_keep(r, v->name);
		}
	}
	return NULL;
}

/* Reads the headers of packets once. */
static const struct reader_outline *outline_of(struct waymark_reader *r)
{
	if (!r->has_outline) {
		r->has_outline = true;
		if (!reader_outline(r->reader, &r->outline)) {
			r->outline.threads.count = 0;
		}
	}
	return &r->outline;
}

size_t waymark_reader_thread_count(struct waymark_reader *r)
{
	return outline_of(r)->threads.count;
}

int waymark_reader_thread_info(
	struct waymark_reader *r, size_t thread, struct waymark_thread_info *info)
{
	const struct reader_outline *o = outline_of(r);

	if (thread >= o->threads.count || info->size < sizeof(info->size)) {
		return -1;
	}
	const struct outline_thread *t = &o->threads.items[thread];
	const struct waymark_thread_info full = {
		.first_ns = (uint64_t)t->first_ns,
		.last_ns = (uint64_t)t->last_ns,
		.tid = t->tid,
		.trace = t->trace,
	};

	give(info, info->size, &full, sizeof(full));
	return 0;
}
