/* SPDX-License-Identifier: MIT */
/*
 * The window over a trace's bytes. Before each read, the remaining bytes move to the front, so a
 * record is contiguous in memory wherever it is in the file. Called by reader.c and the readers of
 * files.
 */
#include "read/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "read/buffer_folder.h"

/* Small enough to stay in a core's own cache from read(2) until it is decoded. */
#define WINDOW ((size_t)256 * 1024)

void input_init(struct input *in, int fd)
{
	*in = (struct input){ .fd = fd, .capacity = WINDOW };
	in->buffer = xrealloc(NULL, WINDOW);
	in->pos = in->end = in->buffer;
}

int input_open(struct input *in, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : buffer_folder_open(path, O_RDONLY);

	if (fd < 0) {
		return errno;
	}
	input_init(in, fd);
	in->owns_fd = !standard;
	return 0;
}

void input_fini(struct input *in)
{
	free(in->buffer);
	if (in->owns_fd) {
		close(in->fd);
	}
	*in = (struct input){ .fd = -1 };
}

/* Files are always ready, and a poll(2) for each window is cheap. */
bool input_would_wait(const struct input *in)
{
	return poll(&(struct pollfd){ .fd = in->fd, .events = POLLIN }, 1, 0) == 0;
}

/* Calls read(2) once. If a non-blocking descriptor has no bytes, waits first. */
static void read_some(struct input *in)
{
	if (in->on_wait && input_would_wait(in) && !in->on_wait(in->on_wait_data)) {
		in->at_end = true;
		return;
	}
	size_t used = (size_t)(in->end - in->buffer);
	ssize_t n = read(in->fd, in->buffer + used, in->capacity - used);

	if (n > 0) {
		in->end += n;
	} else if (n == 0) {
		in->at_end = true;
	} else if (errno == EAGAIN) {
		poll(&(struct pollfd){ .fd = in->fd, .events = POLLIN }, 1, -1);
	} else if (errno != EINTR) {
		in->error = errno;
		in->at_end = true;
	}
}

double input_progress(const struct input *in)
{
	struct stat status;

	if (fstat(in->fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
		return -1;
	}
	double part = (double)input_offset(in) / (double)status.st_size;

	return part < 1 ? part : 1;
}

bool input_fill(struct input *in, size_t n)
{
	if (in->at_end) {
		return input_left(in) >= n;
	}
	/* Moves the remaining bytes to the front; makes the window at least `n` bytes long. */
	size_t left = input_left(in);

	in->base = input_offset(in);
	memmove(in->buffer, in->pos, left);
	if (n > in->capacity) {
		in->capacity = n + WINDOW;
		in->buffer = xrealloc(in->buffer, in->capacity);
	}
	in->pos = in->buffer;
	in->end = in->buffer + left;
	while (input_left(in) < n && !in->at_end) {
		read_some(in);
	}
	return input_left(in) >= n;
}
