/* SPDX-License-Identifier: MIT */
/*
 * Makes the trace's name absolute, checks it before the program starts, and claims it for one run
 * at a time. An existing output of that name is put aside while the program runs, and removed once
 * the program has recorded. Also finds the traces that a run made: TRACE, and TRACE.PID of further
 * processes.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cmd/record/record.h"
#include "format/ctf.h"

/* Bytes of the longest name inside a trace, or of the trace's temporary name. */
#define ROOM_INSIDE 64

/* Makes the name absolute, as a script may change its directory before it starts a program. */
bool record_claim_init(struct record_claim *p, struct record_request *w)
{
	bool is_absolute = w->output && w->output[0] == '/';
	size_t n;

	*p = (struct record_claim){ .socket = -1 };
	if (!getcwd(w->folder, sizeof(w->folder))) {
		return error_set(
			p->error, "cannot find the current directory: %s", strerror(errno));
	}
	if (!w->output) {
		return true;
	}
	n = (size_t)snprintf(w->trace, sizeof(w->trace), "%s%s%s", is_absolute ? "" : w->folder,
		is_absolute || !w->folder[1] ? "" : "/", w->output);
	if (n >= sizeof(w->trace) - ROOM_INSIDE) {
		return error_set(p->error, "-o: %s", strerror(ENAMETOOLONG));
	}
	while (n > 1 && w->trace[n - 1] == '/') {
		w->trace[--n] = '\0';
	}
	const char *name = strrchr(w->trace, '/') + 1;
	bool is_name = *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;

	return is_name || error_set(p->error, "-o: %s is not a name for a trace", w->output);
}

/* Sets the folder of the trace. */
static void find_folder(char folder[PATH_MAX], const struct record_request *w)
{
	strcpy(folder, w->output ? w->trace : w->folder);
	if (w->output) {
		char *name = strrchr(folder, '/');

		name[name == folder] = '\0';
	}
}

/* Fails before the program starts; the program would only warn and run without a trace. */
static bool check_folder(struct record_claim *p, const struct record_request *w)
{
	char folder[PATH_MAX];

	find_folder(folder, w);
	return access(folder, W_OK | X_OK) == 0 ||
	       error_set(p->error, "cannot make the trace in %s: %s%s", folder, strerror(errno),
		       w->output ? "" : "; -o names another place");
}

/*
 * Without a claim, two runs of one name would count each other's events. An abstract socket name
 * belongs to one process, is no file that the program could see, and is freed when the process ends
 * for any reason. Without sockets there is no claim.
 */
static bool claim(struct record_claim *p, const struct record_request *w)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char folder[PATH_MAX];
	struct stat st = { 0 };

	find_folder(folder, w);
	if (stat(folder, &st) == 0) {
		p->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	}
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
		"waymark-record-%jx-%jx-%" PRIx64, (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
		hash_string(strrchr(w->trace, '/') + 1));
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);

	if (p->socket < 0 || bind(p->socket, (struct sockaddr *)&address, length) == 0 ||
		errno != EADDRINUSE) {
		return true;
	}
	return error_set(p->error, "%s: another 'waymark record' is recording it: end that first",
		w->output);
}

/* Puts an existing output aside with --replace; without it, fails if there is one. */
static bool clear_name(struct record_claim *p, const struct record_request *w)
{
	struct stat st;

	if (w->replaces) {
		return output_set_aside(&p->old, w->trace) ||
		       error_set(p->error, "%s: %s", w->output, p->old.error);
	}
	return lstat(w->trace, &st) != 0 ||
	       error_set(p->error, "%s: exists already; remove it, or give --replace", w->output);
}

/* Detects what the folder's rights do not show: a name that is too long, a full disk. */
static bool try_name(struct record_claim *p, const struct record_request *w)
{
	if (mkdir(w->trace, 0777) == 0) {
		rmdir(w->trace);
		return true;
	}
	error_set(p->error, "cannot make the trace %s: %s", w->output, strerror(errno));
	output_restore_old(&p->old);
	return false;
}

bool record_claim_take(struct record_claim *p, const struct record_request *w)
{
	return check_folder(p, w) &&
	       (!w->output || (claim(p, w) && clear_name(p, w) && try_name(p, w)));
}

bool record_claim_settle(
	struct record_claim *p, const struct record_request *w, const struct record_traces *t)
{
	bool is_made = t->paths.count > 0 && strcmp(t->paths.items[0], w->trace) == 0;
	bool ok = is_made ? output_remove_old(&p->old) : output_restore_old(&p->old);

	return ok || error_set(p->error, "%s: %s", w->output, p->old.error);
}

void record_claim_fini(struct record_claim *p)
{
	if (p->socket >= 0) {
		close(p->socket);
		p->socket = -1;
	}
}

/* ---- Traces of a run ---- */

/* True if the end of a name is .PID or .PID.N. */
static bool is_number(const char *end)
{
	size_t digits = 0;

	while (*end == '.' && (digits = strspn(end + 1, "0123456789")) > 0) {
		end += 1 + digits;
	}
	return digits > 0 && !*end;
}

static void add(struct record_traces *t, char *path, const struct record_traces *before)
{
	/* Accepts a native trace, or a file of another backend. */
	struct stat st;
	char *metadata;
	bool wanted = lstat(path, &st) == 0 && S_ISREG(st.st_mode);

	if (asprintf(&metadata, "%s/" CTF_METADATA, path) < 0) {
		abort();
	}
	wanted = wanted || lstat(metadata, &st) == 0;
	free(metadata);
	for (size_t i = 0; wanted && before && i < before->paths.count; i++) {
		wanted = strcmp(before->paths.items[i], path) != 0;
	}
	if (wanted) {
		vec_push(&t->paths, path);
	} else {
		free(path);
	}
}

void record_traces_find(
	struct record_traces *t, const char *trace, const struct record_traces *before)
{
	const char *name = strrchr(trace, '/') + 1;
	size_t length = strlen(name);
	char *folder = strndup(trace, (size_t)(name - trace));
	struct dirent **entries;
	int n = folder ? scandir(folder, &entries, NULL, versionsort) : -1;

	*t = (struct record_traces){ 0 };
	add(t, xstrdup(trace), before);
	for (int i = 0; i < n; i++) {
		char *path;

		if (strncmp(entries[i]->d_name, name, length) == 0 &&
			is_number(entries[i]->d_name + length) &&
			asprintf(&path, "%s%s", folder, entries[i]->d_name) >= 0) {
			add(t, path, before);
		}
		free(entries[i]);
	}
	if (n >= 0) {
		free(entries);
	}
	free(folder);
}

void record_traces_fini(struct record_traces *t)
{
	vec_foreach (char **, path, &t->paths) {
		free(*path);
	}
	vec_fini(&t->paths);
}
