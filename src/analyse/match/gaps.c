/* SPDX-License-Identifier: MIT */
/*
 * Windows of lost events by owner, merged as they come: their ends are in the order of time.
 */
#include "analyse/match/gaps.h"

void gaps_fini(struct gaps *g)
{
	vec_foreach (struct gaps_list *, list, &g->lists) {
		vec_fini(&list->windows);
	}
	vec_fini(&g->lists);
	keys_fini(&g->by_owner);
	*g = (struct gaps){ 0 };
}

struct gaps gaps_take(struct gaps *g)
{
	struct gaps taken = *g;

	taken.is_complete = true;
	taken.is_late = false;
	taken.asked_ns = 0;
	*g = (struct gaps){ 0 };
	return taken;
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

/* Returns the time of a gap. Without an end, it is behind the last packet of its stream. */
static struct gaps_window window_of(const struct record *rec)
{
	bool has_end = rec->from_ns < rec->ns;

	return (struct gaps_window){ rec->from_ns, has_end ? rec->ns : UINT64_MAX };
}

void gaps_add(struct gaps *g, const struct record *rec, const struct key *owner)
{
	struct gaps_window w = window_of(rec);

	if (g->is_complete) {
		return;
	}
	g->is_late |= w.from_ns <= g->asked_ns && g->asked_ns;
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

bool gaps_overlap_any(const struct gaps *g, const struct key *key, uint64_t from_ns, uint64_t to_ns)
{
	const struct gaps_window time = { from_ns, to_ns };
	struct key owner = { .trace = key->trace, .pid = key->pid, .tid = key->tid };

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
