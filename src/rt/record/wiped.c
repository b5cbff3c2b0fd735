/* SPDX-License-Identifier: MIT */
/*
 * Maps memory that fork wipes, or notes the mapping where the kernel does not wipe it.
 *
 * Kernels before 4.14 refuse that, and qemu-user up to 8.0 takes it and does nothing. There
 * the mappings are noted, and the C library's fork wipes them. Children by other ways (a plain
 * clone(2)) are then taken for those of a vfork, and must not record: under qemu-user they store
 * into their parent's buffer, and where the kernel keeps that from them into no memory at all.
 *
 * Memory
 * order: a place of the table is claimed by compare-and-swap of its address; a fork's child, which
 * has one thread, sees what that thread saw, and of mappings that others were about to note nothing
 * that it could reach.
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
 * One for each mapping that may stay: slabs of slots, pieces of counts, what each recorder's
 * consumer has, and three that are there once: the process, the losses, a jail's trace. And some
 * for those of threads that race for one of them, which all but one give back.
 */
#define NOTED_ONCE 3u
#define NOTED_RACING 64u
#define NOTED_MAX (SLOT_SLABS_MAX + COUNTS_PIECES + WAYMARK_RECORDERS + NOTED_ONCE + NOTED_RACING)

/* Mappings that the kernel does not wipe. */
static struct {
	void *at; /* NULL: free */
	size_t bytes; /* 0: not noted yet */
} noted[NOTED_MAX];

/* Relaxed: set with the first. Else a fork would look at the table's pages, for nothing. */
static bool any_noted;

/* Relaxed: set with the first that is noted. Advice is taken and not followed, here. */
static bool follows_none;

static bool kernel_wipes(void *p, size_t bytes)
{
	int before = errno;
	bool wipes = madvise(p, bytes, MADV_WIPEONFORK) == 0;

	if (wipes && madvise(p, bytes, NO_ADVICE) == 0) {
		__atomic_store_n(&follows_none, true, __ATOMIC_RELAXED);
		wipes = false;
	}
	errno = before; /* the program's: an event leaves it as it was */
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

/* Of the table, where anything is in it. */
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
			 * Fresh pages are cheaper; the copies that the child has can always be
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
