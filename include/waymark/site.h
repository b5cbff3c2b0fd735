/* SPDX-License-Identifier: MIT */
/*
 * waymark/site.h - what the macros of waymark/scope.h expand to. Not for hand-written code.
 *
 * A trace point without a declaration is declared where it stands: its site is a descriptor
 * of static storage whose pointer lies among those of declared events, so that registry,
 * control and recorder take it for one. What the compiler knows of the arguments is there:
 * how many, of which kinds, and their source text, which the runtime takes apart when the
 * event is first switched on.
 *
 * The pointer's address goes to the runtime, never its value: so a site stays in the object
 * exactly as long as code that reaches it. In C++ it is waymark/site_type.h that makes the sites.
 */
#ifndef WAYMARK_SITE_H
#define WAYMARK_SITE_H

#include <waymark/category.h>
#include <waymark/debug.h>
#include <waymark/declared_scope.h>
#include <waymark/descriptor.h>
#include <waymark/kind.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The most arguments of one, see WAYMARK_SITE_COUNT(). */
#define WAYMARK_SITE_VALUES_MAX 16

/* What the texts of one may have together, in bytes: half of the longest record. */
#define WAYMARK_SITE_TEXTS_MAX 16384u

enum waymark_site_kind {
	WAYMARK_SITE_SCOPE, /* ends on its thread */
	WAYMARK_SITE_FLOW, /* ends on any thread */
	WAYMARK_SITE_STEP, /* of a flow */
	WAYMARK_SITE_INSTANT,
	WAYMARK_SITE_COUNTER,
	WAYMARK_SITE_PRINT, /* formatted text */
};

struct waymark_site {
	struct waymark_event event; /* first; its format: the arguments as they are written */
	struct waymark_event end; /* of a scope, of a flow */
	struct waymark_category *category; /* NULL: a text without one */
	uint32_t kind; /* enum waymark_site_kind */
	uint32_t state; /* of the event */
};

/* What a site's pointer is: in the section that the registry finds. */
typedef struct waymark_event *const waymark_site_pointer;

/* A scope of a block, or of WAYMARK_BEGIN(): 0 is a token that is off. */
struct waymark_site_scope {
	uint64_t token;
	waymark_site_pointer *site;
};

/*
 * What trace points that are on call. Arrays are the callee's to change. Any thread, any signal
 * handler, as far as callbacks of values are; errno is kept.
 *
 * `words`: what the record has behind its header, of `bytes` bytes: where each argument is a
 * scalar, see waymark_site_pack(). The first is the number of a scope or flow, where there is
 * one; the runtime fills it in where that begins.
 *
 * `values`: that number, which instants have too, and one for each of the `count` arguments.
 * `max`: the bytes that each text of them may have.
 */
uint64_t waymark_site_enter_packed(
	waymark_site_pointer *site, uint64_t *words, uint32_t bytes) WAYMARK_COLD;
struct waymark_scope waymark_site_start_packed(
	waymark_site_pointer *site, uint64_t *words, uint32_t bytes) WAYMARK_COLD;
void waymark_site_fire_packed(
	waymark_site_pointer *site, uint64_t *words, uint32_t bytes) WAYMARK_COLD;
uint64_t waymark_site_enter(waymark_site_pointer *site, struct waymark_debug *values,
	uint32_t count, uint32_t max) WAYMARK_COLD;
struct waymark_scope waymark_site_start(waymark_site_pointer *site, struct waymark_debug *values,
	uint32_t count, uint32_t max) WAYMARK_COLD;
void waymark_site_fire(waymark_site_pointer *site, struct waymark_debug *values, uint32_t count,
	uint32_t max) WAYMARK_COLD;
void waymark_site_leave(waymark_site_pointer *site, uint64_t token) WAYMARK_COLD;
void waymark_site_print(waymark_site_pointer *site, const char *format, ...) WAYMARK_COLD
	WAYMARK_PRINTF(2, 3);

