/* SPDX-License-Identifier: MIT */
/*
 * api TRACE STEPS END PROGRAM [ARGUMENT...]: follows, with waymark/reader.h, a program that
 * records STEPS steps of one thread and then waits. Its events must arrive in order while it runs.
 * Then none may follow until END: the program is killed (`kill`), or another thread stops the
 * reader (`stop`).
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <waymark/reader.h>

#define PATIENCE_MS 20000
#define WAIT_MS 1 /* less than the pauses of the program */

static pid_t program;

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	if (program > 0) {
		kill(program, SIGKILL);
	}
	exit(EXIT_FAILURE);
}

static void sleep_ms(unsigned int ms)
{
	const struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

static void start(char **argv)
{
	program = fork();
	if (program == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
}

static void wait_for_trace(const char *path)
{
	struct stat st;

	for (int ms = 0; stat(path, &st); ms++) {
		if (ms == PATIENCE_MS) {
			fail("there is no trace");
		}
		sleep_ms(1);
	}
}

static struct waymark_reader *open_trace(const char *path)
{
	struct waymark_reader_options options = {
		.size = sizeof(options),
		.follow = 1,
		.wait_ms = WAIT_MS,
	};
	char error[512];
	struct waymark_reader *r =
		waymark_reader_open_with(&path, 1, &options, error, sizeof(error));

	if (!r) {
		fail(error);
	}
	return r;
}

static void check_step(struct waymark_reader *r, uint64_t due)
{
	int field = waymark_reader_field_find(r, "step");
	char message[64];

	snprintf(message, sizeof(message), "thread 0 step %" PRIu64, due);
	if (strcmp(waymark_reader_name(r), "step") || field < 0 ||
		waymark_reader_u64(r, (size_t)field) != due ||
		waymark_reader_pid(r) != (uint32_t)program ||
		strcmp(waymark_reader_message(r, NULL), message) != 0) {
		fail("another event than was due");
	}
}

/* Reads the steps while the program runs. */
static void follow_steps(struct waymark_reader *r, uint64_t steps)
{
	unsigned int waits = 0;
	uint64_t time = 0;

	for (uint64_t i = 0; i < steps;) {
		int what = waymark_reader_next(r);

		if (what == WAYMARK_READ_NOTHING && ++waits < PATIENCE_MS / WAIT_MS) {
			continue;
		}
		if (what != WAYMARK_READ_EVENT) {
			fail(what < 0 ? waymark_reader_error(r)
				      : "an end or a gap among the events");
		}
		check_step(r, i++);
		if (waymark_reader_time(r) < time) {
			fail("time goes back");
		}
		time = waymark_reader_time(r);
	}
	if (!waits) {
		fail("nobody had to wait for a slow program");
	}
}

static void *stop_soon(void *r)
{
	sleep_ms(100);
	waymark_reader_stop(r);
	return NULL;
}

/* No more events, then the end, which is final. */
static void follow_to_the_end(struct waymark_reader *r)
{
	unsigned int waits = 0;
	int what;

	while ((what = waymark_reader_next(r)) == WAYMARK_READ_NOTHING) {
		if (++waits == PATIENCE_MS / WAIT_MS) {
			fail("the end does not come");
		}
	}
	if (what != WAYMARK_READ_END || waymark_reader_next(r) != WAYMARK_READ_END) {
		fail("there is no end");
	}
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 5) {
		fputs("usage: api TRACE STEPS kill|stop PROGRAM [ARGUMENT...]\n", stderr);
		return EXIT_FAILURE;
	}
	start(argv + 4);
	wait_for_trace(argv[1]);
	struct waymark_reader *r = open_trace(argv[1]);

	follow_steps(r, strtoull(argv[2], NULL, 10));
	if (waymark_reader_next(r) != WAYMARK_READ_NOTHING) {
		fail("something came of a program that does nothing");
	}
	if (waitpid(program, NULL, WNOHANG) != 0) {
		fail("the program has ended");
	}
	if (strcmp(argv[3], "stop") == 0) {
		pthread_create(&t, NULL, stop_soon, r);
		follow_to_the_end(r);
		pthread_join(t, NULL);
		kill(program, SIGKILL);
	} else {
		kill(program, SIGKILL);
		follow_to_the_end(r);
	}
	waitpid(program, NULL, 0);
	waymark_reader_close(r);
	return EXIT_SUCCESS;
}
