/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace, read by the filter, lives, and the text, simpletrace and info views.
 * The first byte chooses options. With OWN_EVENTS the declarations come first, up to a
 * NUL, so that formats are any bytes, too; they are TOML if they begin with a bracket.
 * With DIRECTORY a native trace follows: metadata up to a NUL, then the bytes of its
 * streams, each up to a SPLIT; then those of the first one's index.
 */
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/folder.h"
#include "analyse/life_groups.h"
#include "analyse/lives.h"
#include "analyse/summary.h"
#include "decl/decl.h"
#include "read/filter.h"
#include "read/reader.h"
#include "view/info.h"
#include "view/lines.h"
#include "view/message/message.h"
#include "view/simpletrace.h"

enum option {
	NO_HEADER = 1,
	OWN_EVENTS = 2,
	NO_EVENTS = 4,
	FILTER = 8,
	OLD_STYLE = 16,
	DIRECTORY = 128
};
#define TIME_SHIFT 5
#define SPLIT "\nSPLIT\n"
#define STREAMS 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char events[] =
	"blk_open(const char *path, int flags) \"path %s flags 0x%x\"\n"
	"disable blk_never(int a) \"%d\"\n"
	"blk_read(uint64_t offset, uint32_t bytes) \"offset %\" PRIu64 \" bytes %u\"\n"
	"blk_done(void *req, int ret) \"req %-20p ret %+d\"\n"
	"blk_idle(void) \"nothing to do\"\n"
	"blk_plain(int8_t delta, uint16_t mask, const char *why)\n"
	"blk_wide(uint8_t a, int64_t b, size_t c, bool d, char e, int w, char *s)"
	" \"%02x|%+ld|%8zu|%d|%c|%*s\"\n";

struct consumers {
	struct filter filter;
	struct summary summary;
	struct lines lines;
	struct simpletrace_view simpletrace;
	struct lives_options lives_options;
	struct lives lives;
	struct life_groups groups;
	struct out out;
};

static void read_events(struct model *m, const char *text, size_t len)
{
	static const struct decl_options options = { .lenient = true };
	struct source *source = arena_new(&m->arena, struct source);
	struct diag diag;

	*source = (struct source){ len > 0 && *text == '[' ? "events.toml" : "events",
		arena_strndup(&m->arena, text, len), len };
	diag_init(&diag);
	decl_read(m, &diag, source, &options);
	diag_fini(&diag);
}

static struct reader *open_bytes(
	const uint8_t *data, size_t size, const struct reader_options *options, int *fd)
{
	struct read_error error;

	*fd = memfd_create("trace", MFD_CLOEXEC);
	if (*fd < 0 || write(*fd, data, size) != (ssize_t)size) {
		abort();
	}
	lseek(*fd, 0, SEEK_SET);
	return reader_open_fd(*fd, options, &error);
}

/* Writes one file of the trace anew, in the memory file system if there is one. */
static void store(const char *directory, const char *name, const uint8_t *data, size_t size)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		abort();
	}
	close(fd);
}

static char directory[256];

#define INDEX "index/stream-1.idx"

static void remove_directory(void)
{
	static const char *const names[] = { "metadata", "stream-1", "stream-2", "stream-3",
		INDEX };
	char path[320];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/index", directory);
	rmdir(path);
	rmdir(directory);
}

static void make_directory(void)
{
	if (!directory[0]) {
		char index[sizeof(directory) + sizeof("/index")];

		if (!make_memory(directory, sizeof(directory)) &&
			!make_folder(directory, sizeof(directory))) {
			abort();
		}
		snprintf(index, sizeof(index), "%s/index", directory);
		if (mkdir(index, 0700) != 0) {
			abort();
		}
		atexit(remove_directory);
	}
}

static struct reader *open_directory(
	const uint8_t *data, size_t size, const struct reader_options *options)
{
	const uint8_t *end = memchr(data, '\0', size);
	size_t length = end ? (size_t)(end - data) : size;
	struct read_error error;
	char name[16];

	make_directory();
	store(directory, "metadata", data, length);
	length += end != NULL;
	for (int i = 1; i <= STREAMS; i++) {
		data += length;
		size -= length;
		end = size ? memmem(data, size, SPLIT, strlen(SPLIT)) : NULL;
		length = end ? (size_t)(end - data) : size;
		snprintf(name, sizeof(name), "stream-%d", i);
		store(directory, name, data, length);
		length += end ? strlen(SPLIT) : 0;
	}
	store(directory, INDEX, data + length, size - length);
	return reader_open(directory, options, &error);
}

/* A life's steps have all of its events and all of its time. */
static void on_life(void *consumers, const struct life *life)
{
	struct consumers *c = consumers;
	uint64_t count = 0;
	uint64_t ns = 0;

	for (uint32_t i = 0; i < life->step_count; i++) {
		count += life->steps[i].count;
		ns += life->steps[i].ns;
	}
	if (life->path != PATHS_OTHER &&
		(count != life->count || ns != life->end_ns - life->begin_ns ||
			life->step_count != c->lives.paths.all.items[life->path].depth)) {
		abort();
	}
	free(lives_key_text(&c->lives, life));
	life_groups_add(&c->groups, life);
}