/*
 * WAYMARK_BEGIN(): whether there is room for one more that is on, which is lost otherwise; what
 * has begun, and that of one that is off, whose token is 0. WAYMARK_END().
 */
bool waymark_site_may_begin(waymark_site_pointer *site) WAYMARK_COLD;
void waymark_site_begun(waymark_site_pointer *site, uint64_t token) WAYMARK_COLD;
void waymark_site_end(const struct waymark_category *category) WAYMARK_COLD;

/* How many the calling thread has begun; 0: none of them is on. */
extern __thread uint32_t waymark_site_depth __attribute__((tls_model("initial-exec")));

/* The arguments of every scope's end. */
extern const struct waymark_arg waymark_site_end_args[2];

#pragma GCC visibility pop

WAYMARK_SCOPE_INLINE __attribute__((always_inline)) void waymark_site_scope_end(
	struct waymark_site_scope *scope)
{
	if (WAYMARK_UNLIKELY(scope->token != 0)) {
		waymark_site_leave(scope->site, scope->token);
	}
}

#ifdef __cplusplus
}
#endif

/* ---- Lists of arguments: their number, and something of each ---- */

/* clang-format off */

/* Of what stands behind the name: 0 to 16; of more, which are refused, up to 32: 17. */
#define WAYMARK_SITE_COUNT(...) WAYMARK_SITE_COUNT_(__VA_ARGS__, \
	17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, \
	16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define WAYMARK_SITE_COUNT_(name, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, \
	A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, count, ...) count

/* Lists end in a `~`, because C99 wants something there. */
#define WAYMARK_SITE_EACH(macro, ...) \
	WAYMARK_SITE_APPLY(WAYMARK_SITE_PASTE(WAYMARK_SITE_EACH_, WAYMARK_SITE_COUNT(__VA_ARGS__)), \
		macro, WAYMARK_SITE_BEHIND(__VA_ARGS__, ~))
#define WAYMARK_SITE_APPLY(each, ...) each(__VA_ARGS__)
#define WAYMARK_SITE_BEHIND(name, ...) __VA_ARGS__
#define WAYMARK_SITE_NAME(...) WAYMARK_SITE_FIRST(__VA_ARGS__, ~)
#define WAYMARK_SITE_FIRST(name, ...) name
#define WAYMARK_SITE_PASTE(a, b) WAYMARK_SITE_PASTE_(a, b)
#define WAYMARK_SITE_PASTE_(a, b) a##b

#define WAYMARK_SITE_EACH_0(macro, ...)
#define WAYMARK_SITE_EACH_1(macro, x, ...) macro(x)
#define WAYMARK_SITE_EACH_2(macro, x, ...) macro(x) WAYMARK_SITE_EACH_1(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_3(macro, x, ...) macro(x) WAYMARK_SITE_EACH_2(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_4(macro, x, ...) macro(x) WAYMARK_SITE_EACH_3(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_5(macro, x, ...) macro(x) WAYMARK_SITE_EACH_4(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_6(macro, x, ...) macro(x) WAYMARK_SITE_EACH_5(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_7(macro, x, ...) macro(x) WAYMARK_SITE_EACH_6(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_8(macro, x, ...) macro(x) WAYMARK_SITE_EACH_7(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_9(macro, x, ...) macro(x) WAYMARK_SITE_EACH_8(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_10(macro, x, ...) macro(x) WAYMARK_SITE_EACH_9(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_11(macro, x, ...) macro(x) WAYMARK_SITE_EACH_10(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_12(macro, x, ...) macro(x) WAYMARK_SITE_EACH_11(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_13(macro, x, ...) macro(x) WAYMARK_SITE_EACH_12(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_14(macro, x, ...) macro(x) WAYMARK_SITE_EACH_13(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_15(macro, x, ...) macro(x) WAYMARK_SITE_EACH_14(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_16(macro, x, ...) macro(x) WAYMARK_SITE_EACH_15(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_17(macro, ...) macro(a_trace_point_has_at_most_16_arguments)

/* ---- A site ---- */

