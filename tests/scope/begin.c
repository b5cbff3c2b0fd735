/* SPDX-License-Identifier: MIT */
/*
 * WAYMARK_BEGIN() and WAYMARK_END(): begin.py checks the records, this program checks the number
 * of live scopes.
 *
 * begin OPTIONS toggled|crossed|deep|mixed|threads|forked|deep_forked|hammered
 */
#ifndef WAYMARK_SCOPES
#define WAYMARK_SCOPES ctf
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAYMARK_SHORT_NAMES
#include <waymark/control.h>
#include <waymark/scope.h>

#define BEGIN_CATEGORIES(C)   \
	C(A, true, "one")     \
	C(B, true, "another") \
	C(Out, false, "that is compiled out")
WAYMARK_CATEGORIES(BEGIN_CATEGORIES);

static void expect(int64_t a, int64_t b, int line)
{
	if (WAYMARK_LIVE(A) != a || WAYMARK_LIVE(B) != b) {
		fprintf(stderr, "line %d: %lld and %lld are live\n", line,
			(long long)WAYMARK_LIVE(A), (long long)WAYMARK_LIVE(B));
		exit(EXIT_FAILURE);
	}
}
#define LIVE(a, b) expect(a, b, __LINE__)

static void toggle(const char *pattern, bool on)
{
	if (on) {
		waymark_enable(pattern, WAYMARK_ANY_BACKEND, NULL, NULL);
	} else {
		waymark_disable(pattern, WAYMARK_ANY_BACKEND, NULL, NULL);
	}
}

/* The category is switched between a BEGIN and its END. */
static void begin_toggled(void)
{
	toggle("A", false);
	WAYMARK_BEGIN(A, "never", 1);
	toggle("A", true);
	WAYMARK_END(A);
	LIVE(0, 0);
	WAYMARK_BEGIN(A, "outer", 1);
	toggle("A", false);
	WAYMARK_BEGIN(A, "off within", 2);
	WAYMARK_END(A);
	LIVE(1, 0);
	WAYMARK_BEGIN(A, "off too");
	toggle("A", true);
	WAYMARK_BEGIN(A, "inner", "text");
	LIVE(2, 0);
	WAYMARK_END(A);
	WAYMARK_END(A);
	LIVE(1, 0);
	WAYMARK_END(A);
	LIVE(0, 0);
	WAYMARK_END(A);
	LIVE(0, 0);
	WAYMARK_BEGIN(Out, "out");
	WAYMARK_END(Out);
}

/* Ends a scope that is not the innermost, and a scope that was never begun. */
static void begin_crossed(void)
{
	TRACE_BEGIN(A, "a1");
	WAYMARK_BEGIN(B, "b1");
	WAYMARK_BEGIN(A, "a2");
	WAYMARK_END(B);
	WAYMARK_END(B);
	LIVE(2, 0);
	WAYMARK_END(A);
	TRACE_BEGIN(B, "b2");
	TRACE_END(A);
	LIVE(0, 1);
	TRACE_END(B);
	LIVE(0, 0);
}

/* 40 scopes of one category: 8 exceed the limit. */
static void begin_deep(void)
{
	WAYMARK_BEGIN(B, "below");
	for (int i = 0; i < 40; i++) {
		WAYMARK_BEGIN(A, "deep", i);
	}
	LIVE(31, 1);
	WAYMARK_END(B);
	LIVE(31, 0);
	for (int i = 0; i < 40; i++) {
		WAYMARK_END(A);
	}
	LIVE(0, 0);
}

/*
 * Scopes of two categories beyond the limit: an end of one category never ends a scope of the
 * other.
 */
static void begin_mixed(void)
{
	for (int i = 0; i < 40; i++) {
		WAYMARK_BEGIN(A, "mixed", i);
		WAYMARK_BEGIN(B, "mixed too", i);
	}
	for (int i = 0; i < 40; i++) {
		WAYMARK_END(A);
	}
	for (int i = 0; i < 40; i++) {
		WAYMARK_END(B);
	}
	LIVE(0, 0);
	WAYMARK_BEGIN(A, "behind");
	WAYMARK_END(A);
	LIVE(0, 0);
}

