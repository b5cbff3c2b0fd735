/* SPDX-License-Identifier: MIT */
/*
 * A trace is known by its path while the shipper runs, and by its uuid in the positions: another
 * trace at the same path is a new one.
 */
#include "ship/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/ctf.h"
#include "read/buffer_folder.h"
#include "read/folder.h"
#include "recover/host_clock.h"
#include "recover/leftover.h"
#include "ship/position_json.h"

#define RETRY_NS (10 * CLOCK_NS_PER_S) /* for what could not be opened */
#define SHORT_NS CLOCK_NS_PER_S /* for want of descriptors */
#define GONE_MAX 1000 /* places of traces that are gone */
#define DONE_MIN 64 /* traces that are done, before their places are kept */
#define DONE_SHARE 8 /* of those that are kept */

void sources_init(struct ship_sources *s)
{
	*s = (struct ship_sources){ 0 };
	hash_init(&s->by_path);
}

static void source_free(struct ship_source *source)
{
	source_close(source, SOURCE_DONE);
	vec_fini(&source->positions.all);
	vec_fini(&source->positions.credits);
	free(source->path);
	free(source);
}

void sources_fini(struct ship_sources *s)
{
	vec_foreach (struct ship_source **, it, &s->all) {
		source_free(*it);
	}
	vec_fini(&s->all);
	vec_fini(&s->folders);
	hash_fini(&s->by_path);
}

struct ship_source *sources_add(struct ship_sources *s, const char *path)
{
	char *full = buffer_folder_is_beyond(path) ? NULL : realpath(path, NULL);
	struct ship_source *source = hash_get(&s->by_path, full ? full : path);

	if (!source) {
		source = xcalloc(1, sizeof(*source));
		source->path = xstrdup(full ? full : path);
		vec_push(&s->all, source);
		hash_add(&s->by_path, source->path, source);
	}
	free(full);
	return source;
}

/* Adds a trace that is gone. */
static struct ship_source *add_gone(struct ship_sources *s, const char *path)
{
	struct ship_source *gone = xcalloc(1, sizeof(*gone));

	gone->path = xstrdup(path);
	gone->state = SOURCE_GONE;
	vec_push(&s->all, gone);
	return gone;
}

/* Passes the place of a trace on to another source. */
static void take_over(struct ship_source *to, struct ship_source *from)
{
	strcpy(to->uuid, from->uuid);
	to->positions = from->positions;
	to->correction = from->correction;
	to->is_sent = from->is_sent;
	to->is_kept = from->is_kept = false;
	from->positions = (struct reader_positions){ 0 };
	from->correction = 0;
	from->is_sent = false;
	from->uuid[0] = '\0';
}

/* ---- Positions as JSON ---- */

static json_t *source_as_json(const struct ship_source *source)
{
	json_t *streams = json_array();
	json_t *credits = json_array();
	uint64_t numbers[11];

	vec_foreach (const struct reader_position *, p, &source->positions.all) {
		put_position(numbers, p);
		json_array_append_new(streams, numbers_as_json(numbers, 11));
	}
	vec_foreach (const struct reader_credit *, c, &source->positions.credits) {
		const uint64_t credit[3] = { c->stream, c->packet, c->events };

		json_array_append_new(credits, numbers_as_json(credit, 3));
	}
	return json_pack("{s:s, s:s, s:b, s:I, s:b, s:o, s:o}", "uuid", source->uuid, "path",
		source->path, "gone", source->state == SOURCE_GONE, "correction",
		(json_int_t)source->correction, "sent", source->is_sent, "streams", streams,
		"credits", credits);
}

json_t *sources_save(struct ship_sources *s)
{
	json_t *traces = json_array();
	size_t gone = 0;

	vec_foreach (struct ship_source *const *, it, &s->all) {
		gone += (*it)->state == SOURCE_GONE && *(*it)->uuid;
	}
	vec_foreach (struct ship_source *const *, it, &s->all) {
		struct ship_source *source = *it;

		if (source->state == SOURCE_GONE && *source->uuid && gone-- > GONE_MAX) {
			source->uuid[0] = '\0'; /* the oldest are forgotten */
			source->is_kept = false;
		}
		if (source->state == SOURCE_OPEN) {
			reader_positions(source->reader, &source->positions);
		}
		if (*source->uuid && !source->is_kept) {
			json_array_append_new(traces, source_as_json(source));
		}
	}
	return traces;
}

static bool is_done(const struct ship_source *source)
{
	return *source->uuid && (source->state == SOURCE_DONE || source->state == SOURCE_GONE);
}

