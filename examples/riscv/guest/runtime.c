/* SPDX-License-Identifier: MIT */
/* The console, by polling, and the C functions that gcc expects. */
#include "runtime.h"

void machine_exit(int status)
{
	for (;;) {
		REGISTER32(EXIT_BASE) = status;
	}
}

static void print_byte(char byte)
{
	while (!(REGISTER8(CONSOLE_BASE + CONSOLE_LINE_STATUS) & CONSOLE_ROOM)) {
	}
	REGISTER8(CONSOLE_BASE + CONSOLE_DATA) = byte;
}

void print(const char *text)
{
	while (*text) {
		print_byte(*text++);
	}
}

void print_number(uint64_t number)
{
	if (number >= 10) {
		print_number(number / 10);
	}
	print_byte('0' + number % 10);
}

void print_hex(uint64_t number, unsigned int digits)
{
	while (digits-- > 0) {
		print_byte("0123456789abcdef"[number >> (4 * digits) & 15]);
	}
}

uint8_t read_byte(void)
{
	while (!(REGISTER8(CONSOLE_BASE + CONSOLE_LINE_STATUS) & CONSOLE_INPUT)) {
	}
	return REGISTER8(CONSOLE_BASE + CONSOLE_DATA);
}

__attribute__((weak)) uint64_t trap_handler(uint64_t cause, uint64_t pc, uint64_t value)
{
	print("trap ");
	print_hex(cause, 16);
	print(" pc ");
	print_hex(pc, 16);
	print(" value ");
	print_hex(value, 16);
	print("\n");
	machine_exit(124);
}

void *memcpy(void *to, const void *from, size_t bytes)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	while (bytes-- > 0) {
		*t++ = *f++;
	}
	return to;
}

void *memset(void *to, int byte, size_t bytes)
{
	uint8_t *t = to;

	while (bytes-- > 0) {
		*t++ = byte;
	}
	return to;
}
