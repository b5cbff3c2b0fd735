/* SPDX-License-Identifier: MIT */
/*
 * Maps memory that fork wipes, or notes the mapping if the kernel does not wipe it.
 *
 * Kernels before 4.14 refuse that advice, and qemu-user up to 8.0 accepts it and does nothing. Then
 * the mappings are noted, and the C library's fork handler wipes them. Children made in other ways
 * (a raw clone(2)) are then mistaken for children of vfork, and must not record: under qemu-user
 * they would store into their parent's buffer, and if the kernel does not let them inherit that,
 * into unmapped memory.
 *
 * Memory order: a place of the table is claimed by compare-and-swap of its address; a fork's child,
 * which has one thread, sees everything that this thread saw. It could not reach mappings that
 * other threads were about to note.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/compiler.h"
#include "rt/record/process.h"
#include "rt/record/stats.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Advice that no kernel knows: a kernel that accepts it accepts any, and does nothing. */
#define NO_ADVICE 0x7ffffff0

/*
 * One entry for each mapping that may stay: slabs of slots, pieces of counts, the state of each
 * recorder's consumer, and three that exist once (the process, the losses, a jail's trace). Further
 * ones are for threads that race to make one of these, of which all but one give theirs back, and
 * for limits and aggregations of events, two for a thread of each; a thread that gets none has no
 * limits, and adds nothing up.
 */
#define NOTED_ONCE 3u
#define NOTED_RACING 64u
#define NOTED_LIMITS 4096u
#define NOTED_MAX                                                                         \
	(SLOT_SLABS_MAX + COUNTS_PIECES + WAYMARK_RECORDERS + NOTED_ONCE + NOTED_RACING + \
		NOTED_LIMITS)

/* Mappings that the kernel does not wipe. */
static struct {
	void *at; /* NULL: free */
	size_t bytes; /* 0: not noted yet */
} noted[NOTED_MAX];

/* Relaxed. Set with the first entry; without entries a fork need not read the table's pages. */
static bool any_noted;

/* Relaxed. Set with the first mapping for which advice was accepted and not followed. */
static bool follows_none;

static bool kernel_wipes(void *p, size_t bytes)
{
	int before = errno;
	bool wipes = madvise(p, bytes, MADV_WIPEONFORK) == 0;

	if (wipes && madvise(p, bytes, NO_ADVICE) == 0) {
		__atomic_store_n(&follows_none, true, __ATOMIC_RELAXED);
		wipes = false;
	}
	errno = before; /* the program's, which an event does not change */
	return wipes;
}

static bool note(void *p, size_t bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(noted); i++) {
		void *none = NULL;

		if (__atomic_compare_exchange_n(
			    &noted[i].at, &none, p, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			__atomic_store_n(&noted[i].bytes, bytes, __ATOMIC_RELEASE);
			__atomic_store_n(&any_noted, true, __ATOMIC_RELAXED);
			return true;
		}
	}
	return false;
}

/* Returns the end of the table; 0 if it has no entry. */
static size_t noted_end(void)
{
	return __atomic_load_n(&any_noted, __ATOMIC_RELAXED) ? ARRAY_SIZE(noted) : 0;
}

static void forget(const void *p)
{
	for (size_t i = 0; i < noted_end(); i++) {
		if (__atomic_load_n(&noted[i].at, __ATOMIC_RELAXED) == p) {
			__atomic_store_n(&noted[i].bytes, 0, __ATOMIC_RELAXED);
			__atomic_store_n(&noted[i].at, NULL, __ATOMIC_RELEASE);
			return;
		}
	}
}

void *waymark_wiped_map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		return NULL;
	}
	if (!kernel_wipes(p, bytes) && !note(p, bytes)) {
		munmap(p, bytes);
		return NULL;
	}
	return p;
}

void waymark_wiped_unmap(void *p, size_t bytes)
{
	forget(p);
	munmap(p, bytes);
}

bool waymark_wiped_renew(void)
{
	for (size_t i = 0; i < noted_end(); i++) {
		size_t bytes = __atomic_load_n(&noted[i].bytes, __ATOMIC_ACQUIRE);

		if (bytes) {
			/*
			 * Fresh pages are cheaper; if there are none, the child's copies are
			 * cleared.
			 */
			if (mmap(noted[i].at, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
				memset(noted[i].at, 0, bytes);
			}
		}
	}
	return __atomic_load_n(&follows_none, __ATOMIC_RELAXED);
}
