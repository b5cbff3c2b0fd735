/* SPDX-License-Identifier: MIT */
/* The thread that follows, and the histograms as text. */
#include "cmd/metrics/latencies.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "cmd/escaped.h"
#include "cmd/metrics/followed.h"
#include "cmd/metrics/metrics.h"
#include "cmd/serve.h"
#include "view/aggregates.h"

#define FIND_NS (CLOCK_NS_PER_S / 5) /* a process that lives shorter may be missed */

/* The buckets end before 2^n ns: from a quarter of a microsecond to a minute. */
#define BITS_FIRST 8u
#define BITS_LAST 36u

struct latencies {
	struct followed followed;
	uint64_t found_ns;
	pthread_mutex_t
		next; /* held while waiting for `reading`: a scrape is never overtaken twice */
	pthread_mutex_t reading; /* `followed` */
	pthread_t thread;
	bool has_thread;
	bool is_ended;
};

/* ---- Reading ---- */

static void enter(struct latencies *l)
{
	pthread_mutex_lock(&l->next);
	pthread_mutex_lock(&l->reading);
	pthread_mutex_unlock(&l->next);
}

static void leave(struct latencies *l)
{
	pthread_mutex_unlock(&l->reading);
}

static void find(struct latencies *l)
{
	uint64_t now = clock_now_ns();

	if (now - l->found_ns >= FIND_NS) {
		followed_find(&l->followed);
		l->found_ns = now;
	}
}

static void *follow(void *data)
{
	struct latencies *l = data;
	struct pace pace = { 0 };

	while (!__atomic_load_n(&l->is_ended, __ATOMIC_RELAXED)) {
		enter(l);
		find(l);
		bool goes_on = followed_read(&l->followed);

		leave(l);
		if (!goes_on) {
			const struct timespec wait = { 0, pace_next(&pace, false) * 1000000L };

			nanosleep(&wait, NULL);
		} else {
			pace.ms = 0;
		}
	}
	return NULL;
}

static struct latencies *make(const char *command)
{
	struct latencies *l = xcalloc(1, sizeof(*l));

	serve_raise_descriptors();
	l->followed.command = command;
	pthread_mutex_init(&l->next, NULL);
	pthread_mutex_init(&l->reading, NULL);
	return l;
}

struct latencies *latencies_read(const char *command)
{
	struct latencies *l = make(command);

	l->followed.follow = FOLLOW_NOT;
	followed_find(&l->followed);
	while (followed_read(&l->followed)) {
	}
	return l;
}

struct latencies *latencies_follow(const char *command)
{
	struct latencies *l = make(command);

	l->followed.follow = FOLLOW_NEW;
	find(l);
	l->has_thread = pthread_create(&l->thread, NULL, follow, l) == 0;
	if (!l->has_thread) {
		escaped_say(command, "there is no thread for following traces");
		latencies_end(l);
		return NULL;
	}
	return l;
}

void latencies_end(struct latencies *l)
{
	if (!l) {
		return;
	}
	if (l->has_thread) {
		__atomic_store_n(&l->is_ended, true, __ATOMIC_RELAXED);
		pthread_join(l->thread, NULL);
	}
	followed_fini(&l->followed);
	pthread_mutex_destroy(&l->reading);
	pthread_mutex_destroy(&l->next);
	free(l);
}

/* ---- Writing ---- */

static void put_seconds(struct out *out, uint64_t ns)
{
	out_printf(out, "%" PRIu64 ".%09" PRIu64, ns / CLOCK_NS_PER_S, ns % CLOCK_NS_PER_S);
}

static void put_buckets(struct out *out, const char *labels, const struct distribution *d)
{
	uint64_t sum = 0;

	for (unsigned int bits = 0; bits <= BITS_LAST; bits++) {
		sum += distribution_of_bits(d, bits);
		if (bits >= BITS_FIRST) {
			out_printf(out, "waymark_latency_seconds_bucket{%s,le=\"", labels);
			put_seconds(out, (UINT64_C(1) << bits) - 1);
			out_printf(out, "\"} %" PRIu64 "\n", sum);
		}
	}
	out_printf(out, "waymark_latency_seconds_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", labels,
		d->count);
}

static void put_histogram(struct out *out, const char *labels, const struct distribution *d)
{
	put_buckets(out, labels, d);
	out_printf(out, "waymark_latency_seconds_sum{%s} ", labels);
	put_seconds(out, d->sum);
	out_printf(out, "\nwaymark_latency_seconds_count{%s} %" PRIu64 "\n", labels, d->count);
}

/* Writes the histogram of a pair: of all threads. */
static void put_pair(struct out *out, const struct followed_process *p, uint32_t name)
{
	const struct rates_name *n = &p->rates.names.items[name];
	struct distribution all = { 0 };
	char process[METRICS_LABELS_SIZE];
	struct out labels;

	vec_foreach (const struct rates_cell *, c, &p->rates.cells) {
		if (c->name == name && c->lengths) {
			distribution_merge(&all, &c->lengths->all);
		}
	}
	metrics_labels(process, p->command, p->pid);
	out_init(&labels, OUT_TO_MEMORY);
	out_printf(&labels, "%s,pair=", process);
	aggregates_put_label(&labels, n->pair);
	out_str(&labels, ",event=");
	aggregates_put_label(&labels, n->text);
	out_char(&labels, '\0');
	put_histogram(out, labels.data, &all);
	out_fini(&labels);
	distribution_fini(&all);
}

static bool has_pairs(const struct followed_process *p)
{
	vec_foreach (const struct rates_name *, n, &p->rates.names) {
		if (n->pair) {
			return true;
		}
	}
	return false;
}

static void put_pairs(struct out *out, const struct followed_process *p)
{
	for (uint32_t i = 0; i < p->rates.names.count; i++) {
		if (p->rates.names.items[i].pair) {
			put_pair(out, p, i);
		}
	}
}

static void put_unknown(struct out *out, const struct followed_process *p)
{
	const struct {
		const char *reason;
		uint64_t pairs;
	} rows[] = {
		{ "lost", p->rates.broken },
		{ "begun_twice", p->rates.begun_twice },
		{ "limit", p->rates.dropped },
	};
	char labels[METRICS_LABELS_SIZE];

	metrics_labels(labels, p->command, p->pid);
	for (size_t i = 0; has_pairs(p) && i < ARRAY_SIZE(rows); i++) {
		out_printf(out, "waymark_latency_broken_total{%s,reason=\"%s\"} %" PRIu64 "\n",
			labels, rows[i].reason, rows[i].pairs);
	}
}

static void put_all(struct out *out, const struct followed *f,
	void (*put)(struct out *out, const struct followed_process *p))
{
	vec_foreach (struct followed_process *const *, it, &f->all) {
		put(out, *it);
	}
}

void latencies_put(struct latencies *l, struct out *out)
{
	if (!l) {
		return;
	}
	enter(l);
	metrics_put_head(out, "waymark_latency_seconds", "histogram", "times of declared pairs");
	put_all(out, &l->followed, put_pairs);
	metrics_put_head(
		out, "waymark_latency_broken_total", "counter", "pairs whose time is not known");
	put_all(out, &l->followed, put_unknown);
	leave(l);
}
