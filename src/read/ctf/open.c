/* SPDX-License-Identifier: MIT */
/*
 * Opens a native trace: reads its metadata, finds its process's memory and the streams. Maps no
 * stream yet. reader.c calls this through the table of formats.
 */
#include "read/ctf/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/ctf.h"
#include "read/ctf/index.h"

/* Names the state as far as it shows: the next boot removes a process's memory. */
static const char *name_state(struct ctf_reader *r)
{
	static const char *const states[] = {
		[CTF_UNFINISHED] = "unfinished",
		[CTF_FINISHED] = "ended",
		[CTF_RECOVERED] = "recovered",
	};
	int error;

	if (r->trace.buffer && r->trace.is_live) {
		return "running";
	}
	if (r->trace.buffer && !buffer_source_end(r->trace.buffer, &error)) {
		return "killed";
	}
	if (r->trace.buffer) {
		r->info.why = error ? strerror(error) : "threads still recorded";
		return "unwritten";
	}
	if (r->has_unreadable_memory) {
		return "unreadable";
	}
	return r->metadata.ended < ARRAY_SIZE(states) ? states[r->metadata.ended] : NULL;
}

static void set_info(struct ctf_reader *r)
{
	const struct ctf_metadata *md = &r->metadata;
	size_t count = r->streams.count;
	uint64_t last = count ? r->streams.items[count - 1].instance : 0;

	r->info.uuid = r->trace.uuid;
	r->info.hostname = md->hostname;
	r->info.boot_id = md->boot_id;
	r->info.procname = md->procname;
	r->info.pid = md->pid;
	r->info.freq = r->clock.freq;
	r->info.clock_host = *md->clock_host ? md->clock_host : NULL;
	r->info.clock_error = md->clock_error;
	r->info.streams = count;
	/*
	 * Streams are numbered from 1, so in a rotated trace the missing numbers are streams
	 * without files.
	 */
	r->info.streams_gone = r->trace.is_rotated && last > count ? last - count : 0;
	r->info.is_cut = md->is_cut;
	r->info.is_live = r->trace.is_live;
	r->info.has_leftovers = r->trace.buffer && !r->info.is_live;
	r->info.state = name_state(r);
	r->base.traces = &r->info;
	r->base.trace_count = 1;
}

/*
 * Opens the process's buffer, which has the trace's uuid or is in its directory. An unreadable
 * buffer has events of this trace only if the trace has not ended; else its name was reused.
 */
static bool open_buffer(struct ctf_reader *r, bool follow, struct read_error *error)
{
	char path[32];
	char text[400];
	int why;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->trace.directory);
	r->trace.buffer = buffer_source_open(path, r->trace.uuid, &why);
	if (!r->trace.buffer && why != ENOENT) {
		buffer_source_explain(text, sizeof(text), r->trace.uuid, why);
		if (follow) {
			read_error_set(error, "%s", text);
			error->is_short = error_is_shortage(why);
			return false;
		}
		if (r->metadata.ended == CTF_UNFINISHED) {
			struct read_error problem;

			read_error_set(&problem, "%s: the last events are missing", text);
			ctf_metadata_note(&r->metadata, &problem);
			r->has_unreadable_memory = true;
		}
	}
	if (r->trace.buffer && buffer_source_is_closed(r->trace.buffer)) {
		/* The process could not remove it, or is about to. */
		buffer_source_close(r->trace.buffer);
		r->trace.buffer = NULL;
	}
	r->trace.is_live = r->trace.buffer && buffer_source_is_live(r->trace.buffer);
	return true;
}

/* Notes packets that only indexes have. Skips live processes, which remove files themselves. */
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
		struct read_error problem;

		if (lost->sequences.count > 0) {
			ctf_index_word(lost, text, sizeof(text));
			read_error_set(&problem, "%s", text);
			ctf_metadata_note(&r->metadata, &problem);
		}
	}
	ctf_index_fini(&losses);
}

