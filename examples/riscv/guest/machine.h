/* SPDX-License-Identifier: MIT */
/* The machine as a guest sees it: registers and requests of device/devices.h, interrupts. */
#ifndef GUEST_MACHINE_H
#define GUEST_MACHINE_H

#include "../device/devices.h"

#define HARTS 4 /* at most */

#define CAUSE_INTERRUPT (UINT64_C(1) << 63)
#define CAUSE_LOAD_FAULT 5
#define CAUSE_STORE_FAULT 7
#define INTERRUPT_SOFTWARE 3
#define INTERRUPT_TIMER 7
#define INTERRUPT_EXTERNAL 11

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

static inline void wait_for_interrupt(void)
{
	__asm__ volatile("wfi" ::: "memory");
}

#endif
