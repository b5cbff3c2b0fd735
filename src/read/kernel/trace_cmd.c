/* SPDX-License-Identifier: MIT */
/*
 * Reads files of trace-cmd record through a child that runs `trace-cmd report`. text.c and
 * capture.c read its output as text. Each child belongs to one thread.
 */
#include "read/kernel/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's status if trace-cmd is not installed, as in shells. */
#define NOT_FOUND 127

/* Opens the file through its descriptor, as it may be unlinked. The new offset is not shared. */
static _Noreturn void run(int fd, const int ends[2])
{
	char path[32];
	int copy = dup(fd);
	int nowhere = open("/dev/null", O_WRONLY);

	snprintf(path, sizeof(path), "/dev/fd/%d", copy);
	dup2(ends[1], STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL); /* a reader that closes the pipe ends it */
	execlp("trace-cmd", "trace-cmd", "report", "-t", "-i", path, (char *)NULL);
	_exit(NOT_FOUND);
}

int trace_cmd_open(pid_t *child, int fd, struct read_error *error)
{
	struct stat status;
	int ends[2];

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		read_error_set(error,
			"is output of trace-cmd record, which cannot be read from a pipe: name "
			"the file, or pipe the output of `trace-cmd report -t` into this");
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC) != 0) {
		read_error_set(error, "cannot run trace-cmd: %s", strerror(errno));
		return -1;
	}
	*child = fork();
	if (*child == 0) {
		run(fd, ends);
	}
	if (*child < 0) {
		read_error_set(error, "cannot run trace-cmd: %s", strerror(errno));
		*child = 0;
		close(ends[0]);
		ends[0] = -1;
	}
	close(ends[1]);
	return ends[0];
}

bool trace_cmd_close(pid_t *child, struct read_error *error)
{
	int status = 0;

	while (*child > 0 && waitpid(*child, &status, 0) < 0 && errno == EINTR) {
	}
	*child = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
		read_error_set(error,
			"is output of trace-cmd record, and trace-cmd is not installed: "
			"install it, or give the text that `trace-cmd report -t` prints");
	} else if (status != 0) {
		read_error_set(error, "trace-cmd report could not read it");
	}
	return status == 0;
}
