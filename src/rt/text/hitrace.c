/* SPDX-License-Identifier: MIT */
/*
 * The backend hitrace: calls a function of the library for each begin and end of a scope. Events
 * without a mark are ignored.
 */
#include <errno.h>
#include <stdbool.h>

#include <waymark/record.h>

#include "rt/host/message.h"
#include "rt/text/backends.h"
#include "rt/text/hitrace.h"
#include "rt/text/text.h"

#pragma weak waymark_hitrace_open

/* By release and acquire. */
static const struct hitrace *functions;

/*
 * Loads the library at the first call, before an event is first switched on for the backend, which
 * runs the library's constructors. A second caller does not wait, because it may be one of these
 * constructors.
 */
static void load(void)
{
	static struct once begun;

	if (!once(&begun)) {
		return;
	}
	if (!waymark_hitrace_open) {
		waymark_message(
			"hitrace: a static libwaymark cannot load the library" HITRACE_IN_VAIN);
		return;
	}
	__atomic_store_n(&functions, waymark_hitrace_open(), __ATOMIC_RELEASE);
}

const struct text_backend waymark_text_hitrace = { .load = load };

/* Makes a C string for the library; the escaped text has no NUL before its end. */
static void make_text(char text[HITRACE_TEXT_MAX + 1], const struct waymark_event *event,
	const struct waymark_message *m)
{
	struct line l;

	line_init(&l, text, HITRACE_TEXT_MAX + 1);
	if (m->mark != WAYMARK_MARK_END) {
		waymark_text_put(&l, event, m);
	}
	waymark_line_end(&l);
	text[l.len - 1] = '\0';
}

void waymark_hitrace_message(const struct waymark_event *event, const struct waymark_message *m)
{
	const struct hitrace *h = __atomic_load_n(&functions, __ATOMIC_ACQUIRE);
	char text[HITRACE_TEXT_MAX + 1];
	int saved = errno;

	if (!h || m->mark == WAYMARK_MARK_NONE) {
		return;
	}
	make_text(text, event, m);
	switch (m->mark) {
	case WAYMARK_MARK_START:
		h->start(HITRACE_TAG, text);
		break;
	case WAYMARK_MARK_END:
		h->finish(HITRACE_TAG);
		break;
	case WAYMARK_MARK_ASYNC_START:
		h->start_async(HITRACE_TAG, text, (int32_t)m->id);
		break;
	case WAYMARK_MARK_ASYNC_END:
		h->finish_async(HITRACE_TAG, text, (int32_t)m->id);
		break;
	}
	errno = saved;
}
