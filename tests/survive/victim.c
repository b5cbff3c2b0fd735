/* SPDX-License-Identifier: MIT */
/*
 * Runs the mode that its arguments name: victim COUNTS KIND MODE [ARGUMENT...]. KIND is step, text
 * or both. See victim.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace-survive.h"
#include "victim.h"

static volatile uint64_t *counts;
static bool texts, steps;

static void live_with_text(uint32_t thread, uint64_t step)
{
	char text[64];
	size_t length = (step * 7 + thread) % 60 + 1;

	memset(text, 'a' + (int)(step % 26), length);
	text[length] = '\0';
	trace_live_text(thread, step, text);
}

/* Atomic, because other processes read the count while the thread continues. */
static void count(unsigned int thread, uint64_t events)
{
	__atomic_store_n(&counts[thread], events, __ATOMIC_RELAXED);
}

void live(unsigned int thread)
{
	uint64_t step = counts[thread];

	if (texts && (!steps || step % 3 == 0)) {
		live_with_text(thread, step);
	} else {
		trace_live_step(thread, step);
	}
	count(thread, step + 1);
}

void live_by(unsigned int thread, void (*record)(uint32_t, uint64_t))
{
	uint64_t step = counts[thread];

	record(thread, step);
	count(thread, step + 1);
}

void live_for(unsigned int thread, uint64_t events)
{
	for (uint64_t i = 0; i < events; i++) {
		live(thread);
	}
}

uint64_t lived(unsigned int thread)
{
	return __atomic_load_n(&counts[thread], __ATOMIC_RELAXED);
}

static void *live_on(void *thread)
{
	for (;;) {
		live((unsigned int)(uintptr_t)thread);
	}
	return NULL;
}

void storm(unsigned int first, unsigned int count)
{
	for (uintptr_t i = first; i < first + count; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, live_on, (void *)i)) {
			perror("pthread_create");
			_exit(2);
		}
	}
}

void sleep_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR) {
	}
}

void wait_for(pid_t pid)
{
	int status;

	for (unsigned int ms = 0; waitpid(pid, &status, WNOHANG) == 0; ms++) {
		if (ms > 20000) {
			kill(pid, SIGKILL);
			_exit(3);
		}
		sleep_ms(1);
	}
	if (status) {
		fprintf(stderr, "child %d ended with status 0x%x\n", pid, status);
		_exit(4);
	}
}

static const struct mode *const modes[] = {
	modes_end,
	modes_fork,
	modes_hold,
	modes_long,
	modes_middle,
	modes_module,
	modes_place,
	modes_thread,
};

static const struct mode *find_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		for (const struct mode *m = modes[i]; m->name; m++) {
			if (strcmp(m->name, name) == 0) {
				return m;
			}
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage: victim COUNTS KIND MODE [ARGUMENT...]\n", stderr);
		return 2;
	}
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, THREADS_MAX * sizeof(*counts))) {
		perror(argv[1]);
		return 2;
	}
	counts = mmap(
		NULL, THREADS_MAX * sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	texts = strcmp(argv[2], "step") != 0;
	steps = strcmp(argv[2], "text") != 0;
	const struct mode *mode = find_mode(argv[3]);

	if (!mode) {
		fprintf(stderr, "%s: no such mode\n", argv[3]);
		return 2;
	}
	mode->run(argv + 4);
	return 0;
}
