/* SPDX-License-Identifier: MIT */
/* forms FORM: fires scopes of one form; forms.py has the expected records of each. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <waymark/control.h>

#include "trace-scope.h"

static struct waymark_scope handed_over;
static uint64_t by_hand;

static void switch_all(bool on)
{
	struct waymark_error error;
	const char *const names[] = { "init_ram", "reserve", "play_buffer", "render" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (waymark_set_state(waymark_find(names[i]), WAYMARK_CTF, on, &error) < 0) {
			fprintf(stderr, "%s\n", error.text);
			exit(EXIT_FAILURE);
		}
	}
}

static void blocks(void)
{
	TRACE_RESERVE_SCOPE(1);
	TRACE_INIT_RAM_SCOPE();

	for (int i = 0; i < 2; i++) {
		TRACE_PLAY_BUFFER_SCOPE(i, 7);
		TRACE_REFRESH_SCOPE(5);
		if (i == 0) {
			continue;
		}
		TRACE_RENDER_SCOPE("text");
		return;
	}
}

/* A second end, and the end of a scope that was off, record nothing. */
static void hand(void)
{
	by_hand = trace_reserve_enter(2);
	trace_reserve_leave(&by_hand);
	trace_reserve_leave(&by_hand);
	switch_all(false);
	uint64_t off = trace_reserve_enter(3);
	struct waymark_scope none = trace_render_start("none");

	switch_all(true);
	trace_reserve_leave(&off);
	waymark_scope_end(&none);
}

static void *end_elsewhere(void *arg)
{
	(void)arg;
	waymark_scope_end(&handed_over);
	waymark_scope_end(&handed_over);
	return NULL;
}

static void elsewhere(void)
{
	pthread_t thread;
	struct waymark_scope first = trace_render_start("first");
	struct waymark_scope ends WAYMARK_SCOPE_ENDS = trace_init_ram_start();

	handed_over = first;
	pthread_create(&thread, NULL, end_elsewhere, NULL);
	pthread_join(thread, NULL);
}

static void off(void)
{
	struct waymark_scope stored = trace_play_buffer_start(-1, 0);
	TRACE_RESERVE_SCOPE(4);

	switch_all(false);
	TRACE_INIT_RAM_SCOPE();
	waymark_scope_end(&stored);
}

static void in_child(void)
{
	TRACE_INIT_RAM_SCOPE();
}

static void forked(void)
{
	TRACE_RESERVE_SCOPE(5);
#ifdef __SANITIZE_ADDRESS__
	usleep(200000); /* lets the writer start, whose ASan locks a child would find taken */
#endif
	pid_t pid = fork();

	in_child();
	if (pid > 0) {
		waitpid(pid, NULL, 0);
	}
}

/* Forks a child without calling the C library's hooks. */
static void cloned(void)
{
	TRACE_RESERVE_SCOPE(6);
	pid_t pid = (pid_t)syscall(SYS_fork);

	in_child();
	if (pid > 0) {
		waitpid(pid, NULL, 0);
	}
}

/* Fires until standard input ends, for clients that attach. */
static void repeated(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	while (poll(&input, 1, 1) == 0) {
		TRACE_RESERVE_SCOPE(7);
		TRACE_INIT_RAM_SCOPE();
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} forms[] = { { "blocks", blocks }, { "hand", hand }, { "elsewhere", elsewhere },
		{ "off", off }, { "fork", forked }, { "clone", cloned }, { "repeat", repeated } };

	for (size_t i = 0; argc == 2 && i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(argv[1], forms[i].name) == 0) {
			forms[i].run();
			return EXIT_SUCCESS;
		}
	}
	fputs("usage: forms FORM\n", stderr);
	return EXIT_FAILURE;
}
