/* SPDX-License-Identifier: MIT */
/*
 * Levels that were stored are restored as they were, and damaged bytes are refused: test_stored
 * TRACE. Bytes are changed at 1000 places, also with a checksum that fits them again, and the file
 * is cut at each length.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "read/merge.h"
#include "timeline/stored.h"

#define KEY "the key"
#define PLACES 1000

#define REQUIRE(is_so, ...)                           \
	do {                                          \
		if (!(is_so)) {                       \
			fprintf(stderr, __VA_ARGS__); \
			fprintf(stderr, "\n");        \
			exit(EXIT_FAILURE);           \
		}                                     \
	} while (0)

struct bytes {
	unsigned char *data;
	size_t size;
};

static struct reader *reader;

static void make(struct levels *l)
{
	enum read_result result;
	struct record records[50];

	levels_init(l, reader);
	do {
		levels_add(l, records, reader_few(reader, records, 50, &result));
	} while (result == READ_RECORD);
	levels_end(l);
}

static struct bytes store(const struct levels *l)
{
	static const bool is_ended = false;
	FILE *file = tmpfile();

	REQUIRE(file && levels_store(l, KEY, fileno(file), &is_ended), "cannot store");
	struct bytes b = { .size = (size_t)lseek(fileno(file), 0, SEEK_END) };

	b.data = xrealloc(NULL, b.size);
	REQUIRE(pread(fileno(file), b.data, b.size, 0) == (ssize_t)b.size, "cannot read");
	fclose(file);
	return b;
}

/* True if the bytes are restored; those that are, are stored as they were if `is_same`. */
static bool restores(const struct bytes *b, const char *key, bool is_same)
{
	struct levels l;

	levels_init(&l, reader);
	bool ok = levels_restore(&l, key, b->data, b->size);

	if (ok && is_same) {
		struct bytes again = store(&l);

		REQUIRE(again.size == b->size && memcmp(again.data, b->data, b->size) == 0,
			"other bytes after restoring: %zu, %zu", again.size, b->size);
		free(again.data);
	}
	levels_fini(&l);
	return ok;
}

/* The checksum, as stored.c makes it. */
static void sum_up(struct bytes *b)
{
	const size_t begin = 24;
	uint64_t sum = 0;

	for (size_t i = begin; i < b->size; i += sizeof(sum)) {
		uint64_t word = 0;

		memcpy(&word, b->data + i, b->size - i < sizeof(word) ? b->size - i : sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
	}
	memcpy(b->data + 16, &sum, sizeof(sum));
}

static void check_damage(struct bytes *b)
{
	unsigned int accepted = 0;

	for (int i = 0; i < PLACES; i++) {
		/* Half of them in the first bytes, which are more than cells. */
		size_t most = i % 2 && b->size > 400 ? 400 : b->size;
		size_t at = ((size_t)rand() << 20 ^ (size_t)rand()) % most;
		unsigned char before = b->data[at];
		unsigned char sum[8];

		b->data[at] ^= (unsigned char)(1u << rand() % 8);
		REQUIRE(!restores(b, KEY, false), "a changed byte at %zu is accepted", at);
		memcpy(sum, b->data + 16, sizeof(sum));
		if (at >= 24) {
			sum_up(b);
			accepted += restores(b, KEY, false);
			memcpy(b->data + 16, sum, sizeof(sum));
		}
		b->data[at] = before;
	}
	printf("%u of %d bytes with a right checksum are numbers that may differ\n", accepted,
		PLACES);
}

static void check_cuts(const struct bytes *whole)
{
	struct bytes b = *whole;

	for (size_t size = 0; size < whole->size; size++) {
		/* A copy, so that a sanitizer sees a read behind it. */
		b.size = size;
		if (size < 3000 || size % 997 == 0) {
			b.data = xrealloc(NULL, size + 1);
			memcpy(b.data, whole->data, size);
			memcpy(b.data + 8, &size, size < 16 ? 0 : sizeof(size));
			if (size >= 24) {
				sum_up(&b);
			}
			REQUIRE(!restores(&b, KEY, false), "cut at %zu, and accepted", size);
			free(b.data);
		}
		b.data = whole->data;
		REQUIRE(!restores(&b, KEY, false), "cut at %zu", size);
	}
}

int main(int argc, char **argv)
{
	const struct reader_options options = { 0 };
	const char *const paths[] = { argc > 1 ? argv[1] : "" };
	struct read_error error;
	struct levels l;

	reader = merge_open(paths, 1, &options, &error);
	REQUIRE(reader, "%s", error.text);
	srand(1);
	make(&l);
	struct bytes b = store(&l);

	REQUIRE(l.records > 0 && restores(&b, KEY, true), "not restored");
	REQUIRE(!restores(&b, "another key", false), "another key is accepted");
	check_damage(&b);
	check_cuts(&b);
	printf("%zu bytes, %" PRIu64 " records\n", b.size, l.records);
	free(b.data);
	levels_fini(&l);
	reader_close(reader);
	return EXIT_SUCCESS;
}
