/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a trace in order: a sliding window over read(2), for files, pipes and standard input
 * alike. The bytes between `pos` and `end` stay in place until the next call that needs more. One
 * thread.
 */
#ifndef READ_INPUT_H
#define READ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct input {
	const unsigned char *pos; /* the next byte */
	const unsigned char *end; /* after the last byte in the buffer */
	unsigned char *buffer;
	size_t capacity;
	uint64_t base; /* the offset of `buffer` in the input */
	int fd;
	bool owns_fd;
	bool at_end; /* no more bytes will come */
	/* called, unless NULL, before a read that must wait for bytes; false ends the input */
	bool (*on_wait)(void *data);
	void *on_wait_data;
	int error; /* errno of a failed read; 0: none */
};

/* Opens a file, or standard input for "-". Returns 0 or an errno. */
int input_open(struct input *in, const char *path);

/* Reads from a descriptor. The caller closes it after the input. */
void input_init(struct input *in, int fd);
void input_fini(struct input *in);

/* Reads until `n` bytes follow `pos`; false if the input ends or fails before. */
bool input_fill(struct input *in, size_t n);

/* True if the next read must wait, for a pipe that has no bytes now. */
bool input_would_wait(const struct input *in);

static inline size_t input_left(const struct input *in)
{
	return (size_t)(in->end - in->pos);
}

static inline bool input_has(struct input *in, size_t n)
{
	return LIKELY(input_left(in) >= n) || input_fill(in, n);
}

/* Returns the part of a file before `pos`, 0 to 1; below 0 if its end is unknown. */
double input_progress(const struct input *in);

/* Returns the offset of `pos` in the input. */
static inline uint64_t input_offset(const struct input *in)
{
	return in->base + (uint64_t)(in->pos - in->buffer);
}

#endif
