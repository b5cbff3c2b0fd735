/* SPDX-License-Identifier: MIT */
/*
 * A tree of forked processes: in each, threads begin scopes of every form before and after it
 * forks. family.py compares their ids. A process waits for its children.
 *
 * family FOLDER
 */
#define WAYMARK_SCOPES ctf
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>
#include <waymark/scope.h>

#include "trace-scope.h"

#define LEVELS 4
#define CHILDREN 2
#define THREADS 3
#define SCOPES 100

#define FAMILY_CATEGORIES(C) C(Family, true, "of each process")
WAYMARK_CATEGORIES(FAMILY_CATEGORIES);

static void *fire(void *level)
{
	for (int i = 0; i < SCOPES; i++) {
		WAYMARK_SCOPE(Family, "site", (uintptr_t)level);
		TRACE_INIT_RAM_SCOPE();
		struct waymark_scope flow = WAYMARK_FLOW(Family, "flow", i);
		struct waymark_scope declared = trace_init_ram_start();

		waymark_scope_end(&declared);
		waymark_scope_end(&flow);
	}
	return NULL;
}

static void fire_on_threads(uintptr_t level)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, fire, (void *)level)) {
			exit(EXIT_FAILURE);
		}
	}
	fire((void *)level);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
}

static void grow(uintptr_t level);

static void wait_for(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
		exit(EXIT_FAILURE);
	}
}

static void have_children(uintptr_t level)
{
	pid_t children[CHILDREN];

	for (int i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			grow(level + 1);
			exit(EXIT_SUCCESS);
		}
		fire((void *)level);
	}
	for (int i = 0; i < CHILDREN; i++) {
		wait_for(children[i]);
	}
}

static void grow(uintptr_t level)
{
	fire((void *)level);
	if (level < LEVELS) {
		have_children(level);
	}
	fire_on_threads(level);
}

int main(int argc, char **argv)
{
	char options[4096];
	struct waymark_error error;

	if (argc != 2) {
		return 2;
	}
	snprintf(options, sizeof(options), "*,backend=ctf,file=%s/trace,full=block", argv[1]);
	if (waymark_configure(options, &error)) {
		fprintf(stderr, "family: %s\n", error.text);
		return EXIT_FAILURE;
	}
	grow(1);
	return EXIT_SUCCESS;
}