#define WAYMARK_SITE_ARG(x) { NULL, NULL, waymark_kind(x), 0 },

/* What stands first in a record: the number of a scope or flow. */
#define WAYMARK_SITE_LEAD_SCOPE { "scope", "i64", WAYMARK_SIGNED, sizeof(int64_t) },
#define WAYMARK_SITE_LEAD_FLOW WAYMARK_SITE_LEAD_SCOPE
#define WAYMARK_SITE_LEAD_STEP { "flow", "i64", WAYMARK_SIGNED, sizeof(int64_t) },
#define WAYMARK_SITE_LEAD_INSTANT
#define WAYMARK_SITE_LEAD_COUNTER
#define WAYMARK_SITE_LEAD_PRINT

/* One that is compiled out stays at -O0 as data; the registry passes over it. */
#define WAYMARK_SITE_FLAGS \
	(WAYMARK_EVENT_BRACES | WAYMARK_EVENT_SITE | (waymark_in ? 0 : WAYMARK_EVENT_OUT))
#define WAYMARK_SITE_FLAGS_SCOPE (WAYMARK_SITE_FLAGS | WAYMARK_EVENT_SCOPE)
#define WAYMARK_SITE_FLAGS_FLOW WAYMARK_SITE_FLAGS_SCOPE
#define WAYMARK_SITE_FLAGS_STEP WAYMARK_SITE_FLAGS
#define WAYMARK_SITE_FLAGS_INSTANT WAYMARK_SITE_FLAGS
#define WAYMARK_SITE_FLAGS_COUNTER WAYMARK_SITE_FLAGS
#define WAYMARK_SITE_FLAGS_PRINT WAYMARK_SITE_FLAGS
#define WAYMARK_SITE_FLAGS_END \
	(WAYMARK_EVENT_BRACES | WAYMARK_EVENT_SITE | WAYMARK_EVENT_SCOPE_END)

/*
 * `waymark_in` stands before. `owner` is the category, `label` the event's name before what
 * `...` begins with: the name, behind which the arguments stand, whose source is `source`.
 */
#define WAYMARK_SITE_INITIAL(kind, owner, name, source, here, args, count) { \
		{ &(here).state, name, source, __FILE__, args, __LINE__, WAYMARK_SITE_BACKENDS, \
			count, WAYMARK_SITE_FLAGS_##kind, 0, NULL, \
			WAYMARK_SITE_##kind <= WAYMARK_SITE_FLOW ? &(here).end : NULL }, \
		{ &(here).state, name "_end", "", __FILE__, waymark_site_end_args, __LINE__, \
			WAYMARK_SITE_BACKENDS, 2, WAYMARK_SITE_FLAGS_END, 0, NULL, NULL }, \
		owner, WAYMARK_SITE_##kind, 0 \
	}

/* Compilers say of this that a string literal is expected, and of nothing else. */
#ifdef __cplusplus
#define WAYMARK_SITE_ASSERT(condition, text) static_assert(condition, text);
#else
#define WAYMARK_SITE_ASSERT(condition, text) __extension__ _Static_assert(condition, text);
#endif
#define WAYMARK_SITE_IS_LITERAL(name) WAYMARK_SITE_ASSERT(true, name)

/* In C by a field: a second assertion of C99's C library would declare the same once more. */
#ifdef __cplusplus
#define WAYMARK_SITE_IS_NUMBER(value) \
	static_assert(waymark_kind(value) <= WAYMARK_DEBUG_BOOL, "a_counter_is_a_number_or_bool");
#else
#define WAYMARK_SITE_IS_NUMBER(value) \
	(void)sizeof(struct { \
		int a_counter_is_a_number_or_bool \
			: waymark_kind(value) <= WAYMARK_DEBUG_BOOL ? 1 : -1; \
	});
#endif

