/* SPDX-License-Identifier: MIT */
/*
 * Messages of the writer. Its descriptors are not the program's, and a copy of
 * standard error would keep somebody's pipe open for ever, so it leaves lines here, and the
 * next thread of the program that takes the slow path prints them. Where too many wait, the
 * number of dropped ones is printed.
 */
#include <stdarg.h>

#include "base/compiler.h"
#include "rt/host/message.h"
#include "rt/record/process.h"

/* A thread that is interrupted while it has a place keeps it; others find another. */
static bool claim(struct notice *n, uint32_t from)
{
	return __atomic_compare_exchange_n(
		&n->state, &from, NOTICE_FILLING, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static struct notice *find_place(struct process *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(p->notices); i++) {
		if (claim(&p->notices[i], NOTICE_NONE)) {
			return &p->notices[i];
		}
	}
	return NULL;
}

static void take_away(struct notice *n)
{
	__atomic_store_n(&n->state, NOTICE_NONE, __ATOMIC_RELEASE);
}

void waymark_notice(struct process *p, const char *fmt, ...)
{
	struct notice *n = find_place(p);
	struct line l;
	va_list ap;

	if (n) {
		line_init(&l, n->text, sizeof(n->text));
		va_start(ap, fmt);
		waymark_message_make(&l, fmt, ap);
		va_end(ap);
		n->length = (uint32_t)l.len;
		__atomic_store_n(&n->state, NOTICE_READY, __ATOMIC_RELEASE);
	} else {
		__atomic_add_fetch(&p->notices_lost, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&p->notices_wait, 1, __ATOMIC_RELEASE);
}

static void say_each(struct process *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(p->notices); i++) {
		struct notice *n = &p->notices[i];

		if (claim(n, NOTICE_READY)) {
			waymark_message_write(n->text, n->length);
			take_away(n);
		}
	}
}

/* Borrows a place for it: stacks of handlers have no room. */
static void say_lost(struct process *p)
{
	struct notice *n = find_place(p);
	struct line l;

	if (!n) {
		__atomic_store_n(
			&p->notices_wait, 1, __ATOMIC_RELEASE); /* the next thread prints it */
		return;
	}
	uint32_t lost = __atomic_exchange_n(&p->notices_lost, 0, __ATOMIC_RELAXED);

	if (lost) { /* else another thread was quicker */
		line_init(&l, n->text, sizeof(n->text));
		waymark_line_put(
			&l, "waymark: %u more messages came too fast and were dropped", lost);
		waymark_line_end(&l);
		waymark_message_write(l.data, l.len);
	}
	take_away(n);
}

void waymark_notice_say(struct process *p)
{
	/* First: notices that come later are for the next thread, if not for this one. */
	if (!__atomic_exchange_n(&p->notices_wait, 0, __ATOMIC_ACQUIRE)) {
		return;
	}
	say_each(p);
	if (__atomic_load_n(&p->notices_lost, __ATOMIC_RELAXED)) {
		say_lost(p);
	}
}
