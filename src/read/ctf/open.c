/* SPDX-License-Identifier: MIT */
/*
 * Opening a native trace: its metadata, what its process left in memory, and
 * which files and leftover packets make each stream. Nothing is mapped yet.
 */
#include "read/ctf/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/ctf.h"
#include "read/ctf/index.h"

/* Later times (in seconds; some 280 years) do not fit into nanoseconds. */
#define TIME_MAX_S UINT64_C(9000000000)

/* Two events of one name are one class when all that readers see of them is the same. */
static struct event_class *find_class(struct ctf_reader *r, const struct ctf_event *e)
{
	struct out key;

	out_init(&key, OUT_TO_MEMORY);
	out_printf(&key, "%s %s", e->name, e->event->format.source ? e->event->format.source : "");
	for (size_t i = 0; i < e->event->arg_count; i++) {
		const struct layout_field *f = &e->layout->fields[i];

		out_printf(&key, "\n%s %s %u %u %u", e->event->args[i].type.text,
			e->event->args[i].name, f->size, f->align, f->form);
	}
	out_char(&key, '\0');
	struct event_class *class = hash_get(&r->classes, key.data);

	if (!class) {
		class = classes_add(&r->base.classes, e->name);
		class->id = e->id;
		class->event = e->event;
		class->layout = e->layout;
		class->payload_size = e->layout->size;
		hash_add(&r->classes, arena_strdup(&r->names, key.data), class);
	}
	out_fini(&key);
	return class;
}

void ctf_bind_events(struct ctf_reader *r)
{
	struct ctf_metadata *md = &r->metadata;

	for (; r->events_bound < md->events.count; r->events_bound++) {
		const struct ctf_event *e = &md->events.items[r->events_bound];
		struct event_class *class = find_class(r, e);
		const size_t word = sizeof(uint64_t);
		size_t to_string = layout_to_string(e->layout);
		bool varies = e->layout->size == PAYLOAD_VARIES;

		while (r->slots.count <= e->id) {
			vec_push(&r->slots, ((struct ctf_slot){ .size = SIZE_MAX }));
		}
		r->slots.items[e->id] = (struct ctf_slot){
			.class = class,
			.size = varies ? 0 : word + e->layout->size,
			.to_string = to_string ? word + to_string : 0,
		};
		reader_reserve_values(&r->base, e->layout->count);
	}
}

/* A clock that is known better has a new file, where what was read is mostly as it was. */
bool ctf_look_again(struct ctf_reader *r)
{
	struct read_error ignored;

	if (!ctf_metadata_read(&r->metadata, r->trace.directory, &ignored)) {
		return false;
	}
	bool is_new = r->events_bound < r->metadata.events.count;

	ctf_bind_events(r);
	return is_new;
}

void ctf_push(struct ctf_reader *r, struct ctf_stream *s)
{
	struct ctf_waiting w = { s->ticks, s };
	size_t at = r->heap.count;

	s->is_waiting = true;
	vec_push(&r->heap, w);
	while (at > 0 && r->heap.items[(at - 1) / 2].ticks > w.ticks) {
		r->heap.items[at] = r->heap.items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	r->heap.items[at] = w;
}

static void fill_heap(struct ctf_reader *r)
{
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		ctf_push(r, s);
	}
	ctf_sift(r);
}

/* The clock of a process that did not come to its end is in its buffer. */
void ctf_set_clock(struct ctf_reader *r)
{
	const struct ctf_metadata *md = &r->metadata;
	struct buffer_clock begin = md->begin;
	struct buffer_clock now;

	r->clock = md->clock;
	if (r->trace.buffer) {
		struct buffer_clock first;

		/* The buffer has a first reading of its own; the trace's is what its files stay
		 * with. */
		buffer_source_clock(r->trace.buffer, &first, &now);
		begin = begin.realtime_ns ? begin : first;
		ctf_clock_from(&r->clock, &begin, &now);
	}
	r->freq = (double)r->clock.freq;
	r->trace.last_ticks =
		r->clock.freq > PACKET_OPEN / TIME_MAX_S ? PACKET_OPEN : r->clock.freq * TIME_MAX_S;
	r->info.has_realtime = begin.realtime_ns != 0;
	r->info.realtime = begin.realtime_ns - begin.monotonic_ns;
	r->ns_of_zero = ctf_clock_base(&r->clock) - r->info.realtime;
}

