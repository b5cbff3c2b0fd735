/* SPDX-License-Identifier: MIT */
/*
 * Finds leftovers, see recover/leftover.h. A buffer file names its process and the folder and uuid
 * of its trace. The process is dead if the file can be locked; the trace exists if the folder's
 * metadata has the uuid. All of that is true in containers, too, but a process in one knows another
 * pid of itself and another path: the kernel's list of locks has its pid here.
 */
#include "recover/leftover.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "read/buffer.h"
#include "read/buffer_folder.h"
#include "read/ctf/metadata.h"

#define BLOCK_BYTES 512u /* for st_blocks */

/* Reads the name of a living process from the kernel. */
static void read_command(struct leftover *o)
{
	char path[64];
	char line[64] = "";

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", o->pid);
	FILE *f = fopen(path, "re");

	if (f && fgets(line, sizeof(line), f)) {
		snprintf(o->command, sizeof(o->command), "%.*s", (int)strcspn(line, "\n"), line);
	}
	if (f) {
		fclose(f);
	}
}

/*
 * Finds the trace in the roots of processes that see the buffer, and reads its metadata, for
 * ctf_metadata_fini(). Returns false if it is in none, with the path in the first root.
 */
static bool find_trace(struct leftover *o, const struct buffer_source *buffer,
	const struct buffer_folder *folder, struct ctf_metadata *md)
{
	struct buffer_trace trace;

	ctf_metadata_init(md, NULL);
	vec_foreach (char *const *, root, &folder->roots) {
		bool is_path = buffer_source_trace_in(buffer, *root, &trace);

		if (!*o->directory && is_path) {
			strcpy(o->directory, trace.directory);
			memcpy(o->uuid, trace.uuid, sizeof(o->uuid));
		}
		ctf_metadata_fini(md);
		if (is_path && ctf_metadata_of_buffer(md, &trace, NULL)) {
			strcpy(o->directory, trace.directory);
			return true;
		}
	}
	return false;
}

static void describe(
	struct leftover *o, const struct buffer_source *buffer, const struct buffer_folder *folder)
{
	const struct buffer_file *h = buffer_source_header(buffer);
	struct ctf_metadata md;

	struct buffer_clock begin;
	struct buffer_clock now;

	/* Stores through a mapping do not update the file's time. */
	buffer_source_clock(buffer, &begin, &now);
	o->seen = (time_t)(now.realtime_ns / CTF_CLOCK_SECOND);
	o->state = buffer_source_is_dead(buffer) ? LEFTOVER_DEAD : LEFTOVER_ALIVE;
	o->totals = buffer_source_totals(buffer);
	o->totals_ns = now.monotonic_ns;
	bool found = find_trace(o, buffer, folder, &md);

	/* A jail's trace is made when it is drained. */
	o->is_jailed = h->jail.on;
	o->pid = h->jail.on && !h->pid ? h->jail.family : h->pid;
	o->has_trace = found || (h->jail.on && h->jail.claim == BUFFER_RECORDS && !h->jail.staged);
	if (found) {
		snprintf(o->command, sizeof(o->command), "%s", md.procname);
	}
	ctf_metadata_fini(&md);
}

void leftover_fini(struct leftover *o)
{
	free(o->path);
}

/* Reads one file. Returns false if it was removed meanwhile. */
static bool read_leftover(struct leftover *o, const struct buffer_folder *folder, const char *name)
{
	struct stat st;

	*o = (struct leftover){ .is_elsewhere = !folder->is_own };
	if (asprintf(&o->path, "%s/%s", folder->path, name) < 0) {
		abort();
	}
	if (lstat(o->path, &st) != 0) {
		free(o->path);
		return false;
	}
	o->uid = st.st_uid;
	o->device = st.st_dev;
	o->inode = st.st_ino;
	o->bytes = (uint64_t)st.st_blocks * BLOCK_BYTES;
	o->seen = st.st_mtime;
	struct buffer_source *buffer = buffer_source_open_path(o->path, &o->error);

	if (buffer) {
		describe(o, buffer, folder);
	}
	buffer_source_close(buffer);
	return true;
}

static void find_in(struct leftovers *l, const struct buffer_folder *folder)
{
	struct buffer_names names;

	l->is_short |= !buffer_names_list(&names, folder->path) && error_is_shortage(errno);
	vec_foreach (char *const *, name, &names.all) {
		struct leftover o;

		if (read_leftover(&o, folder, *name)) {
			vec_push(&l->all, o);
			l->is_short |= error_is_shortage(o.error);
		}
	}
	if (names.is_cut && !l->cut) {
		l->cut = xstrdup(folder->path);
	}
	buffer_names_fini(&names);
}

/* ---- Processes of other namespaces ---- */

/* Sets the pid of the buffer that a line of /proc/locks is about. */
static void take_lock(struct leftovers *l, const char *line)
{
	unsigned int major;
	unsigned int minor;
	uint64_t inode;
	int32_t pid;
	char kind[16];

	if (sscanf(line, "%*u: %15s %*s %*s %" SCNd32 " %x:%x:%" SCNu64, kind, &pid, &major, &minor,
		    &inode) != 5 ||
		pid <= 0) {
		return;
	}
	vec_foreach (struct leftover *, o, &l->all) {
		/* Each process of a jail's family shares the lock of flock(). */
		bool is_its = strcmp(kind, o->is_jailed ? "POSIX" : "FLOCK") == 0;

		if (is_its && o->is_elsewhere && o->state == LEFTOVER_ALIVE && o->inode == inode &&
			o->device == makedev(major, minor)) {
			o->pid = (uint32_t)pid;
		}
	}
}

