/* SPDX-License-Identifier: MIT */
/*
 * See mounts.h. A line is `source path type options ...`, of which blanks,
 * backslashes and newlines stand as three octal digits behind a backslash.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/mounts.h"
#include "rt/host/open.h"

#define TYPE_MAX 16
#define END (-1)

void waymark_mounts_open(struct mounts *m)
{
	m->fd = waymark_open("/proc/mounts", O_RDONLY, 0);
	m->at = m->length = 0;
}

void waymark_mounts_close(struct mounts *m)
{
	if (m->fd >= 0) {
		syscall(SYS_close, m->fd);
	}
	m->fd = -1;
}

static int next_byte(struct mounts *m)
{
	if (m->at == m->length) {
		long n = 0;

		do {
			n = m->fd < 0 ? 0 : syscall(SYS_read, m->fd, m->bytes, sizeof(m->bytes));
		} while (n < 0 && errno == EINTR);
		if (n <= 0) {
			return END;
		}
		m->at = 0;
		m->length = (size_t)n;
	}
	return (unsigned char)m->bytes[m->at++];
}

/* The byte that an escape stands for, of which the backslash has been read. */
static int next_escaped(struct mounts *m)
{
	int value = 0;

	for (int i = 0; i < 3; i++) {
		int digit = next_byte(m);

		if (digit < '0' || digit > '7') {
			return END;
		}
		value = value * 8 + (digit - '0');
	}
	return value;
}

/* Reads a field into `to`, "" where it is too long; returns what came behind it. */
static int next_field(struct mounts *m, char *to, size_t size)
{
	size_t length = 0;
	int byte;

	while ((byte = next_byte(m)) != END && byte != ' ' && byte != '\n') {
		int shown = byte == '\\' ? next_escaped(m) : byte;

		if (length < size) {
			to[length] = (char)shown;
		}
		length++;
	}
	to[length < size ? length : 0] = '\0';
	return byte;
}

bool waymark_mounts_next(struct mounts *m, const char *type)
{
	char found[TYPE_MAX];
	char skipped[1];

	for (;;) {
		int behind = next_field(m, skipped, sizeof(skipped));

		behind = behind == ' ' ? next_field(m, m->path, sizeof(m->path)) : behind;
		behind = behind == ' ' ? next_field(m, found, sizeof(found)) : behind;
		bool hit = behind == ' ' && *m->path && strcmp(found, type) == 0;

		while (behind != '\n' && behind != END) {
			behind = next_byte(m);
		}
		if (hit || behind == END) {
			return hit;
		}
	}
}