/* Streams are numbered from 1: of a rotated trace, one without files had some. */
static size_t count_gone(const struct ctf_reader *r)
{
	size_t count = r->streams.count;
	uint64_t last = count ? r->streams.items[count - 1].instance : 0;

	return r->trace.is_rotated && last > count ? last - count : 0;
}

/* Of a process that is gone and has left something in memory. */
static const char *name_leftovers(struct ctf_reader *r)
{
	int error;

	if (!buffer_source_end(r->trace.buffer, &error)) {
		return "killed";
	}
	r->info.why = error ? strerror(error) : "threads still recorded";
	return "unwritten";
}

/* As far as it can be seen: memory of a process is gone with the next boot. */
static const char *name_state(struct ctf_reader *r)
{
	static const char *const states[] = {
		[CTF_UNFINISHED] = "unfinished",
		[CTF_FINISHED] = "ended",
		[CTF_RECOVERED] = "recovered",
	};

	if (r->trace.buffer) {
		return r->info.is_live ? "running" : name_leftovers(r);
	}
	if (r->has_unreadable_memory) {
		return "unreadable";
	}
	return r->metadata.ended < ARRAY_SIZE(states) ? states[r->metadata.ended] : NULL;
}

static void set_info(struct ctf_reader *r)
{
	const struct ctf_metadata *md = &r->metadata;

	r->info.hostname = md->hostname;
	r->info.boot_id = md->boot_id;
	r->info.procname = md->procname;
	r->info.pid = md->pid;
	r->info.freq = r->clock.freq;
	r->info.streams = r->streams.count;
	r->info.is_cut = md->is_cut;
	r->info.is_live = r->trace.is_live;
	r->info.has_leftovers = r->trace.buffer && !r->info.is_live;
	r->info.state = name_state(r);
	r->info.streams_gone = count_gone(r);
	r->base.traces = &r->info;
	r->base.trace_count = 1;
}

/* Memory that is there and closed to us has events; what an ended trace's name leads to has not. */
static void note_unreadable(struct ctf_reader *r, const char *why)
{
	struct read_error error;

	if (r->metadata.ended != CTF_UNFINISHED) {
		return;
	}
	read_error_set(&error, "%s: the last events are missing", why);
	ctf_metadata_note(&r->metadata, &error);
	r->has_unreadable_memory = true;
}

/* The buffer's path need not be told: it has the trace's uuid, or lies in the directory. */
static bool open_buffer(
	struct ctf_reader *r, const struct reader_options *options, struct read_error *error)
{
	char path[32];
	char text[400];
	int why;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->trace.directory);
	r->trace.buffer = buffer_source_open(path, r->trace.uuid, &why);
	if (!r->trace.buffer && why != ENOENT) {
		buffer_source_explain(text, sizeof(text), r->trace.uuid, why);
		if (options->follow) {
			read_error_set(error, "%s", text);
			return false;
		}
		note_unreadable(r, text);
	}
	if (r->trace.buffer && buffer_source_is_closed(r->trace.buffer)) {
		/* its process could not remove it, or is about to */
		buffer_source_close(r->trace.buffer);
		r->trace.buffer = NULL;
	}
	r->trace.is_live = r->trace.buffer && buffer_source_is_live(r->trace.buffer);
	return true;
}

/* A process that lives removes files of its own; of one that is dead, none may be missing. */
static void look_at_indexes(
	struct ctf_reader *r, const struct buffer_packet *left, size_t left_count)
{
	struct ctf_index_losses losses;
	char text[256];

