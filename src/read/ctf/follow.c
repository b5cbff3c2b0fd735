/* SPDX-License-Identifier: MIT */
/*
 * A native trace read while its process records, in rounds. Each begins with a
 * look at memory and files, and ends at a horizon: a moment shortly before that
 * look, so that all events up to it are there, but for those of threads that
 * were stopped in the middle of one. So lines come in the order of time, whichever
 * thread they are of. The process is not touched: its buffer and files are
 * read, and its lock is asked for, without waiting, to see whether it lives.
 */
#include "read/ctf/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "read/bytes.h"
#include "read/layout.h"

/* How long a thread may need from reading the clock to showing its event. */
#define IN_FLIGHT_NS 20000000

/* How often an event is looked at whose declaration is not there, and a trace that is not. */
#define WAITS_MAX 20

/* The process's clock, now less what may be in flight: it is of this host. */
static void set_horizon(struct ctf_reader *r)
{
	struct buffer_clock begin;
	struct buffer_clock now;

	buffer_source_clock(r->trace.buffer, &begin, &now);
	int64_t ns = (int64_t)(clock_now_ns() - now.monotonic_ns) - IN_FLIGHT_NS;
	int64_t ticks = (int64_t)now.ticks + (int64_t)(r->freq * (double)ns / 1e9);

	r->follow.told = r->follow.horizon.ticks;
	if (ticks > (int64_t)r->follow.told) {
		r->follow.horizon.ticks = (uint64_t)ticks;
	}
}

/* Nothing is recorded from now on. */
static enum read_result next_of_ended(struct reader *base, struct record *rec)
{
	(void)base;
	(void)rec;
	return READ_END;
}

void ctf_follow_begin(struct ctf_reader *r, const struct reader_options *options)
{
	struct ctf_follow *f = &r->follow;

	if (options->follow == FOLLOW_NEW && !r->trace.is_live) {
		r->base.next = next_of_ended;
		r->base.take = NULL;
		return;
	}
	f->is_on = options->follow != FOLLOW_NOT && r->trace.buffer;
	if (!f->is_on) {
		return;
	}
	f->is_last = !r->trace.is_live;
	set_horizon(r);
	f->told = 0;
	if (options->follow == FOLLOW_NEW) {
		f->new_ns = clock_now_ns();
		r->base.next = ctf_next_new;
		r->base.take = NULL;
	}
}

/* The stream begins with what comes: its files are not read. */
static void skip_old(struct ctf_reader *r, struct ctf_stream *s)
{
	struct buffer_counts counts = buffer_source_counts(r->trace.buffer, s->instance);

	s->is_new = true;
	s->is_reopened = true;
	s->evicted = counts.evicted;
	s->discarded = counts.lost + counts.evicted;
	s->told = CTF_UNTOLD;
	if (s->file_count > 0) {
		s->file = s->file_count - 1;
		s->at = s->files[s->file].name;
		s->next = ctf_file_size(&s->files[s->file], &r->trace);
	}
}

/* Whether the stream's newest packet is still in memory, so that no file can have more. */
static bool is_in_memory(const struct ctf_stream *s)
{
	return s->left_count > 0 && s->left[s->left_count - 1].header.sequence == s->sequence;
}

static bool has_more_left(const struct ctf_stream *s)
{
	for (size_t i = 0; i < s->left_count; i++) {
		const struct buffer_packet *p = &s->left[i];

		if (p->header.sequence > s->sequence ||
			ctf_stream_goes_on(s, &p->header, p->content_bytes)) {
			return true;
		}
	}
	return false;
}

/* Whether it is worth while to look at the stream in this round. */
static bool has_news(const struct ctf_reader *r, const struct ctf_stream *s)
{
	if (r->follow.is_last || has_more_left(s)) {
		return true;
	}
	if (is_in_memory(s)) {
		struct buffer_counts counts = buffer_source_counts(r->trace.buffer, s->instance);

		return counts.lost + counts.evicted > s->discarded;
	}
	if (s->file + 1 < s->file_count) {
		return true;
	}
	return s->file < s->file_count && ctf_file_size(&s->files[s->file], &r->trace) >
						  (s->at == s->files[s->file].name ? s->next : 0);
}

