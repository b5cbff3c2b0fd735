/* SPDX-License-Identifier: MIT */
/*
 * Runs a command, with its output to /dev/null or to a file, and prints its time and peak memory.
 * This program is small, because a process's peak is at least its parent's memory at the fork.
 *
 * peak [to=FILE] COMMAND [ARGUMENT...]
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static void become(char **command, const char *file)
{
	int to = open(file, O_WRONLY);

	if (to >= 0 && dup2(to, STDOUT_FILENO) >= 0 && close(to) == 0) {
		execv(command[0], command);
	}
	_exit(127);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	const char *file = "/dev/null";
	int status;

	if (argc > 1 && strncmp(argv[1], "to=", 3) == 0) {
		file = argv[1] + 3;
		argv++;
		argc--;
	}
	double begin = bench_now();
	pid_t child = fork();

	if (child == 0) {
		become(argv + 1, file);
	}
	if (argc < 2 || child < 0 || wait4(child, &status, 0, &usage) < 0 || status) {
		bench_fail("the command failed");
	}
	bench_result("seconds", (bench_now() - begin) / 1e9);
	bench_result(
		"cpu_s", (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
				 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	bench_result("peak_mib", (double)usage.ru_maxrss / 1024);
	return EXIT_SUCCESS;
}
