/* SPDX-License-Identifier: MIT */
/*
 * Compares the states of one event on some vCPUs with a plain model: every transition by itself,
 * then random sequences: test_states [SEED]. After every step all vCPUs, an unregistered one and
 * NULL have the model's state, and the watcher was called once for each change.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trace/control.h>

#include "control/unit.h"
#include "vcpu_events.h"

#define CPUS 5u
#define STEPS 200000

VCPU_EVENT(guest_run, WAYMARK_EVENT_VCPU | WAYMARK_EVENT_EXEC, 1)
VCPU_EVENT(guest_other, WAYMARK_EVENT_VCPU, 2)
VCPU_EVENT(host_run, 0, 3)
VCPU_EVENT_LIST(&waymark_event_guest_run, &waymark_event_guest_other, &waymark_event_host_run)

static struct cpu cpus[CPUS + 1]; /* the last one is never registered */

/* The state of the event in another form: the CPUs on which it is on. */
struct model {
	unsigned int mask;
	bool base;
	bool there[CPUS];
	bool on[CPUS];
};

static unsigned int wanted(const struct model *m, unsigned int cpu)
{
	bool on = cpu < CPUS && m->there[cpu] ? m->on[cpu] : m->base;

	return on ? m->mask : 0;
}

static void model_fill(struct model *m, bool on)
{
	m->base = on;
	for (unsigned int i = 0; i < CPUS; i++) {
		m->on[i] = on && m->there[i];
	}
}

static bool model_has_none(const struct model *m)
{
	bool any = false;

	for (unsigned int i = 0; i < CPUS; i++) {
		any |= m->on[i];
	}
	return !any;
}

static void model_off(struct model *m)
{
	m->mask = 0;
	model_fill(m, false);
}

static void model_on_one(struct model *m, unsigned int cpu)
{
	if (m->there[cpu]) {
		m->mask = m->mask ? m->mask : BUILT_WITH;
		m->on[cpu] = true;
	}
}

static void model_off_one(struct model *m, unsigned int cpu)
{
	if (m->there[cpu] && m->on[cpu]) {
		m->on[cpu] = false;
		if (model_has_none(m)) {
			model_off(m);
		}
	}
}

static void model_later(struct model *m, bool on)
{
	if (on) {
		m->mask = m->mask ? m->mask : BUILT_WITH;
	}
	m->base = on && m->mask;
	if (!m->base && model_has_none(m)) {
		model_off(m);
	}
}

static void model_init(struct model *m, unsigned int cpu)
{
	if (!m->there[cpu]) {
		m->there[cpu] = true;
		m->on[cpu] = m->base;
	}
}

static void model_fini(struct model *m, unsigned int cpu)
{
	m->there[cpu] = m->on[cpu] = false;
	if (!m->base && model_has_none(m)) {
		model_off(m);
	}
}

static void model_on_all(struct model *m, unsigned int backends)
{
	m->mask |= backends;
	model_fill(m, true);
}

static void model_off_all(struct model *m, unsigned int backends)
{
	m->mask &= ~backends;
	if (!m->mask) {
		model_off(m);
	}
}

/* The watcher's calls since the last check, and its last argument. */
static unsigned int told;
static void *told_cpu;

static void watch(void *cpu, void *opaque)
{
	assert_ptr_equal(opaque, cpus);
	told++;
	told_cpu = cpu;
}

enum op { ON_ONE, OFF_ONE, INIT, FINI, ON_ALL, OFF_ALL, ON_LOG, OFF_LOG, ON_LATER, OFF_LATER, OPS };

/* Switches the event for later CPUs, which do not exist yet. */
static void set_later(bool on, unsigned int turn)
{
	assert_int_equal(waymark_vcpu_set_states(
				 WAYMARK_VCPU_LATER, turn % 2 ? "guest_run" : "*_r?n", on, NULL),
		0);
}

/* Makes one control call; equivalent calls alternate. */
static void set_one(unsigned int cpu, bool on, unsigned int turn)
{
	int there = waymark_vcpu_find(cpu) ? 0 : -1;

	switch (turn % 3) {
	case 0:
		assert_int_equal(
			waymark_vcpu_set_state(&cpus[cpu], &waymark_event_guest_run, on, NULL),
			there);
		break;
	case 1:
		assert_int_equal(waymark_vcpu_set_states(cpu, "guest_run", on, NULL), there);
		break;
	default:
		assert_int_equal(waymark_vcpu_set_states(cpu, "*_r?n", on, NULL), there);
	}
}

static void set_all(unsigned int backends, bool on, unsigned int turn)
{
	const char *name = "guest_run";

	switch (turn % 3) {
	case 0:
		assert_int_equal(
			waymark_set_state(&waymark_event_guest_run, backends, on, NULL), 0);
		break;
	case 1:
		assert_int_equal(waymark_set_states(&name, 1, backends, on, NULL), 0);
		break;
	default:
		assert_int_equal(
			(on ? waymark_enable : waymark_disable)("guest_ru*", backends, NULL, NULL),
			0);
	}
}

static void run(enum op op, unsigned int cpu, unsigned int turn)
{
	switch (op) {
	case ON_ONE:
	case OFF_ONE:
		set_one(cpu, op == ON_ONE, turn);
		break;
	case INIT:
		waymark_vcpu_init(&cpus[cpu], cpu, NULL);
		break;
	case FINI:
		waymark_vcpu_fini(&cpus[cpu]);
		break;
	case ON_ALL:
	case OFF_ALL:
		set_all(WAYMARK_ANY_BACKEND, op == ON_ALL, turn);
		break;
	case ON_LATER:
	case OFF_LATER:
		set_later(op == ON_LATER, turn);
		break;
	default:
		set_all(WAYMARK_LOG, op == ON_LOG, turn);
	}
}

