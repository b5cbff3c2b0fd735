/* SPDX-License-Identifier: MIT */
/*
 * Harts at work together: hart 0 wakes the others by software interrupts, all
 * count to ROUNDS by AMOs, by LR/SC and under a lock, and the last one wakes
 * hart 0, which waits with a timer in case that nobody does.
 */
#include "runtime.h"

#define ROUNDS 20000
#define LIMIT (20 * UINT64_C(10000000)) /* ticks: 20 s */
#define SOFTWARE(hart) REGISTER32(CLINT_BASE + 4 * (hart))
#define COMPARE(hart) REGISTER64(CLINT_BASE + 0x4000 + 8 * (hart))
#define TIME REGISTER64(CLINT_BASE + 0xbff8)

static uint64_t by_amo, by_reservation, under_lock;
static uint32_t lock, ready, finished;
static volatile uint32_t timeout;
static volatile uint32_t absent;

static uint64_t end_interrupt(uint64_t number, uint64_t pc)
{
	uint64_t hart = csr_read(mhartid);

	if (number == INTERRUPT_SOFTWARE) {
		SOFTWARE(hart) = 0;
	} else {
		COMPARE(hart) = UINT64_MAX;
		timeout = 1;
	}
	return pc;
}

/* An interrupt only has to wake its hart. A fault is how hart 0 finds where the harts end. */
uint64_t trap_handler(uint64_t cause, uint64_t pc, uint64_t value)
{
	(void)value;
	if (cause & CAUSE_INTERRUPT) {
		return end_interrupt(cause & ~CAUSE_INTERRUPT, pc);
	}
	if (cause != CAUSE_LOAD_FAULT) {
		machine_exit(2);
	}
	absent = 1;
	return pc + 4;
}

static void add_reserved(uint64_t *counter)
{
	uint64_t value;
	uint64_t failed;

	do {
		__asm__ volatile("lr.d.aq %0, (%2)\n\taddi %0, %0, 1\n\tsc.d.rl %1, %0, (%2)"
				 : "=&r"(value), "=&r"(failed)
				 : "r"(counter)
				 : "memory");
	} while (failed);
}

static void count(void)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		__atomic_fetch_add(&by_amo, 1, __ATOMIC_RELAXED);
		add_reserved(&by_reservation);
		while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {
		}
		under_lock++;
		__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	}
}

/* Interrupts come only in there, so none is missed between a test and the sleep. */
static void sleep(void)
{
	wait_for_interrupt();
	csr_set(mstatus, MSTATUS_MIE);
	csr_clear(mstatus, MSTATUS_MIE);
}

void hart_main(unsigned int hart)
{
	(void)hart;
	csr_set(mie, 1 << INTERRUPT_SOFTWARE);
	__atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
	sleep();
	count();
	__atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
	SOFTWARE(0) = 1;
}

static unsigned int count_harts(void)
{
	unsigned int harts = 0;

	while (!absent) {
		(void)SOFTWARE(++harts);
	}
	return harts;
}

static void wake(unsigned int harts)
{
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < harts - 1) {
	}
	for (unsigned int hart = 1; hart < harts; hart++) {
		SOFTWARE(hart) = 1;
	}
}

static void wait_for_others(unsigned int harts)
{
	while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) < harts - 1 && !timeout) {
		sleep();
	}
}

static int report(const char *what, uint64_t number, uint64_t wanted)
{
	print(what);
	print_number(number);
	print(number == wanted ? "\n" : ", which is wrong\n");
	return number != wanted;
}

int main(void)
{
	unsigned int harts = count_harts();
	uint64_t wanted = (uint64_t)harts * ROUNDS;

	COMPARE(0) = TIME + LIMIT;
	csr_set(mie, 1 << INTERRUPT_SOFTWARE | 1 << INTERRUPT_TIMER);
	wake(harts);
	count();
	wait_for_others(harts);
	return report("harts ", harts, harts) | report("by amo ", by_amo, wanted) |
	       report("by reservation ", by_reservation, wanted) |
	       report("under the lock ", under_lock, wanted);
}
