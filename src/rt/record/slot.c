/* SPDX-License-Identifier: MIT */
/*
 * Slots of threads, and the counters in them.
 *
 * Taking a slot is lock-free and async-signal-safe, because a thread's first event may be in a
 * signal handler. Slabs are only ever added. A slab's `owned` bits are claimed by acquire and freed
 * by release, so the next owner sees the stores of the last one; the `kept` bits are set by owners
 * and cleared by the consumer, once the slot is empty. Counters are read while their threads
 * record: see cursor.h.
 */
#include <sched.h>

#include "base/compiler.h"
#include "format/packet.h"
#include "rt/host/futex.h"
#include "rt/record/process.h"

/*
 * The most tries to read a cursor whose packet changes. Bounded, because its thread may be stopped
 * in the middle of the change.
 */
#define LOOKS 100

/* How often, and how long, control waits for threads to leave their slots. */
#define LEFT_SLEEPS 20
#define LEFT_SLEEP_NS UINT64_C(1000000)

/*
 * Everything is loaded by acquire and stored by release, so that a second load of `turn`, or of a
 * slot's owner, comes last and shows whether the loads in between belong together.
 */
static uint64_t load(const waymark_count *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static void store(waymark_count *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
}

/*
 * Events in a cursor that a fork has cut off (see process.c) belong to the parent and do not count.
 */
static uint64_t recorded_by(const struct cursor *c)
{
	if (__atomic_load_n(&c->cut_off, __ATOMIC_ACQUIRE)) {
		return 0;
	}
	uint64_t counted = load(&c->counted);
	uint32_t count = __atomic_load_n(&c->hot.count, __ATOMIC_ACQUIRE);

	return counted + (count - (uint32_t)counted);
}

/* Returns the bytes of events in the packet; 0 if there is no packet, or that is unknown. */
static uint64_t content(const struct cursor *c)
{
	bool cut_off = __atomic_load_n(&c->cut_off, __ATOMIC_ACQUIRE);
	uintptr_t packet = (uintptr_t)__atomic_load_n(&c->hot.packet, __ATOMIC_ACQUIRE);
	uintptr_t pos = (uintptr_t)__atomic_load_n(&c->hot.pos, __ATOMIC_ACQUIRE);
	uint64_t bytes = (uint64_t)pos - packet - sizeof(struct packet_header);

	return packet && !cut_off && bytes <= buffer_class_units(BUFFER_LARGE) * BUFFER_UNIT ? bytes
											     : 0;
}

/* Reads the bytes once; returns false if the packet changed meanwhile. */
static bool look(const struct cursor *c, uint64_t *bytes)
{
	uint32_t turn = __atomic_load_n(&c->turn, __ATOMIC_ACQUIRE);

	*bytes = load(&c->bytes) + content(c);
	return !(turn & 1) && turn == __atomic_load_n(&c->turn, __ATOMIC_RELAXED);
}

/*
 * Returns the cursor's bytes. If no try succeeds, the thread is stopped in the middle of a change,
 * and the last result is returned.
 */
static uint64_t bytes_of(struct cursor *c)
{
	uint64_t shown = load(&c->shown);
	uint64_t bytes = 0;
	int looks = 0;

	while (!look(c, &bytes)) {
		if (++looks == LOOKS) {
			return shown;
		}
		sched_yield();
	}
	while (shown < bytes && !__atomic_compare_exchange_n(&c->shown, &shown, bytes, true,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
	}
	return bytes;
}

void waymark_tally_slot(struct slot *s, struct tally *sum)
{
	slot_foreach_cursor(c, s)
	{
		sum->recorded += recorded_by(c);
		sum->lost += __atomic_load_n(&c->lost, __ATOMIC_ACQUIRE);
		sum->bytes += bytes_of(c);
	}
}

static void add(struct tally *to, const struct tally *more, const struct tally *less)
{
	to->recorded += more->recorded - less->recorded;
	to->lost += more->lost - less->lost;
	to->bytes += more->bytes - less->bytes;
}

uint32_t waymark_tally_owner(struct slot *s, struct tally *own, struct tally *ended)
{
	static const struct tally none;
	uint64_t owner = __atomic_load_n(&s->owner, __ATOMIC_ACQUIRE);

	for (;;) {
		struct tally all = { 0 };
		struct tally before = { load(&s->ended.recorded), load(&s->ended.lost),
			load(&s->ended.bytes) };

		waymark_tally_slot(s, &all);
		uint64_t now = __atomic_load_n(&s->owner, __ATOMIC_ACQUIRE);

		if (now == owner) {
			add(ended, (uint32_t)owner ? &before : &all, &none);
			add(own, &all, (uint32_t)owner ? &before : &all);
			return (uint32_t)owner;
		}
		owner = now;
	}
}

/* Call when an owner has ended and records nothing more, before the slot gets another owner. */
static void tally_leave(struct slot *s)
{
	struct tally all = { 0 };

	waymark_tally_slot(s, &all);
	store(&s->ended.recorded, all.recorded);
	store(&s->ended.lost, all.lost);
	store(&s->ended.bytes, all.bytes);
}

static void begin_turn(struct cursor *c, uint32_t turn)
{
	__atomic_store_n(&c->turn, turn, __ATOMIC_RELAXED);
	store(&c->bytes, load(&c->bytes) + content(c));
}

void waymark_tally_begin(struct cursor *c)
{
	if (c->cut_off) {
		__atomic_store_n(&c->hot.count, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&c->hot.packet, NULL, __ATOMIC_RELAXED);
		__atomic_store_n(&c->cut_off, 0, __ATOMIC_RELEASE);
	}
	store(&c->counted, recorded_by(c));
	begin_turn(c, c->turn + 1);
}

void waymark_tally_end(struct cursor *c)
{
	__atomic_store_n(&c->turn, c->turn + 1, __ATOMIC_RELEASE);
}

#define SLAB_SLOTS 64u

struct slab {
	struct slot *slots; /* by release, once */
	uint64_t owned; /* one bit a slot */
	uint64_t kept; /* one bit a slot: waymark_slot_next() visits it */
};

/* Accessed by atomics, see slab_take(). */
static struct slab slabs[SLOT_SLABS_MAX];

/*
 * The cursor of a thread before its first event and after its last: always busy, so
 * that the inline code takes the slow path. Never written.
 */
struct waymark_cursor waymark_no_cursor = { .busy = 1 };

__thread struct waymark_cursor *waymark_cursors[WAYMARK_RECORDERS]
	__attribute__((tls_model("initial-exec"))) = { &waymark_no_cursor, &waymark_no_cursor };

/*
 * Returns the slots of a slab, mapped now if they are not yet. Threads may race; one mapping stays.
 */
static struct slot *slab_slots(struct slab *slab)
{
	struct slot *slots = __atomic_load_n(&slab->slots, __ATOMIC_ACQUIRE);
	struct slot *none = NULL;

	if (slots) {
		return slots;
	}
	slots = waymark_wiped_map(SLAB_SLOTS * sizeof(*slots));
	if (slots && !__atomic_compare_exchange_n(&slab->slots, &none, slots, false,
			     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		waymark_wiped_unmap(slots, SLAB_SLOTS * sizeof(*slots));
		slots = none;
	}
	return slots;
}

static struct slot *slab_take(struct slab *slab, struct slot *slots)
{
	uint64_t owned = __atomic_load_n(&slab->owned, __ATOMIC_RELAXED);

	while (~owned) {
		unsigned int i = (unsigned int)__builtin_ctzll(~owned);

		if (__atomic_compare_exchange_n(&slab->owned, &owned, owned | UINT64_C(1) << i,
			    true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
			__atomic_fetch_or(&slab->kept, UINT64_C(1) << i, __ATOMIC_SEQ_CST);
			return &slots[i];
		}
	}
	return NULL;
}

static struct slot *slot_take(void)
{
	for (unsigned int i = 0; i < SLOT_SLABS_MAX; i++) {
		struct slot *slots = slab_slots(&slabs[i]);
		struct slot *s = slots ? slab_take(&slabs[i], slots) : NULL;

		if (s || !slots) {
			return s;
		}
	}
	return NULL;
}

/* Returns the slot's slab, and its bit there. */
static struct slab *find_slab(const struct slot *s, uint64_t *bit)
{
	for (unsigned int i = 0; i < SLOT_SLABS_MAX; i++) {
		const struct slot *slots = __atomic_load_n(&slabs[i].slots, __ATOMIC_ACQUIRE);

		if (s >= slots && s < slots + SLAB_SLOTS) {
			*bit = UINT64_C(1) << (s - slots);
			return &slabs[i];
		}
	}
	__builtin_unreachable();
}

/*
 * Does nothing if the caller owns the slot now: a signal handler may have forked meanwhile, and
 * taken the slot again in the child, in which it was free.
 */
static void slot_release(struct slot *s)
{
	uint64_t bit;

	if (s == waymark_slot_current()) {
		return;
	}
	struct slab *slab = find_slab(s, &bit);

	__atomic_fetch_and(&slab->owned, ~bit, __ATOMIC_RELEASE);
}

/*
 * Call after the slot is published, so that a fork keeps it. If a signal handler forked before
 * that, the slot is free in this child, and the consumer would not visit it.
 */
static void slot_keep(struct slot *s)
{
	uint64_t bit;
	struct slab *slab = find_slab(s, &bit);

	__atomic_fetch_or(&slab->owned, bit, __ATOMIC_SEQ_CST);
	__atomic_fetch_or(&slab->kept, bit, __ATOMIC_SEQ_CST);
}

struct slot *waymark_slot_claim(void)
{
	struct waymark_cursor *none = &waymark_no_cursor;
	struct slot *s = slot_take();

	if (!s) {
		return NULL;
	}
	s->cursors[0][0].hot.tid = 0; /* it was the last owner's */
	/*
	 * The first pointer by compare-and-swap, because a signal handler may run between a load
	 * and a store.
	 */
	if (!__atomic_compare_exchange_n(&waymark_cursors[0], &none, &s->cursors[0][0].hot, false,
		    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		slot_release(s);
		return waymark_slot_current();
	}
	slot_keep(s);
	for (int k = 1; k < WAYMARK_RECORDERS; k++) {
		waymark_cursors[k] = &s->cursors[k][0].hot;
	}
	return s;
}

bool waymark_slots_were_left(void)
{
	int sleeps = 0;
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		uint32_t turn = __atomic_load_n(&s->evaluating, __ATOMIC_ACQUIRE);

		while (turn & 1 && turn == __atomic_load_n(&s->evaluating, __ATOMIC_ACQUIRE)) {
			if (++sleeps > LEFT_SLEEPS) {
				return false;
			}
			futex_sleep(LEFT_SLEEP_NS);
		}
	}
	return true;
}

void waymark_slot_let_go(void)
{
	for (int k = WAYMARK_RECORDERS - 1; k >= 0; k--) {
		waymark_cursors[k] = &waymark_no_cursor;
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

struct slot *waymark_slot_next(uint32_t *index)
{
	while (*index < SLOT_SLABS_MAX * SLAB_SLOTS) {
		struct slab *slab = &slabs[*index / SLAB_SLOTS];
		unsigned int i = *index % SLAB_SLOTS;
		struct slot *slots = __atomic_load_n(&slab->slots, __ATOMIC_ACQUIRE);

		if (!slots) {
			return NULL; /* slabs are filled in order */
		}
		uint64_t rest = __atomic_load_n(&slab->kept, __ATOMIC_ACQUIRE) >> i;

		if (rest) {
			i += (unsigned int)__builtin_ctzll(rest);
			*index += i % SLAB_SLOTS - *index % SLAB_SLOTS + 1;
			return &slots[i];
		}
		*index += SLAB_SLOTS - i;
	}
	return NULL;
}

struct slot *waymark_slot_next_ever(uint32_t *index)
{
	struct slot *slots = NULL;

	if (*index < SLOT_SLABS_MAX * SLAB_SLOTS) {
		slots = __atomic_load_n(&slabs[*index / SLAB_SLOTS].slots, __ATOMIC_ACQUIRE);
	}
	return slots ? &slots[(*index)++ % SLAB_SLOTS] : NULL;
}

bool waymark_slot_is_owned(const struct slot *s)
{
	uint64_t bit;
	struct slab *slab = find_slab(s, &bit);

	return __atomic_load_n(&slab->owned, __ATOMIC_ACQUIRE) & bit;
}

void waymark_slot_forget(struct slot *s)
{
	uint64_t bit;
	struct slab *slab = find_slab(s, &bit);

	/*
	 * Sequentially consistent: either the owner is seen after this, or it sets the bit again.
	 */
	__atomic_fetch_and(&slab->kept, ~bit, __ATOMIC_SEQ_CST);
}

void waymark_slot_remember(struct slot *s)
{
	uint64_t bit;
	struct slab *slab = find_slab(s, &bit);

	__atomic_fetch_or(&slab->kept, bit, __ATOMIC_SEQ_CST);
}

static bool is_busy(struct slot *s)
{
	slot_foreach_cursor(c, s)
	{
		if (__atomic_load_n(&c->hot.busy, __ATOMIC_ACQUIRE)) {
			return true;
		}
	}
	return false;
}

/* Call when this owner records no more events. */
static void close_cursors(struct slot *s)
{
	slot_foreach_cursor(c, s)
	{
		__atomic_store_n(&c->close, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&c->hot.limit, NULL, __ATOMIC_RELAXED);
	}
}

void waymark_slot_leave(struct slot *s, uint64_t owner)
{
	uint64_t next = ((owner >> 32) + 1) << 32;

	if (!__atomic_compare_exchange_n(
		    &s->owner, &owner, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		return;
	}
	if (is_busy(s)) {
		__atomic_store_n(&s->left, 1, __ATOMIC_RELEASE);
	} else {
		close_cursors(s);
		tally_leave(s);
		slot_release(s);
	}
}

/* Resets the cursor, but not its counts, which any thread may read and which continue. */
static void renew(struct cursor *c)
{
	begin_turn(c, c->turn | 1);
	__atomic_store_n(&c->hot.packet, NULL, __ATOMIC_RELEASE);
	waymark_tally_end(c);
	__atomic_store_n(&c->hot.pos, NULL, __ATOMIC_RELAXED);
	c->hot.limit = NULL;
	c->hot.content_size = NULL;
	c->hot.cycles = 0;
	c->subbuf = c->first = 0;
	c->claim = c->close = 0;
	__atomic_store_n(&c->hot.busy, 0, __ATOMIC_RELAXED);
}

void waymark_slot_renew(struct slot *s)
{
	slot_foreach_cursor(c, s)
	{
		renew(c);
	}
	s->left = 0;
	tally_leave(s);
	slot_release(s);
}

void waymark_slot_keep_mine(void)
{
	struct slot *mine = waymark_slot_current();
	uint64_t bit = 0;
	struct slab *slab = mine ? find_slab(mine, &bit) : NULL;

	for (unsigned int i = 0; i < SLOT_SLABS_MAX && slabs[i].slots; i++) {
		uint64_t keep = &slabs[i] == slab ? bit : 0;

		__atomic_store_n(&slabs[i].owned, keep, __ATOMIC_RELAXED);
		__atomic_store_n(&slabs[i].kept, keep, __ATOMIC_RELAXED);
	}
}
