/* SPDX-License-Identifier: MIT */
/*
 * The table of devices, and the two small devices: the exit register and the console. The console
 * sends output immediately, and reads input when the guest asks for it.
 */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "bus.h"
#include "devices.h"
#include "machine.h"
#include "trace-riscv.h"

static bool exit_load(struct machine *machine, uint64_t offset, unsigned int size, uint64_t *value)
{
	(void)machine, (void)offset, (void)size, (void)value;
	return false;
}

static bool exit_store(struct machine *machine, uint64_t offset, unsigned int size, uint64_t value)
{
	(void)offset, (void)size;
	machine_stop(machine, value & 0xff);
	return true;
}

/* Call with the lock held. Returns false at the end of the input. */
static bool has_input(struct console *console)
{
	struct pollfd ready = { .fd = STDIN_FILENO, .events = POLLIN };

	if (console->next == console->end) {
		fflush(stdout);
		ssize_t n = poll(&ready, 1, 0) == 1
				    ? read(STDIN_FILENO, console->input, sizeof(console->input))
				    : 0;

		console->next = 0;
		console->end = n > 0 ? n : 0;
	}
	return console->next < console->end;
}

static bool console_load(
	struct machine *machine, uint64_t offset, unsigned int size, uint64_t *value)
{
	struct console *console = &machine->console;

	pthread_mutex_lock(&console->lock);
	if (offset == CONSOLE_LINE_STATUS) {
		*value = CONSOLE_ROOM | (has_input(console) ? CONSOLE_INPUT : 0);
	} else if (offset == CONSOLE_DATA && has_input(console)) {
		*value = console->input[console->next++];
		trace_guest_input(*value);
	}
	pthread_mutex_unlock(&console->lock);
	return size == 1;
}

/* Registers that set the line speed have no effect. */
static bool console_store(
	struct machine *machine, uint64_t offset, unsigned int size, uint64_t value)
{
	(void)machine;
	if (size == 1 && offset == CONSOLE_DATA) {
		trace_guest_output(value & 0xff);
		putchar(value & 0xff);
	}
	return size == 1;
}

const struct device bus_devices[] = {
	{ "exit", EXIT_BASE, 4, exit_load, exit_store },
	{ "clint", CLINT_BASE, CLINT_BYTES, clint_load, clint_store },
	{ "console", CONSOLE_BASE, CONSOLE_BYTES, console_load, console_store },
	{ 0 },
};