static void run_model(struct model *m, enum op op, unsigned int cpu)
{
	switch (op) {
	case ON_ONE:
		model_on_one(m, cpu);
		break;
	case OFF_ONE:
		model_off_one(m, cpu);
		break;
	case INIT:
		model_init(m, cpu);
		break;
	case FINI:
		model_fini(m, cpu);
		break;
	case ON_ALL:
	case OFF_ALL:
		(op == ON_ALL ? model_on_all : model_off_all)(m, BUILT_WITH);
		break;
	case ON_LATER:
	case OFF_LATER:
		model_later(m, op == ON_LATER);
		break;
	default:
		(op == ON_LOG ? model_on_all : model_off_all)(m, WAYMARK_LOG);
	}
}

/* Returns true if an event fires on that CPU. */
static bool fires(unsigned int cpu)
{
	unsigned long before = fired_guest_run[cpu];

	trace_guest_run(&cpus[cpu]);
	return fired_guest_run[cpu] != before;
}

static void compare_states(const struct model *m)
{
	for (unsigned int i = 0; i <= CPUS; i++) {
		assert_int_equal(
			waymark_vcpu_get_state(&cpus[i], &waymark_event_guest_run), wanted(m, i));
		assert_int_equal(fires(i), wanted(m, i) != 0);
	}
	assert_int_equal(
		waymark_vcpu_get_state(NULL, &waymark_event_guest_run), m->base ? m->mask : 0);
	assert_int_equal(waymark_get_state(&waymark_event_guest_run), m->mask);
}

/*
 * The watcher must not be called if `before` and `now` are equal for all CPUs; otherwise once, for
 * `cpu` or for any.
 */
static void compare_told(const struct model *before, const struct model *now, void *cpu)
{
	unsigned int differ = 0;

	for (unsigned int i = 0; i <= CPUS; i++) {
		if (!wanted(before, i) != !wanted(now, i)) {
			differ++;
		}
	}
	assert_int_equal(told, differ != 0);
	if (differ) {
		assert_ptr_equal(told_cpu, differ == 1 ? cpu : NULL);
	}
}

/* Makes one step, in the runtime and in the model. */
static void step(struct model *m, enum op op, unsigned int cpu, unsigned int turn)
{
	struct model before = *m;

	told = 0;
	run(op, cpu, turn);
	run_model(m, op, cpu);
	compare_states(m);
	if (op == INIT || op == FINI) {
		assert_int_equal(told, 0);
	} else {
		compare_told(&before, m, op == ON_ONE || op == OFF_ONE ? &cpus[cpu] : NULL);
	}
}

/* Begins without vCPUs, and with the event off. */
static struct model begin(void)
{
	struct model m = { 0 };

	for (unsigned int i = 0; i < CPUS; i++) {
		waymark_vcpu_fini(&cpus[i]);
	}
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
	compare_states(&m);
	return m;
}

/* The way to reach each state with vCPUs 0 to 2 registered; each step is tried from there. */
struct way {
	const char *to;
	enum op ops[3];
	unsigned int cpus[3];
	unsigned int count;
};

static const struct way ways[] = {
	{ "off", { OFF_ALL }, { 0 }, 1 },
	{ "all", { ON_ALL }, { 0 }, 1 },
	{ "all, by log only", { ON_LOG }, { 0 }, 1 },
	{ "one of three, others not", { ON_ONE }, { 1 }, 1 },
	{ "two of three, others not", { ON_ONE, ON_ONE }, { 1, 2 }, 2 },
	{ "all of three, others not", { ON_ONE, ON_ONE, ON_ONE }, { 0, 1, 2 }, 3 },
	{ "two of three, others too", { ON_ALL, OFF_ONE }, { 0, 1 }, 2 },
	{ "one of three, others too", { ON_ALL, OFF_ONE, OFF_ONE }, { 0, 1, 2 }, 3 },
	{ "none of two, others too", { ON_ALL, OFF_ONE, FINI }, { 0, 1, 2 }, 3 },
	{ "none of three, others too", { ON_LATER }, { 0 }, 1 },
	{ "all of three, others not", { ON_ALL, OFF_LATER }, { 0 }, 2 },
	{ "log only, one of three", { ON_ONE, OFF_LOG }, { 1, 0 }, 2 },
};

static struct model go(const struct way *way)
{
	struct model m = begin();

	for (unsigned int i = 0; i < 3; i++) {
		step(&m, INIT, i, 0);
	}
	for (unsigned int i = 0; i < way->count; i++) {
		step(&m, way->ops[i], way->cpus[i], 0);
	}
	return m;
}

static void each_transition_is_the_models(void **unused)
{
	(void)unused;
	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		for (unsigned int i = 0; i < 3 * OPS * 4; i++) {
			struct model m = go(&ways[w]);
			enum op op = (enum op)(i / 4 % OPS);

			step(&m, op, i % 4, i / 4 / OPS);
		}
	}
}

static unsigned int seed = 1;

static unsigned int choose(unsigned int below)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % below;
}

static void random_steps_are_the_models(void **unused)
{
	struct model m = begin();

	(void)unused;
	for (unsigned int i = 0; i < STEPS; i++) {
		/* Switches of all vCPUs are rare, because they reset the states of single ones. */
		enum op op = (enum op)(choose(10) ? choose(ON_ALL) : choose(OPS));

		step(&m, op, choose(CPUS), i);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_transition_is_the_models),
		cmocka_unit_test(random_steps_are_the_models),
	};

	seed = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : seed;
	for (unsigned int i = 0; i <= CPUS; i++) {
		cpus[i].number = i;
	}
	waymark_vcpu_watch(watch, cpus);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
