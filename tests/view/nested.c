/* SPDX-License-Identifier: MIT */
/* Records nested scopes in several threads, and events in them: nested THREADS ROUNDS-OF-4-SCOPES
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <waymark/category.h>
#include <waymark/control.h>
#include <waymark/scope.h>

#define THREADS_MAX 16

#define NESTED_CATEGORIES(C) C(Nested, true, "scopes")
WAYMARK_CATEGORIES(NESTED_CATEGORIES);

static void run_round(long i)
{
	WAYMARK_SCOPE(Nested, "request", i);
	{
		WAYMARK_SCOPE(Nested, "parse");
		WAYMARK_SCOPE(Nested, "check");
	}
	if (i % 8 == 0) {
		WAYMARK_INSTANT(Nested, "eighth", i);
	}
	WAYMARK_SCOPE(Nested, "answer");
}

static void *run_thread(void *rounds)
{
	for (long i = 0; i < *(const long *)rounds; i++) {
		run_round(i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	long count = argc == 3 ? atol(argv[1]) : 0;
	long rounds = argc == 3 ? atol(argv[2]) : 0;
	struct waymark_stats stats;
	struct waymark_error error;

	if (count < 1 || count > THREADS_MAX) {
		fprintf(stderr, "nested THREADS ROUNDS\n");
		return 2;
	}
	for (long i = 0; i < count; i++) {
		pthread_create(&threads[i], NULL, run_thread, &rounds);
	}
	for (long i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
	if (waymark_flush(&error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	waymark_get_stats(&stats);
	return stats.lost + stats.unwritten > 0;
}
