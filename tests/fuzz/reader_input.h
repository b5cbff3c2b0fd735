/* SPDX-License-Identifier: MIT */
/*
 * Shared by the fuzz targets that read traces: any bytes as a trace. The first byte chooses
 * options. With OWN_EVENTS the declarations come first, up to a NUL, so that formats are any bytes,
 * too; they are TOML if they begin with a bracket. With DIRECTORY a native trace follows: metadata
 * up to a NUL, then the bytes of its streams, each up to a SPLIT; then those of the first one's
 * index.
 */
#ifndef FUZZ_READER_INPUT_H
#define FUZZ_READER_INPUT_H

#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/folder.h"
#include "decl/decl.h"
#include "read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Defined by the target: reads a trace that was opened. */
static void read_all(struct reader *r, unsigned int options);

enum option {
	NO_HEADER = 1,
	OWN_EVENTS = 2,
	NO_EVENTS = 4,
	FILTER = 8,
	OLD_STYLE = 16,
	DIRECTORY = 128
};
#define TIME_SHIFT 5
#define SPLIT "\nSPLIT\n"
#define STREAMS 3

/* The trace that is read, for targets that open it again. */
static struct {
	struct reader_options options;
	int fd; /* -1: it is in `directory` */
} input;

static const char events[] =
	"blk_open(const char *path, int flags) \"path %s flags 0x%x\"\n"
	"disable blk_never(int a) \"%d\"\n"
	"blk_read(uint64_t offset, uint32_t bytes) \"offset %\" PRIu64 \" bytes %u\"\n"
	"blk_done(void *req, int ret) \"req %-20p ret %+d\"\n"
	"blk_idle(void) \"nothing to do\"\n"
	"blk_plain(int8_t delta, uint16_t mask, const char *why)\n"
	"blk_wide(uint8_t a, int64_t b, size_t c, bool d, char e, int w, char *s)"
	" \"%02x|%+ld|%8zu|%d|%c|%*s\"\n";

static void read_events(struct model *m, const char *text, size_t len)
{
	static const struct decl_options options = { .lenient = true };
	struct source *source = arena_new(&m->arena, struct source);
	struct diag diag;

	*source = (struct source){ len > 0 && *text == '[' ? "events.toml" : "events",
		arena_strndup(&m->arena, text, len), len };
	diag_init(&diag);
	decl_read(m, &diag, source, &options);
	diag_fini(&diag);
}

static struct reader *open_bytes(
	const uint8_t *data, size_t size, const struct reader_options *options, int *fd)
{
	struct read_error error;

	*fd = memfd_create("trace", MFD_CLOEXEC);
	if (*fd < 0 || write(*fd, data, size) != (ssize_t)size) {
		abort();
	}
	lseek(*fd, 0, SEEK_SET);
	return reader_open_fd(*fd, options, &error);
}

/* Writes one file of the trace anew, in the memory file system if there is one. */
static void store(const char *directory, const char *name, const uint8_t *data, size_t size)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		abort();
	}
	close(fd);
}

static char directory[256];

#define INDEX "index/stream-1.idx"

static void remove_directory(void)
{
	static const char *const names[] = { "metadata", "stream-1", "stream-2", "stream-3",
		INDEX };
	char path[320];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/index", directory);
	rmdir(path);
	rmdir(directory);
}

static void make_directory(void)
{
	if (!directory[0]) {
		char index[sizeof(directory) + sizeof("/index")];

		if (!make_memory(directory, sizeof(directory)) &&
			!make_folder(directory, sizeof(directory))) {
			abort();
		}
		snprintf(index, sizeof(index), "%s/index", directory);
		if (mkdir(index, 0700) != 0) {
			abort();
		}
		atexit(remove_directory);
	}
}

static struct reader *open_directory(
	const uint8_t *data, size_t size, const struct reader_options *options)
{
	const uint8_t *end = memchr(data, '\0', size);
	size_t length = end ? (size_t)(end - data) : size;
	struct read_error error;
	char name[16];

	make_directory();
	store(directory, "metadata", data, length);
	length += end != NULL;
	for (int i = 1; i <= STREAMS; i++) {
		data += length;
		size -= length;
		end = size ? memmem(data, size, SPLIT, strlen(SPLIT)) : NULL;
		length = end ? (size_t)(end - data) : size;
		snprintf(name, sizeof(name), "stream-%d", i);
		store(directory, name, data, length);
		length += end ? strlen(SPLIT) : 0;
	}
	store(directory, INDEX, data + length, size - length);
	return reader_open(directory, options, &error);
}

/* Reads the declarations of the input; returns their number of bytes. */
static size_t take_events(struct model *m, const uint8_t *data, size_t size, unsigned int options)
{
	if (!(options & OWN_EVENTS)) {
		read_events(m, events, sizeof(events) - 1);
		return 0;
	}
	const uint8_t *end = memchr(data, '\0', size);
	size_t length = end ? (size_t)(end - data) : size;

	read_events(m, (const char *)data, length);
	return end ? length + 1 : length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int options = size ? *data : 0;
	struct model model;

	model_init(&model);
	data += size > 0;
	size -= size > 0;
	size_t taken = take_events(&model, data, size, options);
	input.options = (struct reader_options){
		.declarations = options & NO_EVENTS ? NULL : &model,
		.no_header = options & NO_HEADER,
	};
	struct reader *r = NULL;

	if (options & DIRECTORY) {
		input.fd = -1;
		r = open_directory(data + taken, size - taken, &input.options);
	} else {
		r = open_bytes(data + taken, size - taken, &input.options, &input.fd);
	}

	if (r) {
		read_all(r, options);
	}
	reader_close(r);
	if (input.fd >= 0) {
		close(input.fd);
	}
	model_fini(&model);
	return 0;
}

#endif
