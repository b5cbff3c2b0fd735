/* SPDX-License-Identifier: MIT */
/* Requests to the disk: how long each waited, and was worked on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

void requests_submit(struct requests *requests, const struct record *record)
{
	struct request *all =
		report_resize(requests->all, (requests->count + 1) * sizeof(*requests->all));

	requests->all = all;
	all[requests->count] = (struct request){ .id = record->values[0],
		.sector = record->values[1],
		.sectors = record->values[2],
		.submitted = record->ns };
	snprintf(all[requests->count].operation, sizeof(all->operation), "%s", record->text);
	requests->count++;
}

/* The latest one that has this number: those under way are the last ones. */
static struct request *find(struct requests *requests, uint64_t id)
{
	for (size_t i = requests->count; i-- > 0;) {
		if (requests->all[i].id == id) {
			return &requests->all[i];
		}
	}
	requests->unmatched++;
	return NULL;
}

void requests_begin(struct requests *requests, const struct record *record)
{
	struct request *request = find(requests, record->values[0]);

	if (request) {
		request->begun = record->ns;
	}
}

void requests_complete(struct requests *requests, const struct record *record)
{
	struct request *request = find(requests, record->values[0]);

	if (request) {
		request->completed = record->ns;
		request->status = record->values[1];
	}
}

static uint64_t between(uint64_t first, uint64_t second)
{
	return second > first ? second - first : 0;
}

static void print_us(int width, uint64_t first, uint64_t second)
{
	if (first && second) {
		printf(" %*.1f", width, between(first, second) / 1e3);
	} else {
		printf(" %*s", width, "-");
	}
}

static const char *status_name(const struct request *request)
{
	static const char *const names[] = { "pending", "ok", "failed", "refused" };

	if (!request->completed) {
		return "not completed";
	}
	return request->status < sizeof(names) / sizeof(names[0]) ? names[request->status] : "?";
}

static void print_request(const struct request *r)
{
	printf("%7" PRIu64 "  %-9s %10" PRIu64 " %7" PRIu64, r->id, r->operation, r->sector,
		r->sectors);
	print_us(10, r->submitted, r->begun);
	print_us(10, r->begun, r->completed);
	print_us(12, r->submitted, r->completed);
	printf("  %s\n", status_name(r));
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_summary(const struct requests *requests)
{
	uint64_t *times = report_resize(NULL, requests->count * sizeof(*times));
	size_t count = 0;

	for (size_t i = 0; i < requests->count; i++) {
		const struct request *r = &requests->all[i];

		if (r->completed) {
			times[count++] = between(r->submitted, r->completed);
		}
	}
	qsort(times, count, sizeof(*times), by_size);
	printf("%zu requests, %zu completed", requests->count, count);
	if (count) {
		double median = (times[(count - 1) / 2] + times[count / 2]) / 2e3;

		printf(": latency min %.1f us, median %.1f us, max %.1f us", times[0] / 1e3, median,
			times[count - 1] / 1e3);
	}
	printf("\n");
	free(times);
}

void requests_print(const struct requests *requests)
{
	if (requests->count) {
		printf("\n%7s  %-9s %10s %7s %10s %10s %12s\n", "request", "operation", "sector",
			"sectors", "waits us", "works us", "latency us");
		for (size_t i = 0; i < requests->count; i++) {
			print_request(&requests->all[i]);
		}
		print_summary(requests);
	}
	if (requests->unmatched) {
		printf("%" PRIu64 " events are of requests whose submission is missing\n",
			requests->unmatched);
	}
}

void requests_fini(struct requests *requests)
{
	free(requests->all);
}
