/* SPDX-License-Identifier: MIT */
/* The registry, directory and checks of the recorder's tests: see support.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support.h"
#include "../common/folder.h"
#include "rt/sink/sink.h"
#include "rt/event/registry.h"

static const struct waymark_entry_arg pair_args[] = {
	{ "who", "uint64_t", WAYMARK_UNSIGNED, 8 },
	{ "i", "uint64_t", WAYMARK_UNSIGNED, 8 },
};
static const struct waymark_entry_arg text_args[] = {
	{ "i", "uint64_t", WAYMARK_UNSIGNED, 8 },
	{ "s", "const char *", WAYMARK_STRING, 0 },
};
static const struct waymark_entry_arg mixed_args[] = {
	{ "s8", "int8_t", WAYMARK_SIGNED, 1 },
	{ "u16", "uint16_t", WAYMARK_UNSIGNED, 2 },
	{ "first", "const char *", WAYMARK_STRING, 0 },
	{ "s16", "int16_t", WAYMARK_SIGNED, 2 },
	{ "b", "bool", WAYMARK_UNSIGNED, 1 },
	{ "u8", "uint8_t", WAYMARK_UNSIGNED, 1 },
	{ "s32", "int32_t", WAYMARK_SIGNED, 4 },
	{ "u32", "uint32_t", WAYMARK_UNSIGNED, 4 },
	{ "s64", "int64_t", WAYMARK_SIGNED, 8 },
	{ "p", "void *", WAYMARK_POINTER, sizeof(void *) },
	{ "last", "const char *", WAYMARK_STRING, 0 },
};

struct waymark_event event_pair = { .id = 1 };
struct waymark_event event_text = { .id = 2 };
struct waymark_event event_mixed = { .id = 3 };
struct waymark_event event_none = { .id = 4 };

static const struct waymark_entry entries[] = {
	{ .id = 1, .name = "pair", .arg_count = 2, .args = pair_args },
	{ .id = 2, .name = "text", .arg_count = 2, .args = text_args },
	{ .id = 3, .name = "mixed", .arg_count = 11, .args = mixed_args },
	{ .id = 4, .name = "none", .arg_count = 0, .args = NULL },
};

/* Weak: a test may define its own registry. */
__attribute__((weak)) const struct waymark_entry *waymark_registry_entry(uint32_t id)
{
	return id >= 1 && id <= 4 ? &entries[id - 1] : NULL;
}

__attribute__((weak)) void waymark_registry_count(uint32_t *events, uint32_t *on)
{
	*events = *on = sizeof(entries) / sizeof(*entries);
}

static void put_string(struct waymark_record *r, const char *s)
{
	waymark_record_string(r, s, waymark_string_length(s, 1000), 1000);
}

void record_pairs(uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		trace_pair(1, i);
	}
}

void set_simple_file(const char *path)
{
	struct waymark_error error;

	if (waymark_sink_simple.set_file(path, false, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(9);
	}
}

void trace_mixed(const char *first, const char *last)
{
	int8_t s8 = -8;
	uint16_t u16 = 0xffff;
	int16_t s16 = -16;
	bool b = true;
	uint8_t u8 = 0xff;
	int32_t s32 = -32;
	uint32_t u32 = UINT32_MAX;
	int64_t s64 = -64;
	void *p = (void *)(uintptr_t)0x1234;
	struct waymark_record r;

	if (!waymark_record_begin(&r, WAYMARK_RECORDER_SIMPLE, &event_mixed, 2100)) {
		return;
	}
	waymark_record_value(&r, &s8, sizeof(s8));
	waymark_record_value(&r, &u16, sizeof(u16));
	put_string(&r, first);
	waymark_record_value(&r, &s16, sizeof(s16));
	waymark_record_value(&r, &b, sizeof(b));
	waymark_record_value(&r, &u8, sizeof(u8));
	waymark_record_value(&r, &s32, sizeof(s32));
	waymark_record_value(&r, &u32, sizeof(u32));
	waymark_record_value(&r, &s64, sizeof(s64));
	waymark_record_value(&r, &p, sizeof(p));
	put_string(&r, last);
	waymark_record_end(&r);
}

void trace_none(void)
{
	struct waymark_record r;

	if (waymark_record_begin(&r, WAYMARK_RECORDER_SIMPLE, &event_none, 0)) {
		waymark_record_end(&r);
	}
}

static char directory[256];
static pid_t owner; /* the process that removes the directory; 0: it does not exist */

/* The replacement of cmocka exits at the first check that fails. Children exit, too. */
static void leave_after_failure(void)
{
	if (owner == getpid()) {
		leave_directory();
	}
}

void enter_directory(void)
{
	assert_true(make_folder(directory, sizeof(directory)));
	assert_int_equal(chdir(directory), 0);
	owner = getpid();
	atexit(leave_after_failure);
}

void leave_directory(void)
{
	char command[sizeof(directory) + 16];

	owner = 0;
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	assert_int_equal(system(command), 0);
}

void read_trace(struct trace *t, const char *prefix, pid_t pid)
{
	char path[256];

	snprintf(path, sizeof(path), "%s", prefix);
	if (pid) {
		snprintf(path, sizeof(path), "%s%d", prefix, pid);
	}
	const char *error = trace_read(t, path);

	if (error) {
		fail_msg("%s: %s", path, error);
	}
}

static uint64_t check(const struct trace *t, uint64_t who, bool exact)
{
	uint64_t next = 0;
	uint64_t count = 0;
	uint64_t ns = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct decoded *d = &t->records[i];

		if (!d->name || strcmp(d->name, "pair") || trace_arg(d, 0) != who) {
			continue;
		}
		uint64_t at = trace_arg(d, 1);

		if (exact ? at != next : at < next) {
			fail_msg("thread %" PRIu64 ": event %" PRIu64 " where %" PRIu64 " was due",
				who, at, next);
		}
		if (d->ns < ns) {
			fail_msg("thread %" PRIu64 ": event %" PRIu64
				 " goes back in time by %" PRIu64 " ns",
				who, at, ns - d->ns);
		}
		ns = d->ns;
		next = at + 1;
		count++;
	}
	return count;
}

uint64_t check_order(const struct trace *t, uint64_t who)
{
	return check(t, who, true);
}

uint64_t check_rising(const struct trace *t, uint64_t who)
{
	return check(t, who, false);
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sleep_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

size_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

unsigned int amount(unsigned int quick, unsigned int thorough)
{
	bool is_slow = UNDER_TSAN || IN_EMULATOR;

	return getenv("WAYMARK_TEST_LONG") ? thorough : is_slow ? (quick + 3) / 4 : quick;
}

unsigned int check_children(uint64_t events, uint64_t inherited)
{
	FILE *names = popen("ls forks.* 2>/dev/null", "r");
	char name[256];
	unsigned int children = 0;

	while (fscanf(names, "%255s", name) == 1) {
		struct trace t;
		uint64_t pid = strtoull(name + strlen("forks."), NULL, 10);

		read_trace(&t, name, 0);
		assert_int_equal(check_order(&t, pid + 1000), events);
		assert_in_range(t.events, events, events + inherited);
		assert_int_equal(t.records[0].pid, pid);
		trace_free(&t);
		unlink(name);
		children++;
	}
	pclose(names);
	return children;
}

uint64_t wait_for_size(const char *path, size_t size)
{
	uint64_t since = now_ns();

	while (file_size(path) < size && now_ns() - since < UINT64_C(60000000000)) {
		sleep_ms(2);
	}
	return (now_ns() - since) / 1000000;
}
