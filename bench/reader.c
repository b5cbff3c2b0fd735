/* SPDX-License-Identifier: MIT */
/*
 * Measures how fast version 4 traces are read on one core: scanned, and printed as
 * text, as JSON and like QEMU's script. The traces (an event of two numbers, and a mix
 * of small events, a quarter of them with a string) are made in memory and read like
 * any file; the output goes to /dev/null and to a file in memory. The last rows are
 * `waymark print` itself. Prints the median of several rounds.
 *
 *	reader [EVENTS [WAYMARK]]
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
#include "view/lines.h"
#include "view/simpletrace.h"

#define ROUNDS 7
#define EVENTS_DEFAULT 4000000

static const char declarations[] =
	"block_read(uint64_t offset, uint32_t bytes) \"offset 0x%lx bytes %u\"\n"
	"block_open(const char *path, int fd) \"path %s fd %d\"\n"
	"cache_hit(void *cache, uint64_t key, int slot) \"cache %p key %lu slot %d\"\n"
	"queue_kick(void *queue) \"queue %p\"\n"
	"two_u64(uint64_t a, uint64_t b) \"a %lu b %lu\"\n";

enum { BLOCK_READ, BLOCK_OPEN, CACHE_HIT, QUEUE_KICK, TWO_U64 };

struct bench {
	struct model model;
	int trace;
	int null;
	int file; /* a file in memory */
	uint64_t events;
	const char *waymark; /* path of the command, or NULL */
	char declarations[64]; /* path of the command's declarations */
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

static void put_two_u64(struct out *o, uint64_t i)
{
	put_head(o, TWO_U64, i, 16);
	put64(o, i % 100000);
	put64(o, i * 7 % 100000);
}

