/* SPDX-License-Identifier: MIT */
/*
 * Calls of events stand in a hart's translated code only while they are on for that
 * hart, and only interrupts that are let through end it: switching PROGRAM LOOP.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/devices.h"
#include "loader/elf.h"
#include "machine/machine.h"
#include "trace/control.h"
#include "translate/translator.h"

#define STEPS 300 /* blocks */
#define ROUNDS 8
#define LOOP_INSTRUCTIONS UINT64_C(1000000006)

struct dump {
	char *text;
	size_t bytes;
};

static uint64_t entry;

static void require(bool promise, const char *what)
{
	if (!promise) {
		printf("%s\n", what);
		exit(1);
	}
}

static void load(struct machine *machine, const char *path)
{
	static char file[1 << 16];
	struct elf_error error = { "" };
	FILE *program = fopen(path, "re");
	size_t bytes = program ? fread(file, 1, sizeof(file), program) : 0;

	require(elf_load(file, bytes, &machine->ram, &entry, &error), error.text);
	fclose(program);
	for (unsigned int i = 0; i < machine->hart_count; i++) {
		hart_raise(&machine->harts[i], HART_FLUSH);
	}
}

/* The first blocks of the program on that hart. The code that they became is returned. */
static struct dump run(struct machine *machine, unsigned int id)
{
	struct hart *hart = &machine->harts[id];
	struct dump dump = { 0 };
	FILE *file = open_memstream(&dump.text, &dump.bytes);

	require(file != NULL, "no memory");
	hart_reset(hart, entry);
	hart->x[REGISTER_A0] = 0;
	hart_raise(hart, HART_STOP); /* leave after each block */
	translator_dump(hart->translator, file);
	for (unsigned int i = 0; i < STEPS; i++) {
		hart_step(hart, 0);
	}
	translator_dump(hart->translator, NULL);
	fclose(file);
	return dump;
}

static bool same(struct dump a, struct dump b)
{
	return a.bytes > 0 && a.bytes == b.bytes && memcmp(a.text, b.text, a.bytes) == 0;
}

static void switch_events(const char *pattern, bool on)
{
	struct waymark_error error = { 0 };

	require(waymark_vcpu_set_states(0, pattern, on, &error) == 0, "an event is not switched");
}

static bool asked_to_drop_code(struct hart *hart)
{
	return __atomic_load_n(&hart->interrupts, __ATOMIC_ACQUIRE) & HART_FLUSH;
}

static void bytes_are_those_of_a_build_that_knows_no_events(struct machine *machine)
{
	enum { BEFORE, BLOCKS, OTHER_HART, MEMORY, AFTER, DUMPS };
	struct dump d[DUMPS];

	d[BEFORE] = run(machine, 0);
	require(!asked_to_drop_code(&machine->harts[0]), "code is dropped for no reason");
	switch_events("guest_block_exec", true);
	require(asked_to_drop_code(&machine->harts[0]), "the code stays");
	d[BLOCKS] = run(machine, 0);
	require(d[BLOCKS].bytes > d[BEFORE].bytes, "no calls of the event");
	hart_raise(&machine->harts[1], HART_FLUSH);
	d[OTHER_HART] = run(machine, 1);
	require(same(d[BEFORE], d[OTHER_HART]), "the code of another hart has changed");
	switch_events("guest_memory_exec", true);
	d[MEMORY] = run(machine, 0);
	require(d[MEMORY].bytes > d[BLOCKS].bytes, "no calls of the other event");
	switch_events("guest_*", false);
	d[AFTER] = run(machine, 0);
	require(same(d[BEFORE], d[AFTER]), "the code is not what it was before");
	for (unsigned int i = 0; i < DUMPS; i++) {
		free(d[i].text);
	}
}

static void *run_machine(void *machine)
{
	return (void *)(intptr_t)machine_run(machine, entry);
}

/* And made again, in the time behind it. Seconds, at most: who has ended drops nothing. */
static void wait_until_code_is_dropped(struct hart *hart)
{
	for (unsigned int i = 0; asked_to_drop_code(hart) && i < 10000; i++) {
		usleep(200);
	}
	usleep(200);
}

/* A loop that would never leave its own translation. */
static void code_that_runs_is_left(struct machine *machine)
{
	pthread_t thread;
	void *status;

	hart_lower(&machine->harts[0], HART_STOP);
	hart_lower(&machine->harts[1], HART_STOP);
	require(pthread_create(&thread, NULL, run_machine, machine) == 0, "no thread");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		wait_until_code_is_dropped(&machine->harts[0]);
		switch_events("guest_block_exec", i % 2 == 0);
	}
	pthread_join(thread, &status);
	require((intptr_t)status == 0, "the loop fails");
	require(machine->harts[0].retired == LOOP_INSTRUCTIONS, "instructions were lost");
}

/* Else a guest that leaves an interrupt pending would be slower than interpreted. */
static void masked_interrupts_end_no_code(struct machine *machine)
{
	struct hart *hart = &machine->harts[0];
	unsigned int steps = 0;

	hart->interrupts = HART_FLUSH | HART_TIMER;
	hart_reset(hart, entry);
	while (!(hart->interrupts & HART_STOP) && steps < STEPS) {
		hart_step(hart, hart->interrupts);
		steps++;
	}
	require(steps < STEPS, "each block looks at an interrupt that is masked");
	require(hart->retired == LOOP_INSTRUCTIONS, "the loop was cut");
}

int main(int argc, char **argv)
{
	static struct machine machine;

	require(argc == 3 && trace_init_backends(), "switching PROGRAM LOOP");
	require(machine_init(&machine, 2, 1 << 20) == 0, "no machine");
	require(machine_translate(&machine), "nothing is translated");
	exit_add(&machine);
	load(&machine, argv[1]);
	bytes_are_those_of_a_build_that_knows_no_events(&machine);
	load(&machine, argv[2]);
	code_that_runs_is_left(&machine);
	masked_interrupts_end_no_code(&machine);
	machine_fini(&machine);
	return 0;
}
