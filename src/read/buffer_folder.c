/* SPDX-License-Identifier: MIT */
/*
 * Processes of a container have a root with mounts of its own, so each root is searched once. Two
 * roots may have one /dev/shm, as in a pod: then it is one folder with both roots. A root is
 * /proc/PID/root of its first process, in most containers the one that ends last.
 */
#include "read/buffer_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "read/buffer.h"

#define MEMORY "/dev/shm"

#define LINKS_MAX 40
#define REST 100u /* after a search, times its cost: so it takes at most 1 % of a processor */

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000u /* Linux 5.8 */
#endif

/* A file's identity. Before Linux 5.8 `mount` is 0, so only other file systems are other roots. */
struct identity {
	uint64_t mount;
	uint64_t device;
	uint64_t inode;
};

/* A search, and its result. */
struct search {
	struct buffer_folders found;
	VEC(struct identity) roots;
	VEC(struct identity) folders; /* of found.all */
};

const char *buffer_source_folder(void)
{
	const char *folder = secure_getenv(BUFFER_SOURCE_VARIABLE);

	return folder && *folder ? folder : MEMORY;
}

/* ---- Paths ---- */

/* Adds a part of a path, of `length`, or removes one for "..". */
static bool add_part(char *path, size_t root, const char *part, size_t length)
{
	size_t used = strlen(path);

	if (length == 0 || (length == 1 && part[0] == '.')) {
		return true;
	}
	if (length == 2 && memcmp(part, "..", 2) == 0) {
		char *last = strrchr(path + root, '/');

		path[last ? (size_t)(last - path) : root] = '\0';
		return true;
	}
	return (size_t)snprintf(path + used, BUFFER_FILE_PATH_BYTES - used, "/%.*s", (int)length,
		       part) < BUFFER_FILE_PATH_BYTES - used;
}

/* Puts the target of a link before the rest of the path. */
static bool put_before(char rest[BUFFER_FILE_PATH_BYTES], const char *target, const char *after)
{
	char whole[BUFFER_FILE_PATH_BYTES];

	if ((size_t)snprintf(whole, sizeof(whole), "%s/%s", target, after) >= sizeof(whole)) {
		return false;
	}
	strcpy(rest, whole);
	return true;
}

/* Writes the target of a link; false if the path is none. */
static bool read_link(char target[BUFFER_FILE_PATH_BYTES], const char *path)
{
	ssize_t length = readlink(path, target, BUFFER_FILE_PATH_BYTES - 1);

	target[length > 0 ? length : 0] = '\0';
	return length > 0;
}

bool buffer_folder_resolve(char out[BUFFER_FILE_PATH_BYTES], const char *root, const char *path)
{
	char rest[BUFFER_FILE_PATH_BYTES];
	char target[BUFFER_FILE_PATH_BYTES];
	size_t base = strlen(root);
	int links = 0;

	if (base >= sizeof(rest) || !put_before(rest, path, "")) {
		return false;
	}
	if (base == 0) {
		strcpy(out, path);
		return true;
	}
	strcpy(out, root);
	for (size_t at = 0; rest[at];) {
		size_t before = strlen(out);
		size_t length = strcspn(rest + at, "/");

		if (!add_part(out, base, rest + at, length)) {
			return false;
		}
		at += length + (rest[at + length] == '/');
		if (strlen(out) > before && read_link(target, out)) {
			if (++links > LINKS_MAX || !put_before(rest, target, rest + at)) {
				return false;
			}
			out[target[0] == '/' ? base : before] = '\0';
			at = 0;
		}
	}
	return true;
}

/* Returns the length of the root of another process that the path goes through; 0: of none. */
static size_t root_length(const char *path)
{
	static const char proc[] = "/proc/";
	static const char root[] = "/root";
	size_t digits;

	if (strncmp(path, proc, strlen(proc)) != 0) {
		return 0;
	}
	digits = strspn(path + strlen(proc), "0123456789");
	size_t length = strlen(proc) + digits + strlen(root);

	return digits > 0 && strncmp(path + length - strlen(root), "/root/", strlen("/root/")) == 0
		       ? length
		       : 0;
}

bool buffer_folder_is_beyond(const char *path)
{
	return root_length(path) > 0;
}

