/* SPDX-License-Identifier: MIT */
/*
 * Windows of lost events by owner, merged as they come: their ends are in the order of time. The
 * last records of a few threads are kept in an array, because most records are of these.
 */
#include "analyse/match/gaps.h"

void gaps_fini(struct gaps *g)
{
	vec_foreach (struct gaps_list *, list, &g->lists) {
		vec_fini(&list->windows);
	}
	vec_fini(&g->lists);
	vec_fini(&g->threads);
	keys_fini(&g->by_owner);
	keys_fini(&g->by_thread);
	*g = (struct gaps){ 0 };
}

void gaps_restart(struct gaps *g)
{
	memset(g->recent, 0, sizeof(g->recent));
	keys_fini(&g->by_thread);
	g->threads.count = 0;
	g->is_complete = true;
}

static uint64_t *time_of(struct gaps *g, const struct key *thread)
{
	uint32_t index = keys_get(&g->by_thread, thread);

	if (index == KEYS_NONE) {
		index = (uint32_t)g->threads.count;
		vec_push(&g->threads, 0);
		keys_swap(&g->by_thread, thread, index);
	}
	return &g->threads.items[index];
}

COLD void gaps_see_slowly(struct gaps *g, const struct record *rec)
{
	struct gaps_thread *t = &g->recent[rec->tid % GAPS_RECENT];

	if (t->is_known) {
		const struct key key = { .trace = t->trace, .pid = t->pid, .tid = t->tid };

		*time_of(g, &key) = t->ns;
	}
	*t = (struct gaps_thread){ rec->trace, rec->pid, rec->tid, true, rec->ns };
}

/* Returns the time of a thread's last record; 0 if it has none, or if the thread is unknown. */
static uint64_t last_of(struct gaps *g, const struct record *gap)
{
	const struct gaps_thread *t = &g->recent[gap->tid % GAPS_RECENT];
	const struct key key = { .trace = gap->trace, .pid = gap->pid, .tid = gap->tid };

	if (t->is_known && t->tid == gap->tid && t->pid == gap->pid && t->trace == gap->trace) {
		return t->ns;
	}
	return *time_of(g, &key);
}

static struct gaps_list *list_of(struct gaps *g, const struct key *owner)
{
	uint32_t index = keys_get(&g->by_owner, owner);

	if (index == KEYS_NONE) {
		index = (uint32_t)g->lists.count;
		vec_push(&g->lists, ((struct gaps_list){ 0 }));
		keys_swap(&g->by_owner, owner, index);
	}
	return &g->lists.items[index];
}

/*
 * A gap at the time of the last record is behind the last packet of a thread: nothing shows when it
 * ends. Events of a thread without any record may be missing everywhere.
 */
static struct gaps_window window_of(struct gaps *g, const struct record *rec)
{
	struct gaps_window w = { last_of(g, rec), rec->ns };

	if (w.from_ns >= w.to_ns || (w.from_ns == 0 && rec->tid == 0)) {
		w.to_ns = UINT64_MAX;
	}
	return w;
}

uint64_t gaps_add(struct gaps *g, const struct record *rec, const struct key *owner)
{
	struct gaps_window w = window_of(g, rec);
	uint64_t from_ns = w.from_ns;

	if (g->is_complete) {
		return from_ns;
	}
	struct gaps_list *list = list_of(g, owner);

	while (list->windows.count > 0) {
		const struct gaps_window *last = &list->windows.items[list->windows.count - 1];

		if (last->to_ns < w.from_ns) {
			break;
		}
		w.from_ns = last->from_ns < w.from_ns ? last->from_ns : w.from_ns;
		w.to_ns = last->to_ns > w.to_ns ? last->to_ns : w.to_ns;
		list->windows.count--;
	}
	vec_push(&list->windows, w);
	return from_ns;
}

static bool is_in(const struct gaps *g, const struct key *owner, const struct gaps_window *time)
{
	uint32_t index = keys_get(&g->by_owner, owner);

	if (index == KEYS_NONE) {
		return false;
	}
	const struct gaps_list *list = &g->lists.items[index];
	size_t first = 0; /* the first window that ends at or after the time's beginning */
	size_t end = list->windows.count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (list->windows.items[middle].to_ns < time->from_ns) {
			first = middle + 1;
		} else {
			end = middle;
		}
	}
	return first < list->windows.count && list->windows.items[first].from_ns <= time->to_ns;
}

bool gaps_overlap(const struct gaps *g, const struct key *key, uint64_t from_ns, uint64_t to_ns)
{
	const struct gaps_window time = { from_ns, to_ns };
	struct key owner = { .trace = key->trace, .pid = key->pid, .tid = key->tid };

	if (g->lists.count == 0) {
		return false;
	}
	if (is_in(g, &owner, &time)) {
		return true;
	}
	if (owner.tid) {
		owner.tid = 0;
		if (is_in(g, &owner, &time)) {
			return true;
		}
	}
	owner.pid = 0;
	return key->pid && is_in(g, &owner, &time);
}