#ifndef __cplusplus
#define WAYMARK_SITE_DEFINE(kind, owner, label, source, ...) \
	WAYMARK_SITE_IS_LITERAL(WAYMARK_SITE_NAME(__VA_ARGS__)) \
	static const struct waymark_arg waymark_args[] = { \
		WAYMARK_SITE_LEAD_##kind \
		WAYMARK_SITE_EACH(WAYMARK_SITE_ARG, __VA_ARGS__) \
		{ NULL, NULL, 0, 0 } \
	}; \
	static struct waymark_site waymark_here = WAYMARK_SITE_INITIAL(kind, owner, \
		label WAYMARK_SITE_NAME(__VA_ARGS__), source, waymark_here, waymark_args, \
		sizeof(waymark_args) / sizeof(waymark_args[0]) - 1); \
	static waymark_site_pointer waymark_point \
		__attribute__((section("waymark_events"), aligned(sizeof(void *)))) = \
			&waymark_here.event;

/* Its state; its pointer, and the same where it is on. */
#define WAYMARK_SITE_STATE waymark_here.state
#define WAYMARK_SITE_POINT (&waymark_point)
#define WAYMARK_SITE_REACHED (&waymark_point)
#endif

/* The same, of a category. */
#define WAYMARK_SITE_DEFINE_IN(category, kind, ...) \
	WAYMARK_CATEGORY_KNOW(category) \
	WAYMARK_SITE_DEFINE(kind, WAYMARK_CATEGORY_OWNER(category), __VA_ARGS__)

/* Whether it is on. */
#define WAYMARK_SITE_ON (waymark_in && WAYMARK_UNLIKELY(WAYMARK_STATE(WAYMARK_SITE_STATE) != 0))

/* Of what has no fixed size there is a value, of which each text may have as much. */
#define WAYMARK_SITE_IS_LONG(x) + ((waymark_kind(x)) == WAYMARK_DEBUG_STRING || \
	(waymark_kind(x)) == WAYMARK_DEBUG_OBJECT)
#define WAYMARK_SITE_LONG(...) (0 WAYMARK_SITE_EACH(WAYMARK_SITE_IS_LONG, __VA_ARGS__))
#define WAYMARK_SITE_TEXT_MAX(longs) (WAYMARK_SITE_TEXTS_MAX / ((longs) ? (longs) : 1))

#define WAYMARK_SITE_VALUE(x) , waymark_debug(x)
#define WAYMARK_SITE_PACK(x) \
	waymark_bytes = waymark_site_pack(waymark_words, waymark_bytes, waymark_debug(x));

/*
 * Calls, of what is on: `function`, or what does the same with words. A record that is
 * `numbered` begins with the number of a scope or flow.
 */
#define WAYMARK_SITE_CALL(function, numbered, number, ...) \
	(WAYMARK_SITE_LONG(__VA_ARGS__) == 0 ? __extension__({ \
		uint64_t waymark_words[1 + 2 * WAYMARK_SITE_COUNT(__VA_ARGS__)]; \
		uint32_t waymark_bytes = 0; \
		if (numbered) { \
			waymark_bytes = waymark_site_place( \
				waymark_words, 0, 8, WAYMARK_CAST(uint64_t, number)); \
		} \
		WAYMARK_SITE_EACH(WAYMARK_SITE_PACK, __VA_ARGS__) \
		function##_packed(WAYMARK_SITE_REACHED, waymark_words, waymark_bytes); \
	}) : __extension__({ \
		struct waymark_debug waymark_values[] = { \
			waymark_debug_i64(number) WAYMARK_SITE_EACH(WAYMARK_SITE_VALUE, __VA_ARGS__) \
		}; \
		function(WAYMARK_SITE_REACHED, waymark_values, WAYMARK_SITE_COUNT(__VA_ARGS__), \
			WAYMARK_SITE_TEXT_MAX(WAYMARK_SITE_LONG(__VA_ARGS__))); \
	}))

/* ---- The trace points: `category` is what WAYMARK_CATEGORY_KNOW() takes ---- */

