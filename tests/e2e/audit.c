/* SPDX-License-Identifier: MIT */
/*
 * audit THREADS STEPS EVENTS TRACE: reads a trace of storm with the reader's C
 * API. Each thread's steps must rise, its times must not fall, and the gaps must
 * count exactly the missing steps.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <waymark/reader.h>

#define THREADS_MAX 64

struct progress {
	uint64_t next; /* the lowest step that may follow */
	uint64_t time;
};

struct audit {
	struct progress threads[THREADS_MAX];
	uint64_t count;
	uint64_t events;
	uint64_t lost;
	uint64_t gaps;
};

static bool take_event(struct audit *a, struct waymark_reader *r)
{
	uint64_t thread = waymark_reader_u64(r, 0);
	uint64_t step = waymark_reader_u64(r, 1);
	uint64_t time = waymark_reader_time(r);

	if (thread >= a->count) {
		printf("event %llu names thread %llu\n", (unsigned long long)a->events,
			(unsigned long long)thread);
		return false;
	}
	struct progress *p = &a->threads[thread];

	if (step < p->next || time < p->time) {
		printf("thread %llu: step %llu at %llu after step %llu at %llu\n",
			(unsigned long long)thread, (unsigned long long)step,
			(unsigned long long)time, (unsigned long long)p->next - 1,
			(unsigned long long)p->time);
		return false;
	}
	p->next = step + 1;
	p->time = time;
	a->events++;
	return true;
}

static bool read_all(struct audit *a, struct waymark_reader *r)
{
	bool good = true;
	int found;

	while (good && (found = waymark_reader_next(r)) != WAYMARK_READ_END) {
		if (found == WAYMARK_READ_EVENT) {
			good = take_event(a, r);
		} else if (found == WAYMARK_READ_GAP) {
			a->lost += waymark_reader_lost(r);
			a->gaps++;
		} else {
			printf("%s\n", waymark_reader_error(r));
			good = false;
		}
	}
	return good;
}

int main(int argc, char **argv)
{
	char error[512];
	struct audit a = { 0 };

	if (argc != 5) {
		fputs("usage: audit THREADS STEPS EVENTS TRACE\n", stderr);
		return EXIT_FAILURE;
	}
	a.count = strtoull(argv[1], NULL, 10);
	uint64_t wanted = a.count * strtoull(argv[2], NULL, 10);
	struct waymark_reader *r = waymark_reader_open(argv[4], argv[3], error, sizeof(error));

	if (!r) {
		printf("%s\n", error);
		return EXIT_FAILURE;
	}
	bool good = read_all(&a, r);

	waymark_reader_close(r);
	printf("%llu events and %llu lost in %llu gaps, of %llu\n", (unsigned long long)a.events,
		(unsigned long long)a.lost, (unsigned long long)a.gaps, (unsigned long long)wanted);
	return good && a.events + a.lost == wanted ? EXIT_SUCCESS : EXIT_FAILURE;
}
