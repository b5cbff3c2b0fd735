/* SPDX-License-Identifier: MIT */
/*
 * How fast a version 4 trace is read on one core: scanned, as text, and as
 * QEMU's script prints it. The trace (a mix of small events, a quarter of them
 * with a string) is made in memory and read like any file; text goes to
 * /dev/null. Prints the median of several rounds.
 *
 *	reader [EVENTS]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "decl/decl.h"
#include "format/simple.h"
#include "read/reader.h"
#include "view/simpletrace.h"
#include "view/text.h"

#define ROUNDS 7
#define EVENTS_DEFAULT 5000000

static const char declarations[] =
	"block_read(uint64_t offset, uint32_t bytes) \"offset 0x%lx bytes %u\"\n"
	"block_open(const char *path, int fd) \"path %s fd %d\"\n"
	"cache_hit(void *cache, uint64_t key, int slot) \"cache %p key %lu slot %d\"\n"
	"queue_kick(void *queue) \"queue %p\"\n";

struct bench {
	struct model model;
	struct out trace;
	int fd;
	uint64_t events;
};

static void put64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof(v));
}

static void put32(struct out *o, uint32_t v)
{
	out_bytes(o, &v, sizeof(v));
}

static void put_head(struct out *o, uint64_t id, uint64_t i, size_t payload)
{
	put64(o, SIMPLE_EVENT);
	put64(o, id);
	put64(o, UINT64_C(4242000000000) + i * 731);
	put32(o, (uint32_t)(sizeof(struct simple_record) + payload));
	put32(o, 29600);
}

static void put_event(struct out *o, uint64_t i)
{
	static const char path[] = "/var/lib/images/disk0.raw";
	const uint32_t length = sizeof(path) - 1;
	const uint64_t object = UINT64_C(0x7f12a4b0c000);

	switch (i % 4) {
	case 0:
		put_head(o, 0, i, 16);
		put64(o, i * 4096);
		put64(o, 4096);
		break;
	case 1:
		put_head(o, 1, i, sizeof(length) + length + 8);
		put32(o, length);
		out_bytes(o, path, length);
		put64(o, 17);
		break;
	case 2:
		put_head(o, 2, i, 24);
		put64(o, object + i % 64 * 64);
		put64(o, i);
		put64(o, (uint64_t)-1);
		break;
	default:
		put_head(o, 3, i, 8);
		put64(o, object);
		break;
	}
}

static void put_mappings(struct out *o, const struct model *m)
{
	for (size_t i = 0; i < m->events.count; i++) {
		const char *name = m->events.items[i]->name;

		put64(o, SIMPLE_MAPPING);
		put64(o, i);
		put32(o, (uint32_t)strlen(name));
		out_str(o, name);
	}
}

static void make_trace(struct bench *b)
{
	b->fd = memfd_create("bench.trace", 0);
	out_init(&b->trace, b->fd);
	put64(&b->trace, SIMPLE_HEADER_ID);
	put64(&b->trace, SIMPLE_MAGIC);
	put64(&b->trace, SIMPLE_VERSION);
	put_mappings(&b->trace, &b->model);
	for (uint64_t i = 0; i < b->events; i++) {
		put_event(&b->trace, i);
	}
	if (out_flush(&b->trace)) {
		fprintf(stderr, "cannot make the trace: %s\n", strerror(b->trace.error));
		exit(EXIT_FAILURE);
	}
	out_fini(&b->trace);
}

typedef void consume(struct reader *r, struct out *out);

static void scan(struct reader *r, struct out *out)
{
	struct record rec;

	(void)out;
	while (reader_next(r, &rec) == READ_RECORD) {
	}
}

static void print_text(struct reader *r, struct out *out)
{
	struct text_view view;
	struct record rec;

	text_view_init(&view, out, r, TIMESTAMP_ABSOLUTE, false);
	while (reader_next(r, &rec) == READ_RECORD) {
		text_view_see(&view, &rec);
		text_view_put(&view, &rec);
	}
	text_view_fini(&view);
}

static void print_simpletrace(struct reader *r, struct out *out)
{
	struct simpletrace_view view;
	struct record rec;

	simpletrace_view_init(&view, out, r, simpletrace_style_find("10.2"));
	while (reader_next(r, &rec) == READ_RECORD) {
		simpletrace_view_put(&view, &rec);
	}
	simpletrace_view_fini(&view);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double measure(struct bench *b, consume *use)
{
	const struct reader_options options = { .declarations = &b->model };
	struct read_error error;
	struct out out;
	int null = open("/dev/null", O_WRONLY);

	lseek(b->fd, 0, SEEK_SET);
	struct reader *r = reader_open_fd(b->fd, &options, &error);

	out_init(&out, null);
	double start = now();

	use(r, &out);
	out_flush(&out);
	double seconds = now() - start;

	out_fini(&out);
	reader_close(r);
	close(null);
	return seconds;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void report(struct bench *b, const char *what, consume *use)
{
	double seconds[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		seconds[i] = measure(b, use);
	}
	qsort(seconds, ROUNDS, sizeof(*seconds), compare);
	double median = seconds[ROUNDS / 2];

	printf("%-12s %8.1f M events/s %8.1f ns an event (best %.1f)\n", what,
		(double)b->events / median / 1e6, median / (double)b->events * 1e9,
		seconds[0] / (double)b->events * 1e9);
}

int main(int argc, char **argv)
{
	const struct decl_options options = { .lenient = true };
	const struct source source = { "bench", declarations, sizeof(declarations) - 1 };
	struct bench b = { .events = argc > 1 ? strtoull(argv[1], NULL, 10) : EVENTS_DEFAULT };
	struct diag diag;

	model_init(&b.model);
	diag_init(&diag);
	if (!decl_read(&b.model, &diag, &source, &options)) {
		return EXIT_FAILURE;
	}
	make_trace(&b);
	printf("%" PRIu64 " events, %lld bytes, %d rounds\n", b.events,
		(long long)lseek(b.fd, 0, SEEK_END), ROUNDS);
	report(&b, "scan", scan);
	report(&b, "text", print_text);
	report(&b, "simpletrace", print_simpletrace);
	diag_fini(&diag);
	model_fini(&b.model);
	close(b.fd);
	return EXIT_SUCCESS;
}
