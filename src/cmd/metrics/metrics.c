/* SPDX-License-Identifier: MIT */
/* The counts of processes, a row of a table each, and their aggregations, by view/aggregates.h. */
#include "cmd/metrics/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyse/aggregates.h"
#include "recover/leftover.h"
#include "view/aggregates.h"

/* A process that records. */
struct metrics_process {
	const struct leftover *it;
	char labels[METRICS_LABELS_SIZE];
	struct aggregates aggregates;
};

struct metrics {
	struct leftovers found;
	VEC(struct metrics_process) all;
	uint64_t leftovers; /* of ended processes */
	uint64_t leftover_bytes;
};

static uint64_t events_declared(const struct leftover *o)
{
	return o->totals.events;
}

static uint64_t events_on(const struct leftover *o)
{
	return o->totals.events_on;
}

static uint64_t events_recorded(const struct leftover *o)
{
	return o->totals.recorded;
}

static uint64_t events_lost(const struct leftover *o)
{
	return o->totals.lost;
}

static uint64_t memory_bytes(const struct leftover *o)
{
	return o->bytes;
}

static const struct metrics_row {
	const char *name;
	const char *type;
	const char *help;
	uint64_t (*value)(const struct leftover *o);
} rows[] = {
	{ "waymark_events_declared", "gauge", "events of the process", events_declared },
	{ "waymark_events_on", "gauge", "events that are on", events_on },
	{ "waymark_events_recorded_total", "counter", "events that were recorded",
		events_recorded },
	{ "waymark_events_lost_total", "counter", "events that were lost", events_lost },
	{ "waymark_memory_bytes", "gauge", "memory of records in use", memory_bytes },
};

/* ---- Reading ---- */

/* Adds the aggregations that a process has in memory; a process that ends meanwhile has none. */
static void read_aggregates(struct aggregates *a, const char *trace)
{
	const struct reader_options options = { .is_of_memory = true, .is_again = true };
	struct read_error error;
	struct reader *r = reader_open(trace, &options, &error);
	enum read_result result = READ_RECORD;
	struct record rec;

	if (!r) {
		return;
	}
	aggregates_limit(r);
	while (result == READ_RECORD || result == READ_PROBLEM) {
		result = reader_next(r, &rec);
		if (result == READ_RECORD && rec.kind == RECORD_EVENT) {
			aggregates_add(a, r, &rec);
		}
	}
	reader_close(r);
}

void metrics_labels(char labels[METRICS_LABELS_SIZE], const char *command, uint32_t pid)
{
	struct out text;

	out_init(&text, OUT_TO_MEMORY);
	out_str(&text, "program=");
	aggregates_put_label(&text, command);
	out_printf(&text, ",pid=\"%" PRIu32 "\"", pid);
	snprintf(labels, METRICS_LABELS_SIZE, "%.*s", (int)text.len, text.data);
	out_fini(&text);
}

static void add_process(struct metrics *m, const struct leftover *o)
{
	struct metrics_process p = { .it = o };

	metrics_labels(p.labels, o->command, o->pid);
	aggregates_init(&p.aggregates);
	if (o->has_trace && access(o->directory, F_OK) == 0) {
		read_aggregates(&p.aggregates, o->directory);
	}
	aggregates_end(&p.aggregates);
	vec_push(&m->all, p);
}

static void find(struct metrics *m)
{
	leftovers_find(&m->found);
	vec_foreach (const struct leftover *, o, &m->found.all) {
		if (o->error || (o->uid != geteuid() && geteuid() != 0)) {
			continue;
		}
		if (o->state == LEFTOVER_ALIVE) {
			add_process(m, o);
		} else {
			m->leftovers++;
			m->leftover_bytes += o->bytes;
		}
	}
}

/* ---- Writing ---- */

void metrics_put_head(struct out *out, const char *name, const char *type, const char *help)
{
	out_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_rows(struct out *out, const struct metrics *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		metrics_put_head(out, rows[i].name, rows[i].type, rows[i].help);
		vec_foreach (const struct metrics_process *, p, &m->all) {
			out_printf(out, "%s{%s} %" PRIu64 "\n", rows[i].name, p->labels,
				rows[i].value(p->it));
		}
	}
}

static void put_leftovers(struct out *out, const struct metrics *m)
{
	metrics_put_head(out, "waymark_processes", "gauge", "processes that record");
	out_printf(out, "waymark_processes %zu\n", m->all.count);
	metrics_put_head(
		out, "waymark_leftovers", "gauge", "ended processes whose events are in memory");
	out_printf(out, "waymark_leftovers %" PRIu64 "\n", m->leftovers);
	metrics_put_head(out, "waymark_leftover_bytes", "gauge", "their memory");
	out_printf(out, "waymark_leftover_bytes %" PRIu64 "\n", m->leftover_bytes);
}

static void put_aggregates(struct out *out, const struct metrics *m)
{
	VEC(struct aggregates_set) sets = { 0 };

	vec_foreach (const struct metrics_process *, p, &m->all) {
		vec_push(&sets, ((struct aggregates_set){ &p->aggregates, p->labels }));
	}
	aggregates_put_prometheus_sets(out, sets.items, sets.count);
	vec_fini(&sets);
}

void metrics_put(struct out *out)
{
	struct metrics m = { 0 };

	find(&m);
	put_leftovers(out, &m);
	put_rows(out, &m);
	put_aggregates(out, &m);
	vec_foreach (struct metrics_process *, p, &m.all) {
		aggregates_fini(&p->aggregates);
	}
	vec_fini(&m.all);
	leftovers_fini(&m.found);
}
