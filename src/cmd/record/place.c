/* SPDX-License-Identifier: MIT */
/*
 * The trace's name: made absolute, tried before the program starts, and one run's at a time.
 * What has it already is put aside while the program runs, and goes when that has recorded.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "cmd/record/record.h"

/* What the names of a trace's files take behind its own, and that which it has first. */
#define ROOM_INSIDE 64

static bool PRINTF(2, 3) fail(struct record_place *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->error, sizeof(p->error), fmt, ap);
	va_end(ap);
	return false;
}

/* Makes the output's name absolute: a script may change its directory before it runs a program. */
bool record_place_name(struct record_place *p, struct record_wishes *w)
{
	bool is_absolute = w->output && w->output[0] == '/';
	size_t n;

	*p = (struct record_place){ .claim = -1 };
	if (!getcwd(w->folder, sizeof(w->folder))) {
		return fail(p, "there is no path to the current directory: %s", strerror(errno));
	}
	if (!w->output) {
		return true;
	}
	n = (size_t)snprintf(w->trace, sizeof(w->trace), "%s%s%s", is_absolute ? "" : w->folder,
		is_absolute || !w->folder[1] ? "" : "/", w->output);
	if (n >= sizeof(w->trace) - ROOM_INSIDE) {
		return fail(p, "-o: %s", strerror(ENAMETOOLONG));
	}
	while (n > 1 && w->trace[n - 1] == '/') {
		w->trace[--n] = '\0';
	}
	const char *name = strrchr(w->trace, '/') + 1;
	bool is_name = *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;

	return is_name || fail(p, "-o: %s is no name for a trace", w->output);
}

/* The folder that the trace will be in. */
static void find_folder(char folder[PATH_MAX], const struct record_wishes *w)
{
	strcpy(folder, w->output ? w->trace : w->folder);
	if (w->output) {
		char *name = strrchr(folder, '/');

		name[name == folder] = '\0';
	}
}

/* What the program would say, and go on, is said before it has done half of its work. */
static bool check_folder(struct record_place *p, const struct record_wishes *w)
{
	char folder[PATH_MAX];

	find_folder(folder, w);
	return access(folder, W_OK | X_OK) == 0 ||
	       fail(p, "cannot make the trace in %s: %s%s", folder, strerror(errno),
		       w->output ? "" : "; -o names another place");
}

/*
 * Two runs of one name would count each other's events as theirs. A socket's name in the
 * kernel is held by one process, is no file that the program could see, and ends with its
 * holder, however that ends. Where none is to be had, there is no claim.
 */
static bool claim(struct record_place *p, const struct record_wishes *w)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char folder[PATH_MAX];
	struct stat st = { 0 };

	find_folder(folder, w);
	if (stat(folder, &st) == 0) {
		p->claim = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	}
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
		"waymark-record-%jx-%jx-%" PRIx64, (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
		hash_string(strrchr(w->trace, '/') + 1));
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);

	if (p->claim < 0 || bind(p->claim, (struct sockaddr *)&address, length) == 0 ||
		errno != EADDRINUSE) {
		return true;
	}
	return fail(p, "%s: another 'waymark record' is recording it: end that first", w->output);
}

/* Whether a trace can have the name that was given. */
static bool clear_name(struct record_place *p, const struct record_wishes *w)
{
	struct stat st;

	if (w->replaces) {
		return aside_begin(&p->old, w->trace) || fail(p, "%s: %s", w->output, p->old.error);
	}
	return lstat(w->trace, &st) != 0 ||
	       fail(p, "%s: there is something of that name already; remove it, or say --replace",
		       w->output);
}

/* What the folder's rights do not tell: a name that is too long, a full disk. */
static bool try_name(struct record_place *p, const struct record_wishes *w)
{
	if (mkdir(w->trace, 0777) == 0) {
		rmdir(w->trace);
		return true;
	}
	fail(p, "cannot make the trace %s: %s", w->output, strerror(errno));
	aside_return(&p->old);
	return false;
}

bool record_place_take(struct record_place *p, const struct record_wishes *w)
{
	return check_folder(p, w) &&
	       (!w->output || (claim(p, w) && clear_name(p, w) && try_name(p, w)));
}

bool record_place_settle(
	struct record_place *p, const struct record_wishes *w, const struct record_traces *t)
{
	bool is_made = t->paths.count > 0 && strcmp(t->paths.items[0], w->trace) == 0;
	bool ok = is_made ? aside_remove(&p->old) : aside_return(&p->old);

	return ok || fail(p, "%s: %s", w->output, p->old.error);
}

void record_place_leave(struct record_place *p)
{
	if (p->claim >= 0) {
		close(p->claim);
		p->claim = -1;
	}
}
