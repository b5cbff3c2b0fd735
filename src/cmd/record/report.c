/* SPDX-License-Identifier: MIT */
/* What `waymark record` says when the program has ended: one line, and one for each trouble. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/escaped.h"
#include "cmd/record/record.h"
#include "cmd/session.h"
#include "write/recover.h"

#define NAME "waymark record"

/* Of a thousand processes, so many are named. */
#define NAMES_SHOWN 8u

struct counts {
	uint64_t events;
	struct losses losses;
};

static void say(const char *path, const char *text)
{
	escaped_printf(stderr, NAME ": %s: %s", path, text);
	fputc('\n', stderr);
}

/* As the user sees it from where he is. */
static const char *shown(const char *path)
{
	char folder[PATH_MAX];
	size_t n = getcwd(folder, sizeof(folder)) ? strlen(folder) : 0;
	bool is_below = n > 1 && strncmp(path, folder, n) == 0 && path[n] == '/';

	return is_below ? path + n + 1 : path;
}

/* What a process that was killed left in memory is brought in; a file of `simple` is as it is. */
static void make_whole(const char *path)
{
	struct recover_result result;

	if (access(path, R_OK | X_OK) != 0) {
		return;
	}
	if (!recover_trace(path, &result)) {
		say(shown(path), result.error);
	} else if (result.fault[0]) {
		say(shown(path), result.fault);
	}
}

static void add(struct counts *sum, const struct record *rec)
{
	if (rec->kind == RECORD_EVENT) {
		sum->events++;
	} else {
		losses_add(&sum->losses, &rec->gap);
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
			for (size_t i = 0; i < n; i++) {
				add(sum, &records[i]);
			}
		}
	}
	session_end(&s);
}

static void put_number(const char *between, uint64_t n, const char *what, const char *many)
{
	fprintf(stderr, "%s%" PRIu64 " %s%s", between, n, what, n == 1 ? "" : many);
}

static void put_losses(const struct losses *l)
{
	put_number(", ", l->lost, "lost", "");
	if (l->overwritten > 0) {
		put_number(", ", l->overwritten, "overwritten", "");
	}
	if (l->rotated > 0) {
		put_number(", ", l->rotated, "packet", "s");
		fputs(" rotated away", stderr);
	}
	if (l->missing > 0) {
		put_number(", ", l->missing, "packet", "s");
		fputs(" missing", stderr);
	}
}

/* The traces of further processes. */
static void put_others(const struct record_traces *t)
{
	size_t count = t->paths.count;

	for (size_t i = 1; i < count && i <= NAMES_SHOWN; i++) {
		fputs(i == 1 ? "; also " : ", ", stderr);
		escaped_put(stderr, shown(t->paths.items[i]));
	}
	if (count > 1 + NAMES_SHOWN) {
		fprintf(stderr, " and %zu more beside them", count - 1 - NAMES_SHOWN);
	}
}

static void report(const struct record_traces *t)
{
	struct counts sum = { 0 };

	vec_foreach (char **, path, &t->paths) {
		make_whole(*path);
		count(&sum, *path);
	}
	fputs(NAME ": ", stderr);
	escaped_put(stderr, shown(t->paths.items[0]));
	put_number(": ", sum.events, "event", "s");
	put_losses(&sum.losses);
	put_number(", ", t->paths.count, "process", "es");
	put_others(t);
	fputc('\n', stderr);
}

void record_report(
	const struct record_run *run, const struct record_wishes *w, const struct record_traces *t)
{
	char why[200];
	struct stat st;

	if (t->paths.count > 0) {
		report(t);
		return;
	}
	record_explain(w->program[0], why, sizeof(why));
	bool is_there = lstat(run->trace, &st) == 0; /* what it was to replace */

	escaped_printf(stderr, NAME ": %s recorded nothing, %s %s: %s", w->program[0],
		shown(run->trace), is_there ? "was not replaced" : "was not made", why);
	fputc('\n', stderr);
}
