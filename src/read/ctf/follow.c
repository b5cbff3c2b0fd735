/* SPDX-License-Identifier: MIT */
/*
 * Reads a native trace in rounds while its process records. Each round begins with a scan of memory
 * and files and ends at a horizon, a time shortly before that scan. All events up to the horizon
 * are present, except those of threads that were stopped in the middle of one, so the records of
 * all threads come in the order of time. The process is not disturbed: only its buffer and files
 * are read, and its lock is tried, without waiting, to see whether it lives. Called by open.c and
 * records.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "read/buffer_folder.h"
#include "read/ctf/ctf.h"

/* The longest time a thread needs between reading the clock and publishing its event. */
#define IN_FLIGHT_NS 20000000

/* Sets the horizon to the process's clock now, which is this host's clock, less IN_FLIGHT_NS. */
static void set_horizon(struct ctf_reader *r)
{
	struct buffer_clock begin;
	struct buffer_clock now;

	buffer_source_clock(r->trace.buffer, &begin, &now);
	int64_t ns = (int64_t)(clock_now_ns() - now.monotonic_ns) - IN_FLIGHT_NS;
	int64_t ticks = (int64_t)now.ticks + (int64_t)(r->freq * (double)ns / 1e9);

	r->follow.last_horizon = r->follow.horizon.ticks;
	if (ticks > (int64_t)r->follow.last_horizon) {
		r->follow.horizon.ticks = (uint64_t)ticks;
	}
}

void ctf_follow_begin(struct ctf_reader *r, enum reader_follow follow)
{
	struct ctf_follow *f = &r->follow;

	f->is_on = follow == FOLLOW_ALL ? r->trace.buffer != NULL
					: follow == FOLLOW_NEW && r->trace.is_live;
	if (f->is_on) {
		f->is_last = !r->trace.is_live;
		set_horizon(r);
		f->last_horizon = 0;
		f->new_ns = follow == FOLLOW_NEW ? clock_now_ns() : 0;
	}
}

void ctf_follow_skip_old(struct ctf_reader *r)
{
	vec_foreach (struct ctf_stream *, s, &r->streams) {
		struct buffer_counts counts = buffer_source_counts(r->trace.buffer, s->instance);

		s->is_new = true;
		s->is_reopened = true;
		s->evicted = counts.evicted;
		s->discarded = counts.lost + counts.evicted;
		s->file_discarded = CTF_UNKNOWN;
		if (s->file_count > 0) {
			s->file = s->file_count - 1;
			s->at = s->files[s->file].name;
			s->next = ctf_file_size(&s->files[s->file], &r->trace);
		}
	}
}

bool ctf_follow_has_news(const struct ctf_reader *r, const struct ctf_stream *s)
{
	if (r->follow.is_last) {
		return true;
	}
	for (size_t i = 0; i < s->left_count; i++) {
		const struct buffer_packet *p = &s->left[i];

		if (p->header.sequence > s->sequence ||
			ctf_stream_goes_on(s, &p->header, p->content_bytes)) {
			return true;
		}
	}
	/* While the newest packet is in memory, no file has newer events. */
	if (s->left_count > 0 && s->left[s->left_count - 1].header.sequence == s->sequence) {
		struct buffer_counts counts = buffer_source_counts(r->trace.buffer, s->instance);

		return counts.lost + counts.evicted > s->discarded;
	}
	if (s->file + 1 < s->file_count) {
		return true;
	}
	return s->file < s->file_count && ctf_file_size(&s->files[s->file], &r->trace) >
						  (s->at == s->files[s->file].name ? s->next : 0);
}

/* Measures the clock again when the measured time has doubled. Times never run backwards for it. */
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
	uint64_t before = ctf_ns(r, f->last_horizon);

	ctf_set_clock(r);
	int64_t back = (int64_t)(before - ctf_ns(r, f->last_horizon));

	r->ns_of_zero += back > 0 ? (uint64_t)back : 0;
	f->measured_ns = measured;
}

/* Begins a round: scans memory and files. */
static bool begin_round(struct ctf_reader *r)
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
	return ctf_streams_find(r, left, count, &r->base.error);
}

/* ---- Going on with the next trace ---- */

/* True if the directory has the trace with that uuid. */
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
 * Subtracts the losses that the previous trace's files reported from each stream's counters, as the
 * next trace counts the others only. If no file was read, the process's own counters give that
 * number, except for events that full=overwrite has overwritten since.
 */
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
		uint64_t now = buffer_source_counts(buffer, s->instance).evicted;
		uint64_t reported = s->file_discarded == CTF_UNKNOWN ? before.items[i] - now
								     : s->file_discarded;

		s->discarded -= reported;
		s->evicted -= reported;
		s->file_discarded = 0;
		i++;
	}
	vec_fini(&before);
}

/* Continues the streams in another trace's directory, packet by packet. */
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

/* Opens the process's next trace; -1 with errno if it is in no place that it may have. */
static int open_next(const struct ctf_reader *r, const uint8_t uuid[16], const char *noted)
{
	char place[BUFFER_FILE_PATH_BYTES];
	int why = ENOENT;

	for (size_t i = 0; buffer_source_place(r->trace.buffer, i, noted, place); i++) {
		int directory = buffer_folder_open(place, O_RDONLY | O_DIRECTORY);

		if (directory >= 0 && is_trace(directory, uuid)) {
			return directory;
		}
		why = directory < 0 ? errno : 0;
		if (directory >= 0) {
			close(directory);
		}
	}
	errno = why;
	return -1;
}

/* Continues with the trace that the program records into now, or counts the failed try. */
static bool turn_to_next_trace(struct ctf_reader *r)
{
	char path[BUFFER_FILE_PATH_BYTES];
	uint8_t uuid[16];

	if (!buffer_source_next_trace(r->trace.buffer, uuid, path)) {
		return false;
	}
	int directory = open_next(r, uuid, path);

	if (directory >= 0) {
		take_directory(r, directory, uuid);
		r->follow.tries = 0;
		return true;
	}
	int why = errno;

	r->follow.tries++;
	read_error_set(&r->base.error, "the program continues in %s, which cannot be followed: %s",
		path, why ? strerror(why) : "that is another trace");
	return false;
}

enum read_result ctf_follow_turn(struct ctf_reader *r)
{
	struct ctf_follow *f = &r->follow;

	if (!f->is_on || f->is_last || f->is_lost) {
		return READ_END;
	}
	if (f->is_leaving && f->stays) {
		return READ_END;
	}
	bool goes_on = f->is_leaving && turn_to_next_trace(r);
	bool gives_up =
		f->tries > CTF_WAITS_MAX || !r->trace.is_live || reader_is_stopped(&r->base);

	if (f->is_leaving && !goes_on && gives_up) {
		f->is_lost = true;
		return READ_PROBLEM;
	}
	if (!goes_on && !f->has_waited) {
		f->has_waited = true;
		r->base.horizon = (int64_t)ctf_ns(r, f->horizon.ticks);
		return READ_NOTHING;
	}
	f->has_waited = false;
	return begin_round(r) ? CTF_LOOK_AGAIN : READ_DAMAGED;
}
