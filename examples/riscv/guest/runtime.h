/* SPDX-License-Identifier: MIT */
/* The machine as a guest sees it, and the functions that guest programs have instead of a libc. */
#ifndef GUEST_RUNTIME_H
#define GUEST_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "../devices.h"

#define HARTS 4 /* at most */

#define CAUSE_INTERRUPT (UINT64_C(1) << 63)
#define CAUSE_LOAD_FAULT 5
#define INTERRUPT_SOFTWARE 3
#define INTERRUPT_TIMER 7

#define MSTATUS_MIE 8

#define REGISTER8(address) (*(volatile uint8_t *)(address))
#define REGISTER32(address) (*(volatile uint32_t *)(address))
#define REGISTER64(address) (*(volatile uint64_t *)(address))

#define csr_read(name)                                                        \
	({                                                                    \
		uint64_t value_;                                              \
		__asm__ volatile("csrr %0, " #name : "=r"(value_)::"memory"); \
		value_;                                                       \
	})
#define csr_set(name, bits) \
	__asm__ volatile("csrs " #name ", %0" ::"r"((uint64_t)(bits)) : "memory")
#define csr_clear(name, bits) \
	__asm__ volatile("csrc " #name ", %0" ::"r"((uint64_t)(bits)) : "memory")

/* Other harts see the memory accesses before the fence before those after it. */
static inline void fence(void)
{
	__asm__ volatile("fence" ::: "memory");
}

/* Hart 0 runs main(), whose result is the machine's exit status. */
int main(void);

/* The other harts run this; unless a program defines it, they sleep. */
void hart_main(unsigned int hart);

/*
 * Handles a trap or interrupt and returns the address to continue at. The default prints the trap
 * and exits.
 */
uint64_t trap_handler(uint64_t cause, uint64_t pc, uint64_t value);

void machine_exit(int status) __attribute__((noreturn));

void print(const char *text);
void print_number(uint64_t number);
void print_hex(uint64_t number, unsigned int digits);
uint8_t read_byte(void); /* waits for a byte */

void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);

#endif
