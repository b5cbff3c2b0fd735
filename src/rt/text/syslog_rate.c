/* SPDX-License-Identifier: MIT */
/*
 * A bucket that holds as many messages as the rate allows in a second, without a
 * lock: one word says when it will be full again. A message moves that by what
 * one takes to flow in, unless it would then be more than a second away.
 */
#include <waymark/record.h>

#include "rt/text/syslog.h"

#define SECOND_NS UINT64_C(1000000000)

/* Relaxed all of them: no other memory hangs on them. */
static uint64_t rate_set;
static uint64_t full_ns;

void waymark_syslog_set_rate(uint64_t rate)
{
	__atomic_store_n(&rate_set, rate, __ATOMIC_RELAXED);
}

uint64_t waymark_syslog_rate(void)
{
	return __atomic_load_n(&rate_set, __ATOMIC_RELAXED);
}

bool waymark_syslog_take(void)
{
	uint64_t rate = waymark_syslog_rate();

	if (!rate) {
		return true;
	}
	uint64_t each = SECOND_NS / rate;
	uint64_t now = waymark_clock_ns();
	uint64_t full = __atomic_load_n(&full_ns, __ATOMIC_RELAXED);
	uint64_t then;

	do {
		then = (full > now ? full : now) + each;
		if (then - now > SECOND_NS) {
			return false;
		}
	} while (!__atomic_compare_exchange_n(
		&full_ns, &full, then, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}
