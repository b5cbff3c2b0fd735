/* SPDX-License-Identifier: MIT */
/*
 * Appends packets to the files of their streams, past the page cache if the file system allows
 * that. Nothing that was written is written again, so readers can follow. Under the drain lock.
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

static bool is_aligned(uint64_t bytes)
{
	return bytes % PACKET_FILE_ALIGN == 0;
}

/* The packets of one system call. */
struct batch {
	struct packet_header *const *packets;
	size_t count;
	uint64_t at; /* the file's end before the call */
	uint64_t bytes;
	uint64_t evicted; /* evicted events, added to the losses in the headers in the file */
	bool direct; /* past the page cache: all are large, and `at` is aligned */
	int parts;
	struct iovec part[2 * CTF_GATHER + 1];
};

/*
 * Counts the packets that one call writes, all with O_DIRECT or all without. The last is a packet
 * that fills the piece or, without O_DIRECT, one after which the file's end is aligned, because the
 * next may be written with O_DIRECT.
 */
static void gather(const struct ctf_files *f, struct batch *b, size_t count)
{
	const struct ctf_config *config = f->trace->config;
	uint64_t room = config && config->rotate ? config->rotate - f->piece_bytes : UINT64_MAX;

	b->direct = is_aligned(b->at) && ctf_is_large(b->packets[0]);
	do {
		b->bytes += ctf_packet_bytes(b->packets[b->count++], b->at + b->bytes);
	} while (b->count < count && b->count < CTF_GATHER && b->bytes < room &&
		 (b->direct ? ctf_is_large(b->packets[b->count]) : !is_aligned(b->at + b->bytes)));
}

static void add_part(struct batch *b, const void *data, size_t size)
{
	b->part[b->parts].iov_base = (void *)(uintptr_t)data;
	b->part[b->parts++].iov_len = size;
}

/*
 * True if the file gets the packet as it is in the buffer. Its header may name a former trace, and
 * its memory may have no room for the padding that aligns the file's end.
 */
static bool is_as_it_is(
	const struct ctf_files *f, const struct batch *b, const struct packet_header *packet)
{
	return !b->evicted && memcmp(packet->uuid, f->trace->uuid, sizeof(packet->uuid)) == 0 &&
	       (b->direct || !ctf_is_large(packet));
}

/* Adds the packet with a copy of its head, which has the header that the file needs. */
static void add_changed(struct ctf_files *f, struct batch *b, size_t i, size_t size)
{
	static const char zeros[PACKET_FILE_ALIGN];
	const char *packet = (const char *)b->packets[i];
	bool is_aligning = !b->direct && ctf_is_large(b->packets[i]);
	size_t there = is_aligning ? b->packets[i]->content_size / 8 : size;
	size_t head = there < PACKET_FILE_ALIGN ? there : PACKET_FILE_ALIGN;
	struct packet_header *copy = (void *)f->pages[i];

	memcpy(copy, packet, head);
	memcpy(copy->uuid, f->trace->uuid, sizeof(copy->uuid));
	copy->events_discarded += b->evicted;
	copy->packet_size = size * 8;
	add_part(b, copy, head);
	if (there > head) {
		add_part(b, packet + head, there - head);
	}
	if (size > there) {
		add_part(b, zeros, size - there);
	}
}

/* Lists the packets: unchanged, or with copies of their heads if they need another header. */
static void make_parts(struct ctf_files *f, struct batch *b)
{
	uint64_t at = b->at;

	b->parts = 0;
	for (size_t i = 0; i < b->count; i++) {
		struct packet_header *packet = b->packets[i];
		size_t content = packet->content_size / 8;
		size_t size = ctf_packet_bytes(packet, at);

		at += size;
		if (b->direct || !ctf_is_large(packet)) { /* no stale bytes leave the process */
			memset((char *)packet + content, 0, size - content);
		}
		if (is_as_it_is(f, b, packet)) {
			packet->packet_size = size * 8;
			add_part(b, packet, size);
		} else {
			add_changed(f, b, i, size);
		}
	}
}

/* Drops the first `done` bytes of the remaining parts, which are in the file. */
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

/* Sets or clears O_DIRECT, if the file system allows it. */
static void set_direct(struct ctf_file *file, bool direct)
{
	if (file->direct == direct || (direct && file->never_direct)) {
		return;
	}
	if (fcntl(file->fd, F_SETFL, direct ? O_DIRECT : 0) == 0) {
		file->direct = direct;
	} else {
		file->never_direct |= direct;
	}
}

/*
 * Call if the file system refused the alignment: continues through the page cache, which accepts
 * any.
 */
static bool stop_direct(struct ctf_file *file)
{
	if (!file->direct) {
		return false;
	}
	set_direct(file, false);
	file->never_direct = true;
	return !file->direct;
}

/* Writes packets after the file's end; returns how many bytes it took; if not all, sets errno. */
static uint64_t write_parts(struct ctf_files *f, struct ctf_file *file, struct batch *b)
{
	uint64_t done = 0;

	make_parts(f, b);
	set_direct(file, b->direct);
	while (b->parts > 0) {
		uint64_t at = b->at + done;
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

/* Writes the packets of one call; returns how many were written whole; if not all, sets errno. */
static size_t write_batch(struct ctf_files *f, struct ctf_file *file, struct batch *b)
{
	uint64_t taken = write_parts(f, file, b);
	int why = errno;
	uint64_t whole = 0;
	size_t n = 0;

	for (uint64_t next = 0; n < b->count; whole = next, n++) {
		next = whole + ctf_packet_bytes(b->packets[n], b->at + whole);
		if (next > taken) {
			break;
		}
	}
	if (n) {
		f->has_events = true;
		waymark_ctf_index_add(f, file, b->packets, n, b->evicted);
	}
	file->size += whole;
	f->piece_bytes += whole;
	if (taken < b->bytes) {
		ctf_cut(file, file->size);
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
		/* Not earlier, because only events of closed packets are sure to have their ids. */
		struct ctf_file *file =
			waymark_ctf_declare(f->trace)
				? waymark_ctf_get_file(f, packets[done]->stream_instance_id)
				: NULL;

		count_progress(f);
		if (!file) {
			error = errno;
			break;
		}
		struct batch b = {
			.packets = packets + done, .at = file->size, .evicted = evicted
		};

		gather(f, &b, count - done);
		size_t written = write_batch(f, file, &b);

		error = written < b.count ? errno : 0;
		done += written;
	}
	waymark_ctf_fail(f, error);
	return done;
}
