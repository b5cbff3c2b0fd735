/* SPDX-License-Identifier: MIT */
/* The registry, packets and babeltrace2 for tests of trace files: see ctf_support.h. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf_support.h"

#define EVENTS_MAX 4096u
#define SUBBUF 65536u

static const struct waymark_entry_arg pair_args[] = {
	{ "who", "uint64_t", WAYMARK_UNSIGNED, 8 },
	{ "i", "uint64_t", WAYMARK_UNSIGNED, 8 },
};

static struct waymark_entry entries[EVENTS_MAX] = {
	[1] = { .id = 1,
		.name = "pair",
		.format = "\"%\" PRIu64 \" %\" PRIu64",
		.file = "pair.events",
		.line = 1,
		.arg_count = 2,
		.args = pair_args },
};

/* Release: pairs with the acquire of a lookup. */
static uint32_t last_id = 1;

const struct waymark_entry *waymark_registry_entry(uint32_t id)
{
	bool known = id >= 1 && id <= __atomic_load_n(&last_id, __ATOMIC_ACQUIRE);

	return known ? &entries[id] : NULL;
}

void add_event(
	const char *name, const char *format, const struct waymark_entry_arg *args, uint16_t count)
{
	uint32_t id = last_id + 1;

	assert_true(id < EVENTS_MAX);
	entries[id] = (struct waymark_entry){
		.id = id,
		.name = name,
		.format = format,
		.file = "some.events",
		.line = id,
		.arg_count = count,
		.args = args,
	};
	__atomic_store_n(&last_id, id, __ATOMIC_RELEASE);
}

void reset_events(void)
{
	last_id = 1;
}

struct ctf_config *make_config(const char *name, uint64_t rotate, uint32_t keep)
{
	char here[2048];
	static struct ctf_config *last; /* never freed, as in a program */
	struct ctf_config *c = calloc(1, sizeof(*c) + 4096);

	assert_non_null(c);
	assert_non_null(getcwd(here, sizeof(here)));
	c->previous = last;
	last = c;
	c->rotate = rotate;
	c->keep = keep;
	if (*name == '/' || !*name) {
		strcpy(c->path, name);
	} else {
		snprintf(c->path, 4096, "%s/%s", here, name);
	}
	return c;
}

void begin_trace(struct ctf_trace *t, struct ctf_files *f, const struct ctf_config *config)
{
	memset(t, 0, sizeof(*t));
	memset(f, 0, sizeof(*f));
	static char wanted[PATH_MAX];

	assert_true(waymark_ctf_begin(t, config, NULL));
	waymark_ctf_name(t, wanted);
	f->trace = t;
}

struct packet_header *make_packet(struct source *s, unsigned int events)
{
	size_t content = sizeof(struct packet_header) + (size_t)events * PAIR_BYTES;
	size_t size = (content + SUBBUF - 1) / SUBBUF * SUBBUF;
	struct packet_header *p = aligned_alloc(PACKET_FILE_ALIGN, size);
	uint64_t base = s->trace->begin.ticks;

	assert_non_null(p);
	memset(p, 0xaa, size);
	*p = (struct packet_header){
		.magic = PACKET_MAGIC,
		.stream_instance_id = s->stream,
		.timestamp_begin = base + s->events * 100,
		.timestamp_end = base + (s->events + events) * 100,
		.content_size = content * 8,
		.sequence = ++s->packets,
		.tid = (uint32_t)s->stream,
	};
	memcpy(p->uuid, s->trace->uuid, sizeof(p->uuid));
	uint64_t *at = (uint64_t *)(p + 1);

	for (unsigned int i = 0; i < events; i++, at += 3) {
		at[0] = (base + s->events * 100) << PACKET_ID_BITS | 1;
		at[1] = s->stream;
		at[2] = s->events++;
	}
	return p;
}

size_t write_packets(
	struct ctf_files *f, struct source *s, unsigned int packets, unsigned int events)
{
	struct packet_header *all[64];
	struct source before[65];

	assert_true(packets <= 64);
	for (unsigned int i = 0; i < packets; i++) {
		before[i] = *s;
		all[i] = make_packet(s, events);
	}
	before[packets] = *s;
	size_t written = waymark_ctf_write(f, all, packets, 0);

	*s = before[written];
	for (unsigned int i = 0; i < packets; i++) {
		free(all[i]);
	}
	return written;
}

unsigned long count_events(const char *path, const char *text)
{
	char command[4400];
	struct stat st;
	unsigned long lines = 0;
	int c;

	snprintf(command, sizeof(command), "babeltrace2 --clock-seconds %s >%s 2>complaints", path,
		text ? text : "printed");
	int status = system(command);

	assert_int_equal(stat("complaints", &st), 0);
	if (status || st.st_size) {
		assert_int_equal(system("head -20 complaints >&2"), 0);
	}
	assert_int_equal(status, 0);
	assert_int_equal(st.st_size, 0);
	FILE *printed = fopen(text ? text : "printed", "r");

	assert_non_null(printed);
	while ((c = getc(printed)) != EOF) {
		lines += c == '\n';
	}
	fclose(printed);
	return lines;
}

bool can_judge(void)
{
	bool there = system("babeltrace2 --version >/dev/null 2>&1") == 0;

	if (!there) {
		puts("skipped: there is no babeltrace2 here");
	}
	return there;
}

void in_trace(char path[PATH_MAX], const struct ctf_trace *t, const char *name)
{
	assert_true(snprintf(path, PATH_MAX, "%s/%s", t->path, name) < PATH_MAX);
}

long size_in(const struct ctf_trace *t, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	in_trace(path, t, name);
	return stat(path, &st) ? -1 : (long)st.st_size;
}

unsigned int entries_of(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int n = 0;

	assert_non_null(dir);
	while (readdir(dir)) {
		n++;
	}
	closedir(dir);
	return n - 2;
}

int run_tests_judged(const char *name, const struct CMUnitTest *tests, size_t count)
{
	if (!can_judge()) {
		return 77;
	}
	enter_directory();
	int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);

	leave_directory();
	return failed;
}
