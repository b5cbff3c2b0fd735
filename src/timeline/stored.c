/* SPDX-License-Identifier: MIT */
/*
 * A file begins with its length and a checksum of the rest. Then come the key, the numbers of the
 * levels, the tracks with their rows, and the checkpoints. Of a row only the cells in use are
 * there, in runs.
 */
#include "timeline/stored.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define BUFFER_BYTES 65536
#define CELLS_MAX ((size_t)8 << 20) /* of all rows: twice as many as levels have */
#define SHIFT_MAX 62

struct stored_header {
	char magic[8];
	uint64_t bytes; /* of the file */
	uint64_t sum; /* of all after the header */
};

static const char magic[8] = "WMLEVEL\2";

/* The numbers of the levels. */
struct stored_levels {
	int64_t base_ns;
	int64_t first_ns;
	int64_t last_ns;
	uint64_t records;
	uint64_t lost;
	uint64_t steps;
	uint64_t tracks;
	uint64_t checkpoints;
	uint32_t shift;
	uint32_t has_records;
};

struct stored_track {
	uint32_t trace;
	uint32_t pid;
	uint32_t tid;
	uint32_t process;
	uint32_t is_lane;
	uint32_t name_bytes; /* of a lane */
	uint32_t depth;
	uint32_t rows; /* a bit each: events, losses */
};

struct stored_run {
	uint32_t skipped; /* cells before it; of the last run: all that are left */
	uint32_t count;
};

/* Adds words to a sum, the last one padded with zeros. */
static uint64_t add_up(uint64_t sum, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, bytes + i, size - i < sizeof(word) ? size - i : sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
	}
	return sum;
}

/* ---- Storing ---- */

struct storing {
	int fd;
	int error; /* errno; 0: none */
	const bool *is_ended;
	uint64_t sum;
	uint64_t bytes;
	size_t used;
	unsigned char buffer[BUFFER_BYTES];
};