static void put_mixed(struct out *o, uint64_t i)
{
	static const char path[] = "/var/lib/images/disk0.raw";
	const uint32_t length = sizeof(path) - 1;
	const uint64_t object = UINT64_C(0x7f12a4b0c000);

	switch (i % 4) {
	case BLOCK_READ:
		put_head(o, BLOCK_READ, i, 16);
		put64(o, i * 4096);
		put64(o, 4096);
		break;
	case BLOCK_OPEN:
		put_head(o, BLOCK_OPEN, i, sizeof(length) + length + 8);
		put32(o, length);
		out_bytes(o, path, length);
		put64(o, 17);
		break;
	case CACHE_HIT:
		put_head(o, CACHE_HIT, i, 24);
		put64(o, object + i % 64 * 64);
		put64(o, i);
		put64(o, (uint64_t)-1);
		break;
	default:
		put_head(o, QUEUE_KICK, i, 8);
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

typedef void put_event(struct out *o, uint64_t i);

static void end(struct out *o)
{
	if (out_flush(o)) {
		fprintf(stderr, "cannot write: %s\n", strerror(o->error));
		exit(EXIT_FAILURE);
	}
	out_fini(o);
}

static void make_trace(struct bench *b, put_event *put)
{
	struct out o;

	b->trace = memfd_create("bench.trace", 0);
	out_init(&o, b->trace);
	put64(&o, SIMPLE_HEADER_ID);
	put64(&o, SIMPLE_MAGIC);
	put64(&o, SIMPLE_VERSION);
	put_mappings(&o, &b->model);
	for (uint64_t i = 0; i < b->events; i++) {
		put(&o, i);
	}
	end(&o);
}

typedef void consume(struct reader *r, struct out *out);

static void scan(struct reader *r, struct out *out)
{
	struct record rec;

	(void)out;
	while (reader_next(r, &rec) == READ_RECORD) {
	}
}

static void print_lines(struct reader *r, struct out *out, const struct lines_style *style)
{
	struct lines view;
	struct record rec;

	lines_init(&view, out, r, style, TIMESTAMP_ABSOLUTE);
	while (reader_next(r, &rec) == READ_RECORD) {
		lines_see(&view, &rec);
		lines_put(&view, &rec);
	}
	lines_fini(&view);
}

static void print_text(struct reader *r, struct out *out)
{
	print_lines(r, out, &lines_text);
}

static void print_json(struct reader *r, struct out *out)
{
	print_lines(r, out, &lines_json);
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

static void start_file(int fd)
{
	lseek(fd, 0, SEEK_SET);
	if (ftruncate(fd, 0)) {
		/* /dev/null has no length */
	}
}

static double measure_view(struct bench *b, consume *use, int fd)
{
	const struct reader_options options = { .declarations = &b->model };
	struct read_error error;
	struct out out;

	start_file(fd);
	lseek(b->trace, 0, SEEK_SET);
	struct reader *r = reader_open_fd(b->trace, &options, &error);

	out_init(&out, fd);
	double start = now();

	use(r, &out);
	out_flush(&out);
	double seconds = now() - start;

	end(&out);
	reader_close(r);
	return seconds;
}

static double measure_command(struct bench *b, const char *option, int fd)
{
	char command[512];
	pid_t pid = getpid();

	start_file(fd);
	snprintf(command, sizeof(command),
		"exec '%s' print %s -e %s /proc/%d/fd/%d >/proc/%d/fd/%d", b->waymark, option,
		b->declarations, pid, b->trace, pid, fd);
	double start = now();

	if (system(command) != 0) {
		fprintf(stderr, "failed: %s\n", command);
		exit(EXIT_FAILURE);
	}
	return now() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

struct row {
	const char *what;
	consume *use; /* a view's function, or NULL: the command with this option */
	const char *option;
	bool to_file;
};

static const struct row rows[] = {
	{ "scan", scan, NULL, false },
	{ "text", print_text, NULL, false },
	{ "text, file", print_text, NULL, true },
	{ "json", print_json, NULL, false },
	{ "simpletrace", print_simpletrace, NULL, false },
	{ "waymark print", NULL, "", false },
	{ "waymark print, file", NULL, "", true },
	{ "print --json", NULL, "--json", false },
};

static void report(struct bench *b, const struct row *row)
{
	int fd = row->to_file ? b->file : b->null;
	double seconds[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		seconds[i] = row->use ? measure_view(b, row->use, fd)
				      : measure_command(b, row->option, fd);
	}
	qsort(seconds, ROUNDS, sizeof(*seconds), compare);
	double median = seconds[ROUNDS / 2];

	printf("  %-20s %8.1f M events/s %8.1f ns an event (best %.1f)\n", row->what,
		(double)b->events / median / 1e6, median / (double)b->events * 1e9,
		seconds[0] / (double)b->events * 1e9);
}

static void bench_trace(struct bench *b, const char *name, put_event *put)
{
	make_trace(b, put);
	printf("%s: %" PRIu64 " events, %lld bytes, %d rounds\n", name, b->events,
		(long long)lseek(b->trace, 0, SEEK_END), ROUNDS);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].use || b->waymark) {
			report(b, &rows[i]);
		}
	}
	close(b->trace);
}

/* Writes the declarations to a file, for the command. */
static void write_declarations(struct bench *b)
{
	int fd = memfd_create("bench.events", 0);
	struct out o;

	out_init(&o, fd);
	out_str(&o, declarations);
	end(&o);
	snprintf(b->declarations, sizeof(b->declarations), "/proc/%d/fd/%d", getpid(), fd);
}

int main(int argc, char **argv)
{
	const struct decl_options options = { .lenient = true };
	const struct source source = { "bench", declarations, sizeof(declarations) - 1 };
	struct bench b = {
		.events = argc > 1 ? strtoull(argv[1], NULL, 10) : EVENTS_DEFAULT,
		.waymark = argc > 2 ? argv[2] : NULL,
		.null = open("/dev/null", O_WRONLY),
		.file = memfd_create("bench.out", 0),
	};
	struct diag diag;

	setvbuf(stdout, NULL, _IOLBF, 0);
	model_init(&b.model);
	diag_init(&diag);
	if (!decl_read(&b.model, &diag, &source, &options)) {
		return EXIT_FAILURE;
	}
	write_declarations(&b);
	bench_trace(&b, "two_u64", put_two_u64);
	bench_trace(&b, "mixed", put_mixed);
	diag_fini(&diag);
	model_fini(&b.model);
	return EXIT_SUCCESS;
}
