/* SPDX-License-Identifier: MIT */
/*
 * Appends packets to the files of their streams, past the page cache where the
 * file system allows it. Nothing that was written is written again, so readers
 * can follow. Under the drain lock.
 */
#include <errno.h>
#include <sys/uio.h>

#include "rt/ctf/io.h"
#include "rt/ctf/stream.h"

static void count_progress(struct ctf_files *f)
{
	__atomic_store_n(&f->progress, f->progress + 1, __ATOMIC_RELAXED);
}

/* Begins the next piece when this one is full. */
static void rotate(struct ctf_files *f)
{
	const struct ctf_config *config = f->trace->config;

	if (!config || !config->rotate || f->piece_bytes < config->rotate) {
		return;
	}
	waymark_ctf_pause(f);
	f->piece++;
	f->piece_bytes = 0;
	if (config->keep) {
		waymark_ctf_remove_pieces(f, config->keep);
	}
}

/* Gives the packet the size that it has in a file; no stale bytes leave the process. */
static size_t finish_packet(struct packet_header *packet)
{
	size_t content = packet->content_size / 8;
	size_t size = (content + PACKET_FILE_ALIGN - 1) / PACKET_FILE_ALIGN * PACKET_FILE_ALIGN;

	memset((char *)packet + content, 0, size - content);
	packet->packet_size = size * 8;
	return size;
}

/*
 * How many packets go with one call, and what they need;
 * the one that fills the piece is the last.
 */
static size_t gather(const struct ctf_files *f, struct packet_header *const *packets, size_t count,
	uint64_t *bytes)
{
	const struct ctf_config *config = f->trace->config;
	uint64_t room = config && config->rotate ? config->rotate - f->piece_bytes : UINT64_MAX;
	size_t n = 0;

	*bytes = 0;
	while (n < count && n < CTF_GATHER && *bytes < room) {
		*bytes += finish_packet(packets[n++]);
	}
	return n;
}

/* Packets of one call: what of them goes to the file. */
struct batch {
	struct packet_header *const *packets;
	size_t count;
	uint64_t bytes;
	uint64_t evicted; /* the file's headers tell so much more as lost */
	int parts;
	struct iovec part[2 * CTF_GATHER];
};

static void add_part(struct batch *b, void *data, size_t size)
{
	b->part[b->parts].iov_base = data;
	b->part[b->parts++].iov_len = size;
}

/* Whether the file gets the packet as the arena has it, which may be another trace's first. */
static bool is_as_it_is(
	const struct ctf_files *f, const struct batch *b, const struct packet_header *packet)
{
	return !b->evicted && memcmp(packet->uuid, f->trace->uuid, sizeof(packet->uuid)) == 0;
}

/* The packets as they are; or, where those do not tell the truth, with copies of their heads. */
static void make_parts(struct ctf_files *f, struct batch *b)
{
	b->parts = 0;
	for (size_t i = 0; i < b->count; i++) {
		char *packet = (char *)b->packets[i];
		size_t size = b->packets[i]->packet_size / 8;
		struct packet_header *head = (void *)f->pages[i];

		if (is_as_it_is(f, b, b->packets[i])) {
			add_part(b, packet, size);
			continue;
		}
		memcpy(f->pages[i], packet, PACKET_FILE_ALIGN);
		memcpy(head->uuid, f->trace->uuid, sizeof(head->uuid));
		head->events_discarded += b->evicted;
		add_part(b, head, PACKET_FILE_ALIGN);
		if (size > PACKET_FILE_ALIGN) {
			add_part(b, packet + PACKET_FILE_ALIGN, size - PACKET_FILE_ALIGN);
		}
	}
}

/* The first `done` bytes of what is left are in the file. */
static void drop_parts(struct batch *b, size_t done)
{
	int first = 0;

	while (first < b->parts && done >= b->part[first].iov_len) {
		done -= b->part[first++].iov_len;
	}
	b->parts -= first;
	memmove(b->part, b->part + first, (size_t)b->parts * sizeof(b->part[0]));
	if (b->parts) {
		b->part[0].iov_base = (char *)b->part[0].iov_base + done;
		b->part[0].iov_len -= done;
	}
}

/* Alignment that this file system does not like: the page cache takes anything. */
static bool stop_direct(struct ctf_file *file)
{
	if (!file->direct) {
		return false;
	}
	file->direct = false;
	return fcntl(file->fd, F_SETFL, fcntl(file->fd, F_GETFL) & ~O_DIRECT) == 0;
}

/* Writes packets behind the file's end; returns how many bytes it took, less with errno. */
static uint64_t write_parts(struct ctf_files *f, struct ctf_file *file, struct batch *b)
{
	uint64_t done = 0;

	make_parts(f, b);
	while (b->parts > 0) {
		uint64_t at = file->size + done;
		long taken = syscall(SYS_pwritev, file->fd, b->part, b->parts, (unsigned long)at,
			(unsigned long)(at >> 32));

		count_progress(f);
		if (taken > 0) {
			done += (uint64_t)taken;
			drop_parts(b, (size_t)taken);
		} else if (taken == 0) {
			errno = EIO;
			break;
		} else if (errno != EINTR && !(errno == EINVAL && stop_direct(file))) {
			break;
		}
	}
	return done;
}

/* Writes packets that go with one call; returns how many were written whole, less with errno. */
static size_t write_batch(struct ctf_files *f, struct ctf_file *file, struct batch *b)
{
	uint64_t taken = write_parts(f, file, b);
	int why = errno;
	uint64_t whole = 0;
	size_t n = 0;

	while (n < b->count && whole + b->packets[n]->packet_size / 8 <= taken) {
		whole += b->packets[n++]->packet_size / 8;
	}
	file->size += whole;
	f->piece_bytes += whole;
	if (taken < b->bytes) {
		waymark_ctf_cut(file, file->size);
	}
	if (n) {
		f->has_events = true;
		waymark_ctf_index_add(f, file, b->packets, n, b->evicted);
	}
	errno = why;
	return n;
}

size_t waymark_ctf_write(
	struct ctf_files *f, struct packet_header *const *packets, size_t count, uint64_t evicted)
{
	size_t done = 0;
	int error = 0;

	while (done < count && !error) {
		rotate(f);
		/* Now: nobody has the packets but us, so all of their events have their ids. */
		struct ctf_file *file =
			waymark_ctf_declare(f->trace)
				? waymark_ctf_get_file(f, packets[done]->stream_instance_id)
				: NULL;
		struct batch b = { .packets = packets + done, .evicted = evicted };

		count_progress(f);
		if (!file) {
			error = errno;
			break;
		}
		b.count = gather(f, b.packets, count - done, &b.bytes);
		size_t written = write_batch(f, file, &b);

		error = written < b.count ? errno : 0;
		done += written;
	}
	waymark_ctf_fail(f, error);
	return done;
}
