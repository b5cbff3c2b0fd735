/* SPDX-License-Identifier: MIT */
/*
 * Fires events and scopes of every kind that an export draws: nested, crossing, asynchronous,
 * ended by another thread, unfinished; texts that need escapes. program [ROUNDS]
 */
#include <pthread.h>
#include <stdlib.h>

#include <waymark/category.h>
#include <waymark/scope.h>

#include "trace-export.h"

#define EXPORT_CATEGORIES(C)      \
	C(Disk, true, "requests") \
	C(Net, true, "packets")
WAYMARK_CATEGORIES(EXPORT_CATEGORIES);

static void fire_values(void)
{
	static const char *const texts[] = { "", "plain", "a, \"b\"\n\tc\\", "f\xc3\xbcnf",
		"bad \xff", NULL };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		trace_text(texts[i], i ? (void *)(uintptr_t)(0xffff800000000000u + i) : NULL);
	}
	trace_numbers(-128, UINT64_MAX, INT64_MIN, true, 'x');
	trace_numbers(127, 0, INT64_MAX, false, '"');
	trace_clash(1, 2, 3, 4);
	trace_events(1);
	trace_Gaps(2);
	trace_sqlite_master(3);
	trace_nothing();
}

static void fire_requests(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		trace_submit((uint64_t)i, i % 3, (uint32_t)i % 8, 512u << (i % 4));
		trace_queued((uint64_t)i, (unsigned int)i);
		trace_level(i % 2 ? i : -i);
		trace_complete((uint64_t)i, i % 2 ? -5 : 0);
	}
}

/* Scopes one inside another, and two that cross: the outer one ends first. */
static void run_scopes(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		WAYMARK_SCOPE(Disk, "request", i, "a \"text\"");
		WAYMARK_SCOPE(Disk, "read (zero)");
		WAYMARK_BEGIN(Disk, "outer", i);
		WAYMARK_BEGIN(Net, "inner", i);
		WAYMARK_INSTANT(Net, "within both");
		WAYMARK_END(Disk);
		WAYMARK_INSTANT(Net, "within inner");
		WAYMARK_END(Net);
		WAYMARK_COUNTER(Disk, "in flight", i - 2);
	}
}

static struct waymark_scope flows[3];

static void *run_thread(void *argument)
{
	(void)argument;
	for (int i = 0; i < 3; i++) {
		WAYMARK_FLOW_STEP(Net, &flows[i], "queued", i);
		waymark_scope_end(&flows[i]);
	}
	WAYMARK_SCOPE(Disk, "of the thread");
	return NULL;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 5;
	pthread_t thread;

	fire_values();
	fire_requests(rounds);
	run_scopes(rounds);
	for (int i = 0; i < 3; i++) { /* open at one time */
		flows[i] = WAYMARK_FLOW(Net, "packet", i);
	}
	pthread_create(&thread, NULL, run_thread, NULL);
	pthread_join(thread, NULL);
	WAYMARK_BEGIN(Disk, "unfinished");
	WAYMARK_INSTANT(Disk, "the last");
	return 0;
}
