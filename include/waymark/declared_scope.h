/* SPDX-License-Identifier: MIT */
/*
 * waymark/declared_scope.h - what a generated trace header sees of scopes, which are declared
 * as [[scopes]] of TOML: spans of time that begin, end, and are recorded as two events.
 *
 *	TRACE_PRE_ALLOC_SCOPE(size);                             ends where the block ends
 *	uint64_t s = trace_pre_alloc_enter(size);                ends by trace_pre_alloc_leave(&s)
 *	struct waymark_scope s = trace_pre_alloc_start(size);    ends by waymark_scope_end(&s)
 *
 * The first two are synchronous: they end on their thread. Their token is a scalar, and
 * whoever is off never has its address leave the caller, so that compilers remove what is not
 * declared `enabled`. What is on is looked at where a scope begins: one that has begun ends.
 *
 * Compiles as C99 and C++11 with gcc and clang. waymark-scopes(3) is its manual.
 */
#ifndef WAYMARK_DECLARED_SCOPE_H
#define WAYMARK_DECLARED_SCOPE_H

#include <waymark/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct waymark_event;

/*
 * A scope that may end on any thread. It may be stored and moved; of several copies one is to
 * be ended. Only `end` is for programs to look at: not NULL while the scope was begun while
 * on, and has not ended.
 */
struct waymark_scope {
	void (*end)(const struct waymark_scope *scope); /* records its end */
	const char *file; /* where it began; NULL: not known */
	int64_t id; /* of the field `scope` */
	uint64_t text; /* where its message is kept; 0: nowhere */
	uint32_t line;
	uint32_t tid; /* of the thread that began it */
	uint32_t backends; /* that were on, of enum waymark_backend */
	const struct waymark_event *event; /* of waymark/scope.h's; NULL: `end` knows it */
};

#define WAYMARK_SCOPE_INLINE static inline __attribute__((unused))
#define WAYMARK_MUST_USE __attribute__((warn_unused_result))

/* One that has not begun: ending it does nothing. */
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
 * Ends the scope unless it has not begun, or has ended. Not on two threads at one time.
 * What is handed on is a copy: a scope whose address went into a function would not be
 * removed where it is off for good.
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

/* For a variable of that type: it is ended where its block ends. */
#define WAYMARK_SCOPE_ENDS __attribute__((cleanup(waymark_scope_end), unused))

/*
 * What TRACE_X_SCOPE() is: a variable whose name no other has, so that several may be in one
 * block, and on one line. The scope's name is pasted, and is not replaced where it is a macro.
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
