/* SPDX-License-Identifier: MIT */
/* See cmd/recover/drain_jobs.h. */
#include "cmd/recover/drain_jobs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/escaped.h"
#include "read/buffer.h"
#include "recover/leftover.h"

void drain_complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	escaped_vsay("waymark drain", fmt, ap);
	va_end(ap);
}

/* The process that a word of the command line is; 0: none. */
static uint32_t pid_of(const char *word)
{
	char *end;
	unsigned long value = strtoul(word, &end, 10);

	return isdigit((unsigned char)*word) && !*end && value <= INT_MAX ? (uint32_t)value : 0;
}

static bool is_meant(const struct drain_run *r, struct jail_buffer *a)
{
	const struct buffer_jail *j = &a->file->jail;
	char base[BUFFER_FILE_PATH_BYTES];
	char directory[BUFFER_FILE_PATH_BYTES];

	jail_buffer_base(a, base);
	jail_buffer_directory(a, directory);
	jail_buffer_owner(a);
	for (char **word = r->words; *word; word++) {
		uint32_t pid = pid_of(*word);
		bool is_its = pid == j->family || pid == a->pid || pid == a->file->pid;

		if ((pid && is_its) || leftover_is_place(base, *word) ||
			leftover_is_place(directory, *word)) {
			return true;
		}
	}
	return false;
}

static bool is_known(const struct drain_run *r, const char *path)
{
	vec_foreach (struct drain_job **, job, &r->jobs) {
		if (strcmp((*job)->path, path) == 0) {
			return true;
		}
	}
	return false;
}

/* Opens the buffer if it is one that was meant. */
static bool open_meant(struct drain_run *r, struct drain_job *job)
{
	struct jail_buffer a;
	int error = jail_buffer_open(&a, job->path);
	bool meant = !error && is_meant(r, &a);

	jail_buffer_close(&a);
	r->is_hidden |= error == EACCES;
	if (!meant) {
		return false;
	}
	r->found = true;
	error = drain_open(&job->drain, job->path);
	job->is_open = !error;
	if (error == EBUSY) {
		drain_complain("%s: another waymark drain is at work on it", job->path);
	} else if (error) {
		drain_complain("%s: cannot be opened: %s", job->path, strerror(error));
	}
	job->is_over = error;
	r->status |= error ? EXIT_FAILURE : 0;
	return true;
}

static void add(struct drain_run *r, const char *path)
{
	struct drain_job *job = xcalloc(1, sizeof(*job));

	job->path = xstrdup(path);
	if (open_meant(r, job)) {
		pthread_mutex_lock(&r->lock);
		vec_push(&r->jobs, job);
		pthread_mutex_unlock(&r->lock);
		return;
	}
	free(job->path);
	free(job);
}

/* Those that are through, so that a run for years needs no more memory. */
static void forget_released(struct drain_run *r)
{
	size_t kept = 0;

	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; i < r->jobs.count; i++) {
		struct drain_job *job = r->jobs.items[i];

		if (job->is_released) {
			free(job->path);
			free(job);
		} else {
			r->jobs.items[kept++] = job;
		}
	}
	r->jobs.count = kept;
	pthread_mutex_unlock(&r->lock);
}

/* Looks for buffers that are not known yet. */
void drain_find(struct drain_run *r)
{
	char path[BUFFER_FILE_PATH_BYTES];

	forget_released(r);

	DIR *folder = opendir(buffer_source_folder());

	for (struct dirent *e; folder && (e = readdir(folder));) {
		snprintf(path, sizeof(path), "%s/%s", buffer_source_folder(), e->d_name);
		if (buffer_source_is_name(e->d_name) && !is_known(r, path)) {
			add(r, path);
		}
	}
	if (folder) {
		closedir(folder);
	}
}

bool drain_is_in_vain(const struct drain_run *r)
{
	if (r->found) {
		return false;
	}
	for (char **word = r->words; *word; word++) {
		uint32_t pid = pid_of(*word);

		if (!pid || kill((pid_t)pid, 0) == 0 || errno != ESRCH) {
			return false;
		}
	}
	return true;
}

void drain_explain_nothing(const struct drain_run *r)
{
	drain_complain("%s: no process in a jail records into it%s", r->words[0],
		r->is_hidden
			? " that you may read: other users' memory is there, be root or that user"
			: "");
}
