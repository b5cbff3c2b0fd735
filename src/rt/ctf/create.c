/* SPDX-License-Identifier: MIT */
/*
 * The directory of a native trace. It is completed under a temporary name, and gets its own name by
 * one rename that replaces nothing, so that readers find a whole trace or none, even if two
 * processes begin a trace of the same name.
 */
#include <errno.h>
#include <sys/random.h>

#include "format/uuid.h"
#include "rt/ctf/io.h"
#include "rt/ctf/metadata.h"
#include "rt/host/guard.h"
#include "rt/host/file.h"
#include "rt/record/clock.h"

#define TEMPORARY ".waymark-"
#define NUMBERS_MAX 1000u

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1u
#endif

static const char *configured_path(const struct ctf_trace *t)
{
	return t->config ? t->config->path : "";
}

/* Returns the length of a path without its last name: 3 for "/a/b/", including a `/` at the end. */
static size_t parent_length(const char *path, size_t length)
{
	while (length > 0 && path[length - 1] != '/') {
		length--;
	}
	return length;
}

static size_t length_without_slashes(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/') {
		length--;
	}
	return length;
}

/* Makes bits that differ for each process and each call, if the kernel has no random ones. */
static void mix_uuid(const struct ctf_trace *t, uint64_t bits[2])
{
	static uint32_t calls; /* relaxed: each call gets a different number */
	uint64_t seed[] = { t->begin.ticks, t->begin.realtime_ns, t->pid,
		(uint64_t)syscall(SYS_gettid), (uintptr_t)t, (uintptr_t)&calls,
		__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) };

	for (size_t i = 0; i < 2 * sizeof(seed) / sizeof(seed[0]); i++) {
		uint64_t *to = &bits[i % 2];

		*to = (*to ^ seed[i / 2]) * UINT64_C(0x9e3779b97f4a7c15);
		*to ^= *to >> 29;
		bits[1 - i % 2] += *to;
	}
}

static void make_uuid(struct ctf_trace *t)
{
	uint64_t bits[2] = { 0, 0 };

	if (syscall(SYS_getrandom, bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits)) {
		mix_uuid(t, bits);
	}
	memcpy(t->uuid, bits, sizeof(t->uuid));
	uuid_mark_random(t->uuid);
}

/* Appends the trace's directory, with a `/` at its end. */
static bool put_place(struct ctf_trace *t, struct ctf_name *path)
{
	const char *wanted = configured_path(t);

	ctf_name_init(path, t->path, sizeof(t->path));
	if (*wanted) {
		ctf_name_bytes(path, wanted, parent_length(wanted, length_without_slashes(wanted)));
		return true;
	}
	/* A directory that was removed or is outside our root has no path. */
	if (syscall(SYS_getcwd, t->path, sizeof(t->path)) < 0 || t->path[0] != '/') {
		t->path[0] = '\0';
		errno = ENOENT;
		return false;
	}
	path->length = strlen(t->path);
	if (path->length > 1) {
		ctf_name_string(path, "/");
	}
	return true;
}

static bool put_temporary_path(struct ctf_trace *t)
{
	struct ctf_name path;

	if (!put_place(t, &path)) {
		return false;
	}
	ctf_name_string(&path, TEMPORARY);
	for (size_t i = 0; i < sizeof(t->uuid); i++) {
		char digits[CTF_NUMBER_BYTES];

		ctf_number(digits, 0x100u + t->uuid[i], 16);
		ctf_name_bytes(&path, digits + 1, 2);
	}
	if (path.cut) {
		t->path[0] = '\0';
		errno = ENAMETOOLONG;
	}
	return !path.cut;
}

static bool remember(struct ctf_trace *t, int directory)
{
	struct stat st;

	if (waymark_stat(directory, &st)) {
		return false;
	}
	t->device = st.st_dev;
	t->inode = st.st_ino;
	return true;
}

static bool fill_directory(struct ctf_trace *t)
{
	int directory = ctf_open_directory(t->path);
	bool done = directory >= 0 && remember(t, directory) &&
		    syscall(SYS_mkdirat, directory, CTF_INDEX, 0777) == 0 &&
		    waymark_ctf_metadata_write(t, directory, CTF_METADATA, &t->begin);

	ctf_close(directory);
	return done;
}

static bool make_directory(struct ctf_trace *t)
{
	if (!put_temporary_path(t)) {
		return false;
	}
	if (syscall(SYS_mkdirat, AT_FDCWD, t->path, 0777) != 0) {
		t->path[0] = '\0';
		return false;
	}
	if (!fill_directory(t)) {
		int why = errno;

		waymark_ctf_abandon(t);
		errno = why;
		return false;
	}
	return true;
}

bool waymark_ctf_begin(
	struct ctf_trace *t, const struct ctf_config *config, const struct ctf_trace *former)
{
	struct guard guard;

	t->config = config;
	t->pid = (uint32_t)syscall(SYS_getpid);
	t->begin = waymark_clock_read();
	t->metadata_lock = 0;
	t->declared = 0;
	memset(t->former, 0, sizeof(t->former));
	if (former && former->path[0]) {
		memcpy(t->former, former->uuid, sizeof(t->former));
	}
	make_uuid(t);
	waymark_guard_begin(&guard);
	bool done = make_directory(t);
	int why = errno;

