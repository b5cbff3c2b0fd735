/* SPDX-License-Identifier: MIT */
/*
 * waymark/record_scope.h - recording of scopes, for a generated trace.c. Not for hand-written code.
 *
 * A synchronous scope has a token: its id, above 16 bits with the backends that were on when it
 * began, external tracers included. A token of 0 means off. Its id is unique in the process and its
 * forked children, and at least 1 << 32. The id of an asynchronous scope is an int32_t that counts
 * from INT32_MIN and wraps, over the process and its children.
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
 * The calling thread's next id, in its own block of 1 << 16. The first 256 ids of a block are not
 * used: such an id means that the block is used up, or the thread has none yet.
 */
extern __thread uint64_t waymark_scope_ids __attribute__((tls_model("initial-exec")));

/* Takes a new block; returns an id of it. Any thread, any signal handler. */
uint64_t waymark_scope_refill(void) WAYMARK_COLD;

/* Returns the kernel's id of the calling thread. Any thread, any signal handler; keeps errno. */
uint32_t waymark_thread_id(void) WAYMARK_COLD;

/* Adds one atomically with respect to signal handlers of the thread. */
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

/*
 * Returns the token of a scope that begins now; 0 if that needs a new block of ids, which takes a
 * call.
 */
static inline uint64_t waymark_scope_try(unsigned int on)
{
	uint64_t id = waymark_scope_count();

	return WAYMARK_UNLIKELY((uint16_t)id < 256) ? 0 : id << 16 | on;
}

/*
 * Returns the token of a synchronous scope that begins now, with the backends `on`; 0 if `on` is 0.
 */
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

/* Returns the thread id from the thread's cursor; 0 if the thread has not recorded yet. */
static inline uint32_t waymark_scope_known_tid(void)
{
	return waymark_cursors[0]->tid;
}

static inline uint32_t waymark_scope_tid(void)
{
	uint32_t tid = waymark_scope_known_tid();

	return WAYMARK_UNLIKELY(!tid) ? waymark_thread_id() : tid;
}

/* Returns a synchronous scope as a struct waymark_scope. */
static inline struct waymark_scope waymark_scope_of(uint64_t token)
{
	struct waymark_scope scope = waymark_scope_none();

	scope.id = waymark_scope_id(token);
	scope.backends = waymark_scope_backends(token);
	return scope;
}

/* Ends a synchronous scope by calling the `end` function of an asynchronous one. */
void waymark_scope_leave(
	uint64_t token, void (*end)(const struct waymark_scope *scope)) WAYMARK_COLD;

/*
 * Returns an asynchronous scope that begins now, with the backends `on`; waymark_scope_none() if
 * `on` is 0. Any thread, any signal handler.
 */
struct waymark_scope waymark_scope_start(
	unsigned int on, void (*end)(const struct waymark_scope *scope));

/*
 * Marks the message of a scope's begin as such, before it is printed. For an asynchronous scope
 * also keeps the text for the end, if there is memory. Any thread; as async-signal-safe as the
 * callbacks of the message's values.
 */
void waymark_scope_begins(
	struct waymark_scope *scope, const struct waymark_event *event, struct waymark_message *m);

/*
 * Returns the message of a scope's end. After printing it, call waymark_scope_ended(), which frees
 * the kept text. Any thread, any signal handler.
 */
struct waymark_message waymark_scope_ends(const struct waymark_scope *scope);
void waymark_scope_ended(const struct waymark_scope *scope, const struct waymark_message *m);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
