/* SPDX-License-Identifier: MIT */
/*
 * Names of outputs, see output/output.h. Each step is one rename, so a process that is killed
 * leaves both the old and the new output whole, one of them under a name next to the wanted one. A
 * signal that a handler can take removes the unfinished output.
 */
#include "output/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "format/ctf.h"
#include "format/ctf_files.h"
#include "rt/host/file.h"

/* ---- Unfinished outputs ---- */

/*
 * Removes the unfinished output of a command that SIGHUP, SIGINT or SIGTERM ends. The process still
 * ends by the signal. A signal that is ignored, or that has a handler already, is left alone. One
 * output at a time.
 */

static const int numbers[] = { SIGHUP, SIGINT, SIGTERM };

/* The output, NULL if there is none. Changes only while the signals are held. */
static const struct output *volatile unfinished;

static bool remove_of_index(void *directory, const char *name)
{
	if (ctf_file_is_of_index(name)) {
		unlinkat(*(const int *)directory, name, 0);
	}
	return true;
}

static bool remove_of_trace(void *directory, const char *name)
{
	if (ctf_file_is_of_trace(name)) {
		unlinkat(*(const int *)directory, name, 0);
	}
	return true;
}

static void remove_folder(const struct output *o)
{
	int directory = o->fd;
	int index = openat(directory, CTF_INDEX, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (index >= 0) {
		directory_each(index, remove_of_index, &index);
		unlinkat(directory, CTF_INDEX, AT_REMOVEDIR);
	}
	directory_each(directory, remove_of_trace, &directory);
	rmdir(o->temporary);
}

/* Async-signal-safe: system calls only. */
static void on_signal(int number)
{
	const struct output *o = unfinished;

	if (o && o->is_folder) {
		remove_folder(o);
	} else if (o) {
		unlink(o->temporary);
	}
	unfinished = NULL;
	raise(number); /* SA_RESETHAND: ends the process when this function returns */
}

static sigset_t all_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		sigaddset(&set, numbers[i]);
	}
	return set;
}

/* Holds the signals back while the output gets or loses its temporary name. */
static void unfinished_hold(sigset_t *before)
{
	const sigset_t set = all_signals();

	sigprocmask(SIG_BLOCK, &set, before);
}

static void unfinished_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* Notes the output with `o->temporary` and `o->fd`. Call with the signals held. */
static void unfinished_note(const struct output *o)
{
	const struct sigaction act = {
		.sa_handler = on_signal, .sa_mask = all_signals(), .sa_flags = (int)SA_RESETHAND
	};
	struct sigaction now;

	unfinished = o;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
			sigaction(numbers[i], &act, NULL);
		}
	}
}

/* Forgets it: its temporary name is gone. Call with the signals held. */
static void unfinished_forget(const struct output *o)
{
	if (unfinished == o) {
		unfinished = NULL;
	}
}

#define RANDOM "XXXXXX" /* the form that mkdtemp(3) needs */
#define ASIDE ".old-"
#define IN_THE_WAY "exists already; --replace replaces it"

static bool may_replace(struct output *o)
{
	return replaceable_check(&o->old, o->path) || error_set(o->error, "%s", o->old.error);
}

/* Returns a name next to the output's, for mkdtemp(3) and the like; the caller frees it. */
static char *name_beside(const char *path, const char *infix)
{
	size_t n = strlen(path);
	char *name;

	while (n > 1 && path[n - 1] == '/') {
		n--;
	}
	if (asprintf(&name, "%.*s%s" RANDOM, (int)n, path, infix) < 0) {
		abort();
	}
	return name;
}

int output_rename_new(const char *from, const char *to)
{
	struct stat st;

	/* Calls it by number, as not every C library has the function. */
	if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
		return 0;
	}
	if (errno != EINVAL && errno != ENOSYS) {
		return -1;
	}
	/* Fallback for file systems that cannot do it in one step. */
	if (lstat(to, &st) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(from, to);
}

/* Renames the present output. Returns true also if there is none. */
static bool set_aside(struct output *o)
{
	char *name = name_beside(o->path, ASIDE);

	/* mkdtemp() finds a free name; its folder is removed, as a file could not replace it. */
	if (mkdtemp(name) && rmdir(name) == 0 && rename(o->path, name) == 0) {
		o->aside = name;
		return true;
	}
	int error = errno;

	free(name);
	return error == ENOENT || error_set(o->error, "cannot be set aside: %s", strerror(error));
}

static void forget_old(struct output *o)
{
	replaceable_fini(&o->old);
	free(o->aside);
	o->aside = NULL;
}

bool output_restore_old(struct output *o)
{
	bool ok = !o->aside || output_rename_new(o->aside, o->path) == 0 ||
		  error_set(o->error, "cannot restore the earlier trace, which is %s now: %s",
			  o->aside, strerror(errno));

	forget_old(o);
	return ok;
}

bool output_remove_old(struct output *o)
{
	int error = o->aside ? replaceable_remove(&o->old, o->aside) : 0;

	if (error) {
		error_set(o->error, "cannot remove the earlier trace, which is %s now: %s",
			o->aside, strerror(error));
	}
	forget_old(o);
	return !error;
}

/*
 * True if `entry` is the trace at `path`, set aside: our own folder, with a name of name_beside().
 */
