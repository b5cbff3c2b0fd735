/* SPDX-License-Identifier: MIT */
/* `waymark recover --list`: what processes left in memory, or still record into. */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"
#include "cmd/escaped.h"
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

/* In the largest unit of which there is one; the last is used for all that is less. */
static void print_amount(uint64_t n, const struct unit *units)
{
	while (n < units->size && units[1].size) {
		units++;
	}
	printf("%" PRIu64 "%c\t", n / units->size, units->letter);
}

static void print_user(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (user) {
		printf("%s\t", user->pw_name);
	} else {
		printf("%u\t", (unsigned int)uid);
	}
}

static void print(const struct leftover *o)
{
	static const struct unit ages[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' },
		{ 0 } };
	static const struct unit sizes[] = { { 1u << 30, 'G' }, { 1u << 20, 'M' },
		{ 1u << 10, 'K' }, { 0 } };
	time_t age = time(NULL) - o->seen;

	print_amount(o->bytes, sizes);
	print_amount(age > 0 ? (uint64_t)age : 0, ages);
	print_user(o->uid);
	if (o->error) {
		printf("?\t?\t?\t?\t");
		escaped_put(stdout, o->path);
		printf("\t(%s)\n", o->error == EBADMSG ? "damaged" : strerror(o->error));
		return;
	}
	printf("%" PRIu32 "\t%s\t%s\t", o->pid, states[o->state], o->has_trace ? "there" : "gone");
	escaped_put(stdout, o->command[0] ? o->command : "?");
	putchar('\t');
	escaped_put(stdout, o->path);
	putchar('\t');
	escaped_put(stdout, o->directory);
	putchar('\n');
}

int waymark_recover_list(void)
{
	struct leftovers l;

	leftovers_find(&l);
	if (l.all.count == 0) {
		fputs("waymark recover: no process left anything\n", stderr);
	} else {
		puts("SIZE\tAGE\tUSER\tPID\tPROCESS\tTRACE\tCOMMAND\tARENA\tDIRECTORY");
	}
	vec_foreach (const struct leftover *, o, &l.all) {
		print(o);
	}
	leftovers_fini(&l);
	return EXIT_SUCCESS;
}
