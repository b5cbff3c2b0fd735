/* SPDX-License-Identifier: MIT */
/*
 * Fires trace points of waymark/scope.h; points.py has the expected records.
 *
 * points OPTIONS limits|many|texts|signals|threads|killed [SCOPES]
 */
#define WAYMARK_SCOPES ctf, simple, log
#include <errno.h>
#include <float.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <waymark/control.h>
#include <waymark/scope.h>

#define POINT_CATEGORIES(C) C(P, true, "all of them")
WAYMARK_CATEGORIES(POINT_CATEGORIES);

/* The least and the greatest value of each type, with padding between arguments; then alone. */
static void fire_limits(void)
{
	WAYMARK_SCOPE(P, "u8", (uint8_t)0, (uint8_t)UINT8_MAX);
	WAYMARK_SCOPE(P, "i8", (int8_t)INT8_MIN, (int8_t)INT8_MAX);
	WAYMARK_SCOPE(P, "u16", (uint8_t)1, (uint16_t)0, (uint16_t)UINT16_MAX);
	WAYMARK_SCOPE(P, "i16", (uint8_t)1, (int16_t)INT16_MIN, (int16_t)INT16_MAX);
	WAYMARK_SCOPE(P, "u32", (uint8_t)1, (uint32_t)0, UINT32_MAX);
	WAYMARK_SCOPE(P, "i32", (uint8_t)1, INT32_MIN, INT32_MAX);
	WAYMARK_SCOPE(P, "u64", (uint8_t)1, UINT64_C(0), UINT64_MAX);
	WAYMARK_SCOPE(P, "i64", (uint8_t)1, INT64_MIN, INT64_MAX);
	WAYMARK_SCOPE(P, "f32", (uint8_t)1, -FLT_MAX, 0.5f, FLT_MIN);
	WAYMARK_SCOPE(P, "f64", (uint8_t)1, -DBL_MAX, 0.5, DBL_MIN);
	WAYMARK_SCOPE(P, "bool", (bool)0, (bool)1, (uint16_t)2);
	WAYMARK_SCOPE(P, "char", (char)'a', (char)'\xff', (uint8_t)3);
	WAYMARK_SCOPE(P, "pointer", (void *)0, (void *)UINTPTR_MAX, (uint8_t)4);
#ifdef __SIZEOF_INT128__
	WAYMARK_SCOPE(P, "u128", (uint8_t)1, waymark_u128_of(0, 1),
		waymark_u128_of(UINT64_MAX, UINT64_MAX));
	WAYMARK_SCOPE(P, "i128", (uint8_t)1, waymark_i128_of(UINT64_C(1) << 63, 0),
		waymark_i128_of(INT64_MAX, UINT64_MAX));
#endif
	WAYMARK_INSTANT(P, "none");
	WAYMARK_INSTANT(P, "one", (uint8_t)200);
	WAYMARK_INSTANT(P, "pair", (uint16_t)60000, INT64_MIN);
	WAYMARK_COUNTER(P, "counted", INT32_MIN);
	WAYMARK_COUNTER(P, "wide", UINT64_MAX);
	struct waymark_scope flow = WAYMARK_FLOW(P, "flow", (uint8_t)7, UINT64_MAX);

	WAYMARK_FLOW_STEP(P, &flow, "step", (int8_t)-7, UINT32_MAX);
	WAYMARK_FLOW_STEP(P, &flow, "step", "text");
	waymark_scope_end(&flow);
	WAYMARK_FLOW_STEP(P, &flow, "step that is none", 1);
}

/* The maximum number of arguments, of every width, also with text among them. */
static void fire_many(void)
{
	uint8_t a = 1;
	uint16_t b = 2;
	uint32_t c = 3;
	uint64_t d = 4;

	WAYMARK_SCOPE(P, "sixteen", a, d, b, c, a, b, c, d, a, a, b, a, c, a, d, b);
	WAYMARK_SCOPE(
		P, "pointers", &a, &b, &c, &d, &a, &b, &c, &d, &a, &b, &c, &d, &a, &b, &c, &d);
	WAYMARK_SCOPE(P, "mixed", a, "one", d, b, "two", c, a, "three", b, c, d, "four", a, a, b,
		(const char *)NULL);
}

static void render(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	waymark_debug_struct(&g, f, "Object");
	waymark_debug_field(&g, "number", waymark_debug(*(const int *)object));
	waymark_debug_end(&g);
}

static char *text_of(size_t length)
{
	char *text = malloc(length + 1);

	if (!text) {
		exit(EXIT_FAILURE);
	}
	memset(text, 'x', length);
	text[length] = '\0';
	return text;
}

static void fire_texts(void)
{
	static const size_t lengths[] = { 0, 1, 300, 20000, 1000000 };
	int number = 42;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char *text = text_of(lengths[i]);

		WAYMARK_SCOPE(P, "text", (uint32_t)i, text, (uint8_t)9);
		free(text);
	}
	WAYMARK_SCOPE(P, "null", (char *)NULL);
	WAYMARK_SCOPE(P, "bytes", "\xff\xfe", "behind");
	WAYMARK_SCOPE(P, "object", waymark_debug_object(render, &number), number);
	WAYMARK_SCOPE(P, "value", waymark_debug(number), waymark_debug_text("abc", 2));
}

static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
	uint16_t seen = (uint16_t)handled;

	(void)signal;
	WAYMARK_SCOPE(P, "handler", seen);
	WAYMARK_INSTANT(P, "in handler", "text", seen);
	handled = seen + 1;
}

static void fire_among_signals(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	errno = 77;
	while (handled < 20) {
		WAYMARK_SCOPE(P, "interrupted", (uint32_t)handled, (uint64_t)handled);
		WAYMARK_SCOPE(P, "text", "interrupted");
	}
	setitimer(ITIMER_REAL, &never, NULL);
	if (errno != 77) {
		exit(3);
	}
}

static unsigned long scopes;

static void *fire_scopes(void *lane)
{
	for (uint32_t i = 0; i < scopes; i++) {
		WAYMARK_SCOPE(P, "threads", i, (uint64_t)(uintptr_t)lane);
	}
	return NULL;
}

static void fire_on_threads(void)
{
	pthread_t threads[8];

	for (uintptr_t i = 0; i < 8; i++) {
		pthread_create(&threads[i], NULL, fire_scopes, (void *)i);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
	}
}

/* A kill loses no ended scope, although nothing is flushed. */
static void fire_until_killed(void)
{
	for (uint32_t i = 0;; i++) {
		{
			WAYMARK_SCOPE(P, "killed", i);
		}
		if (i == 5000) {
			kill(getpid(), SIGKILL);
		}
	}
}

static const struct {
	const char *name;
	void (*fire)(void);
} modes[] = {
	{ "limits", fire_limits },
	{ "many", fire_many },
	{ "texts", fire_texts },
	{ "signals", fire_among_signals },
	{ "threads", fire_on_threads },
	{ "killed", fire_until_killed },
};

int main(int argc, char **argv)
{
	struct waymark_error error;

	if (argc < 3 || waymark_configure(argv[1], &error)) {
		fprintf(stderr, "points: %s\n", argc < 3 ? "OPTIONS MODE [N]" : error.text);
		return 2;
	}
	scopes = argc > 3 ? strtoul(argv[3], NULL, 10) : 10000;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[2], modes[i].name) == 0) {
			modes[i].fire();
			return EXIT_SUCCESS;
		}
	}
	return 2;
}
