/* SPDX-License-Identifier: MIT */
/*
 * Trace points of waymark/scope.h with all their features: fires those that its arguments name,
 * WHAT or WHAT=NUMBER each, or else its input. NEW_CATEGORY says whether that category is compiled
 * in. Fails if errno changed.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "twice.h"

static int evaluated;

static int count_me(void)
{
	return ++evaluated;
}

/* The examples of crosvm's book, in C. */
static void document(int slot)
{
	WAYMARK_PRINT("a new request");
	WAYMARK_PRINT_IN(VirtioNet, "%d packets", 3);
	WAYMARK_SCOPE(VirtioFs, "process_fs_queue", slot);
	{
		const char *tag = "mtdroot";
		unsigned long inode = 42;
		uint32_t handle = 35;

		WAYMARK_SCOPE(VirtioFs, "release", tag, inode, handle);
	}
	WAYMARK_SCOPE(VirtioNet, "handle RxTap event");
	WAYMARK_SCOPE(NewCategory, "exec", count_me());
}

/* Scopes begun and ended by hand, one within another. */
static void hand(int number)
{
	WAYMARK_BEGIN(VirtioFs, "fuse \"loop\"", number);
	WAYMARK_BEGIN(VirtioNet, "poll");
	WAYMARK_END(VirtioNet);
	WAYMARK_END(VirtioFs);
	WAYMARK_END(VirtioFs); /* no scope is open */
}

struct request {
	const char *tag;
	size_t sector;
};

static size_t self_sector(const struct request *self)
{
	return self->sector;
}

static void touch(void)
{
}

static void put_request(struct waymark_formatter *f, const void *object)
{
	const struct request *r = object;
	struct waymark_group g;

	waymark_debug_struct(&g, f, "Request");
	waymark_debug_field(&g, "tag", waymark_debug_string(r->tag));
	waymark_debug_field(&g, "sector", waymark_debug_u64(r->sector));
	waymark_debug_end(&g);
}

/* A value of every kind, and expressions of every form. */
static void values(int number)
{
	static const int table[] = { 7, 8 };
	struct request here = { "a \"b\"\n\t\\", 9 }, *self = &here;
	bool yes = true;
	char letter = 'x', quote = '\'', newline = '\n';
	float third = 1.0f / 3;
	double one = 1, big = 1e300;
	const char *null = NULL;
	void *nothing = NULL;
	signed char small = -128;
	unsigned long long most = ~0ull;

	WAYMARK_SCOPE(VirtioFs, "simple", yes, letter, quote, newline, small, most);
	WAYMARK_SCOPE(VirtioFs, "floats", third, one, big, (double)number);
	WAYMARK_SCOPE(VirtioFs, "texts", self->tag, null, "lit, (eral", (char *)NULL);
	WAYMARK_SCOPE(VirtioFs, "pointers", nothing, (void *)0x1000);
	WAYMARK_SCOPE(VirtioFs, "expressions", table[1], (touch(), 5), -number, '"', self->sector);
	WAYMARK_SCOPE(VirtioFs, "braces", ((struct request){ "t", 3 }).sector, sizeof(int[2]));
	WAYMARK_SCOPE(VirtioFs, "alike", self->sector, (*self).sector, self_sector(self));
	WAYMARK_SCOPE(VirtioFs, "object", waymark_debug_object(put_request, self));
}

/* Names of every kind, with one argument and without. */
static void names(int number)
{
	WAYMARK_SCOPE(VirtioFs, "read (zero-message)");
	WAYMARK_SCOPE(VirtioFs, "READ(10) [x]", number);
	WAYMARK_INSTANT(VirtioFs, "a \"quoted\" 'name'", number);
	WAYMARK_INSTANT(VirtioFs, "a:b::c", number);
	WAYMARK_INSTANT(VirtioFs, "back\\slash */ end /* begin", number);
	WAYMARK_INSTANT(VirtioFs, "two\nlines\ttab", number);
	WAYMARK_INSTANT(VirtioFs, "\xc3\xa9t\xc3\xa9 \xe2\x82\xac", number);
	WAYMARK_INSTANT(VirtioFs, "a|b, c=d; {e} ${f} %s # \"\"\"", number);
	WAYMARK_INSTANT(VirtioFs, "*", number);
	WAYMARK_INSTANT(VirtioFs, "", number);
	WAYMARK_INSTANT(VirtioFs, " ", number);
	WAYMARK_INSTANT(VirtioFs, "same", number);
	WAYMARK_INSTANT(VirtioFs, "same", "other", number);
}