static void flush(struct storing *s)
{
	size_t done = 0;

	s->sum = add_up(s->sum, s->buffer, s->used);
	while (!s->error && done < s->used) {
		ssize_t n = write(s->fd, s->buffer + done, s->used - done);

		if (__atomic_load_n(s->is_ended, __ATOMIC_RELAXED)) {
			s->error = ECANCELED;
		} else if (n < 0 && errno != EINTR) {
			s->error = errno;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	s->bytes += s->used;
	s->used = 0;
}

static void put(struct storing *s, const void *data, size_t size)
{
	const unsigned char *from = data;

	while (size > 0 && !s->error) {
		size_t part = BUFFER_BYTES - s->used < size ? BUFFER_BYTES - s->used : size;

		memcpy(s->buffer + s->used, from, part);
		s->used += part;
		from += part;
		size -= part;
		if (s->used == BUFFER_BYTES) {
			flush(s);
		}
	}
}

static bool is_empty(const struct level_cell *cell)
{
	return cell->count == 0 && cell->covered == 0 && cell->name == 0;
}

/* Writes a row as runs of cells; the last run has none. */
static void put_row(struct storing *s, const struct level_row *row)
{
	size_t at = 0;
	struct stored_run run;

	do {
		size_t begin = at;

		while (at < row->count && is_empty(&row->cells[at])) {
			at++;
		}
		run.skipped = (uint32_t)(at - begin);
		begin = at;
		while (at < row->count && !is_empty(&row->cells[at])) {
			at++;
		}
		run.count = (uint32_t)(at - begin);
		put(s, &run, sizeof(run));
		if (run.count > 0) {
			put(s, row->cells + begin, run.count * sizeof(*row->cells));
		}
	} while (run.count > 0);
}

static void put_track(struct storing *s, const struct levels *l, const struct level_track *t)
{
	const struct timeline_process *p = &l->timeline.processes.items[t->process];
	const struct stored_track track = {
		.trace = p->trace,
		.pid = p->pid,
		.tid = t->tid,
		.process = t->process,
		.is_lane = t->is_lane,
		.name_bytes = t->is_lane ? (uint32_t)strlen(t->name) : 0,
		.depth = (uint32_t)t->slices.count,
		.rows = (t->events.cells ? 1u : 0) | (t->losses.cells ? 2u : 0),
	};

	put(s, &track, sizeof(track));
	put(s, t->name, track.name_bytes);
	put_row(s, &t->events);
	put_row(s, &t->losses);
	vec_foreach (const struct level_row *, row, &t->slices) {
		put_row(s, row);
	}
}

static void put_checkpoint(struct storing *s, const struct level_checkpoint *c)
{
	const int64_t head[] = { c->ns, (int64_t)c->count };

	put(s, head, sizeof(head));
	put(s, c->scopes, c->count * sizeof(*c->scopes));
}

static void put_all(struct storing *s, const struct levels *l, const char *key)
{
	const uint64_t key_bytes = strlen(key);
	const struct stored_levels levels = {
		.base_ns = l->base_ns,
		.first_ns = l->first_ns,
		.last_ns = l->last_ns,
		.records = l->records,
		.lost = l->lost,
		.steps = l->steps,
		.tracks = l->tracks.count,
		.checkpoints = l->checkpoints.count,
		.shift = l->shift,
		.has_records = l->has_records,
	};

	put(s, &key_bytes, sizeof(key_bytes));
	put(s, key, key_bytes);
	put(s, &levels, sizeof(levels));
	vec_foreach (const struct level_track *, t, &l->tracks) {
		put_track(s, l, t);
	}
	vec_foreach (const struct level_checkpoint *, c, &l->checkpoints) {
		put_checkpoint(s, c);
	}
}

bool levels_store(const struct levels *l, const char *key, int fd, const bool *is_ended)
{
	struct storing *s = xcalloc(1, sizeof(*s));
	struct stored_header h = { .bytes = sizeof(h) };

	s->fd = fd;
	s->is_ended = is_ended;
	if (lseek(fd, sizeof(h), SEEK_SET) < 0) {
		s->error = errno;
	}
	put_all(s, l, key);
	flush(s);
	memcpy(h.magic, magic, sizeof(magic));
	h.bytes += s->bytes;
	h.sum = s->sum;
	if (!s->error && pwrite(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h)) {
		s->error = errno ? errno : ENOSPC;
	}
	int error = s->error;

	free(s);
	errno = error;
	return error == 0;
}

/* ---- Restoring ---- */

struct restoring {
	struct levels *levels;
	const unsigned char *at;
	size_t left;
	size_t cells; /* of all rows */
	size_t classes; /* of the reader */
};

static bool take(struct restoring *r, void *data, size_t size)
{
	if (size > r->left) {
		return false;
	}
	if (size > 0) {
		memcpy(data, r->at, size);
	}
	r->at += size;
	r->left -= size;
	return true;
}

/* Checks a row without changing anything; returns its number of cells, SIZE_MAX if it is wrong. */
static size_t measure_row(const struct restoring *all)
{
	struct restoring r = *all;
	size_t cells = 0;
	struct stored_run run;

	do {
		if (!take(&r, &run, sizeof(run)) ||
			run.count > r.left / sizeof(struct level_cell)) {
			return SIZE_MAX;
		}
		cells += (size_t)run.skipped + run.count;
		r.at += run.count * sizeof(struct level_cell);
		r.left -= run.count * sizeof(struct level_cell);
	} while (run.count > 0 && cells <= r.levels->steps);
	return cells <= r.levels->steps ? cells : SIZE_MAX;
}

/* Takes a row; `is_used`: it has cells, if only empty ones. */
static bool take_row(struct restoring *r, struct level_row *row, bool is_used)
{
	size_t count = measure_row(r);
	size_t at = 0;
	struct stored_run run;

	if (count == SIZE_MAX || (count > 0 && !is_used) || (r->cells += count) > CELLS_MAX) {
		return false;
	}
	if (!is_used) {
		return take(r, &run, sizeof(run));
	}
	row->cells = xcalloc(count + 1, sizeof(*row->cells));
	row->count = count;
	r->levels->rows++;
	do {
		take(r, &run, sizeof(run));
		at += run.skipped;
		take(r, row->cells + at, run.count * sizeof(*row->cells));
		for (size_t i = 0; i < run.count; i++) {
			if (row->cells[at + i].name > r->classes) {
				return false;
			}
		}
		at += run.count;
	} while (run.count > 0);
	return true;
}

/* Adds a lane to the tracks; false if its process is not there. */
static bool add_lane(struct restoring *r, const struct stored_track *t)
{
	struct levels *l = r->levels;

	if (t->process >= l->timeline.processes.count || t->name_bytes > r->left) {
		return false;
	}
	uint32_t name = texts_number(&l->timeline.pairs.names, (const char *)r->at, t->name_bytes);

	r->at += t->name_bytes;
	r->left -= t->name_bytes;
	levels_add_lane(l, t->process, name);
	return true;
}

/* Adds a thread to the tracks; false if it has one. */
static bool add_thread(struct restoring *r, const struct stored_track *t)
{
	struct levels *l = r->levels;
	size_t before = l->tracks.count;

	if (t->name_bytes > 0 || t->trace >= l->timeline.reader->trace_count) {
		return false;
	}
	timeline_know_thread(&l->timeline, t->trace, t->pid, t->tid);
	return l->tracks.count == before + 1 && l->tracks.items[before].process == t->process;
}

static bool take_track(struct restoring *r)
{
	struct stored_track t;

	if (!take(r, &t, sizeof(t)) || t.depth > LEVELS_DEPTH_MAX ||
		!(t.is_lane ? add_lane(r, &t) : add_thread(r, &t))) {
		return false;
	}
	struct level_track *track = &r->levels->tracks.items[r->levels->tracks.count - 1];
	bool ok =
		take_row(r, &track->events, t.rows & 1) && take_row(r, &track->losses, t.rows & 2);

	for (uint32_t i = 0; i < t.depth && ok; i++) {
		struct level_row row = { 0 };

		ok = take_row(r, &row, true);
		vec_push(&track->slices, row);
	}
	return ok;
}

static bool take_checkpoint(struct restoring *r)
{
	int64_t head[2];

	if (!take(r, head, sizeof(head)) || head[1] < 0 ||
		(uint64_t)head[1] > r->left / sizeof(struct level_scope)) {
		return false;
	}
	struct level_checkpoint c = { .ns = head[0], .count = (size_t)head[1] };

	c.scopes = xcalloc(c.count + 1, sizeof(*c.scopes));
	take(r, c.scopes, c.count * sizeof(*c.scopes));
	vec_push(&r->levels->checkpoints, c);
	r->levels->scopes += c.count;
	for (size_t i = 0; i < c.count; i++) {
		if (c.scopes[i].class >= r->classes ||
			c.scopes[i].key.trace >= r->levels->timeline.reader->trace_count) {
			return false;
		}
	}
	return true;
}

/* Takes the key and the numbers. */
static bool take_head(struct restoring *r, const char *key, struct stored_levels *levels)
{
	uint64_t key_bytes;

	if (!take(r, &key_bytes, sizeof(key_bytes)) || key_bytes != strlen(key) ||
		key_bytes > r->left || memcmp(r->at, key, key_bytes) != 0) {
		return false;
	}
	r->at += key_bytes;
	r->left -= key_bytes;
	if (!take(r, levels, sizeof(*levels)) || levels->shift > SHIFT_MAX ||
		levels->steps > r->levels->steps || levels->last_ns < levels->first_ns) {
		return false;
	}
	struct levels *l = r->levels;

	l->base_ns = levels->base_ns;
	l->first_ns = levels->first_ns;
	l->last_ns = l->read_ns = levels->last_ns;
	l->records = levels->records;
	l->lost = levels->lost;
	l->steps = levels->steps;
	l->shift = levels->shift;
	l->has_base = l->has_records = levels->has_records;
	return true;
}

bool levels_restore(struct levels *l, const char *key, const void *bytes, size_t size)
{
	struct restoring r = { .levels = l,
		.at = bytes,
		.left = size,
		.classes = l->timeline.reader->classes.all.count };
	struct stored_levels levels;
	struct stored_header h;

	if (!take(&r, &h, sizeof(h)) || memcmp(h.magic, magic, sizeof(magic)) != 0 ||
		h.bytes != size || h.sum != add_up(0, r.at, r.left) ||
		!take_head(&r, key, &levels)) {
		return false;
	}
	for (uint64_t i = 0; i < levels.tracks; i++) {
		if (!take_track(&r)) {
			return false;
		}
	}
	for (uint64_t i = 0; i < levels.checkpoints; i++) {
		if (!take_checkpoint(&r)) {
			return false;
		}
	}
	return r.left == 0;
}