	if (r->trace.is_live) {
		return;
	}
	ctf_index_find(&losses, r->trace.directory, r->trace.swap);
	ctf_index_find_left(&losses, left, left_count);
	vec_foreach (const struct ctf_index_lost *, lost, &losses.all) {
		struct read_error error;

		if (lost->sequences.count > 0) {
			ctf_index_word(lost, text, sizeof(text));
			read_error_set(&error, "%s", text);
			ctf_metadata_note(&r->metadata, &error);
		}
	}
	ctf_index_fini(&losses);
}

static bool open_trace(
	struct ctf_reader *r, const struct reader_options *options, struct read_error *error)
{
	struct ctf_metadata *md = &r->metadata;
	bool is_big_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	if (!ctf_metadata_read(md, r->trace.directory, error) || !ctf_metadata_check(md, error)) {
		return false;
	}
	r->base.swap = r->trace.swap = md->is_big_endian != is_big_host;
	r->base.decode = ctf_decode;
	r->base.has_pid = md->has_pid;
	r->base.version = 1;
	r->base.form = r->trace.swap ? VALUES_TYPED : VALUES_LAID_OUT;
	r->time_shift = md->time_shift;
	r->id_shift = md->id_shift;
	bool is_own = !r->trace.swap && md->id_shift == 0 && md->time_shift == PACKET_ID_BITS;

	r->base.next = is_own ? ctf_next_own : ctf_next_any;
	r->base.take = is_own ? ctf_take_own : NULL;
	memcpy(r->trace.uuid, md->uuid, sizeof(md->uuid));
	r->trace.continues = *md->continues;
	r->trace.overwrites = md->overwrites;
	ctf_bind_events(r);
	if (!r->trace.swap && !open_buffer(r, options, error)) {
		return false;
	}
	ctf_set_clock(r);
	ctf_follow_begin(r, options);
	r->trace.is_bounded = r->trace.is_live && !r->follow.is_on;
	/* Memory first: what leaves it meanwhile is in the files. */
	const struct buffer_packet *left = NULL;
	size_t left_count = r->trace.buffer ? buffer_source_scan(r->trace.buffer, &left) : 0;

	if (!ctf_streams_find(r, left, left_count, error)) {
		return false;
	}
	look_at_indexes(r, left, left_count);
	set_info(r);
	if (r->follow.is_on) {
		ctf_follow_fill(r);
	} else {
		fill_heap(r);
	}
	return true;
}

static void ctf_close(struct reader *base)
{
	struct ctf_reader *r = (struct ctf_reader *)base;

	vec_foreach (struct ctf_stream *, s, &r->streams) {
		ctf_stream_close(s);
	}
	buffer_source_close(r->trace.buffer);
	if (r->trace.directory >= 0) {
		close(r->trace.directory);
	}
	vec_fini(&r->slots);
	vec_fini(&r->heap);
	vec_fini(&r->streams);
	vec_fini(&r->files);
	hash_fini(&r->classes);
	hash_fini(&r->known_files);
	arena_fini(&r->names);
	ctf_metadata_fini(&r->metadata);
	reader_fini(base);
	free(r);
}

static struct reader *ctf_open(
	int fd, const struct reader_options *options, struct read_error *error)
{
	struct ctf_reader *r = xcalloc(1, sizeof(*r));

	reader_init(&r->base, &reader_ctf, options);
	ctf_metadata_init(&r->metadata, options->declarations);
	arena_init(&r->names);
	hash_init(&r->classes);
	hash_init(&r->known_files);
	r->trace.directory = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->trace.directory < 0) {
		read_error_set(error, "cannot open the directory: %s", strerror(errno));
	}
	if (r->trace.directory < 0 || !open_trace(r, options, error)) {
		ctf_close(&r->base);
		return NULL;
	}
	return &r->base;
}

const struct reader_format reader_ctf = {
	.name = "CTF",
	.release = "1.8",
	.open_directory = ctf_open,
	.close = ctf_close,
};
