/* SPDX-License-Identifier: MIT */
/*
 * Calls of events are in a hart's decoded blocks only while the events are on for that hart:
 * counts the calls in a block of a load and a store, before and after each switch. switching.sh
 * checks the events in the trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "machine.h"
#include "trace/control.h"

#define DATA (RAM_BASE + 0x1000)
#define REGISTER_T0 5

static void require(bool promise, const char *what)
{
	if (!promise) {
		printf("%s\n", what);
		exit(1);
	}
}

/* Executes the block on that hart. Returns the number of event calls in it. */
static unsigned int run(struct machine *machine, unsigned int id)
{
	struct hart *hart = &machine->harts[id];
	unsigned int calls = 0;

	hart_reset(hart, RAM_BASE);
	hart->x[REGISTER_T0] = DATA;
	hart_step(hart);
	hart->pc = RAM_BASE;
	for (const struct instruction *in = block_get(hart)->code; !in->ends; in++) {
		calls += in->op == OP_event;
	}
	return calls;
}

static void switch_events(const char *pattern, bool on)
{
	struct waymark_error error = { 0 };

	require(waymark_vcpu_set_states(0, pattern, on, &error) == 0, error.text);
}

static bool has_to_decode(const struct machine *machine, unsigned int id)
{
	return hart_pending(&machine->harts[id]) & HART_FLUSH;
}

int main(void)
{
	/* ld t1, 8(t0); sd t1, 16(t0); j 0 */
	static const uint32_t program[] = { 0x0082b303, 0x0062b823, 0x0000006f };
	static struct machine machine;

	require(trace_init_backends(), "tracing cannot be initialised");
	require(machine_init(&machine, 2, 1 << 20) == 0, "no machine");
	memcpy(machine.ram, program, sizeof(program));

	require(run(&machine, 0) == 0 && run(&machine, 1) == 0, "events that are off have calls");
	require(!has_to_decode(&machine, 0), "blocks are dropped for no reason");
	switch_events("guest_block_exec", true);
	require(has_to_decode(&machine, 0), "a switch does not drop the blocks");
	require(!has_to_decode(&machine, 1), "a switch drops another hart's blocks");
	require(run(&machine, 0) == 1, "the block has no call of its event");
	require(run(&machine, 1) == 0, "an event is in the block of a hart that has it off");
	switch_events("guest_memory_exec", true);
	require(run(&machine, 0) == 3, "the load and the store have no call of their event");
	switch_events("guest_*_exec", false);
	require(run(&machine, 0) == 0, "calls stay in the block behind the switch");
	machine_fini(&machine);
	return 0;
}