static void *end_flow(void *flow)
{
	waymark_scope_end(flow);
	return NULL;
}

/* Flows that begin here and end elsewhere. */
static void flows(int number)
{
	pthread_t thread;
	struct waymark_scope flow = WAYMARK_FLOW(VirtioNet, "packet | x", number);

	WAYMARK_FLOW_STEP(VirtioNet, &flow, "queued", number);
	WAYMARK_FLOW_STEP(VirtioNet, &flow, "sent");
	pthread_create(&thread, NULL, end_flow, &flow);
	pthread_join(thread, NULL);
	WAYMARK_FLOW_STEP(VirtioNet, &flow, "late");
}

static void counters(int number)
{
	bool yes = true;

	WAYMARK_COUNTER(VirtioNet, "in | flight", number);
	WAYMARK_COUNTER(VirtioNet, "load", number / 4.0 * 1e60);
	WAYMARK_COUNTER(VirtioNet, "busy", yes);
	WAYMARK_INSTANT(VirtioNet, "kick | x");
	WAYMARK_PRINT("%s | %d\n", "text", number);
}

/* Lines that exceed every limit, of two-byte characters. */
static void longer(int bytes)
{
	char *text = malloc((size_t)bytes + 1);

	for (int i = 0; i < bytes; i++) {
		text[i] = i % 2 ? '\xa9' : '\xc3';
	}
	text[bytes] = '\0';
	WAYMARK_INSTANT(VirtioFs, "before");
	WAYMARK_INSTANT(VirtioFs, "long", text);
	WAYMARK_PRINT("%s", text);
	WAYMARK_INSTANT(VirtioFs, "behind");
	free(text);
}

static void lines(int unused)
{
	(void)unused;
	WAYMARK_PRINT("one\ntwo\n");
}

/* The same trace point from two units, and two trace points with one name. */
static void both(int number)
{
	twice(number);
	twice_elsewhere(number);
	WAYMARK_INSTANT(VirtioNet, "same name", number);
}

static void die(int unused)
{
	(void)unused;
	raise(SIGKILL);
}

#define THREADS 4

static void *run_thread(void *number)
{
	for (int i = 0; i < *(int *)number; i++) {
		WAYMARK_SCOPE(VirtioFs, "work", i);
		WAYMARK_SCOPE(VirtioNet, "inner");
	}
	return NULL;
}

static void run_threads(int count)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, run_thread, &count);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
}

/* Fires many in this process and in two forked ones. */
static void many(int count)
{
	pid_t children[2];

	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			run_threads(count);
			exit(0);
		}
	}
	run_threads(count);
	for (int i = 0; i < 2; i++) {
		waitpid(children[i], NULL, 0);
	}
}

static const struct {
	const char *name;
	void (*run)(int number);
} actions[] = {
	{ "document", document },
	{ "hand", hand },
	{ "values", values },
	{ "names", names },
	{ "flows", flows },
	{ "counters", counters },
	{ "long", longer },
	{ "lines", lines },
	{ "both", both },
	{ "die", die },
	{ "many", many },
};

static void run(const char *argument)
{
	size_t length = strcspn(argument, "=");
	int number = argument[length] ? atoi(argument + length + 1) : 0;

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strlen(actions[i].name) == length &&
			strncmp(actions[i].name, argument, length) == 0) {
			actions[i].run(number);
			return;
		}
	}
	exit(64);
}

/* Executes commands from standard input and answers each. */
static void serve(void)
{
	char line[64];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		run(line);
		puts("done");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	if (argc == 1) {
		serve();
	}
	errno = 4711;
	for (int i = 1; i < argc; i++) {
		run(argv[i]);
		if (strcmp(argv[i], "document") == 0 && errno != 4711) {
			return 3;
		}
	}
	printf("%d\n", evaluated);
	return 0;
}
