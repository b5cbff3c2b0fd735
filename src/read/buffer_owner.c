/* SPDX-License-Identifier: MIT */
/* See read/buffer_owner.h. */
#include "read/buffer_owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/buffer_jail.h"

bool buffer_owner_has_family(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		return errno == EWOULDBLOCK;
	}
	flock(fd, LOCK_UN);
	return false;
}

enum mapped { MAPPED_NOT, MAPPED, MAPPED_UNKNOWN };

/* Whether the process has the file mapped, by its number here. */
static enum mapped is_mapped_by(int fd, uint32_t pid)
{
	char path[64];
	char line[512];
	char inode[32];
	struct stat st;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	FILE *f = fstat(fd, &st) == 0 ? fopen(path, "re") : NULL;

	if (!f) {
		return errno == ENOENT || errno == ESRCH ? MAPPED_NOT : MAPPED_UNKNOWN;
	}
	snprintf(inode, sizeof(inode), " %ju ", (uintmax_t)st.st_ino);
	while (!found && fgets(line, sizeof(line), f)) {
		found = strstr(line, inode) && strstr(line, "rw-s");
	}
	fclose(f);
	return found ? MAPPED : MAPPED_NOT;
}

/* What the process is called where it sees itself, if it is there. */
static uint32_t own_number(uint32_t pid)
{
	char path[64];
	char line[512];
	uint32_t number = pid; /* where the kernel knows of no namespaces */

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6) == 0) { /* from the outermost namespace on */
			number = (uint32_t)strtoul(strrchr(line, '\t'), NULL, 10);
			break;
		}
	}
	if (f) {
		fclose(f);
	}
	return number;
}

/* Whether a process has the file mapped, one that calls itself `own` or, if that is 0, any. */
static enum mapped is_mapped_by_own(int fd, uint32_t own)
{
	enum mapped result = MAPPED_NOT;
	DIR *proc = opendir("/proc");

	for (struct dirent *e; proc && result != MAPPED && (e = readdir(proc));) {
		uint32_t pid = (uint32_t)strtoul(e->d_name, NULL, 10);

		if (pid && pid != (uint32_t)getpid() && (!own || own_number(pid) == own)) {
			enum mapped it = is_mapped_by(fd, pid);

			result = it == MAPPED_NOT ? result : it;
		}
	}
	if (!proc) {
		return MAPPED_UNKNOWN;
	}
	closedir(proc);
	return result;
}

/* The pid of who has the lock, as we see it; false: nobody has. */
static bool find_lock(int fd, uint32_t *pid)
{
	struct flock l = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = BUFFER_LOCK_OWNER, .l_len = 1
	};

	if (fcntl(fd, F_GETLK, &l) != 0 || l.l_type == F_UNLCK) {
		return false;
	}
	*pid = l.l_pid > 0 ? (uint32_t)l.l_pid : *pid;
	return true;
}

/* Without a lock: the program may have closed the descriptor, and its process go on. */
static bool lives_unlocked(int fd, const struct buffer_file *h, uint32_t pid)
{
	return !h->jail.ended && buffer_owner_has_family(fd) &&
	       (h->jail.unlocked || (pid && is_mapped_by(fd, pid) == MAPPED) ||
		       is_mapped_by_own(fd, h->pid) == MAPPED);
}

enum buffer_owner buffer_owner_look(int fd, uint32_t *pid)
{
	struct buffer_file h;

	/* The header first: a claim comes behind its lock. */
	if (pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h)) {
		return BUFFER_OWNER_GONE;
	}
	if (h.jail.claim == BUFFER_FREE) {
		return buffer_owner_has_family(fd) ? BUFFER_OWNER_NONE : BUFFER_OWNER_NEVER;
	}
	if (find_lock(fd, pid)) {
		return BUFFER_OWNER_LIVES;
	}
	return lives_unlocked(fd, &h, *pid) ? BUFFER_OWNER_LIVES : BUFFER_OWNER_GONE;
}

bool buffer_owner_is_dead(int fd)
{
	struct buffer_file h;

	/*
	 * One that was killed inside of its claim may be without a number. Of a family of which
	 * nobody is seen, that one is not seen says nothing.
	 */
	return pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && h.pid && !h.jail.unlocked &&
	       is_mapped_by_own(fd, h.pid) == MAPPED_NOT &&
	       (is_mapped_by(fd, h.jail.family) == MAPPED || is_mapped_by_own(fd, 0) == MAPPED);
}
