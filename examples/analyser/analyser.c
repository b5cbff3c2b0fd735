/* SPDX-License-Identifier: MIT */
/*
 * Pairs two events of a trace by a field that both have:
 *
 *	analyser [--declarations FILE] TRACE FIRST SECOND FIELD
 *	analyser --help
 *
 * FIRST opens a pair (an allocation, a request), SECOND closes the pair whose
 * FIELD has the same value (a release, an answer). Prints the time that pairs
 * were open as a histogram, and the FIRST events without a SECOND: leaks. The
 * exit status is 1 when the trace could not be read to its end.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/reader.h>

#define USAGE                                                                                  \
	"usage: analyser [--declarations FILE] TRACE FIRST SECOND FIELD\n"                     \
	"\n"                                                                                   \
	"Pairs the events FIRST and SECOND by the value of FIELD: how long pairs were open,\n" \
	"and which FIRST never got its SECOND. TRACE may be - for standard input.\n"

/* Powers of two of nanoseconds: the last bucket is more than an hour. */
#define BUCKETS 43

/* Number of leaks shown, the oldest first. */
#define LEAKS_SHOWN 20

/* A FIRST event that waits for its SECOND. */
struct waiting {
	uint64_t key;
	uint64_t ns;
	char *message;
	struct waiting *next;
};

struct analyser {
	const char *first;
	const char *second;
	const char *field;
	struct waiting **table; /* chains by key; `capacity` elements */
	size_t capacity;
	size_t open;
	uint64_t pairs;
	uint64_t unmatched; /* SECOND events without a FIRST */
	uint64_t replaced; /* FIRST events whose key came again */
	uint64_t lost;
	uint64_t total_ns;
	uint64_t max_ns;
	uint64_t buckets[BUCKETS];
};

static void die(const char *what)
{
	fprintf(stderr, "analyser: %s\n", what);
	exit(EXIT_FAILURE);
}

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p) {
		die("out of memory");
	}
	return p;
}

static struct waiting **chain_of(const struct analyser *a, uint64_t key)
{
	return &a->table[(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (a->capacity - 1)];
}

/* Returns the link to the waiting event with that key, or the link at the end of its chain. */
static struct waiting **find(const struct analyser *a, uint64_t key)
{
	struct waiting **link = chain_of(a, key);

