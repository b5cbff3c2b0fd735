/* SPDX-License-Identifier: MIT */
/*
 * The trace of this process as others find it: its directory, which may have been removed or
 * replaced meanwhile, and its lock. Control calls and the consumer call.
 */
#include <errno.h>

#include "rt/ctf/io.h"
#include "rt/ctf/metadata.h"
#include "rt/host/futex.h"

#define WAIT_NS UINT64_C(10000000)

int waymark_ctf_open_directory(const struct ctf_trace *t)
{
	int directory = ctf_open_directory(t->path);
	struct stat st;

	if (directory >= 0 &&
		(waymark_stat(directory, &st) || st.st_dev != t->device || st.st_ino != t->inode)) {
		ctf_close(directory);
		errno = ENOENT;
		return -1;
	}
	return directory;
}

bool waymark_ctf_is_gone(const struct ctf_trace *t)
{
	int why = errno;
	int directory = waymark_ctf_open_directory(t);
	bool gone = directory < 0 && (errno == ENOENT || errno == ENOTDIR);

	ctf_close(directory);
	errno = why;
	return gone;
}

void waymark_ctf_lock(struct ctf_trace *t, struct guard *guard)
{
	uint32_t unlocked = 0;

	waymark_guard_begin(guard);
	while (!__atomic_compare_exchange_n(
		&t->metadata_lock, &unlocked, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		futex_wait(&t->metadata_lock, 1, WAIT_NS);
		unlocked = 0;
	}
}

void waymark_ctf_unlock(struct ctf_trace *t, const struct guard *guard)
{
	int why = errno;

	__atomic_store_n(&t->metadata_lock, 0, __ATOMIC_RELEASE);
	futex_wake(&t->metadata_lock);
	waymark_guard_end(guard);
	errno = why;
}

bool waymark_ctf_get_path(struct ctf_trace *t, char *path, size_t size)
{
	struct guard guard;

	waymark_ctf_lock(t, &guard);
	size_t length = strlen(t->path);

	length = length < size ? length : size - 1;

	memcpy(path, t->path, length);
	path[length] = '\0';
	waymark_ctf_unlock(t, &guard);
	return length > 0;
}