static bool is_aside(const char *path, const char *entry, const char *name, struct stat *st)
{
	size_t n = strlen(name);
	char *metadata;

	if (strncmp(entry, name, n) != 0 || strncmp(entry + n, ASIDE, strlen(ASIDE)) != 0 ||
		strlen(entry + n) != strlen(ASIDE RANDOM)) {
		return false;
	}
	if (asprintf(&metadata, "%s/%s", path, CTF_METADATA) < 0) {
		abort();
	}
	bool is = access(metadata, F_OK) == 0 && lstat(path, st) == 0 && S_ISDIR(st->st_mode) &&
		  st->st_uid == geteuid();

	free(metadata);
	return is;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Restores the name of the trace that was set aside last, if its process was killed then. */
static void take_back(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char *folder = strndup(path, (size_t)(name - path));
	DIR *d = folder ? opendir(folder) : NULL;
	struct timespec last = { 0 };
	char *found = NULL;

	for (const struct dirent *e; d && (e = readdir(d));) {
		struct stat st;
		char *left;

		if (asprintf(&left, "%s%s", folder, e->d_name) < 0) {
			continue;
		}
		/* Its rename was its last change. */
		if (is_aside(left, e->d_name, name, &st) && is_later(&st.st_ctim, &last)) {
			free(found);
			found = left;
			last = st.st_ctim;
		} else {
			free(left);
		}
	}
	if (found) {
		output_rename_new(found, path);
	}
	if (d) {
		closedir(d);
	}
	free(found);
	free(folder);
}

bool output_set_aside(struct output *o, const char *path)
{
	struct stat st;

	*o = (struct output){ .path = path, .fd = -1 };
	if (lstat(path, &st) != 0 && errno == ENOENT) {
		take_back(path);
	}
	if (lstat(path, &st) != 0) {
		return errno == ENOENT ||
		       error_set(o->error, "cannot be replaced: %s", strerror(errno));
	}
	if (!S_ISDIR(st.st_mode)) {
		return error_set(o->error, "is not a trace: remove it yourself");
	}
	bool ok = may_replace(o) && set_aside(o);

	if (!ok) {
		forget_old(o);
	}
	return ok;
}

/* Makes the new file or folder under a free name. Call with the signals held. */
static bool make_temporary(struct output *o, mode_t mask)
{
	char *name = name_beside(o->path, ".new-");

	if (o->is_folder && mkdtemp(name) && chmod(name, 0777 & ~mask) == 0) {
		o->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	} else if (!o->is_folder) {
		o->fd = mkostemp(name, O_CLOEXEC);
		if (o->fd >= 0) {
			fchmod(o->fd, 0666 & ~mask);
		}
	}
	if (o->fd < 0) {
		error_set(o->error, "cannot be made: %s", strerror(errno));
		free(name);
		return false;
	}
	o->temporary = name;
	unfinished_note(o);
	return true;
}

bool output_begin(struct output *o, const char *path, bool is_folder, bool replaces)
{
	mode_t mask = umask(0);
	sigset_t signals;
	struct stat st;

	umask(mask);
	*o = (struct output){
		.path = path, .fd = -1, .is_folder = is_folder, .replaces = replaces
	};
	if (replaces ? !may_replace(o) : lstat(path, &st) == 0) {
		return replaces ? false : error_set(o->error, IN_THE_WAY);
	}
	unfinished_hold(&signals);
	bool ok = make_temporary(o, mask);

	unfinished_release(&signals);
	return ok;
}

/* Replaces a trace by the new one. */
static bool exchange(struct output *o)
{
	if (!set_aside(o)) {
		return false;
	}
	if (rename(o->temporary, o->path) != 0) {
		error_set(o->error, "cannot be replaced: %s", strerror(errno));
		if (o->aside) {
			rename(o->aside, o->path);
		}
		return false;
	}
	if (o->aside) {
		replaceable_remove(&o->old, o->aside);
	}
	return true;
}

/* The new output has its name, or is gone. Call with the signals held. */
static void forget_new(struct output *o)
{
	unfinished_forget(o);
	free(o->temporary);
	o->temporary = NULL;
}

bool output_commit(struct output *o)
{
	sigset_t signals;
	bool ok;

	unfinished_hold(&signals); /* between two renames, no output has the name */
	if (o->replaces) {
		/* A rename itself replaces a file, an empty folder, or nothing. */
		ok = may_replace(o) && (rename(o->temporary, o->path) == 0 || exchange(o));
	} else {
		ok = output_rename_new(o->temporary, o->path) == 0 ||
		     (errno == EEXIST ? error_set(o->error, IN_THE_WAY)
				      : error_set(o->error, "cannot be made: %s", strerror(errno)));
	}
	if (ok) {
		forget_new(o);
	}
	unfinished_release(&signals);
	return ok;
}

void output_fini(struct output *o)
{
	sigset_t signals;

	unfinished_hold(&signals);
	if (o->fd >= 0) {
		close(o->fd);
		o->fd = -1;
	}
	forget_old(o); /* before a removal, which would also remove the memory of the old trace */
	if (o->temporary) {
		replaceable_remove(&o->old, o->temporary);
		forget_new(o);
	}
	unfinished_release(&signals);
}