	waymark_guard_end(&guard);
	errno = why;
	return done;
}

void waymark_ctf_abandon(struct ctf_trace *t)
{
	if (!t->path[0]) {
		return;
	}
	int directory = ctf_open_directory(t->path);

	/* Without a descriptor the directory is empty. */
	if (directory >= 0) {
		syscall(SYS_unlinkat, directory, CTF_METADATA, 0);
		syscall(SYS_unlinkat, directory, CTF_INDEX, AT_REMOVEDIR);
	}
	ctf_close(directory);
	syscall(SYS_unlinkat, AT_FDCWD, t->path, AT_REMOVEDIR);
	t->path[0] = '\0';
}

bool waymark_ctf_member_path(const struct ctf_config *config, uint32_t pid, char *to, size_t size)
{
	struct ctf_name path;

	ctf_name_init(&path, to, size);
	ctf_name_bytes(&path, config->path, length_without_slashes(config->path));
	ctf_name_string(&path, "/");
	ctf_name_number(&path, pid);
	return !path.cut;
}

static bool put_member_path(const struct ctf_trace *t, char *wanted, uint32_t n)
{
	struct ctf_name path = { .data = wanted, .size = PATH_MAX };

	path.cut = !waymark_ctf_member_path(t->config, t->pid, wanted, PATH_MAX);
	path.length = strlen(wanted);
	if (n > 0) {
		ctf_name_string(&path, ".");
		ctf_name_number(&path, n);
	}
	return !path.cut;
}

/* Makes the `n`th name to try, from 0; returns false if it is too long. */
static bool put_wanted_path(const struct ctf_trace *t, char *wanted, uint32_t n)
{
	const char *configured = configured_path(t);
	bool named = *configured != '\0';
	struct ctf_name path;

	if (t->config && t->config->is_folder) {
		return put_member_path(t, wanted, n);
	}
	ctf_name_init(&path, wanted, PATH_MAX);
	if (named) {
		ctf_name_bytes(&path, configured, length_without_slashes(configured));
	} else {
		ctf_name_bytes(&path, t->path, parent_length(t->path, strlen(t->path)));
		ctf_name_string(&path, "trace");
	}
	if (n > 0 || !named) {
		ctf_name_string(&path, named ? "." : "-");
		ctf_name_number(&path, t->pid);
		ctf_name_string(&path, named ? "" : ".ctf");
	}
	if (n > (named ? 1 : 0)) {
		ctf_name_string(&path, ".");
		ctf_name_number(&path, named ? n - 1 : n);
	}
	return !path.cut;
}

/* The same without RENAME_NOREPLACE: the rename may replace an empty directory only. */
static bool rename_over_own(const char *from, const char *to)
{
	if (syscall(SYS_mkdirat, AT_FDCWD, to, 0777) != 0) {
		return false;
	}
	if (waymark_rename(AT_FDCWD, from, AT_FDCWD, to) != 0) {
		int why = errno;

		syscall(SYS_unlinkat, AT_FDCWD, to, AT_REMOVEDIR);
		errno = why == ENOTEMPTY ? EEXIST : why;
		return false;
	}
	return true;
}

bool waymark_ctf_take_name(const char *from, const char *to)
{
	if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
		return true;
	}
	return (errno == EINVAL || errno == ENOSYS) && rename_over_own(from, to);
}

/* While the name is held, only the process that was given it may use the plain name. */
static uint32_t first_name(const struct ctf_config *config, uint32_t pid)
{
	return config && config->held && config->path[0] && !config->is_folder &&
	       config->pid != pid;
}

bool waymark_ctf_name(struct ctf_trace *t, char *wanted)
{
	if (t->config && t->config->is_folder) {
		/*
		 * Usually the folder exists; it may have been removed, or renamed by another
		 * process.
		 */
		syscall(SYS_mkdirat, AT_FDCWD, t->config->path, 0777);
	}
	for (uint32_t n = first_name(t->config, t->pid);
		n <= NUMBERS_MAX && put_wanted_path(t, wanted, n); n++) {
		if (strcmp(t->path, wanted) == 0) {
			return true;
		}
		if (waymark_ctf_take_name(t->path, wanted)) {
			memcpy(t->path, wanted, strlen(wanted) + 1);
			return true;
		}
		if (errno != EEXIST) {
			return false;
		}
	}
	return false;
}

bool waymark_ctf_is_as_named(const struct ctf_config *config, const char *path)
{
	size_t length = length_without_slashes(config->path);

	return strncmp(path, config->path, length) == 0 && !path[length];
}

bool waymark_ctf_is_renamed(const struct ctf_trace *t)
{
	const struct ctf_config *config = t->config;

	if (!config || !config->path[0] || config->is_snapshot || config->held ||
		config->is_folder) {
		return false;
	}
	return config->taken_over ||
	       (config->pid == t->pid && !waymark_ctf_is_as_named(config, t->path));
}
