/* SPDX-License-Identifier: MIT */
/* The backend hitrace: the marks of a scope as calls. What is no mark is not for it. */
#include <errno.h>
#include <stdbool.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/host/message.h"
#include "rt/host/once.h"
#include "rt/text/hitrace.h"
#include "rt/text/text.h"

#pragma weak waymark_hitrace_open

/* By release and acquire. */
static const struct hitrace *functions;

/* A second caller does not wait: it may be a constructor of the library. */
void waymark_hitrace_load(void)
{
	static struct once begun;

	if (!once(&begun)) {
		return;
	}
	if (!waymark_hitrace_open) {
		waymark_message("hitrace: a libwaymark that is part of the program loads no "
				"library" HITRACE_IN_VAIN);
		return;
	}
	__atomic_store_n(&functions, waymark_hitrace_open(), __ATOMIC_RELEASE);
}

static void start(const struct hitrace *h, const char *text, int32_t id)
{
	(void)id;
	h->start(HITRACE_TAG, text);
}

static void finish(const struct hitrace *h, const char *text, int32_t id)
{
	(void)text;
	(void)id;
	h->finish(HITRACE_TAG);
}

static void start_async(const struct hitrace *h, const char *text, int32_t id)
{
	h->start_async(HITRACE_TAG, text, id);
}

static void finish_async(const struct hitrace *h, const char *text, int32_t id)
{
	h->finish_async(HITRACE_TAG, text, id);
}

typedef void call_fn(const struct hitrace *h, const char *text, int32_t id);

/* By enum waymark_mark. */
static call_fn *const calls[] = {
	[WAYMARK_MARK_START] = start,
	[WAYMARK_MARK_END] = finish,
	[WAYMARK_MARK_ASYNC_START] = start_async,
	[WAYMARK_MARK_ASYNC_END] = finish_async,
};

/* The text ends in NUL, and has none before it. */
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
	call_fn *call = m->mark < ARRAY_SIZE(calls) ? calls[m->mark] : NULL;
	char text[HITRACE_TEXT_MAX + 1];
	int saved = errno;

	if (h && call) {
		make_text(text, event, m);
		call(h, text, (int32_t)m->id);
	}
	errno = saved;
}
