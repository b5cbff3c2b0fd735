/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of a thread's first event, and the memory of a thousand threads
 * with some events each: the growth of resident memory since before their first
 * event, or of /dev/shm if that grows more.
 *
 * threads path=FILE options=TEXT fresh=N threads=N events=N
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include "kinds.h"

#define STACK_BYTES (256u << 10)

static NOINLINE void fire(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		record_two_u64(i, i * 3);
	}
}

static void *first_event(void *ns)
{
	double begin = bench_now();

	fire(1);
	*(double *)ns = bench_now() - begin;
	return NULL;
}

static void create(pthread_t *id, void *(*run)(void *), void *context)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (pthread_create(id, &attributes, run, context)) {
		bench_fail("cannot create a thread");
	}
	pthread_attr_destroy(&attributes);
}

static void measure_first(uint64_t fresh)
{
	double *ns = calloc(fresh, sizeof(*ns));
	pthread_t id;

	for (uint64_t i = 0; i < fresh; i++) {
		create(&id, first_event, &ns[i]);
		pthread_join(id, NULL);
	}
	bench_result("first_of_process_us", ns[0] / 1e3);
	bench_result("first_us", bench_median(ns + 1, fresh - 1) / 1e3);
	bench_result("first_worst_us", ns[fresh - 1] / 1e3);
	free(ns);
}

/* MiB of resident memory: private to the process, and shared. */
static void resident(double *anonymous, double *shared)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];

	*anonymous = *shared = 0;
	while (status && fgets(line, sizeof(line), status)) {
		sscanf(line, "RssAnon: %lf", anonymous);
		sscanf(line, "RssShmem: %lf", shared);
	}
	if (status) {
		fclose(status);
	}
	*anonymous /= 1024;
	*shared /= 1024;
}

/* MiB used in /dev/shm, mapped or not. */
static double in_shm(void)
{
	struct statvfs s;

	if (statvfs("/dev/shm", &s)) {
		return 0;
	}
	return (double)(s.f_blocks - s.f_bfree) * (double)s.f_frsize / (1 << 20);
}

struct memory {
	double anonymous;
	double shared;
	double shm;
};

static struct memory memory_now(void)
{
	struct memory m = { .shm = in_shm() };

	resident(&m.anonymous, &m.shared);
	return m;
}

static void report_memory(const struct memory *before, const struct memory *after)
{
	double anonymous = after->anonymous - before->anonymous;
	double shared = after->shared - before->shared;
	double shm = after->shm - before->shm;

	bench_result("anonymous_mib", anonymous);
	bench_result("shared_mib", shared);
	bench_result("shm_mib", shm);
	bench_result("memory_mib", anonymous + (shared > shm ? shared : shm));
}

static pthread_barrier_t turn;
static uint64_t events;

static void *some_events(void *context)
{
	(void)context;
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	fire(events);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	return NULL;
}

/* Compares memory before the threads' first events, while the threads run, and after their end. */
static void measure_memory(unsigned int threads)
{
	pthread_t *ids = calloc(threads, sizeof(*ids));

	pthread_barrier_init(&turn, NULL, threads + 1);
	for (unsigned int i = 0; i < threads; i++) {
		create(&ids[i], some_events, NULL);
	}
	pthread_barrier_wait(&turn);
	struct memory before = memory_now();

	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	struct memory after = memory_now();

	pthread_barrier_wait(&turn);
	for (unsigned int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
	}
	report_memory(&before, &after);
	pthread_barrier_destroy(&turn);
	free(ids);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);

	uint64_t fresh = bench_number("fresh", 200);
	uint64_t threads = bench_number("threads", 1000);

	events = bench_number("events", 100);
	recorder_open(bench_text("path", "bench.trace"), bench_text("options", ""));
	measure_memory((unsigned int)threads);
	measure_first(fresh);
	bench_result("lost", (double)recorder_close());
	bench_result("events", (double)(fresh + threads * events));
	return EXIT_SUCCESS;
}
