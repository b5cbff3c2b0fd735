/* SPDX-License-Identifier: MIT */
/*
 * The report of `waymark record` after the program has exited: one line about the traces, and one
 * for each problem, or the reason why there is no trace.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cmd/escaped.h"
#include "cmd/record/record.h"
#include "cmd/session.h"
#include "recover/recover.h"

#define NAME "waymark record"

/* Maximum number of traces of further processes that are named. */
#define NAMES_SHOWN 8u

struct counts {
	uint64_t events;
	struct losses losses;
};

/* Returns the path relative to the current directory if it is below that. */
static const char *shown(const char *path)
{
	char folder[PATH_MAX];
	size_t n = getcwd(folder, sizeof(folder)) ? strlen(folder) : 0;
	bool is_below = n > 1 && strncmp(path, folder, n) == 0 && path[n] == '/';

	return is_below ? path + n + 1 : path;
}

/* Recovers a native trace, in case its process was killed. */
static void recover(const char *path)
{
	struct recover_result result;

	if (access(path, R_OK | X_OK) != 0) {
		return;
	}
	if (!recover_trace(path, &result)) {
		escaped_say(NAME, "%s: %s", shown(path), result.error);
	} else if (result.fault[0]) {
		escaped_say(NAME, "%s: %s", shown(path), result.fault);
	}
}

static void add(struct counts *sum, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (records[i].kind == RECORD_EVENT) {
			sum->events++;
		} else {
			losses_add(&sum->losses, &records[i].gap);
		}
	}
}

static void count(struct counts *sum, const char *path)
{
	struct session s;
	struct record records[SESSION_FEW];
	size_t n;

	session_init(&s, NAME);
	if (session_open(&s, path, NULL, false)) {
		while ((n = session_next_few(&s, records))) {
			add(sum, records, n);
		}
	}
	session_end(&s);
}

/* Writes `BETWEENN WHAT`, with the ending MANY unless N is 1. */
static void put_number(const char *between, uint64_t n, const char *what, const char *many)
{
	fprintf(stderr, "%s%" PRIu64 " %s%s", between, n, what, n == 1 ? "" : many);
}

static void report(const struct record_traces *t)
{
	struct counts sum = { 0 };

	vec_foreach (char **, path, &t->paths) {
		recover(*path);
		count(&sum, *path);
	}
	fputs(NAME ": ", stderr);
	escaped_put(stderr, shown(t->paths.items[0]));
	put_number(": ", sum.events, "event", "s");
	put_number(", ", sum.losses.lost, "lost", "");
	if (sum.losses.overwritten > 0) {
		put_number(", ", sum.losses.overwritten, "overwritten", "");
	}
	if (sum.losses.rotated > 0) {
		put_number(", ", sum.losses.rotated, "packet", "s");
		fputs(" rotated away", stderr);
	}
	if (sum.losses.missing > 0) {
		put_number(", ", sum.losses.missing, "packet", "s");
		fputs(" missing", stderr);
	}
	put_number(", ", t->paths.count, "process", "es");
	/* Number of traces of further processes. */
	size_t count = t->paths.count;

	for (size_t i = 1; i < count && i <= NAMES_SHOWN; i++) {
		fputs(i == 1 ? "; also " : ", ", stderr);
		escaped_put(stderr, shown(t->paths.items[i]));
	}
	if (count > 1 + NAMES_SHOWN) {
		fprintf(stderr, " and %zu more beside them", count - 1 - NAMES_SHOWN);
	}
	fputc('\n', stderr);
}

/* ---- Why there is no trace ---- */

/* A program's file, mapped. */
struct image {
	struct stat st;
	const char *bytes; /* NULL: unreadable */
	size_t size;
};

static void image_open(struct image *i, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*i = (struct image){ 0 };
	if (fd >= 0 && fstat(fd, &i->st) == 0 && S_ISREG(i->st.st_mode) && i->st.st_size > 0) {
		void *bytes = mmap(NULL, (size_t)i->st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		i->bytes = bytes == MAP_FAILED ? NULL : bytes;
		i->size = (size_t)i->st.st_size;
	}
	if (fd >= 0) {
		close(fd);
	}
}

static bool contains(const struct image *i, const char *text)
{
	return memmem(i->bytes, i->size, text, strlen(text));
}

static bool begins(const struct image *i, const char *text)
{
	return i->size >= strlen(text) && memcmp(i->bytes, text, strlen(text)) == 0;
}

/* True if exec gives the program more rights, so that it ignores the environment. */
static bool gains_rights(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0) {
		return false;
	}
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	       (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

/* Explains why the program of an image recorded nothing, as the end of a sentence. */
static const char *explain_image(const struct image *i)
{
	if (!i->bytes) {
		return "it is not linked with Waymark, no pattern matches its events, none of them "
		       "happened, or it refused an option";
	}
	if (begins(i, "#!")) {
		return "it is a script, and none of the programs that it ran has Waymark's "
		       "events, or none of them happened";
	}
	/* Its dynamic symbols show events, but no backend ctf. */
	if (contains(i, "libwaymark.so") && contains(i, "waymark_register") &&
		!contains(i, "waymark_ctf") && !contains(i, "waymark_site_")) {
		return "its events are built without the backend ctf: make WAYMARK_BACKENDS=ctf, or "
		       "tracetool --backends=ctf";
	}
	if (!begins(i, "\177ELF") || contains(i, "libwaymark.so") || contains(i, "WAYMARK_TRACE")) {
		return "no pattern matches its events, none of them happened, or it refused an "
		       "option, as reported above";
	}
	return contains(i, "ld-linux") || contains(i, "ld-musl")
		       ? "it is not linked with Waymark, and no library or program that it used "
			 "recorded an event"
		       : "it is a static program without Waymark in it";
}

/* Explains why a program recorded nothing, as far as its file shows. Does not run it. */
static const char *explain(const char *program)
{
	char path[PATH_MAX] = "";
	struct image image;

	if (record_find(program, path) == 0 && gains_rights(path)) {
		return "it is set-uid, set-gid or has capabilities: such programs ignore "
		       "WAYMARK_TRACE";
	}
	image_open(&image, path);
	const char *text = explain_image(&image);

	if (image.bytes) {
		munmap((void *)(uintptr_t)image.bytes, image.size);
	}
	return text;
}

void record_report(
	const struct record_run *run, const struct record_request *w, const struct record_traces *t)
{
	struct stat st;

	if (t->paths.count > 0) {
		report(t);
		return;
	}
	bool is_there = lstat(run->trace, &st) == 0; /* an old one, to be replaced */

	escaped_say(NAME, "%s recorded nothing, %s %s: %s", w->program[0], shown(run->trace),
		is_there ? "was not replaced" : "was not made", explain(w->program[0]));
}