/* Sets the trace's facts from the metadata, and the functions that read its records. */
static void set_trace(struct ctf_reader *r)
{
	const struct ctf_metadata *md = &r->metadata;
	bool is_big_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	bool swap = md->is_big_endian != is_big_host;
	bool is_own = !swap && md->id_shift == 0 && md->time_shift == PACKET_ID_BITS;

	r->base.swap = r->trace.swap = swap;
	r->base.next = is_own ? ctf_next_own : ctf_next_any;
	r->base.take = is_own ? ctf_take_own : NULL;
	r->base.take_of = is_own ? ctf_take_of : NULL;
	r->base.count = is_own ? ctf_count_own : NULL;
	r->base.decode = ctf_decode;
	r->base.has_pid = md->has_pid;
	r->base.version = 1;
	r->base.form = swap ? VALUES_TYPED : VALUES_LAID_OUT;
	r->time_shift = md->time_shift;
	r->id_shift = md->id_shift;
	memcpy(r->trace.uuid, md->uuid, sizeof(md->uuid));
	r->trace.continues = *md->continues;
	r->trace.overwrites = md->overwrites;
}

static bool open_trace(
	struct ctf_reader *r, const struct reader_options *options, struct read_error *error)
{
	struct ctf_metadata *md = &r->metadata;

	if (!ctf_metadata_read(md, r->trace.directory, error) || !ctf_metadata_check(md, error)) {
		return false;
	}
	set_trace(r);
	ctf_bind_events(r);
	if (!r->trace.swap && !open_buffer(r, options->follow != FOLLOW_NOT, error)) {
		return false;
	}
	ctf_set_clock(r);
	ctf_follow_begin(r, options->follow);
	r->follow.stays = options->stays;
	if (options->follow == FOLLOW_NEW) {
		r->base.next = r->follow.is_on ? ctf_next_new : ctf_next_none;
		r->base.take = NULL;
		r->base.take_of = NULL;
		r->base.count = NULL;
	}
	r->trace.is_bounded = r->trace.is_live && !r->follow.is_on;
	/* Reads memory first: packets that leave it meanwhile are in the files. */
	const struct buffer_packet *left = NULL;
	size_t left_count = r->trace.buffer ? buffer_source_scan(r->trace.buffer, &left) : 0;

	if (!ctf_streams_find(r, left, left_count, error)) {
		return false;
	}
	if (!options->is_again) {
		look_at_indexes(r, left, left_count);
	}
	set_info(r);
	if (r->follow.new_ns) {
		ctf_follow_skip_old(r);
	}
	if (options->positions) {
		ctf_resume(r, options->positions);
	}
	ctf_records_begin(r);
	return true;
}

static void ctf_close_files(struct reader *base)
{
	struct ctf_reader *r = (struct ctf_reader *)base;

	vec_foreach (struct ctf_stream *, s, &r->streams) {
		ctf_stream_close(s);
	}
	buffer_source_close(r->trace.buffer);
	r->trace.buffer = NULL;
	if (r->trace.directory >= 0) {
		close(r->trace.directory);
		r->trace.directory = -1;
	}
	vec_fini(&r->heap);
	vec_fini(&r->streams);
	vec_fini(&r->files);
}

static void ctf_close(struct reader *base)
{
	struct ctf_reader *r = (struct ctf_reader *)base;

	vec_fini(&r->slots);
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
	r->needs = (struct reader_needs){ .from_ns = INT64_MIN, .to_ns = INT64_MAX };
	r->until = UINT64_MAX;
	r->is_of_memory = options->is_of_memory;
	ctf_metadata_init(&r->metadata, options->declarations);
	arena_init(&r->names);
	hash_init(&r->classes);
	hash_init(&r->known_files);
	r->trace.directory = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->trace.directory < 0) {
		read_error_because(error, "cannot open the directory", errno);
	}
	if (r->trace.directory < 0 || !open_trace(r, options, error)) {
		reader_close(&r->base);
		return NULL;
	}
	return &r->base;
}

const struct reader_format reader_ctf = {
	.name = "CTF",
	.release = "1.8",
	.open_directory = ctf_open,
	.close_files = ctf_close_files,
	.close = ctf_close,
	.outline = ctf_outline,
	.limit = ctf_limit,
	.loads = ctf_loads,
	.section = ctf_section,
	.positions = ctf_positions,
};
