/* SPDX-License-Identifier: MIT */
/*
 * Trace points of waymark/scope.h whose arguments are all scalars: the call site makes the record's
 * words, which are copied here. If only `ctf` is on and the thread's packet has room, this makes no
 * call, so that no registers are saved.
 */
#include <waymark/site.h>

#include "base/compiler.h"
#include "rt/site/record.h"
#include "rt/text/site_text.h"

/* Copies whole words, because every event has room for the last one. */
WAYMARK_INLINE void put_words(struct waymark_record *r, const uint64_t *words, uint32_t bytes)
{
	for (size_t at = 0; at < bytes; at += sizeof(*words)) {
		memcpy(r->start + r->used + at, (const char *)words + at, sizeof(*words));
		__asm__ volatile("" : "+r"(at)); /* or compilers would call memcpy() for all */
	}
	r->used += bytes;
}

WAYMARK_INLINE bool record(
	const struct waymark_event *event, bool wait, const uint64_t *words, uint32_t bytes)
{
	struct waymark_record r;

	if (!site_open(&r, event, bytes, wait)) {
		return false;
	}
	put_words(&r, words, bytes);
	waymark_record_end(&r);
	return true;
}

/* ---- Words as values, for text backends ---- */

static uint64_t take(const uint64_t *words, uint32_t *at, uint32_t width)
{
	uint64_t bits = 0;

	*at = waymark_site_align(*at, width);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	memcpy((char *)&bits + sizeof(bits) - width, (const char *)words + *at, width);
#else
	memcpy(&bits, (const char *)words + *at, width);
#endif
	*at += width;
	return bits;
}

static struct waymark_debug unpack(const uint64_t *words, uint32_t *at, uint32_t kind)
{
	uint32_t width = waymark_site_width(kind);
	uint32_t unused = 64 - 8 * width;

	*at += waymark_site_is_tagged(kind);

	uint64_t bits = take(words, at, width);
	struct waymark_debug v = waymark_debug_number((enum waymark_debug_kind)kind, bits);
	uint32_t half = (uint32_t)bits;

	if (kind >= WAYMARK_DEBUG_I8 && kind <= WAYMARK_DEBUG_I64) {
		v.as.i = (int64_t)(bits << unused) >> unused;
	} else if (kind == WAYMARK_DEBUG_F32) {
		memcpy(&v.as.f32, &half, sizeof(half));
	} else if (kind == WAYMARK_DEBUG_POINTER) {
		v.length = sizeof(void *);
	} else if (waymark_site_is_wide(kind)) {
		v.as.wide.high = take(words, at, sizeof(bits));
	}
	return v;
}

static COLD void show(const struct waymark_event *event, const uint64_t *words, unsigned int on,
	enum waymark_mark mark)
{
	struct waymark_debug values[1 + WAYMARK_SITE_VALUES_MAX];
	uint32_t first = site_has_number(site_of(event));
	uint32_t count = event->arg_count - first;
	uint32_t at = 0;

	values[0] = first ? unpack(words, &at, WAYMARK_DEBUG_I64) : waymark_debug_i64(0);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t kind = event->args[first + i].kind;

		values[1 + i] = unpack(words, &at, kind);
	}
	waymark_site_show(event, values, count, on, mark);
}

/* ---- The slow path: any backends ---- */

static COLD void fire(const struct waymark_event *event, const uint64_t *words, uint32_t bytes,
	unsigned int on, enum waymark_mark mark)
{
	if (on & WAYMARK_CTF) {
		record(event, true, words, bytes);
	}
	if (on & SITE_PRINTING_BACKENDS) {
		show(event, words, on, mark);
	}
}

/* Uses the token that the fast path took, or takes the next one. */
static COLD uint64_t enter(const struct waymark_event *event, uint64_t *words, uint32_t bytes,
	unsigned int on, uint64_t token)
{
	token = token ? token : waymark_scope_token(on);
	if (token) {
		words[0] = (uint64_t)waymark_scope_id(token);
		fire(event, words, bytes, on, WAYMARK_MARK_START);
	}
	return token;
}

/* ---- What call sites call ---- */

WAYMARK_HOT static uint64_t enter_fast(waymark_site_pointer *site, uint64_t *words, uint32_t bytes)
{
	const struct waymark_event *event = *site;
	unsigned int on = WAYMARK_BACKENDS(*event->state);
	uint64_t token = LIKELY(on == WAYMARK_CTF) ? waymark_scope_try(on) : 0;

	words[0] = (uint64_t)waymark_scope_id(token);
	if (UNLIKELY(!token) || UNLIKELY(!record(event, false, words, bytes))) {
		return enter(event, words, bytes, on, token);
	}
	return token;
}

uint64_t waymark_site_enter_packed(waymark_site_pointer *site, uint64_t *words, uint32_t bytes)
{
	return enter_fast(site, words, bytes);
}

/* Fires an event, which may be the begin of a flow. */
WAYMARK_HOT static void fire_fast(const struct waymark_event *event, const uint64_t *words,
	uint32_t bytes, unsigned int on, enum waymark_mark mark)
{
	if (UNLIKELY(on != WAYMARK_CTF) || UNLIKELY(!record(event, false, words, bytes))) {
		fire(event, words, bytes, on, mark);
	}
}

void waymark_site_fire_packed(waymark_site_pointer *site, uint64_t *words, uint32_t bytes)
{
	fire_fast(*site, words, bytes, site_backends(site), WAYMARK_MARK_NONE);
}

struct waymark_scope waymark_site_start_packed(
	waymark_site_pointer *site, uint64_t *words, uint32_t bytes)
{
	struct waymark_scope flow = waymark_scope_start(site_backends(site), waymark_site_end_flow);

	if (flow.end) {
		site_flow_begins(&flow, *site);
		words[0] = (uint64_t)flow.id;
		fire_fast(*site, words, bytes, flow.backends, WAYMARK_MARK_ASYNC_START);
	}
	return flow;
}
