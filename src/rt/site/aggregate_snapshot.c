/* SPDX-License-Identifier: MIT */
/* Snapshots of what threads have added up, and sums for lists: see aggregate.h. */
#include "rt/event/own.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"
#include "rt/record/recorder.h"
#include "rt/record/standing.h"
#include "rt/site/aggregate.h"
#include "rt/site/aggregate_map.h"
#include "rt/site/report.h"

typedef void each_cell(struct cell *c, void *data);

static void each_of_map(struct map *m, each_cell *what, void *data)
{
	for (size_t i = 0; m && i < CELLS; i++) {
		if (__atomic_load_n(&m->cells[i].value, __ATOMIC_ACQUIRE)) {
			what(&m->cells[i], data);
		}
	}
}

/* Calls a function for each cell of an aggregation that has a value. */
static void each_of(unsigned int index, each_cell *what, void *data)
{
	uint32_t slots = 0;

	for (struct slot *s; (s = waymark_slot_next_ever(&slots));) {
		struct maps *all = __atomic_load_n(&s->aggregated, __ATOMIC_ACQUIRE);

		for (uint32_t d = 0; all && d < DEPTHS; d++) {
			each_of_map(__atomic_load_n(&all->items[index][d], __ATOMIC_ACQUIRE), what,
				data);
		}
	}
}

static void record_cell(struct cell *c, void *data)
{
	const struct waymark_event *event =
		c->is_float ? &waymark_own_aggregate_float : &waymark_own_aggregate;
	const char *end = (const char *)c->value + TAIL_BYTES;
	uint64_t value = __atomic_load_n(c->value, __ATOMIC_RELAXED);
	uint32_t *snapshot = data;
	struct waymark_record r;

	if ((c->is_recorded && value == c->recorded) ||
		!waymark_report_begin(&r, event, c->bytes)) {
		return; /* without memory the next snapshot has it */
	}
	waymark_record_bytes(&r, end - c->bytes, c->bytes - TAIL_BYTES);
	waymark_record_bytes(&r, &value, sizeof(value));
	waymark_record_bytes(&r, end - 2 * sizeof(uint32_t), sizeof(uint32_t));
	waymark_record_bytes(&r, snapshot, sizeof(*snapshot));
	waymark_record_end(&r);
	c->recorded = value;
	c->is_recorded = true;
}

void waymark_aggregates_record(void)
{
	static uint32_t snapshot; /* under the control lock */
	const struct process *p = waymark_process_current();

	if (!p || !__atomic_load_n(&p->maps, __ATOMIC_RELAXED)) {
		return;
	}
	waymark_lock();
	snapshot++;
	for (unsigned int i = 0; i < AGGREGATIONS_MAX; i++) {
		each_of(i, record_cell, &snapshot);
	}
	waymark_unlock();
}

static void add_calls(struct cell *c, void *data)
{
	*(uint64_t *)data += c->function ? 0 : __atomic_load_n(c->value, __ATOMIC_RELAXED);
}

uint64_t waymark_aggregate_calls(unsigned int index)
{
	uint64_t calls = 0;

	each_of(index, add_calls, &calls);
	return calls;
}

/* Before the recorder's destructor. */
__attribute__((destructor)) static void report_at_exit(void)
{
	const struct process *p = waymark_process_current();
	uint64_t values = p ? __atomic_load_n(&p->left_out, __ATOMIC_RELAXED) : 0;

	if (values) {
		waymark_message("aggregations lack %llu values: no memory, or signal handlers that "
				"interrupt each other too deep; a larger buffer= may help",
			(unsigned long long)values);
	}
}