json_t *sources_save_done(struct ship_sources *s)
{
	size_t kept = 0;
	size_t done = 0;

	vec_foreach (struct ship_source *const *, it, &s->all) {
		kept += (*it)->is_kept;
		done += !(*it)->is_kept && is_done(*it);
	}
	if (done < DONE_MIN || done < kept / DONE_SHARE) {
		return NULL;
	}
	json_t *traces = json_array();

	vec_foreach (struct ship_source *const *, it, &s->all) {
		if (is_done(*it) || (*it)->is_kept) {
			json_array_append_new(traces, source_as_json(*it));
			(*it)->is_kept = true;
		}
	}
	return traces;
}

static void load_one(struct ship_sources *s, const json_t *trace)
{
	const char *path = json_string_value(json_object_get(trace, "path"));
	const char *uuid = json_string_value(json_object_get(trace, "uuid"));
	const json_t *row;
	uint64_t n[11];
	size_t i;

	if (!path || !uuid) {
		return;
	}
	bool is_gone = json_is_true(json_object_get(trace, "gone")) || access(path, F_OK) != 0;
	struct ship_source *source = is_gone ? add_gone(s, path) : sources_add(s, path);

	if (*source->uuid) {
		source = add_gone(s, path); /* open_reader() sees which of both is there */
	}
	snprintf(source->uuid, sizeof(source->uuid), "%s", uuid);
	source->correction = json_integer_value(json_object_get(trace, "correction"));
	source->is_sent = json_is_true(json_object_get(trace, "sent"));
	json_array_foreach(json_object_get(trace, "streams"), i, row)
	{
		if (take_numbers(row, n, 11)) {
			vec_push(&source->positions.all, take_position(n));
		}
	}
	json_array_foreach(json_object_get(trace, "credits"), i, row)
	{
		if (take_numbers(row, n, 3)) {
			vec_push(&source->positions.credits,
				((struct reader_credit){ n[0], n[1], n[2] }));
		}
	}
}

void sources_load(struct ship_sources *s, const json_t *traces)
{
	const json_t *trace;
	size_t i;

	json_array_foreach(traces, i, trace)
	{
		load_one(s, trace);
	}
}

/* ---- Finding traces ---- */

/* Returns the source of the same trace at another path; NULL if there is none. */
static struct ship_source *twin_of(const struct ship_sources *s, const struct ship_source *source)
{
	vec_foreach (struct ship_source *const *, it, &s->all) {
		if (*it != source && strcmp((*it)->uuid, source->uuid) == 0) {
			return *it;
		}
	}
	return NULL;
}

/* True if events of a container's process cannot be had: its trace is at no path here. */
static bool is_out_of_reach(const struct ship_sources *s, const struct leftover *o)
{
	struct ship_source wanted = { 0 };

	uuid_text(wanted.uuid, o->uuid);
	return o->is_elsewhere && o->state == LEFTOVER_ALIVE && !o->has_trace &&
	       o->totals.recorded > 0 && !twin_of(s, &wanted);
}

/* Reports a container's folder with too many files, until it is none. */
static void report_cut(struct ship_sources *s, const char *folder)
{
	char text[400];

	if (folder && !s->is_cut) {
		snprintf(text, sizeof(text), "%.300s: " LEFTOVERS_ARE_CUT, folder);
		ship_report(s->report, text);
	}
	s->is_cut = folder != NULL;
}

static void find_processes(struct ship_sources *s)
{
	struct leftovers l;
	size_t count = 0;
	char text[400];

	leftovers_find(&l);
	s->is_short |= l.is_short;
	vec_foreach (const struct leftover *, o, &l.all) {
		if (leftover_is_readable(o)) {
			sources_add(s, o->directory);
		} else if (is_out_of_reach(s, o) && ++count > s->out_of_reach) {
			snprintf(text, sizeof(text),
				"%.300s: its trace is not here: give its folder by --traces",
				o->path);
			ship_report(s->report, text);
		}
	}
	s->out_of_reach = count;
	report_cut(s, l.cut);
	leftovers_fini(&l);
}

static void find_in(struct ship_sources *s, const char *folder)
{
	struct folder_traces traces = { 0 };
	struct arena paths;

	arena_init(&paths);
	folder_list(&traces, &paths, folder);
	s->is_short |= traces.is_short;
	vec_foreach (const char **, path, &traces.paths) {
		sources_add(s, *path);
	}
	vec_fini(&traces.paths);
	arena_fini(&paths);
}

/* Reads how the trace's metadata looks; false if there is none. */
static bool look(const struct ship_source *source, struct stat *st)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/" CTF_METADATA, source->path);
	return stat(path, st) == 0;
}

