/* SPDX-License-Identifier: MIT */
/*
 * waymark/record_scope.h - what a generated trace.c sees of scopes besides
 * waymark/record.h. Not for hand-written code.
 *
 * A synchronous scope is known by a token: its id, and below it 16 bits of backends that
 * were on when it began, watched tracers included; 0 is one that is off. Its id is unique in
 * the process and those that it forks, and not below 1 << 32. That of an asynchronous one is an
 * int32_t that counts from INT32_MIN and wraps, in all of them together.
 */
#ifndef WAYMARK_RECORD_SCOPE_H
#define WAYMARK_RECORD_SCOPE_H

#include <waymark/declared_scope.h>
#include <waymark/record.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/*
 * The calling thread's next id, in a block of 1 << 16 that is its own. The first 256 of a
 * block are never given out: whoever finds one is at a block's end, or has none yet.
 */
extern __thread uint64_t waymark_scope_ids __attribute__((tls_model("initial-exec")));

/* Takes a block, and an id of it. Any thread, any signal handler. */
uint64_t waymark_scope_refill(void) WAYMARK_COLD;

/* The calling thread's id, of the kernel. Any thread, any signal handler; keeps errno. */
uint32_t waymark_thread_id(void) WAYMARK_COLD;

/* Adds one in a way that no signal handler of the thread comes in between. */
static inline uint64_t waymark_scope_count(void)
{
#if defined(__x86_64__)
	uint64_t id = 1;

	__asm__ volatile("xaddq %0, %1" : "+r"(id), "+m"(waymark_scope_ids));
	return id;
#else
	return __atomic_fetch_add(&waymark_scope_ids, 1, __ATOMIC_RELAXED);
#endif
}

/* The token of a scope that begins now; 0 where a block has to be taken, which is a call. */
static inline uint64_t waymark_scope_try(unsigned int on)
{
	uint64_t id = waymark_scope_count();

	return WAYMARK_UNLIKELY((uint16_t)id < 256) ? 0 : id << 16 | on;
}

/* The token of a synchronous scope that begins now, while `on` is on; 0 where that is nothing. */
static inline uint64_t waymark_scope_token(unsigned int on)
{
	uint64_t token = on ? waymark_scope_try(on) : 0;

	return token || !on ? token : waymark_scope_refill() << 16 | on;
}

static inline int64_t waymark_scope_id(uint64_t token)
{
	return (int64_t)(token >> 16);
}

static inline unsigned int waymark_scope_backends(uint64_t token)
{
	return (uint16_t)token;
}

/* waymark_thread_id() as the thread's cursor knows it once it has recorded; 0 before. */
static inline uint32_t waymark_scope_known_tid(void)
{
	return waymark_cursors[0]->tid;
}

static inline uint32_t waymark_scope_tid(void)
{
	uint32_t tid = waymark_scope_known_tid();

	return WAYMARK_UNLIKELY(!tid) ? waymark_thread_id() : tid;
}

/* A synchronous scope, as what is shared by both takes it. */
static inline struct waymark_scope waymark_scope_of(uint64_t token)
{
	struct waymark_scope scope = waymark_scope_none();

	scope.id = waymark_scope_id(token);
	scope.backends = waymark_scope_backends(token);
	return scope;
}

/* Ends a synchronous scope by what an asynchronous one is ended by. */
void waymark_scope_leave(
	uint64_t token, void (*end)(const struct waymark_scope *scope)) WAYMARK_COLD;

/*
 * An asynchronous scope that begins now, while `on` is on; waymark_scope_none() where that is
 * nothing. Any thread, any signal handler.
 */
struct waymark_scope waymark_scope_start(
	unsigned int on, void (*end)(const struct waymark_scope *scope));

/*
 * Says in the message of a scope's beginning that it is one, before it is printed; and keeps
 * what it says of an asynchronous scope for its end, where there is memory for that. Any
 * thread, any signal handler, as far as callbacks of its values are.
 */
void waymark_scope_begins(
	struct waymark_scope *scope, const struct waymark_event *event, struct waymark_message *m);

/*
 * The message of a scope's end. waymark_scope_ended(), after it was printed, gives back what
 * was kept. Any thread, any signal handler.
 */
struct waymark_message waymark_scope_ends(const struct waymark_scope *scope);
void waymark_scope_ended(const struct waymark_scope *scope, const struct waymark_message *m);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
