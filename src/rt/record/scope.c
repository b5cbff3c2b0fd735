/* SPDX-License-Identifier: MIT */
/*
 * The ids of scopes: see waymark/record_scope.h. Blocks of ids are taken from one counter; a thread
 * uses the ids of its block without regard to other threads. If a signal handler takes a block
 * while its thread does so, only the rest of one block is lost.
 *
 * The counters are in a page that forks share, so no two processes of a family have the same id.
 * After a fork the child's thread leaves its block to the parent's thread. It does not after a raw
 * fork(2) or clone(2), and then ids are unique only within each process; a vfork's child uses ids
 * of its parent's block. Without memory for the page, each process has its own counters.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <waymark/record_scope.h>

#include "rt/record/cursor.h"

#define BLOCK_BITS 16
#define FIRST_OF_BLOCK 256u
#define FIRST_BLOCK (1u << 16) /* ids are not below 1 << 32 */

__thread uint64_t waymark_scope_ids __attribute__((tls_model("initial-exec")));

/* Relaxed atomics: the values need only be unique. */
struct counters {
	uint32_t block;
	uint32_t async;
};

/*
 * Used until the constructor below has a page that forks share. Only the constructor writes the
 * pointer.
 */
static struct counters own_counters = { FIRST_BLOCK, UINT32_C(1) << 31 };
static struct counters *counters = &own_counters;

/*
 * Number of forks that led to this process. Relaxed: written by a fork's child, which has one
 * thread.
 */
static uint32_t forks;

uint64_t waymark_scope_refill(void)
{
	uint64_t block, id;
	uint32_t before;

	do { /* again if a signal handler has forked meanwhile and this is the child */
		before = __atomic_load_n(&forks, __ATOMIC_RELAXED);
		do { /* ids have 48 bits; the first block follows the last */
			block = __atomic_fetch_add(&counters->block, 1, __ATOMIC_RELAXED);
		} while (block < FIRST_BLOCK);
		id = (block << BLOCK_BITS) + FIRST_OF_BLOCK;
		__atomic_store_n(&waymark_scope_ids, id + 1, __ATOMIC_RELAXED);
	} while (before != __atomic_load_n(&forks, __ATOMIC_RELAXED));
	return id;
}

static void leave_block(void)
{
	__atomic_store_n(&forks, forks + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&waymark_scope_ids, 0, __ATOMIC_RELAXED);
}

/* Runs before the first fork and before any event. */
__attribute__((constructor(101))) static void share_counters(void)
{
	struct counters *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared != MAP_FAILED) {
		*shared = own_counters;
		counters = shared;
	}
	pthread_atfork(NULL, NULL, leave_block);
}

uint32_t waymark_thread_id(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

struct waymark_scope waymark_scope_start(
	unsigned int on, void (*end)(const struct waymark_scope *scope))
{
	struct waymark_scope scope = waymark_scope_none();

	if (on) {
		scope.end = end;
		scope.id = (int32_t)__atomic_fetch_add(&counters->async, 1, __ATOMIC_RELAXED);
		scope.tid = waymark_scope_tid();
		scope.backends = on;
	}
	return scope;
}

void waymark_scope_leave(uint64_t token, void (*end)(const struct waymark_scope *scope))
{
	struct waymark_scope scope = waymark_scope_of(token);

	scope.tid = waymark_scope_tid();
	end(&scope);
}
