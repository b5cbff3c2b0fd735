/* SPDX-License-Identifier: MIT */
/*
 * What scopes are known by: see waymark/record_scope.h. Blocks of ids are taken from one
 * counter of the process, a thread's own ids without looking at other threads. A signal
 * handler that takes a block while its thread does so loses nothing but the rest of one.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include <waymark/record_scope.h>

#include "rt/record/cursor.h"

#define BLOCK_BITS 16
#define FIRST_OF_BLOCK 256u
#define FIRST_BLOCK (1u << 16) /* ids are not below 1 << 32 */

__thread uint64_t waymark_scope_ids __attribute__((tls_model("initial-exec")));

/* Relaxed atomics: nothing but uniqueness is asked of them. */
static uint32_t next_block = FIRST_BLOCK;
static uint32_t next_async = UINT32_C(1) << 31;

uint64_t waymark_scope_refill(void)
{
	uint64_t block;

	do { /* ids have 48 bits: after the last block comes the first again */
		block = __atomic_fetch_add(&next_block, 1, __ATOMIC_RELAXED);
	} while (block < FIRST_BLOCK);
	uint64_t id = (block << BLOCK_BITS) + FIRST_OF_BLOCK;

	__atomic_store_n(&waymark_scope_ids, id + 1, __ATOMIC_RELAXED);
	return id;
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
		scope.id = (int32_t)__atomic_fetch_add(&next_async, 1, __ATOMIC_RELAXED);
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
