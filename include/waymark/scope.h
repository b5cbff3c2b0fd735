/* SPDX-License-Identifier: MIT */
/*
 * waymark/scope.h - trace points without a declaration.
 *
 *	WAYMARK_SCOPE(VirtioFs, "read", inode, handle);    from here to the end of the block
 *
 *	WAYMARK_BEGIN(VirtioFs, "read", inode);    without a block: ends with
 *	WAYMARK_END(VirtioFs);                     the next end of its category
 *
 *	struct waymark_scope flow = WAYMARK_FLOW(VirtioNet, "packet", length);
 *	WAYMARK_FLOW_STEP(VirtioNet, &flow, "queued", queue);    on any thread
 *	waymark_scope_end(&flow);
 *
 *	WAYMARK_INSTANT(VirtioNet, "kick", queue);
 *	WAYMARK_COUNTER(VirtioNet, "in flight", requests);
 *	WAYMARK_PRINT("%d devices", n);
 *	WAYMARK_PRINT_IN(VirtioNet, "%d packets", n);
 *
 * A name is a string literal of any text. Up to 16 arguments are recorded with their source text:
 * all scalars, strings, pointers, and values made by waymark_debug_object() and other functions of
 * waymark/debug.h. They are evaluated, once, only while the trace point is on. A scope that began
 * while on records its end even if it is switched off meanwhile. WAYMARK_END() ends the scope that
 * its thread began last in that category; if a jump, an exception or a return skips an end, the
 * next end is used for that scope instead. WAYMARK_SCOPE() does not have this problem.
 *
 * WAYMARK_SCOPES lists the backends: -DWAYMARK_SCOPES=ctf,ftrace. Without it, or with `nop`, only
 * the types of arguments are checked, and no library is needed. Define WAYMARK_SHORT_NAMES before
 * including this file for TRACE_SCOPE() and similar names.
 *
 * Any thread; as async-signal-safe as the callbacks of arguments. Compiles as C99 and C++11 with
 * gcc and clang. waymark-trace-points(3) is the manual.
 */
#ifndef WAYMARK_SCOPE_H
#define WAYMARK_SCOPE_H

#include <waymark/linked.h>

/* clang-format off */

/* The default is pkg-config's variable `scopes`. */
#ifndef WAYMARK_SCOPES
#ifdef WAYMARK_SCOPES_DEFAULT
#define WAYMARK_SCOPES WAYMARK_SCOPES_DEFAULT
#else
#define WAYMARK_SCOPES nop
#endif
#endif

#if WAYMARK_SCOPES_ANY(0, WAYMARK_SCOPES)
#error "WAYMARK_SCOPES: no such backend; it is a list of ctf, ftrace, hitrace, log, syslog; or nop"
#elif WAYMARK_SCOPES_ANY(3, WAYMARK_SCOPES)
#error "WAYMARK_SCOPES: ust and dtrace are for declared events; choose from ctf, ftrace, hitrace, log, syslog"
#elif WAYMARK_SCOPES_ANY(2, WAYMARK_SCOPES)
#define WAYMARK_SCOPES_SOME
#endif
#include <waymark/site.h>
#if defined __cplusplus && defined WAYMARK_SCOPES_SOME
#include <waymark/site_type.h>
#endif

#define WAYMARK_SCOPE(category, ...) \
	WAYMARK_SCOPE_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, __VA_ARGS__)
#define WAYMARK_BEGIN(category, ...) \
	WAYMARK_BEGIN_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, __VA_ARGS__)
#define WAYMARK_END(category) \
	WAYMARK_END_HERE(waymark_category_##category)
#define WAYMARK_FLOW(category, ...) \
	WAYMARK_FLOW_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, __VA_ARGS__)
#define WAYMARK_FLOW_STEP(category, flow, ...) \
	WAYMARK_STEP_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, flow, __VA_ARGS__)
#define WAYMARK_INSTANT(category, ...) \
	WAYMARK_INSTANT_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, __VA_ARGS__)
