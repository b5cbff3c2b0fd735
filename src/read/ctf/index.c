/* SPDX-License-Identifier: MIT */
/*
 * Compares index files with stream files. Every record of an index is checked before any packet
 * counts as missing. Called by open.c and by recovery.
 */
#include "read/ctf/index.h"

#include <dirent.h>
#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ctf.h"
#include "format/packet.h"
#include "read/bytes.h"

#define RECORD sizeof(struct ctf_index_record)
#define HEADER sizeof(struct ctf_index_header)

/* An index and its stream. */
struct index {
	int fd;
	uint64_t records;
	int stream_fd; /* -1: there is no file */
	uint64_t stream_bytes;
};

/* Reads records from a number on; returns how many. */
static size_t read_records_at(
	const struct index *x, uint64_t number, struct ctf_index_record *r, size_t count)
{
	ssize_t bytes = pread(x->fd, r, count * RECORD, (off_t)(HEADER + number * RECORD));
	size_t done = bytes > 0 ? (size_t)bytes / RECORD : 0;
	uint64_t *numbers = (uint64_t *)r;

	for (size_t i = 0; i < done * RECORD / sizeof(*numbers); i++) {
		numbers[i] = be64toh(numbers[i]);
	}
	return done;
}

static bool read_record(const struct index *x, uint64_t number, struct ctf_index_record *r)
{
	return read_records_at(x, number, r, 1) == 1;
}

/* Opens a regular file; returns -1 if there is none of that name. */
static int open_regular(int directory, const char *name, uint64_t *bytes)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	*bytes = 0;
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	*bytes = fd >= 0 ? (uint64_t)st.st_size : 0;
	return fd;
}

static bool open_index(struct index *x, int directory, const char *name)
{
	char path[300];
	struct ctf_index_header h;
	uint64_t bytes;

	snprintf(path, sizeof(path), "%s/%s", CTF_INDEX, name);
	x->fd = open_regular(directory, path, &bytes);
	if (x->fd < 0 || pread(x->fd, &h, HEADER, 0) != (ssize_t)HEADER ||
		be32toh(h.magic) != CTF_INDEX_MAGIC || be32toh(h.major) != CTF_INDEX_MAJOR ||
		be32toh(h.record_bytes) != RECORD) {
		return false;
	}
	x->records = (bytes - HEADER) / RECORD;
	return x->records > 0;
}

static uint64_t end_of(const struct ctf_index_record *r)
{
	return r->offset + r->packet_size / 8;
}

/* True if the stream has the name of the file. */
static bool is_named(const char *name, uint64_t stream)
{
	char wanted[64];
	int n = snprintf(wanted, sizeof(wanted), CTF_STREAM "%" PRIu64, stream);

	return strncmp(name, wanted, (size_t)n) == 0 && (name[n] == '\0' || name[n] == '-');
}

/* True if the stream file is empty, or its first packet is the index's first. */
static bool is_of_stream(const struct index *x, const struct ctf_index_record *first, bool swap)
{
	unsigned char h[sizeof(struct packet_header)];

	if (x->stream_bytes < sizeof(h)) {
		return true;
	}
	return pread(x->stream_fd, h, sizeof(h), 0) == (ssize_t)sizeof(h) &&
	       load64(h + offsetof(struct packet_header, sequence), swap) == first->sequence &&
	       load64(h + offsetof(struct packet_header, timestamp_begin), swap) ==
		       first->timestamp_begin;
}

/* Checks all records; false if they are no index of that stream, or if no packet is missing. */
static bool read_records(const struct index *x, struct ctf_index_lost *lost, bool swap)
{
	struct ctf_index_record r = { 0 };
	uint64_t sequence = 0;
	uint64_t end = 0;

	for (uint64_t i = 0; i < x->records; i++) {
		if (!read_record(x, i, &r) || !is_named(lost->name, r.stream_instance_id) ||
			r.offset != end || r.sequence <= sequence ||
			r.packet_size / 8 < sizeof(struct packet_header) ||
			r.packet_size / 8 > PACKET_FILE_BYTES_MAX ||
			(i == 0 && !is_of_stream(x, &r, swap))) {
			return false;
		}
		sequence = r.sequence;
		end = end_of(&r);
		if (r.offset >= x->stream_bytes) {
			vec_push(&lost->sequences, sequence);
		}
	}
	lost->stream = r.stream_instance_id;
	lost->end = r.timestamp_end;
	lost->packets = (uint32_t)lost->sequences.count;
	return lost->sequences.count > 0;
}

/* Compares the index of the stream file `name` with that file. */
static void compare(struct ctf_index_losses *l, int directory, const char *name, bool swap)
{
	struct index x = { .fd = -1, .stream_fd = -1 };
	char entry[64 + sizeof(CTF_INDEX_SUFFIX)];
	struct ctf_index_lost lost = { 0 };
	struct ctf_index_record last;
	struct stat st;

	snprintf(entry, sizeof(entry), "%s%s", name, CTF_INDEX_SUFFIX);
	bool ok = open_index(&x, directory, entry);

	if (ok) {
		x.stream_fd = open_regular(directory, name, &x.stream_bytes);
		lost.is_gone = x.stream_fd < 0;
		lost.is_empty = x.stream_bytes == 0;
		/* If a file exists but cannot be opened, reading its stream reports it. */
		ok = !lost.is_gone || fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0;
	}
	if (ok && read_record(&x, x.records - 1, &last) && end_of(&last) > x.stream_bytes) {
		snprintf(lost.name, sizeof(lost.name), "%s", name);
		if (read_records(&x, &lost, swap)) {
			vec_push(&l->all, lost);
		} else {
			vec_fini(&lost.sequences);
		}
	}
	if (x.stream_fd >= 0) {
		close(x.stream_fd);
	}
	if (x.fd >= 0) {
		close(x.fd);
	}
}

