/* SPDX-License-Identifier: MIT */
/*
 * `waymark recover` without arguments, and with --list: the memory that processes left or still
 * record into. A table for people, the same with tabs for programs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cmd/columns.h"
#include "cmd/waymark.h"
#include "recover/leftover.h"

static const char *const states[] = {
	[LEFTOVER_UNKNOWN] = "?",
	[LEFTOVER_ALIVE] = "alive",
	[LEFTOVER_DEAD] = "dead",
};

#define AMOUNT_SIZE 32

/* Bytes in the largest unit of which there is a whole one; at least K. */
static const char *amount(char text[AMOUNT_SIZE], uint64_t n)
{
	static const char units[] = "KMG";
	size_t unit = 0;

	for (n >>= 10; n >= 1024 && units[unit + 1]; n >>= 10) {
		unit++;
	}
	snprintf(text, AMOUNT_SIZE, "%" PRIu64 "%c", n, units[unit]);
	return text;
}

/* A buffer that cannot be read has a path and a reason. */
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

	columns_put(c, amount(text, o->bytes));
	columns_put_age(c, o->seen);
	columns_put_user(c, o->uid);
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
	printf("\n%zu dead process%s of yours left %s in memory: 'waymark recover --all' writes "
	       "it to the traces\n",
		dead, dead == 1 ? "" : "es", amount(sum, bytes));
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
