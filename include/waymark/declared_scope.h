/* SPDX-License-Identifier: MIT */
/*
 * waymark/declared_scope.h - scopes for generated trace headers: spans of time, declared as
 * [[scopes]] in TOML, that are recorded as two events, begin and end.
 *
 *	TRACE_PRE_ALLOC_SCOPE(size);                             ends where the block ends
 *	uint64_t s = trace_pre_alloc_enter(size);                ends by trace_pre_alloc_leave(&s)
 *	struct waymark_scope s = trace_pre_alloc_start(size);    ends by waymark_scope_end(&s)
 *
 * The first two are synchronous: they end on their thread. Their token is a scalar. Its address
 * does not leave the caller while the scope is off, so that compilers can remove scopes that are
 * not declared `enabled`. A scope that began while on records its end even if it is switched off
 * meanwhile.
 *
 * Compiles as C99 and C++11 with gcc and clang. waymark-scopes(3) is the manual.
 */
#ifndef WAYMARK_DECLARED_SCOPE_H
#define WAYMARK_DECLARED_SCOPE_H

#include <waymark/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct waymark_event;

/*
 * A scope that may end on any thread. It may be stored and copied; end only one of the copies.
 * Programs may read only `end`: not NULL if the scope began while on and has not ended.
 */
struct waymark_scope {
	void (*end)(const struct waymark_scope *scope); /* records its end */
	const char *file; /* where it began; NULL: unknown */
	int64_t id; /* value of the field `scope` */
	uint64_t text; /* handle of its kept message; 0: none */
	uint32_t line;
	uint32_t tid; /* of the thread that began it */
	uint32_t backends; /* on at its begin, of enum waymark_backend */
	const struct waymark_event *event; /* of a trace point of waymark/scope.h; else NULL */
};

#define WAYMARK_SCOPE_INLINE static inline __attribute__((unused))
#define WAYMARK_MUST_USE __attribute__((warn_unused_result))

/* Returns a scope that has not begun: ending it does nothing. */
WAYMARK_SCOPE_INLINE struct waymark_scope waymark_scope_none(void)
{
	struct waymark_scope scope;

	scope.end = NULL;
	scope.file = NULL;
	scope.id = 0;
	scope.text = 0;
	scope.line = 0;
	scope.tid = 0;
	scope.backends = 0;
	scope.event = NULL;
	return scope;
}

/*
 * Ends the scope if it has begun and not ended. Must not be called by two threads at the same time.
 * Passes a copy, because a compiler would not remove a scope whose address is passed to a function.
 */
WAYMARK_SCOPE_INLINE __attribute__((always_inline)) void waymark_scope_end(
	struct waymark_scope *scope)
{
	if (WAYMARK_UNLIKELY(scope->end != NULL)) {
		struct waymark_scope ended = *scope;

		scope->end = NULL;
		ended.end(&ended);
	}
}

/* Attribute of a variable of that type: ends the scope at the end of the block. */
#define WAYMARK_SCOPE_ENDS __attribute__((cleanup(waymark_scope_end), unused))

/*
 * Body of TRACE_X_SCOPE(): a variable with a unique name, so that several may be in one block and
 * on one line. The scope's name is pasted, so that it is not expanded if it is a macro.
 */
#define WAYMARK_DECLARED_SCOPE(name, ...)                                                       \
	__attribute__((cleanup(trace_##name##_leave), unused)) uint64_t WAYMARK_SCOPE_VARIABLE( \
		__COUNTER__) = trace_##name##_enter(__VA_ARGS__)
#define WAYMARK_SCOPE_VARIABLE(number) WAYMARK_SCOPE_NUMBERED(number)
#define WAYMARK_SCOPE_NUMBERED(number) waymark_scope_##number

#ifdef __cplusplus
}
#endif

#endif
