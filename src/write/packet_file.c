/* SPDX-License-Identifier: MIT */
/*
 * Writes stream files and their indexes, see write/packet_file.h. An index is kept in memory and
 * written as a whole when the file is complete.
 */
#include "write/packet_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/file.h"

int packet_file_open(struct packet_file *f, int directory, const char *name, int flags)
{
	*f = (struct packet_file){ .fd = openat(
					   directory, name, flags | O_CLOEXEC | O_NOFOLLOW, 0666) };
	return f->fd < 0 ? errno : 0;
}

int packet_file_close(struct packet_file *f)
{
	int error = f->fd >= 0 && close(f->fd) != 0 ? errno : 0;

	f->fd = -1;
	vec_fini(&f->index);
	return error;
}

int packet_write_all(int fd, const void *p, size_t n, uint64_t offset)
{
	const char *from = p;

	while (n > 0) {
		ssize_t done = pwrite(fd, from, n, (off_t)offset);

		if (done < 0 && errno == EINTR) {
			continue;
		}
		if (done <= 0) {
			return done < 0 ? errno : EIO;
		}
		from += done;
		offset += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

void packet_file_note(struct packet_file *f, const struct packet_header *h)
{
	const struct ctf_index_record record = {
		.offset = f->end,
		.packet_size = h->packet_size,
		.content_size = h->content_size,
		.timestamp_begin = h->timestamp_begin,
		.timestamp_end = h->timestamp_end,
		.events_discarded = h->events_discarded,
		.stream_id = h->stream_id,
		.stream_instance_id = h->stream_instance_id,
		.sequence = h->sequence,
	};

	vec_push(&f->index, record);
	f->end += h->packet_size / 8;
}

int packet_file_append(struct packet_file *f, unsigned char *packet, uint64_t end)
{
	struct packet_header h;

	memcpy(&h, packet, sizeof(h));
	size_t content = (size_t)(h.content_size / 8);
	size_t bytes = packet_padded(content);

	h.packet_size = 8 * (uint64_t)bytes;
	h.timestamp_end = h.timestamp_end == PACKET_OPEN ? end : h.timestamp_end;
	memcpy(packet, &h, sizeof(h));
	memset(packet + content, 0, bytes - content);
	int error = packet_write_all(f->fd, packet, bytes, f->end);

	if (error) {
		/* Removes a partial packet, which would make the trace unreadable. */
		return ftruncate(f->fd, (off_t)f->end) == 0 ? error : errno;
	}
	packet_file_note(f, &h);
	return 0;
}

int packet_file_write_index(
	const struct packet_file *f, int directory, const char *name, bool *changed)
{
	const struct ctf_index_header header = CTF_INDEX_HEADER;
	enum { NUMBERS = sizeof(struct ctf_index_record) / sizeof(uint64_t) };
	char path[300];
	struct out content;

	if (mkdirat(directory, CTF_INDEX, 0777) != 0 && errno != EEXIST) {
		return errno;
	}
	snprintf(path, sizeof(path), "%s/%s%s", CTF_INDEX, name, CTF_INDEX_SUFFIX);
	out_init(&content, OUT_TO_MEMORY);
	out_bytes(&content, &header, sizeof(header));
	vec_foreach (const struct ctf_index_record *, it, &f->index) {
		uint64_t numbers[NUMBERS];

		memcpy(numbers, it, sizeof(numbers));
		for (int i = 0; i < NUMBERS; i++) {
			numbers[i] = htobe64(numbers[i]);
		}
		out_bytes(&content, numbers, sizeof(numbers));
	}
	int error = output_file_write(directory, path, &content, changed);

	out_fini(&content);
	return error;
}
