/* SPDX-License-Identifier: MIT */
/* Makes buffer files byte by byte, in a folder that replaces /dev/shm. */
#ifndef TESTS_BUFFER_FIXTURE_H
#define TESTS_BUFFER_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../common/folder.h"
#include "read/buffer.h"

#define FIXTURE_BYTES (UINT64_C(256) << 20)
#define FIXTURE_FIRST 8u

struct fixture {
	char folder[256];
	char path[320];
	char *memory; /* the former WAYMARK_SHM; NULL: not set */
	int fd;
	struct buffer_file header;
	struct buffer_source *source;
};

static const uint8_t fixture_uuid[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0xfe };

static inline void put_at(const struct fixture *f, const void *p, size_t n, uint64_t offset)
{
	assert_int_equal(pwrite(f->fd, p, n, (off_t)offset), n);
}

static inline void put_buffer_header(const struct fixture *f)
{
	put_at(f, &f->header, sizeof(f->header), 0);
}

static inline struct packet_header made_packet(uint64_t stream, uint64_t sequence, size_t content)
{
	struct packet_header h = {
		.magic = PACKET_MAGIC,
		.stream_instance_id = stream,
		.timestamp_begin = 1000 * sequence,
		.timestamp_end = PACKET_OPEN,
		.content_size = 8 * content,
		.packet_size = 8 * BUFFER_UNIT,
		.sequence = sequence,
		.tid = 77,
	};

	memcpy(h.uuid, fixture_uuid, sizeof(h.uuid));
	return h;
}

/* The content consists of the byte `sequence`. */
static inline void put_packet(
	const struct fixture *f, unsigned int unit, const struct packet_header *h)
{
	static unsigned char content[PACKET_BYTES_MAX];
	size_t n = h->content_size / 8 < sizeof(content) ? h->content_size / 8 : sizeof(content);

	memset(content, (int)h->sequence, n);
	if (n > sizeof(*h)) {
		put_at(f, content + sizeof(*h), n - sizeof(*h), unit * BUFFER_UNIT + sizeof(*h));
	}
	put_at(f, h, sizeof(*h), unit * BUFFER_UNIT);
}

static inline int fixture_open(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->memory = getenv("WAYMARK_SHM") ? strdup(getenv("WAYMARK_SHM")) : NULL;
	if (!make_memory(f->folder, sizeof(f->folder)) ||
		setenv("WAYMARK_SHM", f->folder, 1) != 0) {
		return -1;
	}
	snprintf(
		f->path, sizeof(f->path), "%s/waymark-0102030405060708090a0b0c0d0e0ffe", f->folder);
	f->fd = open(f->path, O_RDWR | O_CREAT | O_EXCL, 0600);
	f->header = (struct buffer_file){
		.magic = BUFFER_FILE_MAGIC,
		.version = BUFFER_FILE_VERSION,
		.first_unit = FIXTURE_FIRST,
		.bytes = FIXTURE_BYTES,
		.pid = 4242,
		.streams = 3,
		.streams_offset = 16384,
		.begin = { 1000, 5000, 1700000000000000000 },
		.now = { 2500001000, 1000005000, 1700000001000000000 },
	};
	memcpy(f->header.uuid, fixture_uuid, sizeof(f->header.uuid));
	memcpy(f->header.traces[0].uuid, fixture_uuid, sizeof(f->header.uuid));
	strcpy(f->header.traces[0].directory, f->folder);
	f->header.traces[1] = f->header.traces[0];
	*state = f;
	return ftruncate(f->fd, (off_t)FIXTURE_BYTES);
}

static inline int fixture_close(void **state)
{
	struct fixture *f = *state;

	buffer_source_close(f->source);
	close(f->fd);
	unlink(f->path);
	rmdir(f->folder);
	if (f->memory ? setenv("WAYMARK_SHM", f->memory, 1) : unsetenv("WAYMARK_SHM")) {
		return -1;
	}
	free(f->memory);
	free(f);
	return 0;
}

/* Opens the buffer; returns 0 or an errno. */
static inline int open_buffer(struct fixture *f)
{
	int error = 0;

	buffer_source_close(f->source);
	f->source = buffer_source_open(f->folder, fixture_uuid, &error);
	return error;
}

static inline size_t scan(struct fixture *f, const struct buffer_packet **packets)
{
	return buffer_source_scan(f->source, packets);
}

#endif
