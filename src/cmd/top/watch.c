/* SPDX-License-Identifier: MIT */
/*
 * Counts the events of one process out of its memory and files, from now on, without disturbing it:
 * see read/ctf/follow.c. A reader that is too slow for the events skips some, and says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "cmd/top/top.h"
#include "read/buffer.h"
#include "view/message/message.h"

/* Records between two looks at the clock. */
#define SLICE 4096u

/* When reading is so late, the events up to now are skipped. */
#define SKIP_NS (2 * CLOCK_NS_PER_S)

void watch_init(struct watch *w, const struct leftover *process, const char *per)
{
	*w = (struct watch){ .process = *process, .at_ns = (int64_t)clock_now_ns() };
	rates_init(&w->rates, w->at_ns);
	aggregates_init(&w->aggregates);
	w->aggregates.is_followed = true;
	w->rates.per = per;
	w->rates.value_text = message_value_text;
}

void watch_fini(struct watch *w)
{
	rates_fini(&w->rates);
	aggregates_fini(&w->aggregates);
	reader_close(w->reader);
	free(w->process.path);
}

/*
 * Finds the process's memory again, whose name changes with the trace. Returns whether the process
 * lives.
 */
static bool look_at_process(struct watch *w)
{
	struct leftover *p = &w->process;
	struct leftovers l;
	bool lives = false;

	leftovers_find(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		if (o->pid == p->pid && o->state == LEFTOVER_ALIVE && !o->error) {
			memcpy(p->directory, o->directory, sizeof(o->directory));
			p->totals = o->totals;
			free(p->path);
			p->path = xstrdup(o->path);
			lives = true;
		}
	}
	leftovers_fini(&l);
	return lives;
}

/* Reads the process's own counts again; keeps them if its memory is gone. */
static void look_at_counts(struct watch *w)
{
	int ignored;
	struct buffer_source *buffer =
		w->process.path ? buffer_source_open_path(w->process.path, &ignored) : NULL;

	if (buffer) {
		w->process.totals = buffer_source_totals(buffer);
		buffer_source_close(buffer);
	} else {
		look_at_process(w);
	}
}

static void set_process(struct watch *w)
{
	const struct trace_info *info = &w->reader->traces[0];

	if (!w->process.pid) { /* else it is the pid on this host, which the trace may not know */
		w->process.pid = info->pid;
	}
	if (!w->process.command[0]) {
		snprintf(w->process.command, sizeof(w->process.command), "%s",
			info->procname ? info->procname : "?");
	}
}

/* Opens the trace; sets the state. */
static void open_trace(struct watch *w, enum reader_follow follow)
{
	const struct reader_options options = { .follow = follow };

	w->reader = reader_open(w->process.directory, &options, &w->error);
	if (!w->reader) {
		w->state = WATCH_FAILED;
		return;
	}
	if (!w->reader->format->open_directory) {
		read_error_set(&w->error, "only a native trace, a directory, can be watched");
		w->state = WATCH_FAILED;
		return;
	}
	w->state = w->reader->traces[0].is_live ? WATCH_RECORDS : WATCH_ENDED;
	set_process(w);
	look_at_counts(w);
	w->recorded = w->process.totals.recorded;
	w->counted = w->rates.events;
	rates_use(&w->rates, w->reader);
}

/* Opens the trace of a process if it has one: its first events make it. */
static void await_trace(struct watch *w)
{
	if (access(w->process.directory, F_OK) != 0 && w->process.pid) {
		w->was_awaited = true;
		w->state = look_at_process(w) ? WATCH_WAITS : WATCH_ENDED;
		w->at_ns = (int64_t)clock_now_ns();
		return;
	}
	open_trace(w, w->was_awaited ? FOLLOW_ALL : FOLLOW_NEW);
}

