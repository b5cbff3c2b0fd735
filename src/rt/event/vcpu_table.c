/* SPDX-License-Identifier: MIT */
/*
 * The registered vCPUs, and the functions by which call sites check, without a lock, whether an
 * event is on for a vCPU. A hash table maps a CPU's pointer to its index: open addressing in static
 * memory, at most a quarter full, so that searches soon end at an empty slot. A slot changes from
 * empty to used, from used to freed, and to empty again only if the next one is empty: then a
 * search that has passed it has nothing more to find, no matter what is added and removed
 * meanwhile.
 */
#include "rt/event/vcpu.h"

#define SLOTS_LOG2 14u
#define SLOTS (1u << SLOTS_LOG2)

_Static_assert(SLOTS >= 4 * WAYMARK_VCPUS, "a search ends at an empty slot");

/* Written under the control lock; `cpu` by release, after `index`. */
struct slot {
	const void *cpu; /* NULL: empty */
	uint32_t index;
};

/* See struct slot for the lock. */
static struct slot slots[SLOTS];

/* The `cpu` of a freed slot, which is not empty. */
static const char freed;

static void *by_index[WAYMARK_VCPUS]; /* by release, pairs with waymark_vcpu_find() */

/* Under the control lock. */
static uint32_t taken[VCPU_WORDS];

uint32_t waymark_vcpu_taken(unsigned int word)
{
	return taken[word];
}

static unsigned int first_slot(const void *cpu)
{
	return (unsigned int)((uint64_t)(uintptr_t)cpu * UINT64_C(0x9e3779b97f4a7c15) >>
			      (64 - SLOTS_LOG2));
}

static struct slot *next_slot(const struct slot *s)
{
	return &slots[(unsigned int)(s - slots + 1) % SLOTS];
}

static const void *cpu_of(const struct slot *s)
{
	return __atomic_load_n(&s->cpu, __ATOMIC_ACQUIRE);
}

/* Returns the slot of a CPU; NULL if it has none. */
static struct slot *find_slot(const void *cpu)
{
	struct slot *s = &slots[first_slot(cpu)];
	const void *found = cpu_of(s);

	/* Bounded, because there may be no empty slot left. */
	for (unsigned int i = 0; i < SLOTS && found; i++) {
		if (found == cpu) {
			return s;
		}
		s = next_slot(s);
		found = cpu_of(s);
	}
	return NULL;
}

unsigned int waymark_vcpu_index(const void *cpu)
{
	const struct slot *s = cpu ? find_slot(cpu) : NULL;

	return s ? __atomic_load_n(&s->index, __ATOMIC_RELAXED) : WAYMARK_VCPUS;
}

static bool is_on(const struct waymark_vcpu_set *set, const void *cpu)
{
	unsigned int index = waymark_vcpu_index(cpu);

	return index < WAYMARK_VCPUS ? vcpu_bit(set, index)
				     : __atomic_load_n(&set->base, __ATOMIC_RELAXED);
}

unsigned int waymark_vcpu_backends(const struct waymark_event *event, const void *cpu)
{
	/* The mask is loaded first, because waymark_vcpu_switch() raises it last. */
	unsigned int on = WAYMARK_BACKENDS(*event->state);
	const struct waymark_vcpu_set *set = vcpu_shown(event);

	return !set || is_on(set, cpu) ? on : 0;
}

void *waymark_vcpu_find(unsigned int index)
{
	return index < WAYMARK_VCPUS ? __atomic_load_n(&by_index[index], __ATOMIC_ACQUIRE) : NULL;
}

void waymark_vcpu_table_add(void *cpu, unsigned int index)
{
	struct slot *s = &slots[first_slot(cpu)];

	while (s->cpu && s->cpu != &freed) {
		s = next_slot(s);
	}
	taken[index / 32] |= UINT32_C(1) << index % 32;
	__atomic_store_n(&s->index, index, __ATOMIC_RELAXED);
	/*
	 * Release: pairs with cpu_of(), whose callers then see the index and its bits in the sets.
	 */
	__atomic_store_n(&s->cpu, cpu, __ATOMIC_RELEASE);
	__atomic_store_n(&by_index[index], cpu, __ATOMIC_RELEASE);
}

/* Makes freed slots before an empty one empty, for shorter searches. */
static void empty_back(struct slot *s)
{
	while (s->cpu == &freed && !next_slot(s)->cpu) {
		__atomic_store_n(&s->cpu, NULL, __ATOMIC_RELEASE);
		s = &slots[(unsigned int)(s - slots + SLOTS - 1) % SLOTS];
	}
}

void waymark_vcpu_table_remove(void *cpu, unsigned int index)
{
	struct slot *s = find_slot(cpu);

	taken[index / 32] &= ~(UINT32_C(1) << index % 32);
	__atomic_store_n(&by_index[index], NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&s->cpu, &freed, __ATOMIC_RELEASE);
	empty_back(s);
}
