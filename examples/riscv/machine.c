/* SPDX-License-Identifier: MIT */
/* Makes a machine, and starts and stops the threads of its harts. Called by main(). */
#include "machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace-riscv.h"
#include "trace/control.h"

/*
 * Decoded blocks contain calls of events only while the events are on. When a monitor or another
 * thread switches events of a hart, that hart must decode its blocks again.
 */
static void drop_blocks(void *cpu, void *opaque)
{
	struct machine *machine = opaque;

	for (unsigned int i = 0; i < machine->hart_count; i++) {
		if (!cpu || cpu == &machine->harts[i]) {
			hart_raise(&machine->harts[i], HART_FLUSH);
		}
	}
}

int machine_init(struct machine *machine, unsigned int harts, uint64_t ram_bytes)
{
	*machine = (struct machine){
		.ram = calloc(1, ram_bytes), .ram_bytes = ram_bytes, .status = -1
	};
	if (!machine->ram) {
		return ENOMEM;
	}
	for (; machine->hart_count < harts; machine->hart_count++) {
		struct hart *hart = &machine->harts[machine->hart_count];

		if (!hart_init(hart, machine, machine->hart_count)) {
			machine_fini(machine);
			return ENOMEM;
		}
		trace_init_vcpu(hart);
	}
	pthread_mutex_init(&machine->console.lock, NULL);
	waymark_vcpu_watch(drop_blocks, machine);
	return 0;
}

void machine_fini(struct machine *machine)
{
	waymark_vcpu_watch(NULL, NULL);
	for (unsigned int i = 0; i < machine->hart_count; i++) {
		trace_fini_vcpu(&machine->harts[i]);
		hart_fini(&machine->harts[i]);
	}
	free(machine->ram);
}

void machine_stop(struct machine *machine, int status)
{
	int running = -1;

	if (__atomic_compare_exchange_n(&machine->status, &running, status, false, __ATOMIC_SEQ_CST,
		    __ATOMIC_SEQ_CST)) {
		trace_machine_stop(status);
	}
	for (unsigned int i = 0; i < machine->hart_count; i++) {
		hart_raise(&machine->harts[i], HART_STOP);
	}
}

static void *hart_thread(void *opaque)
{
	struct hart *hart = opaque;

	hart_run(hart);
	if (hart->lost) {
		fprintf(stderr,
			"riscv: hart %u: trap %" PRIu64 " at 0x%" PRIx64 " (value 0x%" PRIx64
			"), and mtvec has no memory to handle it\n",
			hart->id, hart->mcause, hart->mepc, hart->mtval);
		machine_stop(hart->machine, MACHINE_LOST);
	}
	return NULL;
}

static int run_harts(struct machine *machine, uint64_t entry)
{
	pthread_t threads[MACHINE_HARTS];
	unsigned int started = 0;
	int error = 0;

	for (; started < machine->hart_count && !error; started += !error) {
		hart_reset(&machine->harts[started], entry);
		error = pthread_create(
			&threads[started], NULL, hart_thread, &machine->harts[started]);
	}
	if (error) {
		machine_stop(machine, MACHINE_LOST);
	}
	for (unsigned int i = 0; i < started; i++) {
		pthread_join(threads[i], NULL);
	}
	return error;
}

int machine_run(struct machine *machine, uint64_t entry)
{
	trace_machine_start(machine->hart_count, machine->ram_bytes, entry);
	int error = clint_start(machine);

	if (!error) {
		error = run_harts(machine, entry);
		clint_stop(machine);
	}
	errno = error;
	return error ? -1 : machine->status;
}
