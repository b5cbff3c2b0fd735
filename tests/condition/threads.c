/* SPDX-License-Identifier: MIT */
/*
 * condition-threads TRACE CHANGES: threads fire `wide_if` with numbers k, while the condition
 * changes between `k % 2 == 0` and `k % 3 == 0`. Prints the MiB that became resident meanwhile.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/control.h>

#include TRACE_HEADER

#define THREADS 3

static bool ends; /* relaxed */

static void *fire(void *unused)
{
	for (uint32_t k = 0; !__atomic_load_n(&ends, __ATOMIC_RELAXED); k++) {
		trace_wide_if(k, 0, 0, 0, 0, "text", 'c', NULL, "t");
	}
	return unused;
}

static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!f || fscanf(f, "%*s %ld", &pages) != 1) {
		abort();
	}
	fclose(f);
	return pages / 256;
}

static void enable(const char *text)
{
	struct waymark_error error;

	if (waymark_enable(text, WAYMARK_ANY_BACKEND, NULL, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	struct waymark_error error;
	char option[4096];

	if (argc != 3) {
		fprintf(stderr, "usage: condition-threads TRACE CHANGES\n");
		return 2;
	}
	snprintf(option, sizeof(option), "wide_if if k %% 2 == 0,buffer=1M,full=overwrite,file=%s",
		argv[1]);
	if (waymark_configure(option, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, fire, NULL);
	}
	usleep(200000); /* the buffer's memory is resident */
	long before = resident();

	for (long i = atol(argv[2]); i > 0; i--) {
		enable(i % 2 ? "wide_if if k % 3 == 0" : "wide_if if k % 2 == 0");
		if (i % 1000 == 0) {
			usleep(150000); /* what was replaced may be freed */
		}
	}
	long grown = resident() - before;

	__atomic_store_n(&ends, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	printf("%ld\n", grown);
	return 0;
}
