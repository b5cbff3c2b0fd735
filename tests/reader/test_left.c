/* SPDX-License-Identifier: MIT */
/*
 * Packets that a follower reads from memory while the program runs: the scan reads one after the
 * other, and may pass an open packet just before it is closed. The test replaces the buffer, which
 * changes between two scans.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/packet.h"
#include "read/ctf/stream.h"

#define READ 1024u

bool __wrap_buffer_source_look_again(const struct buffer_source *s, struct buffer_packet *p);
bool __wrap_buffer_source_copy_from(
	struct buffer_source *s, const struct buffer_packet *p, size_t from, unsigned char *buffer);

/* Bytes of the first packet at this moment; 0: it has left memory. */
static size_t content_now;

/* Sequence and offset of the last copied packet; 0: no packet was copied. */
static uint64_t copied;
static size_t copied_from;

bool __wrap_buffer_source_look_again(const struct buffer_source *s, struct buffer_packet *p)
{
	(void)s;
	if (p->header.sequence == 5) {
		p->content_bytes = content_now;
		p->header.timestamp_end = 50;
	}
	return p->content_bytes > 0;
}

/* Stores the packet's sequence and offset, and fails: the packet has left memory. */
bool __wrap_buffer_source_copy_from(
	struct buffer_source *s, const struct buffer_packet *p, size_t from, unsigned char *buffer)
{
	(void)s;
	(void)buffer;
	copied = p->header.sequence;
	copied_from = from;
	return false;
}

struct listed {
	struct buffer_packet packets[2];
	struct ctf_stream stream;
	struct ctf_trace trace;
};

/* Packet 5 was read while it was open; the list contains it so, and the packet after it. */
static void list(struct listed *l)
{
	memset(l, 0, sizeof(*l));
	for (size_t i = 0; i < 2; i++) {
		l->packets[i].header.sequence = 5 + i;
		l->packets[i].header.timestamp_end = PACKET_OPEN;
		l->packets[i].offset = 65536 * (i + 1);
		l->packets[i].content_bytes = READ;
	}
	l->stream.left = l->packets;
	l->stream.left_count = 2;
	l->stream.sequence = 5;
	l->stream.resume = READ;
	l->stream.is_open = true;
	l->trace.is_live = true;
	copied = copied_from = 0;
}

static enum ctf_step next(struct listed *l)
{
	struct read_error error;

	return ctf_stream_next(&l->stream, &l->trace, &error);
}

static void what_came_before_it_was_closed_is_read(void **state)
{
	struct listed l;

	(void)state;
	list(&l);
	content_now = READ + 64;
	next(&l);
	assert_int_equal(copied, 5);
	assert_int_equal(copied_from, READ);
	free(l.stream.copy);
}

static void closed_with_nothing_new_it_is_done_with(void **state)
{
	struct listed l;

	(void)state;
	list(&l);
	content_now = READ;
	next(&l);
	assert_int_equal(copied, 6);
	assert_false(l.stream.is_open);
	free(l.stream.copy);
}

static void a_packet_gone_from_memory_is_searched_in_files_first(void **state)
{
	struct listed l;

	(void)state;
	list(&l);
	content_now = 0;
	assert_int_equal(next(&l), CTF_SKIPPED);
	assert_int_equal(copied, 0);
	assert_int_equal(l.stream.left_count, 1);
	next(&l);
	assert_int_equal(copied, 6);
	free(l.stream.copy);
}

#define PACKET 4096u

/* Appends bytes of packet `number`, from `from` to `to`, to the file. */
static void append(int fd, uint64_t number, size_t from, size_t to)
{
	static unsigned char packet[PACKET];
	const struct packet_header header = {
		.magic = PACKET_MAGIC,
		.timestamp_begin = number,
		.timestamp_end = number,
		.content_size = 8 * (sizeof(header) + 16),
		.packet_size = 8 * PACKET,
		.sequence = number,
	};

	memcpy(packet, &header, sizeof(header));
	assert_int_equal(write(fd, packet + from, to - from), to - from);
}

/* The file is read twice while its writer is in the middle of a packet. */
static void a_packet_keeps_its_number_when_it_is_read_again(void **state)
{
	char folder[] = "/tmp/test_left.XXXXXX";
	static const struct ctf_file file = { .name = "stream-0" };
	struct listed l = { .trace = { .is_live = true, .last_ticks = PACKET_OPEN } };
	struct read_error error;

	(void)state;
	assert_non_null(mkdtemp(folder));
	l.trace.directory = open(folder, O_RDONLY | O_DIRECTORY);
	int fd = openat(l.trace.directory, file.name, O_WRONLY | O_CREAT | O_APPEND, 0600);

	append(fd, 1, 0, PACKET);
	append(fd, 2, 0, 100);
	ctf_stream_point(&l.stream, &file, 1);
	assert_int_equal(next(&l), CTF_PACKET);
	assert_int_equal(next(&l), CTF_LAST);
	append(fd, 2, 100, 200);
	ctf_stream_point(&l.stream, &file, 1);
	assert_int_equal(next(&l), CTF_LAST);
	append(fd, 2, 200, PACKET);
	append(fd, 2, 0, PACKET);
	ctf_stream_point(&l.stream, &file, 1);
	assert_int_equal(next(&l), CTF_PACKET);
	assert_int_equal(l.stream.number, 2);
	ctf_stream_hold(&l.stream);
	assert_int_equal(next(&l), CTF_PACKET);
	ctf_stream_fail(&l.stream, &error, "is held");
	assert_string_equal(error.text, "stream-0: packet 2 at byte 4096: is held");
	ctf_stream_close(&l.stream);
	close(fd);
	unlinkat(l.trace.directory, file.name, 0);
	close(l.trace.directory);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_came_before_it_was_closed_is_read),
		cmocka_unit_test(closed_with_nothing_new_it_is_done_with),
		cmocka_unit_test(a_packet_gone_from_memory_is_searched_in_files_first),
		cmocka_unit_test(a_packet_keeps_its_number_when_it_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
