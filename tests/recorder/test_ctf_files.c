/* SPDX-License-Identifier: MIT */
/*
 * The stream files of a native trace: babeltrace2 prints every recorded event without
 * a warning, whatever happens to the file or the disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/folder.h"
#include "ctf_support.h"
#include "rt/host/guard.h"

static struct ctf_trace trace;
static struct ctf_files files;

static void begin(const char *name)
{
	begin_trace(&trace, &files, make_config(name, 0, 0));
}

/* Returns true if files of that directory can be written past the page cache. */
static bool takes_direct(const char *directory)
{
	int fd = openat(AT_FDCWD, directory, O_TMPFILE | O_WRONLY | O_DIRECT, 0600);

	if (fd >= 0) {
		close(fd);
	}
	return fd >= 0;
}

/* Writes streams with packets of several sizes in that directory, and reads them. */
static void write_and_read(const char *directory)
{
	static const unsigned int events[] = { 0, 1, 166, 167, 2700, 40000 };
	char path[PATH_MAX];
	unsigned long total = 0;

	snprintf(path, sizeof(path), "%s/trace.ctf", directory);
	begin(path);
	assert_string_equal(trace.path, path);
	for (uint64_t stream = 1; stream <= 3; stream++) {
		struct source s = { &trace, stream, 0, 0 };

		for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
			assert_int_equal(write_packets(&files, &s, 4, events[i]), 4);
			total += 4 * events[i];
		}
		assert_int_equal(files.error, 0);
		assert_int_equal(files.open[stream - 1].direct, takes_direct(directory));
		assert_int_equal(s.events * 3, total * 3 / stream);
	}
	assert_int_equal(size_in(&trace, "index/stream-2.idx"), 16 + 24 * 72);
	waymark_ctf_pause(&files);
	assert_int_equal(count_events(trace.path, NULL), total);
}

static void what_is_written_is_read(void **state)
{
	char shm[256];
	char command[sizeof(shm) + 16];

	(void)state;
	char *here = getcwd(NULL, 0);

	assert_non_null(here);
	write_and_read(here);
	free(here);
	if (make_memory(shm, sizeof(shm))) {
		write_and_read(shm);
		snprintf(command, sizeof(command), "rm -r %s", shm);
		assert_int_equal(system(command), 0);
	}
}

#define SMALL_EVENTS 10u
#define LARGE_EVENTS 2726u /* events that fit into 64 KiB */
#define SMALL_BYTES (sizeof(struct packet_header) + SMALL_EVENTS * PAIR_BYTES)
#define LARGE_BYTES (sizeof(struct packet_header) + LARGE_EVENTS * PAIR_BYTES)

/* Returns a packet with only a guard page after its 64 KiB. */
static struct packet_header *make_guarded(struct source *s)
{
	struct packet_header *p = make_packet(s, LARGE_EVENTS);
	char *memory = mmap(NULL, 2 * 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED && mprotect(memory, 65536, PROT_READ | PROT_WRITE) == 0);
	memcpy(memory, p, 65536);
	free(p);
	p = (struct packet_header *)(void *)memory;
	p->packet_size = 65536 * 8;
	return p;
}

/*
 * Writes a packet that must be padded to the file's alignment, without reading memory after the
 * packet.
 */
static void write_guarded(struct source *s, uint64_t end, bool direct)
{
	struct packet_header *p = make_guarded(s);

	assert_int_equal(waymark_ctf_write(&files, &p, 1, 0), 1);
	assert_int_equal(size_in(&trace, "stream-1"), end);
	assert_int_equal(files.open[0].direct, direct);
	assert_true(p->packet_size <= 65536 * 8);
	munmap(p, 2 * 65536);
}

static void small_packets_lie_back_to_back_and_large_ones_end_aligned(void **state)
{
	struct source s = { &trace, 1, 0, 0 };
	bool direct = takes_direct(".");

	(void)state;
	begin("packed.ctf");
	assert_int_equal(write_packets(&files, &s, 40, SMALL_EVENTS), 40);
	assert_int_equal(size_in(&trace, "stream-1"), 40 * SMALL_BYTES);
	write_guarded(&s, 81920, false);
	write_guarded(&s, 147456, direct);
	assert_int_equal(write_packets(&files, &s, 1, SMALL_EVENTS), 1);
	assert_int_equal(size_in(&trace, "stream-1"), 147456 + SMALL_BYTES);
	assert_int_equal(size_in(&trace, "index/stream-1.idx"), 16 + 43 * 72);
	assert_false(files.open[0].direct);
	assert_int_equal(count_events(trace.path, NULL), 41 * SMALL_EVENTS + 2 * LARGE_EVENTS);
	waymark_ctf_pause(&files);
}

