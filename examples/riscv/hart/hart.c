/* SPDX-License-Identifier: MIT */
/* A hart's life: block after block, interrupts between them. */
#include "hart/hart.h"

#include <stddef.h>
#include <string.h>

#include "hart/block.h"
#include "hart/csr.h"
#include "hart/trace.h"
#include "hart/trap.h"
#include "translate/translator.h"

_Static_assert(offsetof(struct hart, x) == 0, "translated code finds register n at 8 * n");

bool hart_init(struct hart *hart, unsigned int id, struct ram *ram, const struct bus *bus)
{
	*hart = (struct hart){ .id = id, .ram = ram, .bus = bus };
	hart->blocks = block_cache_create();
	if (!hart->blocks) {
		return false;
	}
	pthread_mutex_init(&hart->lock, NULL);
	pthread_cond_init(&hart->woken, NULL);
	ram_watch(ram, &hart->interrupts, HART_FLUSH);
	return true;
}

bool hart_translate(struct hart *hart)
{
	hart->translator = translator_create(hart);
	return hart->translator;
}

void hart_fini(struct hart *hart)
{
	translator_destroy(hart->translator);
	block_cache_destroy(hart->blocks);
	pthread_cond_destroy(&hart->woken);
	pthread_mutex_destroy(&hart->lock);
}

void hart_reset(struct hart *hart, uint64_t pc)
{
	memset(hart->x, 0, sizeof(hart->x));
	hart->x[REGISTER_A0] = hart->id;
	hart->pc = pc;
	hart->retired = 0;
	hart->reserved = false;
	hart->lost = false;
	csr_reset(hart);
}

static uint64_t pending(struct hart *hart)
{
	return __atomic_load_n(&hart->interrupts, __ATOMIC_ACQUIRE);
}

void hart_unmask(struct hart *hart)
{
	hart->unmasked = HART_FLUSH | HART_STOP | (hart->mstatus & MSTATUS_MIE ? hart->mie : 0);
}

void hart_step(struct hart *hart, uint64_t interrupts)
{
	interrupts &= hart->unmasked & HART_INTERRUPTS;
	if (interrupts) {
		trap_interrupt(hart, interrupts);
	}
	block_run(hart);
}

void hart_run(struct hart *hart)
{
	uint64_t interrupts;

	trace_guest_hart_start(hart, hart->id, hart->pc);
	while (!((interrupts = pending(hart)) & HART_STOP)) {
		hart_step(hart, interrupts);
	}
	trace_guest_hart_stop(hart, hart->id, hart->retired);
}

void hart_raise(struct hart *hart, uint64_t interrupts)
{
	pthread_mutex_lock(&hart->lock);
	__atomic_fetch_or(&hart->interrupts, interrupts, __ATOMIC_RELEASE);
	pthread_cond_signal(&hart->woken);
	pthread_mutex_unlock(&hart->lock);
}

void hart_lower(struct hart *hart, uint64_t interrupts)
{
	__atomic_fetch_and(&hart->interrupts, ~interrupts, __ATOMIC_RELEASE);
}

void hart_wait(struct hart *hart)
{
	uint64_t wanted = hart->mie | HART_STOP;
	uint64_t interrupts;

	trace_guest_hart_wait(hart, hart->id);
	pthread_mutex_lock(&hart->lock);
	while (!((interrupts = pending(hart)) & wanted)) {
		pthread_cond_wait(&hart->woken, &hart->lock);
	}
	pthread_mutex_unlock(&hart->lock);
	trace_guest_hart_wake(hart, hart->id, interrupts & HART_INTERRUPTS);
}