#define WAYMARK_SITE_ENTER(category, label, source, ...) __extension__({ \
	WAYMARK_SITE_DEFINE_IN(category, SCOPE, label, source, __VA_ARGS__) \
	struct waymark_site_scope waymark_entered = { 0, WAYMARK_SITE_POINT }; \
	if (WAYMARK_SITE_ON) { \
		waymark_entered.token = WAYMARK_SITE_CALL(waymark_site_enter, true, 0, __VA_ARGS__); \
	} \
	waymark_entered; \
})

/* One that is off below one that is on has an end that must not be taken for the other's. */
#define WAYMARK_SITE_BEGIN(category, label, source, ...) \
	do { \
		WAYMARK_SITE_DEFINE_IN(category, SCOPE, label, source, __VA_ARGS__) \
		if (WAYMARK_SITE_ON) { \
			if (waymark_site_may_begin(WAYMARK_SITE_REACHED)) { \
				waymark_site_begun(WAYMARK_SITE_REACHED, \
					WAYMARK_SITE_CALL(waymark_site_enter, true, 0, __VA_ARGS__)); \
			} \
		} else if (waymark_in && WAYMARK_UNLIKELY(waymark_site_depth != 0)) { \
			waymark_site_begun(WAYMARK_SITE_POINT, 0); \
		} \
	} while (0)

#define WAYMARK_SITE_END(category) \
	do { \
		WAYMARK_CATEGORY_KNOW(category) \
		if (waymark_in && WAYMARK_UNLIKELY(waymark_site_depth != 0)) { \
			waymark_site_end(WAYMARK_CATEGORY_OWNER(category)); \
		} \
	} while (0)

#define WAYMARK_SITE_START(category, label, source, ...) __extension__({ \
	WAYMARK_SITE_DEFINE_IN(category, FLOW, label, source, __VA_ARGS__) \
	struct waymark_scope waymark_started = waymark_scope_none(); \
	if (WAYMARK_SITE_ON) { \
		waymark_started = WAYMARK_SITE_CALL(waymark_site_start, true, 0, __VA_ARGS__); \
	} \
	waymark_started; \
})

#define WAYMARK_SITE_HAPPEN(category, label, source, ...) \
	do { \
		WAYMARK_SITE_DEFINE_IN(category, INSTANT, label, source, __VA_ARGS__) \
		if (WAYMARK_SITE_ON) { \
			WAYMARK_SITE_CALL(waymark_site_fire, false, 0, __VA_ARGS__); \
		} \
	} while (0)

#define WAYMARK_SITE_SHOW(category, label, name, value) \
	do { \
		WAYMARK_CATEGORY_KNOW(category) \
		WAYMARK_SITE_IS_NUMBER(value) \
		WAYMARK_SITE_DEFINE(COUNTER, WAYMARK_CATEGORY_OWNER(category), label, "name, value", name, value) \
		if (WAYMARK_SITE_ON) { \
			WAYMARK_SITE_CALL(waymark_site_fire, false, 0, name, value); \
		} \
	} while (0)

/*
 * The flow stands before the name here, so that it is none of the arguments. Of one that has
 * not begun, or has ended, there is no number to tell.
 */
#define WAYMARK_SITE_GO(category, label, source, flow, ...) \
	do { \
		WAYMARK_SITE_DEFINE_IN(category, STEP, label, source, __VA_ARGS__) \
		if (WAYMARK_SITE_ON) { \
			const struct waymark_scope *waymark_site_flow = (flow); \
			if (waymark_site_flow->end) { \
				WAYMARK_SITE_CALL(waymark_site_fire, true, waymark_site_flow->id, __VA_ARGS__); \
			} \
		} \
	} while (0)

#define WAYMARK_SITE_TELL(know, owner, label, ...) \
	do { \
		know \
		WAYMARK_SITE_DEFINE(PRINT, owner, label, "name, text", "print", "") \
		if (WAYMARK_SITE_ON) { \
			waymark_site_print(WAYMARK_SITE_REACHED, __VA_ARGS__); \
		} \
	} while (0)

/* clang-format on */

#if defined __cplusplus && defined WAYMARK_SCOPES_SOME
#include <waymark/site_type.h>
#endif

#endif
