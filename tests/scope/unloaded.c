/* SPDX-License-Identifier: MIT */
/*
 * Scopes of a plug-in are discarded when it is unloaded: their end does nothing. Scopes that the
 * program began before still end, also at a thread's exit, in a fork's child, and beyond the limit
 * of open scopes.
 *
 * unloaded PLUGIN OPTIONS
 */
#define WAYMARK_SCOPES ctf, log
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>
#include <waymark/scope.h>

#define PROGRAM_CATEGORIES(C) C(Shared, true, "of the plug-in, too")
WAYMARK_CATEGORIES(PROGRAM_CATEGORIES);

#define CHECK(what)                                                        \
	do {                                                               \
		if (!(what)) {                                             \
			fprintf(stderr, "line %d: " #what "\n", __LINE__); \
			exit(EXIT_FAILURE);                                \
		}                                                          \
	} while (0)

static const char *path;

/* Loads a plug-in that begins `depth` scopes, and unloads it; returns its flow. */
static struct waymark_scope come_and_go(int depth)
{
	struct waymark_scope flow;
	void (*begin)(int depth, struct waymark_scope *flow);
	void *plugin = dlopen(path, RTLD_NOW);

	CHECK(plugin != NULL);
	void *symbol = dlsym(plugin, "plugin_begin");

	memcpy(&begin, &symbol, sizeof(begin));
	begin(depth, &flow);
	CHECK(flow.end != NULL);
	dlclose(plugin);
	CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
	return flow;
}

static void end_all(int depth)
{
	WAYMARK_BEGIN(Shared, "of the program");
	struct waymark_scope flow = come_and_go(depth);

	CHECK(WAYMARK_LIVE(Shared) == 1);
	waymark_scope_end(&flow);
	CHECK(flow.end == NULL);
	WAYMARK_END(Shared);
	CHECK(WAYMARK_LIVE(Shared) == 0);
}

static void *leave_open(void *unused)
{
	(void)unused;
	WAYMARK_BEGIN(Shared, "open at the exit");
	come_and_go(1);
	return NULL;
}

static void fork_child(void)
{
	int status;

	WAYMARK_BEGIN(Shared, "of both");
	come_and_go(1);
	pid_t pid = fork();

	CHECK(pid >= 0 && WAYMARK_LIVE(Shared) == 1);
	WAYMARK_END(Shared);
	CHECK(WAYMARK_LIVE(Shared) == 0);
	if (pid == 0) {
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	CHECK(argc == 3);
	path = argv[1];
	CHECK(waymark_configure(argv[2], NULL) == 0);
	end_all(1);
	end_all(5);
	CHECK(pthread_create(&thread, NULL, leave_open, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(WAYMARK_LIVE(Shared) == 0);
	fork_child();
	come_and_go(40); /* beyond the limit of open scopes: the outer ones are discarded */
	WAYMARK_BEGIN(Shared, "behind");
	WAYMARK_END(Shared);
	CHECK(WAYMARK_LIVE(Shared) == 0);
	return EXIT_SUCCESS;
}
