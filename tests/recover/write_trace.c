/* SPDX-License-Identifier: MIT */
/* Writes a native trace with every kind of argument: write_trace DIRECTORY */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "decl/decl.h"
#include "write/metadata.h"
#include "write/packet_file.h"
#include "output/file.h"

static const char declarations[] =
	"all(int8_t a, uint16_t b, int c, uint64_t d, char e, bool f, void *g, const char *s) \"%d %u %d %\"PRIu64\" %c %d %p %s\"\n"
	"none(void) \"ends */ a comment\"\n"
	"lengths(const char *s, uint32_t s_length, int s_length_) \"%s %u %d\"\n";

static struct packet_header header = {
	.magic = PACKET_MAGIC,
	.uuid = { 0xab, 2, 3 },
	.stream_instance_id = 1,
	.tid = 77,
};

static bool read_declarations(struct model *m)
{
	static const struct source source = { "events", declarations, sizeof(declarations) - 1 };
	static const struct decl_options options = { .lenient = true };
	struct diag diag;

	model_init(m);
	diag_init(&diag);
	bool ok = decl_read(m, &diag, &source, &options);

	diag_fini(&diag);
	return ok;
}

static int write_metadata(int directory)
{
	struct ctf_text_trace trace = {
		.hostname = "a \"host\"",
		.procname = "back\\slash\n",
		.boot_id = "01234567-89ab-cdef-0123-456789abcdef",
		.pid = 4242,
		.clock = { .freq = 1000000000, .offset_s = 1700000000, .offset = 5 },
	};
	struct out text;
	struct model m;
	bool changed;

	if (!read_declarations(&m)) {
		return 1;
	}
	out_init(&text, OUT_TO_MEMORY);
	memcpy(trace.uuid, header.uuid, sizeof(trace.uuid));
	metadata_put_head(&text, &trace);
	for (uint16_t i = 0; i < m.events.count; i++) {
		metadata_put_event(&text, (uint16_t)(i + 1), m.events.items[i], 0);
	}
	model_fini(&m);
	int error = output_file_write(directory, CTF_METADATA, &text, &changed);

	out_fini(&text);
	return error;
}

static size_t put(unsigned char *packet, size_t at, const void *p, size_t n, size_t align)
{
	at = (at + align - 1) / align * align;
	memcpy(packet + at, p, n);
	return at + n;
}

static size_t put_number(unsigned char *packet, size_t at, uint64_t v, size_t size)
{
	return put(packet, at, &v, size, size);
}

static size_t put_text(unsigned char *packet, size_t at, const char *s, size_t length)
{
	at = put_number(packet, at, length, 4);
	return put(packet, at, s, length, 1);
}

static size_t put_events(unsigned char *packet, uint64_t now)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 1, 1, 8 };
	size_t at = sizeof(header);

	at = put_number(packet, at, now << PACKET_ID_BITS | 1, 8);
	for (size_t i = 0; i < sizeof(sizes); i++) {
		at = put_number(packet, at, UINT64_MAX, sizes[i]);
	}
	at = put_text(packet, at, "abc", 3);
	at = put_number(packet, at, (now + 1) << PACKET_ID_BITS | 2, 8);
	at = put_number(packet, at, (now + 2) << PACKET_ID_BITS | 3, 8);
	at = put_text(packet, at, "", 0);
	at = put_number(packet, at, 5, 4);
	return put_number(packet, at, 6, 4);
}

static int write_stream(int directory)
{
	static unsigned char packet[PACKET_BYTES_MAX];
	struct packet_file f;
	bool changed;
	int error = packet_file_open(&f, directory, "stream-1", O_RDWR | O_CREAT | O_EXCL);

	for (uint64_t i = 1; i <= 4 && !error; i++) {
		header.sequence = i;
		header.timestamp_begin = 1000 * i;
		header.timestamp_end = i == 2 ? PACKET_OPEN : 1000 * i + 2;
		/* The third packet has no event. */
		header.content_size = 8 * (i == 3 ? sizeof(header) : put_events(packet, 1000 * i));
		memcpy(packet, &header, sizeof(header));
		error = packet_file_append(&f, packet, 1000 * i + 2);
	}
	error = error ? error : packet_file_write_index(&f, directory, "stream-1", &changed);
	packet_file_close(&f);
	return error;
}

int main(int argc, char **argv)
{
	if (argc != 2 || mkdir(argv[1], 0777) != 0) {
		return 2;
	}
	int directory = open(argv[1], O_RDONLY | O_DIRECTORY);
	int error = write_metadata(directory);

	error = error ? error : write_stream(directory);
	if (error) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(error));
	}
	return error ? 1 : 0;
}
