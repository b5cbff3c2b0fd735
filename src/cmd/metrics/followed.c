/* SPDX-License-Identifier: MIT */
/*
 * A process has one entry while its trace is read: the reader turns to the next trace with it. An
 * entry without a reader stays until its numbers are old; a new trace of its process goes on in it.
 */
#include "cmd/metrics/followed.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cmd/escaped.h"

#define TURN 16384u /* records of a trace before the next one's turn */
#define KEEP_NS (300 * CLOCK_NS_PER_S) /* numbers of ended processes */
#define ENDED_MAX 1000u /* of these */

/* ---- Entries ---- */

static void free_process(struct followed_process *p)
{
	rates_fini(&p->rates);
	reader_close(p->reader);
	free(p);
}

void followed_fini(struct followed *f)
{
	vec_foreach (struct followed_process **, it, &f->all) {
		free_process(*it);
	}
	vec_fini(&f->all);
}

/* True if the buffer is of the process: it may have another name now, or go on elsewhere. */
static bool is_of(const struct leftover *o, const struct followed_process *p)
{
	return o->pid == p->pid && (p->reader || strcmp(o->directory, p->directory) == 0 ||
					   strcmp(o->command, p->command) == 0);
}

static struct followed_process *process_of(struct followed *f, const struct leftover *o)
{
	vec_foreach (struct followed_process **, it, &f->all) {
		if (is_of(o, *it)) {
			return *it;
		}
	}
	struct followed_process *p = xcalloc(1, sizeof(*p));

	p->pid = o->pid;
	memcpy(p->command, o->command, sizeof(p->command));
	rates_init(&p->rates, 0);
	vec_push(&f->all, p);
	return p;
}

static void end(struct followed_process *p)
{
	rates_leave(&p->rates);
	reader_close(p->reader);
	p->reader = NULL;
	p->seen_ns = clock_now_ns();
}

/* Forgets processes that ended long ago, and the oldest of too many. */
static void forget(struct followed *f)
{
	uint64_t now = clock_now_ns();
	size_t ended = 0;
	size_t kept = 0;

	vec_foreach (struct followed_process *const *, it, &f->all) {
		ended += !(*it)->reader;
	}
	vec_foreach (struct followed_process **, it, &f->all) {
		struct followed_process *p = *it;
		bool is_old = now - p->seen_ns > KEEP_NS || ended > ENDED_MAX;

		if (!p->reader && is_old) {
			free_process(p);
			ended--;
		} else {
			f->all.items[kept++] = p;
		}
	}
	f->all.count = kept;
}

/* ---- Finding ---- */

/* Opens the trace of a process; without a reader, it is not tried again. */
static void open_trace(struct followed *f, struct followed_process *p)
{
	const struct reader_options options = { .follow = f->follow };
	struct read_error error;

	p->reader = reader_open(p->directory, &options, &error);
	if (!p->reader) {
		escaped_say(f->command, "%s: %s", p->directory, error.text);
		end(p);
	} else if (!p->reader->format->open_directory) {
		end(p); /* only native traces can be followed */
	} else {
		rates_use(&p->rates, p->reader);
		rates_limit(p->reader);
	}
}

static void look_at(struct followed *f, const struct leftover *o)
{
	if (o->state != LEFTOVER_ALIVE || !leftover_is_readable(o)) {
		return;
	}
	struct followed_process *p = process_of(f, o);

	p->seen_ns = clock_now_ns();
	if (strcmp(p->directory, o->directory) == 0) {
		return;
	}
	memcpy(p->directory, o->directory, sizeof(p->directory));
	if (!p->reader) {
		open_trace(f, p);
	}
}

void followed_find(struct followed *f)
{
	struct leftovers l;

	forget(f);
	leftovers_find(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		look_at(f, o);
	}
	leftovers_fini(&l);
	f->follow = f->follow == FOLLOW_NEW ? FOLLOW_ALL : f->follow;
}

/* ---- Reading ---- */

/* Ends the turn for another reason than a record; returns whether it goes on. */
static bool take_result(struct followed *f, struct followed_process *p, enum read_result result)
{
	if (result == READ_PROBLEM || result == READ_DAMAGED) {
		escaped_say(f->command, "%s: %s", p->directory, p->reader->error.text);
	}
	if (result == READ_END || result == READ_DAMAGED) {
		end(p);
	}
	return result == READ_RECORD || result == READ_PROBLEM;
}

static bool read_process(struct followed *f, struct followed_process *p)
{
	struct record records[64];
	enum read_result result = READ_RECORD;
	size_t sum = 0;

	while (sum < TURN) {
		size_t count = reader_few(p->reader, records, ARRAY_SIZE(records), &result);

		for (size_t i = 0; i < count; i++) {
			rates_add(&p->rates, &records[i]);
		}
		sum += count;
		if (!take_result(f, p, result)) {
			return false;
		}
	}
	return true;
}

bool followed_read(struct followed *f)
{
	bool goes_on = false;

	vec_foreach (struct followed_process **, it, &f->all) {
		goes_on |= (*it)->reader && read_process(f, *it);
	}
	return goes_on;
}
