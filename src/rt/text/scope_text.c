/* SPDX-License-Identifier: MIT */
/*
 * Messages of scopes for text backends. The end of an asynchronous scope repeats the message of its
 * begin, whose values no longer exist, so the rendered message is kept in a slot. Slots are mapped
 * as needed, reused, and never unmapped. Lock-free; called by generated code in any thread and
 * signal handler.
 *
 * A scope refers to its slot by a handle that is never used for another scope. The end that
 * exchanges the slot's handle for 0 owns the slot; the ends of copies of the scope find nothing.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <waymark/record_scope.h>

#include "brace/brace.h"
#include "base/compiler.h"
#include "rt/event/registry.h"

#define SLOT_BYTES 1024u
#define LONG_BYTES 8192u /* backends show no more of a message */
#define BLOCK_SLOTS 64u
#define BLOCKS 1024u
#define INDEX_BITS 16 /* of a handle: BLOCKS * BLOCK_SLOTS slots */
#define INDEX_MASK ((1u << INDEX_BITS) - 1)

struct slot {
	uint64_t handle; /* 0: free, or claimed by an end */
	char *long_text; /* LONG_BYTES, mapped if `text` is too short for a message */
	uint32_t length; /* bytes of the message */
	uint32_t next; /* in the free list: an index + 1 */
	char text[SLOT_BYTES - 2 * sizeof(uint64_t) - sizeof(char *)];
};

_Static_assert(sizeof(struct slot) <= SLOT_BYTES, "a slot takes SLOT_BYTES");

static struct {
	struct slot *blocks[BLOCKS]; /* by release, once */
	uint64_t free; /* low half: index + 1 of the first; high half: number of slots taken */
	uint32_t used; /* number of slots ever taken */
	uint64_t handles;
} kept;

static const char nothing[] = "";

/* Returns the slots of a block, mapped at the first call; NULL if there is no memory. */
static struct slot *block_get(uint32_t i)
{
	struct slot *slots = __atomic_load_n(&kept.blocks[i], __ATOMIC_ACQUIRE);
	struct slot *none = NULL;
	size_t bytes = BLOCK_SLOTS * sizeof(*slots);

	if (slots) {
		return slots;
	}
	slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slots == MAP_FAILED) {
		return NULL;
	}
	if (!__atomic_compare_exchange_n(
		    &kept.blocks[i], &none, slots, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		munmap(slots, bytes);
		slots = none;
	}
	return slots;
}

static struct slot *slot_at(uint32_t index)
{
	return &__atomic_load_n(
		&kept.blocks[index / BLOCK_SLOTS], __ATOMIC_ACQUIRE)[index % BLOCK_SLOTS];
}

/* Takes a slot that was never used; returns false if there is none, or no memory. */
static bool take_new(uint32_t *index)
{
	uint32_t used = __atomic_load_n(&kept.used, __ATOMIC_RELAXED);

	do {
		if (used == BLOCKS * BLOCK_SLOTS || !block_get(used / BLOCK_SLOTS)) {
			return false;
		}
	} while (!__atomic_compare_exchange_n(
		&kept.used, &used, used + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	*index = used;
	return true;
}

/* The count in the list's head changes each time, so the exchange fails if `next` is outdated. */
static bool take(uint32_t *index)
{
	uint64_t head = __atomic_load_n(&kept.free, __ATOMIC_ACQUIRE);
	uint64_t rest;

	do {
		if (!(uint32_t)head) {
			return take_new(index);
		}
		*index = (uint32_t)head - 1;
		rest = ((head >> 32) + 1) << 32 |
		       __atomic_load_n(&slot_at(*index)->next, __ATOMIC_RELAXED);
	} while (!__atomic_compare_exchange_n(
		&kept.free, &head, rest, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
	return true;
}

static void give_back(uint32_t index)
{
	uint64_t head = __atomic_load_n(&kept.free, __ATOMIC_RELAXED);
	uint64_t longer;

	do {
		__atomic_store_n(&slot_at(index)->next, (uint32_t)head, __ATOMIC_RELAXED);
		longer = (head >> 32) << 32 | (index + 1);
	} while (!__atomic_compare_exchange_n(
		&kept.free, &head, longer, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Renders the message; returns false if it is cut. */
static bool render(struct slot *s, char *text, size_t size, const struct waymark_event *event,
	const struct waymark_message *m)
{
	struct brace_sink sink;

	brace_sink_buffer(&sink, text, size);
	sink.escapes_lines = true;
	sink.wanted = size;
	brace_format(&sink, event_format(event), strlen(event_format(event)), m->values, m->count);
	s->length = (uint32_t)sink.used;
	return sink.length < size;
}

/*
 * Renders the message into the slot, or into mapped memory if it is too long; cuts it if there is
 * no memory.
 */
static void fill(struct slot *s, const struct waymark_event *event, const struct waymark_message *m)
{
	s->long_text = NULL;
	if (LIKELY(render(s, s->text, sizeof(s->text), event, m))) {
		return;
	}
	char *text =
		mmap(NULL, LONG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (text != MAP_FAILED) {
		s->long_text = text;
		render(s, text, LONG_BYTES, event, m);
	}
}

static void keep(struct waymark_scope *scope, const struct waymark_event *event,
	const struct waymark_message *m)
{
	int saved = errno;
	uint32_t index;

	if (take(&index)) {
		struct slot *s = slot_at(index);
		uint64_t count = __atomic_add_fetch(&kept.handles, 1, __ATOMIC_RELAXED);

		fill(s, event, m);
		scope->text = count << INDEX_BITS | index;
		__atomic_store_n(&s->handle, scope->text, __ATOMIC_RELEASE);
	}
	errno = saved;
}

/*
 * Claims the scope's slot for the caller. Returns NULL if it has none, or if another end claimed
 * it.
 */
static struct slot *claim(const struct waymark_scope *scope)
{
	uint64_t handle = scope->text;

	if (!handle) {
		return NULL;
	}
	struct slot *s = slot_at(handle & INDEX_MASK);
	bool mine = __atomic_compare_exchange_n(
		&s->handle, &handle, 0, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);

	return mine ? s : NULL;
}

void waymark_scope_begins(
	struct waymark_scope *scope, const struct waymark_event *event, struct waymark_message *m)
{
	m->mark = scope->end ? WAYMARK_MARK_ASYNC_START : WAYMARK_MARK_START;
	m->id = (int32_t)scope->id;
	scope->file = m->file;
	scope->line = m->line;
	if (scope->end && *event_format(event)) {
		keep(scope, event, m);
	}
}

struct waymark_message waymark_scope_ends(const struct waymark_scope *scope)
{
	struct slot *s = claim(scope);

	return (struct waymark_message){
		.line = scope->line,
		.file = scope->file,
		.mark = scope->end ? WAYMARK_MARK_ASYNC_END : WAYMARK_MARK_END,
		.id = (int32_t)scope->id,
		.text = !s	       ? nothing
			: s->long_text ? s->long_text
				       : s->text,
		.length = s ? s->length : 0,
	};
}

void waymark_scope_ended(const struct waymark_scope *scope, const struct waymark_message *m)
{
	uint32_t index = scope->text & INDEX_MASK;
	struct slot *s = scope->text ? slot_at(index) : NULL;

	if (!s || m->text == nothing) {
		return; /* nothing was kept, or the end of a copy claimed it */
	}
	if (s->long_text) {
		munmap(s->long_text, LONG_BYTES);
	}
	give_back(index);
}
