/* SPDX-License-Identifier: MIT */
/* The functions of waymark_set_host(), and which threads are inside one of them: see hooks.h. */
#include "rt/host/hooks.h"

/* By release and acquire, so that the struct's content is visible with the pointer. */
static const struct waymark_host *hooks;

/*
 * Of the calling thread. A signal handler that interrupts a call finds it set, and does not change
 * it.
 */
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

void waymark_set_host(const struct waymark_host *host)
{
	__atomic_store_n(&hooks, host, __ATOMIC_RELEASE);
}

const struct waymark_host *waymark_hooks_enter(void)
{
	const struct waymark_host *host = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);

	if (!host || is_inside) {
		return NULL;
	}
	is_inside = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* a handler must see it set during a call */
	return host;
}

void waymark_hooks_leave(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	is_inside = false;
}
