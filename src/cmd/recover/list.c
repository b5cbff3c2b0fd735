/* SPDX-License-Identifier: MIT */
/*
 * `waymark recover` alone, and with --list: what processes left in memory, or still record
 * into. A table for people, the same with tabs for programs.
 */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cmd/columns.h"
#include "cmd/waymark.h"
#include "write/leftover.h"

static const char *const states[] = {
	[LEFTOVER_UNKNOWN] = "?",
	[LEFTOVER_ALIVE] = "alive",
	[LEFTOVER_DEAD] = "dead",
};

struct unit {
	uint64_t size;
	char letter;
};

static const struct unit ages[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' }, { 0 } };
static const struct unit sizes[] = { { 1u << 30, 'G' }, { 1u << 20, 'M' }, { 1u << 10, 'K' },
	{ 0 } };

#define AMOUNT_SIZE 32

/* In the largest unit of which there is one; the last is used for all that is less. */
static const char *amount(char text[AMOUNT_SIZE], uint64_t n, const struct unit *units)
{
	while (n < units->size && units[1].size) {
		units++;
	}
	snprintf(text, AMOUNT_SIZE, "%" PRIu64 "%c", n / units->size, units->letter);
	return text;
}

static void put_user(struct columns *c, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	char text[32];

	snprintf(text, sizeof(text), "%u", (unsigned int)uid);
	columns_put(c, user ? user->pw_name : text);
}

/* What is known of a buffer that cannot be read: its path, and why. */
static void put_unknown(struct columns *c, const struct leftover *o)
{
	char text[128];

	for (int i = 0; i < 4; i++) {
		columns_put(c, "?");
	}
	columns_put(c, o->path);
	snprintf(text, sizeof(text), "(%s)", o->error == EBADMSG ? "damaged" : strerror(o->error));
	columns_put(c, text);
}

static void put(struct columns *c, const struct leftover *o)
{
	char text[AMOUNT_SIZE];
	time_t age = time(NULL) - o->seen;

	columns_put(c, amount(text, o->bytes, sizes));
	columns_put(c, amount(text, age > 0 ? (uint64_t)age : 0, ages));
	put_user(c, o->uid);
	if (o->error) {
		put_unknown(c, o);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu32, o->pid);
	columns_put(c, text);
	columns_put(c, states[o->state]);
	columns_put(c, o->has_trace ? "there" : "gone");
	columns_put(c, o->command[0] ? o->command : "?");
	columns_put(c, o->path);
	columns_put(c, o->directory);
}

/* What the user can do about it. */
static void print_advice(const struct leftovers *l)
{
	char sum[AMOUNT_SIZE];
	uint64_t bytes = 0;
	size_t dead = 0;

	vec_foreach (const struct leftover *, o, &l->all) {
		if (!o->error && o->state == LEFTOVER_DEAD && o->uid == geteuid()) {
			bytes += o->bytes;
			dead++;
		}
	}
	if (!dead) {
		return;
	}
	printf("\n%zu dead process%s of yours left %s in memory: 'waymark recover --all' brings "
	       "it into the traces\n",
		dead, dead == 1 ? "" : "es", amount(sum, bytes, sizes));
}

int waymark_recover_list(bool for_people)
{
	struct leftovers l;
	struct columns c;

	leftovers_find(&l);
	columns_init(&c, "SIZE AGE -USER PID -PROCESS -TRACE -COMMAND -BUFFER -DIRECTORY");
	vec_foreach (const struct leftover *, o, &l.all) {
		put(&c, o);
	}
	if (l.all.count == 0) {
		fputs("waymark recover: no process left anything\n", stderr);
	} else if (for_people) {
		columns_print(&c, stdout);
		print_advice(&l);
	} else {
		columns_print_tabs(&c, stdout);
	}
	columns_fini(&c);
	leftovers_fini(&l);
	return EXIT_SUCCESS;
}
