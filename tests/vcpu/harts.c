/* SPDX-License-Identifier: MIT */
/*
 * Four vCPUs, each a thread, run COUNT steps in each of three phases: harts DIRECTORY COUNT. The
 * native trace in DIRECTORY has every step of vCPUs 1 and 2, those of the first and last phase of
 * vCPU 0, and none of vCPU 3. All the time other vCPUs are plugged in, switched and unplugged.
 * Prints the CPUs in order.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <trace/control.h>

#include "trace-vcpu.h"

#define HARTS 4

struct hart {
	pthread_t thread;
	unsigned int number;
};

static struct hart harts[HARTS];
static pthread_barrier_t phase;
static unsigned int count;
static bool done;
static int status;

static void check(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "not so: %s\n", what);
		status = 1;
	}
}

static void *run(void *data)
{
	struct hart *hart = data;

	for (unsigned int p = 0; p < 3; p++) {
		pthread_barrier_wait(&phase);
		for (unsigned int i = 0; i < count; i++) {
			trace_guest_step(hart, i);
			trace_guest_never(hart, i);
		}
		pthread_barrier_wait(&phase);
	}
	return NULL;
}

static void *plug(void *data)
{
	static struct hart more[8];
	TraceEvent *step = trace_event_name("guest_step");

	for (unsigned int i = 0; !__atomic_load_n(&done, __ATOMIC_RELAXED); i++) {
		struct hart *hart = &more[i % 8];

		trace_init_vcpu(hart);
		trace_event_set_vcpu_state_dynamic(hart, step, i & 1);
		trace_fini_vcpu(hart);
	}
	return data;
}

static void set(unsigned int hart, bool on)
{
	check(waymark_vcpu_set_states(hart, "guest_step", on, NULL) == 0, "a vCPU is switched");
}

static void run_phases(void)
{
	for (unsigned int p = 0; p < 3; p++) {
		set(0, p != 1);
		check(trace_event_get_vcpu_state(&harts[0], TRACE_GUEST_STEP) == (p != 1),
			"the state of vCPU 0");
		pthread_barrier_wait(&phase);
		pthread_barrier_wait(&phase);
	}
}

int main(int argc, char **argv)
{
	char options[4096];
	pthread_t plugger;

	if (argc != 3) {
		return 2;
	}
	snprintf(options, sizeof(options), "file=%s,full=block", argv[1]);
	check(waymark_configure(options, NULL) == 0, "the option is right");
	count = (unsigned int)strtoul(argv[2], NULL, 10);
	pthread_barrier_init(&phase, NULL, HARTS + 1);
	for (unsigned int i = 0; i < HARTS; i++) {
		harts[i].number = i;
		trace_init_vcpu(&harts[i]);
		printf("%p\n", (void *)&harts[i]);
	}
	set(1, true);
	set(2, true);
	check(!trace_event_get_vcpu_state(&harts[3], TRACE_GUEST_STEP), "the state of vCPU 3");
	check(!trace_event_get_vcpu_state(&harts[1], TRACE_GUEST_OTHER), "another event's state");
	check(!trace_event_get_vcpu_state(&harts[1], TRACE_GUEST_NEVER), "a disabled event's");
	for (unsigned int i = 0; i < HARTS; i++) {
		pthread_create(&harts[i].thread, NULL, run, &harts[i]);
	}
	pthread_create(&plugger, NULL, plug, NULL);
	run_phases();
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(plugger, NULL);
	for (unsigned int i = 0; i < HARTS; i++) {
		pthread_join(harts[i].thread, NULL);
	}
	return status;
}
