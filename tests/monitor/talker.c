/* SPDX-License-Identifier: MIT */
/*
 * A program without code for its monitor, which control= starts. Reads numbers from standard
 * input: fires that number of rounds of all events, then prints that they are fired.
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace-probe.h"
#include "trace-talker.h"

static void fire(int round)
{
	trace_colo_checkpoint_user_log(round);
	trace_disk_read((uint64_t)round * 8, 8);
	trace_disk_write((uint64_t)round * 8, 16);
	trace_net_receive("somebody");
	trace_probe_only(round);
}

int main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		int rounds = atoi(line);

		for (int i = 0; i < rounds; i++) {
			fire(i);
		}
		printf("fired %d\n", rounds);
		fflush(stdout);
	}
	return 0;
}
