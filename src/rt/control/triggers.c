/* SPDX-License-Identifier: MIT */
/* The list of triggers and aggregations in force, for programs and the monitor. */
#include <stdlib.h>
#include <string.h>

#include "rt/event/trigger.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"
#include "rt/site/aggregate.h"

static size_t count_triggers(void)
{
	size_t count = 0;

	for (const struct trigger *t = waymark_trigger_first(); t; t = t->next) {
		count++;
	}
	return count;
}

/* Returns false if memory ran out. Under the control lock. */
static bool fill(struct waymark_trigger_list *list)
{
	list->triggers = calloc(count_triggers() + 1, sizeof(*list->triggers));
	for (const struct trigger *t = waymark_trigger_first(); t && list->triggers; t = t->next) {
		char *text = strdup(t->text);

		if (!text) {
			return false;
		}
		list->triggers[list->count++] = (struct waymark_trigger_info){
			.text = text,
			.fired = t->aggregates ? waymark_aggregate_calls(t->aggregation)
					       : __atomic_load_n(&t->fired, __ATOMIC_RELAXED),
			.forgotten = t->pairing ? pair_forgotten(t->pairing->table) : 0,
		};
	}
	return list->triggers;
}

int waymark_list_triggers(struct waymark_trigger_list *list, struct waymark_error *error)
{
	error_clear(error);
	*list = (struct waymark_trigger_list){ 0 };
	waymark_lock();
	bool done = fill(list);

	waymark_unlock();
	if (!done) {
		waymark_free_triggers(list);
		return waymark_fail(error, "out of memory");
	}
	return 0;
}

void waymark_free_triggers(struct waymark_trigger_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free((char *)list->triggers[i].text);
	}
	free(list->triggers);
	*list = (struct waymark_trigger_list){ 0 };
}
