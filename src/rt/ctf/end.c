/* SPDX-License-Identifier: MIT */
/*
 * The beginning and the end of a trace, and its change for another one: of another name, or of a
 * snapshot and back. The consumer calls these functions; the thread of the first event begins the
 * trace.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/ctf/family.h"
#include "rt/ctf/metadata.h"
#include "rt/ctf/pass.h"
#include "rt/host/error.h"
#include "rt/host/futex.h"
#include "rt/host/line.h"
#include "rt/host/message.h"
#include "rt/record/close.h"
#include "rt/record/seal.h"
#include "rt/record/standing.h"

void waymark_ctf_consumer_begin(void *memory, struct buffer_place *place)
{
	struct ctf_state *state = memory;

	if (waymark_ctf_begin(&state->trace, waymark_ctf_config(), NULL)) {
		place->directory = state->trace.path;
	} else {
		waymark_ctf_fail(&state->files, errno); /* the consumer tries again */
	}
	memcpy(place->uuid, state->trace.uuid, sizeof(place->uuid));
	place->path = state->trace.scratch;
}

/* Reports the trace's name if it is not the one asked for, once for all forked children. */
static void announce(const struct ctf_trace *t)
{
	static struct once reported;
	struct process *p = waymark_process_current();

	if (p && waymark_ctf_is_renamed(t) && once(&reported)) {
		waymark_notice(p, "the trace is %s: the requested name is taken", t->path);
	}
}

void waymark_ctf_consumer_begun(struct buffer *b)
{
	struct ctf_state *state = b->state;

	state->files.trace = &state->trace;
	if (state->trace.path[0]) {
		waymark_ctf_name(&state->trace, b->file.traces[1].directory);
		announce(&state->trace);
		waymark_buffer_set_directory(b, state->trace.path);
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

_Static_assert(sizeof(((struct ctf_trace *)0)->path) <= BUFFER_FILE_PATH_BYTES &&
		       sizeof(((struct ctf_trace *)0)->scratch) >= BUFFER_FILE_PATH_BYTES,
	"the buffer must be able to name its trace");
_Static_assert(PATH_MAX == BUFFER_FILE_PATH_BYTES, "names go into the buffer as they are tried");

/* Makes all streams begin again, for a new trace. */
static void begin_streams(struct ctf_round *round)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		foreach_ctf_cursor(c, s)
		{
			waymark_ctf_cursor_begin_trace(round, c);
		}
	}
}

/*
 * Gives the buffer, with everything in it, to the new trace. This is safe against a kill at any
 * moment: during the rename both traces are marked as complete in their files, and the one that has
 * the buffer also has the events in it.
 */
static void turn_buffer(struct ctf_round *round, struct ctf_trace *fresh)
{
	struct buffer_place place = { .directory = fresh->path, .path = fresh->scratch };
	char spare[REASON_BYTES];

	memcpy(place.uuid, fresh->uuid, sizeof(place.uuid));
	begin_streams(round);
	waymark_ctf_mark(&round->state->trace, CTF_FINISHED);
	int why = waymark_buffer_turn(round->buffer, &place);

	waymark_ctf_mark(fresh, CTF_UNFINISHED);
	struct process *p = waymark_process_current();

	if (why && p) {
		waymark_notice(p,
			"%s: its buffer cannot be moved there: %s; events not yet "
			"written are lost if the process is killed",
			fresh->path, waymark_reason(why, spare));
	}
}

/* Copies everything but the lock, which stays taken. */
static void replace_trace(struct ctf_trace *t, const struct ctf_trace *fresh)
{
	__atomic_store_n(&t->config, fresh->config, __ATOMIC_RELEASE); /* free_config() reads it */
	memcpy(t->uuid, fresh->uuid, sizeof(t->uuid));
	memcpy(t->former, fresh->former, sizeof(t->former));
	t->pid = fresh->pid;
	__atomic_store_n(&t->declared, fresh->declared, __ATOMIC_RELAXED);
	t->ended = fresh->ended;
	t->begin = fresh->begin;
	t->device = fresh->device;
	t->inode = fresh->inode;
	strcpy(t->path, fresh->path);
}

/*
 * Changes to the new trace. After the last check for new declarations, other threads declare only
 * in the new trace.
 */
static bool change_trace(struct ctf_round *round, struct ctf_trace *fresh)
{
	struct ctf_state *state = round->state;
	struct guard guard;

	waymark_ctf_lock(&state->trace, &guard);
	bool declared = waymark_ctf_declare(fresh);
	int why = errno;

	if (declared) {
		turn_buffer(round, fresh);
		replace_trace(&state->trace, fresh);
	}
	waymark_ctf_unlock(&state->trace, &guard);
	errno = why;
	return declared;
}

