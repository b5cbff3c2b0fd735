/* SPDX-License-Identifier: MIT */
/*
 * trigger-program REQUESTS ERROR-AT [fork|change|slow]: fires `submit`, `detail` and `complete` for
 * each request, one in 20 us; the request ERROR-AT ends with error 5, all others with 0; with
 * `slow` it takes 3 ms. Prints how many signals SIGUSR1 it got. With `fork` a child makes the
 * requests; with `change` another thread adds and removes triggers meanwhile, at least one in
 * REQUESTS_A_CHANGE requests.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <waymark/control.h>

#include TRACE_HEADER

#define REQUESTS_A_CHANGE 50

static volatile sig_atomic_t signals;
static int running = 1;
static bool is_changing; /* another thread changes the triggers */
static size_t changes; /* that it made */

static void in_handler(int sig)
{
	(void)sig;
	signals++;
}

static void pause_us(long us)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

/* Waits until the triggers change again: on a busy machine the other thread gets little time. */
static void await_change(void)
{
	size_t before = __atomic_load_n(&changes, __ATOMIC_RELAXED);

	while (__atomic_load_n(&changes, __ATOMIC_RELAXED) == before) {
		sched_yield();
	}
}

static void make_requests(uint64_t count, uint64_t error_at, bool is_slow)
{
	for (uint64_t io = 0; io < count; io++) {
		if (is_changing && io % REQUESTS_A_CHANGE == 0) {
			await_change();
		}
		trace_submit(io);
		trace_detail(io);
		pause_us(is_slow && io == error_at ? 3000 : 0);
		trace_complete(io, io == error_at ? 5 : 0);
		pause_us(20);
	}
}

static void *change(void *unused)
{
	static const char *const texts[] = { "when complete if error != 0 && io > 3 then mark a",
		"when complete if io % 1000 == 7 then mark b and mark c", "when submit then mark d",
		"when * every=100 then flush" };

	(void)unused;
	for (size_t i = 0; __atomic_load_n(&running, __ATOMIC_RELAXED); i++) {
		const char *text = texts[i / 2 % (sizeof(texts) / sizeof(texts[0]))];
		int failed = i % 2 ? waymark_disable(text, WAYMARK_ANY_BACKEND, NULL, NULL)
				   : waymark_enable(text, WAYMARK_ANY_BACKEND, NULL, NULL);

		if (failed) {
			fprintf(stderr, "'%s' was refused\n", text);
			exit(1);
		}
		__atomic_store_n(&changes, i + 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Prints how many begins of pairs were forgotten: those of the first trigger, and all. */
static void print_forgotten(void)
{
	struct waymark_trigger_list list;
	struct waymark_stats stats;

	if (waymark_list_triggers(&list, NULL) == 0 && list.count > 0) {
		waymark_get_stats(&stats);
		fprintf(stderr, "%" PRIu64 " %" PRIu64 "\n", list.triggers[0].forgotten,
			stats.pairs_forgotten);
	}
	waymark_free_triggers(&list);
}

int main(int argc, char **argv)
{
	pthread_t changer;

	if (argc < 3) {
		fputs("usage: trigger-program REQUESTS ERROR-AT [fork|change|slow|forgotten]\n",
			stderr);
		return 2;
	}
	uint64_t count = strtoull(argv[1], NULL, 10);
	uint64_t error_at = strtoull(argv[2], NULL, 10);

	is_changing = argc > 3 && strcmp(argv[3], "change") == 0;

	signal(SIGUSR1, in_handler);
	if (argc > 3 && strcmp(argv[3], "fork") == 0 && fork()) {
		int status;

		wait(&status);
		return WEXITSTATUS(status);
	}
	if (is_changing) {
		pthread_create(&changer, NULL, change, NULL);
	}
	make_requests(count, error_at, argc > 3 && strcmp(argv[3], "slow") == 0);
	__atomic_store_n(&running, 0, __ATOMIC_RELAXED);
	if (is_changing) {
		pthread_join(changer, NULL);
	}
	printf("%d\n", (int)signals);
	if (argc > 3 && strcmp(argv[3], "forgotten") == 0) {
		print_forgotten();
	}
	return 0;
}
