/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: counts the calls that change files. At call KILL_AT it kills the program, with a
 * write half done; from call FULL_AT on, calls fail because the disk is full.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;

static long wanted(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

/* Returns true if this call must fail because the disk is full. */
static bool is_full(void)
{
	long full = wanted("FULL_AT");

	errno = ENOSPC;
	return full > 0 && calls >= full;
}

static bool is_the_last(void)
{
	return ++calls == wanted("KILL_AT");
}

static void die(void)
{
	kill(getpid(), SIGKILL);
}

/*
 * Returns the bytes of a write that fit on the full disk: half of the first write, 0 of later
 * ones.
 */
static size_t half_at_first(size_t n)
{
	return n > 1 && calls == wanted("FULL_AT") ? n / 2 : 0;
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t offset)
{
	if (is_the_last()) {
		syscall(SYS_pwrite64, fd, p, n / 2, offset);
		die();
	}
	if (is_full() && half_at_first(n) == 0) {
		return -1;
	}
	return syscall(SYS_pwrite64, fd, p, is_full() ? half_at_first(n) : n, offset);
}

ssize_t write(int fd, const void *p, size_t n)
{
	if (fd <= 2) {
		return syscall(SYS_write, fd, p, n);
	}
	if (is_the_last()) {
		syscall(SYS_write, fd, p, n / 2);
		die();
	}
	return is_full() ? -1 : syscall(SYS_write, fd, p, n);
}

int ftruncate(int fd, off_t size)
{
	if (is_the_last()) {
		die();
	}
	return (int)syscall(SYS_ftruncate, fd, size);
}

int fsync(int fd)
{
	if (is_the_last()) {
		die();
	}
	return (int)syscall(SYS_fsync, fd);
}

int renameat(int a, const char *from, int b, const char *to)
{
	if (is_the_last()) {
		die();
	}
	return (int)syscall(SYS_renameat2, a, from, b, to, 0);
}

int unlink(const char *path)
{
	if (is_the_last()) {
		die();
	}
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int mkdirat(int directory, const char *path, mode_t mode)
{
	if (is_the_last()) {
		die();
	}
	return is_full() ? -1 : (int)syscall(SYS_mkdirat, directory, path, mode);
}
