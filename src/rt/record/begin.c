/* SPDX-License-Identifier: MIT */
/*
 * The first event makes the arena and what its consumer needs: all of it, and
 * then one compare-and-swap shows it to everybody. Threads that come together
 * each make one, and all but one throw theirs away: nobody ever waits for a
 * thread that may be the one which his handler interrupted.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "rt/record/begin.h"
#include "rt/record/recorder.h"
#include "rt/record/settings.h"

static struct arena *fail(struct process *p, struct recorder *r)
{
	if (!__atomic_exchange_n(&r->no_memory, 1, __ATOMIC_RELAXED)) {
		waymark_notice(p, "no memory for a buffer: trace events are lost");
	}
	return NULL;
}

static void say_mortal(struct process *p, int why)
{
	char reason[128];

	waymark_notice(p, "no file for the buffer: %s; a kill takes what is not yet written",
		strerror_r(why, reason, sizeof(reason)));
}

/* What was made in vain; in a fork's child it is the parent's, so nothing is removed there. */
static void throw_away(const struct consumer *consumer, struct arena *a, void *state, bool mine)
{
	if (mine) {
		consumer->abandon(state);
	}
	waymark_arena_destroy(a, mine);
	munmap(state, consumer->state_bytes);
}

/*
 * Publishes the arena. A fork's child, where the recorder is wiped, does not get
 * so far with what its parent had begun.
 */
static bool publish(struct recorder *r, struct arena *a)
{
	struct arena *wanted = ARENA_WANTED;

	return __atomic_compare_exchange_n(
		&r->arena, &wanted, a, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static struct arena *make(struct process *p, struct recorder *r)
{
	const struct consumer *consumer = recorder_consumer(p, r);
	uint32_t pid = __atomic_load_n(&p->pid, __ATOMIC_RELAXED);
	struct arena_place place = { .directory = NULL };
	struct arena *none = ARENA_NONE;
	int why;

	__atomic_compare_exchange_n(
		&r->arena, &none, ARENA_WANTED, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	void *state = waymark_wiped_map(consumer->state_bytes);

	if (!state) {
		return fail(p, r);
	}
	consumer->begin(state, &place);
	struct arena *a = waymark_arena_create(waymark_recorder_buffer(), &place, pid, &why);

	if (!a) {
		consumer->abandon(state);
		munmap(state, consumer->state_bytes);
		return fail(p, r);
	}
	a->state = state;
	a->file.overwrite = waymark_recorder_policy() == RECORDER_OVERWRITE;
	if (!publish(r, a)) {
		throw_away(consumer, a, state, __atomic_load_n(&p->pid, __ATOMIC_RELAXED) == pid);
		return recorder_arena(r);
	}
	/* Behind the publication: a fork in between inherits a copy that it does not use. */
	madvise(a, a->file.bytes, MADV_DONTFORK);
	consumer->begun(a);
	if (why) {
		say_mortal(p, why);
	}
	if (!process_is_borrowed(p)) {
		waymark_crash_init();
	}
	return a;
}

struct arena *waymark_arena_get(struct process *p, struct recorder *r)
{
	struct arena *a = recorder_arena(r);

	if (a || __atomic_load_n(&r->no_memory, __ATOMIC_RELAXED)) {
		return a;
	}
	return make(p, r);
}