/* Opens the index of a stream file; close x->fd in any case. */
static bool open_index_of(struct index *x, int directory, const char *name)
{
	char entry[64 + sizeof(CTF_INDEX_SUFFIX)];

	*x = (struct index){ .fd = -1 };
	snprintf(entry, sizeof(entry), "%s%s", name, CTF_INDEX_SUFFIX);
	return open_index(x, directory, entry);
}

static void close_index(const struct index *x)
{
	if (x->fd >= 0) {
		close(x->fd);
	}
}

/* Finds the number of the first packet that ends at a time or later; at most the last one's. */
static bool find_number(const struct index *x, uint64_t ticks, uint64_t *number)
{
	struct ctf_index_record r;
	uint64_t end = x->records - 1;

	*number = 0;
	while (*number < end) {
		uint64_t middle = *number + (end - *number) / 2;

		if (!read_record(x, middle, &r)) {
			return false;
		}
		if (r.timestamp_end < ticks) {
			*number = middle + 1;
		} else {
			end = middle;
		}
	}
	return true;
}

bool ctf_index_place(int directory, const char *name, uint64_t ticks, struct ctf_index_place *place)
{
	struct index x;
	bool is_there = open_index_of(&x, directory, name) &&
			find_number(&x, ticks, &place->number) &&
			read_record(&x, place->number, &place->record);

	if (is_there && place->number > 0) {
		is_there = read_record(&x, place->number - 1, &place->before);
	}
	close_index(&x);
	return is_there;
}

bool ctf_index_visit(int directory, const char *name,
	void (*visit)(void *data, const struct ctf_index_record *record), void *data)
{
	struct ctf_index_record records[64];
	struct index x;
	uint64_t done = 0;
	size_t count;
	bool is_there = open_index_of(&x, directory, name);

	while (is_there && (count = read_records_at(&x, done, records, ARRAY_SIZE(records)))) {
		for (size_t i = 0; i < count; i++) {
			visit(data, &records[i]);
		}
		done += count;
	}
	close_index(&x);
	return is_there;
}

static int by_name(const void *a, const void *b)
{
	const struct ctf_index_lost *x = a;
	const struct ctf_index_lost *y = b;

	return strverscmp(x->name, y->name);
}

/* Derives the stream file's name from its index's; false if that is no index. */
static bool take_name(char name[64], const char *entry)
{
	size_t n = strlen(entry);
	size_t suffix = strlen(CTF_INDEX_SUFFIX);

	if (n <= suffix || n - suffix >= 64 || strcmp(entry + n - suffix, CTF_INDEX_SUFFIX) != 0 ||
		strncmp(entry, CTF_STREAM, strlen(CTF_STREAM)) != 0) {
		return false;
	}
	memcpy(name, entry, n - suffix);
	name[n - suffix] = '\0';
	return true;
}

void ctf_index_find(struct ctf_index_losses *l, int directory, bool swap)
{
	int fd = openat(directory, CTF_INDEX, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *index = fd < 0 ? NULL : fdopendir(fd);
	char name[64];

	*l = (struct ctf_index_losses){ 0 };
	for (const struct dirent *e; index && (e = readdir(index));) {
		if (take_name(name, e->d_name)) {
			compare(l, directory, name, swap);
		}
	}
	if (index) {
		closedir(index);
	} else if (fd >= 0) {
		close(fd);
	}
	if (l->all.count > 1) {
		qsort(l->all.items, l->all.count, sizeof(*l->all.items), by_name);
	}
}

static void strike(struct ctf_index_lost *lost, uint64_t sequence)
{
	for (size_t i = 0; i < lost->sequences.count; i++) {
		if (lost->sequences.items[i] == sequence) {
			lost->sequences.items[i] = lost->sequences.items[--lost->sequences.count];
			return;
		}
	}
}

void ctf_index_find_left(
	struct ctf_index_losses *l, const struct buffer_packet *left, size_t left_count)
{
	vec_foreach (struct ctf_index_lost *, lost, &l->all) {
		for (size_t i = 0; i < left_count; i++) {
			if (left[i].header.stream_instance_id == lost->stream) {
				strike(lost, left[i].header.sequence);
			}
		}
	}
}

void ctf_index_word(const struct ctf_index_lost *lost, char *text, size_t size)
{
	const char *what = lost->is_gone    ? "is missing"
			   : lost->is_empty ? "is empty"
					    : "ends too early";

	snprintf(text, size, "%s: %s: " CTF_INDEX "/%s" CTF_INDEX_SUFFIX " lists %zu packet%s%s",
		lost->name, what, lost->name, lost->sequences.count,
		lost->sequences.count == 1 ? "" : "s", lost->is_empty ? "" : " more");
}

void ctf_index_fini(struct ctf_index_losses *l)
{
	vec_foreach (struct ctf_index_lost *, lost, &l->all) {
		vec_fini(&lost->sequences);
	}
	vec_fini(&l->all);
}