static bool has_changed(const struct ship_source *source, const struct stat *st)
{
	return st->st_ino != source->inode || st->st_mtim.tv_sec != source->changed.tv_sec ||
	       st->st_mtim.tv_nsec != source->changed.tv_nsec;
}

/* Looks at a source that is not open: its trace may be gone, or another one be at its path. */
static void look_again(const struct ship_sources *s, struct ship_source *source)
{
	bool is_due = source->retry_ns && clock_now_ns() > source->retry_ns;
	bool is_known = hash_get(&s->by_path, source->path) == source;
	struct stat st;

	if (!is_known) {
		return; /* the place of a trace that another one has replaced */
	}
	if (!look(source, &st)) {
		source->state = SOURCE_GONE;
	} else if (source->state == SOURCE_GONE || has_changed(source, &st) || is_due) {
		source->state = SOURCE_NEW;
	}
}

/* True if nothing is known of a trace that is gone. */
static bool is_forgotten(const struct ship_source *source)
{
	return source->state == SOURCE_GONE && !*source->uuid && !source->is_given &&
	       access(source->path, F_OK) != 0;
}

/* Drops forgotten traces. Nothing can be removed from a hash, so that is made anew. */
static void drop_forgotten(struct ship_sources *s)
{
	VEC(struct ship_source *) forgotten = { 0 };
	struct hash known = s->by_path;
	size_t left = 0;

	for (size_t i = 0; i < s->all.count; i++) {
		struct ship_source *source = s->all.items[i];

		if (is_forgotten(source)) {
			vec_push(&forgotten, source);
		} else {
			s->all.items[left++] = source;
		}
	}
	if (forgotten.count == 0) {
		return;
	}
	s->all.count = left;
	hash_init(&s->by_path);
	vec_foreach (struct ship_source *const *, it, &s->all) {
		if (hash_get(&known, (*it)->path) == *it) {
			hash_add(&s->by_path, (*it)->path, *it);
		}
	}
	hash_fini(&known);
	vec_foreach (struct ship_source *const *, it, &forgotten) {
		source_free(*it);
	}
	vec_fini(&forgotten);
}

void sources_find(struct ship_sources *s)
{
	bool was_short = s->is_short;

	s->is_short = false;
	if (s->has_processes) {
		find_processes(s);
	}
	vec_foreach (const char **, folder, &s->folders) {
		find_in(s, *folder);
	}
	if (s->is_short && !was_short) {
		ship_report(s->report, "traces cannot be looked for: there is no free descriptor");
	}
	vec_foreach (struct ship_source **, it, &s->all) {
		if ((*it)->state >= SOURCE_DONE) {
			look_again(s, *it);
		}
	}
	drop_forgotten(s);
}

/* ---- One source ---- */

/* True if the trace was recorded on this host since it booted. */
static bool is_of_this_boot(const struct trace_info *info)
{
	char boot_id[BOOT_ID_SIZE];

	return host_boot_id(boot_id) && info->boot_id && strcmp(boot_id, info->boot_id) == 0;
}

/* A server tells its time to a second, and an answer is late: smaller differences are none. */
#define CLOCK_TOLERANCE_S 2

/* Returns what the trace's times lack to be the server's, in ns; reports it. */
static int64_t correction_of(
	struct ship_sources *s, const struct ship_source *source, int64_t ahead_s)
{
	const struct trace_info *info = &source->reader->traces[0];
	struct timespec now;
	char text[600];

	clock_gettime(CLOCK_REALTIME, &now);
	int64_t true_ns = ((int64_t)now.tv_sec + ahead_s) * (int64_t)CLOCK_NS_PER_S + now.tv_nsec;
	int64_t off = true_ns - (int64_t)(clock_now_ns() + info->realtime);
	int64_t seconds = off / (int64_t)CLOCK_NS_PER_S;

	if (!info->has_realtime || !is_of_this_boot(info) || llabs(seconds) < CLOCK_TOLERANCE_S) {
		return 0;
	}
	snprintf(text, sizeof(text),
		"%.400s: its clock was %lld s %s the server's: its times are corrected",
		source->path, llabs((long long)seconds), seconds > 0 ? "behind" : "ahead of");
	ship_report(s->report, text);
	return off;
}

static struct reader *open_at(const struct ship_source *source, const struct reader_positions *at,
	struct read_error *error)
{
	const struct reader_options options = {
		.follow = FOLLOW_ALL, .stays = true, .positions = at, .is_again = at != NULL
	};

	/* There may be another file meanwhile, as a FIFO, which would wait for its writer. */
	int directory = buffer_folder_open(source->path, O_RDONLY | O_DIRECTORY);

