/* SPDX-License-Identifier: MIT */
/* The output writer: buffers text in memory, grows or flushes the buffer, fills templates. */
#include "text/out.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

/* Smaller writes cost more time in the file system than copying their bytes does. */
#define OUT_BUFFER ((size_t)256 * 1024)
#define OUT_BUFFER_MEMORY ((size_t)4 * 1024)

void out_init(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd };
}

void out_fini(struct out *o)
{
	free(o->data);
	o->data = NULL;
	o->len = o->capacity = 0;
}

int out_flush(struct out *o)
{
	size_t done = o->skip < o->len ? (size_t)o->skip : o->len;

	o->skip -= o->fd != OUT_TO_MEMORY ? done : 0;
	while (o->fd != OUT_TO_MEMORY && !o->error && done < o->len) {
		ssize_t n = write(o->fd, o->data + done, o->len - done);

		if (n >= 0) {
			done += (size_t)n;
		} else if (errno == EAGAIN) {
			/* Another program may have set this terminal or pipe to O_NONBLOCK. */
			poll(&(struct pollfd){ .fd = o->fd, .events = POLLOUT }, 1, -1);
		} else if (errno != EINTR) {
			o->error = errno;
		}
	}
	if (o->fd != OUT_TO_MEMORY) {
		o->len = 0;
	}
	return o->error;
}

COLD void out_make_room(struct out *o, size_t n)
{
	out_flush(o);
	size_t wanted = o->len + n;

	if (o->capacity <= wanted) {
		size_t least = o->fd == OUT_TO_MEMORY ? OUT_BUFFER_MEMORY : OUT_BUFFER;

		o->capacity = wanted >= least ? wanted * 2 : least;
		o->data = xrealloc(o->data, o->capacity);
	}
}

void out_vprintf(struct out *o, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	int len = vsnprintf(NULL, 0, fmt, ap);

	vsnprintf(out_reserve(o, (size_t)len + 1), (size_t)len + 1, fmt, again);
	va_end(again);
	out_advance(o, (size_t)len);
}

void out_base64(struct out *o, const void *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned int bits = (unsigned int)bytes[i] << 16 |
				    (unsigned int)(left > 1 ? bytes[i + 1] : 0) << 8 |
				    (left > 2 ? bytes[i + 2] : 0);
		const char four[] = { digits[bits >> 18], digits[bits >> 12 & 63],
			left > 1 ? digits[bits >> 6 & 63] : '=',
			left > 2 ? digits[bits & 63] : '=' };

		out_bytes(o, four, sizeof(four));
	}
}

void out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	out_vprintf(o, fmt, ap);
	va_end(ap);
}

static const char *hole_value(const struct out_hole *holes, const char *name, size_t len)
{
	for (; holes->name; holes++) {
		if (strncmp(holes->name, name, len) == 0 && holes->name[len] == '\0') {
			return holes->value;
		}
	}
	assert(!"a template names a hole that its caller does not fill");
	return "";
}

void out_template(struct out *o, const char *text, const struct out_hole *holes)
{
	const char *hole;

	while ((hole = strstr(text, "${"))) {
		const char *end = strchr(hole, '}');

		assert(end);
		out_bytes(o, text, (size_t)(hole - text));
		out_str(o, hole_value(holes, hole + 2, (size_t)(end - hole - 2)));
		text = end + 1;
	}
	out_str(o, text);
}