/* Gives processes of other namespaces the pids that they have here. */
static void find_pids(struct leftovers *l)
{
	bool is_any = false;
	char line[256];

	vec_foreach (const struct leftover *, o, &l->all) {
		is_any |= o->is_elsewhere && o->state == LEFTOVER_ALIVE;
	}
	FILE *locks = is_any ? fopen("/proc/locks", "re") : NULL;

	while (locks && fgets(line, sizeof(line), locks)) {
		take_lock(l, line);
	}
	if (locks) {
		fclose(locks);
	}
}

static void read_commands(struct leftovers *l)
{
	vec_foreach (struct leftover *, o, &l->all) {
		if (o->state == LEFTOVER_ALIVE && !*o->command) {
			read_command(o);
		}
	}
}

void leftovers_find(struct leftovers *l)
{
	struct buffer_folders folders;

	buffer_folders_find(&folders);
	*l = (struct leftovers){ .is_short = folders.is_short };
	vec_foreach (const struct buffer_folder *, folder, &folders.all) {
		find_in(l, folder);
	}
	buffer_folders_fini(&folders);
	find_pids(l);
	read_commands(l);
}

/* Makes the folder of buffers of this process, for buffer_folder_fini(). */
static struct buffer_folder own_folder(void)
{
	struct buffer_folder own = { .path = xstrdup(buffer_source_folder()), .is_own = true };

	vec_push(&own.roots, xstrdup(""));
	return own;
}

void leftovers_find_own(struct leftovers *l)
{
	struct buffer_folder own = own_folder();

	*l = (struct leftovers){ 0 };
	find_in(l, &own);
	read_commands(l);
	buffer_folder_fini(&own);
}

void leftover_describe(struct leftover *o, struct buffer_source *buffer)
{
	struct buffer_folder own = own_folder();

	*o = (struct leftover){ .path = xstrdup(buffer_source_path(buffer)) };
	o->uid = buffer_source_owner(buffer);
	if (buffer_source_read_again(buffer)) {
		describe(o, buffer, &own);
	} else {
		o->error = EBADMSG;
	}
	buffer_folder_fini(&own);
}

void leftovers_fini(struct leftovers *l)
{
	vec_foreach (struct leftover *, o, &l->all) {
		leftover_fini(o);
	}
	free(l->cut);
	vec_fini(&l->all);
}

/* Makes a path absolute. The file need not exist, but its folder must. */
static bool absolute(char out[PATH_MAX], const char *path)
{
	char copy[PATH_MAX];
	char parent[PATH_MAX];
	char name[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	if (!realpath(dirname(copy), parent)) {
		return false;
	}
	snprintf(copy, sizeof(copy), "%s", path);
	snprintf(name, sizeof(name), "%s", basename(copy));
	int n = snprintf(out, PATH_MAX, "%s/%s", parent[1] ? parent : "", name);

	return n < PATH_MAX;
}

bool leftover_is_readable(const struct leftover *o)
{
	bool is_ours = o->uid == geteuid() || geteuid() == 0;

	return !o->error && is_ours && o->has_trace && *o->directory &&
	       access(o->directory, F_OK) == 0;
}

bool leftover_is_place(const char *directory, const char *path)
{
	char wanted[PATH_MAX];
	char place[PATH_MAX];

	if (buffer_folder_is_beyond(directory) || buffer_folder_is_beyond(path)) {
		return strcmp(directory, path) == 0;
	}
	return directory[0] == '/' && absolute(wanted, path) && absolute(place, directory) &&
	       strcmp(place, wanted) == 0;
}

bool leftover_explain(const char *path, char *text, size_t size)
{
	const struct leftover *found = NULL;
	struct leftovers l;

	leftovers_find_own(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		if (!found && leftover_is_place(o->directory, path)) {
			found = o;
		}
	}
	if (found && found->is_jailed) {
		snprintf(text, size,
			"does not exist yet: processes in a jail record into memory, and 'waymark "
			"drain' writes it");
	} else if (found && found->state == LEFTOVER_ALIVE) {
		snprintf(text, size,
			"is gone, but process %" PRIu32 " still records into it; its events cannot "
			"be read without the directory: end the process, or move the directory back",
			found->pid);
	} else if (found) {
		snprintf(text, size,
			"is gone, and the events that process %" PRIu32 " left in memory cannot be "
			"read without it: move the directory back, recover it where it is now, or "
			"discard the memory: waymark recover --discard %s",
			found->pid, found->path);
	}
	bool is_known = found;

	leftovers_fini(&l);
	return is_known;
}

/* If the page cannot be mapped, the signal is raised again immediately and ends the process. */
static void put_zeros(int sig, siginfo_t *info, void *context)
{
	int why = errno;
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)info->si_addr & ~(size - 1));

	(void)context;
	if (info->si_code != BUS_ADRERR ||
		mmap(page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			-1, 0) == MAP_FAILED) {
		signal(sig, SIG_DFL);
	}
	errno = why;
}

void leftover_survive_cuts(void)
{
	struct sigaction act = { .sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &act, NULL);
}