	if (directory < 0) {
		read_error_because(error, "cannot open", errno);
		return NULL;
	}
	struct reader *r = reader_open_fd(directory, &options, error);

	close(directory);
	return r;
}

/* True if a source's trace is where it was. */
static bool is_there(const struct ship_source *source)
{
	return source->state != SOURCE_GONE && access(source->path, F_OK) == 0;
}

/* True if one path leads through a container's root: a trace may have both. */
static bool are_views(const struct ship_source *a, const struct ship_source *b)
{
	return buffer_folder_is_beyond(a->path) != buffer_folder_is_beyond(b->path);
}

/*
 * True if the source gets the trace of its twin: that is gone, or was read to an end before the
 * memory of its process was found in a container.
 */
static bool is_heir(const struct ship_source *source, const struct ship_source *twin)
{
	return !is_there(twin) || (twin->state != SOURCE_OPEN && are_views(source, twin) &&
					  buffer_folder_is_beyond(source->path));
}

/*
 * Makes the source one of another trace, which may have been moved here. False if it is a twin; the
 * error is "" if it is one by another view.
 */
static bool become(struct ship_sources *s, struct ship_source *source,
	const char uuid[UUID_TEXT_SIZE], struct read_error *error)
{
	if (*source->uuid) {
		take_over(add_gone(s, source->path), source);
	}
	strcpy(source->uuid, uuid);
	struct ship_source *twin = twin_of(s, source);

	if (twin && !is_heir(source, twin)) {
		read_error_set(error, "it is the trace %s, which is shipped", twin->path);
		error->text[0] = are_views(source, twin) ? '\0' : error->text[0];
		source->uuid[0] = '\0';
		return false;
	}
	if (twin) {
		source_close(twin, SOURCE_GONE);
		take_over(source, twin);
	}
	return true;
}

/* Opens the reader at the source's place, if it still is the same trace. */
static struct reader *open_reader(
	struct ship_sources *s, struct ship_source *source, struct read_error *error)
{
	struct reader *r = open_at(source, NULL, error);
	char uuid[UUID_TEXT_SIZE];

	if (r && (!r->traces[0].uuid || !r->format->positions)) {
		read_error_set(
			error, "only native traces can be shipped; 'waymark convert' makes one");
		reader_close(r);
		return NULL;
	}
	if (!r) {
		return NULL;
	}
	uuid_text(uuid, r->traces[0].uuid);
	if (strcmp(uuid, source->uuid) != 0 && !become(s, source, uuid, error)) {
		reader_close(r);
		return NULL;
	}
	if (source->positions.all.count > 0) {
		reader_close(r);
		r = open_at(source, &source->positions, error);
	}
	return r;
}

/* Notes how the trace looks before it is read. */
static void note_look(struct ship_source *source)
{
	struct stat st = { 0 };

	look(source, &st);
	source->inode = st.st_ino;
	source->changed = st.st_mtim;
}

static void fail(struct ship_sources *s, struct ship_source *source, const struct read_error *error)
{
	char text[5000];

	snprintf(text, sizeof(text), "%s: %s", source->path, error->text);
	if (!source->is_reported && *error->text) {
		ship_report(s->report, text);
	}
	source->is_reported |= *error->text != '\0';
	source->is_short = error->is_short;
	source->retry_ns = clock_now_ns() + (error->is_short ? SHORT_NS : RETRY_NS);
	source_close(source, SOURCE_BAD);
}

bool source_open(struct ship_sources *s, struct ship_source *source, int64_t ahead_s)
{
	struct read_error error;
	json_t *path = json_string(source->path);

	read_error_set(&error, "its path is not UTF-8");
	note_look(source);
	source->reader = path ? open_reader(s, source, &error) : NULL;
	json_decref(path);
	if (!source->reader) {
		fail(s, source, &error);
		return false;
	}
	if (!source->is_sent) {
		source->correction = correction_of(s, source, ahead_s);
	}
	source->retry_ns = 0;
	source->is_reported = false;
	rows_trace_init(&source->rows, source->reader, 0, source->correction);
	source->rows.path = source->path;
	source->state = SOURCE_OPEN;
	source->is_kept = false;
	return true;
}

void source_wait(struct ship_source *source)
{
	source_close(source, SOURCE_BAD);
	source->is_short = true;
	source->retry_ns = clock_now_ns() + SHORT_NS;
}

void source_close(struct ship_source *source, enum source_state state)
{
	if (source->reader) {
		reader_positions(source->reader, &source->positions);
		rows_trace_fini(&source->rows);
		reader_close(source->reader);
		source->reader = NULL;
	}
	source->state = state;
}