static void assert_zeros(const unsigned char *bytes, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++) {
		assert_int_equal(bytes[i], 0);
	}
}

static void nothing_but_events_leaves_the_process(void **state)
{
	static unsigned char bytes[147456];
	struct source s = { &trace, 1, 0, 0 };
	struct packet_header *odd = make_packet(&s, SMALL_EVENTS);
	char path[PATH_MAX];

	(void)state;
	begin("clean.ctf");
	odd->content_size -= 3 * 8;
	assert_int_equal(waymark_ctf_write(&files, &odd, 1, 0), 1);
	free(odd);
	assert_int_equal(write_packets(&files, &s, 2, LARGE_EVENTS), 2);
	in_trace(path, &trace, "stream-1");
	int fd = open(path, O_RDONLY);

	assert_int_equal(read(fd, bytes, sizeof(bytes)), 69632 + 65536);
	close(fd);
	assert_zeros(bytes, SMALL_BYTES - 3, SMALL_BYTES);
	assert_zeros(bytes, SMALL_BYTES + LARGE_BYTES, 69632);
	assert_zeros(bytes, 69632 + LARGE_BYTES, 69632 + 65536);
}

static void append_rubbish(const char *name, size_t size)
{
	static const char rubbish[20000] = "rubbish";
	char path[PATH_MAX];

	in_trace(path, &trace, name);
	int fd = open(path, O_WRONLY | O_APPEND);

	assert_int_equal(write(fd, rubbish, size), size);
	close(fd);
}

static void a_file_is_continued_where_it_ended(void **state)
{
	struct source s = { &trace, 7, 0, 0 };

	(void)state;
	begin("paused.ctf");
	assert_int_equal(write_packets(&files, &s, 2, 100), 2);
	waymark_ctf_pause(&files);
	append_rubbish("stream-7", 100);
	assert_int_equal(write_packets(&files, &s, 2, 100), 2); /* found on opening */
	waymark_ctf_pause(&files);
	append_rubbish("stream-7", 808); /* the longest possible packet */
	append_rubbish("stream-7", 16384);
	assert_int_equal(write_packets(&files, &s, 2, 100), 2); /* found while open */
	assert_int_equal(
		size_in(&trace, "stream-7"), 6 * (sizeof(struct packet_header) + 100 * PAIR_BYTES));
	assert_int_equal(size_in(&trace, "index/stream-7.idx"), 16 + 6 * 72);
	assert_int_equal(count_events(trace.path, NULL), 600);
}

static void an_index_that_is_not_true_goes(void **state)
{
	char path[PATH_MAX];
	struct source s = { &trace, 1, 0, 0 };
	struct source other = { &trace, 2, 0, 0 };
	struct source third = { &trace, 3, 0, 0 };

	(void)state;
	begin("index.ctf");
	assert_int_equal(write_packets(&files, &s, 3, 10), 3);
	append_rubbish("index/stream-1.idx", 7);
	assert_int_equal(write_packets(&files, &s, 3, 10), 3);
	assert_int_equal(size_in(&trace, "index/stream-1.idx"), -1);
	waymark_ctf_pause(&files);
	assert_int_equal(write_packets(&files, &s, 3, 10), 3);
	assert_int_equal(size_in(&trace, "index/stream-1.idx"), -1);
	in_trace(path, &trace, "stream-3");
	assert_int_equal(write_packets(&files, &third, 3, 10), 3);
	waymark_ctf_pause(&files);
	assert_int_equal(truncate(path, 2 * SMALL_BYTES), 0);
	third.packets--;
	third.events -= 10;
	assert_int_equal(write_packets(&files, &third, 3, 20), 3);
	assert_int_equal(size_in(&trace, "index/stream-3.idx"), -1);
	in_trace(path, &trace, "index");
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(write_packets(&files, &other, 3, 10), 3);
	assert_int_equal(files.error, 0);
	assert_int_equal(count_events(trace.path, NULL), 200);
}

static bool mount_small(const char *options)
{
	mkdir("small", 0700);
	if (mount("none", "small", "tmpfs", 0, options)) {
		return false;
	}
	return true;
}