/* Goes on with the events that are recorded from now on. */
static void skip(struct watch *w)
{
	uint64_t now = clock_now_ns();
	uint64_t counted = w->rates.events - w->counted;

	rates_skip(&w->rates, now - (uint64_t)w->at_ns);
	look_at_process(w);
	uint64_t recorded = w->process.totals.recorded - w->recorded;

	w->is_skipped_unknown |= w->process.totals.events == 0;
	w->skipped_events += recorded > counted ? recorded - counted : 0;
	reader_close(w->reader);
	w->at_ns = (int64_t)now;
	open_trace(w, FOLLOW_NEW);
}

static void add(struct watch *w, const struct record *rec)
{
	int64_t ns = (int64_t)rec->ns;

	aggregates_add(&w->aggregates, w->reader, rec);
	if (ns < w->rates.from_ns) {
		return; /* the trace that was awaited has events from before */
	}
	rates_add(&w->rates, rec);
	w->at_ns = ns > w->at_ns ? ns : w->at_ns;
	w->has_overwritten |= rec->kind == RECORD_GAP && rec->gap.overwritten;
}

/* Ends the reading for another reason than a record; returns whether it goes on at once. */
static bool take_result(struct watch *w, enum read_result result)
{
	switch (result) {
	case READ_PROBLEM:
		w->problems++;
		w->error = w->reader->error;
		return true;
	case READ_DAMAGED:
		w->state = WATCH_FAILED;
		w->error = w->reader->error;
		return false;
	case READ_NOTHING:
		w->at_ns = w->reader->horizon > w->at_ns ? w->reader->horizon : w->at_ns;
		return false;
	case READ_END:
		w->state = WATCH_ENDED;
		return false;
	case READ_RECORD:
		break;
	}
	return true;
}

/* Adds records until none is there; returns false if the time was over before. */
static bool read_records(struct watch *w, uint64_t until_ns)
{
	struct record rec;
	bool goes_on = true;

	while (goes_on) {
		for (unsigned int n = 0; n < SLICE && goes_on; n++) {
			enum read_result result = reader_next(w->reader, &rec);

			if (LIKELY(result == READ_RECORD)) {
				add(w, &rec);
			} else {
				goes_on = take_result(w, result);
			}
		}
		if (goes_on && clock_now_ns() >= until_ns) {
			return false;
		}
	}
	return true;
}

void watch_read(struct watch *w, uint64_t until_ns)
{
	if (w->state == WATCH_WAITS) {
		await_trace(w);
	}
	if (w->state == WATCH_RECORDS && watch_lag(w) > SKIP_NS) {
		skip(w);
	}
	w->is_behind = w->reader && w->state == WATCH_RECORDS && !read_records(w, until_ns);
}

void watch_turn(struct watch *w)
{
	w->has_overwritten = false;
	if (w->state < WATCH_ENDED) {
		look_at_counts(w);
	}
	rates_turn(&w->rates, w->at_ns);
	aggregates_end(&w->aggregates);
}

void watch_end(struct watch *w, uint64_t interval_ns)
{
	const struct rates *r = &w->rates;

	if (r->begin_ns == r->end_ns || w->at_ns - r->end_ns >= (int64_t)(interval_ns / 2)) {
		watch_turn(w);
	}
}

void watch_rows(const struct watch *w, const struct rates_view *view, struct rates_rows *rows)
{
	rates_rows_make(rows, &w->rates, view);
	vec_foreach (struct rates_row *, row, &rows->all) {
		row->is_elsewhere = w->process.is_elsewhere;
	}
}

uint64_t watch_lag(const struct watch *w)
{
	int64_t lag = (int64_t)clock_now_ns() - w->at_ns;

	return w->state == WATCH_RECORDS && lag > 0 ? (uint64_t)lag : 0;
}

unsigned int watch_pause(const struct watch *w)
{
	return w->is_behind ? 0 : w->has_overwritten ? TOP_ROUND_MIN_MS : TOP_ROUND_MS;
}