/* Fills the heap for a round. */
static void fill(struct ctf_reader *r)
{
	struct ctf_follow *f = &r->follow;

	r->heap.count = 0;
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		if (s->is_waiting || has_news(r, s)) {
			ctf_push(r, s);
		}
	}
	if (!f->is_last && !f->is_leaving) {
		ctf_push(r, &f->horizon);
	}
	ctf_sift(r);
}

void ctf_follow_fill(struct ctf_reader *r)
{
	if (r->follow.new_ns) {
		vec_foreach (struct ctf_stream *, s, &r->streams) {
			skip_old(r, s);
		}
	}
	fill(r);
}

/* The clock becomes better the longer it was measured; times never go back for that. */
static void refine_clock(struct ctf_reader *r)
{
	struct ctf_follow *f = &r->follow;
	struct buffer_clock begin;
	struct buffer_clock now;

	buffer_source_clock(r->trace.buffer, &begin, &now);
	uint64_t measured = now.monotonic_ns - begin.monotonic_ns;

	if (measured < 2 * f->measured_ns) {
		return;
	}
	uint64_t before = ctf_ns(r, f->told);

	ctf_set_clock(r);
	int64_t back = (int64_t)(before - ctf_ns(r, f->told));

	r->ns_of_zero += back > 0 ? (uint64_t)back : 0;
	f->measured_ns = measured;
}

/* Looks at what is there now. */
static bool refresh(struct ctf_reader *r)
{
	struct ctf_follow *f = &r->follow;
	struct buffer_source *buffer = r->trace.buffer;
	char directory[BUFFER_FILE_PATH_BYTES];
	const struct buffer_packet *left = NULL;
	size_t count = 0;
	uint8_t uuid[16];

	r->trace.is_live = buffer_source_is_live(buffer) && !buffer_source_is_closed(buffer);
	f->is_leaving = buffer_source_next_trace(buffer, uuid, directory);
	f->is_last = !f->is_leaving && (!r->trace.is_live || reader_is_stopped(&r->base));
	r->trace.is_bounded = f->is_last && r->trace.is_live;
	set_horizon(r);
	refine_clock(r);
	if (!f->is_leaving) {
		count = buffer_source_scan(buffer, &left); /* memory first, as in open.c */
	}
	if (!ctf_streams_find(r, left, count, &r->base.error)) {
		return false;
	}
	fill(r);
	return true;
}

/* Whether a directory has the trace of that uuid. */
static bool is_trace(int directory, const uint8_t uuid[16])
{
	struct ctf_metadata md;
	struct read_error ignored;

	ctf_metadata_init(&md, NULL);
	bool is = ctf_metadata_read(&md, directory, &ignored) &&
		  ctf_metadata_check(&md, &ignored) && memcmp(md.uuid, uuid, sizeof(md.uuid)) == 0;

	ctf_metadata_fini(&md);
	return is;
}

/*
 * The next trace counts of what a stream has lost only what no file of the one before tells.
 * Where none of these was read, the process's own counters say how much that was, but for what
 * full=overwrite has given up since.
 */
static void count_anew(struct ctf_stream *s, uint64_t evicted_before, uint64_t evicted_now)
{
	uint64_t told = s->told == CTF_UNTOLD ? evicted_before - evicted_now : s->told;

	s->discarded -= told;
	s->evicted -= told;
	s->told = 0;
}

static void turn_counters(struct ctf_reader *r, const uint8_t uuid[16])
{
	struct buffer_source *buffer = r->trace.buffer;
	VEC(uint64_t) before = { 0 };
	size_t i = 0;

	vec_foreach (const struct ctf_stream *, s, &r->streams) {
		vec_push(&before, buffer_source_counts(buffer, s->instance).evicted);
	}
	buffer_source_turn(buffer, uuid);
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		count_anew(s, before.items[i++], buffer_source_counts(buffer, s->instance).evicted);
	}
	vec_fini(&before);
}

