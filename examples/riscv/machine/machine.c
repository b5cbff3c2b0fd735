/* SPDX-License-Identifier: MIT */
/* The harts' threads: their beginning and their end. */
#include "machine/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "machine/trace.h"
#include "trace/control.h"
#include "translate/translator.h"

/* Calls of events stand in translated code only while these are on. */
static void drop_code(void *cpu, void *opaque)
{
	struct machine *machine = opaque;

	(void)cpu;
	for (unsigned int i = 0; i < machine->hart_count; i++) {
		hart_raise(&machine->harts[i], HART_FLUSH);
	}
}

int machine_init(struct machine *machine, unsigned int harts, uint64_t ram_bytes)
{
	*machine = (struct machine){ .status = -1 };
	if (!ram_init(&machine->ram, ram_bytes)) {
		return ENOMEM;
	}
	for (; machine->hart_count < harts; machine->hart_count++) {
		struct hart *hart = &machine->harts[machine->hart_count];

		if (!hart_init(hart, machine->hart_count, &machine->ram, &machine->bus)) {
			machine_fini(machine);
			return ENOMEM;
		}
		trace_init_vcpu(hart);
	}
	waymark_vcpu_watch(drop_code, machine);
	return 0;
}

bool machine_translate(struct machine *machine)
{
	bool done = true;

	for (unsigned int i = 0; done && i < machine->hart_count; i++) {
		done = hart_translate(&machine->harts[i]);
	}
	return done;
}

void machine_dump(struct machine *machine, FILE *file)
{
	for (unsigned int i = 0; i < machine->hart_count; i++) {
		translator_dump(machine->harts[i].translator, file);
	}
}

void machine_fini(struct machine *machine)
{
	waymark_vcpu_watch(NULL, NULL);
	for (unsigned int i = 0; i < machine->hart_count; i++) {
		trace_fini_vcpu(&machine->harts[i]);
		hart_fini(&machine->harts[i]);
	}
	ram_fini(&machine->ram);
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

struct hart_thread {
	struct machine *machine;
	struct hart *hart;
	pthread_t thread;
};

static void *hart_thread(void *opaque)
{
	struct hart_thread *t = opaque;
	const struct hart *hart = t->hart;

	hart_run(t->hart);
	if (hart->lost) {
		fprintf(stderr,
			"riscv: hart %u: trap %" PRIu64 " at 0x%" PRIx64 " (value 0x%" PRIx64
			"), and no memory at mtvec to handle it\n",
			hart->id, hart->mcause, hart->mepc, hart->mtval);
		machine_stop(t->machine, MACHINE_LOST);
	}
	return NULL;
}

int machine_run(struct machine *machine, uint64_t entry)
{
	struct hart_thread threads[MACHINE_HARTS];
	unsigned int started = 0;
	int error = 0;

	trace_machine_start(machine->hart_count, machine->ram.size, entry);
	for (; started < machine->hart_count && !error; started += !error) {
		struct hart_thread *t = &threads[started];

		*t = (struct hart_thread){ .machine = machine, .hart = &machine->harts[started] };
		hart_reset(t->hart, entry);
		error = pthread_create(&t->thread, NULL, hart_thread, t);
	}
	if (error) {
		machine_stop(machine, MACHINE_LOST);
	}
	for (unsigned int i = 0; i < started; i++) {
		pthread_join(threads[i].thread, NULL);
	}
	errno = error;
	return error ? -1 : machine->status;
}
