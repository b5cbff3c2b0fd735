/* SPDX-License-Identifier: MIT */
/*
 * Spreads the bytes of each packet evenly over its time. As a packet may be long, only its first
 * and last step are added to directly; the steps between have differences of a rate, which are
 * added up in the end.
 */
#include "timeline/estimate.h"

#include <stdlib.h>

#include "base/memory.h"

#define STEPS_MAX ((size_t)2048)
#define CELLS_MAX ((size_t)2 << 20) /* of all tracks: 8 MiB */

/* Bytes of an event, until some were read. */
#define EVENT_BYTES 32.0

void estimate_fini(struct estimate *e)
{
	free(e->bytes);
	free(e->sums);
	*e = (struct estimate){ 0 };
}

/* Returns the index of a packet's track. A packet without a thread has only losses. */
static uint32_t track_of(struct levels *l, const struct reader_load *load)
{
	uint32_t pid = l->timeline.reader->traces[load->trace].pid;

	if (load->tid == 0) {
		return LEVELS_NONE;
	}
	uint32_t thread = timeline_know_thread(&l->timeline, load->trace, pid, load->tid)->index;

	return l->of_threads.items[thread];
}

static void set_steps(struct estimate *e, const struct levels *l, const struct reader_loads *loads)
{
	e->from_ns = l->base_ns;
	e->to_ns = l->base_ns + 1;
	vec_foreach (const struct reader_load *, load, &loads->all) {
		int64_t end = load->ns + (int64_t)load->span_ns;

		e->to_ns = end > e->to_ns ? end : e->to_ns;
	}
	e->tracks = l->tracks.count;
	e->steps = CELLS_MAX / (e->tracks + 1);
	e->steps = e->steps < STEPS_MAX ? e->steps + 1 : STEPS_MAX;
	e->step_ns = (uint64_t)(e->to_ns - e->from_ns) / e->steps + 1;
}

/* Returns a place in the steps. */
static double place_of(const struct estimate *e, int64_t ns)
{
	double place = (double)(ns - e->from_ns) / (double)e->step_ns;

	return place < 0 ? 0 : place < (double)e->steps ? place : (double)e->steps - 1e-6;
}

static void spread(
	const struct estimate *e, float *bytes, float *rates, const struct reader_load *load)
{
	double begin = place_of(e, load->ns);
	double end = place_of(e, load->ns + (int64_t)load->span_ns);
	size_t first = (size_t)begin;
	size_t last = (size_t)end;
	double rate = end > begin ? (double)load->bytes / (end - begin) : 0;

	if (first == last) {
		bytes[first] += (float)load->bytes;
		return;
	}
	bytes[first] += (float)(rate * ((double)(first + 1) - begin));
	bytes[last] += (float)(rate * (end - (double)last));
	rates[first + 1] += (float)rate;
	rates[last] -= (float)rate;
}

/* Adds the rates to the bytes, and all tracks to the sums. */
static void add_up(struct estimate *e, const float *rates)
{
	e->sums = xcalloc(e->steps + 1, sizeof(*e->sums));
	for (size_t track = 0; track < e->tracks; track++) {
		double rate = 0;

		for (size_t i = 0; i < e->steps; i++) {
			float *bytes = &e->bytes[track * e->steps + i];

			rate += (double)rates[track * e->steps + i];
			*bytes += rate > 0 ? (float)rate : 0;
			e->sums[i + 1] += (double)*bytes;
		}
	}
	for (size_t i = 0; i < e->steps; i++) {
		e->sums[i + 1] += e->sums[i];
	}
}

void estimate_make(struct estimate *e, struct levels *l, const struct reader_loads *loads)
{
	*e = (struct estimate){ 0 };
	vec_foreach (const struct reader_load *, load, &loads->all) {
		track_of(l, load);
	}
	set_steps(e, l, loads);
	float *rates = xcalloc(e->tracks * e->steps + 1, sizeof(*rates));

	e->bytes = xcalloc(e->tracks * e->steps + 1, sizeof(*e->bytes));
	vec_foreach (const struct reader_load *, load, &loads->all) {
		uint32_t track = track_of(l, load);

		if (track != LEVELS_NONE) {
			spread(e, e->bytes + track * e->steps, rates + track * e->steps, load);
		}
	}
	add_up(e, rates);
	free(rates);
}

double estimate_part(const struct estimate *e, int64_t ns)
{
	double all = e->steps > 0 ? e->sums[e->steps] : 0;
	double place = all > 0 && ns > e->from_ns ? place_of(e, ns) : 0;
	size_t step = (size_t)place;

	if (all <= 0 || ns >= e->to_ns) {
		return ns >= e->to_ns ? 1 : 0;
	}
	double within = (e->sums[step + 1] - e->sums[step]) * (place - (double)step);

	return (e->sums[step] + within) / all;
}

/* Returns the bytes of an event, as far as the trace was read. */
static double event_bytes(const struct estimate *e, const struct levels *l)
{
	double bytes = estimate_part(e, l->read_ns) * e->sums[e->steps];

	return l->records > 1000 && bytes > 0 ? bytes / (double)l->records : EVENT_BYTES;
}

/* The steps that a tile's items have, each as wide as a column or more. */
struct grid {
	int64_t from_ns;
	int64_t to_ns;
	size_t group; /* steps of an item */
	double event_bytes;
};

static void add_items(
	const struct estimate *e, const float *bytes, struct tile_row *row, const struct grid *g)
{
	size_t first = (size_t)place_of(e, g->from_ns);
	size_t last = (size_t)place_of(e, g->to_ns);

	for (size_t i = first / g->group * g->group; i <= last; i += g->group) {
		int64_t begin = e->from_ns + (int64_t)(i * e->step_ns);
		int64_t end = begin + (int64_t)(g->group * e->step_ns);
		double sum = 0;

		for (size_t n = i; n < i + g->group && n < e->steps; n++) {
			sum += (double)bytes[n];
		}
		if (sum > 0 && end > g->from_ns) {
			double events = sum / g->event_bytes;
			const struct tile_item item = {
				.begin_ns = begin > g->from_ns ? begin : g->from_ns,
				.end_ns = end < e->to_ns ? end : e->to_ns,
				.count = events < 1	? 1
					 : events < 4e9 ? (uint32_t)events
							: UINT32_MAX,
			};

			vec_push(&row->items, item);
		}
	}
}

void estimate_add(const struct estimate *e, const struct levels *l, struct tile *t,
	const struct tile_wish *wish)
{
	struct grid g = {
		.from_ns = wish->from_ns > l->read_ns ? wish->from_ns : l->read_ns,
		.to_ns = wish->to_ns < e->to_ns ? wish->to_ns : e->to_ns,
	};

	if (e->steps == 0 || g.from_ns >= g.to_ns) {
		return;
	}
	g.group =
		(size_t)((uint64_t)(wish->to_ns - wish->from_ns) / wish->columns / e->step_ns) + 1;
	g.event_bytes = event_bytes(e, l);
	for (size_t i = 0; i < wish->track_count; i++) {
		uint32_t track = wish->tracks[i];
		struct tile_row row = { .kind = NEAR_ESTIMATE, .track = track };

		if (track < e->tracks) {
			add_items(e, e->bytes + track * e->steps, &row, &g);
		}
		t->items += row.items.count;
		if (row.items.count > 0) {
			vec_push(&t->rows, row);
		}
	}
}