/* The streams go on in another trace's directory, packet by packet. */
static void take_directory(struct ctf_reader *r, int directory, const uint8_t uuid[16])
{
	close(r->trace.directory);
	r->trace.directory = directory;
	memcpy(r->trace.uuid, uuid, sizeof(r->trace.uuid));
	turn_counters(r, uuid);
	hash_fini(&r->known_files);
	hash_init(&r->known_files);
	r->files.count = 0;
	r->is_unsettled = true;
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		s->at = NULL;
		s->files = NULL;
		s->file = s->file_count = 0;
		s->next = 0;
	}
	ctf_metadata_rewind(&r->metadata);
	ctf_look_again(r);
}

/* The program was told to record into another trace: goes on with that, or counts the try. */
static bool turn_to_next_trace(struct ctf_reader *r)
{
	char path[BUFFER_FILE_PATH_BYTES];
	uint8_t uuid[16];

	if (!buffer_source_next_trace(r->trace.buffer, uuid, path)) {
		return false;
	}
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int why = directory < 0 ? errno : 0;

	if (directory >= 0 && is_trace(directory, uuid)) {
		take_directory(r, directory, uuid);
		r->follow.tries = 0;
		return true;
	}
	if (directory >= 0) {
		close(directory);
	}
	r->follow.tries++;
	read_error_set(&r->base.error, "the program goes on in %s, where it cannot be followed: %s",
		path, why ? strerror(why) : "that is another trace");
	return false;
}

/* Whether it is no use to try once more to go on with the next trace. */
static bool is_in_vain(const struct ctf_reader *r)
{
	return r->follow.tries > WAITS_MAX || !r->trace.is_live || reader_is_stopped(&r->base);
}

enum read_result ctf_follow_turn(struct ctf_reader *r)
{
	struct ctf_follow *f = &r->follow;

	if (!f->is_on || f->is_last || f->is_lost) {
		return READ_END;
	}
	bool goes_on = f->is_leaving && turn_to_next_trace(r);

	if (f->is_leaving && !goes_on && is_in_vain(r)) {
		f->is_lost = true;
		return READ_PROBLEM;
	}
	if (!goes_on && !f->has_waited) {
		f->has_waited = true;
		r->base.horizon = (int64_t)ctf_ns(r, f->horizon.ticks);
		return READ_NOTHING;
	}
	f->has_waited = false;
	return refresh(r) ? CTF_LOOK_AGAIN : READ_DAMAGED;
}

bool ctf_follow_waits(const struct ctf_reader *r, const struct ctf_stream *s)
{
	return r->follow.is_on && !r->follow.is_last && s->waits < WAITS_MAX;
}

enum read_result ctf_next_new(struct reader *base, struct record *rec)
{
	const struct ctf_reader *r = (const struct ctf_reader *)base;
	enum read_result result;

	do {
		result = ctf_next_any(base, rec);
	} while (result == READ_RECORD && (int64_t)(rec->ns - r->follow.new_ns) < 0);
	return result;
}

/* What the event at `p`, which was read, takes of the packet. */
static size_t event_size(const struct ctf_reader *r, const unsigned char *p, size_t left)
{
	const size_t word = sizeof(uint64_t);
	size_t id = load64(p, false) >> r->id_shift & ((UINT64_C(1) << PACKET_ID_BITS) - 1);
	const struct ctf_slot *slot = &r->slots.items[id];

	if (slot->size) {
		return slot->size;
	}
	return word + layout_measure(slot->class->layout, p + word, left - word, false);
}

void ctf_follow_count(struct ctf_reader *r, struct ctf_stream *s)
{
	if (!s->packet || s->packet != s->copy ||
		!buffer_source_header(r->trace.buffer)->overwrite) {
		return;
	}
	uint64_t events = 0;

	for (const unsigned char *p = s->begin; p < s->pos; events++) {
		size_t left = (size_t)(s->pos - p);
		size_t size = event_size(r, p, left);

		size = (size + PACKET_EVENT_ALIGN - 1) & ~(size_t)(PACKET_EVENT_ALIGN - 1);
		p += size < left ? size : left;
	}
	ctf_gap_credit(s, events);
}
