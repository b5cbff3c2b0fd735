/* SPDX-License-Identifier: MIT */
/*
 * Helpers for the files of a native trace: opening them, reading and writing, and numbers in names
 * and texts. System calls are made directly, and no locale is used. Any thread, any signal handler.
 * Header-only.
 */
#ifndef RT_CTF_IO_H
#define RT_CTF_IO_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rt/host/open.h"

/* The longest 64-bit number, in decimal or hexadecimal. */
#define CTF_NUMBER_BYTES 20u

/* Opens a file below `directory`, never through a link. */
static inline int ctf_open(int directory, const char *name, int flags)
{
	return waymark_open_at(directory, name, flags | O_NONBLOCK | O_NOFOLLOW, 0666);
}

/* Returns true if errno says that an open failed because too many files are open. */
static inline bool ctf_no_descriptors(void)
{
	return errno == EMFILE || errno == ENFILE;
}

static inline int ctf_open_directory(const char *path)
{
	return ctf_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
}

/*
 * Read or write in one call; return true if that was everything. A position is two words on every
 * host.
 */
static inline bool ctf_read_at(int fd, void *data, size_t size, uint64_t at)
{
	struct iovec v = { data, size };

	return syscall(SYS_preadv, fd, &v, 1, (unsigned long)at, (unsigned long)(at >> 32)) ==
	       (long)size;
}

static inline bool ctf_write_at(int fd, const void *data, size_t size, uint64_t at)
{
	struct iovec v = { (void *)(uintptr_t)data, size };

	return syscall(SYS_pwritev, fd, &v, 1, (unsigned long)at, (unsigned long)(at >> 32)) ==
	       (long)size;
}

/* Closes the descriptor; keeps errno. */
static inline void ctf_close(int fd)
{
	int why = errno;

	if (fd >= 0) {
		syscall(SYS_close, fd);
	}
	errno = why;
}

/* Writes `value` in base 10 or 16, without a NUL; returns the number of digits. */
static inline size_t ctf_number(char text[CTF_NUMBER_BYTES], uint64_t value, unsigned int base)
{
	char reversed[CTF_NUMBER_BYTES];
	size_t n = 0;

	do {
		reversed[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	for (size_t i = 0; i < n; i++) {
		text[i] = reversed[n - 1 - i];
	}
	return n;
}

/* A text in a caller's buffer, always ended by a NUL. `cut`: not everything fitted. */
struct ctf_name {
	char *data;
	size_t size;
	size_t length;
	bool cut;
};

static inline void ctf_name_init(struct ctf_name *t, char *data, size_t size)
{
	*t = (struct ctf_name){ .data = data, .size = size };
	data[0] = '\0';
}

static inline void ctf_name_bytes(struct ctf_name *t, const char *s, size_t length)
{
	if (length >= t->size - t->length) {
		t->cut = true;
		return;
	}
	memcpy(t->data + t->length, s, length);
	t->length += length;
	t->data[t->length] = '\0';
}

static inline void ctf_name_string(struct ctf_name *t, const char *s)
{
	ctf_name_bytes(t, s, strlen(s));
}

static inline void ctf_name_number(struct ctf_name *t, uint64_t value)
{
	char digits[CTF_NUMBER_BYTES];

	ctf_name_bytes(t, digits, ctf_number(digits, value, 10));
}

#endif