static bool begin_trace(struct ctf_round *round, const struct ctf_config *config)
{
	struct ctf_state *state = round->state;
	struct ctf_trace *next = &state->next;

	memset(next, 0, sizeof(*next));
	/*
	 * A new trace is complete while the former one has the buffer file; without a file, a kill
	 * loses events.
	 */
	next->ended = round->buffer->is_file ? CTF_FINISHED : CTF_UNFINISHED;
	if (!waymark_ctf_begin(next, config, &state->trace)) {
		waymark_ctf_fail(&state->files, errno);
		return false;
	}
	/* To find the trace that this one follows. */
	strcpy(state->former.path, state->trace.path);
	state->former.device = state->trace.device;
	state->former.inode = state->trace.inode;
	state->former_has_events = state->files.has_events;
	waymark_ctf_name(next, round->buffer->file.traces[buffer_next(round->buffer)].directory);
	if (!change_trace(round, next)) {
		waymark_ctf_fail(&state->files, errno);
		waymark_ctf_abandon(next);
		return false;
	}
	announce(&state->trace);
	waymark_ctf_turn(&state->files, &state->trace);
	state->finished = false;
	return true;
}

/*
 * Call when the trace gets no more events, so its clock cannot be measured better. Writes the clock
 * only once, because afterwards the process may end at any moment and leave a file half written.
 */
static bool finish_trace(struct ctf_round *round)
{
	struct ctf_state *state = round->state;
	bool declared = waymark_ctf_declare(&state->trace);

	state->finished =
		state->finished || waymark_ctf_refine(&state->trace, &round->buffer->file.now);
	if (!declared || !state->finished) {
		waymark_ctf_fail(&state->files, errno);
	}
	waymark_ctf_pause(&state->files);
	return declared && state->finished;
}

static bool is_all_written(struct ctf_round *round)
{
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		foreach_ctf_cursor(c, s)
		{
			if (!waymark_ctf_cursor_is_written(round->buffer, c)) {
				return false;
			}
		}
	}
	return true;
}

/*
 * True if the trace's directory was removed and events are left: without declarations nobody could
 * read them.
 */
static bool must_begin_anew(struct ctf_round *round, enum drain_mode mode)
{
	return (mode == DRAIN_END || mode == DRAIN_CRASH) && !round->state->ended &&
	       waymark_ctf_is_gone(&round->state->trace) && !is_all_written(round);
}

/* Finishes the old trace before another one begins; at worst its clock is less exact. */
static void finish_former(struct ctf_round *round)
{
	const struct ctf_trace *t = &round->state->trace;
	struct process *p = waymark_process_current();
	char spare[REASON_BYTES];

	if (!finish_trace(round) && p && !waymark_ctf_is_gone(t)) {
		waymark_notice(p, "%s: cannot write its clock's rate: %s; it may be a little off",
			t->path, waymark_reason(round->state->files.error, spare));
	}
	round->state->finished = true; /* reported once, however often the next trace is tried */
}

/* Gives up a trace that cannot be made if there is another one, which gets the events instead. */
static void refuse(struct ctf_round *round, const struct ctf_config *config)
{
	struct ctf_state *state = round->state;
	const struct ctf_config *present = state->trace.config;

	if (round->snapshot || (present && present->is_snapshot) ||
		waymark_ctf_is_gone(&state->trace)) {
		return;
	}
	state->why_refused = state->files.error;
	__atomic_store_n(&state->refused, config, __ATOMIC_RELEASE);
	waymark_ctf_fail(&state->files, 0);
	state->finished = false;
	round->failed = false;
}

/* True if the present trace is the wanted one, perhaps renamed because it was held. */
static bool goes_on(struct ctf_round *round, const struct ctf_config *config)
{
	struct ctf_state *state = round->state;

	if (state->trace.config == config || (config && state->refused == config)) {
		return true;
	}
	if (!waymark_ctf_take_along(round, config)) {
		return false;
	}
	announce(&state->trace);
	return true;
}

void waymark_ctf_sync(struct ctf_round *round, enum drain_mode mode)
{
	struct ctf_state *state = round->state;

	waymark_ctf_serve_share(round);
	const struct ctf_config *config =
		round->snapshot ? round->snapshot->config : waymark_ctf_config();
	bool begun = state->trace.path[0];

	state->is_off = waymark_ctf_is_off();
	round->discard = state->is_off;
	if (begun && goes_on(round, config) && !must_begin_anew(round, mode)) {
		return;
	}
	if (!begun && round->now.ns < state->retry_ns) {
		round->failed = true;
		return;
	}
	if (begun) {
		finish_former(round);
	}
	round->failed = !begin_trace(round, config);
	if (begun && round->failed) {
		refuse(round, config);
	} else if (begun && round->snapshot && !state->former_has_events &&
		   !waymark_ctf_is_gone(&state->former)) {
		waymark_ctf_abandon(&state->former); /* frees the name for the usual trace */
	}
}