	while (*link && (*link)->key != key) {
		link = &(*link)->next;
	}
	return link;
}

static void grow(struct analyser *a)
{
	struct waiting **old = a->table;
	size_t count = a->capacity;

	a->capacity = count ? 2 * count : 1024;
	a->table = allocate(a->capacity, sizeof(struct waiting *));
	for (size_t i = 0; i < count; i++) {
		while (old[i]) {
			struct waiting *w = old[i];
			struct waiting **link = chain_of(a, w->key);

			old[i] = w->next;
			w->next = *link;
			*link = w;
		}
	}
	free(old);
}

static void forget(struct analyser *a, struct waiting **link)
{
	struct waiting *w = *link;

	*link = w->next;
	free(w->message);
	free(w);
	a->open--;
}

static void open_pair(struct analyser *a, struct waymark_reader *r, uint64_t key)
{
	struct waiting **link = find(a, key);

	if (*link) {
		a->replaced++;
		forget(a, link);
	}
	if (a->open >= a->capacity) {
		grow(a);
	}
	struct waiting *w = allocate(1, sizeof(*w));
	size_t length;
	const char *message = waymark_reader_message(r, &length);

	w->message = allocate(1, length + 1);
	memcpy(w->message, message, length);
	w->key = key;
	w->ns = waymark_reader_time(r);
	link = chain_of(a, key);
	w->next = *link;
	*link = w;
	a->open++;
}

static void close_pair(struct analyser *a, uint64_t key, uint64_t ns)
{
	struct waiting **link = a->capacity ? find(a, key) : NULL;

	if (!link || !*link) {
		a->unmatched++;
		return;
	}
	uint64_t took = ns > (*link)->ns ? ns - (*link)->ns : 0;
	size_t bucket = 0;

	while (bucket < BUCKETS - 1 && took >> bucket > 1) {
		bucket++;
	}
	a->buckets[bucket]++;
	a->pairs++;
	a->total_ns += took;
	a->max_ns = took > a->max_ns ? took : a->max_ns;
	forget(a, link);
}

/* Handles one event: opens a pair, closes one, or does nothing. */
static void take_event(struct analyser *a, struct waymark_reader *r)
{
	const char *name = waymark_reader_name(r);
	bool is_first = strcmp(name, a->first) == 0;

	if (!is_first && strcmp(name, a->second) != 0) {
		return;
	}
	int field = waymark_reader_field_find(r, a->field);

	if (field < 0) {
		fprintf(stderr, "analyser: %s has no field '%s' (are its declarations given?)\n",
			name, a->field);
		exit(EXIT_FAILURE);
	}
	uint64_t key = waymark_reader_u64(r, (size_t)field);

	if (is_first) {
		if (a->capacity == 0) {
			grow(a);
		}
		open_pair(a, r, key);
	} else {
		close_pair(a, key, waymark_reader_time(r));
	}
}

/* Reads the whole trace; returns false if a part of it could not be read. */
static bool read_trace(struct analyser *a, struct waymark_reader *r)
{
	bool ok = true;
	int what;

	while ((what = waymark_reader_next(r)) != WAYMARK_READ_END) {
		if (what == WAYMARK_READ_EVENT) {
			take_event(a, r);
		} else if (what == WAYMARK_READ_GAP) {
			a->lost += waymark_reader_lost(r);
		} else {
			fprintf(stderr, "analyser: %s\n", waymark_reader_error(r));
			ok = false;
		}
		if (what == WAYMARK_READ_DAMAGED) {
			break;
		}
	}
	return ok;
}

static int by_time(const void *a, const void *b)
{
	const struct waiting *x = *(struct waiting *const *)a;
	const struct waiting *y = *(struct waiting *const *)b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

static void print_leaks(const struct analyser *a)
{
	struct waiting **all = allocate(a->open + 1, sizeof(struct waiting *));
	size_t count = 0;

	for (size_t i = 0; i < a->capacity; i++) {
		for (struct waiting *w = a->table[i]; w; w = w->next) {
			all[count++] = w;
		}
	}
	qsort(all, count, sizeof(struct waiting *), by_time);
	printf("%zu %s without %s\n", count, a->first, a->second);
	for (size_t i = 0; i < count && i < LEAKS_SHOWN; i++) {
		printf("  %" PRIu64 ".%09" PRIu64 " %s\n", all[i]->ns / 1000000000,
			all[i]->ns % 1000000000, all[i]->message);
	}
	if (count > LEAKS_SHOWN) {
		printf("  and %zu more\n", count - LEAKS_SHOWN);
	}
	free(all);
}

static void print_latencies(const struct analyser *a)
{
	printf("%" PRIu64 " pairs of %s and %s\n", a->pairs, a->first, a->second);
	if (a->pairs > 0) {
		printf("  mean %" PRIu64 " ns, longest %" PRIu64 " ns\n", a->total_ns / a->pairs,
			a->max_ns);
	}
	for (size_t i = 0; i < BUCKETS; i++) {
		if (a->buckets[i]) {
			printf("  %12" PRIu64 " ns and more %12" PRIu64 "\n",
				i ? UINT64_C(1) << i : 0, a->buckets[i]);
		}
	}
}

static void print_results(const struct analyser *a)
{
	print_latencies(a);
	print_leaks(a);
	printf("%" PRIu64 " %s without %s\n", a->unmatched, a->second, a->first);
	if (a->replaced) {
		printf("%" PRIu64 " values of %s were opened again before they were closed\n",
			a->replaced, a->field);
	}
	if (a->lost) {
		printf("%" PRIu64 " events were lost: pairs may be among them\n", a->lost);
	}
}

static void release(struct analyser *a)
{
	for (size_t i = 0; i < a->capacity; i++) {
		while (a->table[i]) {
			forget(a, &a->table[i]);
		}
	}
	free(a->table);
}

int main(int argc, char **argv)
{
	const char *declarations = NULL;
	char error[1024];

	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		fputs(USAGE, stdout);
		return EXIT_SUCCESS;
	}
	if (argc > 2 && strcmp(argv[1], "--declarations") == 0) {
		declarations = argv[2];
		argc -= 2;
		argv += 2;
	}
	if (argc != 5) {
		fputs(USAGE, stderr);
		return 2;
	}
	struct analyser a = { .first = argv[2], .second = argv[3], .field = argv[4] };
	struct waymark_reader *r = waymark_reader_open(argv[1], declarations, error, sizeof(error));

	if (!r) {
		die(error);
	}
	bool ok = read_trace(&a, r);

	print_results(&a);
	release(&a);
	waymark_reader_close(r);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