/* By one field or another of the events above, or by the declared keys of others. */
static void init_lives(struct consumers *c, struct reader *r, unsigned int options)
{
	c->lives_options = (struct lives_options){
		.rules = {
			.by = { { .names = { "req", "offset", "flags" }, .count = 3 } },
			.by_count = options & FILTER ? 1 : 0,
			.filter = &c->filter,
			.per = "@pid",
		},
		.text = message_value_text,
		.idle_ns = options & OLD_STYLE ? 1000000 : 0,
		.max_open = 1000,
		.is_across = options & NO_HEADER,
		.data = c,
		.ended = on_life,
	};
	c->groups = (struct life_groups){ 0 };
	lives_init(&c->lives, &c->lives_options, r);
}

static void init(struct consumers *c, struct reader *r, unsigned int options)
{
	filter_init(&c->filter);
	if (options & FILTER) {
		char why[100];

		filter_add_pattern(&c->filter, "blk_*e*", why, sizeof(why));
		filter_parse_time(&c->filter.from, "+0.5");
		filter_parse_time(&c->filter.to, "+99999999");
	}
	summary_init(&c->summary);
	out_init(&c->out, OUT_TO_MEMORY);
	const unsigned int style = (options & ~(unsigned int)DIRECTORY) >> TIME_SHIFT;

	lines_init(&c->lines, &c->out, r, style < 3 ? &lines_text : &lines_json,
		(enum timestamp_mode)style);
	c->lines.colour = options & OLD_STYLE;
	simpletrace_view_init(&c->simpletrace, &c->out, r,
		simpletrace_style_find(options & OLD_STYLE ? "5" : "10.2"));
	init_lives(c, r, options);
}

static void fini(struct consumers *c)
{
	lives_fini(&c->lives);
	life_groups_fini(&c->groups);
	filter_fini(&c->filter);
	summary_fini(&c->summary);
	lines_fini(&c->lines);
	simpletrace_view_fini(&c->simpletrace);
	out_fini(&c->out);
}

static void consume(struct consumers *c, const struct record *rec)
{
	c->out.len = 0;
	lines_see(&c->lines, rec);
	if (filter_passes(&c->filter, rec)) {
		lines_put(&c->lines, rec);
		/* One record is one line. */
		if (memchr(c->out.data, '\n', c->out.len) != c->out.data + c->out.len - 1) {
			abort();
		}
	}
	if (rec->kind == RECORD_GAP || rec->class->event) {
		simpletrace_view_put(&c->simpletrace, rec);
	}
	summary_add(&c->summary, rec);
	lives_add(&c->lives, rec);
}

/* Half of the inputs are read in pieces, as the commands read. */
static void take_few(struct consumers *c, struct reader *r, unsigned int options)
{
	struct record records[7];
	size_t count = options & NO_EVENTS ? 0 : reader_take(r, records, ARRAY_SIZE(records));

	for (size_t i = 0; i < count; i++) {
		consume(c, &records[i]);
	}
	lines_put_few(&c->lines, records, count);
	summary_add_few(&c->summary, records, count);
	c->out.len = 0;
}

static void read_all(struct reader *r, unsigned int options)
{
	struct consumers c;
	struct record rec;
	enum read_result result;

	init(&c, r, options);
	while (take_few(&c, r, options),
		(result = reader_next(r, &rec)) == READ_RECORD || result == READ_PROBLEM) {
		if (result == READ_RECORD) {
			consume(&c, &rec);
		}
	}
	lives_end(&c.lives);
	life_groups_sort(&c.groups, REPORT_TOTAL);
	summary_sort(&c.summary);
	const struct info info = { .path = "trace", .reader = r, .summary = &c.summary };

	info_put_text(&c.out, &info);
	info_put_json(&c.out, &info);
	fini(&c);
}

/* Reads the declarations of the input; returns their number of bytes. */
static size_t take_events(struct model *m, const uint8_t *data, size_t size, unsigned int options)
{
	if (!(options & OWN_EVENTS)) {
		read_events(m, events, sizeof(events) - 1);
		return 0;
	}
	const uint8_t *end = memchr(data, '\0', size);
	size_t length = end ? (size_t)(end - data) : size;

	read_events(m, (const char *)data, length);
	return end ? length + 1 : length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int options = size ? *data : 0;
	struct model model;
	int fd;

	model_init(&model);
	data += size > 0;
	size -= size > 0;
	size_t taken = take_events(&model, data, size, options);
	const struct reader_options reader_options = {
		.declarations = options & NO_EVENTS ? NULL : &model,
		.no_header = options & NO_HEADER,
	};
	struct reader *r = NULL;

	if (options & DIRECTORY) {
		fd = -1;
		r = open_directory(data + taken, size - taken, &reader_options);
	} else {
		r = open_bytes(data + taken, size - taken, &reader_options, &fd);
	}

	if (r) {
		read_all(r, options);
	}
	reader_close(r);
	if (fd >= 0) {
		close(fd);
	}
	model_fini(&model);
	return 0;
}