#define WAYMARK_COUNTER(category, track, value) \
	WAYMARK_COUNTER_HERE(waymark_category_##category, #category ":", track, value)
#define WAYMARK_PRINT(...) WAYMARK_PRINT_HERE(enum { waymark_in = true };, NULL, "", __VA_ARGS__)
#define WAYMARK_PRINT_IN(category, ...) \
	WAYMARK_PRINT_HERE(WAYMARK_CATEGORY_KNOW(waymark_category_##category), \
		WAYMARK_CATEGORY_OWNER(waymark_category_##category), #category ":", __VA_ARGS__)

#ifdef WAYMARK_SHORT_NAMES
/* These repeat the macros above, because arguments passed from macro to macro would be expanded. */
#define TRACE_SCOPE(category, ...) \
	WAYMARK_SCOPE_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, __VA_ARGS__)
#define TRACE_BEGIN(category, ...) \
	WAYMARK_BEGIN_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, __VA_ARGS__)
#define TRACE_END(category) \
	WAYMARK_END_HERE(waymark_category_##category)
#define TRACE_FLOW(category, ...) \
	WAYMARK_FLOW_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, __VA_ARGS__)
#define TRACE_FLOW_STEP(category, flow, ...) \
	WAYMARK_STEP_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, flow, __VA_ARGS__)
#define TRACE_INSTANT(category, ...) \
	WAYMARK_INSTANT_HERE(waymark_category_##category, #category ":", #__VA_ARGS__, __VA_ARGS__)
#define TRACE_COUNTER(category, track, value) \
	WAYMARK_COUNTER_HERE(waymark_category_##category, #category ":", track, value)
#define TRACE_PRINT(...) WAYMARK_PRINT_HERE(enum { waymark_in = true };, NULL, "", __VA_ARGS__)
#define TRACE_PRINT_IN(category, ...) \
	WAYMARK_PRINT_HERE(WAYMARK_CATEGORY_KNOW(waymark_category_##category), \
		WAYMARK_CATEGORY_OWNER(waymark_category_##category), #category ":", __VA_ARGS__)
#endif

#ifdef WAYMARK_SCOPES_SOME

enum {
#define WAYMARK_SITE_BACKEND_BIT(bit, upper, lower, kind, help) WAYMARK_SITE_BACKEND_##lower = 1 << (bit),
	WAYMARK_ALL_BACKENDS(WAYMARK_SITE_BACKEND_BIT)
	WAYMARK_SITE_BACKEND_nop = 0
};

/* The backends of WAYMARK_SCOPES as a mask. */
#define WAYMARK_SITE_BACKEND(name) | WAYMARK_SITE_BACKEND_##name
#define WAYMARK_SITE_BACKENDS (0 WAYMARK_SITE_EACH(WAYMARK_SITE_BACKEND, ~, WAYMARK_SCOPES))

WAYMARK_REGISTER_OBJECT_BY(waymark_sites)

#define WAYMARK_SCOPE_HERE(...) \
	struct waymark_site_scope WAYMARK_SCOPE_VARIABLE(__COUNTER__) \
		__attribute__((cleanup(waymark_site_scope_end), unused)) = \
			WAYMARK_SITE_ENTER(__VA_ARGS__)
#define WAYMARK_BEGIN_HERE(...) WAYMARK_SITE_BEGIN(__VA_ARGS__)
#define WAYMARK_END_HERE(...) WAYMARK_SITE_END(__VA_ARGS__)
#define WAYMARK_FLOW_HERE(...) WAYMARK_SITE_START(__VA_ARGS__)
#define WAYMARK_STEP_HERE(...) WAYMARK_SITE_GO(__VA_ARGS__)
#define WAYMARK_INSTANT_HERE(...) WAYMARK_SITE_HAPPEN(__VA_ARGS__)
#define WAYMARK_COUNTER_HERE(...) WAYMARK_SITE_SHOW(__VA_ARGS__)
#define WAYMARK_PRINT_HERE(...) WAYMARK_SITE_TELL(__VA_ARGS__)

#else /* nop: names, categories and types are checked, nothing is evaluated */

/* Type checks in a branch that is never taken, so that compilers treat the arguments as used. */
#define WAYMARK_SITE_CHECK(x) (void)waymark_debug(x);
#define WAYMARK_SITE_NOTHING(category, label, source, ...) __extension__({ \
	WAYMARK_CATEGORY_KNOW(category) \
	WAYMARK_SITE_IS_LITERAL(WAYMARK_SITE_NAME(__VA_ARGS__)) \
	if (0) { \
		(void)sizeof(label WAYMARK_SITE_NAME(__VA_ARGS__)); \
		WAYMARK_SITE_EACH(WAYMARK_SITE_CHECK, __VA_ARGS__) \
	} \
	(void)waymark_in; \
	0; \
})

#define WAYMARK_SCOPE_HERE(...) \
	int WAYMARK_SCOPE_VARIABLE(__COUNTER__) __attribute__((unused)) = \
		WAYMARK_SITE_NOTHING(__VA_ARGS__)
#define WAYMARK_BEGIN_HERE(...) ((void)WAYMARK_SITE_NOTHING(__VA_ARGS__))
#define WAYMARK_END_HERE(category) \
	((void)__extension__({ \
		WAYMARK_CATEGORY_KNOW(category) \
		(void)waymark_in; \
		0; \
	}))
#define WAYMARK_FLOW_HERE(...) ((void)WAYMARK_SITE_NOTHING(__VA_ARGS__), waymark_scope_none())
#define WAYMARK_STEP_HERE(category, label, source, flow, ...) \
	((void)sizeof((flow)->id), (void)WAYMARK_SITE_NOTHING(category, label, source, __VA_ARGS__))
#define WAYMARK_INSTANT_HERE(...) ((void)WAYMARK_SITE_NOTHING(__VA_ARGS__))
#define WAYMARK_COUNTER_HERE(category, label, track, value) \
	((void)__extension__({ \
		WAYMARK_SITE_IS_NUMBER(value) \
		WAYMARK_SITE_NOTHING(category, label, "", track, value); \
	}))
#define WAYMARK_PRINT_HERE(know, owner, label, ...) \
	((void)__extension__({ \
		know \
		if (0) { \
			waymark_site_print(NULL, __VA_ARGS__); \
		} \
		(void)waymark_in; \
		0; \
	}))

#endif

/* clang-format on */

#endif
