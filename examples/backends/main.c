/* SPDX-License-Identifier: MIT */
/* Runs a few jobs. Their events go to the backends that the program was built with. */
#include <stdio.h>
#include <string.h>

#include "trace/control.h"

#include "trace-jobs.h"

static int64_t run(uint64_t job, const char *name)
{
	int64_t balance = 0;

	trace_job_begin(job, name);
	for (unsigned int step = 0; step < 3; step++) {
		balance += (int64_t)job - step;
		trace_job_step(job, step, balance);
	}
	trace_job_end(job, balance >= 0);
	return balance;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "sweep", "wash", "dry" };
	int64_t balance = 0;

	if (argc > 1 && (argc != 3 || strcmp(argv[1], "-trace") != 0)) {
		fprintf(stderr, "usage: jobs [-trace PATTERN[,backend=NAME][,file=FILE]]\n");
		return 2;
	}
	if (argc == 3) {
		trace_opt_parse(argv[2]);
	}
	if (!trace_init_backends()) {
		return 1;
	}
	trace_init_file();
	for (uint64_t job = 0; job < sizeof(names) / sizeof(names[0]); job++) {
		balance += run(job, names[job]);
	}
	printf("balance %" PRId64 "\n", balance);
	return 0;
}
