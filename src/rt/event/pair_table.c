/* SPDX-License-Identifier: MIT */
/* Calls that wait for their partner: see pair_table.h. */
#include "base/compiler.h"
#include "rt/event/pair_table.h"
#include "rt/host/guard.h"
#include "rt/record/process.h"

/* The key of a place that a thread is about to fill. */
#define BUSY UINT64_MAX

/* Times that a thread looks whether such a place is filled: some microseconds. */
#define BUSY_TRIES 1000u

/* Times that a thread looks for a call while others move calls. */
#define MOVING_ROUNDS 16u

/*
 * Ends without a begin until windows are chosen by number. Each such end searches the windows of
 * all threads until then.
 */
#define UNPAIRED_MAX 1000u

/* Returns the key of a number. Different ones have different keys, but for three. */
static uint64_t key_of(uint64_t number)
{
	uint64_t key = number * UINT64_C(0x9e3779b97f4a7c15);

	return key == 0 || key == BUSY ? 1 : key;
}

/*
 * Returns bits that choose a place. Numbers that count up fill windows more evenly by these than by
 * field_mix(), which is like chance, so that the table stays smaller.
 */
static inline uint64_t mixed(uint64_t key)
{
	return (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

/* Returns the window of a key, and of a thread, in a table that was doubled `grown` times. */
static inline struct pair_window *window_of(
	struct pair_table *t, uint64_t key, uint32_t thread, uint32_t grown)
{
	uint64_t i = grown ? mixed(key) >> 40 : thread;

	return &t->windows[i & ((PAIR_WINDOWS_MIN << grown) - 1)];
}

/* Returns the place that a key takes if it is free, so that most calls are found at once. */
static inline struct pair_place *home_of(struct pair_window *w, uint64_t key)
{
	return &w->places[mixed(key) >> 61];
}

static uint32_t grown_of(const struct pair_table *t)
{
	return __atomic_load_n(&t->grown, __ATOMIC_ACQUIRE);
}

static uint64_t key_at(const struct pair_place *place)
{
	return __atomic_load_n(&place->key, __ATOMIC_ACQUIRE);
}

/*
 * Reserves the place, if it has that key. Sequentially consistent, as what grow() does: either the
 * thread that enters a call sees that the table has grown, or the one that moves calls sees that
 * the place is reserved.
 */
static bool reserve(struct pair_place *place, uint64_t key)
{
	return __atomic_compare_exchange_n(
		&place->key, &key, BUSY, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* Gives a reserved place its content. */
static void fill(struct pair_place *place, uint64_t key, uint64_t ticks)
{
	__atomic_store_n(&place->ticks, ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&place->key, key, __ATOMIC_RELEASE);
}

static void release(struct pair_place *place)
{
	__atomic_store_n(&place->key, 0, __ATOMIC_RELEASE);
}

/* Returns the place that has the key, which may be 0; NULL: none. Without a branch for each place.
 */
static inline struct pair_place *find(struct pair_window *w, uint64_t key)
{
	unsigned int bits = 0;

#pragma GCC unroll 8 /* = PAIR_WINDOW */
	for (unsigned int i = 0; i < PAIR_WINDOW; i++) {
		bits |= (unsigned int)(key_at(&w->places[i]) == key) << i;
	}
	return bits ? &w->places[__builtin_ctz(bits)] : NULL;
}

static inline struct pair_place *find_free(struct pair_window *w, uint64_t key)
{
	struct pair_place *home = home_of(w, key);

	return LIKELY(key_at(home) == 0) ? home : find(w, 0);
}

/*
 * Reserves the key's place, or a free one. Returns NULL if there is neither, or other threads were
 * always faster.
 */
static inline struct pair_place *reserve_for(struct pair_window *w, uint64_t key)
{
	for (unsigned int tries = 0; tries < PAIR_WINDOW; tries++) {
		struct pair_place *same = find(w, key);
		struct pair_place *place = same ? same : find_free(w, key);

		if (UNLIKELY(!place)) {
			break;
		}
		if (LIKELY(reserve(place, same ? key : 0))) {
			return place;
		}
	}
	return NULL;
}

static inline bool take_from(struct pair_window *w, uint64_t key, uint64_t *ticks)
{
	struct pair_place *home = home_of(w, key);
	struct pair_place *place = LIKELY(key_at(home) == key) ? home : find(w, key);

	if (UNLIKELY(!place) || UNLIKELY(!reserve(place, key))) {
		return false;
	}
	*ticks = __atomic_load_n(&place->ticks, __ATOMIC_RELAXED);
	release(place);
	return true;
}

/* ---- Growth ---- */

static bool is_in(const struct pair_place *place, const struct pair_window *w)
{
	return place >= w->places && place < w->places + PAIR_WINDOW;
}

/* Keeps the later of two calls with one number; `place` has the one, `ticks` is the other. */
static void keep_later(struct pair_place *place, uint64_t key, uint64_t ticks)
{
	if (reserve(place, key)) {
		uint64_t others = __atomic_load_n(&place->ticks, __ATOMIC_RELAXED);

		fill(place, key, others > ticks ? others : ticks);
	}
}

/*
 * Moves the call that has that key to its window. Returns false if there is no room. It is in
 * neither window for a moment, so that it is never in two: see take_moved().
 */
static bool move(struct pair_place *from, uint64_t key, struct pair_window *to)
{
	if (is_in(from, to)) {
		return true;
	}
	/* Looks before the call is nowhere, so that no page fault takes place meanwhile. */
	if (!find(to, key) && !find_free(to, key)) {
		return false;
	}
	if (!reserve(from, key)) {
		return true;
	}
	uint64_t ticks = __atomic_load_n(&from->ticks, __ATOMIC_RELAXED);
	struct pair_place *same;
	struct pair_place *place = NULL;

	while (!(same = find(to, key)) && !place) {
		place = find_free(to, key);
		if (!place) {
			fill(from, key, ticks);
			return false;
		}
		place = reserve(place, 0) ? place : NULL;
	}
	if (place) {
		fill(place, key, ticks);
	} else {
		keep_later(same, key, ticks);
	}
	release(from);
	return true;
}

/* Returns the key of a place, once the thread that fills it has done so. */
static uint64_t filled_key_at(const struct pair_place *place)
{
	uint64_t key = BUSY;

	for (unsigned int tries = 0; key == BUSY && tries < BUSY_TRIES; tries++) {
		key = __atomic_load_n(&place->key, __ATOMIC_SEQ_CST); /* see reserve() */
	}
	return key;
}

/* Moves the calls of a window to theirs. Returns false if some had no room. */
static bool move_window(struct pair_table *t, struct pair_window *w, uint32_t grown)
{
	bool moved = true;

	for (unsigned int i = 0; i < PAIR_WINDOW; i++) {
		uint64_t key = filled_key_at(&w->places[i]);

		if (key != 0 && key != BUSY) {
			moved &= move(&w->places[i], key, window_of(t, key, 0, grown));
		}
	}
	return moved;
}

static bool move_all(struct pair_table *t, uint32_t grown)
{
	bool moved = true;

	for (uint32_t i = 0; i < PAIR_WINDOWS_MIN << (grown - 1); i++) {
		moved &= move_window(t, &t->windows[i], grown);
	}
	return moved;
}

/* Returns false if there are as many windows as can be, or others have doubled them. */
static bool double_windows(struct pair_table *t, uint32_t grown)
{
	return grown < PAIR_GROWTHS_MAX && __atomic_compare_exchange_n(&t->grown, &grown, grown + 1,
						   false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* Moves all calls to their windows, and doubles these until there is room for all. */
static void settle(struct pair_table *t)
{
	uint32_t grown;
	bool moved;

	do {
		grown = grown_of(t);
		moved = move_all(t, grown);
	} while ((!moved && double_windows(t, grown)) || grown_of(t) != grown);
	__atomic_store_n(&t->by_number, 1, __ATOMIC_RELEASE);
}

/*
 * Doubles the windows. Returns false if there are as many as can be, or another thread has doubled
 * them. No handler jumps away meanwhile, nor does one search for a call that its thread moves.
 */
static NOINLINE bool grow(struct pair_table *t, uint32_t grown)
{
	struct guard guard;

	if (grown == PAIR_GROWTHS_MAX) {
		return false;
	}
	waymark_guard_begin(&guard);
	__atomic_add_fetch(&t->movers, 1, __ATOMIC_ACQ_REL);
	bool is_mine = double_windows(t, grown);

	if (is_mine) {
		settle(t);
	}
	__atomic_sub_fetch(&t->movers, 1, __ATOMIC_ACQ_REL);
	waymark_guard_end(&guard);
	return is_mine;
}

/* ---- Calls that find no place, or not their partner ---- */

static void forget(struct pair_table *t)
{
	struct process *p = waymark_process();

	__atomic_add_fetch(&t->forgotten, 1, __ATOMIC_RELAXED);
	if (p) {
		__atomic_add_fetch(&p->pairs_forgotten, 1, __ATOMIC_RELAXED);
	}
}

/* Returns the call that waits for the longest time; NULL: other threads fill all places. */
static struct pair_place *oldest_of(struct pair_window *w)
{
	struct pair_place *oldest = NULL;
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < PAIR_WINDOW; i++) {
		uint64_t ticks = __atomic_load_n(&w->places[i].ticks, __ATOMIC_RELAXED);

		if (ticks < least && key_at(&w->places[i]) != BUSY) {
			oldest = &w->places[i];
			least = ticks;
		}
	}
	return oldest;
}

/* Reserves the place of that call, which is forgotten. Returns NULL if that did not succeed. */
static struct pair_place *reserve_oldest(struct pair_table *t, struct pair_window *w)
{
	struct pair_place *oldest = oldest_of(w);
	uint64_t key = oldest ? key_at(oldest) : BUSY;

	if (key == BUSY || !reserve(oldest, key)) {
		return NULL;
	}
	if (key) {
		forget(t);
	}
	return oldest;
}

/* Reserves a place whose window is full. Returns NULL if other threads have taken all places. */
static NOINLINE struct pair_place *reserve_in_full(
	struct pair_table *t, uint64_t key, uint32_t thread)
{
	struct pair_place *place;
	struct pair_window *w;
	uint32_t grown;

	do {
		grown = grown_of(t);
		w = window_of(t, key, thread, grown);
		place = reserve_for(w, key);
	} while (!place && (grow(t, grown) || grown_of(t) != grown));
	return place ? place : reserve_oldest(t, w);
}

/* Moves the call to its window in the present table. */
static NOINLINE void move_to_present(
	struct pair_table *t, struct pair_place *place, uint64_t key, uint32_t thread)
{
	uint32_t grown;
	bool moved;

	do {
		grown = grown_of(t);
		moved = move(place, key, window_of(t, key, thread, grown));
	} while (!moved && (grow(t, grown) || grown_of(t) != grown));
}

/*
 * Takes the last call from the windows of all threads, and removes others. After one there will be
 * more, so the table grows.
 */
static bool take_from_others(struct pair_table *t, uint64_t key, uint64_t *ticks)
{
	bool is_found = false;

	*ticks = 0;
	for (uint32_t i = 0; i < PAIR_WINDOWS_MIN; i++) {
		uint64_t others;

		if (take_from(&t->windows[i], key, &others)) {
			*ticks = others > *ticks ? others : *ticks;
			is_found = true;
		}
	}
	if (is_found || __atomic_add_fetch(&t->unpaired, 1, __ATOMIC_RELAXED) > UNPAIRED_MAX) {
		grow(t, 0);
	}
	return is_found;
}

/* Takes a call that a smaller table had, and that is not moved yet, or had no room. */
static bool take_from_smaller(
	struct pair_table *t, uint64_t key, uint32_t thread, uint32_t grown, uint64_t *ticks)
{
	while (grown-- > 0) {
		if (take_from(window_of(t, key, thread, grown), key, ticks)) {
			return true;
		}
	}
	return false;
}

/* Looks everywhere once, last in the window to which calls are moved. */
static bool take_from_any(
	struct pair_table *t, uint64_t key, uint32_t thread, uint32_t grown, uint64_t *ticks)
{
	bool by_number = __atomic_load_n(&t->by_number, __ATOMIC_ACQUIRE);

	return (!by_number && take_from_others(t, key, ticks)) ||
	       take_from_smaller(t, key, thread, grown, ticks) ||
	       take_from(window_of(t, key, thread, grown), key, ticks);
}

/* Looks everywhere, more than once while calls are moved. */
static NOINLINE bool take_moved(
	struct pair_table *t, uint64_t key, uint32_t thread, uint64_t *ticks)
{
	for (unsigned int round = 0; round < MOVING_ROUNDS; round++) {
		uint32_t grown = grown_of(t);
		uint32_t movers = __atomic_load_n(&t->movers, __ATOMIC_ACQUIRE); /* second */

		if (take_from_any(t, key, thread, grown, ticks)) {
			return true;
		}
		if (!movers && grown_of(t) == grown) {
			return false;
		}
	}
	return false;
}

/* ---- What callers see ---- */

/* Forgets the call if other threads take the last places of the window meanwhile. */
void waymark_pair_enter(struct pair_table *t, uint64_t number, uint32_t thread, uint64_t now)
{
	uint64_t key = key_of(number);
	uint32_t grown = grown_of(t);
	struct pair_place *place = reserve_for(window_of(t, key, thread, grown), key);

	if (UNLIKELY(!place)) {
		place = reserve_in_full(t, key, thread);
	}
	if (UNLIKELY(!place)) {
		forget(t);
		return;
	}
	fill(place, key, now);
	/* See reserve(). If the table has grown, the call may have missed that all were moved. */
	if (UNLIKELY(__atomic_load_n(&t->grown, __ATOMIC_SEQ_CST) != grown)) {
		move_to_present(t, place, key, thread);
	}
}

bool waymark_pair_take(struct pair_table *t, uint64_t number, uint32_t thread, uint64_t *ticks)
{
	uint64_t key = key_of(number);

	return LIKELY(take_from(window_of(t, key, thread, grown_of(t)), key, ticks)) ||
	       take_moved(t, key, thread, ticks);
}
