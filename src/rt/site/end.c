/* SPDX-License-Identifier: MIT */
/*
 * Ends of scopes and flows of waymark/scope.h, for the backends that were on when they began.
 * Called by call sites and begin.c.
 */
#include "base/compiler.h"
#include "rt/host/lock.h"
#include "rt/site/record.h"
#include "rt/text/site_text.h"

WAYMARK_INLINE bool record(const struct waymark_event *end, bool wait, int64_t id, uint32_t tid)
{
	struct waymark_record r;

	if (!site_open(&r, end, 2 * (sizeof(id) + sizeof(tid)), wait)) {
		return false;
	}
	waymark_record_value(&r, &id, sizeof(id));
	waymark_record_value(&r, &tid, sizeof(tid));
	waymark_record_end(&r);
	return true;
}

static COLD void end_slowly(const struct waymark_event *event, const struct waymark_scope *scope,
	enum waymark_mark mark)
{
	struct waymark_debug number = waymark_debug_i64(scope->id);

	if (scope->backends & WAYMARK_CTF) {
		record(event->end, true, scope->id, scope->tid);
	}
	if (scope->backends & SITE_PRINTING_BACKENDS) {
		waymark_site_show(event, &number, 0, scope->backends, mark);
	}
}

static COLD void leave(const struct waymark_event *event, uint64_t token)
{
	struct waymark_scope scope = waymark_scope_of(token);

	scope.tid = waymark_scope_tid();
	end_slowly(event, &scope, WAYMARK_MARK_END);
}

WAYMARK_HOT static void leave_fast(const struct waymark_event *event, uint64_t token)
{
	uint32_t tid = waymark_scope_known_tid();

	if (UNLIKELY(waymark_scope_backends(token) != WAYMARK_CTF) || UNLIKELY(!tid) ||
		UNLIKELY(!record(event->end, false, waymark_scope_id(token), tid))) {
		leave(event, token);
	}
}

void waymark_site_leave(waymark_site_pointer *site, uint64_t token)
{
	leave_fast(*site, token);
}

void waymark_site_leave_event(const struct waymark_event *event, uint64_t token)
{
	leave_fast(event, token);
}

/* ---- Events that may be unloaded ---- */

/* Retries, because the lock is held only for microseconds, unless this interrupts its holder. */
static COLD bool is_registered(const struct waymark_event *event)
{
	static const int tries = 10000;
	bool taken = false;

	for (int i = 0; i < tries && !taken; i++) {
		taken = waymark_trylock();
	}
	if (!taken) {
		return false;
	}
	bool found = waymark_registry_has(event);

	waymark_unlock();
	return found;
}

bool waymark_site_is_loaded(const struct waymark_event *event, uint32_t removals)
{
	return LIKELY(removals == waymark_registry_removals()) || is_registered(event);
}

void waymark_site_end_flow(const struct waymark_scope *flow)
{
	const struct waymark_event *event = flow->event;

	if (!waymark_site_is_loaded(event, flow->line)) {
		return;
	}
	if (flow->backends != WAYMARK_CTF || !record(event->end, false, flow->id, flow->tid)) {
		end_slowly(event, flow, WAYMARK_MARK_ASYNC_END);
	}
}
