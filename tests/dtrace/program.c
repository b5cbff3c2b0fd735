/* SPDX-License-Identifier: MIT */
/*
 * The program that tracers of tests/dtrace watch. `program WHAT [COUNT]`:
 *
 *	values		fires every event but `ten`, with distinctive values
 *	ten		fires `ten`, which has more arguments than bpftrace reads
 *	watch		waits for a tracer and for a line on stdin, fires COUNT ticks and
 *			`done`, waits until no tracer is left, and fires once more; prints the
 *			state at each step
 *	fork		the same, but a child fires the ticks, too
 *	plain		fires COUNT ticks, with or without a tracer
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fire.h"

#define PATIENCE_MS 60000

static void wait_until(int watched)
{
	for (int i = 0; !!tick_state() != watched || !!done_state() != watched; i++) {
		if (i == PATIENCE_MS) {
			printf("states %x %x in vain\n", tick_state(), done_state());
			exit(EXIT_FAILURE);
		}
		usleep(1000);
	}
	printf("state %08x\n", tick_state());
	fflush(stdout);
}

/*
 * The kernel raises the word when a tracer opens the probe; its program is attached a moment
 * later.
 */
static void wait_for_line(void)
{
	if (getchar() == EOF) {
		printf("no line on standard input\n");
		exit(EXIT_FAILURE);
	}
}

static void watch(int count, int forks)
{
	wait_until(1);
	wait_for_line();
	pid_t child = forks ? fork() : -1;

	fire_ticks(count);
	if (child == 0) {
		_exit(0);
	}
	if (forks) {
		waitpid(child, NULL, 0);
	}
	fire_done();
	wait_until(0);
	fire_ticks(count);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int count = argc > 2 ? atoi(argv[2]) : 1;

	if (strcmp(what, "values") == 0) {
		fire_values();
	} else if (strcmp(what, "ten") == 0) {
		fire_ten();
	} else if (strcmp(what, "plain") == 0) {
		fire_ticks(count);
	} else {
		watch(count, strcmp(what, "fork") == 0);
	}
	return 0;
}
