/* SPDX-License-Identifier: MIT */
/*
 * Names, writes and removes the files of the cache. A trace's files are known by their names,
 * sizes and times, and its uuid by the text of its metadata: any change makes another key.
 */
#include "cmd/view/viewer/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "timeline/stored.h"

/* Bytes of all files together. */
#define BYTES_MAX ((uint64_t)1 << 30)

/* Fewer records are read at once. */
#define RECORDS_MIN (UINT64_C(1) << 18)

/* Seconds after which a file that was not completed is of a killed process. */
#define ABANDONED_S 3600

#define SUFFIX ".levels"

/* The version of what is stored. */
#define VERSION "1 " WAYMARK_VERSION

/* ---- The key ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds a file's name, size and time. */
static bool add_file(struct out *key, int directory, const char *name)
{
	struct stat st;

	if (fstatat(directory, name, &st, 0) != 0) {
		return false;
	}
	out_printf(key, "%s %" PRIu64 " %" PRIu64 " %" PRId64 ".%09ld\n", name, (uint64_t)st.st_ino,
		(uint64_t)st.st_size, (int64_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

/* Adds the files of a trace's directory in the order of their names. */
static bool add_directory(struct out *key, int fd)
{
	DIR *directory = fdopendir(fd);
	VEC(char *) names = { 0 };
	bool ok = directory;

	for (const struct dirent *e; directory && (e = readdir(directory));) {
		if (*e->d_name != '.') {
			vec_push(&names, xstrdup(e->d_name));
		}
	}
	if (names.count > 1) {
		qsort(names.items, names.count, sizeof(*names.items), by_text);
	}
	vec_foreach (char **, name, &names) {
		ok = ok && add_file(key, fd, *name);
		free(*name);
	}
	vec_fini(&names);
	if (directory) {
		closedir(directory);
	} else {
		close(fd);
	}
	return ok;
}

static bool add_trace(struct out *key, const char *path)
{
	char *real = realpath(path, NULL);
	int fd = real ? open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECTORY) : -1;

	out_printf(key, "trace %s\n", real ? real : path);
	bool ok = fd >= 0 ? add_directory(key, fd) : real && add_file(key, AT_FDCWD, real);

	free(real);
	return ok;
}

/* Writes the key; false if the traces may change, or cannot be recognised. */
static bool make_key(struct cache *c)
{
	const struct session *s = c->viewer->session;
	const struct reader *r = s->reader;

	out_printf(&c->key, "%s %zu %zu\nselection%s\n", VERSION, sizeof(struct level_cell),
		sizeof(struct level_scope), c->viewer->cached);
	if (c->viewer->meets_events || s->has_declarations || s->unreadable ||
		filter_is_relative(&s->filter)) {
		return false;
	}
	for (size_t i = 0; i < r->trace_count; i++) {
		const struct trace_info *t = &r->traces[i];

		if (t->is_live || t->has_leftovers ||
			!add_trace(&c->key, t->path ? t->path : s->traces[0])) {
			return false;
		}
	}
	out_char(&c->key, '\0');
	return true;
}

/* ---- The directory ---- */

/* Returns the directory of the cache, which the caller frees; NULL if there can be none. */
static char *find_directory(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	bool is_set = cache && *cache == '/';
	char *path = NULL;

	if ((!is_set && (!home || *home != '/')) ||
		asprintf(&path, "%s%s/waymark", is_set ? cache : home, is_set ? "" : "/.cache") <
			0) {
		return NULL;
	}
	return path;
}

/* Makes a directory and those around it, which only the user may read. */
static bool make_directory(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

void cache_init(struct cache *c, struct viewer *v)
{
	*c = (struct cache){ .viewer = v };
	out_init(&c->key, OUT_TO_MEMORY);
	char *directory = v->cached ? find_directory() : NULL;

	if (!directory || !make_key(c) ||
		asprintf(&c->path, "%s/%016" PRIx64 SUFFIX, directory, hash_string(c->key.data)) <
			0) {
		free(directory);
		return;
	}
	c->directory = directory;
}

void cache_fini(struct cache *c)
{
	out_fini(&c->key);
	free(c->directory);
	free(c->path);
}

/* ---- Loading ---- */

static bool restore(struct cache *c, int fd)
{
	struct stat st;
	void *bytes = MAP_FAILED;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		st.st_size > 0) {
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (bytes == MAP_FAILED) {
		return false;
	}
	struct levels *l = &c->viewer->levels;

	viewer_lock(c->viewer);
	bool ok = levels_restore(l, c->key.data, bytes, (size_t)st.st_size);

	if (!ok) {
		levels_fini(l);
		levels_init(l, c->viewer->session->reader);
	}
	viewer_unlock(c->viewer);
	munmap(bytes, (size_t)st.st_size);
	return ok;
}

bool cache_load(struct cache *c)
{
	const struct timespec used[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
	int fd = c->directory ? open(c->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	bool ok = fd >= 0 && restore(c, fd);

	if (ok) {
		futimens(fd, used);
	}
	if (fd >= 0) {
		close(fd);
	}
	return ok;
}

/* ---- Saving ---- */

struct file {
	char *name;
	int64_t used; /* time in ns */
	uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
	const struct file *x = a;
	const struct file *y = b;

	return (x->used > y->used) - (x->used < y->used);
}

/* True if the file is one that a killed process did not complete. */
static bool is_abandoned(const char *name, const struct stat *st)
{
	return strstr(name, SUFFIX ".new-") && time(NULL) - st->st_mtim.tv_sec > ABANDONED_S;
}

/* Removes the files that were not used for the longest time until all others are small enough. */
static void clean(const char *path)
{
	DIR *directory = opendir(path);
	VEC(struct file) files = { 0 };
	uint64_t bytes = 0;
	struct stat st;

	for (const struct dirent *e; directory && (e = readdir(directory));) {
		size_t length = strlen(e->d_name);
		bool is_ours = length > strlen(SUFFIX) &&
			       strcmp(e->d_name + length - strlen(SUFFIX), SUFFIX) == 0;

		if (fstatat(dirfd(directory), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
			continue;
		}
		if (is_abandoned(e->d_name, &st)) {
			unlinkat(dirfd(directory), e->d_name, 0);
		} else if (is_ours) {
			int64_t used = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;

			vec_push(&files,
				((struct file){ xstrdup(e->d_name), used, (uint64_t)st.st_size }));
			bytes += (uint64_t)st.st_size;
		}
	}
	if (files.count > 1) {
		qsort(files.items, files.count, sizeof(*files.items), by_use);
	}
	vec_foreach (struct file *, f, &files) {
		if (bytes > BYTES_MAX) {
			unlinkat(dirfd(directory), f->name, 0);
			bytes -= f->bytes;
		}
		free(f->name);
	}
	vec_fini(&files);
	if (directory) {
		closedir(directory);
	}
}

/* Writes a new file, and gives it its name when it is complete; false with errno. */
static bool store(struct cache *c, char *temporary)
{
	int fd = make_directory(c->directory) ? mkostemp(temporary, O_CLOEXEC) : -1;

	if (fd < 0) {
		return false;
	}
	bool ok = levels_store(&c->viewer->levels, c->key.data, fd, &c->viewer->is_stopped) &&
		  fsync(fd) == 0 && rename(temporary, c->path) == 0;
	int error = errno;

	close(fd);
	if (!ok) {
		unlink(temporary);
	}
	errno = error;
	return ok;
}

void cache_save(struct cache *c)
{
	char *temporary = NULL;

	if (!c->directory || c->viewer->problems > 0 || viewer_is_stopped(c->viewer) ||
		c->viewer->levels.records < RECORDS_MIN ||
		asprintf(&temporary, "%s.new-XXXXXX", c->path) < 0) {
		return;
	}
	if (store(c, temporary)) {
		clean(c->directory);
	} else if (errno != ECANCELED) {
		session_say(c->viewer->session,
			"cannot write the cache in %s: %s; the next start reads the traces again",
			c->directory, strerror(errno));
	}
	free(temporary);
}
