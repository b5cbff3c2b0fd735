/* SPDX-License-Identifier: MIT */
/*
 * A 16550 as far as programs use one that poll: what is sent is gone at once, so
 * there is always room, and input is looked for when the guest asks. The lock of
 * stdout is the only one needed: what the other registers hold changes nothing.
 */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "device/devices.h"
#include "device/trace.h"
#include "machine/machine.h"

enum { DATA = 0, FIFO = 2, LINE_CONTROL = 3, LINE_STATUS = 5, REGISTERS = 8 };

#define DIVISOR_LATCH 0x80 /* of LINE_CONTROL: DATA is half of a divisor */
#define NO_INTERRUPT 0x01
#define INPUT 0x01
#define ROOM 0x60

static uint8_t registers[REGISTERS]; /* atomic */

static uint8_t get(unsigned int number)
{
	return __atomic_load_n(&registers[number], __ATOMIC_RELAXED);
}

static bool is_data(uint64_t offset)
{
	return offset == DATA && !(get(LINE_CONTROL) & DIVISOR_LATCH);
}

static bool has_input(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	fflush(stdout);
	return poll(&input, 1, 0) == 1 && input.revents & POLLIN;
}

static uint8_t take_input(void)
{
	uint8_t byte = 0;

	if (has_input() && read(STDIN_FILENO, &byte, 1) == 1) {
		trace_console_read(byte);
	}
	return byte;
}

static bool load(void *opaque, uint64_t offset, unsigned int size, uint64_t *value)
{
	(void)opaque;
	if (is_data(offset)) {
		*value = take_input();
	} else if (offset == LINE_STATUS) {
		*value = ROOM | (has_input() ? INPUT : 0);
	} else {
		*value = offset == FIFO ? NO_INTERRUPT : get(offset);
	}
	return size == 1;
}

static bool store(void *opaque, uint64_t offset, unsigned int size, uint64_t value)
{
	uint8_t byte = value;

	(void)opaque;
	if (size != 1) {
		return false;
	}
	if (is_data(offset)) {
		trace_console_write(byte);
		putchar(byte);
	} else {
		__atomic_store_n(&registers[offset], byte, __ATOMIC_RELAXED);
	}
	return true;
}

void console_add(struct machine *machine)
{
	bus_add(&machine->bus, &(struct device){ .name = "console",
				       .base = CONSOLE_BASE,
				       .size = REGISTERS,
				       .load = load,
				       .store = store });
}
