/* SPDX-License-Identifier: MIT */
/*
 * condition-program KIND TRACE EVENTS SEED: records EVENTS random events KIND_all into the trace.
 * Then reads a condition from each line of the input, fires the same events as KIND_if under it,
 * and prints a line with a digit for each event: 1 if it was recorded. Prints `! reason` for a
 * condition that is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/control.h>

#include TRACE_HEADER

struct fields {
	int64_t i;
	uint64_t u;
	double f;
	uint8_t e;
	uint64_t us;
	const char *s;
	char c;
	const char *t;
};

static uint64_t state;

/* Returns 64 bits of a generator (splitmix64). */
static uint64_t next(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Returns a number that is often small, or near a limit. */
static uint64_t number(void)
{
	static const uint64_t limits[] = { 0, 1, 7, 63, 64, 127, 128, 255, 256, 4096, 32767, 32768,
		65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX };
	uint64_t choice = next();

	return choice % 3 ? limits[choice / 3 % (sizeof(limits) / sizeof(limits[0]))] : next();
}

static struct fields fields_of(uint32_t k, uint64_t seed)
{
	static const char *const texts[] = { "", "virtio0", "virtio1", "vda", "a*b", "x", NULL };
	static const double fractions[] = { 0.0, 1.5, -2.25, 1e300, 77.0 };
	struct fields v;

	state = seed * 1000003 + k;
	v.i = (int64_t)number();
	v.u = number();
	v.f = fractions[next() % 5];
	v.e = (uint8_t)(next() % 9);
	v.us = next() % (1 << 20);
	v.s = texts[next() % 7];
	v.c = "acx\xe9"[next() % 4];
	v.t = texts[next() % 7];
	return v;
}

static void describe(struct waymark_formatter *f, const void *object)
{
	(void)object;
	waymark_debug_name(f, "Object");
}

/* Returns a value of a type that differs between events. */
static struct waymark_debug any_of(const struct fields *v)
{
	switch (v->e) {
	case 0:
		return waymark_debug_i8((int8_t)v->i);
	case 1:
		return waymark_debug_f64(v->f);
	case 2:
		return waymark_debug_string(v->s);
	case 3:
		return waymark_debug_char(0xe9);
	case 4:
		return waymark_debug_bool(v->i & 1);
	case 5:
		return waymark_debug_object(describe, v);
	case 6:
		return waymark_debug_i128(waymark_i128_of((uint64_t)v->i, v->u));
	default:
		return waymark_debug_u64(v->u);
	}
}

/* Defines functions that fire the events of a kind. The narrow fields are parts of the wide ones.
 */
#define FIRE(which)                                                                                \
	static void fire_wide_##which(uint32_t k, const struct fields *v)                          \
	{                                                                                          \
		trace_wide_##which(                                                                \
			k, v->i, v->u, v->e, v->us, v->s, v->c, (void *)(uintptr_t)v->u, v->t);    \
	}                                                                                          \
	static void fire_narrow_##which(uint32_t k, const struct fields *v)                        \
	{                                                                                          \
		trace_narrow_##which(k, (int8_t)v->i, (int16_t)v->i, (int32_t)v->i, (uint8_t)v->u, \
			(uint16_t)v->u, (uint32_t)v->u, v->u & 1);                                 \
	}                                                                                          \
	static void fire_typed_##which(uint32_t k, const struct fields *v)                         \
	{                                                                                          \
		trace_typed_##which(k, v->f, (float)v->f, v->s,                                    \
			waymark_i128_of((uint64_t)(v->i >> 63) ^ (v->u & 1), (uint64_t)v->i),      \
			any_of(v), v->us);                                                         \
	}

FIRE(all)
FIRE(if)

static const struct kind {
	const char *name;
	void (*all)(uint32_t k, const struct fields *v);
	void (*tested)(uint32_t k, const struct fields *v);
} kinds[] = {
	{ "wide", fire_wide_all, fire_wide_if },
	{ "narrow", fire_narrow_all, fire_narrow_if },
	{ "typed", fire_typed_all, fire_typed_if },
};

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0) {
			return &kinds[i];
		}
	}
	fprintf(stderr, "no kind '%s'\n", name);
	exit(2);
}

static uint64_t recorded(void)
{
	struct waymark_stats stats;

	waymark_get_stats(&stats);
	return stats.recorded;
}

static void try_condition(
	const struct kind *kind, const char *condition, uint32_t events, uint64_t seed)
{
	struct waymark_error error;
	char text[8192];

	snprintf(text, sizeof(text), "%s_if if %s", kind->name, condition);
	if (waymark_enable(text, WAYMARK_ANY_BACKEND, NULL, &error)) {
		printf("! %s\n", error.text);
		return;
	}
	for (uint32_t k = 0; k < events; k++) {
		struct fields v = fields_of(k, seed);
		uint64_t before = recorded();

		kind->tested(k, &v);
		putchar(recorded() > before ? '1' : '0');
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct waymark_error error;
	char line[8000];

	if (argc != 5) {
		fprintf(stderr, "usage: condition-program KIND TRACE EVENTS SEED\n");
		return 2;
	}
	const struct kind *kind = kind_of(argv[1]);
	uint32_t events = (uint32_t)strtoul(argv[3], NULL, 10);
	uint64_t seed = strtoull(argv[4], NULL, 10);

	snprintf(line, sizeof(line), "%s_all,file=%s", kind->name, argv[2]);
	if (waymark_configure(line, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (uint32_t k = 0; k < events; k++) {
		struct fields v = fields_of(k, seed);

		kind->all(k, &v);
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		try_condition(kind, line, events, seed);
	}
	return 0;
}
