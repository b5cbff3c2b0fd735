/* SPDX-License-Identifier: MIT */
/* See ctf_end.h. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/futex.h"
#include "rt/host/line.h"
#include "rt/record/close.h"
#include "rt/sink/ctf_end.h"

void waymark_ctf_consumer_begin(void *memory, struct arena_place *place)
{
	struct ctf_state *state = memory;

	if (!waymark_ctf_begin(&state->trace, waymark_ctf_config())) {
		state->files.error = errno;
		return; /* who drains tries again */
	}
	memcpy(place->uuid, state->trace.uuid, sizeof(place->uuid));
	place->directory = state->trace.path;
	place->path = state->trace.scratch;
}

/* The name was another's: says which one the trace has, once for all children that fork makes. */
static void announce(const struct ctf_trace *t)
{
	static bool told;
	struct process *p = waymark_process_current();

	if (p && t->config && t->config->taken_over &&
		!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED)) {
		waymark_notice(p, "the trace is %s: the name asked for is taken", t->path);
	}
}

void waymark_ctf_consumer_begun(struct arena *a)
{
	struct ctf_state *state = a->state;

	state->files.trace = &state->trace;
	if (state->trace.path[0]) {
		waymark_ctf_name(&state->trace);
		announce(&state->trace);
		strcpy(a->file.directory, state->trace.path);
	}
	__atomic_store_n(&state->trace.named, 1, __ATOMIC_RELEASE);
}

void waymark_ctf_consumer_abandon(void *memory)
{
	struct ctf_state *state = memory;

	if (state->trace.path[0]) {
		waymark_ctf_abandon(&state->trace);
	}
}

void waymark_ctf_consumer_get_name(const struct recorder *r, char *name, size_t size)
{
	const struct arena *a = recorder_arena(r);
	const struct ctf_state *state = a ? a->state : NULL;
	const struct ctf_config *config = waymark_ctf_config();

	struct line l;

	line_init(&l, name, size);
	if (state && state->trace.path[0]) {
		waymark_line_put(&l, "%s", state->trace.path);
	} else if (config && config->path[0]) {
		waymark_line_put(&l, "%s", config->path);
	} else {
		waymark_line_put(&l, "trace-%u.ctf", (unsigned int)getpid());
	}
}

_Static_assert(sizeof(((struct ctf_trace *)0)->path) <= ARENA_FILE_PATH_BYTES &&
		       sizeof(((struct ctf_trace *)0)->scratch) >= ARENA_FILE_PATH_BYTES,
	"the arena must be able to name its trace");

/* Streams begin anew; packets that are open carry the trace's uuid, too. */
static void begin_streams(struct ctf_round *round)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		foreach_ctf_cursor(c, s)
		{
			waymark_ctf_cursor_begin_trace(round, c);
			if (c->reader.chunk) {
				memcpy(packet_at(round->arena, c->reader.chunk)->uuid,
					round->state->trace.uuid, 16);
			}
		}
	}
}

/* The arena is the new trace's from now on. */
static void rename_arena(struct ctf_round *round)
{
	struct arena *a = round->arena;

	arena_copy_uuid(a->file.uuid, round->state->trace.uuid);
	strcpy(a->file.directory, round->state->trace.path);
	waymark_arena_rename(a, round->state->next.scratch);
	begin_streams(round);
}

static bool begin_trace(struct ctf_round *round)
{
	struct ctf_state *state = round->state;
	struct ctf_trace *next = &state->next;

	memset(next, 0, sizeof(*next));
	if (!waymark_ctf_begin(next, waymark_ctf_config())) {
		state->files.error = errno;
		return false;
	}
	waymark_ctf_name(next);
	announce(next);
	next->named = 1;
	memcpy(&state->trace, next, sizeof(*next));
	memset(&state->files, 0, sizeof(state->files));
	state->files.trace = &state->trace;
	rename_arena(round);
	return true;
}

/* The trace gets no more events: its clock is known as well as it ever will be. */
static void finish_trace(struct ctf_round *round)
{
	waymark_ctf_declare(&round->state->trace);
	waymark_ctf_refine(&round->state->trace, &round->arena->file.now);
	waymark_ctf_pause(&round->state->files);
}

void waymark_ctf_sync(struct ctf_round *round)
{
	struct ctf_state *state = round->state;
	const struct ctf_config *config = waymark_ctf_config();
	bool begun = state->trace.path[0];

	state->is_off = waymark_ctf_is_off();
	round->discard = state->is_off;
	if (begun && state->trace.config == config) {
		return;
	}
	if (!begun && round->now.ns < state->retry_ns) {
		round->failed = true;
		return;
	}
	if (begun) {
		finish_trace(round);
	}
	round->failed = !begin_trace(round);
}

static bool is_all_written(struct ctf_round *round)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		foreach_ctf_cursor(c, s)
		{
			if (!waymark_ctf_cursor_is_written(round->arena, c)) {
				return false;
			}
		}
	}
	return true;
}

/* Events that stay behind in memory that ends with the process. */
static uint64_t count_left(struct ctf_round *round)
{
	struct arena *a = round->arena;
	uint64_t events = 0;
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		foreach_ctf_cursor(c, s)
		{
			uint32_t chunk = c->reader.chunk;

			for (; chunk; chunk = c->reader.taken ? 0 : packet_next(a, chunk)) {
				events += waymark_packet_events(&round->state->walk,
					packet_at(a, chunk), packet_bytes(a, chunk));
			}
		}
	}
	return events;
}

/*
 * Whether nothing will come, as far as can be seen: threads that record all the
 * time have shown it again by the second look.
 */
static bool is_over(struct ctf_round *round)
{
	if (!is_all_written(round)) {
		return false;
	}
	if (waymark_consume_is_alone()) {
		return true;
	}
	futex_sleep(CLOSE_SETTLE_NS);
	return is_all_written(round);
}

/* What is not in the files stays in the arena, for readers and `waymark recover`. */
static void say_left(struct process *p, const struct ctf_round *round)
{
	const char *why = round->failed ? "the last events could not be written; they are kept, "
					  "and waymark recover brings them in"
					: "threads still record; waymark recover brings their last "
					  "events in";

	if (__atomic_load_n(&p->leaving, __ATOMIC_RELAXED)) {
		__atomic_store_n(&round->state->kept, why, __ATOMIC_RELAXED); /* see crash.c */
	} else {
		waymark_notice(p, "%s: %s", round->state->trace.path, why);
	}
}

static void tell_losses(struct ctf_round *round)
{
	uint32_t index = 0;

	round->alone = waymark_consume_is_alone();
	/* Threads that have ended, too: what was evicted of them no packet may have told. */
	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		foreach_ctf_cursor(c, s)
		{
			waymark_ctf_cursor_tell(round, c);
		}
	}
}

void waymark_ctf_end(struct process *p, struct ctf_round *round)
{
	tell_losses(round);
	finish_trace(round);
	if (is_over(round)) {
		__atomic_store_n(&round->state->kept, NULL, __ATOMIC_RELAXED);
		__atomic_store_n(&round->arena->file.closed, 1, __ATOMIC_RELEASE);
		waymark_arena_unlink(round->arena);
	} else if (!round->arena->is_file || !round->state->trace.path[0]) {
		waymark_arena_unlink(round->arena);
		__atomic_store_n(&round->state->unwritten, count_left(round), __ATOMIC_RELAXED);
	} else {
		say_left(p, round);
	}
}