/* Opens a path below a directory, which it closes, if no part of it is a link. */
static int open_below(int directory, char *path, int flags)
{
	char *rest = NULL;
	const char *part = strtok_r(path, "/", &rest);

	part = part ? part : ".";
	while (directory >= 0 && part) {
		const char *next = strtok_r(NULL, "/", &rest);
		int fd = openat(directory, part,
			O_NOFOLLOW | O_CLOEXEC | (next ? O_PATH | O_DIRECTORY : flags));
		int why = errno;

		close(directory);
		errno = why;
		directory = fd;
		part = next;
	}
	return directory;
}

/* A process there may put a link into the path after its links were resolved. */
int buffer_folder_open(const char *path, int flags)
{
	char root[BUFFER_FILE_PATH_BYTES];
	char resolved[BUFFER_FILE_PATH_BYTES];
	size_t length = root_length(path);

	if (length == 0) {
		return open(path, flags | O_CLOEXEC);
	}
	snprintf(root, sizeof(root), "%.*s", (int)length, path);
	if (!buffer_folder_resolve(resolved, root, path + length)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open_below(open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), resolved + length,
		flags | O_NONBLOCK);
}

/* ---- Lists ---- */

void buffer_folder_copy(struct buffer_folder *to, const struct buffer_folder *from)
{
	*to = (struct buffer_folder){ .path = xstrdup(from->path), .is_own = from->is_own };
	vec_foreach (char *const *, root, &from->roots) {
		vec_push(&to->roots, xstrdup(*root));
	}
}

void buffer_folder_fini(struct buffer_folder *f)
{
	vec_foreach (char **, root, &f->roots) {
		free(*root);
	}
	vec_fini(&f->roots);
	free(f->path);
}

static void copy(struct buffer_folders *to, const struct buffer_folders *from)
{
	*to = (struct buffer_folders){ .is_short = from->is_short };
	vec_foreach (const struct buffer_folder *, it, &from->all) {
		struct buffer_folder one;

		buffer_folder_copy(&one, it);
		vec_push(&to->all, one);
	}
}

void buffer_folders_fini(struct buffer_folders *f)
{
	vec_foreach (struct buffer_folder *, it, &f->all) {
		buffer_folder_fini(it);
	}
	vec_fini(&f->all);
}

/* ---- Names ---- */