static void *leave_open(void *unused)
{
	(void)unused;
	WAYMARK_BEGIN(A, "left open");
	WAYMARK_BEGIN(B, "ended");
	WAYMARK_END(B);
	return NULL;
}

static void begin_threads(void)
{
	pthread_t thread;

	WAYMARK_BEGIN(B, "here");
	pthread_create(&thread, NULL, leave_open, NULL);
	pthread_join(thread, NULL);
	LIVE(0, 1);
	WAYMARK_END(B);
	LIVE(0, 0);
}

static void *hold(void *unused)
{
	WAYMARK_BEGIN(B, "of another thread");
	for (;;) {
		pause();
	}
	return unused;
}

/* The child has the open scopes of the forking thread only. */
static void begin_forked(void)
{
	pthread_t thread;
	int status;

	WAYMARK_BEGIN(A, "forked");
	pthread_create(&thread, NULL, hold, NULL);
	while (WAYMARK_LIVE(B) == 0) {
		usleep(1000);
	}
	pid_t child = fork();

	if (child == 0) {
		LIVE(1, 0);
		WAYMARK_END(A);
		LIVE(0, 0);
		exit(EXIT_SUCCESS);
	}
	if (waitpid(child, &status, 0) != child || status) {
		exit(EXIT_FAILURE);
	}
	LIVE(1, 1);
	WAYMARK_END(A);
	LIVE(0, 1);
}

/* 40 scopes, of which 8 exceed the limit: the child has all of them, too. */
static void begin_deep_forked(void)
{
	int status;

	for (int i = 0; i < 40; i++) {
		WAYMARK_BEGIN(A, "deep", i);
	}
	pid_t child = fork();

	LIVE(32, 0);
	for (int i = 0; i < 40; i++) {
		WAYMARK_END(A);
	}
	LIVE(0, 0);
	if (child == 0) {
		exit(EXIT_SUCCESS);
	}
	if (waitpid(child, &status, 0) != child || status) {
		exit(EXIT_FAILURE);
	}
}

static bool is_done;

static void *hammer(void *pattern)
{
	for (int i = 0; !__atomic_load_n(&is_done, __ATOMIC_RELAXED); i++) {
		toggle(pattern, i % 2);
	}
	return NULL;
}

static void *fire(void *unused)
{
	for (uint32_t i = 0; i < 3000; i++) {
		WAYMARK_SCOPE(A, "scope", i);
		WAYMARK_BEGIN(A, "begun", i);
		WAYMARK_BEGIN(B, "begun too", "text");
		struct waymark_scope flow = WAYMARK_FLOW(B, "flow", i);

		WAYMARK_FLOW_STEP(B, &flow, "step", i);
		WAYMARK_INSTANT(A, "instant");
		waymark_scope_end(&flow);
		WAYMARK_END(B);
		WAYMARK_END(A);
	}
	return unused;
}

/* Two threads switch the category while others fire. */
static void begin_hammered(void)
{
	static char patterns[2][2] = { "A", "B" };
	pthread_t hammers[2], firing[3];

	for (int i = 0; i < 2; i++) {
		pthread_create(&hammers[i], NULL, hammer, patterns[i]);
	}
	for (int i = 0; i < 3; i++) {
		pthread_create(&firing[i], NULL, fire, NULL);
	}
	for (int i = 0; i < 3; i++) {
		pthread_join(firing[i], NULL);
	}
	__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++) {
		pthread_join(hammers[i], NULL);
	}
	LIVE(0, 0);
}

static const struct {
	const char *name;
	void (*begin)(void);
} modes[] = {
	{ "toggled", begin_toggled },
	{ "crossed", begin_crossed },
	{ "deep", begin_deep },
	{ "mixed", begin_mixed },
	{ "threads", begin_threads },
	{ "forked", begin_forked },
	{ "deep_forked", begin_deep_forked },
	{ "hammered", begin_hammered },
};

int main(int argc, char **argv)
{
	struct waymark_error error;

	if (argc != 3 || waymark_configure(argv[1], &error)) {
		fprintf(stderr, "begin: %s\n", argc != 3 ? "OPTIONS MODE" : error.text);
		return 2;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[2], modes[i].name) == 0) {
			modes[i].begin();
			return EXIT_SUCCESS;
		}
	}
	return 2;
}
