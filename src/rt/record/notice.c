/* SPDX-License-Identifier: MIT */
/*
 * What the writer has to say. Its own descriptors are not the program's, and a
 * copy of standard error would keep somebody's pipe open for ever, so it leaves
 * a line here, and the next thread of the program that passes says it.
 */
#include <stdarg.h>

#include "rt/host/message.h"
#include "rt/record/process.h"

void waymark_notice(struct process *p, const char *fmt, ...)
{
	uint32_t none = NOTICE_NONE;
	struct line l;
	va_list ap;

	if (!__atomic_compare_exchange_n(&p->notice_state, &none, NOTICE_FILLING, false,
		    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		return; /* one at a time: the summary at exit tells the rest */
	}
	line_init(&l, p->notice, sizeof(p->notice));
	va_start(ap, fmt);
	waymark_message_make(&l, fmt, ap);
	va_end(ap);
	p->notice_length = (uint32_t)l.len;
	__atomic_store_n(&p->notice_state, NOTICE_READY, __ATOMIC_RELEASE);
}

void waymark_notice_say(struct process *p)
{
	uint32_t ready = NOTICE_READY;

	if (__atomic_compare_exchange_n(&p->notice_state, &ready, NOTICE_FILLING, false,
		    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		waymark_message_say(p->notice, p->notice_length);
		__atomic_store_n(&p->notice_state, NOTICE_NONE, __ATOMIC_RELEASE);
	}
}