bool buffer_source_is_name(const char *file)
{
	const char *prefix = strrchr(BUFFER_FILE_PREFIX, '/') + 1;
	size_t n = strlen(prefix);

	return strncmp(file, prefix, n) == 0 && strspn(file + n, "0123456789abcdef") == 32 &&
	       !file[n + 32];
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool buffer_names_list(struct buffer_names *n, const char *folder)
{
	bool is_own = strcmp(folder, buffer_source_folder()) == 0;
	int fd = buffer_folder_open(folder, O_RDONLY | O_DIRECTORY);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	size_t seen = 0;

	*n = (struct buffer_names){ 0 };
	if (!entries) {
		return false;
	}
	for (const struct dirent *e; !n->is_cut && (e = readdir(entries));) {
		bool is_name = buffer_source_is_name(e->d_name);

		n->is_cut = !is_own && (++seen > BUFFER_ENTRIES_MAX ||
					       (is_name && n->all.count == BUFFER_NAMES_MAX));
		if (is_name && !n->is_cut) {
			vec_push(&n->all, xstrdup(e->d_name));
		}
	}
	closedir(entries);
	if (n->all.count > 0) {
		qsort(n->all.items, n->all.count, sizeof(*n->all.items), compare_names);
	}
	return true;
}

void buffer_names_fini(struct buffer_names *n)
{
	vec_foreach (char **, name, &n->all) {
		free(*name);
	}
	vec_fini(&n->all);
}

/* ---- Search ---- */

static bool identify(struct identity *id, int directory, const char *path)
{
	struct statx st;

	if (statx(directory, path, AT_STATX_DONT_SYNC, STATX_INO | STATX_MNT_ID, &st) != 0) {
		return false;
	}
	*id = (struct identity){ 0, (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor,
		st.stx_ino };
#ifdef STATX_ATTR_MOUNT_ROOT /* headers that know stx_mnt_id, too */
	id->mount = st.stx_mask & STATX_MNT_ID ? st.stx_mnt_id : 0;
#endif
	return true;
}

static bool is_same(const struct identity *a, const struct identity *b)
{
	return a->inode == b->inode && a->device == b->device && a->mount == b->mount;
}

/*
 * Adds a folder that processes with that root see; takes ownership of the root. One that is not
 * there is added if it is `wanted`, as it may come.
 */
static void add(struct search *s, const char *path, char *root, bool wanted)
{
	struct identity id = { 0 };
	bool is_there = identify(&id, AT_FDCWD, path);

	id.mount = 0; /* a folder may be mounted in several places */
	for (size_t i = 0; i < s->folders.count; i++) {
		if (is_there && is_same(&id, &s->folders.items[i])) {
			vec_push(&s->found.all.items[i].roots, root);
			return;
		}
	}
	if (!is_there && !wanted) {
		free(root);
		return;
	}
	struct buffer_folder folder = { .path = xstrdup(path), .is_own = s->found.all.count == 0 };

	vec_push(&folder.roots, root);
	vec_push(&s->found.all, folder);
	vec_push(&s->folders, id);
}

/* True if no process before had that root; notes it. */
static bool is_new_root(struct search *s, const struct identity *id)
{
	vec_foreach (const struct identity *, known, &s->roots) {
		if (is_same(id, known)) {
			return false;
		}
	}
	vec_push(&s->roots, *id);
	return true;
}

static void add_root(struct search *s, int proc, const char *pid)
{
	char path[BUFFER_FILE_PATH_BYTES];
	struct identity id;
	char *root;

	snprintf(path, sizeof(path), "%.20s/root", pid);
	if (!identify(&id, proc, path) || !is_new_root(s, &id)) {
		return; /* also if this user may not see it */
	}
	if (asprintf(&root, "/proc/%s", path) < 0) {
		abort();
	}
	if (buffer_folder_resolve(path, root, MEMORY)) {
		add(s, path, root, false);
	} else {
		free(root);
	}
}

/* Looks at the roots of all processes. */
static void search_containers(struct search *s)
{
	DIR *proc = opendir("/proc");
	struct identity own;

	s->found.is_short = !proc && error_is_shortage(errno);
	if (identify(&own, AT_FDCWD, "/")) {
		vec_push(&s->roots, own);
	}
	for (const struct dirent *e; proc && (e = readdir(proc));) {
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9') {
			add_root(s, dirfd(proc), e->d_name);
		}
	}
	if (proc) {
		closedir(proc);
	}
}

/* Adds a folder that the user names. If it is a root's /dev/shm, paths may be of that root. */
static void add_named(struct search *s, char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/') {
		path[--length] = '\0';
	}
	size_t root = length - strlen(MEMORY);

	if (length > strlen(MEMORY) && strcmp(path + root, MEMORY) == 0) {
		char *text = xstrdup(path);

		text[root] = '\0';
		add(s, path, text, true);
	}
	add(s, path, xstrdup(""), true);
}

static void search_named(struct search *s, const char *names)
{
	char *copied = xstrdup(names);
	char *rest = NULL;

	for (char *name = strtok_r(copied, ":", &rest); name; name = strtok_r(NULL, ":", &rest)) {
		add_named(s, name);
	}
	free(copied);
}

static void search(struct search *s)
{
	const char *names = secure_getenv(BUFFER_FOLDERS_VARIABLE);

	add(s, buffer_source_folder(), xstrdup(""), true);
	if (names) {
		search_named(s, names);
	} else if (!secure_getenv(BUFFER_SOURCE_VARIABLE)) {
		search_containers(s);
	}
	vec_fini(&s->roots);
	vec_fini(&s->folders);
}

/* The last search. Under its lock: readers of one program share it, as each would be slow. */
static struct {
	pthread_mutex_t lock;
	struct buffer_folders found;
	uint64_t ended_ns;
	uint64_t cost_ns;
} last = { .lock = PTHREAD_MUTEX_INITIALIZER };

void buffer_folders_find(struct buffer_folders *f)
{
	pthread_mutex_lock(&last.lock);
	uint64_t begun_ns = clock_now_ns();

	if (last.found.all.count == 0 || last.found.is_short ||
		begun_ns - last.ended_ns >= REST * last.cost_ns) {
		struct search s = { 0 };

		search(&s);
		buffer_folders_fini(&last.found);
		last.found = s.found;
		last.ended_ns = clock_now_ns();
		last.cost_ns = last.ended_ns - begun_ns;
	}
	copy(f, &last.found);
	pthread_mutex_unlock(&last.lock);
}
