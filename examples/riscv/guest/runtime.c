/* SPDX-License-Identifier: MIT */
/* A console that is written byte by byte, and requests to the disk. */
#include "runtime.h"

#define LINE_STATUS (CONSOLE_BASE + 5)
#define ROOM 0x20

void machine_exit(int status)
{
	for (;;) {
		REGISTER32(EXIT_BASE) = status;
	}
}

static void print_byte(char byte)
{
	while (!(REGISTER8(LINE_STATUS) & ROOM)) {
	}
	REGISTER8(CONSOLE_BASE) = byte;
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

void disk_submit(struct disk_request *request)
{
	__atomic_store_n(&request->status, DISK_PENDING, __ATOMIC_RELAXED);
	__sync_synchronize();
	REGISTER64(DISK_BASE + DISK_SUBMIT) = (uintptr_t)request;
}

uint32_t disk_status(const struct disk_request *request)
{
	return __atomic_load_n(&request->status, __ATOMIC_ACQUIRE);
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