void waymark_ctf_snapshot_end(struct ctf_round *round, enum drain_mode mode)
{
	struct ctf_state *state = round->state;
	struct ctf_snapshot *s = round->snapshot;

	if (!s) {
		return;
	}
	s->made = state->trace.config == s->config;
	if (s->made) {
		strcpy(s->path, state->trace.path);
	}
	s->missed = round->missed > 0;
	s->error = !round->failed ? 0 : state->files.error ? state->files.error : EIO;
	if (!s->made) {
		state->finished = false; /* the usual trace continues */
		round->failed = false;
	}
	round->snapshot = NULL;
	waymark_ctf_sync(round, mode);
	__atomic_store_n(&state->snapshot, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&s->done, 1, __ATOMIC_RELEASE);
}

/* Counts the events left in memory that ends with the process. */
static uint64_t count_left(struct ctf_round *round)
{
	struct buffer *b = round->buffer;
	uint64_t events = 0;
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next(&index));) {
		foreach_ctf_cursor(c, s)
		{
			uint32_t subbuf = c->draining.subbuf;

			for (; subbuf; subbuf = c->draining.taken ? 0 : packet_next(b, subbuf)) {
				events += waymark_packet_events(&round->state->walk,
					packet_at(b, subbuf), packet_bytes(b, subbuf));
			}
		}
	}
	index = 0;
	for (struct packet_header *h; (h = waymark_standing_next(waymark_process(), &index));) {
		events += waymark_packet_events(&round->state->walk, h, h->content_size / 8);
	}
	return events;
}

bool waymark_ctf_is_still(const struct process *p, struct ctf_round *round)
{
	waymark_drain_expire();
	if (!waymark_drain_is_alone(p)) {
		futex_sleep(CLOSE_SETTLE_NS);
	}
	return is_all_written(round) && waymark_drain_is_still(p, WAYMARK_RECORDER_CTF);
}

/*
 * True if no event can follow. The seal stays set then, because the buffer is about to be removed.
 */
static bool is_over(const struct process *p, struct ctf_round *round)
{
	struct recorder *r = round->recorder;

	return is_all_written(round) && waymark_seal_set(r) && waymark_ctf_is_still(p, round) &&
	       waymark_seal_holds(r) && waymark_seal_finish(r);
}

static int why_failed(struct ctf_round *round)
{
	int error = __atomic_load_n(&round->state->files.error, __ATOMIC_RELAXED);

	return error ? error : EIO;
}

/* Reports that events stay in the buffer, for readers and `waymark recover`. */
static void report_left(struct process *p, struct ctf_round *round)
{
	const char *why = round->failed && is_all_written(round)
				  ? "its metadata could not be finished; waymark recover does that"
			  : round->failed
				  ? "the last events could not be written; they are kept, "
				    "and waymark recover writes them"
				  : "threads still record; waymark recover writes their last "
				    "events";

	if (__atomic_load_n(&p->leaving, __ATOMIC_RELAXED)) {
		/* pairs with buffer_source_end() */
		__atomic_store_n(&round->buffer->file.ended,
			1 + (round->failed ? (uint32_t)why_failed(round) : 0), __ATOMIC_RELEASE);
		__atomic_store_n(&round->state->kept, why,
			__ATOMIC_RELAXED); /* for report_losses() in flush.c */
	} else {
		waymark_notice(p, "%s: %s", round->state->trace.path, why);
	}
}

static void report_losses(const struct process *p, struct ctf_round *round)
{
	uint32_t index = 0;

	round->alone = waymark_drain_is_alone(p);
	/* Including ended threads, whose evicted events no packet may have reported. */
	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		foreach_ctf_cursor(c, s)
		{
			waymark_ctf_cursor_report(round, c);
		}
	}
}

/* Writes the packets that stayed open until now. Returns false if a file did not take one. */
static bool write_standing(const struct process *p, struct ctf_round *round)
{
	uint32_t index = 0;

	for (struct packet_header *h; (h = waymark_standing_next(p, &index));) {
		h->timestamp_end = waymark_clock_ticks();
		if (waymark_ctf_write(&round->state->files, &h, 1, 0) != 1) {
			round->failed = true;
			return false;
		}
	}
	waymark_ctf_pause(&round->state->files);
	return true;
}

void waymark_ctf_end(struct process *p, struct ctf_round *round)
{
	report_losses(p, round);
	round->failed |= !finish_trace(round);
	if (waymark_seal_is_final(round->recorder)) {
		return; /* the buffer is gone, and seal.c reported later events */
	}
	if (!round->failed && is_over(p, round) && write_standing(p, round)) {
		__atomic_store_n(&round->state->kept, NULL, __ATOMIC_RELAXED);
		waymark_ctf_mark(&round->state->trace, CTF_FINISHED);
		__atomic_store_n(&round->buffer->file.closed, 1, __ATOMIC_RELEASE);
		waymark_buffer_unlink(round->buffer);
		return;
	}
	waymark_seal_lift(round->recorder);
	if (!round->buffer->is_file || !round->state->trace.path[0]) {
		waymark_buffer_unlink(round->buffer);
		__atomic_store_n(&round->state->unwritten, count_left(round), __ATOMIC_RELAXED);
	} else {
		report_left(p, round);
	}
}
