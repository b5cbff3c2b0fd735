/* SPDX-License-Identifier: MIT */
/* Packets, and tracks: processes, threads, lanes of asynchronous scopes, counters. */
#include "view/export/perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

char *perfetto_begin(struct perfetto *p, size_t room, char **packet)
{
	char *out = out_reserve(p->export->out, PACKET_ROOM + room);

	out = *packet = protobuf_open(out, PERFETTO_PACKET);
	return protobuf_number(out, PACKET_SEQUENCE, SEQUENCE);
}

void perfetto_end(struct perfetto *p, char *packet, char *out)
{
	struct out *to = p->export->out;

	to->len = (size_t)(protobuf_close(packet, out) - to->data);
}

/* ---- Tracks ---- */

/* Begins the packet of a track whose texts have `length` bytes. */
static char *open_track(struct perfetto *p, uint64_t id, size_t length, char **packet, char **part)
{
	char *out = perfetto_begin(p, ESCAPE_MAX * length, packet);

	out = *part = protobuf_open(out, PACKET_TRACK);
	return protobuf_number(out, TRACK_ID, perfetto_track(id));
}

static void close_track(struct perfetto *p, char *packet, char *part, char *out)
{
	perfetto_end(p, packet, protobuf_close(part, out));
}

char *perfetto_put_name(char *out, unsigned int field, const char *name)
{
	char *text = out = protobuf_open(out, field);

	return protobuf_close(text, message_escape(out, name, strlen(name)));
}

/* True for a process that Perfetto may find by its number. */
static bool is_numbered(const struct timeline_process *process)
{
	return process->is_known && !process->is_guest;
}

void perfetto_put_process(void *view, const struct timeline_process *process)
{
	struct perfetto *p = view;
	char *packet;
	char *part;
	char *own;
	char *out = open_track(p, process->id, strlen(process->name), &packet, &part);

	if (is_numbered(process)) {
		own = out = protobuf_open(out, TRACK_PROCESS);
		out = protobuf_number(out, PROCESS_PID, process->pid);
		out = perfetto_put_name(out, PROCESS_NAME, process->name);
		out = protobuf_close(own, out);
	} else {
		out = perfetto_put_name(out, TRACK_NAME, process->name);
	}
	close_track(p, packet, part, out);
}

void perfetto_put_thread(void *view, const struct timeline_thread *thread)
{
	struct perfetto *p = view;
	const struct timeline_process *process = timeline_process_of(&p->timeline, thread);
	char name[32];
	char *packet;
	char *part;
	char *own;

	if (thread->tid == 0) { /* its events are on the track of the process */
		return;
	}
	snprintf(name, sizeof(name), "thread %" PRIu32, thread->tid);
	char *out = open_track(p, thread->id, strlen(name), &packet, &part);

	out = protobuf_number(out, TRACK_PARENT, perfetto_track(process->id));
	if (is_numbered(process)) {
		own = out = protobuf_open(out, TRACK_THREAD);
		out = protobuf_number(out, THREAD_PID, process->pid);
		out = protobuf_number(out, THREAD_TID, thread->tid);
		out = protobuf_close(own, out);
	} else {
		out = perfetto_put_name(out, TRACK_NAME, name);
	}
	close_track(p, packet, part, out);
}

void perfetto_put_lane(void *view, const struct timeline_lane *lane)
{
	struct perfetto *p = view;
	const char *name = p->timeline.pairs.names.items[lane->name];
	char *packet;
	char *part;
	char *out = open_track(p, lane->id, strlen(name), &packet, &part);

	out = protobuf_number(
		out, TRACK_PARENT, perfetto_track(p->timeline.processes.items[lane->process].id));
	out = perfetto_put_name(out, TRACK_NAME, name);
	close_track(p, packet, part, out);
}

/* ---- Counters ---- */

static char *put_unit(char *out, const char *unit)
{
	static const struct {
		const char *name;
		uint64_t unit;
	} units[] = {
		{ "ns", UNIT_TIME_NS },
		{ "B", UNIT_SIZE_BYTES },
	};

	for (size_t i = 0; unit && i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].name) == 0) {
			return protobuf_number(out, COUNTER_UNIT, units[i].unit);
		}
	}
	return unit ? perfetto_put_name(out, COUNTER_UNIT_NAME, unit) : out;
}

void perfetto_put_counter(struct perfetto *p, const struct timeline_value *v)
{
	const struct timeline_process *process = &p->timeline.processes.items[v->process];
	const char *unit = v->arg->unit ? v->arg->unit : "";
	char *packet;
	char *part;
	char *own;
	struct out name;

	out_init(&name, OUT_TO_MEMORY);
	out_printf(&name, "%s.%s", v->class->name, v->arg->name);
	out_char(&name, '\0');
	char *out = open_track(p, v->id, name.len + strlen(unit), &packet, &part);

	out = protobuf_number(out, TRACK_PARENT, perfetto_track(process->id));
	out = perfetto_put_name(out, TRACK_NAME, name.data);
	own = out = protobuf_open(out, TRACK_COUNTER);
	out = protobuf_close(own, put_unit(out, v->arg->unit));
	close_track(p, packet, part, out);
	out_fini(&name);
	vec_push(&p->values, v->id);
}