static void a_full_disk_keeps_whole_packets_and_goes_on(void **state)
{
	struct source s = { &trace, 1, 0, 0 };
	unsigned long events;

	(void)state;
	if (!mount_small("size=1m")) {
		skip_because(SKIP_MOUNT);
	}
	assert_int_equal(system("head -c 500000 /dev/zero > small/ballast"), 0);
	begin("small/trace.ctf");
	size_t written = write_packets(&files, &s, 40, 2000); /* 48 KiB each */

	assert_true(written > 0 && written < 40);
	assert_int_equal(files.error, ENOSPC);
	assert_int_equal(size_in(&trace, "stream-1"), written * 49152);
	events = count_events(trace.path, NULL);
	assert_int_equal(events, written * 2000);
	assert_int_equal(write_packets(&files, &s, 40, 2000), 0);
	assert_int_equal(size_in(&trace, "stream-1"), written * 49152);
	unlink("small/ballast");
	assert_true(write_packets(&files, &s, 5, 2000) == 5);
	assert_int_equal(files.error, 0);
	events = count_events(trace.path, NULL);
	waymark_ctf_pause(&files);
	umount2("small", MNT_DETACH);
	assert_int_equal(events, (written + 5) * 2000);
}

static unsigned int limited_events; /* events per packet; not quite three packets fit */

static void write_beyond_the_limit(void)
{
	rlim_t most = limited_events == SMALL_EVENTS ? 3 * SMALL_BYTES - 1 : 100000;
	struct source s = { &trace, 1, 0, 0 };
	struct guard guard;

	begin("limited.ctf");
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ most, most });
	waymark_guard_begin(&guard);
	size_t written = write_packets(&files, &s, 5, limited_events);

	waymark_guard_end(&guard);
	exit(written == 2 && files.error == EFBIG ? 0 : 1);
}

static void a_size_limit_keeps_whole_packets(void **state)
{
	static const unsigned int events[] = { 2000, SMALL_EVENTS };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		limited_events = events[i];
		assert_int_equal(run(write_beyond_the_limit), 0);
		assert_int_equal(count_events("limited.ctf", NULL), 2 * events[i]);
		assert_int_equal(system("rm -r limited.ctf"), 0);
	}
}

#define PIECE_BYTES (14 * (sizeof(struct packet_header) + 300 * PAIR_BYTES))

static void pieces_are_a_trace_each_and_together(void **state)
{
	struct source a = { &trace, 1, 0, 0 };
	struct source b = { &trace, 12, 0, 0 };

	(void)state;
	begin_trace(&trace, &files, make_config("pieces.ctf", 100000, 0));
	for (int i = 0; i < 10; i++) { /* 7288 bytes each */
		assert_int_equal(write_packets(&files, &a, 5, 300), 5);
		assert_int_equal(write_packets(&files, &b, 5, 300), 5);
	}
	assert_int_equal(files.piece, 7); /* each has fourteen packets */
	assert_int_equal(size_in(&trace, "stream-1") + size_in(&trace, "stream-12"), PIECE_BYTES);
	assert_int_equal(
		size_in(&trace, "stream-1-1") + size_in(&trace, "stream-12-1"), PIECE_BYTES);
	assert_int_equal(count_events(trace.path, NULL), 30000);
}

static void old_pieces_go(void **state)
{
	struct source a = { &trace, 1, 0, 0 };
	struct source b = { &trace, 12, 0, 0 };

	(void)state;
	begin_trace(&trace, &files, make_config("keep.ctf", 100000, 2));
	for (int i = 0; i < 10; i++) {
		assert_int_equal(write_packets(&files, &a, 5, 300), 5);
		assert_int_equal(write_packets(&files, &b, 5, 300), 5);
	}
	assert_int_equal(files.piece, 7);
	assert_int_equal(size_in(&trace, "stream-1"), -1);
	assert_int_equal(size_in(&trace, "stream-12-5"), -1);
	assert_int_equal(size_in(&trace, "index/stream-12-5.idx"), -1);
	assert_int_equal(
		size_in(&trace, "stream-1-6") + size_in(&trace, "stream-12-6"), PIECE_BYTES);
	assert_true(size_in(&trace, "index/stream-1-6.idx") > 0);
	assert_int_equal(count_events(trace.path, NULL), (14 + 2) * 300);
	waymark_ctf_pause(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(small_packets_lie_back_to_back_and_large_ones_end_aligned),
		cmocka_unit_test(nothing_but_events_leaves_the_process),
		cmocka_unit_test(a_file_is_continued_where_it_ended),
		cmocka_unit_test(an_index_that_is_not_true_goes),
		cmocka_unit_test(a_full_disk_keeps_whole_packets_and_goes_on),
		cmocka_unit_test(a_size_limit_keeps_whole_packets),
		cmocka_unit_test(pieces_are_a_trace_each_and_together),
		cmocka_unit_test(old_pieces_go),
	};

	return run_judged(tests);
}
