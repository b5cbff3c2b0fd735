/* SPDX-License-Identifier: MIT */
/* Runs a test in a child process. Include cmocka.h before this. */
#ifndef TESTS_CONTROL_CHILD_H
#define TESTS_CONTROL_CHILD_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* Runs `body` in a child with a new recorder; `body` returns the child's exit status. */
static inline int run(int (*body)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		exit(body());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define CHECK(true_, code)           \
	do {                         \
		if (!(true_)) {      \
			return code; \
		}                    \
	} while (0)

#endif
