/* SPDX-License-Identifier: MIT */
/*
 * A jail's family has its buffers mapped, so flock(2) only shows whether any process of the family
 * lives; an fcntl(2) lock belongs to one process, see format/buffer_jail.h.
 */
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

#include "format/buffer.h"
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

/* MAPPED if process `pid` of this namespace maps the file. */
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

/* Returns the process's number in its own namespace; `pid` if that is unknown. */
static uint32_t own_number(uint32_t pid)
{
	char path[64];
	char line[512];
	uint32_t number = pid; /* of a kernel without namespaces */

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

/*
 * MAPPED if a process whose number in its own namespace is `own` maps the file; 0 means any
 * process.
 */
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

/* Sets the pid of the lock's owner in this namespace; false: the lock is free. */
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

enum buffer_owner buffer_owner_look(int fd, uint32_t *pid)
{
	struct buffer_file h;

	/* Reads the header first: a process claims the buffer after locking it. */
	if (pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h)) {
		return BUFFER_OWNER_GONE;
	}
	if (h.jail.claim == BUFFER_FREE) {
		return buffer_owner_has_family(fd) ? BUFFER_OWNER_NONE : BUFFER_OWNER_NEVER;
	}
	if (find_lock(fd, pid)) {
		return BUFFER_OWNER_LIVES;
	}
	/* Without a lock the process may still live: its program may have closed the descriptor. */
	bool lives = !h.jail.ended && buffer_owner_has_family(fd) &&
		     (h.jail.unlocked || (*pid && is_mapped_by(fd, *pid) == MAPPED) ||
			     is_mapped_by_own(fd, h.pid) == MAPPED);

	return lives ? BUFFER_OWNER_LIVES : BUFFER_OWNER_GONE;
}

bool buffer_owner_is_dead(int fd)
{
	struct buffer_file h;

	/*
	 * A process that was killed while claiming the buffer may have no number. Not finding this
	 * process proves nothing unless another process of the family is found.
	 */
	return pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && h.pid && !h.jail.unlocked &&
	       is_mapped_by_own(fd, h.pid) == MAPPED_NOT &&
	       (is_mapped_by(fd, h.jail.family) == MAPPED || is_mapped_by_own(fd, 0) == MAPPED);
}
